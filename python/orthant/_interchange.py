"""Matrices by the dataframe interchange protocol: of polars, modin, vaex, ibis ... without any of these."""

import ctypes

import numpy as np

_INT, _UINT, _FLOAT, _BOOL, _CATEGORICAL = 0, 1, 2, 20, 23
_KINDS = {_INT: "i", _UINT: "u", _FLOAT: "f"}
_SENTINEL, _BITS, _BYTES = 2, 3, 4  # how a column marks what is missing, if not by NaN


def matrix(x, what="x"):
    """Returns (array n × m, names of the columns). What is missing is NaN; the array is float32 if all columns are."""
    table = x.__dataframe__(allow_copy=True)
    names = [str(name) for name in table.column_names()]
    if not names:
        raise ValueError(f"{what} has no columns")
    parts = []
    for chunk in table.get_chunks():
        columns = [_column(chunk.get_column(j), f"{what}: column {name!r}") for j, name in enumerate(names)]
        out = np.empty((len(columns[0]), len(columns)), np.float32 if all(c.dtype == np.float32 for c in columns) else np.float64)
        for j, column in enumerate(columns):
            out[:, j] = column
        parts.append(out)
    return (parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else np.empty((0, len(names)))), names


def _column(column, what):
    """Returns the entries of a column."""
    kind = column.dtype[0]
    count = column.size() if callable(column.size) else column.size
    if kind == _CATEGORICAL:
        return _categories(column, count, what)
    if kind not in _KINDS and kind != _BOOL:
        raise ValueError(f"{what} is of type {getattr(kind, 'name', kind)}; give numbers, or leave it out")
    buffers = column.get_buffers()
    entries = _entries(*buffers["data"], column.offset, count)
    how, mark = column.describe_null
    if how in (_BITS, _BYTES):
        lacking = _entries(*buffers["validity"], column.offset, count, bits=how == _BITS) == mark
    elif how == _SENTINEL:
        lacking = entries == mark
    else:
        return entries
    if lacking.any():
        entries = np.where(lacking, np.nan, entries).astype(np.float32 if entries.dtype == np.float32 else np.float64)
    return entries


def _categories(column, count, what):
    """Returns the numbers that the categories of a column are."""
    about = column.describe_categorical
    of = about.get("categories") if isinstance(about, dict) else None
    if of is None or of.dtype[0] not in (*_KINDS, _BOOL):
        raise ValueError(f"{what} is a column of categories; give numbers, or leave it out")
    codes = _entries(*column.get_buffers()["data"], column.offset, count).astype(np.int64)
    values = np.append(_column(of, what).astype(np.float64), np.nan)
    how, mark = column.describe_null
    if how == _SENTINEL:
        codes = np.where(codes == mark, len(values) - 1, codes)
    elif how in (_BITS, _BYTES):
        codes = np.where(_entries(*column.get_buffers()["validity"], column.offset, count, bits=how == _BITS) == mark, len(values) - 1, codes)
    return values[codes]


def _entries(buffer, dtype, offset, count, bits=False):
    """Returns count entries of a buffer as an array of its own."""
    kind, width = dtype[0], dtype[1]
    order = dtype[3] if len(dtype) > 3 and dtype[3] in ("<", ">") else "="
    if count == 0:
        return np.empty(0)
    memory = (ctypes.c_char * buffer.bufsize).from_address(buffer.ptr)
    if bits or width == 1:
        packed = np.frombuffer(memory, np.uint8)
        return np.unpackbits(packed, bitorder="little")[offset : offset + count]
    form = np.dtype(np.uint8) if kind == _BOOL else np.dtype(f"{order}{_KINDS[kind]}{width // 8}")
    return np.array(np.frombuffer(memory, form)[offset : offset + count])
