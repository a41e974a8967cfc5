-- name: steps
SELECT name, tool, tool_kind, tool_use, verdict, input,
    CASE WHEN tool_kind IN ('shell', 'other', '') THEN output ELSE '' END AS output
FROM event
WHERE project = :project AND session = :session
  AND name IN ('PreToolUse', 'PostToolUse', 'PostToolUseFailure')
  AND tool_kind IN ('write', 'edit', 'shell', 'other', '')
ORDER BY seq

-- name: session
SELECT * FROM session WHERE project = :project AND id = :session

-- name: going_on
SELECT id, last_at FROM session
WHERE project = :project AND ended_at IS NULL AND last_at > :since ORDER BY last_at DESC LIMIT :limit

-- name: said
SELECT * FROM observation INDEXED BY observation_by_session
WHERE place = (SELECT number FROM memory_place WHERE project = :project) AND kind = :kind
  AND session = :session AND session != ''
  AND repeatable = 1 AND superseded_by IS NULL AND provenance NOT IN ('tool', 'file', 'web')
ORDER BY seq DESC LIMIT :limit

-- name: summaries
SELECT * FROM observation INDEXED BY observation_standing
WHERE place = (SELECT number FROM memory_place WHERE project = :project) AND kind = 'summary'
  AND repeatable = 1 AND superseded_by IS NULL AND provenance = 'hookd'
ORDER BY seq DESC LIMIT :limit

-- name: by_name
SELECT * FROM observation INDEXED BY observation_by_id
WHERE id = :id AND place = (SELECT number FROM memory_place WHERE project = :project)

-- name: goals
SELECT goal, state FROM task WHERE project = :project AND session = :session ORDER BY began DESC LIMIT :limit

-- name: prose
SELECT text FROM observation INDEXED BY observation_by_session
WHERE place = (SELECT number FROM memory_place WHERE project = :project) AND kind = 'summary'
  AND session = :session AND session != '' AND provenance = 'agent'
