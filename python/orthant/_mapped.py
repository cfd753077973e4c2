"""Files that this process and the worker map."""

import ctypes
import mmap
import os
import tempfile

import numpy as np

# The least size of a file, and the size up to which files are kept for later calls.
_LEAST, KEPT = 1 << 16, 1 << 22

# Of at least this many bytes, the kernel writes into a file without the faults that a mapping has for each page.
_WRITTEN = 1 << 17

_MOST = 1 << 30  # bytes of one write


def size_for(size):
    """Returns the size of the file that holds this number of bytes."""
    if size <= KEPT:
        return max(_LEAST, 1 << (size - 1).bit_length())
    return -(-size // mmap.PAGESIZE) * mmap.PAGESIZE


def array(address, rows, cols, stride, size):
    """Returns the memory of a matrix as an array, whose entries have size bytes."""
    extent = ((rows - 1) * stride + cols) * size
    return np.ndarray((rows, cols), f"u{size}", (ctypes.c_char * extent).from_address(address), strides=(stride * size, size))


class File:
    """A file that both sides map.

    On Linux it is memory without a name, elsewhere a temporary file, whose name the worker removes, and on Windows memory with
    a name. The last process to end frees it.
    """

    def __init__(self, number, size):
        self.number, self.size, self.token = number, size, (1 << 62) + (number << 12)
        self.fd, self.map, self.removed, self._maker = None, None, False, os.getpid()
        try:
            self._make()
        except (OSError, ValueError) as error:
            self._shut()
            raise MemoryError(f"{size} bytes for orthant's worker process cannot be had ({error}); give less at a time, or set TMPDIR to a folder with room") from error
        self._anchor = ctypes.c_char.from_buffer(self.map)
        self.address = ctypes.addressof(self._anchor)

    def _make(self):
        if os.name == "nt":
            self.name = f"orthant-{os.getpid()}-{id(self)}-{self.number}"
            self.map, self._sparse = mmap.mmap(-1, self.size, tagname=self.name), False
            return
        if hasattr(os, "memfd_create") and os.path.isdir(f"/proc/{os.getpid()}/fd"):
            self.fd, self._sparse = os.memfd_create("orthant", os.MFD_CLOEXEC), False
            self.name = f"/proc/{os.getpid()}/fd/{self.fd}"
        else:
            self.fd, self.name = tempfile.mkstemp(prefix="orthant-")
            self.removed = self._sparse = True
        os.ftruncate(self.fd, self.size)
        self.map = mmap.mmap(self.fd, self.size)

    def put(self, at, data):
        """Writes bytes. A disk that is full is an error of a write, and the end of the process in a mapping."""
        if self._sparse:
            self._write(at, memoryview(data))
        else:
            self.map[at : at + len(data)] = data

    def put_memory(self, at, address, size):
        """Writes memory: the one copy of an array."""
        if self.fd is None or size < _WRITTEN and not self._sparse:
            ctypes.memmove(self.address + at, address, size)
        else:
            self._write(at, memoryview((ctypes.c_char * size).from_address(address)).cast("B"))

    def put_rows(self, at, between, address, rows, cols, stride, size):
        """Writes a matrix that is in memory with a stride, with another one."""
        if self._sparse:
            for i in range(rows):
                self.put_memory(at + i * between * size, address + i * stride * size, cols * size)
        else:
            array(self.address + at, rows, cols, between, size)[...] = array(address, rows, cols, stride, size)

    def _write(self, at, data):
        try:
            while data.nbytes:
                done = os.pwrite(self.fd, data[:_MOST], at)
                at, data = at + done, data[done:]
        except OSError as error:
            raise MemoryError(f"an array cannot be written for orthant's worker process ({error}); give less at a time, or set TMPDIR to a folder with room") from error

    def own(self):
        """Returns the memory of the file as this process's own: children that fork change copies of it."""
        if self.fd is None:
            memory, self.map = self.map, None
            return memory
        return mmap.mmap(self.fd, self.size, access=mmap.ACCESS_COPY)

    def close(self):
        self._anchor = None
        if self.map is not None:
            self.map.close()
            self.map = None
        self._shut()

    __del__ = close

    def _shut(self):
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None
            if self.removed and os.getpid() == self._maker:
                try:
                    os.unlink(self.name)
                except OSError:
                    pass
