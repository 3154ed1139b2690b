"""Who can play, and how each is built, checked, sent to a worker and seated."""
