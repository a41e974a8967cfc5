-- name: latest
SELECT id, state FROM task WHERE project = :project AND session = :session
ORDER BY began DESC, id DESC LIMIT 1

-- name: latest_prompt
SELECT event FROM task_prompt WHERE project = :project AND session = :session
ORDER BY at DESC, event DESC LIMIT 1

-- name: add_prompt
INSERT INTO task_prompt (event, project, session, at, task, kind)
VALUES (:event, :project, :session, :at, :task, :kind) ON CONFLICT DO NOTHING

-- name: known_prompt
SELECT 1 FROM task_prompt WHERE event = ?

-- name: add_task
INSERT INTO task (id, project, session, began, ended, goal, state)
VALUES (:event, :project, :session, :at, NULL, :goal, 'open') ON CONFLICT DO NOTHING

-- name: close
UPDATE task SET state = :state, ended = :at
WHERE project = :project AND session = :session AND state = 'open' AND began <= :at

-- name: reopen
UPDATE task SET state = 'open', ended = NULL WHERE id = :task
