"""What people start: the command line, the page, and engines for other programs."""
