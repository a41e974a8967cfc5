-- A project's key is long and in every index, so observations have a short number for it.
CREATE TABLE memory_place (
    number INTEGER PRIMARY KEY,
    project TEXT NOT NULL UNIQUE REFERENCES project (key)
);

CREATE TABLE observation (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    place INTEGER NOT NULL REFERENCES memory_place (number),
    at REAL NOT NULL,
    kind TEXT NOT NULL,
    provenance TEXT NOT NULL,
    text TEXT NOT NULL,
    tool TEXT NOT NULL,
    path TEXT NOT NULL,
    session TEXT NOT NULL,
    task TEXT NOT NULL,
    prompt TEXT NOT NULL,
    event TEXT NOT NULL,
    tool_use TEXT NOT NULL,
    importance REAL NOT NULL,
    likeness INTEGER NOT NULL,
    superseded_by INTEGER REFERENCES observation (seq) ON DELETE SET NULL
);

CREATE UNIQUE INDEX observation_by_id ON observation (id, place);
CREATE UNIQUE INDEX observation_by_tool_use ON observation (tool_use, session, place) WHERE tool_use != '';
CREATE INDEX observation_by_session ON observation (session, seq) WHERE session != '';
CREATE INDEX observation_by_task ON observation (task, seq) WHERE task != '';
CREATE INDEX observation_by_time ON observation (place, at);
CREATE INDEX observation_by_likeness ON observation (likeness);
CREATE INDEX observation_superseding ON observation (superseded_by) WHERE superseded_by IS NOT NULL;

CREATE TABLE observation_path (
    path TEXT NOT NULL,
    observation INTEGER NOT NULL REFERENCES observation (seq) ON DELETE CASCADE,
    PRIMARY KEY (path, observation)
) WITHOUT ROWID;

CREATE INDEX observation_path_by_observation ON observation_path (observation);

-- The words come from `hookd.memory.words`; the texts themselves are in the table above.
CREATE VIRTUAL TABLE observation_word USING fts5(words, content='', tokenize='unicode61');

CREATE TABLE memory_state (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO memory_state VALUES ('words', '1');
