"""What a session has read and touched so far, and what follows when it then sends something out."""
