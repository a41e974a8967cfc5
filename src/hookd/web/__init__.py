"""What a person sees in the browser."""
