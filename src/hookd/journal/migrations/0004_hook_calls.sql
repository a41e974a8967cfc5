-- What each hook did with an event (hook_calls.py has the form); an event of before has only how many there were.
-- Hooks are numbered, by project so that they are forgotten with it: their names would be a fifth of the database.
CREATE TABLE hook (
    project TEXT NOT NULL REFERENCES project (key) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (project, number)
) WITHOUT ROWID;

ALTER TABLE event ADD COLUMN hook_calls TEXT NOT NULL DEFAULT '';
