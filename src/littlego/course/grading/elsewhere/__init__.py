"""Grading on other systems: Gradescope, and files for Canvas and Moodle."""
