"""Moves of programs nobody trusts: limits, levels of isolation, and the supervisor that enforces them."""
