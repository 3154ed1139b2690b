"""Exact values for pages: what is asked, what is known, and the search for the rest."""
