-- Whether a text may be put in front of a model unasked; decided once, when it is written down.
ALTER TABLE observation ADD COLUMN repeatable INTEGER NOT NULL DEFAULT 0;
UPDATE observation SET repeatable = 1 WHERE provenance IN ('person', 'hookd');

-- What a tool said beside hookd's own words on it: found by search, shown as data, never repeated unasked.
ALTER TABLE observation ADD COLUMN detail TEXT NOT NULL DEFAULT '';

CREATE TABLE observation_link (
    from_seq INTEGER NOT NULL REFERENCES observation (seq) ON DELETE CASCADE,
    to_seq INTEGER NOT NULL REFERENCES observation (seq) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    PRIMARY KEY (from_seq, to_seq, kind)
) WITHOUT ROWID;

CREATE INDEX observation_link_to ON observation_link (to_seq);

-- By what a failure that nothing has mended yet is known: its command, its tests, the runner of its tests.
CREATE TABLE failure_key (
    place INTEGER NOT NULL,
    key TEXT NOT NULL,
    observation INTEGER NOT NULL REFERENCES observation (seq) ON DELETE CASCADE,
    scope TEXT NOT NULL,
    PRIMARY KEY (place, key, observation)
) WITHOUT ROWID;

CREATE INDEX failure_key_of ON failure_key (observation);

CREATE INDEX observation_said ON observation (place, seq) WHERE kind IN ('decision', 'note');
