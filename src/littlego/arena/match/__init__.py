"""A match of two: its plan, its games, its store, and when it may stop."""
