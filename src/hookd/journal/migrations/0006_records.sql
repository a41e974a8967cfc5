-- What was forgotten stays so, wherever it is read again: by the machine whose records they are, '' for this one.
CREATE TABLE forgotten_record (
    machine TEXT NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (machine, id)
) WITHOUT ROWID;

-- Which problems are counted: a segment may be read again.
CREATE TABLE counted_problem (
    project TEXT NOT NULL REFERENCES project (key) ON DELETE CASCADE,
    id TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (project, id)
) WITHOUT ROWID;

-- What calls of language models have cost; no price is NULL.
CREATE TABLE cost (
    id TEXT PRIMARY KEY,
    project TEXT NOT NULL REFERENCES project (key) ON DELETE CASCADE,
    session TEXT NOT NULL,
    at REAL NOT NULL,
    by_whom TEXT NOT NULL,
    model TEXT NOT NULL,
    input INTEGER,
    output INTEGER,
    usd REAL
) WITHOUT ROWID;

CREATE INDEX cost_by_time ON cost (project, at);

INSERT INTO counted_problem SELECT project, last_id, last_at FROM problem WHERE true ON CONFLICT DO NOTHING;
ALTER TABLE problem DROP COLUMN last_id;
