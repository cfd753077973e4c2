"""Runs one method of scikit-learn, SciPy, SLEPc, umap-learn, openTSNE, PaCMAP, hdbscan, fast_hdbscan or igraph and says what it cost.

A request comes on standard input as JSON: {"method": NAME, "params": {...}, "in": X, "out": Y}. X is an .npy
or .mtx file with one sample a row, a sparse matrix of .mtx, or a folder of jobs; the result (an embedding, distances,
labels, a factor, eigenpairs) goes to Y as .npy, where Y is given. One JSON object goes to standard output: seconds of processor and wall time around the call alone, after all
imports and one warming call; the peak of the process in bytes; the program; what the method says of its quality.
"""
import contextlib
import glob
import json
import os
import resource
import sys
import time
import warnings

import numpy as np
import scipy
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


def factorized_sparse(p, x):
    """A factorisation of sparse data by each rank, from a random start: the mean error."""
    size = np.sqrt((x.data ** 2).sum())
    warnings.filterwarnings("ignore")  # the limit of iterations may be reached

    def run():
        errors = []
        for rank in p["ranks"]:
            model = decomposition.NMF(n_components=rank, solver=p["solver"], beta_loss=p["loss"], init="random",
                                      max_iter=p["iterations"], tol=p["tolerance"], random_state=1)
            w = model.fit_transform(x)
            h = model.components_
            inner = (x @ h.T * w).sum()
            errors.append(np.sqrt(max(0, size ** 2 - 2 * inner + ((w.T @ w) * (h @ h.T)).sum())) / size)
        return [], {"error": float(np.mean(errors))}
    return run


def swept(p, x):
    """Factorisations from the given start to several numbers of sweeps: the least processor seconds of three, and the error."""
    start = np.load(p["init_w"]), np.load(p["init_h"])
    warnings.filterwarnings("ignore")  # the limit of sweeps is meant to be reached

    def run():
        quality = {}
        for sweeps in p["sweeps"]:
            seconds = []
            for _ in range(p["runs"]):
                begun = time.process_time()
                w, h, _ = decomposition.non_negative_factorization(
                    x, W=start[0].copy(), H=start[1].copy(), n_components=p["rank"], init="custom", solver=p["solver"],
                    beta_loss=p["loss"], tol=0, max_iter=sweeps)
                seconds.append(time.process_time() - begun)
            quality["seconds-%d" % sweeps] = min(seconds)
            quality["error-%d" % sweeps] = float(np.linalg.norm(x - w @ h) / np.linalg.norm(x))
        return w, quality
    return run


def mapped(p, x):
    model = manifold.LocallyLinearEmbedding(n_neighbors=p["neighbors"], n_components=p["dim"], random_state=1).fit(x)
    rows = np.load(p["rows"])
    return lambda: (model.transform(rows), {})


def one_job(path, folder):
    y = manifold.LocallyLinearEmbedding(n_neighbors=10, n_components=2, random_state=0).fit_transform(np.load(path))
    np.save(os.path.join(folder, os.path.basename(path)), y)


def many_jobs(p, folder):
    from joblib import Parallel, delayed
    paths = sorted(glob.glob(os.path.join(folder, "x-*.npy")))

    def run():
        with Parallel(n_jobs=p["cores"], backend=p["backend"]) as parallel:
            parallel(delayed(one_job)(path, p["results"]) for path in paths[:p["cores"]])  # its workers have started
            begun = time.perf_counter()
            parallel(delayed(one_job)(path, p["results"]) for path in paths)
            return [], {"wall": time.perf_counter() - begun}
    return run


