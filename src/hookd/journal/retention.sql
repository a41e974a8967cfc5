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

-- name: forget_loose_events
DELETE FROM event WHERE id IN (
    SELECT id FROM event WHERE project = :project AND session = '' AND at < :before LIMIT :limit
)

-- name: forget_problems
DELETE FROM problem WHERE last_at < :before
