"""What a daemon counts in its memory."""

from hookd.daemon.metrics import Meter, Metrics


def test_a_meter_counts_and_ranks() -> None:
    meter = Meter()
    assert meter.report() == {
        "calls": 0,
        "errors": 0,
        "p50_ms": None,
        "p95_ms": None,
        "p99_ms": None,
        "last": None,
    }
    for number in range(1, 101):
        meter.add(float(number), error=number % 10 == 0)
    report = meter.report()
    assert (report["calls"], report["errors"]) == (100, 10)
    assert (report["p50_ms"], report["p95_ms"], report["p99_ms"]) == (51.0, 96.0, 100.0)
    assert report["last"] > 0


def test_a_meter_forgets_old_times_but_not_how_many_there_were() -> None:
    meter = Meter()
    for _ in range(1000):
        meter.add(1000.0, error=False)
    for _ in range(1000):
        meter.add(1.0, error=False)
    assert (meter.report()["calls"], meter.report()["p99_ms"]) == (2000, 1.0)


def test_events_are_counted_with_their_errors() -> None:
    metrics = Metrics()
    metrics.event("Stop", 1.0)
    metrics.event("Stop", 2.0, error=True)
    assert {name: (m["calls"], m["errors"]) for name, m in metrics.report_events().items()} == {
        "Stop": (2, 1)
    }
