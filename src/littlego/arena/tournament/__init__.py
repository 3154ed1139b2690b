"""Tournaments: a plan in a directory, a store of finished games, and what can be told of them."""
