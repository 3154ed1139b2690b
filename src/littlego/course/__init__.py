"""The course's own interfaces: its files, its starter kits, its editions."""
