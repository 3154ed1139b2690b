"""The processes of one move: which they are, what they used, and who killed them."""
