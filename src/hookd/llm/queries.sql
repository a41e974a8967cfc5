-- name: answer
SELECT verdict, confidence, reason, until FROM model_answer
WHERE key = :key AND at <= :now AND at > :since AND until > :now

-- name: add_answer
INSERT INTO model_answer (key, at, until, model, verdict, confidence, reason)
VALUES (:key, :now, :until, :model, :verdict, :confidence, :reason)
ON CONFLICT (key) DO UPDATE SET
    at = excluded.at, until = excluded.until, model = excluded.model,
    verdict = excluded.verdict, confidence = excluded.confidence, reason = excluded.reason

-- name: spent
SELECT calls, usd FROM model_budget WHERE session = :session

-- name: spend
INSERT INTO model_budget (session, last_at, calls, usd)
VALUES (
    :session, :now, CASE WHEN :calls > 0 THEN :calls ELSE 0 END, CASE WHEN :usd > 0 THEN :usd ELSE 0 END
) ON CONFLICT (session) DO UPDATE SET
    last_at = excluded.last_at,
    calls = CASE WHEN model_budget.calls + :calls > 0 THEN model_budget.calls + :calls ELSE 0 END,
    usd = CASE WHEN model_budget.usd + :usd > 0 THEN model_budget.usd + :usd ELSE 0 END

-- name: forget_answers
DELETE FROM model_answer WHERE until <= :now OR at > :now

-- name: forget_budgets
-- As journal/age.py counts: not from now, which a clock that jumped has wrong, but from what is a day past.
DELETE FROM model_budget
WHERE last_at < (SELECT max(last_at) FROM model_budget WHERE last_at <= :yesterday) - :seconds

-- name: forget_all_answers
DELETE FROM model_answer
