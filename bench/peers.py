"""Times scikit-learn on one case and prints CPU seconds, wall seconds and peak MiB.

usage: peers.py lle N K DIM | peers.py neighbors FILE.npy K
The swiss roll is drawn as `orthant generate swiss-roll` defines it, with another random stream.
"""
import resource
import sys
import time

import numpy as np
from sklearn.manifold import LocallyLinearEmbedding
from sklearn.neighbors import NearestNeighbors


def main():
    what, k = sys.argv[1], int(sys.argv[3])
    if what == "lle":
        rng = np.random.RandomState(1)
        u, v = rng.rand(2, int(sys.argv[2]))
        t = 1.5 * np.pi * (1 + 2 * u)
        x = np.c_[t * np.cos(t), 21 * v, t * np.sin(t)]
        model = LocallyLinearEmbedding(n_neighbors=k, n_components=int(sys.argv[4]), random_state=1)
        run = lambda: model.fit(x)
    else:
        x = np.load(sys.argv[2]).astype(float)
        run = lambda: NearestNeighbors(n_neighbors=k, algorithm="brute").fit(x).kneighbors()
    NearestNeighbors(n_neighbors=2).fit(np.eye(5)).kneighbors()  # warm up
    cpu, wall = time.process_time(), time.perf_counter()
    run()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    print(cpu, wall, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


main()
