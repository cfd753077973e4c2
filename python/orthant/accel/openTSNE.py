"""openTSNE's TSNE on the engine. A fit gives an openTSNE.TSNEEmbedding, which is refined by openTSNE's own code."""

import numpy as np
from scipy.sparse import csr_matrix, issparse

from .. import _calls
from .._base import _seed
from . import _importing
from ._accelerated import Accelerated
from ._dispatch import Refused, ask, dispatch, missing, threads
from ._metrics import engine_metric

try:
    from openTSNE import TSNE as _Base
    from openTSNE import TSNEEmbedding as _Embedding
    from openTSNE.affinity import Affinities, MultiscaleMixture
    from openTSNE.tsne import gradient_descent

    _INSTALLED = True
except ImportError:
    from ._without_openTSNE import TSNE as _Base
    from ._without_openTSNE import Affinities
    from ._without_openTSNE import TSNEEmbedding as _Embedding

    MultiscaleMixture, gradient_descent, _INSTALLED = missing, dict, False

PROVIDES = "1.0"  # the version of openTSNE whose parameters these are
PROVIDED = {"openTSNE": ["TSNE", "TSNEEmbedding"], "openTSNE.tsne": ["TSNE", "TSNEEmbedding"]}

_LIBRARY = "openTSNE"
_DEFAULTS = {
    "dof": 1, "n_interpolation_points": 3, "min_num_intervals": 50, "ints_in_interval": 1, "initial_momentum": 0.8, "final_momentum": 0.8, "max_grad_norm": None,
    "max_step_norm": 5, "knn_kwargs": None, "callbacks": None, "verbose": False,
}  # fmt: skip
_SETTLED = 250  # iterations; before that a map depends on momenta and rates, which are openTSNE's and the engine's own
_FFT = ("fft", "FFT", "interpolation")
_GRADIENTS = ("auto", "bh", "BH", "barnes-hut", *_FFT)


class TSNE(Accelerated, _Base):
    _accel_library, _accel_public, _accel_here = _LIBRARY, "openTSNE", "orthant.accel.openTSNE"

    def fit(self, X=None, affinities=None, initialization=None):
        own = super().fit
        return dispatch(self, "fit", lambda: self._accel_fit(X, affinities, initialization), lambda: own(X, affinities, initialization), self._accel_reason())

    fit.__doc__ = _Base.fit.__doc__

    def _accel_reason(self):
        for name, default in _DEFAULTS.items():
            if getattr(self, name) != default:
                return f"{name} is {getattr(self, name)!r}"
        if not isinstance(self.negative_gradient_method, str) or self.negative_gradient_method not in _GRADIENTS:
            return f"negative_gradient_method is {self.negative_gradient_method!r}"
        if not isinstance(self.neighbors, str):
            return "neighbors is an index"
        if _INSTALLED and self.early_exaggeration_iter + self.n_iter < _SETTLED:
            return f"{self.early_exaggeration_iter + self.n_iter} iterations, after which a map is that of the steps"
        return None

    def _accel_fit(self, X, affinities, initialization):
        if X is None and affinities is None and initialization is None:
            raise ValueError("At least one of the parameters `X` or `affinities` must be specified!")
        if affinities is not None and not isinstance(affinities, Affinities):
            raise ValueError("`affinities` must be an instance of `openTSNE.affinity.Affinities`")
        if np.ndim(self.perplexity) and affinities is None:
            raise Refused("several perplexities")
        if self.n_components > 2 and self.negative_gradient_method in _FFT:
            raise RuntimeError("Interpolation based t-SNE for >2 dimensions is currently unsupported (and generally a bad idea)")
        start = self.initialization if initialization is None else initialization
        samples = X if affinities is None else None
        if affinities is not None and isinstance(start, str) and start == "pca" and X is not None:
            samples = X
        if samples is not None and not issparse(samples):
            samples = np.ascontiguousarray(samples, dtype=np.float64 if np.asarray(samples).dtype != np.float32 else np.float32)
        n = affinities.P.shape[0] if affinities is not None else len(samples) if not issparse(samples) else samples.shape[0]
        known = self.metric == "precomputed" and affinities is None
        parameters = self._accel_layout(start, n, pca=samples is not None and not known)
        if affinities is not None:
            P = csr_matrix(affinities.P)
            found = ask(_calls.embed, samples, "tsne", affinities=(P + P.T) / 2, **parameters)
        else:
            parameters["perplexity"] = float(min(self.perplexity, (n - 1) / 3))  # openTSNE lowers it, too
            metric = engine_metric(self.metric, self.metric_params or {})
            if known and not issparse(samples):
                found = ask(_calls.embed, None, "tsne", distances=samples, **parameters)
            elif metric is None:
                raise Refused(f"metric is {self.metric!r}")
            else:
                found = ask(_calls.embed, samples, "tsne", metric=metric, model="try", **parameters)
        return self._accel_embedding(found, X, affinities, known)

    def _accel_layout(self, start, n, pca):
        early = self.early_exaggeration_iter
        parameters = {
            "dim": self.n_components, "iterations": early + self.n_iter, "early_iterations": early, "early_exaggeration": float(self.early_exaggeration or 1),
            "exaggeration": float(self.exaggeration or 1), "seed": _seed(self.random_state), "threads": threads(self.n_jobs),
        }  # fmt: skip
        if self.learning_rate != "auto":
            parameters["rate"] = float(self.learning_rate)
        if self.negative_gradient_method in ("bh", "BH", "barnes-hut"):
            parameters["theta"] = float(self.theta)
        if isinstance(start, str):
            if start not in ("pca", "spectral", "random"):
                raise ValueError(f"Unrecognized initialization scheme `{start}`.")
            parameters["init"] = "spectral" if start == "pca" and not pca else start
        else:
            start = np.asarray(start)
            if start.shape[0] != n:
                raise ValueError(f"The provided initialization contains a different number of points ({start.shape[0]}) than the data provided ({n}).")
            if start.shape[1] != self.n_components:
                raise ValueError(f"The provided initialization contains a different number of components ({start.shape[1]}) than the embedding ({self.n_components}).")
            parameters["start"] = start
        return parameters

    def _accel_embedding(self, found, X, affinities, known):
        embedding = found.array("embedding").view(TSNEEmbedding)
        if affinities is None:
            affinities = _OfSamples(
                X, self.perplexity, method=self.neighbors, metric=self.metric, metric_params=self.metric_params, n_jobs=self.n_jobs, random_state=self.random_state,
            )  # fmt: skip
        embedding.affinities, embedding.random_state, embedding.optimizer = affinities, self.random_state, gradient_descent()
        embedding.gradient_descent_params = {
            "dof": self.dof, "negative_gradient_method": self.negative_gradient_method, "learning_rate": self.learning_rate, "momentum": self.final_momentum,
            "theta": self.theta, "n_interpolation_points": self.n_interpolation_points, "min_num_intervals": self.min_num_intervals,
            "ints_in_interval": self.ints_in_interval, "max_grad_norm": self.max_grad_norm, "max_step_norm": self.max_step_norm, "n_jobs": self.n_jobs,
            "verbose": self.verbose, "callbacks": self.callbacks, "callbacks_every_iters": self.callbacks_every_iters,
        }  # fmt: skip
        embedding.kl_divergence = found.report["objective"]["last"]
        embedding.interp_coeffs = embedding.box_x_lower_bounds = embedding.box_y_lower_bounds = None
        embedding._accel_model = None
        if not known:
            try:
                embedding._accel_model = found.model()
            except ValueError:
                pass
        return embedding


