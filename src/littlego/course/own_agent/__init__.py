"""Making our own submission: its book, the files to submit, their verification, the gauntlet."""
