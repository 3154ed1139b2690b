"""The Go Text Protocol: Little-Go as an engine."""
