"""PaCMAP and LocalMAP on the engine."""

import inspect

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _calls
from .._base import _seed
from . import _importing
from ._accelerated import Accelerated, Lazy
from ._dispatch import Refused, ask, dispatch, threads

try:
    from pacmap import LocalMAP as _LocalBase
    from pacmap import PaCMAP as _Base
    from pacmap.pacmap import preprocess_X
except ImportError:
    from ._without_pacmap import LocalMAP as _LocalBase
    from ._without_pacmap import PaCMAP as _Base

    preprocess_X = None

PROVIDES = "0.8"  # the version of pacmap whose parameters these are
PROVIDED = {"pacmap": ["PaCMAP", "LocalMAP"], "pacmap.pacmap": ["PaCMAP", "LocalMAP"]}

_LEADING = 100  # columns from which pacmap takes principal components
_PREPARED = ("xmin", "xmax", "xmean", "tsvd_transformer", "pca_solution")  # what pacmap's transform needs, of the samples of the fit
_EXTRA = 50  # nearest samples among which the near pairs are chosen, in addition


class _Pairwise:
    """Mixin before Accelerated: the fit and the rule for new samples."""

    _accel_lazy = ("pair_neighbors", "tree", *_PREPARED)

    def get_params(self, deep=True):
        # The pairs of a fit are not parameters of the next one.
        return {**super().get_params(deep), **({"pair_neighbors": None} if "_accel_fitted" in self.__dict__ else {})}

    def _accel_seed(self):
        """Returns the seed: random_state, which pacmap keeps as 0 if it is None."""
        return _seed(None) if self._accel_unseeded else int(self.random_state)

    def fit(self, X, init=None, save_pairs=True):
        if self.__dict__.pop("_accel_fitted", None) is not None:
            self.pair_neighbors = None
        own = super().fit
        dispatch(self, "fit", lambda: self._accel_fit(X, init), lambda: own(X, init, save_pairs), self._accel_reason())
        return self

    def fit_transform(self, X, init=None, save_pairs=True):
        self.fit(X, init, save_pairs)
        return self.intermediate_states if self.intermediate else self.embedding_

    def transform(self, X, basis=None, init=None, save_pairs=True):
        check_is_fitted(self, "embedding_")
        own, reason = super().transform, None
        if "_accel_fitted" not in self.__dict__:
            reason = "the fit was pacmap's, or came from a pickle"
        elif self._accel_fitted["model"] is None:
            reason = "the fit left no rule for new samples"
        return dispatch(self, "transform", lambda: self._accel_transform(X), lambda: own(X, basis, init, save_pairs), reason)

    def _accel_reason(self):
        phases = tuple(self.num_iters)
        for wrong, text in (
            (self.distance == "dot", "distance is 'dot'"),
            (self.intermediate, "intermediate"),
            (self.pair_neighbors is not None or self.pair_MN is not None or self.pair_FP is not None, "pairs are given"),
            (phases != _phases(sum(phases)), f"num_iters is {self.num_iters}"),
            (getattr(self, "low_dist_thres", 10) != 10, "low_dist_thres"),
        ):
            if wrong:
                return text
        return None

    def _accel_fit(self, X, init):
        samples = np.ascontiguousarray(X, dtype=np.float32)
        X = self._accel_samples(samples)
        n, m = X.shape
        if n <= 1:
            raise ValueError("The sample size must be larger than 1.")
        k = self.n_neighbors
        self.decide_num_pairs(n)
        if k is not None and self.n_neighbors < k:  # pacmap has fewer pairs then, which it reports
            self.n_neighbors = k
            raise Refused(f"{n} samples for {k} neighbors and their other pairs")
        parameters = {
            "dim": int(self.n_components), "neighbors": int(self.n_neighbors), "mid_near": self.n_MN / self.n_neighbors, "further": self.n_FP / self.n_neighbors,
            "iterations": int(sum(self.num_iters)), "rate": float(self.lr), "seed": self._accel_seed(), "threads": threads(None),
            "metric": "euclidean" if self.distance == "angular" else self.distance,
        }  # fmt: skip
        reduced = self.apply_pca and self.distance != "hamming" and m > _LEADING
        if reduced and self.distance == "angular":
            raise Refused("angles between principal components")
        if m > _LEADING:
            parameters["reduce"] = str(_LEADING) if reduced else "none"
        if isinstance(init, np.ndarray):
            spread = init.std(axis=0)
            parameters["start"] = 1e-4 * (init - init.mean(axis=0)) / np.where(spread > 0, spread, 1)
        elif init is None or isinstance(init, str) and init in ("pca", "random"):
            if init != "random" and self.n_components > min(n, m):
                raise Refused(f"{self.n_components} principal components of {n} × {m}")
            parameters["init"] = init or "pca"
        else:
            raise ValueError(f"The argument init is of the type {type(init)}. Currently, PaCMAP only supports user supplied numpy.ndarray object as input, or one of ['pca', 'random'].")
        if self.verbose:
            parameters["progress"] = True
        if isinstance(self, _LocalBase):
            parameters["local"] = True
        found = ask(_calls.embed, X, "pacmap", model="try", **parameters)
        self.embedding_, self.intermediate_states = found.array("embedding", np.float32), None
        self.num_instances, self.num_dimensions = n, _LEADING if reduced else m
        for name in self._accel_lazy:
            self.__dict__.pop(name, None)
        try:
            model = found.model()
        except ValueError:
            model = None
        self._accel_fitted = {"samples": samples, "model": model, "metric": parameters["metric"]}

    def _accel_samples(self, X):
        """Returns the samples in a metric of the engine: the angles between samples are the distances between their directions."""
        X = np.ascontiguousarray(X, dtype=np.float32)
        if self.distance == "angular":
            lengths = np.linalg.norm(X, axis=1, keepdims=True)
            X = X / np.where(lengths > 0, lengths, 1)
        return X

    def _accel_transform(self, X):
        return ask(self._accel_fitted["model"].transform, self._accel_samples(X), threads=threads(None), dtype=np.float32)


