"""What the store has of the gate's verdicts."""
