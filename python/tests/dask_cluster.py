"""A model over blocks on a real cluster of Dask: two processes of one thread each, of which one is killed in the middle.

    make test-dask

It is not part of "make test-python", which has Dask in one process (test_mapper.py).
"""

import contextlib
import logging
import os
import signal
import sys
import tempfile
import time
import unittest

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster, wait

import orthant

COLUMNS = ["a", "b", "c"]
ROWS, BLOCK = 60_000, 1_000
SLEEP = 0.05  # s a block, so that there is a middle


def roll(n, seed):
    """Returns samples of a swiss roll."""
    draw = np.random.default_rng(seed)
    t = 1.5 * np.pi * (1 + 2 * draw.random(n))
    return np.c_[t * np.cos(t), 21 * draw.random(n), t * np.sin(t)]


class Slow:
    """The Mapper, slowed down for each block; it records the blocks that it mapped."""

    def __init__(self, mapper, folder):
        self.mapper, self.folder = mapper, folder

    def __call__(self, block):
        y = self.mapper(block)
        if len(block) == BLOCK:  # and not the question what comes out
            time.sleep(SLEEP)
            with open(os.path.join(self.folder, str(os.getpid())), "a") as f:
                f.write(f"{len(block)} {orthant.get_num_threads()}\n")
        return y


def count_loads():
    """Has a worker note down whenever it loads a model."""
    real = orthant.Model.from_bytes
    orthant.Model.loads = []

    def load(saved):
        orthant.Model.loads.append(len(saved))
        return real(saved)

    orthant.Model.from_bytes = load


def forget():
    """Has a worker load its models anew."""
    orthant._mapper._held.clear()


def children(pid):
    """Returns the processes below one."""
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{task}/children") as f:
            for child in f.read().split():
                found += [int(child), *children(int(child))]
    return found


def living(pids):
    """Returns those that are still there, and no corpses."""
    there = []
    for pid in pids:
        with contextlib.suppress(OSError), open(f"/proc/{pid}/stat") as f:
            if f.read().rpartition(")")[2].split()[0] not in "ZX":
                there.append(pid)
    return there


class Cluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.x = roll(ROWS, 1)
        sample = cls.x[np.random.default_rng(2).choice(ROWS, 4000, replace=False)]
        cls.model = orthant.embed(sample, "neml", neighbors=12, landmarks=1000, model=True).model()
        cls.want = cls.model.transform(cls.x)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.path = folder.name, os.path.join(folder.name, "neml.model")
        self.model.save(self.path)
        self.before = set(children(os.getpid()))
        self.seen = set()
        self.cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=logging.CRITICAL, local_directory=self.folder)
        self.client = Client(self.cluster)

    def tearDown(self):
        """Ends the cluster, of which no process is left."""
        self.seen |= set(children(os.getpid())) - self.before
        self.client.close()
        self.cluster.close()
        until = time.monotonic() + 20
        # The tracker of multiprocessing's semaphores is this process's own, and ends with it.
        while (left := [pid for pid in living(self.seen) if b"resource_tracker" not in command(pid)]) and time.monotonic() < until:
            time.sleep(0.1)
        self.assertEqual(left, [], [command(pid) for pid in left])

    def took(self):
        """Returns {process: [(rows, threads) of each block]}."""
        found = {}
        for name in os.listdir(self.folder):
            if name.isdigit():
                with open(os.path.join(self.folder, name)) as f:
                    found[int(name)] = [tuple(map(int, line.split())) for line in f]
        return found

    def blocks(self, mapper):
        x = da.from_array(self.x, chunks=(BLOCK, 3))
        return x.map_blocks(Slow(mapper, self.folder), chunks=(x.chunks[0], (2,)))

    def test_the_bits_of_one_process_and_one_load_a_worker(self):
        self.client.run(count_loads)
        for given in (self.path, self.model):
            np.testing.assert_array_equal(self.blocks(orthant.Mapper(given)).compute(), self.want)
        took = self.took()
        self.assertEqual({len(blocks) > 0 for blocks in took.values()}, {True})
        self.assertEqual(len(took), 2)
        self.assertEqual({threads for blocks in took.values() for _, threads in blocks}, {1})
        loads = self.client.run(lambda: len(orthant.Model.loads))
        self.assertEqual(list(loads.values()), [1, 1])  # a path and a Model are the same one by their bytes

    def test_a_worker_killed_in_the_middle(self):
        y = self.blocks(orthant.Mapper(self.path)).persist()
        count = ROWS // BLOCK
        until = time.monotonic() + 60
        while sum(map(len, self.took().values())) < count // 3 and time.monotonic() < until:
            time.sleep(0.01)
        self.seen |= set(children(os.getpid())) - self.before
        victim = max(self.took(), key=lambda pid: len(self.took()[pid]))
        os.kill(victim, signal.SIGKILL)
        done = sum(map(len, self.took().values()))
        self.assertTrue(count // 3 <= done < count, f"{done} blocks were done when the worker was killed")
        wait(y)
        np.testing.assert_array_equal(y.compute(), self.want)
        took = self.took()
        self.assertEqual(living([victim]), [])
        self.assertGreaterEqual(len(took), 2)
        # Only the blocks that the lost worker held are mapped again.
        again = sum(map(len, took.values())) - count
        self.assertLessEqual(again, len(took[victim]) + 1)
        print(f"killed process {victim} after {done} of {count} blocks; {len(took)} processes mapped {count + again} blocks in all", file=sys.stderr)

    def test_frames(self):
        import dask.dataframe as dd
        import pandas

        given = pandas.DataFrame(self.x, columns=COLUMNS).assign(id=np.arange(ROWS) * 3)
        mapper = orthant.Mapper(self.path, COLUMNS, keep=["id"])
        y = dd.from_pandas(given, npartitions=12).map_partitions(mapper)
        found = y.compute()
        np.testing.assert_array_equal(found[["y1", "y2"]], self.want)
        np.testing.assert_array_equal(found["id"], given["id"])
        # The same Mapper made anew is known again, another is not.
        same = dd.from_pandas(given, npartitions=12).map_partitions(orthant.Mapper(self.model, COLUMNS, keep=["id"]))
        self.assertEqual(y._name, same._name)
        self.assertNotEqual(y._name, dd.from_pandas(given, npartitions=12).map_partitions(orthant.Mapper(self.path, COLUMNS[::-1], keep=["id"]))._name)

    def test_what_is_wrong_ends_the_whole(self):
        x = self.x.copy()
        x[ROWS // 2, 1] = np.nan
        with self.assertRaisesRegex(ValueError, "NaN|finite"):
            da.from_array(x, chunks=(BLOCK, 3)).map_blocks(orthant.Mapper(self.path), chunks=((BLOCK,) * (ROWS // BLOCK), (2,))).compute()
        mapper = orthant.Mapper(self.path)
        os.remove(self.path)
        self.client.run(forget)
        with self.assertRaisesRegex(FileNotFoundError, "put it where all processes see it"):
            da.from_array(self.x, chunks=(BLOCK, 3)).map_blocks(mapper, chunks=((BLOCK,) * (ROWS // BLOCK), (2,))).compute()


def command(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            return f.read()
    except OSError:
        return b""


if __name__ == "__main__":
    unittest.main(verbosity=2)
