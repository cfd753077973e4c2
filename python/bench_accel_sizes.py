"""Times of k-means, factorisations and searches of orthant.accel compared with scikit-learn's own, by the size of the data, with the errors.

    make python && PYTHONPATH=python python3 python/bench_accel_sizes.py [CLASS [SAMPLES]]

CLASS is KMeans, NMF, SpectralClustering, TruncatedSVD or neighbors, all by default; SAMPLES are as many as that alone. Rows of USPS where $ORTHANT_DATA
has usps.X.npy (noise of 0.001 parts equal distances), a roll and blobs. Seconds are of the wall clock, the least of some calls in one process, which take turns, both with all
cores and scikit-learn's with the BLAS that it finds. The last two columns are the errors: of k-means the inertia over the lesser of the two, of NMF ‖X − WH‖/‖X‖, of spectral
clustering the share of samples whose label differs from their blob, of TruncatedSVD the sine of the largest angle from the exact axes, of
neighbours the largest difference of a distance from the exact one over it.
"""

import os
import sys
import time
import warnings

import numpy as np
import sklearn.cluster
import sklearn.decomposition
import sklearn.neighbors
from scipy.linalg import subspace_angles
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs, make_swiss_roll
from sklearn.metrics import confusion_matrix

from orthant import accel

os.environ["ORTHANT_ACCEL"] = "strict"
MODULES = {"KMeans": sklearn.cluster, "SpectralClustering": sklearn.cluster, "NMF": sklearn.decomposition, "TruncatedSVD": sklearn.decomposition}


def digits(n):
    path = os.path.join(os.environ.get("ORTHANT_DATA", ""), "usps.X.npy")
    if not os.path.exists(path):
        return np.random.default_rng(0).uniform(size=(n, 256))
    x = np.load(path).astype(float)
    x = x[np.random.default_rng(1).integers(len(x), size=n)]
    return np.abs(x + 0.001 * np.random.default_rng(0).normal(size=x.shape))


def blobs(n, m=10, centers=10):
    return make_blobs(n, m, centers=centers, cluster_std=3.0, random_state=0)


def thin(n, m=2000, share=0.01):
    """Counts of words: a few in each row, some more often than others."""
    rng = np.random.default_rng(2)
    each = int(m * share)
    columns = (m * rng.uniform(size=n * each) ** 3).astype(int)
    x = csr_matrix((1.0 + rng.poisson(1, size=n * each), (np.repeat(np.arange(n), each), columns)), shape=(n, m))
    return x


def least(calls):
    """Returns the shortest time of each call, and its result. The calls alternate."""
    times, found = [[] for _ in calls], [None] * len(calls)
    began = time.perf_counter()
    while len(times[-1]) < 2 or len(times[-1]) < 15 and time.perf_counter() - began < 1.5:
        for i, call in enumerate(calls):
            start = time.perf_counter()
            found[i] = call()
            times[i].append(time.perf_counter() - start)
        if time.perf_counter() - began > 8:
            break
    return [min(t) for t in times], found


def row(label, shape, calls, errors):
    (ours, own), found = least(calls)
    off = errors(*found)
    print(f"| {label} | {shape[0]} × {shape[1]} | {own:.3g} | {ours:.3g} | {own / ours:.3g} | {off[0]:.1e} | {off[1]:.1e} |", flush=True)


def fits(label, name, parameters, x, errors):
    made = [lambda cls=cls: cls(**parameters).fit(x) for cls in (getattr(accel, name), getattr(MODULES[name], name))]
    row(label, x.shape, made, errors)


def inertias(ours, own):
    best = min(ours.inertia_, own.inertia_)
    return ours.inertia_ / best - 1, own.inertia_ / best - 1


def k_means(n):
    x = blobs(n)[0]
    fits("KMeans, blobs", "KMeans", {"n_clusters": 10, "n_init": 3, "random_state": 0}, x, inertias)
    fits("KMeans, elkan", "KMeans", {"n_clusters": 10, "n_init": 3, "random_state": 0, "algorithm": "elkan"}, x, inertias)
    fits("KMeans, digits", "KMeans", {"n_clusters": 10, "n_init": 3, "random_state": 0}, digits(n), inertias)
    fits("KMeans, 50 clusters of digits", "KMeans", {"n_clusters": 50, "n_init": 1, "random_state": 0}, digits(n), inertias)
    fits("KMeans, float32", "KMeans", {"n_clusters": 10, "n_init": 3, "random_state": 0}, digits(n).astype(np.float32), inertias)
    fits("KMeans, words", "KMeans", {"n_clusters": 10, "n_init": 1, "random_state": 0}, thin(n), inertias)
    own, ours = (cls(10, n_init=1, random_state=0).fit(x) for cls in (sklearn.cluster.KMeans, accel.KMeans))
    row("KMeans.predict", x.shape, [lambda: ours.predict(x), lambda: own.predict(x)], lambda a, b: (np.mean(a != b), 0.0))


