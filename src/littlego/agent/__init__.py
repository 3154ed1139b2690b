"""The submission: `my_player3.py` and `book.txt`, which import nothing of the package."""
