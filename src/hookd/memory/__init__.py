"""Memory: what was seen, done and decided in a project, kept as observations and found again.

`ingest` writes down what sessions are worth, as the journal is taken in. What a person or an agent wants
remembered is put into the journal (`journal.entries.ObservationAdded`) and taken in the same way.
`hookd.memory.repository` writes each `Observation` in the transaction of the caller, and leaves out those
that are there already:

    Observations(db, Place(key, root)).add(made)

`Observations.supersede` is for a fact that a later one contradicts. Texts must be redacted before they come
here. Vectors are made when a person or an agent searches; inserting knows nothing of them.
"""
