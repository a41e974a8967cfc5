-- Who wrote what: the machine, its user, and the folder that the agent worked in. Numbered, as every event has one;
-- 0 is an event of before.
CREATE TABLE writer (
    number INTEGER PRIMARY KEY,
    project TEXT NOT NULL,
    checkout TEXT NOT NULL,
    tree TEXT NOT NULL,
    machine TEXT NOT NULL,
    user TEXT NOT NULL,
    UNIQUE (checkout, tree, project, machine, user)
);

ALTER TABLE event ADD COLUMN writer INTEGER NOT NULL DEFAULT 0;
