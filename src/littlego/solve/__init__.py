"""Exact solving of boards up to 5x5: the kernel, the oracle over it, and certificates."""
