"""Many factorisations of one matrix, and their consensus."""

from __future__ import annotations

import numbers
from ctypes import byref, pointer, sizeof
from typing import Any

import numpy as np

from . import _sparse
from ._arrays import _matrix, _rows, _text, integers, reals
from ._calls import Result, _run
from ._library import INT64, Components, Matrix
from ._numbers import real, whole
from ._types import Progress, Samples


def _ranks(ranks):
    """Returns ranks as int64: one rank, a range, or any other ranks."""
    if isinstance(ranks, (numbers.Number, np.ndarray)) and np.ndim(ranks) == 0:
        ranks = [ranks]
    try:
        listed = list(ranks)
    except TypeError:
        raise ValueError(f"ranks are {ranks!r}; give a whole number, a range or a list") from None
    if not listed:
        raise ValueError("ranks are empty; give one at least")
    return np.array([whole(rank, "a rank") for rank in listed], dtype=np.int64)


class Runs(Result):
    """Many factorisations of one matrix, by :func:`factorize_runs`.

    ``ranks`` are the ranks, ``seeds`` the seeds of the runs of each rank. ``errors``, ``objectives`` and ``iterations`` are ranks × runs, one
    row a rank, in the given order. ``report`` is a dict with the keys of the command's ``--json``; its ``"results"`` are the runs, with their
    verdicts.

    Examples
    --------
    >>> import numpy, orthant
    >>> runs = orthant.factorize_runs(numpy.random.default_rng(1).uniform(size=(60, 8)), 3, 4)
    >>> runs.errors_of(3).shape, runs.labels(3).shape
    ((4,), (4, 60))
    """

    def h(self, rank: int, run: int | None = None) -> np.ndarray:
        """Returns H of a run, counted from 0: rank × m, or of all runs of a rank: runs × rank × m. Rows have unit length, except with normalise="none".
        """
        return self._factor("h", rank, run)

    def w(self, rank: int, run: int | None = None) -> np.ndarray:
        """Returns W of a run: n × rank, or of all runs of a rank: runs × n × rank. They are only kept with ``keep_w=True``.
        """
        return self._factor("w", rank, run)

    def labels(self, rank: int) -> np.ndarray:
        """Returns the largest component of the samples ``label_samples`` (at most 1000, evenly spaced) in every run: runs × samples.
        """
        return self.array(f"labels_{self._rank(rank)}")

    def errors_of(self, rank: int) -> np.ndarray:
        """Returns ‖X − WH‖/‖X‖ of every run of a rank.
        """
        return self.errors[self.report["ranks"].index(self._rank(rank))]

    def best(self, rank: int) -> int:
        """Returns the run of a rank with the least error, counted from 0.
        """
        return int(np.argmin(self.errors_of(rank)))

    def _rank(self, rank):
        if whole(rank, "rank") not in self.report["ranks"]:
            raise ValueError(f"there are no runs of rank {rank!r}; there are some of {', '.join(map(str, self.report['ranks']))}")
        return int(rank)

    def _factor(self, name, rank, run):
        rank, runs = self._rank(rank), self.report["runs"]
        if run is not None and not whole(run, "run", 0) < runs:
            raise ValueError(f"run is {run!r}; give a whole number from 0 to {runs - 1}")
        if name == "w" and f"w_{rank}" not in self:
            raise ValueError("W of the runs was not kept; give keep_w=True, or factorise once by the seed of the run")
        stack = self.array(f"{name}_{rank}")
        stack = stack.reshape(runs, stack.shape[0] // runs, stack.shape[1])
        return stack if run is None else stack[run].copy()

    def __repr__(self):
        about = self.report
        return f"<orthant.Runs of {about['method']}, {about['samples']} samples, {about['runs']} of each rank of {about['ranks']}>"


class Consensus(Result):
    """The consensus of the runs of one rank, by :func:`consensus`.

    ``spectra`` is rank × m, rows of sum 1; ``usages`` n × rank; ``scores`` rank × g, NaN for constant columns; ``levels`` rank × g, the spectra in
    the unit of the levels. ``report`` has the keys of the command's ``consensus.json``; ``report["parts"]`` says of each component how reliably the
    runs find it (``cosine``, ``least_cosine``, ``silhouette``, ``kept``), and its ``share`` and ``sparseness``.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(60, 8))
    >>> found = orthant.consensus(x, orthant.factorize_runs(x, 2, 4), local_density_threshold=2)
    >>> found.spectra.shape, found.relative_error < 1
    ((2, 8), True)
    """

    @property
    def stability(self) -> float:
        """The mean silhouette of the components that the filter keeps; NaN for rank 1. Compare ranks by ``number("stability_unfiltered")``.
        """
        return self.number("stability")

    @property
    def relative_error(self) -> float:
        """‖X − usages·spectra‖/‖X‖.
        """
        return self.number("relative_error")

    @property
    def cophenetic_correlation(self) -> float:
        """How well the runs agree on which samples belong together; 1: all agree (Brunet et al. 2004). NaN without labels.
        """
        return self.number("cophenetic_correlation")

    def __repr__(self):
        about = self.report
        return f"<orthant.Consensus of {about['runs']} runs of rank {about['rank']}, {about['samples']} samples>"


def factorize_runs(x: Samples, ranks: Any, runs: int, method: str = "nmf", *, keep_w: bool = False, progress: Progress = None, **parameters: Any) -> Runs:
    """Factorises x many times, with several ranks and from several starts.

    x is read once for all runs; the runs of "nmf", and of "nmf-kl" with a sparse x, pass over the data together. Run i, counted from 0, has the
    seed ``seed`` + i (1 + i) and finds the same as :func:`factorize` with that seed, for any number of threads.

    With held_out=0.1 a tenth of the entries is hidden from each run ("nmf", "nmf-kl" and "l21-nmf"), the same entries for all ranks.
    ``held_out_losses`` and ``held_out_errors``, ranks × runs, measure how well it predicts them, and ``report["held_out"]`` has the rank that
    predicts best and the smallest rank within a standard error of it (docs/missing.md).

    ``report["stability"]`` has for each rank the run of the least objective, and how reliably the other runs find each of its components
    (docs/restarts.md).

    Parameters
    ----------
    x : array, frame, table or sparse matrix, n × m
        With entries ≥ 0.
    ranks : int, range or list of distinct ints
        At most min(n, m).
    runs : int
        The number of runs of each rank.
    method : {"nmf", "nmf-kl", "nmf-beta", "l21-nmf", "cim-nmf"}
    keep_w : bool
        Keeps W of every run, n × rank each.
    progress : callable(phase, share) or bool
    **parameters
        Parameters of the method and of the run: ``iterations=100, seed=1, threads=2``.

    Returns
    -------
    Runs

    Raises
    ------
    ValueError
        For ranks beyond the data, runs < 1, and entries that are negative (see the parameter shift) or not finite.
    MemoryError
        If the results would not fit into memory.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(60, 8))
    >>> r = orthant.factorize_runs(x, [2, 3], 4)
    >>> r.errors.shape, r.h(3).shape, r.h(3, 0).shape
    ((2, 4), (4, 3, 8), (3, 8))
    """
    listed, count = _ranks(ranks), whole(runs, "runs")

    def begin(lib, matrix, text, options, handle, error):
        return lib.orthant_factorize_runs(_text(method, "the method"), listed.ctypes.data, len(listed), count, text, matrix, options, byref(handle), error)

    return _run(begin, x, dict(parameters, keep_w=bool(keep_w)), progress=progress, made=Runs)


def consensus(
    x: Samples, runs: Any, rank: int | None = None, *, labels: Any = None, levels: Any = None, local_density_threshold: float = 0.5, local_neighborhood_size: float = 0.3, progress: Progress = None, **parameters: Any
) -> Consensus:
    """Combines the runs of one rank, as consensus NMF does (Kotliar et al. 2019, eLife 8:e43803).

    The components are scaled to unit length. k-means groups the components that the filter keeps into as many clusters as the rank. The medians of the
    clusters are the spectra, and the coordinates of the samples with these spectra are the usages.

    Parameters
    ----------
    x : array, frame, table or sparse matrix, n × m
        The matrix that the runs factorised.
    runs : Runs, or array of runs × rank × m
        The result of :func:`factorize_runs`, or your own components.
    rank : int
        The rank of the runs; may be left out if there is only one.
    labels : runs × samples whole numbers
        Labels of some samples, for the cophenetic correlation of your own components.
    levels : n × g array or sparse matrix
        The data to which the scores refer; None: x with every row scaled to the sum 10⁶.
    local_density_threshold : float
        Components whose mean distance to their nearest others is at least this are left out; 2: none is left out.
    local_neighborhood_size : float
        The number of nearest others, as a share of the number of runs. It must give at least one: with the default you need 4 runs or more.
    progress : callable(phase, share) or bool
    **parameters
        ``seed``, ``threads``, ``backend``, ``memory``, and for your own components ``method`` ("nmf-kl": the usages are found by the divergence).

    Returns
    -------
    Consensus

    Raises
    ------
    ValueError
        For shapes that do not match, entries that are negative or not finite, too few runs, and a filter that leaves fewer components
        than clusters.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(60, 8))
    >>> r = orthant.factorize_runs(x, 3, 4)
    >>> orthant.consensus(x, r, local_density_threshold=2).usages.shape
    (60, 3)
    """
    if isinstance(runs, Runs):
        known = runs.report["ranks"]
        if rank is None:
            if len(known) > 1:
                raise ValueError(f"rank is None where there are runs of {', '.join(map(str, known))}; give one of them")
            rank = known[0]
        shape = getattr(x, "shape", ())
        if len(shape) == 2 and shape[0] != runs.report["samples"]:
            raise ValueError(f"x has {shape[0]} samples where the runs factorised {runs.report['samples']}; give these")
        components = runs.h(rank)
        labels = runs.labels(rank) if labels is None else labels
        parameters.setdefault("method", runs.report["method"])
    else:
        components = reals(runs, "runs")
        if components.ndim != 3:
            raise ValueError(f"runs has {components.ndim} dimensions; give what factorize_runs returned, or components, runs × rank × m")
        if rank is not None and whole(rank, "rank") != components.shape[1]:
            raise ValueError(f"rank is {rank!r} where the components are of rank {components.shape[1]}; leave it out")
    for name, value in (("local_density_threshold", local_density_threshold), ("local_neighborhood_size", local_neighborhood_size)):
        real(value, name, above=0)
    count, of, m = components.shape
    of = whole(of, "rank")
    given = Components(struct_size=sizeof(Components))
    held = []

    def matrix(field, array, kind=None):
        held.extend([array, Matrix(array.ctypes.data, *array.shape, array.shape[1], INT64) if kind else _matrix(array)])
        setattr(given, field, pointer(held[-1]))

    stack = _rows(components.reshape(count * of, m), "runs")
    matrix("components", stack if stack.dtype != np.uint8 else stack.astype(np.float64))
    if labels is not None:
        matrix("labels", integers(labels, "labels", 2), INT64)
    if _sparse.is_sparse(levels):
        csr, arrays = _sparse.csr(_sparse.summed(levels, "levels"), "levels")
        held.extend([csr, arrays])
        given.levels_csr = pointer(csr)
    elif levels is not None:
        matrix("levels", _rows(levels, "levels"))

    def begin(lib, samples, text, options, handle, error):
        return lib.orthant_consensus(of, text, given, samples, options, byref(handle), error)

    asked = dict(parameters, local_density_threshold=local_density_threshold, local_neighborhood_size=local_neighborhood_size)
    return _run(begin, x, asked, progress=progress, made=Consensus)
