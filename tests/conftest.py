"""What holds for all tests."""

from __future__ import annotations

import gc

from hypothesis import HealthCheck, settings

# Property tests draw the same examples in every run, so that a red build means a changed program; a slow machine is no failure.
settings.register_profile("repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("repeatable")


def pytest_runtest_teardown() -> None:
    """A command line that a test runs in this process turns the collector off for itself; the tests after it would pile up trees."""
    gc.enable()
