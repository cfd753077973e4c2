"""Threads: limits of the process, and workers of pools."""

import json
import os
import subprocess
import sys
import threading
import unittest
from unittest import mock

import numpy as np

import orthant
from orthant import _threads

HERE = os.path.dirname(os.path.abspath(__file__))
CORES = len(os.sched_getaffinity(0))


def samples(n=200, m=5, seed=1):
    return np.random.default_rng(seed).uniform(size=(n, m))


def taken(**given):
    """Returns the threads that a call took."""
    return orthant.embed(samples(), "pca", **given).report["threads"]


class Limits(unittest.TestCase):
    def setUp(self):
        self.addCleanup(orthant.set_num_threads, None)

    def test_a_limit_holds_whatever_is_asked_and_changes_no_bit(self):
        before, want = orthant.get_num_threads(), orthant.embed(samples(), "lle", neighbors=8, threads=8).embedding
        orthant.set_num_threads(1)
        self.assertEqual((orthant.get_num_threads(), taken(), taken(threads=8)), (1, 1, 1))
        self.assertEqual(orthant.info()["threads"], 1)
        np.testing.assert_array_equal(orthant.embed(samples(), "lle", neighbors=8, threads=8).embedding, want)
        orthant.set_num_threads(100000)
        self.assertEqual(orthant.get_num_threads(), before)
        orthant.set_num_threads(None)
        self.assertEqual((orthant.get_num_threads(), taken()), (before, before))

    def test_what_is_no_number_is_refused(self):
        for wrong in (0, -1, 2.5, "two", True):
            with self.assertRaisesRegex(ValueError, "the number of threads is .*; give a whole number ≥ 1, or None"):
                orthant.set_num_threads(wrong)

    def test_the_library_starts_with_the_first_call(self):
        script = "import orthant, os; orthant.set_num_threads(1); from orthant import _library; print(_library._loaded, orthant.get_num_threads(), _library._loaded is not None)"
        self.assertEqual(program("-c", script), "None 1 True\n")

    def test_n_jobs_as_joblib_has_it(self):
        all_ = orthant.get_num_threads()
        for given, want in ((None, None), (-1, all_), (-2, max(1, all_ - 1)), (-1000, 1), (3, 3), (np.int64(2), 2)):
            self.assertEqual(_threads.of_jobs(given), want)
        for wrong in (0, 1.5, "all", True):
            with self.assertRaisesRegex(ValueError, "n_jobs is .*; give a number of workers"):
                _threads.of_jobs(wrong)

    @unittest.skipIf(os.environ.get("ORTHANT_WORKER") == "1", "threadpoolctl knows libraries alone")
    def test_threadpoolctl(self):
        try:
            import threadpoolctl
        except ImportError:
            self.skipTest("threadpoolctl is not installed")
        if not hasattr(threadpoolctl, "register"):
            self.skipTest(f"threadpoolctl {threadpoolctl.__version__} has no place for other libraries; 3.2 has")
        before = orthant.get_num_threads()
        found = [one for one in threadpoolctl.threadpool_info() if one["user_api"] == "orthant"]
        self.assertEqual([(one["num_threads"], one["version"]) for one in found], [(before, orthant.__version__)])
        with threadpoolctl.threadpool_limits(1, user_api="orthant"):
            self.assertEqual((orthant.get_num_threads(), taken(threads=4)), (1, 1))
        self.assertEqual(orthant.get_num_threads(), before)
        self.assertEqual(_threads._asked, 0)  # all threads again are no limit
        with threadpoolctl.threadpool_limits(1):
            self.assertEqual(taken(), 1)


