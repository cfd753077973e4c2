"""A call as the worker reads it: one block of bytes, in which pointers are places in a file.

What is an input and what an output is known from the types of _library.py; a new function needs nothing here.
"""

import ctypes
import functools
import struct
import threading
from ctypes import POINTER, c_char_p, c_void_p

from . import _library, _mapped
from ._library import Buffer, Bytes, Csr, Filled, Matrix, Numbers, Replaced, Text

_NAME = 64
_HEAD = _NAME + 24
_WORD = struct.Struct("<q")
_ADDRESS = struct.Struct("<Q")
_TEXT = struct.Struct("<QQQ")

# The bytes of an entry of each type.
_SIZES = (8, 4, 1, 8, 4, 2, 1)

_function = type(_library.Product)


@functools.lru_cache(None)
def _pointers(structure):
    """Lists the fields of a structure that are no numbers: (name, place, type, name of the field behind it)."""
    fields = [field for base in reversed(structure.__mro__) for field in base.__dict__.get("_fields_", ())]
    names = [name for name, _ in fields] + [None]
    return [(name, getattr(structure, name).offset, kind, names[i + 1]) for i, (name, kind) in enumerate(fields) if _is_pointer(kind) or issubclass(kind, c_void_p) or isinstance(kind, _function)]


def _is_pointer(kind):
    return isinstance(kind, type(POINTER(Text)))


