"""The peak memory of le on a given graph from Python, compared with the command on the same file.

    make build python && PYTHONPATH=python python3 python/bench_graph.py [SIDE] [COMMAND]

The graph is a grid of SIDE × SIDE vertices (1000), each joined to the 8 around it at distances that differ. Every
run has a process of its own; peaks are those that the kernel reports, in MiB, what reading the graph took included.
"""

import os
import resource
import subprocess
import sys
import tempfile

import numpy as np
import scipy.sparse as sp


def grid(side):
    """A symmetric matrix of distances."""
    n = side * side
    at = np.arange(n, dtype=np.int32).reshape(side, side)
    pairs = [(at[:, :-1], at[:, 1:]), (at[:-1], at[1:]), (at[:-1, :-1], at[1:, 1:]), (at[:-1, 1:], at[1:, :-1])]
    a, b = (np.concatenate([pair[end].reshape(-1) for pair in pairs]) for end in (0, 1))
    far = 1 + 0.3 * np.sin(np.arange(len(a)))
    return sp.csr_matrix((np.concatenate([far, far]), (np.concatenate([a, b]), np.concatenate([b, a]))), shape=(n, n))


def run(how, folder, command):
    """Is one run, which prints its peak in KiB."""
    graph, out = os.path.join(folder, "g.npz"), os.path.join(folder, f"{how}.npy")
    if how == "command":
        subprocess.run([command, "embed", "--method", "le", "--graph", graph, "--out", out, "--quiet"], check=True)
        print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
        return
    import orthant

    g = sp.load_npz(graph)
    if how == "function":
        y = orthant.embed(None, "le", graph=g).embedding
    else:
        y = orthant.LaplacianEigenmaps(metric="precomputed").fit_transform(g)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    np.save(out, y)


def main(side="1000", command="bin/orthant"):
    with tempfile.TemporaryDirectory() as folder:
        sp.save_npz(os.path.join(folder, "g.npz"), grid(int(side)), compressed=False)
        least = None
        for how in ("command", "function", "estimator"):
            child = subprocess.run([sys.executable, __file__, "--run", how, folder, command], stdout=subprocess.PIPE, text=True, check=True)
            peak = int(child.stdout) / 1024
            least = least or peak
            same = np.array_equal(np.load(os.path.join(folder, "command.npy")), np.load(os.path.join(folder, f"{how}.npy")))
            print(f"{how:10} {peak:8.0f} MiB {peak / least:6.2f} × the command's, {'equal to the bit' if same else 'OTHER COORDINATES'}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        run(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
