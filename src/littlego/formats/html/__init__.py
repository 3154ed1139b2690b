"""Reports as single HTML files: the page, its charts, and games to step through."""
