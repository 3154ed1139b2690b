"""The built-in players; `catalogue` names them."""
