"""What is noticed in a call that no effect tells: text that deceives who reads it, secrets that are sent."""
