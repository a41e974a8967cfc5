-- The order of arrival is kept, since clocks jump; and what the event said, in and out.
CREATE TABLE event_in_order (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
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
    via TEXT NOT NULL,
    turn INTEGER NOT NULL DEFAULT 0,
    input TEXT NOT NULL DEFAULT '{}',
    output TEXT NOT NULL DEFAULT '',
    told TEXT NOT NULL DEFAULT '[]'
);

INSERT INTO event_in_order (
    id, project, session, at, agent, name, tool, tool_use, subagent, detail, verdict, decided_by, hooks, ms, via
)
SELECT id, project, session, at, agent, name, tool, tool_use, subagent, detail, verdict, decided_by, hooks, ms, via
FROM event ORDER BY at;

DROP TABLE event;
ALTER TABLE event_in_order RENAME TO event;

CREATE INDEX event_by_session ON event (project, session, seq);
CREATE INDEX event_by_tool_use ON event (tool_use) WHERE tool_use != '';

CREATE TABLE fact (
    event TEXT NOT NULL REFERENCES event (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (event, number)
) WITHOUT ROWID;
