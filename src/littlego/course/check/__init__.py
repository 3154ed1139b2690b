"""`littlego check`: trying an agent before it is submitted."""