def factors(n):
    def errors(ours, own):
        return ours.reconstruction_err_ / norm, own.reconstruction_err_ / norm

    for label, x, parameters in (
        ("NMF, cd, digits", digits(n), {}), ("NMF, mu, digits", digits(n), {"solver": "mu"}), ("NMF, mu, divergence, digits", digits(n), {"solver": "mu", "beta_loss": 1}),
        ("NMF, cd, random, float32", digits(n).astype(np.float32), {"init": "random"}), ("NMF, cd, words", thin(n), {}), ("NMF, mu, divergence, words", thin(n), {"solver": "mu", "beta_loss": 1}),
    ):
        norm = np.sqrt(x.multiply(x).sum()) if hasattr(x, "multiply") else np.linalg.norm(x)
        fits(label, "NMF", {"n_components": 10, "random_state": 0, "max_iter": 100, **parameters}, x, errors)


def triplets(n):
    for label, x in (("TruncatedSVD, digits", digits(n)), ("TruncatedSVD, words", thin(n))):
        exact = np.linalg.svd(x.toarray() if hasattr(x, "toarray") else x, full_matrices=False)[2] if n <= 5000 else None

        def errors(*found):
            truth = found[0].components_ if exact is None else exact[:10]
            return [np.sin(subspace_angles(e.components_.T, truth.T)[0]) for e in found]

        for algorithm in ("randomized", "arpack"):
            fits(f"{label}, {algorithm}", "TruncatedSVD", {"n_components": 10, "random_state": 0, "algorithm": algorithm}, x, errors)


def spectral(n):
    x, y = make_blobs(n, 8, centers=5, cluster_std=2.0, random_state=0)

    def errors(*found):
        tables = [confusion_matrix(y, e.labels_) for e in found]
        return [1 - t.max(axis=0).sum() / n for t in tables]

    fits("SpectralClustering, neighbours", "SpectralClustering", {"n_clusters": 5, "affinity": "nearest_neighbors", "n_neighbors": 15, "random_state": 0, "n_jobs": -1}, x, errors)
    if n <= 3000:
        fits("SpectralClustering, rbf", "SpectralClustering", {"n_clusters": 5, "gamma": 0.05, "random_state": 0}, x, errors)
        for assign in ("discretize", "cluster_qr"):
            fits(f"SpectralClustering, {assign}", "SpectralClustering", {"n_clusters": 5, "gamma": 0.05, "random_state": 0, "assign_labels": assign}, x, errors)


def searches(n):
    for label, x, parameters in (
        ("roll", make_swiss_roll(n, random_state=0)[0], {}), ("roll, manhattan", make_swiss_roll(n, random_state=0)[0], {"p": 1}), ("ten columns", blobs(n)[0], {}),
        ("digits", digits(n), {}), ("digits, manhattan", digits(n)[:5000], {"p": 1}), ("digits, cosine", digits(n), {"metric": "cosine"}), ("words", thin(min(n, 5000)), {}),
    ):
        own, ours = (cls(n_neighbors=10, n_jobs=-1, **parameters) for cls in (sklearn.neighbors.NearestNeighbors, accel.NearestNeighbors))
        some = slice(0, 20)
        full = x.toarray() if hasattr(x, "toarray") else x
        apart = np.sort(cdist(full[some], full, {"cosine": "cosine"}.get(parameters.get("metric"), "cityblock" if "p" in parameters else "euclidean")), axis=1)

        def errors(*found):
            return [np.max(np.abs(f[some] - apart[:, first : first + 10]) / np.maximum(apart[:, first : first + 10], 1e-9)) for f in found]

        new = full[::2] + 0 if not hasattr(x, "toarray") else x[::2]
        for what, first, call in (
            ("of the samples", 1, lambda e: e.fit(x).kneighbors()[0]),
            ("of half as many queries", 0, lambda e: e.fit(x).kneighbors(new)[0]),
        ):
            if first == 0:
                wanted = np.sort(cdist(full[::2][some], full, {"cosine": "cosine"}.get(parameters.get("metric"), "cityblock" if "p" in parameters else "euclidean")), axis=1)[:, :10]
                row(f"neighbours {what}, {label}", x.shape, [lambda: call(ours), lambda: call(own)], lambda *found: [np.max(np.abs(f[some] - wanted)[:, 1:] / wanted[:, 1:]) for f in found])
            else:
                row(f"neighbours {what}, {label}", x.shape, [lambda: call(ours), lambda: call(own)], errors)
        own.fit(x)
        ours.fit(x)
        few = new[:1]
        row(f"neighbours of one query, {label}", x.shape, [lambda: ours.kneighbors(few)[0], lambda: own.kneighbors(few)[0]], lambda a, b: (np.max(np.abs(a - b)[:, 1:]), 0.0))


PARTS = {"KMeans": k_means, "NMF": factors, "TruncatedSVD": triplets, "SpectralClustering": spectral, "neighbors": searches}


def main(part="", samples=""):
    warnings.simplefilter("ignore")
    accel.PCA(1).fit(np.eye(4))  # loads the library
    print("| class | data | scikit-learn, s | orthant.accel, s | ratio | our error | scikit-learn's error |\n|---|---|---|---|---|---|---|")
    for name, run in PARTS.items():
        for n in [int(samples)] if samples else [200, 2000, 20000]:
            if part in ("", name) and not (name == "SpectralClustering" and n > 10000 and not samples):
                run(n)


if __name__ == "__main__":
    main(*sys.argv[1:])
