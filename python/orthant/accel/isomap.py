"""scikit-learn's Isomap on the engine."""

import numpy as np
from scipy.sparse import issparse
from scipy.spatial.distance import cdist
from sklearn.manifold import Isomap as _Base
from sklearn.utils.validation import check_is_fitted

from .. import _calls, _solvers
from .._base import validate_data
from . import _barycentric, _graphs
from ._accelerated import Accelerated, Lazy
from ._dispatch import Refused, ask, dispatch, threads

_METRICS = {"euclidean": "euclidean", "l2": "euclidean", "manhattan": "manhattan", "cityblock": "manhattan", "l1": "manhattan", "chebyshev": "chebyshev"}
_CDIST = {"euclidean": "euclidean", "manhattan": "cityblock", "chebyshev": "chebyshev"}
_BLOCK = 1 << 22  # entries of a block


class Isomap(Accelerated, _Base):
    _accel_lazy = ("nbrs_", "dist_matrix_", "kernel_pca_")

    @Lazy
    def nbrs_(self, fitted):
        from sklearn.neighbors import NearestNeighbors

        return NearestNeighbors(**fitted["neighbors"]).fit(fitted["samples"])

    @Lazy
    def dist_matrix_(self, fitted):
        lengths = _solvers.shortest_paths(fitted["graph"], threads=fitted["threads"])
        return lengths.astype(self.embedding_.dtype, copy=False)

    @Lazy
    def kernel_pca_(self, fitted):
        from sklearn.decomposition import KernelPCA
        from sklearn.preprocessing import KernelCenterer

        values = fitted["eigenvalues"]
        kernel = -0.5 * self.dist_matrix_**2
        made = KernelPCA(**fitted["kernel_pca"])
        made._centerer = KernelCenterer()
        made._centerer.K_fit_rows_, made._centerer.K_fit_all_ = kernel.mean(axis=0), kernel.mean()
        made.eigenvalues_ = values.astype(self.embedding_.dtype)
        made.eigenvectors_ = self.embedding_ / np.where(values > 0, np.sqrt(np.abs(values)), 1).astype(self.embedding_.dtype)
        made.X_fit_, made.gamma_, made.n_features_in_ = kernel, None, len(kernel)
        made._centerer.n_features_in_ = len(kernel)
        return made

    def _fit_transform(self, X):
        self._accel_forget()
        own = super()._fit_transform
        dispatch(self, "fit", lambda: self._accel_fit(X), lambda: own(X), self._accel_reason(X))

    def _accel_metric(self):
        """Returns the engine's name of the metric, or None."""
        if self.metric == "minkowski":
            return {1: "manhattan", 2: "euclidean", np.inf: "chebyshev"}.get(self.p)
        return _METRICS.get(self.metric) if isinstance(self.metric, str) else None

    def _accel_reason(self, X):
        if self.metric != "precomputed":
            metric = self._accel_metric()
            if metric is None:
                return f"metric is {self.metric!r}, p is {self.p}"
            if issparse(X) and metric != "euclidean":
                return f"metric is {self.metric!r} of sparse samples"
        if self.metric_params:
            return "metric_params are given"
        if not (issparse(X) or isinstance(X, np.ndarray) or hasattr(X, "__array__") or isinstance(X, (list, tuple))):
            return f"X is a {type(X).__name__}"
        return None

    def _accel_fit(self, X):
        if self.n_neighbors is not None and self.radius is not None:
            raise ValueError(
                f"Both n_neighbors and radius are provided. Use Isomap(radius={self.radius}, n_neighbors=None) if intended to use radius-based neighbors"
            )
        if self.n_neighbors is None and self.radius is None:
            raise Refused("neither n_neighbors nor radius is given")
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C")
        n, running = X.shape[0], threads(self.n_jobs)
        if self.n_components >= n:
            raise Refused(f"n_components is {self.n_components} of {n} samples")
        if self.metric == "precomputed":
            if X.shape[0] != X.shape[1] or (X.data if issparse(X) else X).min(initial=0) < 0:
                raise Refused("X is not a matrix of distances")
            graph = _graphs.of_distances(X, self.n_neighbors, self.radius)

            def apart(rows, columns):
                return X[np.ix_(rows, columns)]

        else:
            metric = self._accel_metric()
            graph = _graphs.of_samples(X, self.n_neighbors, self.radius, metric, running)

            def apart(rows, columns):
                a, b = X[rows], X[columns]
                return cdist(a.toarray(), b.toarray()) if issparse(X) else cdist(a, b, _CDIST[metric])

        try:
            found = ask(_calls.embed, None, "isomap", graph=graph, dim=self.n_components, components="error", threads=running)
        except Refused:  # in several components
            graph = _graphs.joined(graph, apart, self.metric != "precomputed" or not issparse(X))
            found = ask(_calls.embed, None, "isomap", graph=graph, dim=self.n_components, components="error", threads=running)
        values, embedding = found.array("eigenvalues"), found.array("embedding").reshape(n, self.n_components)
        if values[-1] < 0 or not np.all(np.isfinite(embedding)):
            raise Refused("the distances along the graph give fewer coordinates than n_components")
        signs = np.sign(embedding[np.argmax(np.abs(embedding), axis=0), range(self.n_components)])
        embedding *= np.where(signs == 0, 1, signs)
        self.embedding_ = embedding.astype(X.dtype, copy=False)
        self._n_features_out = self.n_components
        self._accel_fitted = {
            "samples": X,
            "graph": graph,
            "threads": running,
            "eigenvalues": values,
            "neighbors": {
                "n_neighbors": self.n_neighbors, "radius": self.radius, "algorithm": self.neighbors_algorithm, "metric": self.metric,
                "p": self.p, "metric_params": self.metric_params, "n_jobs": self.n_jobs,
            },
            "kernel_pca": {
                "n_components": self.n_components, "kernel": "precomputed", "eigen_solver": self.eigen_solver, "tol": self.tol,
                "max_iter": self.max_iter, "n_jobs": self.n_jobs,
            },
        }

    def reconstruction_error(self):
        if "_accel_fitted" not in self.__dict__:
            return super().reconstruction_error()
        kernel = -0.5 * self.dist_matrix_.astype(np.float64) ** 2
        means = kernel.mean(axis=0)
        kernel += means.mean() - means - means[:, None]
        left = np.sum(kernel**2) - np.sum(self._accel_fitted["eigenvalues"] ** 2)
        return np.sqrt(max(left, 0.0)) / len(kernel)

    def transform(self, X):
        check_is_fitted(self)
        reason = None
        if "_accel_fitted" not in self.__dict__:
            reason = "the fit was scikit-learn's, or came from a pickle"
        elif self.n_neighbors is None and self.metric != "precomputed":
            if self._accel_metric() != "euclidean" or issparse(self._accel_fitted["samples"]):
                reason = "radius by a metric that is not Euclidean"
        elif self.metric != "precomputed" and (issparse(X) or issparse(self._accel_fitted["samples"]) or self._accel_metric() != "euclidean"):
            reason = "sparse samples, or a metric that is not Euclidean"
        elif self.metric == "precomputed":
            reason = None if self.n_neighbors is not None else "precomputed distances by radius"
        own = super().transform
        return dispatch(self, "transform", lambda: self._accel_transform(X), lambda: own(X), reason)

    reconstruction_error.__doc__, transform.__doc__ = _Base.reconstruction_error.__doc__, _Base.transform.__doc__

    def _accel_transform(self, X):
        dtype = np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32])
        samples, dist = self._accel_fitted["samples"], self.dist_matrix_
        n = len(dist)
        near = self._accel_near(samples, X)
        kernel = np.empty((X.shape[0], n))
        for i, (distances, indices) in enumerate(near):
            kernel[i] = np.min(dist[indices] + distances[:, None], axis=0)
        kernel **= 2
        kernel *= -0.5
        fitted = -0.5 * np.einsum("ij,ij->j", dist, dist, dtype=np.float64) / n  # column means
        kernel += fitted.mean() - fitted - kernel.mean(axis=1, keepdims=True)
        values = self._accel_fitted["eigenvalues"]
        return (kernel @ (self.embedding_ / np.where(values > 0, values, np.inf))).astype(dtype, copy=False)

    def _accel_near(self, samples, X):
        """Yields the distances and indices of each new sample's neighbours among the samples of the fit."""
        k = self.n_neighbors
        if self.metric == "precomputed":
            for i in range(X.shape[0]):
                row = X[i]
                columns, values = (row.indices, row.data) if issparse(X) else (np.arange(X.shape[1]), row)
                if len(values) < k:
                    raise Refused(f"new sample {i} has {len(values)} known distances, and n_neighbors is {k}")
                order = np.argsort(values, kind="stable")[:k]
                yield values[order], columns[order]
        elif k is not None:
            distances, indices = _barycentric.nearest(samples, X, k)
            yield from zip(distances, indices)
        else:
            step = max(1, _BLOCK // len(samples))
            for begin in range(0, len(X), step):
                for row in cdist(X[begin : begin + step], samples):
                    indices = np.flatnonzero(row <= self.radius)
                    if len(indices) == 0:
                        raise Refused("a new sample has no neighbour within radius")
                    yield row[indices], indices
