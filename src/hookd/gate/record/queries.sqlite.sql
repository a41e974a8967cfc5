-- name: stops
SELECT event.seq, event.id, event.at, event.session, event.name, event.tool, event.tool_use, event.input, fact.data
FROM event JOIN fact ON fact.event = event.id AND fact.kind = 'verdict'
WHERE event.project = :project AND event.at > :since
  AND json_extract(fact.data, '$.verdict') IN ('ask', 'deny')
ORDER BY event.seq DESC LIMIT :limit

-- name: last_stop
SELECT event.seq, event.at, event.session, event.name, event.tool, event.tool_use, event.input, event.verdict,
    event.decided_by, event.told, coalesce(fact.data, '{}') AS data
FROM event LEFT JOIN fact ON fact.event = event.id AND fact.kind = 'verdict'
WHERE event.project = :project
  AND (event.verdict IN ('ask', 'deny') OR json_extract(fact.data, '$.verdict') IN ('ask', 'deny'))
ORDER BY event.seq DESC LIMIT 1

-- name: calls_by_id
SELECT project, input FROM event WHERE id IN (SELECT value FROM json_each(?)) AND name = 'PreToolUse'
