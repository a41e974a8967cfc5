-- What people approved and refused when the gate asked. The shape and the call are keyed hashes. What is in force is
-- not here but in the user's grants.
CREATE TABLE learned_rule (
    id INTEGER PRIMARY KEY,
    project TEXT NOT NULL,
    rule TEXT NOT NULL,
    shape TEXT NOT NULL,
    words TEXT NOT NULL,
    example TEXT NOT NULL,
    severity TEXT NOT NULL,
    first_at REAL NOT NULL,
    last_at REAL NOT NULL,
    revoked_at REAL NOT NULL DEFAULT 0,
    UNIQUE (project, rule, shape)
);

CREATE TABLE learned_evidence (
    call TEXT PRIMARY KEY,
    learned INTEGER NOT NULL REFERENCES learned_rule (id) ON DELETE CASCADE,
    at REAL NOT NULL,
    session TEXT NOT NULL,
    decision TEXT NOT NULL
) WITHOUT ROWID;

CREATE INDEX learned_evidence_by_rule ON learned_evidence (learned, at);
