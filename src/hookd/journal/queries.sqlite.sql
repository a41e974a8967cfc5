-- name: session_told
SELECT
    json_extract(value, '$.tokens') AS tokens,
    json_extract(value, '$.key') AS key,
    json_extract(value, '$.importance') AS importance
FROM event, json_each(event.told)
WHERE project = :project AND session = :session AND told != '[]' AND json_extract(value, '$.what') = 'context'

-- What was forgotten.

-- name: forgotten_among
SELECT id FROM forgotten_record WHERE machine = :machine AND id IN (SELECT value FROM json_each(:ids))

-- name: events_among
SELECT id FROM event WHERE id IN (SELECT value FROM json_each(:ids))
  AND (:machine = '' OR writer IN (SELECT number FROM writer WHERE writer.machine = :machine))

-- name: delete_events
DELETE FROM event WHERE id IN (SELECT value FROM json_each(:ids))