class Words(unittest.TestCase):
    """The threads of a call by default, by the source of the limit."""

    def test_in_a_child_process(self):
        child = mock.Mock(**{"current_process.return_value.name": "SpawnProcess-1"})
        with mock.patch.dict(sys.modules, {"multiprocessing.process": child}):
            for environment, want in (({}, 1), ({"OMP_NUM_THREADS": "2"}, None), ({"ORTHANT_NUM_THREADS": "2"}, None)):
                with mock.patch.dict(os.environ, environment):
                    for name in {"OMP_NUM_THREADS", "ORTHANT_NUM_THREADS"} - set(environment):
                        os.environ.pop(name, None)
                    self.assertEqual(_threads.default(), want, environment)
            self.addCleanup(orthant.set_num_threads, None)
            orthant.set_num_threads(CORES)
            self.assertIsNone(_threads.default())

    def test_in_a_task_of_dask(self):
        worker = mock.Mock(thread_state=threading.local())
        with mock.patch.dict(sys.modules, {"distributed.worker": worker}), mock.patch.dict(os.environ):
            os.environ.pop("OMP_NUM_THREADS", None)
            self.assertIsNone(_threads.default())
            worker.thread_state.key = "a task"
            self.assertEqual((_threads.default(), taken()), (1, 1))


def program(*arguments):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for name in ("OMP_NUM_THREADS", "ORTHANT_NUM_THREADS"):
        environment.pop(name, None)
    found = subprocess.run([sys.executable, "-W", "ignore", *arguments], capture_output=True, text=True, env=environment, timeout=300)
    if found.returncode != 0:
        raise AssertionError(found.stderr)
    return found.stdout


class Pools(unittest.TestCase):
    """Workers take one thread each, find the same bits, and the threads that run are no more than the cores."""

    @classmethod
    def setUpClass(cls):
        cls.alone = json.loads(program(os.path.join(HERE, "pools.py"), "none"))

    def on(self, pool, threads=1):
        found = json.loads(program(os.path.join(HERE, "pools.py"), pool).splitlines()[-1])
        self.assertEqual(found["bits"], self.alone["bits"])
        self.assertEqual(found["threads"], [threads] * len(found["bits"]))
        self.assertLessEqual(found["most"], CORES)

    def test_joblib(self):
        try:
            import joblib  # noqa: F401
        except ImportError:
            self.skipTest("joblib is not installed")
        for backend in ("loky", "threading", "multiprocessing"):
            with self.subTest(backend):
                self.on(f"joblib-{backend}")

    def test_multiprocessing(self):
        for way in ("spawn", "forkserver"):
            with self.subTest(way):
                self.on(f"multiprocessing-{way}")

    def test_futures(self):
        for way in ("spawn", "forkserver"):
            with self.subTest(way):
                self.on(f"futures-{way}")
        self.on("futures-threads", threads=self.alone["threads"][0])  # which share the threads of one process

    def test_dask(self):
        try:
            import distributed  # noqa: F401
        except ImportError:
            self.skipTest("Dask's distributed is not installed (Debian: python3-distributed)")
        for way in ("processes", "threads"):
            with self.subTest(way):
                self.on(f"dask-{way}")


class Forks(unittest.TestCase):
    @unittest.skipIf(os.environ.get("ORTHANT_WORKER") == "1", "a worker works in forks (test_worker.py)")
    def test_the_error_names_the_ways_out(self):
        script = """if True:
            import os, numpy, orthant
            orthant.embed(numpy.eye(5), "pca")
            r, w = os.pipe()
            if os.fork() == 0:
                try:
                    orthant.embed(numpy.eye(5), "pca")
                except RuntimeError as error:
                    os.write(w, str(error).encode())
                os._exit(0)
            print(os.read(r, 1000).decode())"""
        told = program("-c", script)
        for word in ("forkserver", "loky"):
            self.assertIn(word, told)

    @unittest.skipIf(os.environ.get("ORTHANT_WORKER") == "1", "a worker works in forks (test_worker.py)")
    def test_pools_that_fork(self):
        """Before the first call their workers work; after it the error names the remedies."""
        script = """if True:
            import multiprocessing, numpy, orthant
            x = numpy.random.default_rng(1).uniform(size=(50, 3))
            def run(_):
                try:
                    return orthant.embed(x, "pca").embedding.shape
                except RuntimeError as error:
                    return "forkserver" in str(error)
            for _ in range(2):
                with multiprocessing.get_context("fork").Pool(2) as pool:
                    print(pool.map(run, range(2)))
                run(0)"""
        self.assertEqual(program("-c", script), "[(50, 2), (50, 2)]\n[True, True]\n")


if __name__ == "__main__":
    unittest.main()
