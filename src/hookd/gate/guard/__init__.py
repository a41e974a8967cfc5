"""hookd's own protection: its files, processes and entries in agents' settings."""
