"""A school class on one server: who is in it, what students may do, and the sheet with their tokens."""
