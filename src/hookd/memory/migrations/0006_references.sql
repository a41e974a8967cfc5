-- What refers to an observation does so by its id, within one place: a number is given anew wherever a record is
-- taken in, an id never. `seq` orders, and is the key of what is derived from the observations of this one database
-- and goes with them: observation_path, failure_key and the index of words.

-- step
ALTER TABLE observation RENAME COLUMN superseded_by TO superseded_by_seq;
ALTER TABLE observation ADD COLUMN superseded_by TEXT;
DROP INDEX observation_standing;

-- What is said to stand for what, while one of the two is not here yet: records come in any order. `own` is whether
-- it may be said of the person's own words too.
CREATE TABLE awaited_superseding (
    place INTEGER NOT NULL,
    older TEXT NOT NULL,
    newer TEXT NOT NULL,
    own INTEGER NOT NULL,
    PRIMARY KEY (older, place, newer)
) WITHOUT ROWID;
CREATE INDEX awaited_superseding_newer ON awaited_superseding (newer, place);

ALTER TABLE observation_link RENAME TO observation_link_by_seq;
CREATE TABLE observation_link (
    place INTEGER NOT NULL,
    from_id TEXT NOT NULL,
    to_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    PRIMARY KEY (from_id, place, to_id, kind)
) WITHOUT ROWID;

-- Beside the records that are gone: events that had told of what is forgotten (`told`), and calls of hookd's own that
-- repeated it (`call`). That goes from their files, they stay. What was half forgotten before has left no id, only its
-- number: its event is what the files still go by.
ALTER TABLE forgotten RENAME TO forgotten_by_seq;
CREATE TABLE forgotten (
    place INTEGER NOT NULL,
    observation TEXT NOT NULL,
    event TEXT NOT NULL,
    root TEXT NOT NULL,
    how TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (observation, place, event, root, how)
) WITHOUT ROWID;
INSERT INTO forgotten SELECT 0, CAST(observation AS TEXT), event, root, '' FROM forgotten_by_seq;
DROP TABLE forgotten_by_seq;

-- step, repeated while SELECT count(*) FROM observation WHERE superseded_by_seq IS NOT NULL
UPDATE observation SET
    superseded_by = (
        SELECT newer.id FROM observation AS newer
        WHERE newer.seq = observation.superseded_by_seq AND newer.place = observation.place
    ),
    superseded_by_seq = NULL
WHERE seq IN (SELECT seq FROM observation WHERE superseded_by_seq IS NOT NULL LIMIT 5000);

-- step, repeated while SELECT count(*) FROM observation_link_by_seq
INSERT INTO observation_link
SELECT a.place, a.id, b.id, link.kind
FROM (SELECT * FROM observation_link_by_seq ORDER BY from_seq, to_seq, kind LIMIT 5000) AS link
JOIN observation AS a ON a.seq = link.from_seq
JOIN observation AS b ON b.seq = link.to_seq AND b.place = a.place;
DELETE FROM observation_link_by_seq WHERE (from_seq, to_seq, kind) IN (
    SELECT from_seq, to_seq, kind FROM observation_link_by_seq ORDER BY from_seq, to_seq, kind LIMIT 5000
);

-- step
DROP TABLE observation_link_by_seq;
CREATE INDEX observation_link_to ON observation_link (to_id, place);

-- step
DROP INDEX observation_superseding;
ALTER TABLE observation DROP COLUMN superseded_by_seq;

-- step
CREATE INDEX observation_superseding ON observation (superseded_by, place) WHERE superseded_by IS NOT NULL;

-- step
CREATE INDEX observation_standing ON observation (place, kind, seq)
WHERE repeatable = 1 AND superseded_by IS NULL;