class TSNEEmbedding(_Embedding):
    """The coordinates of a fit by the engine, which also places new samples; all else is openTSNE's."""

    _accel_library = _LIBRARY
    _accel_model = None

    def transform(self, X, *arguments, **keywords):
        own, reason = super().transform, None
        if arguments or keywords:
            reason = "parameters are given to transform"
        elif self._accel_model is None:
            reason = "the fit left no rule for new samples"
        return dispatch(self, "transform", lambda: self._accel_transform(X), lambda: own(X, *arguments, **keywords), reason)

    def _accel_transform(self, X):
        return ask(self._accel_model.transform, np.ascontiguousarray(X, dtype=np.float64))

    def optimize(self, *arguments, **keywords):
        own = super().optimize
        return dispatch(self, "optimize", None, lambda: own(*arguments, **keywords), "the engine goes on from no embedding")

    def prepare_partial(self, *arguments, **keywords):
        own = super().prepare_partial
        return dispatch(self, "prepare_partial", None, lambda: own(*arguments, **keywords), "the engine has no partial embeddings")

    def __reduce__(self):
        # openTSNE's own class, which is there wherever openTSNE is.
        self.affinities.P
        return super().__reduce__()

    transform.__doc__, optimize.__doc__, prepare_partial.__doc__ = _Embedding.transform.__doc__, _Embedding.optimize.__doc__, _Embedding.prepare_partial.__doc__


class _OfSamples(Affinities):
    """openTSNE's affinities of the samples, which are made when openTSNE's code needs them."""

    def __init__(self, *arguments, **keywords):
        self._accel_given, self.verbose = (arguments, keywords), False

    def __getattr__(self, name):
        if name.startswith("__") or "_accel_given" not in self.__dict__:
            raise AttributeError(name)
        if "_accel_made" not in self.__dict__:
            self._accel_made = MultiscaleMixture(*self._accel_given[0], **self._accel_given[1])
        return getattr(self._accel_made, name)

    def to_new(self, data, perplexities=None, return_distances=False):
        return self.__getattr__("to_new")(data, perplexities=perplexities, return_distances=return_distances)

    @property
    def n_samples(self):
        return self.__getattr__("n_samples")


_importing.made("openTSNE")
