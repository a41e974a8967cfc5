-- name: said_with
SELECT seq, id, text, provenance, path FROM observation
WHERE place = :place AND kind IN ('decision', 'note') AND superseded_by IS NULL AND seq != :seq
  AND instr(lower(text), :word) > 0
ORDER BY seq DESC LIMIT 500

-- name: about_path
SELECT DISTINCT observation.* FROM observation_path JOIN observation ON observation.seq = observation_path.observation
WHERE (observation_path.path = :path OR (observation_path.path >= :below AND observation_path.path < :above))
  AND observation.place = :place AND observation.superseded_by IS NULL AND observation.seq < :seq
ORDER BY observation.seq DESC LIMIT 500

-- name: naming
SELECT observation.* FROM observation
WHERE place = :place AND kind IN ('decision', 'note') AND superseded_by IS NULL AND seq < :seq AND path = ''
  AND instr(text, :word) > 0
ORDER BY seq DESC LIMIT 100

-- name: said_before
SELECT old.text, newer.id AS newer, newer.provenance FROM observation AS old
JOIN observation AS newer ON newer.seq = old.superseded_by
WHERE old.place = :place AND old.kind IN ('decision', 'note') AND old.seq < :seq AND newer.seq != :seq
  AND newer.kind IN ('decision', 'note') AND newer.superseded_by IS NULL AND newer.seq < :seq
  AND instr(lower(old.text), :word) > 0
ORDER BY old.seq DESC LIMIT 500

-- name: said_again
UPDATE observation SET superseded_by = NULL WHERE superseded_by = ? AND kind IN ('decision', 'note')

-- name: gone_before
SELECT observation.id, observation.seq FROM observation_path JOIN observation ON observation.seq = observation_path.observation
WHERE observation_path.path = :path AND observation.place = :place AND observation.kind = 'change'
  AND observation.superseded_by IS NULL AND observation.text LIKE 'deleted %'

-- name: add_key
INSERT INTO failure_key (place, key, observation, scope) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING

-- name: failures_by_key
SELECT failure_key.observation AS seq, failure_key.scope, observation.id, observation.text, observation.session, observation.at,
    observation.path
FROM failure_key JOIN observation ON observation.seq = failure_key.observation
WHERE failure_key.place = :place AND failure_key.key = :key AND observation.superseded_by IS NULL
  AND observation.at <= :at
ORDER BY failure_key.observation LIMIT 50

-- name: drop_keys
DELETE FROM failure_key WHERE observation = ?

-- name: passes_by_key
UPDATE failure_key SET observation = ?, key = 'passes ' || key WHERE observation = ?

-- name: open_failures
SELECT seq FROM observation
WHERE session = :session AND place = :place AND kind = 'failure' AND superseded_by IS NULL AND task = :task AND seq < :seq
ORDER BY seq DESC LIMIT 5

-- name: link
INSERT INTO observation_link (from_seq, to_seq, kind) VALUES (?, ?, ?) ON CONFLICT DO NOTHING

-- name: links_from
SELECT count(*) FROM observation_link WHERE from_seq = ? AND kind = ?

-- name: edits_since
SELECT seq, path FROM observation
WHERE session = :session AND place = :place AND kind = 'edit' AND seq > :seq AND path != ''
ORDER BY seq DESC LIMIT 20

-- name: seen_before
SELECT 1 FROM observation WHERE likeness = :likeness AND session = :session AND place = :place AND kind = :kind LIMIT 1

-- name: heard
SELECT output, input FROM event WHERE project = :project AND session = :session AND tool != ''
    AND tool NOT IN ('TodoWrite', 'TaskCreate', 'TaskUpdate', 'TaskList') -- the agent's own notes
    -- Signs that look like letters, or are not seen, hide a word from LIKE.
    AND (length(CAST(output AS BLOB)) != length(output) OR length(CAST(input AS BLOB)) != length(input) OR {words})
ORDER BY seq DESC LIMIT :limit

-- name: cut_short
SELECT 1 FROM event WHERE project = :project AND session = :session AND tool != '' AND output LIKE :mark
    AND tool NOT IN ('Write', 'Edit', 'MultiEdit', 'NotebookEdit', 'TodoWrite') -- these say what they were given
LIMIT 1
