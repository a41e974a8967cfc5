"""How Hypothesis works here."""

from hypothesis import HealthCheck, settings

# A busy machine is not a slow program: how long one example takes says nothing.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")
