"""Research environments: PettingZoo, a vectorised one, and OpenSpiel. Import `littlego.env`."""
