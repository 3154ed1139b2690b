"""Tournaments: a plan in a directory, a store of finished games, and their standings and reports."""
