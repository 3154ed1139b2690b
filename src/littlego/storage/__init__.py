"""What we keep on disk: whole files, databases, locks, scratch directories, and their removal."""
