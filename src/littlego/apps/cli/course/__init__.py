"""Commands for students and teachers."""
