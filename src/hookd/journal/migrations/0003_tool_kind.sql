-- What the tool of a call does, whatever its agent calls it; an event of 0.1 has only the name.
ALTER TABLE event ADD COLUMN tool_kind TEXT NOT NULL DEFAULT '';