def assembled(p, sets):
    """Patches 1/(1 + a + b) on the given sets of rows, summed by SciPy; the result is the matrix times a vector."""
    from scipy.sparse import coo_matrix
    sets = sets.astype(np.int32)
    n, k = sets.shape
    patch = 1 / (1 + np.arange(k)[:, None] + np.arange(k)[None, :])
    rows, cols = np.repeat(sets, k, axis=1).ravel(), np.tile(sets, (1, k)).ravel()
    values = np.tile(patch.ravel(), n)

    def run():
        cpu, wall = time.process_time(), time.perf_counter()
        a = coo_matrix((values, (rows, cols)), shape=(n, n)).tocsr()
        took = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
        return (a @ np.sin(np.arange(n)))[:, None], took
    return run


def masses(p):
    """M of a generalised problem."""
    from scipy.io import mmread
    return mmread(p["mass"]).tocsr() if "mass" in p else None


def inverted(p, a):
    """ARPACK on the inverse of the shifted matrix, which SuperLU factorises. The result has the values in its first row."""
    from scipy.sparse import identity
    from scipy.sparse.linalg import LinearOperator, eigsh, splu
    solves, mass = 0, masses(p)

    def run():
        lu = splu((a + p["shift"] * (identity(a.shape[0]) if mass is None else mass)).tocsc())

        def solve(x):
            nonlocal solves
            solves += 1
            return lu.solve(x)
        inverse = LinearOperator(a.shape, matvec=solve, dtype=float)
        start = np.random.RandomState(1).uniform(-1, 1, a.shape[0])
        values, vectors = eigsh(a, p["pairs"], M=mass, sigma=-p["shift"], OPinv=inverse, v0=start)
        return np.vstack([values, vectors]), {"solves": solves}
    return run


def pairs_of(solver, matrix, count):
    """The pairs that SLEPc has found, the values in the first row."""
    if solver.getConverged() < count:
        sys.exit("SLEPc found %d of %d pairs" % (solver.getConverged(), count))
    vector = matrix.createVecRight()
    result = np.empty((vector.getSize() + 1, count))
    for j in range(count):
        result[0, j] = solver.getEigenpair(j, vector).real
        result[1:, j] = vector.getArray()
    return result


def inverted_slepc(p, a):
    """SLEPc's Krylov–Schur on the inverse of the shifted matrix, which MUMPS factorises."""
    from petsc4py import PETSc
    from slepc4py import SLEPc
    mass = masses(p)

    def run():
        PETSc.Log.begin()  # counts the solves
        matrix = PETSc.Mat().createAIJ(a.shape, csr=(a.indptr, a.indices, a.data))
        matrix.assemble()
        solver = SLEPc.EPS().create()
        if mass is None:
            solver.setOperators(matrix)
            solver.setProblemType(SLEPc.EPS.ProblemType.HEP)
        else:
            beside = PETSc.Mat().createAIJ(a.shape, csr=(mass.indptr, mass.indices, mass.data))
            beside.assemble()
            solver.setOperators(matrix, beside)
            solver.setProblemType(SLEPc.EPS.ProblemType.GHEP)
        solver.setDimensions(p["pairs"])
        solver.setTolerances(tol=1e-14)
        solver.setTarget(-p["shift"])
        solver.setWhichEigenpairs(SLEPc.EPS.Which.TARGET_MAGNITUDE)
        transform = solver.getST()
        transform.setType(SLEPc.ST.Type.SINVERT)
        linear = transform.getKSP()
        linear.setType(PETSc.KSP.Type.PREONLY)
        linear.getPC().setType(PETSc.PC.Type.CHOLESKY)
        linear.getPC().setFactorSolverType(PETSc.Mat.SolverType.MUMPS)
        solver.solve()
        return pairs_of(solver, matrix, p["pairs"]), {"solves": PETSc.Log.Event("MatSolve").getPerfInfo()["count"]}
    return run


def multigrid(p, a):
    """PETSc's algebraic multigrid of the matrix, shifted a little to be definite."""
    from petsc4py import PETSc
    from scipy.sparse import identity
    shifted = (a + p["shift"] * identity(a.shape[0])).tocsr()
    matrix = PETSc.Mat().createAIJ(a.shape, csr=(shifted.indptr, shifted.indices, shifted.data))
    matrix.setOption(PETSc.Mat.Option.SPD, True)
    pc = PETSc.PC().create()
    pc.setOperators(matrix)
    pc.setType(PETSc.PC.Type.GAMG)
    pc.setUp()
    return pc, matrix


