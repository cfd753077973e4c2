"""The common base of the estimators. scikit-learn 1.2 and later."""

from __future__ import annotations

import numbers
import re
import warnings
from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted, column_or_1d

from . import _arrays, _calls, _data, _progress, _scale, _sparse, _structure, _threads, _warning
from ._expected_failures import expected_failures
from ._types import T

try:  # from 1.6 on
    from sklearn.utils.validation import validate_data as _validate_data
except ImportError:

    def _validate_data(estimator, *arrays, **options):
        return estimator._validate_data(*arrays, **options)


def checked(X):
    """Returns X; a sparse X is checked before scikit-learn converts it."""
    if _sparse.is_sparse(X):
        _sparse.sound(X, "X")
    return X


def validate_data(estimator, X, *y, **options):
    """Is scikit-learn's function, on a checked X."""
    return _validate_data(estimator, checked(X), *y, **options)


# The argument by which check_array lets NaN through; its name changed in 1.6.
_ALLOW_NAN = {"ensure_all_finite" if "ensure_all_finite" in signature(check_array).parameters else "force_all_finite": "allow-nan"}


try:  # from 1.9 on
    from sklearn.callback import CallbackSupportMixin as _Callbacks
except ImportError:

    class _Callbacks:
        pass


def _own_names(text, names):
    """Rewrites a text of the library with the estimator's names of parameters, where they occur with a value."""
    return re.sub(r'\b(%s)(?==|\s+is\s+(?:[-+.\d"\'\[]|True|False|inf|nan|the text))' % "|".join(names), lambda key: names[key[1]], text) if names else text


def _seed(state):
    """Returns the seed for random_state."""
    if not isinstance(state, (bool, np.bool_)):
        if isinstance(state, (int, np.integer)):
            return state
        try:
            return int(check_random_state(state).randint(1, 2**31 - 1))
        except ValueError:
            pass
    raise ValueError(f"random_state is {state!r}; give a whole number ≥ 0, a numpy.random.RandomState, or None")


