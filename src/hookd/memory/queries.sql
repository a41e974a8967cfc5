-- name: place
SELECT number FROM memory_place WHERE project = ?

-- name: places
SELECT memory_place.number, project.key, project.root
FROM memory_place JOIN project ON project.key = memory_place.project

-- name: add_project
INSERT INTO project (key, root, first_seen) VALUES (:key, :root, :at) ON CONFLICT DO NOTHING

-- name: add_place
INSERT INTO memory_place (project) VALUES (?)

-- name: forget_place
DELETE FROM memory_place WHERE project = ?

-- name: add
INSERT INTO observation (
    id, place, at, kind, provenance, text, tool, path, session, task, prompt, event, tool_use, importance, likeness,
    detail, repeatable
) VALUES (
    :id, :place, :at, :kind, :provenance, :text, :tool, :path, :session, :task, :prompt, :event, :tool_use,
    :importance, :likeness, :detail, :repeatable
) ON CONFLICT DO NOTHING RETURNING seq

-- name: add_words
INSERT INTO observation_word (rowid, words) VALUES (?, ?)

-- name: remove_words
INSERT INTO observation_word (observation_word, rowid, words) VALUES ('delete', ?, ?)

-- name: remove_all_words
INSERT INTO observation_word (observation_word) VALUES ('delete-all')

-- name: merge_words
INSERT INTO observation_word (observation_word) VALUES ('optimize')

-- name: add_path
INSERT INTO observation_path (path, observation) VALUES (?, ?) ON CONFLICT DO NOTHING

-- name: paths_of
SELECT path FROM observation_path WHERE observation = ?

-- name: delete
DELETE FROM observation WHERE seq = ?

-- name: by_seq
SELECT * FROM observation WHERE seq = ?

-- name: seq_of
SELECT seq FROM observation WHERE id = :id AND place = :place

-- name: supersede
UPDATE observation SET superseded_by = :by WHERE id = :id AND place = :place AND seq != :by

-- name: supersede_imported
UPDATE observation SET superseded_by = :by
WHERE id = :id AND place = :place AND seq != :by AND superseded_by IS NULL
  AND (:own OR provenance IN ('tool', 'file', 'web'))

-- name: every
SELECT * FROM observation WHERE :place IS NULL OR place = :place ORDER BY seq

-- name: older_than
SELECT seq FROM observation WHERE at < :before ORDER BY at LIMIT :limit

-- name: counts
SELECT count(*) AS count, coalesce(min(at), 0) AS first, coalesce(max(at), 0) AS last,
    count(superseded_by) AS superseded
FROM observation JOIN memory_place ON memory_place.number = observation.place
WHERE :project IS NULL OR memory_place.project = :project

-- name: state
SELECT value FROM memory_state WHERE key = ?

