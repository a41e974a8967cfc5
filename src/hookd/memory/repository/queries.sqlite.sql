-- name: add_words
INSERT INTO observation_word (rowid, words) VALUES (?, ?)

-- name: remove_words
INSERT INTO observation_word (observation_word, rowid, words) VALUES ('delete', :seq, :words)

-- name: remove_all_words
INSERT INTO observation_word (observation_word) VALUES ('delete-all')

-- name: merge_words
INSERT INTO observation_word (observation_word) VALUES ('optimize')

-- name: totals
SELECT block FROM observation_word_data WHERE id = 1

-- name: count_up_to
SELECT count(*), max(rowid) FROM (SELECT rowid FROM observation_word WHERE observation_word MATCH :match LIMIT :limit)

-- name: folders_of
-- Where another place has been as well, the events are not of these alone.
SELECT DISTINCT root FROM memory_checkout
WHERE place IN (SELECT value FROM json_each(:numbers)) AND project NOT IN (
    SELECT project FROM memory_checkout WHERE place NOT IN (SELECT value FROM json_each(:numbers))
)
ORDER BY root

-- name: roots_of
SELECT DISTINCT root FROM memory_place WHERE number IN (SELECT value FROM json_each(:numbers)) ORDER BY root

-- name: filters
{here}
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

-- name: best_by_words
SELECT {columns}, memory_place.project, memory_place.root
FROM observation_word
JOIN observation ON observation.seq = observation_word.rowid
{with_place}
WHERE observation_word MATCH :match AND {filters}
ORDER BY observation_word.rank LIMIT :limit

-- name: newest_by_words
SELECT {columns}, memory_place.project, memory_place.root
FROM (
    SELECT rowid AS number FROM observation_word WHERE observation_word MATCH :match ORDER BY rowid DESC LIMIT :rows
) AS matched
JOIN observation ON observation.seq = matched.number
{with_place}
WHERE {filters}
ORDER BY observation.seq DESC LIMIT :limit

-- name: by_names
SELECT {columns}, memory_place.project, memory_place.root
FROM json_each(:names) AS name
JOIN observation ON observation.id = json_extract(name.value, '$[0]')
    AND observation.place = json_extract(name.value, '$[1]')
{with_place}
WHERE {filters}

-- name: names_of
SELECT seq, id, place FROM observation WHERE seq IN (SELECT value FROM json_each(:numbers))

-- name: newest
SELECT {columns}, memory_place.project, memory_place.root
FROM observation {with_place}
WHERE {filters}
ORDER BY observation.seq DESC LIMIT :limit

-- name: numbers
SELECT observation.seq FROM observation {with_place} WHERE {filters}

-- name: names_in_place
SELECT id FROM observation INDEXED BY observation_by_id
WHERE place = :place AND id IN (SELECT value FROM json_each(:names))

-- name: ids_in_place
SELECT id FROM observation INDEXED BY observation_by_id
WHERE id >= :start AND id < :end AND place IN (
    SELECT number FROM memory_place WHERE number = :place
        OR (identity != '' AND identity = (SELECT identity FROM memory_place WHERE number = :place))
) LIMIT 2

-- name: ids_beginning_with
SELECT DISTINCT observation.id FROM observation INDEXED BY observation_by_id
JOIN memory_place ON memory_place.number = observation.place
WHERE observation.id >= :start AND observation.id < :end AND {here}
LIMIT 5

-- What capture looks up.

-- name: said_with
SELECT id, provenance, text FROM observation
WHERE place = :place AND kind IN ('decision', 'note') AND superseded_by IS NULL AND seq < :seq
  AND instr(lower(text), :word) > 0
ORDER BY seq DESC LIMIT 500

-- name: replaced_with
SELECT newer.id, newer.provenance, old.text FROM observation AS old
JOIN observation AS newer ON newer.id = old.superseded_by AND newer.place = old.place
WHERE old.place = :place AND old.kind IN ('decision', 'note') AND old.seq < :seq AND newer.seq < :seq
  AND newer.kind IN ('decision', 'note') AND newer.superseded_by IS NULL
  AND instr(lower(old.text), :word) > 0
ORDER BY old.seq DESC LIMIT 500

-- name: naming
SELECT {columns} FROM observation
WHERE place = :place AND kind IN ('decision', 'note') AND superseded_by IS NULL AND seq < :seq AND path = ''
  AND instr(text, :word) > 0
ORDER BY seq DESC LIMIT 100

-- name: tool_texts
SELECT output, input FROM event WHERE project = :project AND session = :session AND tool != '' AND {heard_until}
    AND tool NOT IN ('TodoWrite', 'TaskCreate', 'TaskUpdate', 'TaskList') -- the agent's own notes
    -- Signs that look like letters, or are not seen, hide a word from LIKE.
    AND (length(CAST(output AS BLOB)) != length(output) OR length(CAST(input AS BLOB)) != length(input) OR {has_run})
ORDER BY seq DESC LIMIT :limit

-- What the hand-over and the start of a session read.

-- name: standing
SELECT {columns} FROM observation INDEXED BY observation_standing
WHERE place = :place AND kind = :kind
  AND repeatable = 1 AND superseded_by IS NULL AND provenance NOT IN ('tool', 'file', 'web')
  AND at > :since AND importance >= :important
ORDER BY seq DESC LIMIT :limit

-- name: said
SELECT {columns} FROM observation INDEXED BY observation_by_session
WHERE place = :place AND kind = :kind
  AND session = :session AND session != ''
  AND repeatable = 1 AND superseded_by IS NULL AND provenance NOT IN ('tool', 'file', 'web')
ORDER BY seq DESC LIMIT :limit

