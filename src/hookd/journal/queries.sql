-- name: add_project
INSERT INTO project (key, root, first_seen) VALUES (:key, :root, :at) ON CONFLICT DO NOTHING

-- name: add_event
INSERT INTO event (
    id, project, session, at, agent, name, tool, tool_use, subagent, detail, verdict, decided_by, hooks, ms, via,
    turn, input, output, told, tool_kind, hook_calls, writer
) VALUES (
    :id, :project, :session, :at, :agent, :event, :tool, :tool_use, :subagent, :detail, :verdict, :by,
    :hooks, :ms, :via, :turn, :input, :output, :told, :kind, :hook_calls, :writer
) ON CONFLICT DO NOTHING

-- name: writer
SELECT number FROM writer
WHERE checkout = :checkout AND tree = :tree AND project = :project AND machine = :machine AND "user" = :user

-- name: next_writer
SELECT coalesce(max(number), 0) + 1 FROM writer

-- name: add_writer
INSERT INTO writer (number, project, checkout, tree, machine, "user")
VALUES (:number, :project, :checkout, :tree, :machine, :user)

-- name: hooks
SELECT number, name FROM hook WHERE project = :project

-- name: add_hook
INSERT INTO hook (project, number, name) VALUES (:project, :number, :name)

-- name: hook_calls
SELECT at, hook_calls FROM event
WHERE project = :project AND at > :since AND hook_calls != ''
    AND session IN (SELECT id FROM session WHERE project = :project AND last_at > :since UNION ALL SELECT '')
ORDER BY at

-- name: add_fact
INSERT INTO fact (event, number, kind, data) VALUES (:event, :number, :kind, :data) ON CONFLICT DO NOTHING

-- name: touch_session
INSERT INTO session (id, project, agent, started_at, last_at, turns, run)
VALUES (:session, :project, :agent, :at, :at, :turn, :run)
ON CONFLICT (project, id) DO UPDATE SET
    started_at = CASE WHEN excluded.started_at < session.started_at THEN excluded.started_at ELSE session.started_at END,
    last_at = CASE WHEN excluded.last_at > session.last_at THEN excluded.last_at ELSE session.last_at END,
    turns = CASE WHEN excluded.turns > session.turns THEN excluded.turns ELSE session.turns END,
    ended_at = CASE WHEN excluded.last_at > session.ended_at THEN NULL ELSE session.ended_at END

-- name: end_session
UPDATE session SET ended_at = :at, end_reason = :detail WHERE project = :project AND id = :session

-- name: session
SELECT id, project, agent, started_at, last_at, ended_at, end_reason, turns, run
FROM session WHERE project = :project AND id = :session

-- name: sessions
SELECT id, project, agent, started_at, last_at, ended_at, end_reason, turns, run
FROM session WHERE project = :project ORDER BY last_at DESC LIMIT :limit

-- name: session_counts
SELECT name, tool, verdict, count(*) AS count FROM event
WHERE project = :project AND session = :session GROUP BY name, tool, verdict ORDER BY name, tool, verdict

-- name: session_facts
SELECT fact.event, fact.kind, fact.data FROM event JOIN fact ON fact.event = event.id
WHERE event.project = :project AND event.session = :session ORDER BY event.seq, fact.number

-- name: session_verdicts
SELECT verdict, decided_by, count(*) AS count FROM event
WHERE project = :project AND session = :session AND verdict != '' GROUP BY verdict, decided_by ORDER BY verdict, decided_by

-- name: session_events
SELECT event.id, event.seq, event.project, session, at, agent, name, tool, tool_kind, tool_use, subagent, detail, verdict,
    decided_by, hooks, ms, via, turn, input, output, told, hook_calls, coalesce(machine, '') AS machine,
    coalesce(writer."user", '') AS "user"
FROM event LEFT JOIN writer ON writer.number = event.writer
WHERE event.project = :project AND session = :session ORDER BY seq

-- name: last_input
SELECT input FROM event
WHERE project = :project AND session = :session AND name = :name ORDER BY seq DESC LIMIT 1

-- name: first_input
SELECT input FROM event
WHERE project = :project AND session = :session AND name = :name ORDER BY seq LIMIT 1

