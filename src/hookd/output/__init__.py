"""The output filter: what stands between a tool's output and the model."""