class _Method(_Callbacks, BaseEstimator):
    """A method of the library with its parameters under scikit-learn's names."""

    _orthant_method = ""
    _orthant_keys = {}  # of its parameters, by their name here
    _orthant_former = {}  # names that are accepted only until 1.0, with the present ones; None: it only compares with a paper
    _orthant_aliases = {}  # other names of parameters, with (the parameter, another that is added to the value or None)
    _orthant_itself = ()  # those that count the sample itself as one of its neighbours
    _orthant_chooses = False  # whether it chooses n_neighbors among the lists of a graph
    _orthant_always = ()  # those whose default here is not that of the library
    _orthant_sparse = False  # whether sparse samples stay so; others are refused
    _orthant_instead = ()  # of "graph", "affinities" and "distances" those that can take the place of samples
    _orthant_whole = False  # whether n_components=None asks for all components, as of scikit-learn's class for the method

    def __setstate__(self, state):
        """Gives parameters that are newer than the release that pickled the estimator their defaults."""
        super().__setstate__({**{name: p.default for name, p in self._signature().items() if name not in state}, **state})

    def _take_former(self, former):
        """Sets parameters given by other names, or by names that are accepted only until 1.0."""
        for name, value in former.items():
            if name in self._orthant_aliases:
                of, plus = self._orthant_aliases[name]
                setattr(self, of, value if plus is None or not isinstance(value, numbers.Number) else value + getattr(self, plus))
                continue
            if name not in self._orthant_former:
                raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument {name!r}")
            now = self._orthant_former[name]
            what = f"is now {now}; the former name" if now else "only serves comparison with a paper, and"
            warnings.warn(f"{type(self).__name__}: {name} {what} is accepted only until 1.0", FutureWarning, stacklevel=3)
            setattr(self, now or name, value)

    def set_params(self: T, **params: Any) -> T:
        """Sets parameters by their names or other accepted names. Names that are accepted only until 1.0 cause a warning."""
        former = {name: params.pop(name) for name in list(params) if name in self._orthant_former or name in self._orthant_aliases}
        super().set_params(**params)
        self._take_former(former)
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Returns the parameters by their names, including former names if they were given."""
        given = {name: value for name, value in vars(self).items() if name in self._orthant_former and self._orthant_former[name] is None}
        return {**super().get_params(deep), **given}

    def _parameters(self):
        """Returns the parameters that differ from the defaults, under the library's keys.

        Defaults are left to the library, which adapts them to the number of samples.
        """
        given = {key: getattr(self, name) for name, key in self._orthant_keys.items() if name in self._orthant_always or self._differs(name)}
        given.update({name: value for name, value in vars(self).items() if self._orthant_former.get(name, name) is None})
        if given.get("metric") == "precomputed":
            del given["metric"]
        if self.random_state is not None:
            given["seed"] = _seed(self.random_state)
        threads = _threads.of_jobs(self.n_jobs)
        if threads is not None:
            given["threads"] = threads
        return given

    def _differs(self, name):
        """Whether a parameter is not at its default."""
        value, default = getattr(self, name), self._signature()[name].default
        return type(value) is not type(default) or value != default

    @classmethod
    def _signature(cls):
        import inspect

        if "_orthant_signature" not in cls.__dict__:
            cls._orthant_signature = {name: p for name, p in inspect.signature(cls.__init__).parameters.items() if p.kind is not p.VAR_KEYWORD}
        return cls._orthant_signature

    def _samples(self, X, reset):
        """Returns X as the library reads it, without a copy if it is float64 or float32 in C order, or CSR."""
        options = {"dtype": [np.float64, np.float32], "reset": reset, "accept_sparse": "csr" if self._orthant_sparse else False}
        if reset:
            options["ensure_min_samples"] = 2
        if self._lacks_entries():
            options.update(_ALLOW_NAN)
        X = self._validated(X, **options)
        self._refuse_negative(X)
        return X

    def _validated(self, X, *y, reset, **options):
        """Is validate_data, of what the functions read too; the names of tables that scikit-learn does not know are kept and compared, too."""
        table = X
        X, names, _ = _arrays.samples(X, "X", _arrays.FLOATS, gaps=self._lacks_entries())
        if names is None or _data.is_frame(table):
            X = X if names is None else _data.like(table, X)
            return validate_data(self, X, *y, reset=reset, **options)
        known = getattr(self, "feature_names_in_", None)
        if not reset and names is not None and known is not None and list(known) != names:
            raise ValueError(f"{type(self).__name__}: the columns of X are {names}, and those of the fit were {list(known)}; give the same, in the same order")
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            X = validate_data(self, X, *y, reset=reset, **options)
        if reset and names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        return X

    def _refuse_negative(self, X):
        entries = X.data if _sparse.is_sparse(X) else X
        if self._positive() and entries.size and np.fmin.reduce(entries, axis=None) < 0:
            raise ValueError(f"Negative values in data passed to {type(self).__name__}: it takes samples without negative entries (see its parameter shift)")

    def _lacks_entries(self):
        """Whether NaN entries of the samples are missing values."""
        return getattr(self, "missing", "error") == "weight"

    def _positive(self):
        """Whether samples must have no negative entry; methods that can shift the samples require it."""
        return "shift" in self._orthant_keys and self.shift == "none" and getattr(self, "standardize", None) in (None, "none")

    def _learned(self, X, y, near):
        """Returns the samples, the labels, and the graph, affinities or distances that replace a search, by name (X itself if it is one of them)."""
        kind = self._precomputed()
        if kind is None:
            X, labels = self._learn(X, y)
            if near.get("graph") is not None:
                near = {**near, "graph": self._nearest(near["graph"])}
            return X, labels, near
        for name, given in near.items():
            if given is not None:
                raise ValueError(f"{type(self).__name__}: {name} is given together with an X that is no samples but {kind}; give one of them")
        X = self._matrix(X, kind)
        if kind == "affinities":
            return X, None, {"affinities": X}
        if not _sparse.is_sparse(X):
            return X, None, {"distances": X}
        X = self._nearest(X)
        return X, None, {"graph": X}

    def _precomputed(self):
        """Returns the kind of X by the parameters: "distances", "affinities", or None for samples."""
        metric, affinity = getattr(self, "metric", "euclidean"), getattr(self, "affinity", "nearest_neighbors")
        if not isinstance(metric, str):
            raise ValueError(f"metric is {metric!r}; give the name of a metric, as orthant.neighbors takes it; for one of your own give the distances that it makes")
        if metric == "precomputed" and not self._orthant_instead:
            raise ValueError(f"metric is {metric!r}, and {type(self).__name__} needs the samples, too; give them, and graph or distances to fit")
        if not isinstance(affinity, str) or affinity not in ("nearest_neighbors", "precomputed"):
            raise ValueError(f'affinity is {affinity!r}; give "nearest_neighbors" or "precomputed"')
        if metric == affinity:
            raise ValueError('metric and affinity are both "precomputed", and X is one of them; leave the other at its default')
        return "distances" if metric == "precomputed" else "affinities" if affinity == "precomputed" else None

    def _matrix(self, X, kind):
        """Returns the n × n distances or affinities X as the library reads them."""
        _calls.unmasked(X, "X")
        if _sparse.is_sparse(X):
            if kind == "distances" and "graph" not in self._orthant_instead and getattr(self, "distances", "") != "geodesic":
                raise ValueError(f"{type(self).__name__}: X is a sparse matrix, whose unstored distances are not known; give all distances as an array")
            X = _structure.once(X, "X") if kind == "distances" else _sparse.summed(X, "X")
        X = validate_data(self, X, dtype=[np.float64, np.float32], accept_sparse="csr", ensure_min_samples=2, reset=True)
        if X.shape[0] != X.shape[1]:
            raise ValueError(f"{type(self).__name__}: X is {X.shape[0]} × {X.shape[1]}, which are not {kind}; give a square matrix, with a row and a column for each sample")
        if kind == "affinities" and not _sparse.is_sparse(X):
            from scipy.sparse import csr_matrix

            X = csr_matrix(X)
        return X

    def _nearest(self, graph):
        """Returns a graph unchanged, or reduced to the n_neighbors nearest if that parameter is not at its default and the method does not choose them."""
        k = getattr(self, "n_neighbors", None)
        if k is None or self._orthant_chooses or k == self._signature()["n_neighbors"].default:
            return graph
        return _structure.nearest(graph, k, "n_neighbors", 1 if "n_neighbors" in self._orthant_itself else 0)

    def _learn(self, X, y):
        """Returns the samples and the labels, which are None if the method is unsupervised."""
        return self._samples(X, reset=True), None

    def _call(self, function, X, near, *arguments, **parameters):
        """Calls the library, and names the estimator's own parameters in its errors and warnings."""
        given = {**self._parameters(), **parameters}
        if near.get("graph") is not None and not self._orthant_chooses or near.get("affinities") is not None:
            given.pop("neighbors", None)  # it has already selected neighbours of the graph, and has no meaning for affinities
        given = {k + "_" if k in ("graph", "affinities", "distances") else k: v for k, v in given.items()}  # parameters, not matrices
        samples = None if any(X is part for part in near.values()) else X
        if samples is None and given.get("components") == "bridge":
            given["components"] = "error"  # there are no samples to measure a bridge between
        names = self._words()
        try:
            with _warning.worded(lambda text: _own_names(text, names)):
                return _progress.of_fit(self, lambda progress: function(samples, self._orthant_method, *arguments, progress=progress, **given, **near))
        except ValueError as error:
            text = _own_names(str(error), names)
            if X.shape[1] == 1 and "feature" not in text:
                text += " (n_features = 1)"
            if text != str(error):
                raise type(error)(text) from error
            raise

    def _words(self):
        """Returns the parameters by the library's keys, where their names differ."""
        names = {"rank": "n_components", "clusters": "n_clusters", "seed": "random_state", "threads": "n_jobs"}
        names.update({key: name for name, key in self._orthant_keys.items() if name != key})
        return names

    def _no_meaning(self, name):
        """Returns the error about a None."""
        return ValueError(f"{name} is None, which means nothing to {type(self).__name__}; give a whole number ≥ 1")

    def _took(self, result):
        self.report_ = result.report
        if "certified" in self._orthant_keys:
            self.certificate_ = result.report.get("details", {}).get("certificate")
        self._orthant_scale = _scale.of(getattr(self, "standardize", None), result)
        if hasattr(self, "max_iter"):
            self.n_iter_ = max(int(result.number("iterations")), 1)

    def _model(self):
        check_is_fitted(self)
        if self._orthant_model is None:
            raise ValueError(f"{type(self).__name__}: this fit left no rule for new samples{self._orthant_no_model}; fit all samples together")
        return self._orthant_model

    def _keep_model(self, result):
        try:
            self._orthant_model = result.model()
        except ValueError as error:
            _, _, reason = str(error).partition("no rule for new samples")
            self._orthant_model, self._orthant_no_model = None, reason.rpartition(";")[0]

    # Tags, until scikit-learn 1.5 ...
    def _more_tags(self):
        tags = {"_xfail_checks": expected_failures(self)}
        if isinstance(self, TransformerMixin):
            tags["preserves_dtype"] = [np.float64, np.float32]
        if self._positive():
            tags["requires_positive_X"] = True
        if self._lacks_entries():
            tags["allow_nan"] = True
        if isinstance(self, Supervised):
            tags["requires_y"] = True
        tags["pairwise"] = "precomputed" in (getattr(self, "metric", None), getattr(self, "affinity", None))
        return tags

    # ... and from 1.6 on.
    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self._positive()
        tags.input_tags.sparse = self._orthant_sparse
        tags.input_tags.allow_nan = self._lacks_entries()
        tags.input_tags.pairwise = "precomputed" in (getattr(self, "metric", None), getattr(self, "affinity", None))
        tags.target_tags.required = isinstance(self, Supervised)
        return tags


