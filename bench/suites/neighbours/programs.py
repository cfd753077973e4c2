"""Searches nearest neighbours by faiss, hnswlib or pynndescent and says what it took.

A request comes on standard input as JSON: {"program": NAME, "params": {...}, "settings": [...], "in": X, "rows": R,
"out": Y, "k": k, "threads": n}. X is a float32 .npy file, of which every row is a query, too. An index is built once by
the params, and searched by each setting in turn. Y receives the neighbours of the rows that R lists, without the rows
themselves: settings × rows × k numbers of rows, -1 where fewer were found. One JSON object goes to standard output:
wall and processor seconds of reading, of building and of the search by each setting, after all imports and, for
pynndescent, after a run on few of the rows, for which it compiles itself; the peak of the process in bytes; the program.
"""
import contextlib
import json
import resource
import sys
import time

import numpy as np


class Faiss:
    def __init__(self, threads):
        import faiss
        self.module, self.version = faiss, "faiss " + faiss.__version__
        faiss.omp_set_num_threads(threads)

    def warm(self, x, p):
        pass

    def build(self, x, p):
        index = self.make(x, p)
        if not index.is_trained:
            index.train(x)
        index.add(x)
        return index

    def search(self, index, x, k, setting):
        self.set(index, setting)
        return index.search(x, k + 1)[1]  # the row itself is among them

    def set(self, index, setting):
        pass


class Flat(Faiss):
    def make(self, x, p):
        return self.module.IndexFlatL2(x.shape[1])


class InvertedLists(Faiss):
    def make(self, x, p):
        self.quantizer = self.module.IndexFlatL2(x.shape[1])
        return self.module.IndexIVFFlat(self.quantizer, x.shape[1], p["nlist"])

    def set(self, index, setting):
        index.nprobe = setting


class SmallWorld(Faiss):
    def make(self, x, p):
        return self.module.IndexHNSWFlat(x.shape[1], p["m"])

    def set(self, index, setting):
        index.hnsw.efSearch = setting


class Descent(Faiss):
    """Setting 0 takes the lists of the graph as they were built."""

    def make(self, x, p):
        index = self.module.IndexNNDescentFlat(x.shape[1], p["K"])
        index.nndescent.L = 2 * p["K"]
        return index

    def search(self, index, x, k, setting):
        if setting == 0:
            return self.module.vector_to_array(index.nndescent.final_graph).reshape(len(x), -1)
        return super().search(index, x, k, setting)

    def set(self, index, setting):
        index.nndescent.search_L = setting


class Hnswlib:
    def __init__(self, threads):
        import hnswlib
        self.module, self.version, self.threads = hnswlib, "hnswlib", threads
        with contextlib.suppress(Exception):
            from importlib.metadata import version
            self.version += " " + version("hnswlib")

    def warm(self, x, p):
        pass

    def build(self, x, p):
        index = self.module.Index("l2", x.shape[1])
        index.init_index(max_elements=len(x), M=p["m"], ef_construction=p["ef_construction"], random_seed=1)
        index.set_num_threads(self.threads)
        index.add_items(x)
        return index

    def search(self, index, x, k, setting):
        index.set_ef(setting)
        return index.knn_query(x, k + 1)[0]


class Pynndescent:
    """The graph that it builds is the result: there is nothing to set for the search."""

    def __init__(self, threads):
        import pynndescent
        self.module, self.version, self.threads = pynndescent, "pynndescent " + pynndescent.__version__, threads

    def warm(self, x, p):
        self.build(x[:5000], p)

    def build(self, x, p):
        return self.module.NNDescent(x, n_neighbors=p["n_neighbors"] + 1, n_jobs=self.threads, random_state=1)  # it counts the row itself

    def search(self, index, x, k, setting):
        return index.neighbor_graph[0]


PROGRAMS = {"faiss-flat": Flat, "faiss-ivf": InvertedLists, "faiss-hnsw": SmallWorld, "faiss-nndescent": Descent,
            "hnswlib": Hnswlib, "pynndescent": Pynndescent}


def others(found, rows, k):
    """The first k of each row without the row itself."""
    result = np.full((len(rows), k), -1, dtype=np.int64)
    for i, row in enumerate(rows):
        near = [j for j in found[row] if j != row and j >= 0][:k]
        result[i, :len(near)] = near
    return result


def timed(call):
    cpu, wall = time.process_time(), time.perf_counter()
    result = call()
    return result, {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def peak_bytes():
    """The largest resident size. What getrusage says begins, on Linux, with the peak of the process before it."""
    with contextlib.suppress(OSError), open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main():
    request = json.load(sys.stdin)
    p, k, rows = request["params"], request["k"], np.load(request["rows"])
    with contextlib.redirect_stdout(sys.stderr):  # for what a program has to say of itself
        program = PROGRAMS[request["program"]](request["threads"])
        program.warm(np.load(request["in"], mmap_mode="r")[:5000].copy(), p)
        x, read = timed(lambda: np.load(request["in"]))
        index, built = timed(lambda: program.build(x, p))
        searches, results = [], []
        for setting in request["settings"]:
            found, took = timed(lambda: program.search(index, x, k, setting))
            searches.append(took)
            results.append(others(found, rows, k))
    np.save(request["out"], np.concatenate(results))
    print(json.dumps({"read": read, "build": built, "search": searches, "peak": peak_bytes(), "version": program.version}))


main()
