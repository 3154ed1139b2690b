"""Benchmarks, each as a ratio within one run, so that a regression shows on any machine."""