class Supervised:
    """Mixin of methods that learn from the classes of the samples."""

    def _learn(self, X, y):
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None: it learns from the classes of the samples")
        y = _data.of_samples(X, y)
        _calls.unmasked(y, "y")
        accepted = "csr" if self._orthant_sparse else False
        X, y = self._validated(X, y, dtype=[np.float64, np.float32], accept_sparse=accepted, ensure_min_samples=2, reset=True, multi_output=False)
        self._refuse_negative(X)
        self.classes_, labels = np.unique(column_or_1d(y), return_inverse=True)
        return X, labels.reshape(-1).astype(np.int64)


class _Transforming(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Mixin: output with names, of the type of the input."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _transform(self, X):
        check_is_fitted(self)
        X = self._samples(X, reset=False)
        return self._model().transform(X, threads=self._parameters().get("threads"), backend=self.backend, memory=self.memory_limit, progress=self.progress, dtype=X.dtype)


class Embedding(_Transforming, _Method):
    """A method that gives coordinates to the samples of the fit."""

    _orthant_wants_model = False

    def fit(self: T, X: Any, y: Any = None) -> T:
        """Finds the coordinates of the samples X, which are then in embedding_.

        Parameters
        ----------
        X : array, frame, table or sparse matrix of shape (n_samples, n_features)
        y : classes of the samples, for supervised methods; otherwise ignored

        Returns
        -------
        self : the estimator
        """
        return self._fit(X, y)

    def _fit(self, X, y, **near):
        X, labels, near = self._learned(X, y, near)
        parameters = {"model": "try"} if self._orthant_wants_model else {}
        if self.n_components is None:
            parameters["dim"] = self._all_components(X)
        result = self._call(_calls.embed, X, near, labels=labels, **parameters)
        self.embedding_ = result.array("embedding", X.dtype)
        self.eigenvalues_ = result.array("eigenvalues")
        self._took(result)
        if self._orthant_wants_model:
            self._keep_model(result)
        self._took_embedding(result, X)
        return self

    def _took_embedding(self, result, X):
        """Stores the other attributes of an embedding."""

    def _all_components(self, X):
        """Returns the number of components that n_components=None means."""
        n, m = X.shape
        if isinstance(self, Supervised):  # the number of directions in which the means of classes can differ
            return max(1, min(len(self.classes_) - 1, m))
        if self._orthant_whole:  # the number of directions in which samples can differ
            return max(1, min(n - 1, m))
        raise self._no_meaning("n_components")

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Finds the coordinates of the samples X, and returns them.

        Parameters
        ----------
        X : array, frame, table or sparse matrix of shape (n_samples, n_features)
        y : classes of the samples, for supervised methods; otherwise ignored

        Returns
        -------
        Y : ndarray of shape (n_samples, n_components), or what set_output asks for
        """
        return self._fit_transform(X, y)

    def _fit_transform(self, X, y, **near):
        return self._fit(X, y, **near).embedding_

    @property
    def _n_features_out(self):
        return self.embedding_.shape[1]


class Mapping(Embedding):
    """An embedding with a rule for new samples."""

    _orthant_wants_model = True

    def transform(self, X: Any) -> Any:
        """Returns coordinates of new samples in the embedding of the fit. Each is mapped independently of the others.

        Parameters
        ----------
        X : array, frame, table or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        Y : ndarray of shape (n_samples, n_components), or what set_output asks for
        """
        return self._transform(X)


class FactorizationOnly(_Transforming, _Method):
    """A method that writes samples as nonnegative sums of nonnegative components."""

    _orthant_wants_model = False

    def fit(self: T, X: Any, y: Any = None) -> T:
        """Finds the components of the samples X, which are then in components_.

        Parameters
        ----------
        X : array, frame, table or sparse matrix of shape (n_samples, n_features)
        y : classes of the samples, for supervised methods; otherwise ignored

        Returns
        -------
        self : the estimator
        """
        return self._fit(X, y)

    def _fit(self, X, y, **near):
        self._fit_transform(X, y, **near)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Finds the components, and returns W, the coordinates of the samples.

        Parameters
        ----------
        X : array, frame, table or sparse matrix of shape (n_samples, n_features)
        y : classes of the samples, for supervised methods; otherwise ignored

        Returns
        -------
        W : ndarray of shape (n_samples, n_components), or what set_output asks for
        """
        return self._fit_transform(X, y)

    def _fit_transform(self, X, y, **near):
        X, labels, near = self._learned(X, y, near)
        parameters = {"model": "try"} if self._orthant_wants_model else {}
        components = X.shape[1] if self.n_components is None and self._orthant_whole else self.n_components
        if components is None:
            raise self._no_meaning("n_components")
        result = self._call(_calls.factorize, X, near, components, labels=labels, **parameters)
        self.components_ = result.array("h", X.dtype)
        self.offset_ = result.array("offset", X.dtype)
        self.reconstruction_err_ = result.number("relative_error")
        self._took(result)
        if self._orthant_wants_model:
            self._keep_model(result)
        return result.array("w", X.dtype)

    def inverse_transform(self, W: Any) -> np.ndarray:
        """Returns W H + offset_, the samples for given coordinates, in the scale of the data (standardize="unit" cannot be inverted).

        Parameters
        ----------
        W : array of shape (n_samples, n_components)

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        _calls.unmasked(W, "W")
        return self._orthant_scale.undone(np.asarray(W) @ self.components_ + self.offset_, type(self).__name__)

    @property
    def _n_features_out(self):
        return self.components_.shape[0]


class Factorization(FactorizationOnly):
    """A factorisation with a rule for new samples."""

    _orthant_wants_model = True

    def transform(self, X: Any) -> Any:
        """Returns the coordinates of new samples. Each is mapped independently of the others.

        Parameters
        ----------
        X : array, frame, table or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        W : ndarray of shape (n_samples, n_components), or what set_output asks for
        """
        return self._transform(X)
