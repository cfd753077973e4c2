"""Runs one method of scikit-learn on one thread and says what it cost.

A request comes on standard input as JSON: {"method": NAME, "params": {...}, "in": X, "out": Y}. X is an .npy
or .mtx file with one sample a row; the result (an embedding, distances, labels or a factor) goes to Y as .npy.
One JSON object goes to standard output: seconds of processor and wall time around the call alone, after all
imports and one warming call; the peak of the process in bytes; the version; what the model says of its quality.
"""
import json
import resource
import sys
import time

import numpy as np
from sklearn import __version__, cluster, decomposition, manifold, neighbors


def locally_linear(kind):
    def make(p):
        more = {"eigen_solver": p["eigen_solver"]} if "eigen_solver" in p else {}
        return manifold.LocallyLinearEmbedding(n_neighbors=p["neighbors"], n_components=p["dim"], method=kind,
                                               reg=p.get("gamma", 1e-3), random_state=1, **more)
    return lambda p, x: embedded(make(p), x)


def embedded(model, x):
    return lambda: (model.fit_transform(x), {})


def nearest(p, x):
    model = neighbors.NearestNeighbors(n_neighbors=p["neighbors"], algorithm=p.get("algorithm", "auto"))
    return lambda: (model.fit(x).kneighbors()[0], {})


def kmeans(p, x):
    model = cluster.KMeans(n_clusters=p["clusters"], n_init=p.get("starts", 10), max_iter=p.get("iterations", 300),
                           tol=p.get("tolerance", 1e-4), random_state=1)

    def run():
        model.fit(x)
        return model.labels_, {"inertia": float(model.inertia_), "iterations": float(model.n_iter_)}
    return run


def factorized(solver):
    def make(p, x):
        given = "init_w" in p
        model = decomposition.NMF(n_components=p["rank"], solver=solver, init="custom" if given else "nndsvda",
                                  max_iter=p.get("iterations", 200), tol=p.get("tolerance", 1e-4), random_state=1)
        start = {"W": np.load(p["init_w"]), "H": np.load(p["init_h"])} if given else {}

        def run():
            w = model.fit_transform(x, **start)
            size = np.linalg.norm(x)
            return w, {"reconstruction": float(model.reconstruction_err_ / size), "iterations": float(model.n_iter_)}
        return run
    return make


METHODS = {
    "lle": locally_linear("standard"),
    "mlle": locally_linear("modified"),
    "hlle": locally_linear("hessian"),
    "ltsa": locally_linear("ltsa"),
    "le": lambda p, x: embedded(manifold.SpectralEmbedding(n_components=p["dim"], affinity="nearest_neighbors",
                                                           n_neighbors=p["neighbors"] + 1, random_state=1), x),  # it counts the sample itself
    "isomap": lambda p, x: embedded(manifold.Isomap(n_neighbors=p["neighbors"], n_components=p["dim"]), x),
    "pca": lambda p, x: embedded(decomposition.PCA(n_components=p["dim"], random_state=1), x),
    "neighbors": nearest,
    "kmeans": kmeans,
    "nmf-mu": factorized("mu"),
    "nmf-cd": factorized("cd"),
}


def load(path):
    if path.endswith(".mtx"):
        from scipy.io import mmread
        x = mmread(path)
        return np.asarray(x.todense() if hasattr(x, "todense") else x, dtype=float)
    return np.load(path).astype(float)


def peak_bytes():
    """The largest resident size. What getrusage says begins, on Linux, with the peak of the process before it."""
    try:
        with open("/proc/self/status") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main():
    request = json.load(sys.stdin)
    if request["method"] not in METHODS:
        sys.exit("scikit-learn has no method %r here; there are %s" % (request["method"], ", ".join(METHODS)))
    x = load(request["in"])
    run = METHODS[request["method"]](request["params"], x)
    neighbors.NearestNeighbors(n_neighbors=2).fit(np.eye(5)).kneighbors()  # warm up
    cpu, wall = time.process_time(), time.perf_counter()
    result, quality = run()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    peak = peak_bytes()
    np.save(request["out"], np.asarray(result, dtype=float))
    print(json.dumps({"cpu": cpu, "wall": wall, "peak": peak, "version": __version__, "quality": quality}))


main()
