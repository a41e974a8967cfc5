"""The gate: what a tool call would do, and whether it may."""
