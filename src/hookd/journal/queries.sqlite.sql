-- name: session_told
SELECT
    json_extract(value, '$.tokens') AS tokens,
    json_extract(value, '$.key') AS key,
    json_extract(value, '$.importance') AS importance
FROM event, json_each(event.told)
WHERE project = :project AND session = :session AND told != '[]' AND json_extract(value, '$.what') = 'context'
