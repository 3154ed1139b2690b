"""Drills: positions in which a win was thrown away, and the score of the person who solves them."""