-- name: summaries
SELECT {columns} FROM observation INDEXED BY observation_standing
WHERE place = :place AND kind = 'summary'
  AND repeatable = 1 AND superseded_by IS NULL AND provenance = 'hookd'
ORDER BY seq DESC LIMIT :limit

-- name: by_id
SELECT {columns} FROM observation INDEXED BY observation_by_id
WHERE id IN (:id, :beginning) AND place = :place

-- name: prose
SELECT text FROM observation INDEXED BY observation_by_session
WHERE place = :place AND kind = 'summary'
  AND session = :session AND session != '' AND provenance = 'agent'

-- What is forgotten: the numbers come as a JSON array.

-- name: sessions_of
-- A session's events are under the key of the folder that it was in, and its files where that is now.
SELECT DISTINCT coalesce((
        SELECT session.project FROM memory_checkout JOIN session ON session.project = memory_checkout.project
        WHERE memory_checkout.place = observation.place AND session.id = observation.session LIMIT 1
    ), memory_place.project), memory_place.root, memory_place.identity, memory_place.tree, observation.session
FROM observation {with_place}
WHERE observation.seq IN (SELECT value FROM json_each(:numbers))

-- name: sessions_told
-- Where something was cut out before, the line may have told of these as well.
SELECT DISTINCT session FROM event
WHERE session != '' AND (id IN (SELECT value FROM json_each(:ids)) OR told LIKE :forgotten)

-- name: to_forget
-- In the order of their sessions: each session's summary is made again as seldom as can be.
SELECT observation.seq, observation.place, observation.id, memory_place.tree, memory_place.root, observation.session,
    observation.superseded_by, observation.text, observation.detail, observation.kind, observation.at
FROM observation {with_place}
WHERE observation.seq IN (SELECT value FROM json_each(:numbers))
ORDER BY observation.place, observation.session, observation.seq

-- name: made_from
-- A call's input is in the event before the one that an observation was made from.
SELECT seq, CASE WHEN event = '' THEN id ELSE event END FROM observation
WHERE seq IN (SELECT value FROM json_each(:numbers))
UNION
SELECT observation.seq, other.id FROM observation
JOIN event AS its ON its.id = observation.event
JOIN event AS other ON other.tool_use = its.tool_use AND other.tool_use != ''
    AND other.session = its.session AND other.project = its.project
WHERE observation.seq IN (SELECT value FROM json_each(:numbers))

-- name: prompts_of
-- A summary tells what the person asked for.
SELECT observation.seq, task_prompt.event FROM observation
JOIN task_prompt ON task_prompt.session = observation.session
    AND task_prompt.project IN (SELECT project FROM memory_checkout WHERE memory_checkout.place = observation.place)
WHERE observation.seq IN (SELECT value FROM json_each(:numbers)) AND observation.kind = 'summary' AND observation.session != ''

-- name: related
-- What stands for an observation, or what it stands for.
SELECT seq, text, event FROM observation
WHERE place = :place AND (superseded_by = :id OR id = :newer) AND id != :id

-- name: observed_events
SELECT DISTINCT event FROM observation WHERE event IN (SELECT value FROM json_each(:ids))

-- name: made_of_calls
SELECT seq, text, detail FROM observation WHERE event IN (SELECT value FROM json_each(:ids))

-- name: forgotten_numbers
SELECT seq FROM observation INDEXED BY observation_by_id
WHERE place = :place AND id IN (SELECT value FROM json_each(:names))
  AND (kind = 'summary' OR event IN (SELECT value FROM json_each(:records)) OR id IN (SELECT value FROM json_each(:records)))

-- name: texts_of
SELECT id, text, detail FROM observation WHERE seq IN (SELECT value FROM json_each(:numbers))

-- name: recorded
SELECT id, tool_use, session, told, input, output FROM event WHERE id IN (SELECT value FROM json_each(:ids))

-- name: may_repeat
SELECT id, session, tool_use, input, output FROM event
WHERE (tool_kind = 'mcp' AND tool LIKE '%hookd%')
    OR (:shell AND tool_use != '' AND tool_use IN (
        SELECT call.tool_use FROM event AS call WHERE call.tool_use != '' AND call.input LIKE '%hookd%'
    ))
    OR (:shell AND tool_use = '' AND tool != '' AND input LIKE '%hookd%')

-- name: said_beside
-- What an agent sends of a prompt, a call or its own words beside the event that has it.
SELECT id, session, tool_use, input, output FROM event
WHERE name IN (
        'PostCompact', 'PermissionRequest', 'UserPromptExpansion', 'Stop', 'StopFailure', 'SubagentStop'
    )
    AND session IN (SELECT value FROM json_each(:sessions))

-- name: folders_of_events
-- The folder may have moved since.
SELECT event.id, project.root FROM event JOIN project ON project.key = event.project
WHERE event.id IN (SELECT value FROM json_each(:ids))
UNION
SELECT event.id, memory_place.root FROM event
JOIN memory_checkout ON memory_checkout.project = event.project
JOIN memory_place ON memory_place.number = memory_checkout.place
WHERE event.id IN (SELECT value FROM json_each(:ids))

-- name: runs_of
SELECT DISTINCT session.run FROM session
JOIN memory_checkout ON memory_checkout.project = session.project AND memory_checkout.place = :place
WHERE session.id IN (SELECT value FROM json_each(:sessions)) AND session.run != ''

-- name: alike
SELECT DISTINCT other.id FROM observation AS one
JOIN observation AS other ON other.likeness = one.likeness AND other.kind = one.kind AND other.place = one.place
WHERE one.seq IN (SELECT value FROM json_each(:numbers)) AND other.seq NOT IN (SELECT value FROM json_each(:numbers))
ORDER BY other.seq LIMIT 20
