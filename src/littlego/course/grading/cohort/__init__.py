"""Grading the submissions of a whole school class."""
