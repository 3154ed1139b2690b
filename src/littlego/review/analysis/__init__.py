"""Exact analysis for other programs, in the format of KataGo's analysis engine."""
