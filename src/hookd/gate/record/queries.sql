-- name: forget_example
UPDATE learned_rule SET words = :words, example = '' WHERE project = :project AND example = :example

-- name: learned_number
SELECT id FROM learned_rule WHERE project = :project AND rule = :rule AND shape = :shape

-- name: is_learned_number
SELECT 1 FROM learned_rule WHERE id = ?

-- name: add_learned
INSERT INTO learned_rule (id, project, rule, shape, words, example, severity, first_at, last_at)
VALUES (:number, :project, :rule, :shape, :words, :example, :severity, :at, :at)
ON CONFLICT (project, rule, shape) DO UPDATE SET
    first_at = CASE WHEN excluded.first_at < learned_rule.first_at THEN excluded.first_at ELSE learned_rule.first_at END,
    last_at = CASE WHEN excluded.last_at > learned_rule.last_at THEN excluded.last_at ELSE learned_rule.last_at END,
    words = excluded.words, example = excluded.example, severity = excluded.severity
RETURNING id

-- name: add_evidence
INSERT INTO learned_evidence (call, learned, at, session, decision) VALUES (:call, :learned, :at, :session, :decision)
ON CONFLICT (call) DO UPDATE SET decision = excluded.decision

-- name: learned
SELECT id, rule, shape, words, example, severity, first_at, last_at, revoked_at,
    (SELECT count(*) FROM learned_evidence e
     WHERE e.learned = learned_rule.id AND e.at > revoked_at AND e.decision = 'approved') AS approvals,
    (SELECT count(*) FROM learned_evidence e
     WHERE e.learned = learned_rule.id AND e.at > revoked_at AND e.decision = 'refused') AS refusals
FROM learned_rule WHERE project = :project AND words != '' ORDER BY last_at DESC -- else only its end is known

-- name: evidence
SELECT at, session, decision FROM learned_evidence WHERE learned = :learned ORDER BY at

-- name: people
SELECT decision, count(*) AS count FROM learned_evidence e JOIN learned_rule ON learned_rule.id = e.learned
WHERE project = :project AND e.at > :since GROUP BY decision

-- name: revoke_learned
-- It may be taken in before what it revokes.
INSERT INTO learned_rule (id, project, rule, shape, words, example, severity, first_at, last_at, revoked_at)
VALUES (:number, :project, :rule, :shape, '', '', '', :at, :at, :at)
ON CONFLICT (project, rule, shape) DO UPDATE SET
    revoked_at = CASE WHEN excluded.revoked_at > learned_rule.revoked_at THEN excluded.revoked_at
        ELSE learned_rule.revoked_at END

-- name: forget_old_learned
DELETE FROM learned_rule WHERE last_at < :before

-- name: forget_learned
DELETE FROM learned_rule WHERE project = :project

-- name: calls
SELECT event.seq, event.at, event.session, event.name, event.tool, event.tool_use, event.input,
    coalesce(fact.data, '{"verdict": "none"}') AS data
FROM event LEFT JOIN fact ON fact.event = event.id AND fact.kind = 'verdict'
WHERE event.project = :project AND event.session = :session AND event.name IN ('PreToolUse', 'PermissionRequest')
ORDER BY event.seq

-- name: verdicts
SELECT event.seq, event.at, event.session, event.name, event.tool, event.tool_use, event.input, fact.data,
    EXISTS (
        SELECT 1 FROM event later WHERE later.tool_use = event.tool_use AND later.tool_use != ''
        AND later.project = event.project AND later.name IN ('PostToolUse', 'PostToolUseFailure')
    ) AS ran
FROM event JOIN fact ON fact.event = event.id AND fact.kind = 'verdict'
WHERE event.project = :project AND event.at > :since AND event.name = 'PreToolUse'
ORDER BY event.seq
