"""What people are shown, read back from where it is shown, and compared with a source that shares no code with it."""
