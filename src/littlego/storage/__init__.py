"""Files on disk: atomic writes, databases, scratch directories, and their removal."""
