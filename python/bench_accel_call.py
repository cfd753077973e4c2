"""The overhead of a fit of orthant.accel over the equivalent plain function of orthant, for small samples.

    make python && PYTHONPATH=python python3 python/bench_accel_call.py [SAMPLES [CALLS]]

Both take turns. Medians in ms, and the median of the differences of neighbouring calls. The errors are differences of
the results: angles between coordinates, of k-means the inertia, of NMF ‖X − WH‖, of searches the distances.
"""

import statistics
import sys
import time
import warnings

import numpy as np
from scipy.linalg import subspace_angles

import orthant
from orthant import accel


def angle(a, b):
    """The sine of the largest angle between two spaces of centred coordinates."""
    return np.sin(subspace_angles(a - a.mean(axis=0), b - b.mean(axis=0))[0])


def calls(x):
    """Yields a name, the fit, the plain call, and how far their results are apart."""
    k, one = 8, {"threads": 1}
    rng = np.random.RandomState(0)
    start = x[rng.permutation(len(x))[:3]]
    w, h = np.abs(rng.normal(size=(len(x), 3))), np.abs(rng.normal(size=(3, x.shape[1])))

    def embedding(name, **parameters):
        return lambda: getattr(accel, name)(**parameters).fit_transform(x)

    def embed(method, **parameters):
        return lambda: orthant.embed(x, method, dim=2, **parameters).embedding

    yield "LLE", embedding("LocallyLinearEmbedding", n_neighbors=k, n_jobs=1), embed("lle", neighbors=k, gamma=1e-3, components="joint", **one), angle
    yield "LLE, ltsa", embedding("LocallyLinearEmbedding", n_neighbors=k, method="ltsa", n_jobs=1), embed("ltsa", neighbors=k, exclude_self=True, components="joint", **one), angle
    yield "LLE, modified", embedding("LocallyLinearEmbedding", n_neighbors=k, method="modified", n_jobs=1), embed("mlle", neighbors=k, components="joint", **one), angle
    yield "Isomap", embedding("Isomap", n_neighbors=k, n_jobs=1), embed("isomap", neighbors=k, **one), angle
    yield "SpectralEmbedding", embedding("SpectralEmbedding", n_neighbors=k, n_jobs=1), embed("le", neighbors=k - 1, graph="average", **one), angle
    if hasattr(accel, "ClassicalMDS"):
        yield "ClassicalMDS", embedding("ClassicalMDS"), embed("mds"), angle
    yield "PCA", embedding("PCA", n_components=2), embed("pca", model=True), angle
    yield "TruncatedSVD", embedding("TruncatedSVD", n_components=2, algorithm="arpack"), lambda: (lambda f: f[0] * f[1])(orthant.svds(x, 2)), angle
    yield (
        "KMeans", lambda: accel.KMeans(3, init=start, n_init=1).fit(x).inertia_, lambda: orthant.lloyd(x - x.mean(axis=0), start - x.mean(axis=0)).number("inertia"),
        lambda a, b: abs(a / b - 1),
    )
    yield (
        "SpectralClustering", lambda: accel.SpectralClustering(3, affinity="nearest_neighbors", n_neighbors=k, n_jobs=1, n_init=1, random_state=0).fit_predict(x),
        lambda: orthant.cluster(x, "spectral", 3, neighbors=k - 1, graph_="average", **one).labels, lambda a, b: 0.0 if len(set(zip(a, b))) == 3 else 1.0,
    )
    yield (
        "NMF", lambda: (lambda m: m.fit_transform(x, W=w.copy(), H=h.copy()) @ m.components_)(accel.NMF(3, init="custom", tol=0, max_iter=20)),
        lambda: (lambda f: f.w @ f.h)(orthant.factorize(x, "nmf", 3, start_w=w, start_h=h, order="w-first", normalise="none", iterations=20, solver="hals", stop="violation", tolerance=1e-300)),
        lambda a, b: np.linalg.norm(a - b) / np.linalg.norm(b),
    )
    yield "NearestNeighbors", lambda: accel.NearestNeighbors(n_neighbors=k, n_jobs=1).fit(x).kneighbors()[0], lambda: orthant.neighbors(x, k, **one)[1], lambda a, b: np.abs(a - b).max()
    yield (
        "KNeighborsTransformer", lambda: np.sort(accel.KNeighborsTransformer(n_neighbors=k, n_jobs=1).fit_transform(x).data), lambda: np.sort(np.hstack([orthant.neighbors(x, k, **one)[1], np.zeros((len(x), 1))]).ravel()),
        lambda a, b: np.abs(a - b).max(),
    )
    yield (
        "RadiusNeighborsTransformer", lambda: np.sort(accel.RadiusNeighborsTransformer(radius=1.0, n_jobs=1).fit_transform(x).data),
        lambda: np.sort(np.append(orthant.neighbors(x, radius=1.0, **one).data, np.zeros(len(x)))), lambda a, b: np.abs(a - b).max(),
    )


def main(samples="30", count="400"):
    warnings.simplefilter("ignore")
    x = np.random.default_rng(1).uniform(size=(int(samples), 4))
    x[:, 3] *= 0.1
    print("| class | fit, ms | plain, ms | over it, ms | apart |\n|---|---|---|---|---|")
    for name, fit, plain, apart in calls(x):
        taken = []
        for i in range(int(count) + 20):
            began = time.perf_counter()
            a = fit()
            between = time.perf_counter()
            b = plain()
            taken.append((between - began, time.perf_counter() - between))
        taken = 1e3 * np.array(taken[20:])
        over = statistics.median(taken[:, 0] - taken[:, 1])
        print(f"| {name} | {np.median(taken[:, 0]):.3f} | {np.median(taken[:, 1]):.3f} | {over:.3f} | {apart(a, b):.1e} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
