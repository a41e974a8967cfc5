"""What a shell line would do: its commands through every wrapper, and their effects. Facts, no verdicts."""
