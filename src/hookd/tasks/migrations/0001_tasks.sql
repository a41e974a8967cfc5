-- A task is named by the prompt that began it, and is forgotten with it.
CREATE TABLE task (
    id TEXT PRIMARY KEY REFERENCES event (id) ON DELETE CASCADE,
    project TEXT NOT NULL,
    session TEXT NOT NULL,
    began REAL NOT NULL,
    ended REAL,
    goal TEXT NOT NULL,
    state TEXT NOT NULL
) WITHOUT ROWID;

CREATE INDEX task_by_session ON task (project, session, began);

CREATE TABLE task_prompt (
    event TEXT PRIMARY KEY REFERENCES event (id) ON DELETE CASCADE,
    project TEXT NOT NULL,
    session TEXT NOT NULL,
    at REAL NOT NULL,
    task TEXT REFERENCES task (id) ON DELETE SET NULL,
    kind TEXT NOT NULL
) WITHOUT ROWID;

CREATE INDEX task_prompt_by_session ON task_prompt (project, session, at);
CREATE INDEX task_prompt_by_task ON task_prompt (task);
