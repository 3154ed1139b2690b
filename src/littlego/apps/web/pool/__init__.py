"""Processes beside the server that choose moves and work out exact values."""