-- name: began
SELECT at, input FROM event
WHERE tool_use = :tool_use AND tool_use != '' AND name = 'PreToolUse'
    AND project = :project AND session = :session LIMIT 1

-- name: event_count
SELECT count(*) FROM event WHERE project = :project

-- name: count_problem
INSERT INTO counted_problem (project, id, at) VALUES (:project, :id, :at) ON CONFLICT DO NOTHING

-- name: add_problem
INSERT INTO problem (project, kind, what, first_at, last_at, count)
VALUES (:project, :kind, :what, :at, :at, 1)
ON CONFLICT (project, kind, what) DO UPDATE SET
    count = problem.count + 1,
    last_at = CASE WHEN excluded.last_at > problem.last_at THEN excluded.last_at ELSE problem.last_at END

-- name: add_cost
INSERT INTO cost (id, project, session, at, by_whom, model, input, output, usd)
VALUES (:id, :project, :session, :at, :by, :model, :input, :output, :usd) ON CONFLICT DO NOTHING

-- name: spent
SELECT count(*), coalesce(sum(usd), 0), count(*) - count(usd) FROM cost
WHERE project = :project AND at > :since AND by_whom = :by

-- name: problems
SELECT kind, what, first_at, last_at, count FROM problem
WHERE project = :project AND last_at > :since AND kind != :well ORDER BY last_at DESC LIMIT :limit

-- name: well
SELECT what, last_at FROM problem WHERE project = :project AND last_at > :since AND kind = :well

-- name: last_answers
SELECT name, max(at) FROM event
WHERE project = :project AND at > :since
    AND session IN (SELECT id FROM session WHERE project = :project AND last_at > :since UNION ALL SELECT '')
GROUP BY name

-- name: last_message
SELECT max(at) FROM event JOIN fact ON fact.event = event.id
WHERE project = :project AND at > :since AND kind = :kind
    AND session IN (SELECT id FROM session WHERE project = :project AND last_at > :since)

-- name: last_cost
SELECT max(at) FROM cost WHERE project = :project AND at > :since AND by_whom = 'hookd'

-- name: set_position
INSERT INTO segment (project, name, position) VALUES (:project, :name, :position)
ON CONFLICT (project, name) DO UPDATE SET position = excluded.position

-- name: positions
SELECT name, position FROM segment WHERE project = :project

-- name: drop_position
DELETE FROM segment WHERE project = :project AND name = :name

-- name: forget_project
DELETE FROM project WHERE key = :project

-- name: forget_writers
DELETE FROM writer WHERE checkout = :project

-- name: forget_segments
DELETE FROM segment WHERE project = :project

-- name: last_heard
SELECT max(at) FROM (
    SELECT max(started_at) AS at FROM session WHERE started_at <= :until
    UNION ALL
    SELECT max(last_at) FROM session WHERE last_at <= :until
) AS heard

-- name: old_sessions
SELECT project, id FROM session WHERE last_at < :before LIMIT :limit

-- name: forget_session_events
DELETE FROM event WHERE id IN (
    SELECT id FROM event WHERE project = :project AND session = :session LIMIT :limit
)

-- name: forget_session
DELETE FROM session WHERE project = :project AND id = :session

-- name: projects
SELECT key FROM project

-- name: project_roots
SELECT root FROM project

-- name: forget_loose_events
DELETE FROM event WHERE id IN (
    SELECT id FROM event WHERE project = :project AND session = '' AND at < :before LIMIT :limit
)

-- name: forget_problems
DELETE FROM problem WHERE last_at < :before

-- name: forget_counted_problems
DELETE FROM counted_problem WHERE at < :before

-- What was forgotten: the records' ids come as a JSON array. Another machine's word counts for its own records.

-- name: any_forgotten
SELECT 1 FROM forgotten_record LIMIT 1

-- name: forgotten_from
SELECT id FROM forgotten_record WHERE machine = :machine AND id >= :start AND id < :end

-- name: add_forgotten
INSERT INTO forgotten_record (machine, id) VALUES (:machine, :id) ON CONFLICT DO NOTHING
