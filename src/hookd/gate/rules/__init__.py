"""The static layer: rules, and how they are held against a call."""
