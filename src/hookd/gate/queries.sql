-- name: stops
SELECT event.seq, event.id, event.at, event.session, event.name, event.tool, event.tool_use, event.input, fact.data
FROM event JOIN fact ON fact.event = event.id AND fact.kind = 'verdict'
WHERE event.project = :project AND event.at > :since
  AND json_extract(fact.data, '$.verdict') IN ('ask', 'deny')
ORDER BY event.seq DESC LIMIT :limit
