"""Tasks: what a person asked for, from the prompt that began it to the end of the work on it."""