def preconditioned(p, a):
    """The operator of a preconditioner that SciPy is given; None: none."""
    from scipy.sparse import diags
    from scipy.sparse.linalg import LinearOperator
    if p["preconditioner"] == "none":
        return None
    if p["preconditioner"] == "diagonal":
        return diags(1 / a.diagonal())
    pc, matrix = multigrid(p, a)
    x, y = matrix.createVecs()

    def each(block):
        block = block.reshape(a.shape[0], -1)
        result = np.empty_like(block)
        for j in range(block.shape[1]):
            x.setArray(block[:, j])
            pc.apply(x, y)
            result[:, j] = y.getArray()
        return result
    return LinearOperator(a.shape, matvec=lambda v: each(v)[:, 0], matmat=each, dtype=float)


def lobpcg(p, a):
    """SciPy's LOBPCG, apart from the constant."""
    from scipy.sparse.linalg import lobpcg as search

    def run():
        start = np.random.RandomState(1).uniform(-1, 1, (a.shape[0], p["pairs"]))
        values, vectors = search(a, start, M=preconditioned(p, a), Y=np.ones((a.shape[0], 1)), tol=p["absolute"], maxiter=p["iterations"], largest=False)
        order = np.argsort(values)
        return np.vstack([values[order], vectors[:, order]]), {}
    return run


def slepc_davidson(p, a):
    """SLEPc's generalized Davidson, apart from the constant."""
    from petsc4py import PETSc
    from slepc4py import SLEPc

    def run():
        matrix = PETSc.Mat().createAIJ(a.shape, csr=(a.indptr, a.indices, a.data))
        pc, beside = multigrid(p, a)
        constant = matrix.createVecRight()
        constant.set(1)
        solver = SLEPc.EPS().create()
        solver.setOperators(matrix)
        solver.setProblemType(SLEPc.EPS.ProblemType.HEP)
        solver.setType(SLEPc.EPS.Type.GD)
        solver.setDimensions(p["pairs"])
        solver.setTolerances(tol=p["relative"], max_it=p["iterations"] * p["pairs"])
        solver.setWhichEigenpairs(SLEPc.EPS.Which.SMALLEST_REAL)
        solver.setDeflationSpace([constant])
        transform = solver.getST()
        transform.setType(SLEPc.ST.Type.PRECOND)
        transform.getKSP().setType(PETSc.KSP.Type.PREONLY)
        transform.getKSP().setPC(pc)
        transform.setPreconditionerMat(beside)
        solver.solve()
        return pairs_of(solver, matrix, p["pairs"]), {"iterations": float(solver.getIterationNumber())}
    return run


def consistent(n):
    b = np.sin(np.arange(n))
    return b - b.mean()


def conjugate(p, a):
    """SciPy's conjugate gradients for one right-hand side."""
    from scipy.sparse.linalg import cg

    def run():
        x, _ = cg(a, consistent(a.shape[0]), tol=p["system"], atol=0, maxiter=20 * p["iterations"], M=preconditioned(p, a))
        return x[:, None], {}
    return run


def conjugate_petsc(p, a):
    """PETSc's conjugate gradients for one right-hand side."""
    from petsc4py import PETSc

    def run():
        pc, beside = multigrid(p, a)
        matrix = PETSc.Mat().createAIJ(a.shape, csr=(a.indptr, a.indices, a.data))
        matrix.setNullSpace(PETSc.NullSpace().create(constant=True))
        linear = PETSc.KSP().create()
        linear.setPC(pc)
        linear.setOperators(matrix, beside)
        linear.setType(PETSc.KSP.Type.CG)
        linear.setNormType(PETSc.KSP.NormType.UNPRECONDITIONED)
        linear.setTolerances(rtol=p["system"], max_it=20 * p["iterations"])
        b, x = matrix.createVecs()
        b.setArray(consistent(a.shape[0]))
        linear.solve(b, x)
        return x.getArray()[:, None].copy(), {"iterations": float(linear.getIterationNumber())}
    return run