class Record:
    """A call, its inputs, and where its outputs go."""

    kept = abandoned = answered = lost = False
    file = none = status = frees = None
    made = 0  # the number of the result or model that it made
    makes = ""

    def __init__(self, name, types, arguments, process=None, raw=None):
        self._name, self._process, self._raw = name.encode(), process, raw
        self._top = _HEAD + 8 * len(types)
        self._small, self._large, self._wide, self._targets, self._back = [], [], [], [], []
        self.functions, self.handles = [], []
        self.done = threading.Lock()
        self.done.acquire()
        words = []
        for i, (kind, value) in enumerate(zip(types, arguments)):
            words.append(self._argument(_HEAD + 8 * i, kind, value, arguments[i + 1] if i + 1 < len(arguments) else None))
        listed = self._place(16 * len(self._targets))
        self._head = self._name.ljust(_NAME, b"\0") + struct.pack(f"<3q{len(words)}Q", len(words), len(self._targets), listed, *words)
        self._listed = listed
        self.size = self._top + 8  # a pointer to nothing at the end is within the file, too

    # The layout.

    def _place(self, size):
        at = -(-self._top // 64) * 64 if size >= 64 else -(-self._top // 8) * 8
        self._top = at + size
        return at

    def _points(self, place, file=None):
        """Notes that there is a pointer, to this file or to another one."""
        self._targets.append((place, file))

    def _bytes(self, data):
        at = self._place(len(data))
        self._small.append((at, data))
        return at

    def _memory(self, address, size):
        """Takes memory as an input."""
        at = self._place(size)
        if size:
            self._large.append((at, address, size))
        return at

    # Arguments. Each method returns the word of a pointer, and notes that it is one.

    def _argument(self, place, kind, value, behind):
        if kind is Numbers or kind is Filled:
            if value is None:
                return 0
            self._points(place)
            if kind is Numbers:
                return self._memory(value, 8 * behind)
            at = self._place(behind)
            self._back.append(("memory", at, value, behind))
            return at
        if kind is Bytes or issubclass(kind, c_char_p):
            if value is None:
                return 0
            self._points(place)
            return self._bytes(value[:behind] if kind is Bytes else value + b"\0")
        if _is_pointer(kind):
            value = getattr(value, "_obj", value)
            if value is None:
                return 0
            if isinstance(value, ctypes._Pointer):
                if not value:
                    return 0
                value = value.contents
            self._points(place)
            of = kind._type_
            if issubclass(of, ctypes.Structure):
                return self._structure(of, value)
            at = self._bytes(bytes(value))
            if issubclass(of, c_void_p):
                self.makes = "model" if self._name in (b"orthant_model_of", b"orthant_load", b"orthant_load_bytes") else "result"
                self._back.append(("handle", at, value, 8))
            else:
                self._back.append(("memory", at, ctypes.addressof(value), ctypes.sizeof(value)))
            return at
        value = getattr(value, "value", value)
        if issubclass(kind, c_void_p):
            handle = self._raw(value) if value else 0
            self.handles.append(handle)
            return handle
        return int(value) & 0xFFFFFFFFFFFFFFFF

    def _structure(self, of, value):
        """Places a structure and all to which it points."""
        if of is Text:
            return self._text(value)
        data = bytearray(value)
        at = self._place(len(data))
        self._small.append((at, data))
        if issubclass(of, Matrix):
            self._matrix(of, value, at, data)
            return at
        if of is Csr:
            index, size = _SIZES[value.index_type], _SIZES[value.type]
            for field, count in ((Csr.data, size * value.entries), (Csr.indices, index * value.entries), (Csr.indptr, index * (value.rows + 1))):
                address = field.__get__(value)
                if address:
                    self._point(data, at, field.offset, self._memory(address, count))
            return at
        for name, offset, kind, behind in _pointers(of):
            given = getattr(value, name)
            if isinstance(kind, _function):
                number = self._process.function(value)
                self.functions.append(number)
                _ADDRESS.pack_into(data, offset, number)
                continue
            if kind is Numbers:
                given = given.value
            if not given:
                continue
            if kind is Numbers:
                self._point(data, at, offset, self._memory(given, 8 * getattr(value, behind)))
            elif _is_pointer(kind):
                self._point(data, at, offset, self._structure(kind._type_, given.contents))
            else:
                raise TypeError(f"{of.__name__}.{name} cannot be given to a worker")
        return at

    def _point(self, data, at, offset, to, file=None):
        self._points(at + offset, file)
        _ADDRESS.pack_into(data, offset, to)

    def _matrix(self, of, value, at, data):
        if not value.data:
            return
        written = issubclass(of, Buffer)
        rows, cols, stride, size = value.rows, value.cols, value.stride, _SIZES[value.type]
        file = self._process.given.get(value.data) if written else None
        if file is not None:
            self._point(data, at, Matrix.data.offset, 0, file.number)
            return
        if rows < 1 or cols < 1:
            self._point(data, at, Matrix.data.offset, self._place(0))
            return
        if not written:
            extent = ((rows - 1) * stride + cols) * size
            if stride <= 2 * cols:
                self._point(data, at, Matrix.data.offset, self._memory(value.data, extent))
            else:  # what is between the rows stays here; the layout remains, since results may depend on it
                to = self._place(extent)
                self._wide.append((to, stride, value.data, (rows, cols, stride, size)))
                self._point(data, at, Matrix.data.offset, to)
            return
        to = self._place(rows * cols * size)
        self._point(data, at, Matrix.data.offset, to)
        _WORD.pack_into(data, Matrix.stride.offset, cols)
        if issubclass(of, Replaced):
            self._wide.append((to, cols, value.data, (rows, cols, stride, size)))
        self._back.append(("matrix", to, value.data, (rows, cols, stride, size)))

    def _text(self, text):
        at = self._place(_TEXT.size)
        to = 0
        if text.data and text.size:
            to = self._place(text.size)
            self._points(at)
        self._small.append((at, _TEXT.pack(to, text.size, 0)))
        self._back.append(("text", at, text, to))
        return at

    # The file.

    def write(self, file):
        """Writes the call."""
        file.put(0, self._head)
        for at, data in self._small:
            file.put(at, data)
        for at, address, size in self._large:
            file.put_memory(at, address, size)
        for at, between, address, (rows, cols, stride, size) in self._wide:
            file.put_rows(at, between, address, rows, cols, stride, size)
        if self._targets:
            file.put(self._listed, struct.pack(f"<{2 * len(self._targets)}q", *(word for place, other in self._targets for word in (place, file.number if other is None else other))))

    def copy_back(self, number):
        """Copies what the worker has written; number is added to the number of a result or model."""
        base = self.file.address
        for kind, at, to, more in self._back:
            if kind == "memory":
                ctypes.memmove(to, base + at, more)
            elif kind == "handle":
                self.made = _ADDRESS.unpack_from(self.file.map, at)[0]
                to.value = number + self.made if self.made else None
            elif kind == "text":
                to.needed = _TEXT.unpack_from(self.file.map, at)[2]
                if more:
                    ctypes.memmove(to.data, base + more, min(to.needed, to.size))
            else:
                rows, cols, stride, size = more
                _mapped.array(to, rows, cols, stride, size)[...] = _mapped.array(base + at, rows, cols, cols, size)

    def raw_handle(self):
        """Returns the number of the result or model that the call has made; 0: none."""
        for kind, at, _, _ in self._back:
            if kind == "handle":
                return _ADDRESS.unpack_from(self.file.map, at)[0]
        return 0


def freeing(name, handle):
    """Returns the call that frees a result or model."""
    return Record(name, [c_void_p], [handle], raw=lambda handle: handle)


def refused(types, arguments, status, said):
    """Writes the text of an error, as a function would, and returns its status."""
    if types and types[-1] == POINTER(Text) and arguments[-1] is not None:
        text, data = arguments[-1], said.encode() + b"\0"
        text.needed = len(data)
        if text.data and text.size:
            kept = data[: text.size - 1].decode("utf-8", "ignore").encode() + b"\0"
            ctypes.memmove(text.data, kept, len(kept))
    return status
