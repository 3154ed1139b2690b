"""Measures, each as a ratio in one run, so that a regression shows on any machine."""
