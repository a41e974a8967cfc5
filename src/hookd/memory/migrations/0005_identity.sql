-- Memory follows a repository and not a path: a place is a work tree, or a folder that is in no repository. Its
-- columns: the folder it is in now, what it shares its memory with, and itself. Both are empty for a place of 0.1
-- until its folder is next seen.
CREATE TABLE memory_place_by_tree (
    number INTEGER PRIMARY KEY,
    project TEXT NOT NULL,
    root TEXT NOT NULL,
    identity TEXT NOT NULL,
    tree TEXT NOT NULL
);
INSERT INTO memory_place_by_tree
SELECT memory_place.number, memory_place.project, project.root, '', ''
FROM memory_place JOIN project ON project.key = memory_place.project;
DROP TABLE memory_place;
ALTER TABLE memory_place_by_tree RENAME TO memory_place;

CREATE UNIQUE INDEX memory_place_by_tree ON memory_place (tree) WHERE tree != '';
CREATE UNIQUE INDEX memory_place_of_0_1 ON memory_place (project) WHERE tree = '';

-- Every folder that a place has been in: the events of then are under its key.
CREATE TABLE memory_checkout (
    place INTEGER NOT NULL REFERENCES memory_place (number) ON DELETE CASCADE,
    project TEXT NOT NULL,
    root TEXT NOT NULL,
    PRIMARY KEY (place, project)
) WITHOUT ROWID;
INSERT INTO memory_checkout SELECT number, project, root FROM memory_place;

-- Who wrote it (the journal's table of writers); 0 for what is of before.
ALTER TABLE observation ADD COLUMN writer INTEGER NOT NULL DEFAULT 0;
