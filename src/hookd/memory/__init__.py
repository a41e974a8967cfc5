"""Memory: what was seen, done and decided in a project, kept as observations and found again.

`taking` writes down what sessions are worth, as the journal is taken in. Whoever adds something only inserts.
A row is an `Observation`; `remember` writes rows within the store's one writer, in the transaction of the
caller, and leaves out those that are there already:

    store.adopt(list(migrations()))                          # once, when the capability is turned on
    store.submit(lambda db: remember(db, Place(key, root), rows)).result()

or, while the journal is taken in, from a sink, which has the connection in its hands:

    remember(db, Place(key, root), rows)

Both come from `hookd.memory.observations`, and so does `supersede(db, place, older, newer)`, for a fact that
a later one contradicts. Texts must be redacted before they come here. Vectors are made when somebody
searches; inserting knows nothing of them.
"""
