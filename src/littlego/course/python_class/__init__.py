"""Agents of 2019: a Python class with `get_input`."""
