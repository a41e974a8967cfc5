-- name: stops
SELECT event.seq, event.id, event.at, event.session, event.name, event.tool, event.tool_use, event.input, fact.data
FROM event JOIN fact ON fact.event = event.id AND fact.kind = 'verdict'
WHERE event.project = :project AND event.at > :since
  AND json_extract(fact.data, '$.verdict') IN ('ask', 'deny')
ORDER BY event.seq DESC LIMIT :limit

-- name: decisions
-- What the agent was told counts; where it was told nothing or to go on, what the gate would have been against. An
-- agent's dialog is about a call that was judged before, so it is told only where it ended otherwise.
SELECT * FROM (
    SELECT event.seq, event.at, event.session, event.name, event.tool, event.tool_use, event.input, event.verdict,
        event.decided_by, event.told, coalesce(fact.data, '{}') AS data,
        CASE WHEN event.verdict IN ('ask', 'deny', 'defer') THEN event.verdict
            WHEN json_extract(fact.data, '$.verdict') IN ('ask', 'deny') THEN json_extract(fact.data, '$.verdict')
            WHEN event.verdict != '' THEN event.verdict
            ELSE coalesce(json_extract(fact.data, '$.verdict'), '') END AS said
    FROM event LEFT JOIN fact ON fact.event = event.id AND fact.kind = 'verdict'
    WHERE event.project = :project AND (event.verdict != '' OR fact.data IS NOT NULL)
      AND (event.name != 'PermissionRequest' OR event.verdict = 'deny')
)
WHERE said IN (SELECT value FROM json_each(:verdicts)) ORDER BY seq DESC LIMIT :limit

-- name: calls_by_id
SELECT project, input FROM event WHERE id IN (SELECT value FROM json_each(?)) AND name = 'PreToolUse'
