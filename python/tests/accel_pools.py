"""Fits estimators of a patched scikit-learn on pools of workers, and prints where each fit ran as JSON: python accel_pools.py POOL ..."""

import json
import logging
import multiprocessing
import os
import sys
import warnings

import numpy as np


def place(estimator):
    """Fits an estimator, and returns by whose code, or what forbade it, and in which process."""
    said, logger = [], logging.getLogger("orthant.accel")
    handler = logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    try:
        estimator.fit(np.random.default_rng(1).uniform(size=(60, 3)))
    except RuntimeError as error:  # StrictError, which is not there where the class is scikit-learn's
        return type(error).__name__, os.getpid()
    finally:
        logger.removeHandler(handler)
    return "engine" if any(": the engine" in text for text in said) else "own", os.getpid()


def named(name, **parameters):
    """Makes an estimator of a class that arrives by itself, and returns what place does."""
    return place(name(**parameters))


def by_joblib(backend, calls):
    import joblib

    return joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(f)(*a, **k) for f, a, k in calls)


def by_multiprocessing(method, calls):
    with multiprocessing.get_context(method).Pool(1) as pool:
        return [answer.get(60) for answer in [pool.apply_async(f, a, k) for f, a, k in calls]]


def by_dask(_, calls):
    import dask
    import distributed

    dask.config.set({"distributed.worker.memory.target": False, "distributed.worker.memory.spill": False, "distributed.worker.memory.pause": False, "distributed.worker.memory.terminate": False})
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        return client.gather([client.submit(f, *a, **k, pure=False) for f, a, k in calls])


def searched(n_jobs, calls):
    """Searches over parameters as users do, and returns whether all fits were the engine's (the search raises where none is allowed)."""
    from sklearn.manifold import LocallyLinearEmbedding
    from sklearn.model_selection import GridSearchCV
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline

    x = np.random.default_rng(1).uniform(size=(90, 3))
    model = make_pipeline(LocallyLinearEmbedding(method="ltsa", n_components=2), KNeighborsClassifier())
    search = GridSearchCV(model, {"locallylinearembedding__n_neighbors": [8, 10]}, cv=2, n_jobs=n_jobs, refit=False, error_score="raise")
    return [("engine" if np.isfinite(search.fit(x, x[:, 0] > 0.5).cv_results_["mean_test_score"]).all() else "own", -1)]


POOLS = {
    "loky": by_joblib, "fork": by_multiprocessing, "spawn": by_multiprocessing, "forkserver": by_multiprocessing, "dask": by_dask,
    "search": lambda _, calls: searched(2, calls),
}  # fmt: skip


def main(pools):
    import orthant.accel

    orthant.accel.patch()
    from sklearn.decomposition import PCA
    from sklearn.manifold import LocallyLinearEmbedding

    calls = [(place, (LocallyLinearEmbedding(n_neighbors=8, method="ltsa"),), {}), (place, (PCA(2),), {}), (named, (PCA,), {"n_components": 2}), (place, (LocallyLinearEmbedding(n_neighbors=8, method="hessian", hessian_tol=1e-12),), {})]
    ran = {}
    for pool in pools:
        answers = POOLS[pool](pool, calls)
        assert all(pid != os.getpid() for _, pid in answers), "a fit ran in this process"
        ran[pool] = [where for where, _ in answers]
    print(json.dumps(ran))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(sys.argv[1:])
