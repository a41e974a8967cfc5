"""One module per type of handler: each takes a call and says how it ended."""
