"""orthant.accel in the workers of pools: an estimator made in a patched process runs on the engine there too."""

import importlib.util
import json
import os
import subprocess
import sys
import unittest

try:
    import sklearn  # noqa: F401
except ImportError:
    raise unittest.SkipTest("scikit-learn is not there") from None

import orthant

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "accel_pools.py")


def ran(*pools, **given):
    """Returns (status, where the fits ran by the name of the pool, the standard error)."""
    path = os.path.dirname(os.path.dirname(os.path.abspath(orthant.__file__)))
    environment = {**os.environ, "PYTHONPATH": path, "ORTHANT_ACCEL": "", "ORTHANT_ACCEL_LOG": "", "PYTHONWARNINGS": "ignore", **given}
    found = subprocess.run([sys.executable, SCRIPT, *pools], capture_output=True, text=True, env=environment, timeout=120)
    return found.returncode, json.loads(found.stdout) if found.returncode == 0 else None, found.stderr


class Workers(unittest.TestCase):
    def check(self, *pools):
        # The last fit has a tolerance that the engine leaves to scikit-learn, which the environment forbids.
        status, where, error = ran(*pools, ORTHANT_ACCEL="strict")
        self.assertEqual(status, 0, error)
        self.assertEqual(where, {pool: ["engine", "engine", "engine", "StrictError"] for pool in pools})

    def test_joblib_and_multiprocessing(self):
        self.check("fork", "spawn", "forkserver", "loky")  # fork first: the library has not been used yet

    def test_dask(self):
        if importlib.util.find_spec("distributed") is None:
            self.skipTest("Dask is not there")
        self.check("dask")

    def test_a_search_logs_its_fits(self):
        status, where, error = ran("search", ORTHANT_ACCEL="strict", ORTHANT_ACCEL_LOG="info")
        self.assertEqual((status, where), (0, {"search": ["engine"]}), error)
        self.assertEqual(error.count("LocallyLinearEmbedding.fit: the engine"), 4, error)


if __name__ == "__main__":
    unittest.main()
