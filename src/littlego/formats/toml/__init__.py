"""TOML files: tables read with care, and the rules of a game in one."""
