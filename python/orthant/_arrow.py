"""Matrices by the Arrow C data interface: of pyarrow, polars, nanoarrow, DuckDB ... without any of these."""

import ctypes
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_void_p

import numpy as np


class Schema(ctypes.Structure):
    """ArrowSchema: the type of a column."""


Schema._fields_ = [
    ("format", c_char_p), ("name", c_char_p), ("metadata", c_char_p), ("flags", c_int64), ("n_children", c_int64),
    ("children", POINTER(POINTER(Schema))), ("dictionary", c_void_p), ("release", CFUNCTYPE(None, POINTER(Schema))), ("private_data", c_void_p),
]  # fmt: skip


class Array(ctypes.Structure):
    """ArrowArray: the entries of a column."""


Array._fields_ = [
    ("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64), ("n_children", c_int64), ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(Array))), ("dictionary", c_void_p), ("release", CFUNCTYPE(None, POINTER(Array))), ("private_data", c_void_p),
]  # fmt: skip


class Stream(ctypes.Structure):
    """ArrowArrayStream: a table in pieces."""


Stream._fields_ = [
    ("get_schema", CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema))), ("get_next", CFUNCTYPE(c_int, POINTER(Stream), POINTER(Array))),
    ("get_last_error", CFUNCTYPE(c_char_p, POINTER(Stream))), ("release", CFUNCTYPE(None, POINTER(Stream))), ("private_data", c_void_p),
]  # fmt: skip

_TYPES = {
    b"g": np.float64, b"f": np.float32, b"e": np.float16, b"c": np.int8, b"C": np.uint8, b"s": np.int16, b"S": np.uint16,
    b"i": np.int32, b"I": np.uint32, b"l": np.int64, b"L": np.uint64,
}  # fmt: skip

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]


def is_arrow(x):
    """Reports whether x gives its entries by that interface."""
    return hasattr(x, "__arrow_c_array__") or hasattr(x, "__arrow_c_stream__")


def matrix(x, what="x"):
    """Returns (array n × m, names of the columns or None) of a table, a batch or an array.

    Columns become one array of rows, in which float32 is kept if all columns have it. An array of lists of one length is read in place.
    """
    if hasattr(x, "__arrow_c_array__"):
        schema, array = x.__arrow_c_array__()
        held = (schema, array)  # deleting them releases their memory
        schema, array = Schema.from_address(_pointer(schema, b"arrow_schema")), Array.from_address(_pointer(array, b"arrow_array"))
        return _rows(schema, array, held, what), _names(schema)
    capsule = x.__arrow_c_stream__()
    stream, schema, parts = Stream.from_address(_pointer(capsule, b"arrow_array_stream")), Schema(), []
    _done(stream, stream.get_schema(stream, schema), what)
    try:
        names = _names(schema)
        while True:
            array = Array()
            _done(stream, stream.get_next(stream, array), what)
            if not array.release:
                break
            try:
                parts.append(np.array(_rows(schema, array, None, what)))
            finally:
                array.release(array)
        width = len(names) if names is not None else 1
        return (np.concatenate(parts) if parts else np.empty((0, width))), names
    finally:
        schema.release(schema)


def _done(stream, code, what):
    if code != 0:
        text = stream.get_last_error(stream)
        raise ValueError(f"{what} cannot be read by Arrow's interface: {text.decode() if text else f'error {code}'}")


def _names(schema):
    if schema.format != b"+s":
        return None
    return [(schema.children[j].contents.name or b"").decode() for j in range(schema.n_children)]


def _rows(schema, array, held, what):
    """Returns the entries, arranged as rows."""
    form = schema.format
    if form == b"+s":
        _whole(array, what)
        columns = []
        for j, name in enumerate(_names(schema)):
            child = schema.children[j].contents
            columns.append(_column(child, array.children[j].contents, array.offset, array.length, held, f"{what}: column {name!r}"))
        if not columns:
            raise ValueError(f"{what} has no columns")
        kind = np.float32 if all(c.dtype == np.float32 for c in columns) else np.float64
        out = np.empty((array.length, len(columns)), dtype=kind)
        for j, column in enumerate(columns):
            out[:, j] = column
        return out
    if form.startswith(b"+w:"):
        width = int(form[3:])
        _whole(array, what)
        entries = _column(schema.children[0].contents, array.children[0].contents, array.offset * width, array.length * width, held, what)
        return entries.reshape(array.length, width)
    return _column(schema, array, 0, array.length, held, what).reshape(-1, 1)


def _column(schema, array, begin, count, held, what):
    """Returns count entries from begin on, after the array's own offset, in place."""
    begin += array.offset
    lacking = _lacking(array, begin, count)
    if schema.format == b"b" and not schema.dictionary:
        bits = _buffer(array.buffers[1], (begin + count + 7) // 8, np.uint8, held)
        return _without(np.unpackbits(bits, bitorder="little")[begin : begin + count], lacking)
    if schema.format not in _TYPES or schema.dictionary:
        kind = "a dictionary" if schema.dictionary else f"of Arrow's type {schema.format.decode()!r}"
        raise ValueError(f"{what} is {kind}; give numbers")
    kind = np.dtype(_TYPES[schema.format])
    if count == 0:
        return np.empty(0, kind)
    return _without(_buffer(array.buffers[1] + begin * kind.itemsize, count * kind.itemsize, kind, held), lacking)


def _buffer(address, size, kind, held):
    """Returns memory as a read-only array that keeps the owner of the memory alive."""
    if size == 0:
        return np.empty(0, kind)
    memory = (ctypes.c_char * size).from_address(address)
    memory.held = held
    entries = np.frombuffer(memory, kind)
    entries.flags.writeable = False
    return entries


def _lacking(array, begin, count):
    """Returns which of count entries from begin on are null, or None if none is."""
    if array.null_count == 0 or array.n_buffers == 0 or not array.buffers[0] or count == 0:
        return None
    lacking = np.unpackbits(_buffer(array.buffers[0], (begin + count + 7) // 8, np.uint8, None), bitorder="little")[begin : begin + count] == 0
    return lacking if lacking.any() else None


def _without(entries, lacking):
    """Returns entries with NaN in the place of nulls; without nulls, the entries themselves."""
    if lacking is None:
        return entries
    return np.where(lacking, np.nan, entries).astype(entries.dtype if entries.dtype.kind == "f" and entries.dtype.itemsize > 2 else np.float64)


def _whole(array, what):
    """Refuses rows that are null as a whole."""
    lacking = _lacking(array, array.offset, array.length)
    if lacking is not None:
        first = int(np.flatnonzero(lacking)[0])
        raise ValueError(f"{what} has {int(lacking.sum())} nulls, the first in row {first + 1} (counting from 1); leave out these rows")
