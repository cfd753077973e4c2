"""A plugin of pytest: replaces the classes of the library $ACCEL_LIBRARY alone, and notes in the report of each test where accelerated calls ran.

The classes of other libraries stay as they are, since the tests compare with them.
"""

import logging
import os

import pytest

import orthant.accel
from orthant.accel._patching import OTHERS

orthant.accel.unpatch()  # ORTHANT_ACCEL has replaced all of them
if os.environ.get("ACCEL_LIBRARY"):
    orthant.accel.patch([name for name in OTHERS if name.partition(".")[0] == os.environ["ACCEL_LIBRARY"]])


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
