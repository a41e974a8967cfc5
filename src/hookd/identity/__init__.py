"""Which project a checkout's memory belongs to, told from git's files and a registry of hookd's own."""
