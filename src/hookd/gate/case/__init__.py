"""What is judged: a call, where it happens, and what comes out."""
