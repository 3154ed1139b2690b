"""Puzzles that ship with the pages."""
