"""Games between players and programs: one, a series, a tournament."""
