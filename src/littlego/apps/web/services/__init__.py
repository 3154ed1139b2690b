"""What the server does for its pages, in the server's own process."""
