"""The editions of the course, and of any course like it: files, and what reads them."""
