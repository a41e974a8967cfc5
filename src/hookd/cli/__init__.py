"""The command line: one module per command, functions that return an exit code."""
