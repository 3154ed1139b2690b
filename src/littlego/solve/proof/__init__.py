"""Proofs: the winner's strategy, certificates made from it, and their independent checker."""
