"""Making the submission: its book, the files to hand in, the proof that they are right, the gauntlet."""
