"""Who plays whom: every format, and the pairings of a Swiss."""
