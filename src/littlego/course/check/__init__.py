"""`littlego check`: an agent tried out before it is handed in."""
