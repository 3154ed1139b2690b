"""Grading on other people's systems: Gradescope, GitHub Classroom, and files for Canvas and Moodle."""
