"""Where games are played: processes on this machine, or a cluster."""
