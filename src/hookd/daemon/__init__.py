"""The per-project daemon: startup, serve, shutdown; and the same service without a daemon."""
