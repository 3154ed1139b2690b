"""Commands that answer from exact values."""
