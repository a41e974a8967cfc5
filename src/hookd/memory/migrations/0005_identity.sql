-- Memory follows a repository and not a path: a place is a work tree, or a folder that stands alone by its path.
-- Its columns: the folder it is in now, what it shares its memory with, and itself; both are empty if it stands
-- alone, and for a place of before until its folder is next seen.
CREATE TABLE memory_place_by_tree (
    number INTEGER PRIMARY KEY,
    project TEXT NOT NULL REFERENCES project (key),
    identity TEXT NOT NULL DEFAULT '',
    tree TEXT NOT NULL DEFAULT ''
);
INSERT INTO memory_place_by_tree (number, project) SELECT number, project FROM memory_place;
DROP TABLE memory_place;
ALTER TABLE memory_place_by_tree RENAME TO memory_place;

CREATE UNIQUE INDEX memory_place_by_tree ON memory_place (tree) WHERE tree != '';
CREATE UNIQUE INDEX memory_place_alone ON memory_place (project) WHERE tree = '';

-- Every folder that a place has been in: the events of then are under its key.
CREATE TABLE memory_checkout (
    place INTEGER NOT NULL REFERENCES memory_place (number) ON DELETE CASCADE,
    project TEXT NOT NULL,
    PRIMARY KEY (place, project)
) WITHOUT ROWID;
INSERT INTO memory_checkout (place, project) SELECT number, project FROM memory_place;

-- Who wrote it (the journal's table of writers); 0 for what is of before.
ALTER TABLE observation ADD COLUMN writer INTEGER NOT NULL DEFAULT 0;
