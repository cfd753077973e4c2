"""Calls every function by the library and by a worker, and prints what differs of the bytes of the results and the texts of the errors."""

import hashlib
import os
import tempfile
import warnings

import numpy as np

import orthant
from orthant import _library, _worker


def every_call():
    """Yields the name and the outcome of calls that together use all of _library._FUNCTIONS."""
    draw = np.random.default_rng(1)
    x, wide = draw.uniform(size=(120, 4)), draw.uniform(size=(120, 20))
    labels = np.arange(120) % 3
    yield "info", [orthant.info()[key] for key in ("abi", "threads", "isa")]
    yield "methods", (orthant.methods(), orthant.explain("E0001"))
    orthant.set_num_threads(1)
    yield "threads", orthant.get_num_threads()
    orthant.set_num_threads(None)
    for kind in (np.float64, np.float32):
        r = orthant.embed(x.astype(kind), "pca", dim=2, model=True, labels=labels)
        yield "embed", (r.embedding, r.array("embedding", np.float32), r.eigenvalues, r.projection, r.number("seconds") > 0, "nothing" in r)
    yield "gaps", [orthant.embed(part, "pca").embedding for part in (wide[:, 3:8], wide[::2, :15], wide[:, ::2], np.asfortranarray(wide), (9 * wide[:, 4:9]).astype(np.uint8))]
    model = r.model()
    with tempfile.TemporaryDirectory() as folder:
        model.save(folder + "/m")
        back = orthant.Model.load(folder + "/m")
    yield "model", (model.info, model.transform(x[:5]), orthant.Model.from_bytes(model.to_bytes()).transform(x), back.to_bytes() == model.to_bytes())
    r = orthant.factorize(x, "nmf", 2, start_w=x[:, :2], start_h=x[:2], iterations=20, seed=3)
    yield "factorize", (r.w, r.h, r.objective, r.report["params"])
    first = orthant.learn(x[:60], "nmf", 2, solver="minibatch")
    yield "learn", orthant.learn(x[60:], "nmf", 2, learned=first.learned, solver="minibatch").h
    runs = orthant.factorize_runs(x, [2, 3], 4, iterations=30)
    yield "runs", (runs.errors, runs.h(3), orthant.consensus(x, runs, 2).spectra)
    r = orthant.cluster(x, "kmeans", 3, weights=1 + labels)
    yield "cluster", (r.labels, r.centers)
    yield "select", orthant.select(x, "dpp", 5)
    indices, distances = orthant.neighbors(x, 5)
    yield "neighbors", (indices, distances, orthant.embed(None, "isomap", graph=(indices, distances)).embedding)
    yield "denoise", orthant.denoise(x, 2).samples
    yield "evaluate", (float(orthant.evaluate("acc", labels=labels, predicted=labels[::-1])), float(orthant.evaluate("trustworthiness", x=x, embedding=x[:, :2])))
    try:
        from scipy import sparse
        from scipy.sparse.linalg import LinearOperator
    except ImportError:
        print("without SciPy")
        return
    n = 60
    path = sparse.diags([np.full(n - 1, -1.0), np.full(n, 2.5), np.full(n - 1, -1.0)], [-1, 0, 1]).tocsr()
    b = draw.uniform(size=(n, 70))
    yield "sparse", orthant.embed(path, "pca", dim=2).embedding
    factor = orthant.cholesky(path)
    yield "cholesky", (factor.solve(b), factor.solve(b[:, 0]), factor.apply("P^T L", b[:, :2]), factor.slogdet(), factor.inverse_diagonal(), factor.inverse_entries(), factor.L(), factor.P())
    factor.update_values(2 * path)
    one = sparse.csr_matrix(([0.5, 0.25], ([3, 4], [0, 0])), shape=(n, 1))
    yield "values", factor.solve(b)
    factor.update(one)
    yield "rank", factor.solve(b)
    yield "ldlt", orthant.ldlt(path - 2 * sparse.identity(n)).solve(b)
    graph = sparse.diags([np.ones(n - 1), np.ones(n - 1)], [-1, 1]).tocsr()
    laplacian = sparse.csgraph.laplacian(graph)
    solver = orthant.laplacian_solver(laplacian)
    yield "laplacian", (solver.solve(b - b.mean(axis=0)), solver.iterations)
    seen = []

    def product(v):
        seen.append(orthant.embed(x[:20], "pca", dim=1).embedding[0])  # a call within a call
        return path @ v

    operator = LinearOperator((n, n), matvec=product, matmat=product, dtype=float)
    yield "eigsh", (orthant.eigsh(path, 3), orthant.largest(operator, 2), orthant.eigsh(operator, 2), len(seen) > 3)
    tall = wide @ np.diag(np.arange(1.0, 21))
    yield "svds", (orthant.svds(tall, 2), orthant.svds(LinearOperator(tall.shape, matvec=lambda v: tall @ v, rmatvec=lambda v: tall.T @ v, matmat=lambda v: tall @ v, rmatmat=lambda v: tall.T @ v, dtype=float), 2))
    yield "paths", (orthant.shortest_paths(graph, sources=[0, 7]), orthant.connected_components(graph), orthant.spectral_init(graph, 2))
    r = orthant.lloyd(x, x[:3])
    yield "lloyd", (r.labels, r.centers, orthant.nearest(x, x[:9].astype(np.float32), 3))


