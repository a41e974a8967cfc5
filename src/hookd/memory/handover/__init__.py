"""What a session leaves to the next one: asked for, done, open, decided, failed; made from what happened.

While the journal is taken in, `hookd.memory.ingest` has the summaries of those sessions made anew in which a
turn, the session or what the model has in mind ends. A summary is an observation like
others (`s` and a hash of the session); `.hookd/CURRENT.md` shows the last few to people, and nobody reads
it back.
"""
