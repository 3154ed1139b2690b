"""What holds an agent: one mechanism of the kernel in each module."""
