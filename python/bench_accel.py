"""Times of the classes of orthant.accel compared with scikit-learn's own, and the differences of their results.

    make python && PYTHONPATH=python python3 python/bench_accel.py [SAMPLES [PART]]

PART is "roll" or "usps", both by default. A roll of SAMPLES samples (3000), and rows of USPS where $ORTHANT_DATA has usps.X.npy, with noise of 0.001 that parts equal distances. Seconds are of the wall clock, each the lesser of two
fits (one of scikit-learn's where it takes above 3 s) in one process, ours with all cores and scikit-learn's with n_jobs=-1 where it has that and
with the BLAS it finds. The last two columns are the sines of the largest angles from the space of the exact coordinates: of standard LLE by the
singular vectors of I − W, of Isomap the coordinates of scikit-learn itself, otherwise by its dense or full solver, which itself is accurate to about 1e-16 over the gap between eigenvalues.
"""

import os
import sys
import time
import warnings

import numpy as np
import sklearn.decomposition
import sklearn.manifold
from scipy.linalg import eigh, subspace_angles, svd
from scipy.sparse.csgraph import laplacian
from sklearn.datasets import make_swiss_roll
from sklearn.manifold._locally_linear import barycenter_kneighbors_graph

from orthant import accel

os.environ["ORTHANT_ACCEL"] = "strict"


def calls(roll, usps):
    for method in ("standard", "modified", "hessian", "ltsa"):
        yield f"LLE, {method}", "LocallyLinearEmbedding", {"n_neighbors": 12, "method": method, "n_jobs": -1}, roll
    yield "Isomap", "Isomap", {"n_neighbors": 12, "n_jobs": -1}, roll
    yield "SpectralEmbedding", "SpectralEmbedding", {"n_neighbors": 12, "n_jobs": -1, "random_state": 0}, roll
    if usps is not None:
        for method in ("standard", "modified"):
            yield f"LLE, {method}", "LocallyLinearEmbedding", {"n_neighbors": 12, "method": method, "n_jobs": -1}, usps[:2000]
        yield "Isomap", "Isomap", {"n_neighbors": 12, "n_jobs": -1}, usps[:2000]
        yield "SpectralEmbedding", "SpectralEmbedding", {"n_neighbors": 12, "n_jobs": -1, "random_state": 0}, usps[:2000]
        yield "PCA, 10 components", "PCA", {"n_components": 10, "random_state": 0}, usps
        yield "PCA, 0.95 of the variance", "PCA", {"n_components": 0.95}, usps
        yield "PCA, all", "PCA", {}, usps


def exact(name, parameters, x):
    """Returns the coordinates by a dense solver."""
    if name == "PCA":
        return sklearn.decomposition.PCA(parameters.get("n_components"), svd_solver="full").fit_transform(x)
    if name == "SpectralEmbedding":
        affinities = sklearn.manifold.SpectralEmbedding(**parameters).fit(x).affinity_matrix_.toarray()
        L, roots = laplacian(affinities, normed=True, return_diag=True)
        return eigh(L, subset_by_index=(1, 2))[1] / roots[:, None]
    if parameters.get("method") == "standard":
        return svd(np.eye(len(x)) - barycenter_kneighbors_graph(x, parameters["n_neighbors"]).toarray())[2][-3:-1].T
    return getattr(sklearn.manifold, name)(eigen_solver="dense", **parameters).fit_transform(x)


def least(make, x):
    """Returns the shortest time of a fit, and its result."""
    times = []
    for _ in range(2):
        began = time.perf_counter()
        y = make().fit_transform(x)
        times.append(time.perf_counter() - began)
        if times[0] > 3:
            break
    return min(times), y


def main(samples="3000", part=""):
    warnings.simplefilter("ignore")
    roll = make_swiss_roll(int(samples), random_state=0)[0]
    path = os.path.join(os.environ.get("ORTHANT_DATA", ""), "usps.X.npy")
    usps = np.load(path).astype(float) if os.path.exists(path) else None
    if usps is not None:
        usps += 0.001 * np.random.default_rng(0).normal(size=usps.shape)
    accel.LocallyLinearEmbedding(n_neighbors=8).fit(roll[:200])  # loads the library
    print("| class | data | scikit-learn, s | orthant.accel, s | ratio | ours off | scikit-learn's off |\n|---|---|---|---|---|---|---|")
    for label, name, parameters, x in calls(roll, usps):
        if part == ("usps" if x is roll else "roll"):
            continue
        module = sklearn.decomposition if name == "PCA" else sklearn.manifold
        ours, y = least(lambda: getattr(accel, name)(**parameters), x)
        own, want = least(lambda: getattr(module, name)(**parameters), x)
        columns = 10 if "10" in label else min(y.shape[1], want.shape[1], 40)
        truth = (want if name == "Isomap" else exact(name, parameters, x))[:, :columns]
        off = [np.sin(subspace_angles(found[:, :columns], truth)[0]) for found in (y, want)]
        print(f"| {label} | {x.shape[0]} × {x.shape[1]} | {own:.3g} | {ours:.3g} | {own / ours:.3g} | {off[0]:.0e} | {off[1]:.0e} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
