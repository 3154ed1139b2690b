"""The players of the teaching example."""
