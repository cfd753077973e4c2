"""Runs work on a pool of workers, and prints what came of it as JSON: python pools.py POOL.

The bits of every result, the threads that each call took, how many ran at a time at most, and how many threads of this process and of those
that it started had or waited for a core, sampled every few milliseconds (meaningful only on an otherwise idle machine).
"""

import contextlib
import hashlib
import json
import multiprocessing
import os
import sys
import threading
import time

import numpy as np

import orthant

TASKS = 6


def task(seed):
    """A few tenths of a second of work that would take all cores: its result, when it ran, in which process, and on how many threads."""
    began = time.monotonic()
    x = np.abs(np.random.default_rng(seed).normal(size=(1500, 120)))
    found = orthant.factorize(x, "nmf", 12, iterations=60, seed=1)
    bits = hashlib.sha256(found.w.tobytes() + found.h.tobytes()).hexdigest()
    return bits, (began, time.monotonic(), os.getpid(), found.report["threads"])


def most(runs, cores):
    """Returns how many threads ran at a time at most; one process counts for at most the number of cores, since its scheduler limits it."""
    largest = 0
    for moment, _, _, _ in runs:
        of = {}
        for began, ended, process, threads in runs:
            if began <= moment < ended:
                of[process] = of.get(process, 0) + threads
        largest = max(largest, sum(min(threads, cores) for threads in of.values()))
    return largest


def running(pid, own):
    """Counts the threads that have or wait for a core, of a process and its descendants, but for one of them."""
    count, children = 0, []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError):
                with open(f"/proc/{pid}/task/{thread}/stat") as f:
                    count += f.read().rpartition(")")[2].split()[0] == "R" and int(thread) != own
                with open(f"/proc/{pid}/task/{thread}/children") as f:
                    children += f.read().split()
    return count + sum(running(int(child), own) for child in children)


@contextlib.contextmanager
def watched(counts):
    """Within, appends how many threads run to counts."""
    done = threading.Event()

    def look():
        own = threading.get_native_id()
        while not done.wait(0.01):
            counts.append(running(os.getpid(), own))

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


@contextlib.contextmanager
def mapping(pool, workers):
    """Gives a function like map, on the workers of a pool."""
    kind, _, way = pool.partition("-")
    if kind == "joblib":
        import joblib

        with joblib.Parallel(n_jobs=workers, backend=way) as parallel:
            yield lambda f, given: parallel(joblib.delayed(f)(one) for one in given)
    elif kind == "multiprocessing":
        with multiprocessing.get_context(way).Pool(workers) as started:
            yield started.map
    elif kind == "futures":
        from concurrent import futures

        with (futures.ThreadPoolExecutor if way == "threads" else futures.ProcessPoolExecutor)(workers, **({} if way == "threads" else {"mp_context": multiprocessing.get_context(way)})) as started:
            yield lambda f, given: list(started.map(f, given))
    elif kind == "dask":
        from distributed import Client, LocalCluster

        processes = way == "processes"
        with LocalCluster(n_workers=workers if processes else 1, threads_per_worker=1 if processes else workers, processes=processes, dashboard_address=None) as cluster, Client(cluster) as client:
            yield lambda f, given: client.gather(client.map(f, given))
    else:
        yield lambda f, given: [f(one) for one in given]


def main():
    workers, counts = len(os.sched_getaffinity(0)), []
    with mapping(sys.argv[1], workers) as run:
        run(abs, range(-2 * workers, 0))  # so that all have started
        time.sleep(0.2)
        with watched(counts):
            found = run(task, range(TASKS))
    runs = [run for _, run in found]
    print(json.dumps({"bits": [bits for bits, _ in found], "threads": [run[3] for run in runs], "most": most(runs, workers), "cores": workers, "running": counts}))


if __name__ == "__main__":
    main()
