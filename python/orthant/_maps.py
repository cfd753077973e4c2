"""Maps of neighbourhoods, with the parameters of the programs that they are known by."""

from __future__ import annotations

import numpy as np
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from . import _arrays, _calls, _data
from ._base import Mapping
from ._numbers import whole


class Map(Mapping):
    """An embedding that moves samples step by step, from a start that can be given."""

    _orthant_switches = {}  # parameters of the library that are 0 or a number, with the names of (whether, the number)

    def _call(self, function, X, near, *arguments, **parameters):
        for name in self._orthant_itself:
            if self._differs(name):
                parameters[self._orthant_keys[name]] = self._others(name, X.shape[0])
        for key, (switch, number) in self._orthant_switches.items():
            if not isinstance(getattr(self, switch), (bool, np.bool_)):
                raise ValueError(f"{switch} is {getattr(self, switch)!r}; give True or False")
            if getattr(self, switch):
                parameters[key] = getattr(self, number)
        if not (self.init is None or isinstance(self.init, str)):
            parameters.update(start=_arrays._rows(self.init, "init"), init=None)
        return super()._call(function, X, near, *arguments, **parameters)

    def _words(self):
        return {**super()._words(), **{key: number for key, (_, number) in self._orthant_switches.items()}}

    def _others(self, name, n):
        """Returns a number of neighbours without the sample itself, of n samples."""
        value = getattr(self, name)
        if isinstance(value, str):
            return value
        wanted = f"a whole number from 2 to {n}, since it counts the sample itself"
        if whole(value, name, 2, wanted) > n:
            raise ValueError(f"{name} is {value} of {n} samples; give {wanted}")
        return int(value) - 1

    def _took_embedding(self, result, X):
        """Keeps the divergence, of methods that lower one."""
        self.__dict__.pop("kl_divergence_", None)
        if self._orthant_method == "tsne" and "objective" in self.report_:
            self.kl_divergence_ = self.report_["objective"]["last"]


class Semisupervised:
    """Mixed into maps that learn from the classes of samples, or from numbers, where these are given."""

    def _learned(self, X, y, near):
        y = _data.of_samples(X, y)
        X, _, near = super()._learned(X, None, near)
        self.__dict__.pop("classes_", None)
        if y is None or self.target_weight == 0:
            return X, None, near
        return X, self._coded(X, y) if self.target_metric == "categorical" else self._numbers(X, y), near

    def _coded(self, X, y):
        """Returns classes as numbers from 0, and -1 where they are not known; None: no class is known."""
        _calls.unmasked(y, "y")
        y = column_or_1d(y)
        check_consistent_length(X, y)
        known = np.ones(len(y), bool) if y.dtype.kind in "US" else y != -1
        if not known.any():
            return None
        kind = type_of_target(y[known])
        if kind not in ("binary", "multiclass"):
            raise ValueError(f"Unknown label type: {kind}; {type(self).__name__} takes the class of each sample as y, with -1 where it is not known; target_metric='euclidean' takes numbers, and target_weight=0 ignores y")
        self.classes_, codes = np.unique(y[known], return_inverse=True)
        labels = np.full(len(y), -1, np.int64)
        labels[known] = codes.reshape(-1)
        return labels

    def _numbers(self, X, y):
        """Returns the numbers that are known of each sample, a row for each."""
        _calls.unmasked(y, "y")
        y = check_array(y, dtype=np.float64, ensure_2d=False, input_name="y")
        check_consistent_length(X, y)
        return y

    def _call(self, function, X, near, *arguments, labels=None, **parameters):
        parameters["target_weight"] = None if labels is None else self.target_weight
        if labels is not None and self.target_metric != "categorical":
            parameters["targets"], labels = labels, None
        return super()._call(function, X, near, *arguments, labels=labels, **parameters)
