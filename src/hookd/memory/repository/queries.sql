-- name: columns
observation.seq, observation.id, observation.place, observation.at, observation.kind, observation.provenance,
    observation.text, observation.tool, observation.path, observation.session, observation.task, observation.prompt,
    observation.event, observation.tool_use, observation.importance, observation.likeness,
    observation.superseded_by, observation.repeatable, observation.detail

-- name: with_place
JOIN memory_place ON memory_place.number = observation.place

-- What a checkout may remember: its own, and that of the places it shares an identity with; also what was written
-- before it was a repository. A place of 0.1 has no tree until its folder is next seen, and goes by its path.

-- name: here
(:everywhere OR memory_place.identity = :identity OR memory_place.tree = :alone
    OR (memory_place.tree = '' AND memory_place.project = :project))

-- name: in_tree
(memory_place.tree IN (:tree, :alone) OR (memory_place.tree = '' AND memory_place.project = :project))

-- name: of_project
JOIN memory_place ON memory_place.number = observation.place
WHERE {here}

-- name: place_by_tree
SELECT number FROM memory_place WHERE tree = :tree AND tree != ''

-- name: place_of_0_1
SELECT number FROM memory_place WHERE project = :project AND tree = ''

-- name: place_is
SELECT 1 FROM memory_place
WHERE number = :number AND project = :project AND root = :root AND identity = :identity AND tree = :tree

-- name: next_place
SELECT coalesce(max(number), 0) + 1 FROM memory_place

-- name: places
SELECT project, root, identity, tree FROM memory_place

-- name: places_here
SELECT number FROM memory_place WHERE {here} ORDER BY number

-- name: places_of_tree
SELECT number FROM memory_place WHERE {in_tree} ORDER BY number

-- name: places_last_in
SELECT number FROM memory_place WHERE project = :project ORDER BY number

-- name: move_place
UPDATE memory_place SET project = :project, root = :root, identity = :identity, tree = :tree
WHERE number = :number

-- name: add_checkout
INSERT INTO memory_checkout (place, project, root) VALUES (:number, :project, :root) ON CONFLICT DO NOTHING

-- name: add_place
INSERT INTO memory_place (number, project, root, identity, tree)
VALUES (:number, :project, :root, :identity, :tree)

-- name: forget_place
DELETE FROM memory_place WHERE number = :number

-- name: add
INSERT INTO observation (
    id, place, at, kind, provenance, text, tool, path, session, task, prompt, event, tool_use, importance, likeness,
    detail, repeatable, writer
) VALUES (
    :id, :place, :at, :kind, :provenance, :text, :tool, :path, :session, :task, :prompt, :event, :tool_use,
    :importance, :likeness, :detail, :repeatable, :writer
) ON CONFLICT DO NOTHING RETURNING seq

-- name: add_path
INSERT INTO observation_path (path, observation) VALUES (?, ?) ON CONFLICT DO NOTHING

-- name: paths_of
SELECT path FROM observation_path WHERE observation = :seq

-- name: delete
DELETE FROM observation WHERE seq = :seq

-- name: name_of
SELECT id, place FROM observation WHERE seq = :seq

-- name: is_here
SELECT 1 FROM observation WHERE id = :id AND place = :place

-- name: supersede
UPDATE observation SET superseded_by = :newer WHERE id = :older AND place = :place

-- name: supersede_imported
UPDATE observation SET superseded_by = :newer
WHERE id = :older AND place = :place AND superseded_by IS NULL AND (:own OR provenance IN ('tool', 'file', 'web'))

-- name: await_superseding
INSERT INTO awaited_superseding (place, older, newer, own) VALUES (:place, :older, :newer, :own) ON CONFLICT DO NOTHING

-- name: is_awaiting
SELECT 1 FROM awaited_superseding LIMIT 1

-- name: awaiting
SELECT older, newer, own FROM awaited_superseding WHERE place = :place AND older = :id
UNION
SELECT older, newer, own FROM awaited_superseding WHERE place = :place AND newer = :id

-- name: await_no_more
DELETE FROM awaited_superseding WHERE place = :place AND older = :older AND newer = :newer

-- What refers to an observation that is deleted.

-- name: supersedes_no_more
UPDATE observation SET superseded_by = NULL WHERE superseded_by = :id AND place = :place

-- name: unlink_from
DELETE FROM observation_link WHERE from_id = :id AND place = :place

