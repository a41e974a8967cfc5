"""Memory: what was seen, done and decided in a project, kept as observations and found again.

`taking` writes down what sessions are worth, as the journal is taken in. A caller that adds something only
inserts. `hookd.memory.repository` writes each `Observation` within the store's one writer, in the transaction
of the caller, and leaves out those that are there already:

    store.adopt(list(migrations()))                          # once, when the capability is turned on
    store.submit(lambda db: Observations(db, Place(key, root)).add(made)).result()

or, while the journal is taken in, from a sink, which has the database in its hands:

    Observations(db, Place(key, root)).add(made)

`Observations.supersede` is for a fact that a later one contradicts. Texts must be redacted before they come
here. Vectors are made when a person or an agent searches; inserting knows nothing of them.
"""
