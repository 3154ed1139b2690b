"""Text and pictures at the edge of the package, each with a writer and a reader that undo each other."""
