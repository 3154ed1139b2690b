"""Agents of 2019: a Python class that is asked for a move."""
