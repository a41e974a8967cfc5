"""What a handler has in hand through its context: the person, the next turn, programs, what it keeps."""
