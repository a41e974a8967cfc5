-- Both keys are hashes: who knows the call or the session finds its row again, nobody else reads it from here.
CREATE TABLE model_answer (
    key TEXT PRIMARY KEY,
    at REAL NOT NULL,
    until REAL NOT NULL,
    model TEXT NOT NULL,
    verdict TEXT NOT NULL,
    confidence REAL NOT NULL,
    reason TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE model_budget (
    session TEXT PRIMARY KEY,
    last_at REAL NOT NULL,
    calls INTEGER NOT NULL,
    usd REAL NOT NULL
) WITHOUT ROWID;
