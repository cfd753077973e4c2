"""The environment variables $ORTHANT_ACCEL and $ORTHANT_ACCEL_LOG. Both are read at each call."""

import logging
import os
import sys

ON, STRICT, OFF = "on", "strict", "off"

_MODES = {"": ON, "1": ON, "on": ON, "true": ON, "strict": STRICT, "0": OFF, "off": OFF, "false": OFF}

logger = logging.getLogger("orthant.accel")


def mode():
    """Returns ON, STRICT (a library's own numerical code is an error) or OFF (it alone runs)."""
    given = os.environ.get("ORTHANT_ACCEL", "").strip().lower()
    try:
        return _MODES[given]
    except KeyError:
        raise ValueError(f"ORTHANT_ACCEL is {given!r}; give 1, strict or off") from None


def asked():
    """Reports whether the environment asks to replace classes as soon as orthant is imported."""
    return bool(os.environ.get("ORTHANT_ACCEL")) and mode() != OFF


class _Stderr(logging.StreamHandler):
    """Writes to the current sys.stderr."""

    def emit(self, record):
        self.stream = sys.stderr
        super().emit(record)


def log(text):
    """Sends text to the logger "orthant.accel", and to standard error with ORTHANT_ACCEL_LOG=info."""
    level = os.environ.get("ORTHANT_ACCEL_LOG", "").strip().lower()
    if level not in ("", "info", "off", "0"):
        raise ValueError(f"ORTHANT_ACCEL_LOG is {level!r}; give info or off")
    if level == "info" and not any(isinstance(handler, _Stderr) for handler in logger.handlers):
        handler = _Stderr()
        handler.setFormatter(logging.Formatter("orthant.accel: %(message)s"))
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    logger.info("%s", text)
