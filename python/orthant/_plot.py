"""Pictures of coordinates, on matplotlib."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from . import _data

# Classes, in colours that most people can distinguish (Okabe and Ito 2008), then the same colours with other marks.
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
_MARKS = "os^Dv"

# Samples without a value.
_GAP = "#c4c8ce"


def plot(y: Any, labels: Any = None, *, ax: Any = None, size: float | None = None, title: str | None = None) -> Any:
    """Draws samples by their coordinates.

    One column is drawn along a line, with random heights; two in a plane; three in space. If there are more columns, the
    first three are drawn. Equal lengths look equal along all axes.

    Parameters
    ----------
    y : array or frame of shape (n, d), :class:`Result`, or a fitted embedding
        The coordinates. Rows with NaN are left out.
    labels : n classes or numbers
        Whole numbers, words and categories are classes, at most 40, with a legend; other numbers are shown by a scale of colours, in which NaN is grey.
    ax : axes of matplotlib
        Where to draw, in three dimensions with projection="3d"; None: a new figure.
    size : float
        The area of a point in square points; None: by the number of samples.
    title : str

    Returns
    -------
    ax : axes of matplotlib

    Raises
    ------
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(100, 4))
    >>> ax = orthant.plot(orthant.embed(x, "pca"), numpy.arange(100) % 3)  # doctest: +SKIP
    >>> ax.figure.savefig("pca.png")  # doctest: +SKIP
    """
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("orthant.plot draws with matplotlib, which is not installed (Debian: python3-matplotlib)") from error
    points, names = _coordinates(y)
    shown = ~np.isnan(points).any(axis=1)
    n, d = points.shape
    if labels is not None:
        labels = np.asarray(labels)
        if labels.shape != (n,):
            raise ValueError(f"labels are of shape {labels.shape} for {n} samples; give one for each")
        labels = labels[shown]
    points = points[shown]
    if ax is None:
        ax = pyplot.figure().add_subplot(projection="3d" if d >= 3 else None)
    elif d >= 3 and ax.name != "3d":
        raise ValueError('y has three columns, and ax is of a plane; give axes made with projection="3d", or y[:, :2]')
    columns = list(points.T[:3])
    if d == 1:  # the heights have no meaning, they only keep points from overlapping
        columns.append(np.random.default_rng(0).uniform(-0.5, 0.5, len(points)))
    style = {"s": float(np.clip(4000 / max(n, 1), 1, 30)) if size is None else size, "linewidths": 0}
    _draw(ax, columns, labels, style)
    ax.set_xlabel(names[0])
    if d == 1:
        ax.set_yticks([])
        ax.set_ylim(-2, 2)
    else:
        ax.set_ylabel(names[1])
        if d >= 3:
            ax.set_zlabel(names[2])
            ax.set_box_aspect([max(float(np.ptp(c)), 1e-300) if len(c) else 1 for c in columns])
        else:
            ax.set_aspect("equal", adjustable="datalim")
    if title is not None:
        ax.set_title(title)
    return ax


def _coordinates(y):
    """Returns coordinates and the names of their columns."""
    y = getattr(y, "embedding_", y)
    if hasattr(y, "report") and "embedding" in y:
        y = y.embedding
    points, names, _ = _data.entered(y, "y")
    points = np.asarray(points, dtype=float)
    if points.ndim != 2 or points.shape[1] == 0:
        raise ValueError(f"y is of shape {points.shape}; give one row a sample, with its coordinates")
    return points, names or [f"coordinate {j + 1}" for j in range(points.shape[1])]


def _natural(name):
    """Returns the key by which 2 comes before 10, also within words."""
    if not isinstance(name, (str, bytes)):
        return name
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", str(name)) if part]


def _draw(ax, columns, labels, style):
    if labels is None:
        ax.scatter(*columns, color=_COLOURS[0], **style)
        return
    if labels.dtype.kind == "f":
        from matplotlib import pyplot

        colours = pyplot.get_cmap("viridis").copy()
        colours.set_bad(_GAP)
        drawn = ax.scatter(*columns, c=labels, cmap=colours, plotnonfinite=True, **style)
        ax.figure.colorbar(drawn, ax=ax)
        return
    classes, which = np.unique(labels.astype(str) if labels.dtype.kind == "O" else labels, return_inverse=True)
    most = len(_COLOURS) * len(_MARKS)
    if len(classes) > most:
        raise ValueError(f"labels have {len(classes)} classes, and at most {most} can be told apart; give numbers that are not whole to show them by a scale")
    order = sorted(range(len(classes)), key=lambda c: _natural(classes[c]))
    for k, c in enumerate(order):
        name, part = classes[c], which.reshape(-1) == c
        ax.scatter(*(c[part] for c in columns), color=_COLOURS[k % len(_COLOURS)], marker=_MARKS[k // len(_COLOURS)], label=str(name), **style)
    if len(classes):
        ax.legend(markerscale=max(1.0, float((30 / style["s"]) ** 0.5)))
