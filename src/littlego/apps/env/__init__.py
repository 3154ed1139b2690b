"""Environments for research: PettingZoo, a vectorised one, and states in OpenSpiel's manner. Import `littlego.env`."""