def cholesky(p, a):
    """CHOLMOD or MUMPS through PETSc, L Lᵀ or, by MUMPS alone, L D Lᵀ: analysis and factorisation, a solution, the same pattern with another shift, and a solution."""
    from petsc4py import PETSc
    from scipy.sparse import identity
    shifted = [(a + p[key] * identity(a.shape[0])).tocsr() for key in ("first", "second")]

    def run():
        took = {}

        def timed(phase, call):
            cpu, wall = time.process_time(), time.perf_counter()
            call()
            took["cpu-" + phase], took["wall-" + phase] = time.process_time() - cpu, time.perf_counter() - wall
        one, other = [PETSc.Mat().createAIJ(b.shape, csr=(b.indptr, b.indices, b.data)) for b in shifted]
        one.setOption(PETSc.Mat.Option.SPD if p["definite"] else PETSc.Mat.Option.SYMMETRIC, True)
        linear = PETSc.KSP().create()
        linear.setOperators(one)
        linear.setType(PETSc.KSP.Type.PREONLY)
        linear.getPC().setType(PETSc.PC.Type.CHOLESKY)
        linear.getPC().setFactorSolverType(p["solver"])
        b, x = one.createVecs()
        b.setArray(np.sin(np.arange(a.shape[0])))
        timed("factor", linear.setUp)
        timed("solve", lambda: linear.solve(b, x))
        first = x.getArray().copy()
        other.copy(one, structure=PETSc.Mat.Structure.SAME_NONZERO_PATTERN)
        linear.setOperators(one)
        timed("again", linear.setUp)
        linear.solve(b, x)
        took["cpu"], took["wall"] = (sum(took[kind + phase] for phase in ("factor", "solve", "again")) for kind in ("cpu-", "wall-"))
        return np.column_stack([first, x.getArray()]), took
    return run


def warmed(make, p, x):
    """A map of x by a program that compiles itself when it is first called, which a small set makes it do beforehand.

    umap-learn has another search for 4096 samples or more.
    """
    few = np.random.RandomState(0).normal(size=(4200 if len(x) >= 4096 else 300, 8)).astype(x.dtype)
    make(p).fit_transform(few)
    return lambda: (make(p).fit_transform(x), {})


def umap_learn(p, x):
    """Without a seed it runs on all threads, and no two maps are the same."""
    import umap
    return warmed(lambda p: umap.UMAP(random_state=p.get("seed")), p, x)


def pacmap(p, x):
    from pacmap import PaCMAP
    return warmed(lambda p: PaCMAP(random_state=1000 * p["seed"]), p, x)  # seeds that follow each other share most of its draws


def tsne(p, x):
    return embedded(manifold.TSNE(perplexity=p["perplexity"], init="pca", learning_rate="auto", random_state=p["seed"], n_jobs=p["threads"]), x)


def opentsne(p, x):
    from openTSNE import TSNE
    model = TSNE(perplexity=p["perplexity"], random_state=p["seed"], n_jobs=p["threads"])
    return lambda: (np.asarray(model.fit(x)), {})


def density(p, x):
    """hdbscan does not count the sample itself in min_samples."""
    import hdbscan
    return labelled(hdbscan.HDBSCAN(min_cluster_size=p["size"], min_samples=p["samples"] - 1, approx_min_span_tree=False, core_dist_n_jobs=p["threads"]), x)


def density_sklearn(p, x):
    return labelled(cluster.HDBSCAN(min_cluster_size=p["size"], min_samples=p["samples"], n_jobs=p["threads"]), x)


