"""What a session is told at its start: what matters now, each line with its source, within a budget."""
