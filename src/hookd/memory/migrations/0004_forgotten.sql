-- What is gone from the tables above, until it is gone from every file as well: who is killed in between
-- leaves here what the next one has to finish.
CREATE TABLE forgotten (
    observation INTEGER NOT NULL,
    event TEXT NOT NULL,
    root TEXT NOT NULL,
    PRIMARY KEY (observation, event)
) WITHOUT ROWID;