-- name: set_state
INSERT INTO memory_state (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value

-- name: totals
SELECT block FROM observation_word_data WHERE id = 1

-- name: count_up_to
SELECT count(*), max(rowid) FROM (SELECT rowid FROM observation_word WHERE observation_word MATCH :match LIMIT :limit)

-- name: last_number
SELECT coalesce(max(seq), 0) FROM observation

-- name: by_words
SELECT observation.*, project.key AS project, project.root AS root
FROM observation_word
JOIN observation ON observation.seq = observation_word.rowid
JOIN memory_place ON memory_place.number = observation.place
JOIN project ON project.key = memory_place.project
WHERE observation_word MATCH :match AND {filters}
ORDER BY observation_word.rank LIMIT :limit

-- name: newest_by_words
SELECT observation.*, project.key AS project, project.root AS root
FROM (
    SELECT rowid AS number FROM observation_word WHERE observation_word MATCH :match ORDER BY rowid DESC LIMIT :rows
) AS matched
JOIN observation ON observation.seq = matched.number
JOIN memory_place ON memory_place.number = observation.place
JOIN project ON project.key = memory_place.project
WHERE {filters}
ORDER BY observation.seq DESC LIMIT :limit

-- name: by_numbers
SELECT observation.*, project.key AS project, project.root AS root
FROM observation
JOIN memory_place ON memory_place.number = observation.place
JOIN project ON project.key = memory_place.project
WHERE observation.seq IN (SELECT value FROM json_each(:numbers)) AND {filters}

-- name: newest
SELECT observation.*, project.key AS project, project.root AS root
FROM observation
JOIN memory_place ON memory_place.number = observation.place
JOIN project ON project.key = memory_place.project
WHERE {filters}
ORDER BY observation.seq DESC LIMIT :limit

-- name: filters
(:project IS NULL OR memory_place.project = :project)
AND (:session IS NULL OR observation.session = :session)
AND (:task IS NULL OR observation.task = :task)
AND (:tool IS NULL OR observation.tool = :tool)
AND (:kind IS NULL OR observation.kind = :kind)
AND (:provenance IS NULL OR observation.provenance = :provenance)
AND (:since IS NULL OR observation.at >= :since)
AND (:until IS NULL OR observation.at <= :until)
AND (:superseded OR observation.superseded_by IS NULL)
AND (:path IS NULL OR EXISTS (
    SELECT 1 FROM observation_path
    WHERE observation_path.observation = observation.seq
      AND (path = :path OR path GLOB :path OR path GLOB :below OR path GLOB :ending)
))

-- name: told_in
SELECT DISTINCT project.key, project.root, observation.session
FROM observation
JOIN memory_place ON memory_place.number = observation.place
JOIN project ON project.key = memory_place.project
WHERE observation.seq IN (SELECT value FROM json_each(?))

-- name: forget_later
WITH chosen AS (
    SELECT observation.seq, observation.event, observation.tool_use, observation.session, project.key, project.root
    FROM observation
    JOIN memory_place ON memory_place.number = observation.place
    JOIN project ON project.key = memory_place.project
    WHERE observation.seq IN (SELECT value FROM json_each(?))
)
INSERT INTO forgotten (observation, event, root)
SELECT seq, event, root FROM chosen
UNION
SELECT chosen.seq, event.id, chosen.root
FROM chosen
JOIN event ON event.tool_use = chosen.tool_use AND event.tool_use != ''
    AND event.session = chosen.session AND event.project = chosen.key
WHERE true
ON CONFLICT DO NOTHING

-- name: events_to_forget
SELECT DISTINCT event FROM forgotten WHERE observation IN (SELECT value FROM json_each(?))

-- name: forget_events
DELETE FROM event WHERE id IN (
    SELECT event FROM forgotten WHERE observation IN (SELECT value FROM json_each(?))
)

-- name: forgotten
SELECT observation, event, root FROM forgotten

-- name: forgotten_everywhere
DELETE FROM forgotten WHERE observation IN (SELECT value FROM json_each(?))

-- name: export
SELECT observation.*, project.root, newer.id AS newer
FROM observation
JOIN memory_place ON memory_place.number = observation.place
JOIN project ON project.key = memory_place.project
LEFT JOIN observation AS newer ON newer.seq = observation.superseded_by
WHERE :project IS NULL OR memory_place.project = :project
ORDER BY observation.seq

-- name: named
SELECT observation.*, project.key AS project, project.root AS root, newer.id AS newer
FROM observation
JOIN memory_place ON memory_place.number = observation.place
JOIN project ON project.key = memory_place.project
LEFT JOIN observation AS newer ON newer.seq = observation.superseded_by
WHERE observation.id = :id AND (:project IS NULL OR memory_place.project = :project)

-- name: before
SELECT observation.*, project.key AS project, project.root AS root
FROM observation
JOIN memory_place ON memory_place.number = observation.place
JOIN project ON project.key = memory_place.project
WHERE observation.place = :place AND observation.seq < :seq
  AND (:session IS NULL OR observation.session = :session)
ORDER BY observation.seq DESC LIMIT :limit

-- name: after
SELECT observation.*, project.key AS project, project.root AS root
FROM observation
JOIN memory_place ON memory_place.number = observation.place
JOIN project ON project.key = memory_place.project
WHERE observation.place = :place AND observation.seq > :seq
  AND (:session IS NULL OR observation.session = :session)
ORDER BY observation.seq LIMIT :limit

-- name: links_of
SELECT observation_link.kind, 'from' AS side, other.id, other.kind AS what FROM observation_link
JOIN observation AS other ON other.seq = observation_link.to_seq WHERE from_seq = :seq
UNION ALL
SELECT observation_link.kind, 'to', other.id, other.kind FROM observation_link
JOIN observation AS other ON other.seq = observation_link.from_seq WHERE to_seq = :seq

-- name: superseded_by_it
SELECT id FROM observation WHERE superseded_by = ? ORDER BY seq

-- name: link_counts
SELECT observation_link.kind, count(*) AS count FROM observation_link
JOIN observation ON observation.seq = observation_link.from_seq
JOIN memory_place ON memory_place.number = observation.place
WHERE :project IS NULL OR memory_place.project = :project
GROUP BY observation_link.kind ORDER BY observation_link.kind

-- name: kinds
SELECT kind, count(*) AS count FROM observation
JOIN memory_place ON memory_place.number = observation.place
WHERE :project IS NULL OR memory_place.project = :project
GROUP BY kind ORDER BY count DESC, kind

-- name: numbers
SELECT observation.seq FROM observation
JOIN memory_place ON memory_place.number = observation.place
JOIN project ON project.key = memory_place.project
WHERE {filters}

-- name: beginning_with
SELECT id FROM observation INDEXED BY observation_by_id
WHERE id >= :start AND id < :end AND place = :place LIMIT 2

-- name: names_beginning_with
SELECT DISTINCT observation.id FROM observation INDEXED BY observation_by_id
JOIN memory_place ON memory_place.number = observation.place
WHERE observation.id >= :start AND observation.id < :end AND (:project IS NULL OR memory_place.project = :project)
LIMIT 5
