"""A plugin of pytest: notes in the report of each test whether it called an accelerated class, and where the calls ran."""

import logging

import pytest


class _Calls(logging.Handler):
    def __init__(self):
        super().__init__()
        self.places = set()

    def emit(self, record):
        text = record.getMessage()
        self.places.add("own" if "own code (" in text else "engine")


_calls = _Calls()
logging.getLogger("orthant.accel").addHandler(_calls)
logging.getLogger("orthant.accel").setLevel(logging.INFO)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    _calls.places.clear()
    yield


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    if call.when == "call" or call.excinfo is not None:
        item.user_properties.append(("accel", "+".join(sorted(_calls.places)) or "none"))
    yield
