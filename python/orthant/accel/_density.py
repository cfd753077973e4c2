"""Density clusterings: the call of the engine, and the trees of hdbscan and scikit-learn from the engine's minimum spanning tree."""

import numpy as np
from scipy.sparse import csgraph, issparse

from .. import _calls
from ._dispatch import Refused, ask

CONDENSED = np.dtype([("parent", np.intp), ("child", np.intp), ("lambda_val", float), ("child_size", np.intp)])


class Clusters:
    """The clusters of n samples with their spanning tree of mutual reachability distances, the shortest edges first."""

    def __init__(self, found):
        self.labels, self.probabilities = found.array("labels"), found.array("probabilities")[:, 0]
        weights = found.array("spanning_distances")
        order = np.argsort(weights, kind="stable")
        self.edges = np.column_stack([found.array("spanning_from")[order], found.array("spanning_to")[order], weights[order]])
        if len(self.edges) != len(self.labels) - 1:
            raise Refused("not all samples are joined")

    def linkage(self):
        """Returns the single-linkage tree in SciPy's format: two nodes, their distance, and the number of samples, for each join."""
        n = len(self.labels)
        parent, size = list(range(2 * n - 1)), [1] * n
        joins = np.empty((n - 1, 4))
        for at, (a, b, distance) in enumerate(self.edges.tolist()):
            a, b = _root(parent, int(a)), _root(parent, int(b))
            parent[a] = parent[b] = n + at
            size.append(size[a] + size[b])
            joins[at] = a, b, distance, size[-1]
        return joins


def find(X, metric, least, reach, chosen_by, epsilon, most, single, running, apart):
    """Returns the Clusters of samples, or of distances with metric "precomputed".

    least and most: samples of a cluster (most may be None); reach: of a core distance, the sample itself included; single: whether all samples may be the only
    cluster. hdbscan and scikit-learn take no notice of single with the method "leaf", but for clusters that an epsilon joins. apart: the library's errors about stored
    distances that are too few for a sample, and that do not join all samples.
    """
    n = X.shape[0]
    if n < 2:
        raise Refused(f"{n} sample")
    leaves = chosen_by == "leaf"
    parameters = {
        "min_cluster_size": min(least, n), "min_samples": reach, "cluster_selection_method": chosen_by, "cluster_selection_epsilon": float(epsilon),
        "allow_single_cluster": bool(single and (not leaves or epsilon > 0)), "threads": running,
    }  # fmt: skip
    if most is not None:
        parameters["max_cluster_size"] = most
    if metric != "precomputed":
        found = ask(_calls.cluster, X, "hdbscan", metric=metric, standardize="none", **parameters)
    else:
        near = {"graph": _lists(X, reach, apart)} if issparse(X) else {"distances": _full(X)}
        found = ask(_calls.cluster, None, "hdbscan", **near, **parameters)
    clusters = Clusters(found)
    if leaves and found.report["details"]["condensed_components"] == 1:  # a tree without branches has no leaves there
        clusters.labels[:], clusters.probabilities[:] = -1, 0
    return clusters


def _full(D):
    if not np.isfinite(D).all():
        raise Refused("distances are infinite")
    return np.ascontiguousarray(D, dtype=np.float64)


def _lists(D, reach, apart):
    """Returns the stored distances. Other code has other rules for what is not stored, where that is not symmetric."""
    D = D.tocsr().astype(np.float64)
    if np.diff(D.indptr).min() < reach - 1:
        raise ValueError(apart[0].format(reach - 1))
    if csgraph.connected_components(D, directed=False, return_labels=False) > 1:
        raise ValueError(apart[1])
    if not D.data.all() or D.diagonal().any() or (D != D.T).nnz:
        raise Refused("the stored distances are not symmetric, or some of them are zero, or are of samples to themselves")
    return D