def density_fast(p, x):
    """It does not count the sample itself either, and compiles itself when it is first called."""
    from fast_hdbscan import HDBSCAN
    few = np.random.RandomState(0).normal(size=(2000, x.shape[1]))
    HDBSCAN(min_cluster_size=20, min_samples=p["samples"] - 1).fit(few)
    return labelled(HDBSCAN(min_cluster_size=p["size"], min_samples=p["samples"] - 1), x)


def labelled(model, x):
    return lambda: (model.fit(x).labels_, {})


def communities(p, a):
    """The graph is made before; iterations is -1 for as many as change something."""
    import igraph
    from scipy.sparse import triu
    upper = triu(a).tocoo()
    graph = igraph.Graph(a.shape[0], np.column_stack([upper.row, upper.col]).tolist())
    return lambda: (graph.community_leiden(objective_function="modularity", n_iterations=p["iterations"]).membership, {})


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
    "nmf-sweeps": swept,
    "nmf-sparse": factorized_sparse,
    "lle-transform": mapped,
    "lle-jobs": many_jobs,
    "coo-csr": assembled,
    "arpack": inverted,
    "slepc": inverted_slepc,
    "lobpcg": lobpcg,
    "slepc-davidson": slepc_davidson,
    "cg": conjugate,
    "petsc-cg": conjugate_petsc,
    "cholesky": cholesky,
    "umap": umap_learn,
    "pacmap": pacmap,
    "tsne": tsne,
    "opentsne": opentsne,
    "hdbscan": density,
    "sklearn-hdbscan": density_sklearn,
    "fast-hdbscan": density_fast,
    "igraph-leiden": communities,
}

MAPS = ("umap", "pacmap", "tsne", "opentsne")  # of single precision, which these programs compute the most in


def program(method):
    if method in ("coo-csr", "arpack", "lobpcg", "cg"):
        return "SciPy " + scipy.__version__
    if method in ("cholesky", "petsc-cg"):
        return "PETSc " + __import__("petsc4py").__version__
    others = {"umap": ("umap-learn", "umap"), "pacmap": ("PaCMAP", "pacmap"), "opentsne": ("openTSNE", "openTSNE"),
              "hdbscan": ("hdbscan", "hdbscan"), "fast-hdbscan": ("fast_hdbscan", "fast_hdbscan"), "igraph-leiden": ("igraph", "igraph")}
    if method in others:
        name, module = others[method]
        return (name + " " + getattr(sys.modules[module], "__version__", "")).strip()
    return "SLEPc " + __import__("slepc4py").__version__ if method in ("slepc", "slepc-davidson") else "scikit-learn " + __version__


def load(method, path):
    if method == "lle-jobs":
        return path
    if method in ("arpack", "slepc", "cholesky", "lobpcg", "slepc-davidson", "cg", "petsc-cg"):
        from scipy.io import mmread
        return mmread(path).tocsr()
    if path.endswith(".npz"):
        from scipy.sparse import load_npz
        return load_npz(path).tocsr().astype(float)
    if path.endswith(".mtx"):
        from scipy.io import mmread
        x = mmread(path)
        return np.asarray(x.todense() if hasattr(x, "todense") else x, dtype=float)
    return np.load(path).astype(np.float32 if method in MAPS else float)


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
        sys.exit("there is no method %r here; there are %s" % (request["method"], ", ".join(METHODS)))
    x = load(request["method"], request["in"])
    with contextlib.redirect_stdout(sys.stderr):  # for what a program has to say of itself
        run = METHODS[request["method"]](request["params"], x)
        neighbors.NearestNeighbors(n_neighbors=2).fit(np.eye(5)).kneighbors()  # warm up
        cpu, wall = time.process_time(), time.perf_counter()
        result, quality = run()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    cpu, wall = quality.pop("cpu", cpu), quality.pop("wall", wall)  # where the call does more than what is timed
    peak = peak_bytes()
    if request["out"]:
        np.save(request["out"], np.asarray(result, dtype=float))
    print(json.dumps({"cpu": cpu, "wall": wall, "peak": peak, "version": program(request["method"]), "quality": quality}))


main()
