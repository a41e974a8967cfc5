-- name: standing
SELECT * FROM observation INDEXED BY observation_standing
WHERE place = (SELECT number FROM memory_place WHERE project = :project) AND kind = :kind
  AND repeatable = 1 AND superseded_by IS NULL AND provenance NOT IN ('tool', 'file', 'web')
  AND at > :since AND importance >= :important
ORDER BY seq DESC LIMIT :limit

-- name: told
SELECT told FROM event
WHERE project = :project AND session = :session AND name = 'SessionStart' AND told != '[]' AND seq > (
    SELECT coalesce(max(seq), 0) FROM event
    WHERE project = :project AND session = :session AND name = 'PreCompact'
)
