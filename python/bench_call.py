"""The overhead of a call from Python over the same call in Go, for 1000 × 10 samples.

    make python && PYTHONPATH=python python3 python/bench_call.py

Every call reports the seconds of the engine itself, which a program in Go would have waited; the rest is the
overhead: parameters, the library, the copy of the result. Medians and minima of many calls, in µs.
"""

import statistics
import sys
import time

import numpy as np

import orthant


def measure(name, call, seconds, count):
    total, over = [], []
    for _ in range(count):
        started = time.perf_counter()
        made = call()
        took = time.perf_counter() - started
        total.append(took * 1e6)
        over.append((took - seconds(made)) * 1e6)
    print(f"{name:34} {statistics.median(total):9.1f} {statistics.median(over):9.1f} {min(over):9.1f}")


def embedded(x, method):
    r = orthant.embed(x, method, dim=2)
    r.embedding  # copied out
    return r


def main(count=300):
    x = np.random.default_rng(1).normal(size=(1000, 10))
    embedded(x, "pca")
    print(f"{'':34} {'total':>9} {'over Go':>9} {'least':>9}")
    for method in ("pca", "lle"):
        measure(f"orthant.embed(x, {method!r})", lambda: embedded(x, method), lambda r: r.number("seconds"), count)
    try:
        from orthant import PCA
    except ImportError:
        return
    measure("orthant.PCA().fit_transform(x)", lambda: _fitted(PCA(), x), lambda e: e.report_["seconds"]["total"], count)


def _fitted(estimator, x):
    estimator.fit_transform(x)
    return estimator


if __name__ == "__main__":
    main(*(int(a) for a in sys.argv[1:]))
