"""Little-Go: Go on a small board with a move limit and stones-only scoring."""

__version__ = "0.1.0"
