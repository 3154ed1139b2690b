"""The arena in the browser: a server of pages and of an API that does all that the pages do."""
