"""Research environments: PettingZoo, a vectorised one, and OpenSpiel-style states. Import `littlego.env`."""
