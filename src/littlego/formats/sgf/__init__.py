"""SGF: games read and written, whole files with every variation, and what is wrong in them."""