def every_error():
    x = np.random.default_rng(1).uniform(size=(3000, 9))
    for call in (
        lambda: orthant.embed(x, "nothing"), lambda: orthant.embed(x, "pca", dim=-1), lambda: orthant.embed(x, "lle", memory=1 << 20),
        lambda: orthant.embed(np.full((9, 2), np.nan), "pca"), lambda: orthant.Model.load("/nowhere/at/all"), lambda: orthant.Model.from_bytes(b"nothing\0at all"),
        lambda: orthant.embed(x, "pca").array("nothing"), lambda: orthant.cholesky(-np.eye(3)), lambda: orthant.embed(x[:9], "pca").model(),
    ):  # fmt: skip
        try:
            call()
        except Exception as error:
            yield type(error).__name__, str(error)
        else:
            yield "no error", None


def summed(outcome):
    """Returns a text of the bytes of all that an outcome has."""
    if isinstance(outcome, (tuple, list)):
        return "".join(map(summed, outcome))
    if hasattr(outcome, "tocsr"):
        outcome = outcome.tocsr()
        return summed([outcome.data, outcome.indices, outcome.indptr])
    if isinstance(outcome, np.ndarray):
        return f"{outcome.shape}{hashlib.sha256(np.ascontiguousarray(outcome).tobytes()).hexdigest()[:12]}"
    if hasattr(outcome, "_fields"):
        return summed(tuple(outcome))
    if hasattr(outcome, "__dict__") and not isinstance(outcome, type):
        return summed([v for v in vars(outcome).values() if isinstance(v, (np.ndarray, float, int))])
    return hashlib.sha256(repr(outcome).encode()).hexdigest()[:12] if len(repr(outcome)) > 60 else repr(outcome)


def outcomes(lib):
    """Returns a line of each call, and the names of the functions that a worker was asked for."""
    called = {"orthant_cancel", "orthant_result_free", "orthant_model_free"}
    if isinstance(lib, _worker.Worker):
        carry_out = lib._call
        lib._call = lambda name, types, *arguments: called.add(name) or carry_out(name, types, *arguments)
    _library._loaded = lib
    orthant.set_num_threads(None)
    lines = [f"{name} {summed(outcome)}" for name, outcome in every_call()]
    return lines + [f"{kind} {said}" for kind, said in every_error()], called


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    want, _ = outcomes(_library._by_ctypes(os.path.join(os.path.dirname(orthant.__file__), "liborthant.so")))
    for named in (False, True):  # with files that have names, as outside Linux
        if named:
            del os.memfd_create
        got, called = outcomes(_worker.Worker(_library._FUNCTIONS))
        for line, other in zip(want, got):
            if line != other:
                print(f"the library: {line}\nthe worker:  {other}")
        print(len(got) == len(want), "not called:", sorted(set(_library._FUNCTIONS) - called))
    print(len(want))
