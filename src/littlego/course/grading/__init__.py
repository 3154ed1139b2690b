"""Grading: what an edition plays and what it gives for it, the playing, and the report."""
