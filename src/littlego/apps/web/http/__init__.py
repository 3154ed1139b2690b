"""The server's door: connections, access, headers."""
