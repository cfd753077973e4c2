"""A model applied to blocks of rows, for libraries that hold more rows than one machine can."""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, Sequence

import numpy as np

from . import _blocks, _data, _sparse
from ._arrays import _rows
from ._results import Model
from ._types import Samples

# The models that a process holds, by the checksums of their bytes: at most this many, the last used at the end.
_KEPT = 4
_held: OrderedDict[str, Model] = OrderedDict()
_loading = threading.Lock()


class Mapper:
    """Gives the rows of a block their coordinates, or labels, by a model. Dask, Ray Data and Spark can map their blocks with it.

    It can be pickled. A process loads the model with its first block, and then keeps it. The coordinates of a row depend neither on its block
    nor on the process, to the last bit. A call takes the memory of n·m entries and the coordinates of n rows.

    Parameters
    ----------
    model : Model, path or fitted estimator
        With a path every process reads the file itself, so all of them must see it. Use a path for models of more than a few
        MB, since a Model travels with the tasks. The file must not change.
    columns : list of column names, a name, or None
        The features, in the order of the fit; for arrays the numbers of the columns, counted from 0. None: all except those in ``keep``.
    keep : list of column names
        Columns that are copied in front of the coordinates, such as an identifier. Not for arrays.
    names : list of str, optional
        Names of the coordinates in frames, tables and dicts: "y1", "y2" ... , or "label".
    dtype : float64 or float32, optional
        Type of the coordinates, float64 by default. Labels are int64.
    threads : int, optional
        Threads of a call. None: the value of :func:`get_num_threads`, which is one in the worker of a pool.

    Raises
    ------
    ValueError
        For columns that a block does not have, entries that are not numbers, and a file that has changed.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> import numpy, orthant, pickle
    >>> x = numpy.random.default_rng(1).uniform(size=(100, 3))
    >>> mapper = orthant.Mapper(orthant.embed(x, "pca", dim=2, model=True).model())
    >>> mapper.names, mapper(x[:10]).shape
    (['y1', 'y2'], (10, 2))
    >>> numpy.array_equal(pickle.loads(pickle.dumps(mapper))(x), numpy.concatenate([mapper(x[:60]), mapper(x[60:])]))
    True
    >>> mapper = orthant.Mapper(orthant.cluster(x, "kmeans", 4, model=True).model(), ["a", "b", "c"], keep=["id"])
    >>> list(mapper({"id": numpy.arange(100), "a": x[:, 0], "b": x[:, 1], "c": x[:, 2]})), mapper.schema
    (['id', 'label'], 'label bigint')
    """

    def __init__(
        self,
        model: Any,
        columns: Sequence[Any] | str | None = None,
        *,
        keep: Sequence[Any] = (),
        names: Sequence[str] | None = None,
        dtype: Any = None,
        threads: int | None = None,
    ) -> None:
        self._path = self._saved = None
        if hasattr(model, "_orthant_model"):
            model = model._model()
        if isinstance(model, Model):
            self._saved = model.to_bytes()
            self._sum = hashlib.sha256(self._saved).hexdigest()
            _keep(self._sum, model)
        elif isinstance(model, (str, os.PathLike)):
            self._path = os.path.abspath(os.fspath(model))
            self._sum = hashlib.sha256(self._read()).hexdigest()
        else:
            raise ValueError(f"the model is {type(model).__name__}; give an orthant.Model, such as Result.model(), the path of one, or a fitted estimator")
        self._columns = _listed(columns, "columns")
        self._kept = _listed(keep, "keep") or []
        self._names = None if names is None else [str(name) for name in names]
        self._dtype = np.dtype(np.float64 if dtype is None else dtype)
        if self._dtype not in (np.float64, np.float32):
            raise ValueError(f"dtype is {self._dtype}; give float64 or float32")
        self._threads = threads

    @property
    def model(self) -> Model:
        """The :class:`Model` of this process."""
        with _loading:
            if self._sum not in _held:
                saved = self._saved
                if saved is None:
                    saved = self._read()
                    if hashlib.sha256(saved).hexdigest() != self._sum:
                        raise ValueError(f"{self._path} is not the model any more that the Mapper was made for; make the Mapper anew")
                _keep(self._sum, Model.from_bytes(saved))
            _held.move_to_end(self._sum)
            return _held[self._sum]

    @property
    def names(self) -> list[str]:
        """The names of the coordinates."""
        about = self.model.info
        of = ["label"] if about["clusters"] else [f"y{j + 1}" for j in range(about["dim"])]
        if self._names is None:
            return of
        if len(set(self._names)) != len(of) or len(self._names) != len(of):
            raise ValueError(f"names are {self._names}; the model makes {len(of)} column(s): give as many names, all of them different")
        return list(self._names)

    @property
    def schema(self) -> str:
        """The columns of the coordinates in the form that Spark's mapInPandas and mapInArrow take; the columns in ``keep`` come before them."""
        kind = "bigint" if self.model.info["clusters"] else _SPARK[self._dtype]
        return ", ".join(f"{name} {kind}" for name in self.names)

    def __call__(self, block: Samples) -> Any:
        """Maps a block, or lazily each block of an iterator.

        Parameters
        ----------
        block : array, sparse matrix, frame, table, record batch, dict of arrays, or an iterator of these
            n rows, with the columns for which the Mapper was made.

        Returns
        -------
        n × dim array for an array (labels: n), otherwise a block of the same kind
            A pandas frame keeps its index. An iterator gives an iterator; other objects with Arrow's interface give arrays.
        """
        if isinstance(block, Iterator):
            return map(self, block)
        has = _blocks.names_of(block)
        if has is None:
            if self._kept:
                raise ValueError("keep is for blocks whose columns have names, and this one is an array; leave keep out")
            return self._mapped(self._of_array(_blocks.without_question(block)))
        y = self._mapped(_blocks.picked(block, self._features(has), has))
        clash = sorted(set(self.names) & set(map(str, self._kept)))
        if clash:
            raise ValueError(f"{clash[0]!r} would be a kept column and a coordinate; give names= for the coordinates")
        return _blocks.made(block, self._kept, dict(zip(self.names, [y] if y.ndim == 1 else np.ascontiguousarray(y.T))))

    def _features(self, has):
        """Returns the names of the features of a block with these columns."""
        there = set(has)
        missing = [name for name in [*(self._columns or []), *self._kept] if name not in there]
        if missing:
            raise ValueError(f"the block has no column {missing[0]!r}; its columns are {has[:20]}{' ...' if len(has) > 20 else ''}")
        return [name for name in has if name not in self._kept] if self._columns is None else self._columns

    def _of_array(self, block):
        """Returns the features of a block without names."""
        if not _sparse.is_sparse(block):
            block, names, _ = _data.entered(block, "the block")
            if names is not None and self._columns is not None:  # another library's table
                return block[:, [names.index(name) for name in self._features(names)]]
        if self._columns is None or 0 in getattr(block, "shape", ()):
            return block
        width = block.shape[1] if getattr(block, "ndim", 0) == 2 else 0
        for j in self._columns:
            if not isinstance(j, (int, np.integer)) or isinstance(j, bool) or not 0 <= j < width:
                raise ValueError(f"the block is an array of {width} columns, and {j!r} is not one of them; give columns= by their numbers, counted from 0")
        return block[:, self._columns]

    def _mapped(self, x):
        """Returns the coordinates of the rows of x. x may have no rows: Dask infers the type of the result with such a block."""
        x, about = x if _sparse.is_sparse(x) else _rows(x, "the block"), self.model.info
        if x.shape[0] == 0:
            return np.empty(0, np.int64) if about["clusters"] else np.empty((0, about["dim"]), self._dtype)
        return self.model.transform(x, threads=self._threads, dtype=None if about["clusters"] else self._dtype)

    def _read(self):
        try:
            with open(self._path, "rb") as f:
                return f.read()
        except OSError as error:
            raise type(error)(error.errno, f"the model cannot be read ({error.strerror}): put it where all processes see it, or give the Model itself", self._path) from None

    def __dask_tokenize__(self) -> tuple:
        """A token that is equal, in any process, only for Mappers that give the same results."""
        return "orthant.Mapper", self._sum, self._columns, self._kept, self._names, self._dtype.str

    def __repr__(self):
        return f"<orthant.Mapper {self._sum[:8]}>"


_SPARK = {np.dtype(np.float64): "double", np.dtype(np.float32): "float"}


def _keep(name, model):
    """Holds a model in this process; it replaces the least recently used one."""
    _held[name] = model
    while len(_held) > _KEPT:
        _held.popitem(last=False)


def _listed(names, what):
    if names is None or isinstance(names, str):
        return names if names is None else [names]
    names = list(names)
    if len(set(names)) < len(names):
        raise ValueError(f"{what} are {names}, one of them twice; name each column once")
    return names
