"""Measures of embeddings, clusterings and factorisations."""

from __future__ import annotations

from ctypes import byref, c_void_p, pointer, sizeof

from typing import Any

from . import _calls, _progress, _sparse
from ._arrays import reals
from ._library import BUSY, Evaluation, Options, Room, library, raise_for
from ._types import Progress, Samples


class Score(float):
    """The value of a metric, a float, with ``rates``, the values of the splits if it is their mean (otherwise None), and ``report``, a
    dict with "settings" and "details".

    Examples
    --------
    >>> import orthant
    >>> score = orthant.evaluate("acc", labels=[0, 0, 1, 1], predicted=[5, 5, 2, 5])
    >>> 1 - score
    0.25
    """

    def __new__(cls, value, rates=None, report=None):
        self = super().__new__(cls, value)
        self.rates, self.report = rates, report
        return self

    @property
    def details(self) -> dict[str, Any]:
        """The report of the metric in addition to its value, a dict."""
        return self.report["details"]

    def __reduce__(self):
        return Score, (float(self), self.rates, self.report)


def evaluate(
    metric: str,
    x: Samples = None,
    embedding: Samples = None,
    *,
    truth: Any = None,
    labels: Any = None,
    predicted: Any = None,
    w: Any = None,
    h: Any = None,
    progress: Progress = None,
    **parameters: Any,
) -> Score:
    """Measures an embedding, a clustering or a factorisation.

    Parameters
    ----------
    metric : str
        ================================================ ================================ ====
        metric                                           takes                            best
        ================================================ ================================ ====
        "dev"                                            truth, embedding                 0
        "trustworthiness", "continuity", "lcmc", "mrre"  x, embedding                     1 (mrre: 0)
        "residual-variance"                              x, embedding                     0
        "nalac", "soft-nalac"                            x, embedding                     1
        "random-triplet", "distance-correlation"         x, embedding                     1
        "centroid-triplet"                               x, embedding, labels             1
        "kl-divergence"                                  x, embedding                     0
        "procrustes"                                     truth (a map), embedding         0
        "intrinsic-dimension"                            x
        "roc-auc"                                        embedding (n, 1), labels         1
        "acc", "nmi"                                     labels, predicted                1
        "bad-neighbors"                                  x, labels                        0
        "nn-error", "nfl-error"                          embedding, labels                0
        "reconstruction"                                 x, w, h                          0
        "component-match"                                h, truth (other components)      1
        "component-sparseness"                           h
        "component-shares"                               w, h
        ================================================ ================================ ====
    x : array (n, m), the samples
    embedding : array (n, d) or (n,)
    truth : array (n, p), the true coordinates, or the map to compare with
    labels, predicted : whole numbers or words (n,), the classes of the samples, and the predicted classes or clusters
    w, h : arrays (n, rank), (rank, m)
    neighbors : int
        The number of neighbours for metrics of neighbourhoods (5; for "bad-neighbors" √n; for "intrinsic-dimension" the default of the method).
    perplexity : float
        For "kl-divergence" (30, or (n - 1)/3 if that is less).
    centred, side, method, cap, rule, normalise, splits, train, projection : settings, as in docs/measures.md
        With ``projection="separate"``, "nn-error" and "nfl-error" take x, and ``method`` with its parameters; the method is fitted to every training part.
    progress : callable(phase, share) or bool
        As in :func:`embed`.
    seed, threads, backend, memory : how to run, as in :func:`embed`

    Returns
    -------
    Score
        An argument that the metric does not use gives a warning; a missing one gives an error. The same seed gives the same bits for any number
        of threads.

    Examples
    --------
    >>> import numpy, orthant
    >>> orthant.evaluate("acc", labels=[0, 0, 1, 1], predicted=[5, 5, 2, 5])
    0.75
    """
    _progress.check(progress)
    evaluation, held = Evaluation(sizeof(Evaluation)), []
    for field, given in (("x", x), ("embedding", embedding), ("truth", truth), ("w", w), ("h", h)):
        if given is None:
            continue
        if _sparse.is_sparse(given):
            raise ValueError(f"{field} is sparse, and measures take arrays; give {field}.toarray()")
        given = reals(given, field)
        given = _calls._rows(given[:, None] if given.ndim == 1 else given, field)
        held += [given, _calls._matrix(given)]
        setattr(evaluation, field, pointer(held[-1]))
    for field, given in (("labels", labels), ("predicted", predicted)):
        if given is not None:
            given = _calls._labels(given, field)
            held.append(given)
            setattr(evaluation, field, given.ctypes.data)
            setattr(evaluation, field + "_count", len(given))
    options = Options(struct_size=sizeof(Options), patience=_calls._PATIENCE)
    lib, handle, error = library(), c_void_p(), Room()
    try:
        status = lib.orthant_evaluate(
            _calls._text(metric, "the metric"), _calls._json(parameters), evaluation, options, byref(handle), error.text
        )
        if status == BUSY:
            with _progress.following(progress) as told:
                status = _calls._wait(lib, handle, error, told)
        raise_for(status, error)
        result = _calls.Result(handle.value)
    except BaseException:
        lib.orthant_result_free(handle)  # it cancels, and waits until the inputs are no longer read
        raise
    for text in result.report["warnings"]:
        _calls.warn(text, UserWarning)
    rates = result.array("rates")[:, 0] if "rates" in result else None
    return Score(result.number("value"), rates, result.report)
