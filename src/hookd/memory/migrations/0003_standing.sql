-- What a session may be told at its start: found without going through all that was ever seen.
CREATE INDEX observation_standing ON observation (place, kind, seq)
WHERE repeatable = 1 AND superseded_by IS NULL;