class Condensed:
    """The condensed tree of a single-linkage tree: the components of at least some size, of which component 0 is all samples.

    All edges of one length are removed at once, as the engine does. Where that leaves three or more components, the tree splits several times at the
    same distance, since the libraries' code expects two.
    """

    def __init__(self, linkage, least):
        n = len(linkage) + 1
        self.linkage, self.least = linkage, least
        self.parent, self.birth, self.size = [-1], [0.0], [n]
        nodes, runs = [2 * n - 2], []
        left, right, height, size = (linkage[:, column].tolist() for column in range(4))
        begin = self._places(left, right, size)
        for c, node in enumerate(nodes):  # which grows
            while node is not None:
                at = height[node - n]
                density = 1 / at if at > 0 else np.inf
                large, inner = [], [node]
                while inner:
                    v = inner.pop()
                    if v >= n and height[v - n] == at:
                        inner += int(left[v - n]), int(right[v - n])
                    elif v >= n and size[v - n] >= least:
                        large.append(v)
                    else:
                        runs.append((begin[v], c, density, 1 if v < n else int(size[v - n])))
                node = large.pop() if len(large) == 1 else None
                self._split(c, density, sorted(large, key=begin.__getitem__), nodes)
        runs = np.array(sorted(runs), dtype=float)
        counts, order = runs[:, 3].astype(int), self._order
        self.of, self.density = np.empty(n, int), np.empty(n)  # the component that each sample leaves last, and where
        self.of[order], self.density[order] = np.repeat(runs[:, 1].astype(int), counts), np.repeat(runs[:, 2], counts)

    def _places(self, left, right, size):
        """Returns where the samples of each node begin in an order in which they are contiguous."""
        n = len(left) + 1
        begin = [0] * (2 * n - 1)
        for at in range(n - 2, -1, -1):
            l, r = int(left[at]), int(right[at])
            begin[l] = begin[n + at]
            begin[r] = begin[l] + (1 if l < n else int(size[l - n]))
        self._order = np.empty(n, int)
        self._order[begin[:n]] = np.arange(n)
        return begin

    def _split(self, c, density, parts, nodes):
        """Adds two parts of a component or more, the last of them together until they are two."""
        while parts:
            taken, parts = (parts, []) if len(parts) == 2 else (parts[:1], parts[1:])
            for v in taken:
                self._add(c, density, v)
                nodes.append(v)
            if parts:
                self._add(c, density, *parts)
                c = len(nodes)
                nodes.append(None)

    def _add(self, parent, density, *nodes):
        self.parent.append(parent)
        self.birth.append(density)
        self.size.append(int(self.linkage[np.array(nodes) - len(self.linkage) - 1, 3].sum()))

    def chosen(self, labels):
        """Returns the component of each cluster: the smallest that contains its samples."""
        pairs = np.unique(np.column_stack([labels, self.of])[labels >= 0], axis=0)
        found = []
        for label in range(labels.max(initial=-1) + 1):
            inside = set(pairs[pairs[:, 0] == label, 1].tolist())
            while len(inside) > 1:
                last = max(inside)  # a parent comes before its children
                inside.remove(last)
                inside.add(self.parent[last])
            found += inside
        return found

    def numbered(self, labels):
        """Returns the numbers of the components, of which clusters have those in the order of their labels: all parents have smaller ones than their children."""
        chosen = self.chosen(labels)
        inside, is_chosen = [False] * len(self.parent), set(chosen)
        for c, up in enumerate(self.parent):
            inside[c] = up >= 0 and (inside[up] or up in is_chosen)
        order = [c for c in range(len(inside)) if not inside[c] and c not in is_chosen] + chosen + [c for c in range(len(inside)) if inside[c]]
        numbers = np.empty(len(order), int)
        numbers[order] = np.arange(len(order))
        return numbers

    def table(self, labels, samples=None, n=None):
        """Returns hdbscan's array of the tree. samples: the numbers of the samples among n, of which the others leave at once."""
        samples = np.arange(len(self.of)) if samples is None else samples
        n = len(samples) if n is None else n
        others = np.setdiff1d(np.arange(n), samples)
        numbers = n + self.numbered(labels)
        rows = np.empty(len(others) + len(self.of) + len(self.parent) - 1, CONDENSED)
        alone, single, parts = rows[: len(others)], rows[len(others) : len(others) + len(self.of)], rows[len(others) + len(self.of) :]
        alone["parent"], alone["child"], alone["lambda_val"], alone["child_size"] = n, others, 0, 1
        single["parent"], single["child"], single["lambda_val"], single["child_size"] = numbers[self.of], samples, self.density, 1
        parts["parent"], parts["child"], parts["lambda_val"], parts["child_size"] = numbers[self.parent[1:]], numbers[1:], self.birth[1:], self.size[1:]
        return rows[np.lexsort((rows["child"], rows["lambda_val"], rows["parent"]))]

    def ends(self):
        """Returns the largest density of each component: where its last samples leave it, or its parts part."""
        found = np.zeros(len(self.parent))
        np.maximum.at(found, self.of, self.density)
        np.maximum.at(found, np.array(self.parent[1:], int), self.birth[1:])
        return found

    def scores(self):
        """Returns hdbscan's outlier scores: how far each sample is below the largest density of the component that it leaves, as a share of it."""
        most = self.ends()[self.of]
        inside = ~np.isfinite(self.density) | (most == 0)
        with np.errstate(invalid="ignore"):
            return np.where(inside, 0.0, np.where(np.isfinite(most), (most - self.density) / np.where(most > 0, most, 1), 1.0))

    def persistence(self, labels):
        """Returns hdbscan's score of each cluster: the mean of the densities over which its samples stay in it, of the largest density."""
        birth, parent = np.array(self.birth), np.array(self.parent)
        most, counts = max(self.density.max(), birth.max()), np.bincount(labels[labels >= 0])
        if not 0 < most < np.inf:
            return np.ones(len(counts))
        stability = np.bincount(self.of, self.density - birth[self.of], len(birth))
        stability += np.bincount(parent[1:], np.array(self.size[1:]) * (birth[1:] - birth[parent[1:]]), len(birth))
        return stability[self.chosen(labels)] / (counts * most)


def widened(linkage, samples, n):
    """Returns a single-linkage tree of some samples as one of n, which the others join at an infinite distance."""
    others = np.setdiff1d(np.arange(n), samples)
    nodes = linkage[:, :2].astype(int)
    joined = linkage.copy()
    joined[:, :2] = np.where(nodes < len(samples), samples[np.minimum(nodes, len(samples) - 1)], nodes + len(others))
    top, count = 2 * len(samples) - 2 + len(others), len(samples)
    far = [(other, top + at, np.inf, count + at + 1) for at, other in enumerate(others)]
    return np.vstack([joined, np.array(far).reshape(-1, 4)])


def _root(parent, i):
    top = i
    while parent[top] != top:
        top = parent[top]
    while parent[i] != top:
        parent[i], i = top, parent[i]
    return top
