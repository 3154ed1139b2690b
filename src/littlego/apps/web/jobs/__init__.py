"""Long work, each job in a process of its own."""
