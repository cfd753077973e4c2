"""partial_fit, of factorisations that learn batch by batch."""

from __future__ import annotations

from typing import Any

from sklearn.utils.metaestimators import available_if

from . import _calls


def _in_batches(estimator):
    if estimator.solver != "minibatch":
        raise AttributeError(f'{type(estimator).__name__}: partial_fit is for solver="minibatch"; choose that, or fit')
    return True


class Learning:
    """Mixed into factorisations that learn from samples that come little by little."""

    @available_if(_in_batches)
    def partial_fit(self, X: Any, y: Any = None) -> Learning:
        """Goes on learning components_, from the samples X after those of the calls before; the first call after fit begins anew.

        X is cut into batches, of which each is learnt from once. What is known of earlier samples are sums that fade: of one pass
        over all of those so far the part ``forget`` is left. transform gives samples their coordinates.
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
