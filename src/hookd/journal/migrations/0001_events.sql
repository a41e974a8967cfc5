CREATE TABLE project (
    key TEXT PRIMARY KEY,
    root TEXT NOT NULL,
    first_seen REAL NOT NULL
) WITHOUT ROWID;

CREATE TABLE session (
    id TEXT NOT NULL,
    project TEXT NOT NULL REFERENCES project (key) ON DELETE CASCADE,
    agent TEXT NOT NULL,
    started_at REAL NOT NULL,
    last_at REAL NOT NULL,
    ended_at REAL,
    end_reason TEXT,
    turns INTEGER NOT NULL DEFAULT 0,
    run TEXT NOT NULL,
    PRIMARY KEY (project, id)
) WITHOUT ROWID;

CREATE TABLE event (
    id TEXT PRIMARY KEY,
    project TEXT NOT NULL REFERENCES project (key) ON DELETE CASCADE,
    session TEXT NOT NULL,
    at REAL NOT NULL,
    agent TEXT NOT NULL,
    name TEXT NOT NULL,
    tool TEXT NOT NULL,
    tool_use TEXT NOT NULL,
    subagent TEXT NOT NULL,
    detail TEXT NOT NULL,
    verdict TEXT NOT NULL,
    decided_by TEXT NOT NULL,
    hooks INTEGER NOT NULL,
    ms REAL NOT NULL,
    via TEXT NOT NULL
) WITHOUT ROWID;

CREATE INDEX event_by_session ON event (project, session, at);
CREATE INDEX event_by_tool_use ON event (tool_use) WHERE tool_use != '';

CREATE TABLE problem (
    project TEXT NOT NULL REFERENCES project (key) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    what TEXT NOT NULL,
    first_at REAL NOT NULL,
    last_at REAL NOT NULL,
    count INTEGER NOT NULL,
    last_id TEXT NOT NULL,
    PRIMARY KEY (project, kind, what)
) WITHOUT ROWID;

CREATE TABLE segment (
    project TEXT NOT NULL,
    name TEXT NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (project, name)
) WITHOUT ROWID;
