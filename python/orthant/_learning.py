"""partial_fit of factorisations that learn batch by batch."""

from __future__ import annotations

from typing import Any

from sklearn.utils.metaestimators import available_if

from . import _calls


def _in_batches(estimator):
    if estimator.solver != "minibatch":
        raise AttributeError(f'{type(estimator).__name__}: partial_fit is for solver="minibatch"; choose that, or fit')
    return True


class Learning:
    """Mixin of factorisations that learn from samples in batches."""

    @available_if(_in_batches)
    def partial_fit(self, X: Any, y: Any = None) -> Learning:
        """Continues to learn components_ from the samples X, after the samples of earlier calls; the first call after fit starts over.

        X is cut into batches, and each batch is used once. Earlier samples are kept as sums that decay: after one pass over as
        many samples as so far, the share ``forget`` of them is left. transform gives samples their coordinates.
        """
        learned = getattr(self, "_orthant_learned", None)
        X = self._samples(X, reset=learned is None)
        components = X.shape[1] if self.n_components is None and self._orthant_whole else self.n_components
        if components is None:
            raise self._no_meaning("n_components")
        result = self._call(_calls.learn, X, {}, components, learned=learned, model="try")
        self._orthant_learned = result.array("learned")
        self.components_ = result.array("h", X.dtype)
        self.offset_ = result.array("offset", X.dtype)
        self.reconstruction_err_ = result.number("relative_error")
        self._took(result)
        self._keep_model(result)
        return self

    def _fit_transform(self, X, y, **near):
        self._orthant_learned = None
        return super()._fit_transform(X, y, **near)