-- name: unlink_to
DELETE FROM observation_link WHERE to_id = :id AND place = :place

-- name: await_none_for
DELETE FROM awaited_superseding WHERE older = :id AND place = :place

-- name: await_none_by
DELETE FROM awaited_superseding WHERE newer = :id AND place = :place

-- name: forget_awaited
DELETE FROM awaited_superseding WHERE place = :place

-- name: indexed
SELECT seq, text, detail, path FROM observation WHERE seq = :seq

-- name: all_indexed
SELECT seq, text, detail, path FROM observation ORDER BY seq

-- name: state
SELECT value FROM memory_state WHERE key = :key

-- name: set_state
INSERT INTO memory_state (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value

-- name: last_number
SELECT coalesce(max(seq), 0) FROM observation

-- name: numbers_in_place
SELECT seq FROM observation WHERE place = :place ORDER BY seq

-- name: older_than
SELECT seq FROM observation WHERE place = :place AND at < :before ORDER BY at LIMIT :limit

-- name: numbered_places
SELECT number, root FROM memory_place ORDER BY number

-- name: text_count
SELECT count(*) FROM observation

-- name: first_texts
SELECT text FROM observation ORDER BY seq LIMIT :limit

-- name: texts_after
SELECT seq, id, place, text FROM observation WHERE seq > :seq ORDER BY seq LIMIT :limit

-- name: named
SELECT {columns}, memory_place.project, memory_place.root
FROM observation {with_place}
WHERE observation.id = :id AND {here}

-- name: all
SELECT {columns}, memory_place.project, memory_place.root
FROM observation {with_place}
WHERE {here}
ORDER BY observation.seq

-- name: before
SELECT {columns}, memory_place.project, memory_place.root
FROM observation {with_place}
WHERE observation.place = :place AND observation.seq < :seq
  AND (:session IS NULL OR observation.session = :session)
ORDER BY observation.seq DESC LIMIT :limit

-- name: after
SELECT {columns}, memory_place.project, memory_place.root
FROM observation {with_place}
WHERE observation.place = :place AND observation.seq > :seq
  AND (:session IS NULL OR observation.session = :session)
ORDER BY observation.seq LIMIT :limit

-- name: superseded_by
SELECT id FROM observation WHERE superseded_by = :id AND place = :place ORDER BY seq

-- name: links_of
SELECT kind, side, id FROM (
    SELECT observation_link.kind, 'from' AS side, other.id, other.seq FROM observation_link
    JOIN observation AS other ON other.id = observation_link.to_id AND other.place = observation_link.place
    WHERE observation_link.place = :place AND from_id = :id
    UNION ALL
    SELECT observation_link.kind, 'to', other.id, other.seq FROM observation_link
    JOIN observation AS other ON other.id = observation_link.from_id AND other.place = observation_link.place
    WHERE observation_link.place = :place AND to_id = :id
) AS linked ORDER BY seq

-- name: counts
SELECT count(*), coalesce(min(at), 0), coalesce(max(at), 0), count(superseded_by) FROM observation {of_project}

-- name: kinds
SELECT kind, count(*) AS count FROM observation {of_project} GROUP BY kind ORDER BY count DESC, kind

-- name: link_kinds
SELECT observation_link.kind, count(*) FROM observation_link
JOIN observation ON observation.id = observation_link.from_id AND observation.place = observation_link.place
{of_project}
GROUP BY observation_link.kind ORDER BY observation_link.kind

-- What capture looks up.

-- name: seen_before
SELECT 1 FROM observation WHERE likeness = :likeness AND session = :session AND place = :place AND kind = :kind LIMIT 1

-- name: about_path
SELECT DISTINCT {columns}
FROM observation_path JOIN observation ON observation.seq = observation_path.observation
WHERE (observation_path.path = :path OR (observation_path.path >= :below AND observation_path.path < :above))
  AND observation.place = :place AND observation.superseded_by IS NULL AND observation.seq < :seq
ORDER BY observation.seq DESC LIMIT 500

-- name: gone_before
SELECT observation.id
FROM observation_path JOIN observation ON observation.seq = observation_path.observation
WHERE observation_path.path = :path AND observation.place = :place AND observation.kind = 'change'
  AND observation.superseded_by IS NULL AND observation.text LIKE 'deleted %'

-- name: said_again
UPDATE observation SET superseded_by = NULL
WHERE superseded_by = :id AND place = :place AND kind IN ('decision', 'note')

-- name: edits_since
SELECT id, path FROM observation
WHERE session = :session AND place = :place AND kind = 'edit' AND seq > :seq AND path != ''
ORDER BY seq DESC LIMIT 20

-- name: open_failures
SELECT id FROM observation
WHERE session = :session AND place = :place AND kind = 'failure' AND superseded_by IS NULL AND task = :task AND seq < :seq
ORDER BY seq DESC LIMIT 5

-- name: failures_by_key
SELECT observation.seq, observation.id, observation.text, observation.session, observation.path, failure_key.scope
FROM failure_key JOIN observation ON observation.seq = failure_key.observation
WHERE failure_key.place = :place AND failure_key.key = :key AND observation.superseded_by IS NULL
  AND observation.at <= :at
ORDER BY failure_key.observation LIMIT 50

-- name: add_key
INSERT INTO failure_key (place, key, observation, scope) VALUES (:place, :key, :seq, :scope) ON CONFLICT DO NOTHING

-- name: drop_keys
DELETE FROM failure_key WHERE observation = :seq

-- name: passes_by_key
UPDATE failure_key SET observation = :mended, key = 'passes ' || key WHERE observation = :failure

-- name: link
INSERT INTO observation_link (place, from_id, to_id, kind) VALUES (:place, :from_id, :to_id, :kind) ON CONFLICT DO NOTHING

-- name: links_from
SELECT count(*) FROM observation_link WHERE place = :place AND from_id = :from_id AND kind = :kind

-- name: heard_until
-- What comes later was not heard yet, even if it was taken in together with this.
seq <= coalesce((SELECT seq FROM event WHERE id = :until), 9223372036854775807)

-- name: answer_with
SELECT 1 FROM event WHERE project = :project AND session = :session AND tool != '' AND output LIKE :mark
    AND {heard_until}
    AND tool NOT IN ('Write', 'Edit', 'MultiEdit', 'NotebookEdit', 'TodoWrite') -- these say what they were given
LIMIT 1

-- What the hand-over and the start of a session read.

-- name: steps
SELECT id, at, name, tool, tool_kind, tool_use, verdict, input,
    CASE WHEN tool_kind IN ('shell', 'other', '') THEN output ELSE '' END
FROM event
WHERE project = :project AND session = :session AND at > :since
  AND name IN ('PreToolUse', 'PostToolUse', 'PostToolUseFailure')
  AND tool_kind IN ('write', 'edit', 'shell', 'other', '')
ORDER BY seq

-- name: goals
SELECT id, goal, state FROM task WHERE project = :project AND session = :session AND began > :since
ORDER BY began DESC LIMIT :limit

-- name: ongoing
-- Another repository may have been in the folder before: its sessions are not this one's.
SELECT id, last_at FROM session
WHERE project = :project AND ended_at IS NULL AND last_at > :since AND NOT EXISTS (
    SELECT 1 FROM event JOIN writer ON writer.number = event.writer
    WHERE event.project = session.project AND event.session = session.id AND writer.tree NOT IN ('', :tree, :alone)
)
ORDER BY last_at DESC LIMIT :limit

-- name: told_at_start
SELECT told FROM event
WHERE project = :project AND session = :session AND name = 'SessionStart' AND told != '[]' AND seq > (
    SELECT coalesce(max(seq), 0) FROM event
    WHERE project = :project AND session = :session AND name = 'PreCompact'
)

-- What repeats an observation: what models were told, and calls of hookd's own tools and commands.

-- name: told_events
SELECT id, told FROM event WHERE told != '[]'

-- name: change_told
UPDATE event SET told = :told WHERE id = :id

-- name: change_call
UPDATE event SET told = :told, input = :input, output = :output WHERE id = :id

-- name: facts_of
SELECT number, data FROM fact WHERE event = :id

-- name: change_fact
UPDATE fact SET data = :data WHERE event = :id AND number = :number

-- What is gone from the tables, until it is gone from every file as well.

-- name: forget_later
INSERT INTO forgotten (place, observation, event, root, how) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING

-- name: forgotten
SELECT place, observation, event, root, how FROM forgotten

-- name: forgotten_everywhere
DELETE FROM forgotten WHERE place = ? AND observation = ? AND event = ? AND root = ? AND how = ?

-- name: place_root
SELECT root FROM memory_place WHERE number = :place
