"""Moves of untrusted programs: limits, levels of isolation, and the supervisor that enforces them."""
