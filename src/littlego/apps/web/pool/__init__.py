"""Processes that think of moves and values for the server."""