def _phases(total):
    """Returns the iterations of the three phases, as the engine divides them."""
    phase = min(100, total * 2 // 9)
    return phase, phase, total - 2 * phase


def _near_pairs(self, fitted):
    """The pairs of near samples, (n·k) × 2, by their distances at the scale of both."""
    X, k = self._accel_samples(fitted["samples"]), self.n_neighbors
    indices, distances = ask(_calls.neighbors, X, min(k + _EXTRA, len(X) - 1), metric=fitted["metric"], threads=threads(None))
    scale = np.maximum(distances[:, 3:6].mean(axis=1), 1e-10)
    scaled = distances**2 / scale[:, None] / scale[indices]
    chosen = np.take_along_axis(indices, np.argsort(scaled, axis=1, kind="stable")[:, :k], axis=1)
    return np.stack([np.repeat(np.arange(len(X)), k), chosen.ravel()], axis=1).astype(np.int32)


def _prepared(self, fitted):
    """Returns pacmap's prepared samples of the fit, and the values of _PREPARED by which it prepares others."""
    if preprocess_X is None:
        raise AttributeError("pacmap, whose attribute this is, is not installed")
    X = fitted["samples"].copy()
    X, reduced, axes, *limits = preprocess_X(X, self.distance, self.apply_pca, False, self.random_state, X.shape[1], self.n_components)
    return X, dict(zip(_PREPARED, (*limits, axes, reduced)))


def _prepared_value(name):
    def value(self, fitted):
        fitted.update(_prepared(self, fitted)[1])
        return fitted[name]

    return Lazy(value)


def _tree(self, fitted):
    """pacmap's index of the samples, which save writes and pacmap's transform searches; None without save_tree."""
    if not self.save_tree:
        return None
    base = type(self)._accel_stands_for
    twin = base.__new__(base)
    twin.__dict__.update({name: value for name, value in self.__dict__.items() if name != "_accel_fitted"}, pair_neighbors=None, pair_MN=None, pair_FP=None)
    twin.sample_pairs(_prepared(self, fitted)[0], True)
    return twin.tree


class PaCMAP(_Pairwise, Accelerated, _Base):
    _accel_library, _accel_public, _accel_here = "pacmap", "pacmap", "orthant.accel.pacmap"
    pair_neighbors, tree = Lazy(_near_pairs), Lazy(_tree)
    xmin, xmax, xmean, tsvd_transformer, pca_solution = map(_prepared_value, _PREPARED)

    def __init__(self, *arguments, **keywords):
        _begin(self, super().__init__, _Base, arguments, keywords)

    __init__.__signature__, __init__.__doc__ = inspect.signature(_Base.__init__), _Base.__init__.__doc__


class LocalMAP(_Pairwise, Accelerated, _LocalBase):
    _accel_library, _accel_public, _accel_here = "pacmap", "pacmap", "orthant.accel.pacmap"
    pair_neighbors, tree = Lazy(_near_pairs), Lazy(_tree)
    xmin, xmax, xmean, tsvd_transformer, pca_solution = map(_prepared_value, _PREPARED)

    def __init__(self, *arguments, **keywords):
        _begin(self, super().__init__, _LocalBase, arguments, keywords)

    __init__.__signature__, __init__.__doc__ = inspect.signature(_LocalBase.__init__), _LocalBase.__init__.__doc__


def _begin(estimator, own, base, arguments, keywords):
    own(*arguments, **keywords)
    given = inspect.signature(base.__init__).bind(estimator, *arguments, **keywords).arguments
    estimator._accel_unseeded = given.get("random_state") is None


_importing.made("pacmap")
