"""The functions of orthant.h by the command, as a worker: "orthant serve" at the other end of a pipe.

A Worker has the functions as ctypes.CDLL does, with the same arguments, so that nothing else knows which of them it calls. A call
is written into a file that both processes map, with its structures, texts and arrays; pointers become places in the file
(_record.py). The worker carries it out there, and what it has written is copied back. docs/linking.md describes the messages.

Results and models stay with the worker, which gives them numbers. Where it ends, what it held is lost, and the next call starts
another. A process that forks leaves the worker to the parent; the child starts its own.
"""

import _thread
import atexit
import collections
import itertools
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import sysconfig
import threading
from functools import partial

import numpy as np

from . import _mapped, _record, _version
from ._library import ABI, BUSY, INTERNAL, OK

PROTOCOL = 1

# Messages to the worker, and of it; their words are those of cmd/internal/serve/protocol.go.
_ENTER, _LEAVE, _CALL, _RETURNED, _MORE_ROOM = range(1, 6)
_READY, _ENDED, _PRODUCT = range(1, 4)

_MESSAGE = struct.Struct("<8q")

# An array of at least this many bytes is not copied out of the file that the worker wrote: it is that file.
_SHARED = 1 << 24

# A number of a result or model has the number of its worker above these bits.
_BITS = 40

_PATHS = ("orthant_save", "orthant_load")
# The numbers of workers, of which a process has one after another.
_numbers = itertools.count(1)

_FREEING = ("orthant_result_free", "orthant_model_free")


class _Lost(Exception):
    """The worker that a call needs has ended."""


class Worker:
    """The functions of the header, carried out by a worker that is started again when it has ended."""

    def __init__(self, functions):
        self._functions, self._starting, self._process = functions, threading.Lock(), None
        self.interface = {"interface": "worker"}
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)
        atexit.register(self._end)
        self._running()

    def __getattr__(self, name):
        types = self.__dict__.get("_functions", {}).get(name)
        if types is None:
            raise AttributeError(name)
        function = partial(self._free, name) if name in _FREEING else partial(self._call, name, types)
        setattr(self, name, function)
        return function

    def _running(self):
        """Returns the process, which is started if there is none."""
        process = self._process
        if process is not None and not process.down:
            return process
        with self._starting:
            if self._process is None or self._process.down:
                self._process = _started(next(_numbers))
                self.interface = {"interface": "worker", "path": self._process.path, "pid": self._process.child.pid}
                again = self._process.number > 1
            else:
                again = False
        if again:
            from . import _threads

            _threads.tell_again(self)
        return self._process

    def _forked(self):
        """Leaves the worker to the parent."""
        self._starting = threading.Lock()
        if self._process is not None:
            self._process.left()
            self._process = None

    def _end(self):
        if self._process is not None:
            self._process.end()

    def _raw(self, handle, process):
        """Returns a number as the worker knows it."""
        if handle >> _BITS != process.number:
            raise _Lost("the worker process that held this result or model has ended, or belongs to the process that forked; make it again (models: keep their bytes, by save or to_bytes)")
        return handle & ((1 << _BITS) - 1)

    def _call(self, name, types, *arguments):
        process = self._running()
        if name in _PATHS and os.getcwdb() != process.folder:
            arguments = [os.path.join(os.getcwdb(), a) if isinstance(a, bytes) else a for a in arguments]
        try:
            record = _record.Record(name, types, arguments, process, lambda handle: self._raw(handle, process))
            status = process.carried_out(record)
        except _Lost as lost:
            return _record.refused(types, arguments, INTERNAL, str(lost))
        if status == BUSY and record.made:
            process.keep(record)
        elif name == "orthant_wait" and status != BUSY:
            process.ended(record.handles[0])
        if not record.kept:
            process.release(record)
        process.flush()
        return status

    def _free(self, name, handle):
        """Frees a result or a model, at the worker's leisure: this may be called while another call is being made."""
        value = getattr(handle, "value", handle)
        process = self._process
        if value and process is not None and not process.down and value >> _BITS == process.number:
            process.dead.append((name, value & ((1 << _BITS) - 1)))
            process.flush()
        return OK

    def filled(self, shape, dtype, fill):
        """Returns an array that fill writes, which gets its address; a large one is in a file that the worker writes."""
        size = int(np.prod(shape)) * dtype.itemsize
        if size < _SHARED:
            out = np.empty(shape, dtype)
            fill(out.ctypes.data)
            return out
        process = self._running()
        file = process.entered(size)
        try:
            process.given[file.token] = file
            fill(file.token)
            memory = file.own()
        finally:
            process.given.pop(file.token, None)
            process.left_over(file, again=False)
        return np.frombuffer(memory, dtype, size // dtype.itemsize).reshape(shape)


class _Process:
    """One process of the command, and what is under way there."""

    def __init__(self, path, number):
        self.path, self.number, self.down, self.why = path, number, False, ""
        self.child = subprocess.Popen([path, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0))
        self.folder = os.getcwdb()
        self._in, self._out = self.child.stdin.fileno(), self.child.stdout.fileno()
        self._buffer = bytearray()
        self._lock = threading.Lock()  # of all below, and of writing to the worker
        self._calls, self._last = {}, itertools.count(1)
        self._files, self._free = itertools.count(1), collections.defaultdict(list)
        self._tasks = {}  # the records of tasks in the background, by the number of their result
        self.functions, self._functions = {}, itertools.count(1)
        self.given = {}  # files to write results to, by their tokens
        self.dead = collections.deque()  # results and models that are to be freed

    def greeted(self):
        """Returns what the worker says of itself; None if it says nothing of the kind."""
        try:
            kind, _, rest = self._message()
            return json.loads(rest) if kind == _READY else None
        except (ValueError, EOFError, OSError):
            return None

    def begin(self):
        threading.Thread(target=self._read, name="orthant worker", daemon=True).start()

    # Messages.

    def _message(self):
        """Returns the next message: its kind, its words, and what follows. Only the thread that reads calls it."""
        size, known = _MESSAGE.size, None
        while True:
            if known is None and len(self._buffer) >= _MESSAGE.size:
                known = _MESSAGE.unpack_from(self._buffer)
                if not 0 <= known[7] <= 1 << 20:
                    raise ValueError("not a message of orthant serve")
                size += known[7]
            if known is not None and len(self._buffer) >= size:
                rest = bytes(self._buffer[_MESSAGE.size : size])
                del self._buffer[:size]
                return known[0], known[1:7], rest
            more = os.read(self._out, 1 << 16)
            if not more:
                raise EOFError
            self._buffer += more

    def _send(self, kind, *words, rest=b""):
        """Writes a message; with the lock."""
        if self.down:
            return
        words += (0,) * (6 - len(words))
        try:
            os.write(self._in, _MESSAGE.pack(kind, *words, len(rest)) + rest)
        except OSError:  # it has ended, which the thread that reads finds out
            pass

    def _read(self):
        """Reads what the worker says, until it ends. Signals never interrupt this thread."""
        try:
            while True:
                kind, words, rest = self._message()
                if kind == _ENDED:
                    self._answered(words, rest)
                elif kind == _PRODUCT:
                    _thread.start_new_thread(self._product, (words,))
        except (EOFError, OSError, ValueError):
            pass
        try:
            code = self.child.wait()
        except OSError:
            code = 0
        how = f"by signal {-code}" + (" (killed, perhaps for lack of memory)" if -code == getattr(signal, "SIGKILL", 9) else "") if code < 0 else f"with status {code}"
        with self._lock:
            self.down, self.why = True, f"orthant's worker process {self.child.pid} has ended, {how}; call again, and another is started (results and models that it held are lost)"
            calls, self._calls = list(self._calls.values()), {}
            self._close()
        for record in calls:
            record.lost = True
            record.done.release()

    def _answered(self, words, rest):
        number, status, none = words[:3]
        with self._lock:
            record = self._calls.pop(number, None)
            if record is None:
                return
            record.status, record.none = status, rest.decode("utf-8", "replace") if none else None
            record.answered = True
            abandoned = record.abandoned
        if abandoned:
            self._abandoned(record)
        else:
            record.done.release()

    # Calls.

    def carried_out(self, record):
        """Has the worker carry out a call, and copies back what it wrote. Returns the status."""
        try:
            record.file = self.entered(record.size)
            record.write(record.file)
            with self._lock:
                if self.down:
                    raise _Lost(self.why)
                self._post(record)
            record.done.acquire()
        except BaseException:  # Ctrl-C: the worker goes on with the file
            with self._lock:
                record.abandoned, under_way = True, record in self._calls.values()
            if not under_way:
                self._abandoned(record)
            raise
        if record.lost:
            raise _Lost(self.why)
        if record.none is not None:
            self.release(record)
            raise _Lost(f"orthant's worker process {self.child.pid} cannot carry out this call: {record.none}")
        record.copy_back(self.number << _BITS)
        return record.status

    def _post(self, record):
        """Sends a record that is in its file; with the lock."""
        number = next(self._last)
        self._calls[number] = record
        self._send(_CALL, number, record.file.number, 0)

    def _abandoned(self, record):
        """Frees what came of a call whose caller has not waited for it."""
        if self.down:
            return
        self.ended(record.frees)
        made = record.raw_handle() if record.answered else 0
        if made:
            record.made = made
            self.keep(record)
            self.dead.append((_FREEING[0] if record.makes == "result" else _FREEING[1], made))
        else:
            self.release(record)
        self.flush()

    def keep(self, record):
        """Keeps the file of a task that goes on in the background."""
        with self._lock:
            record.kept = True
            self._tasks[record.made] = record

    def ended(self, handle):
        """Releases the inputs of a task that has ended."""
        with self._lock:
            record = self._tasks.pop(handle, None)
        if record is not None:
            self.release(record)

    def release(self, record):
        """Gives up the file of a call that has ended, and the functions of the caller's in it."""
        for number in record.functions:
            function = self.functions.pop(number, None)
            if function is not None and function.room is not None:
                self.left_over(function.room)
        if record.file is not None:
            file, record.file = record.file, None
            self.left_over(file)

    def flush(self):
        """Has the worker free what is not used here any more. Whoever holds the lock does so later."""
        while self.dead and not sys.is_finalizing():
            if not self._lock.acquire(blocking=False):
                return
            try:
                if self.down:
                    self.dead.clear()
                    return
                name, handle = self.dead.popleft()
                record = _record.freeing(name, handle)
                record.file = self._entered(record.size)
                record.write(record.file)
                record.abandoned = True
                record.frees = handle if name == _FREEING[0] else 0
                self._post(record)
            except IndexError:  # another thread was faster
                return
            finally:
                self._lock.release()

    # Files.

    def entered(self, size):
        """Returns a file of at least this size that both sides map."""
        with self._lock:
            return self._entered(size)

    def _entered(self, size):
        size = _mapped.size_for(size)
        if self._free[size]:
            return self._free[size].pop()
        file = _mapped.File(next(self._files), size)
        self._send(_ENTER, file.number, size, int(file.removed), rest=os.fsencode(file.name))
        return file

    def left_over(self, file, again=True):
        """Takes a file back: it is used again, or no longer mapped."""
        with self._lock:
            if again and file.size <= _mapped.KEPT and len(self._free[file.size]) < 8 and not self.down:
                self._free[file.size].append(file)
                return
            self._send(_LEAVE, file.number)
        file.close()

    # Functions of the caller's.

    def function(self, operator):
        """Returns the number by which the worker calls the multiply of an operator."""
        number = next(self._functions)
        self.functions[number] = _Function(operator)
        return number

    def _product(self, words):
        """Calls a function of the caller's, in a thread of its own: the function may call the worker."""
        number, name, transposed, width, need = words[:5]
        function, answer = self.functions.get(name), (_RETURNED, number, 1)
        try:
            if function is not None and need:
                if function.room is not None:
                    self.left_over(function.room)
                function.room = self.entered(need)
                answer = (_MORE_ROOM, number, function.room.number)
            elif function is not None:
                answer = (_RETURNED, number, function(transposed, width))
        finally:
            with self._lock:
                self._send(*answer)

    # The end.

    def end(self):
        """Ends the worker, which ends when its input does."""
        try:
            self.child.stdin.close()
            self.child.wait(2)
        except (OSError, subprocess.TimeoutExpired):
            self.child.kill()
            self.child.wait()
        self._close()

    def _close(self):
        for pipe in (self.child.stdin, self.child.stdout):
            try:
                pipe.close()
            except OSError:
                pass

    def left(self):
        """Forgets the worker, which is that of the parent."""
        self._close()
        self.child.returncode = 0  # nobody here waits for it
        self._lock, self.down = threading.Lock(), True
        self._free.clear()
        self._tasks.clear()


class _Function:
    """The multiply of an operator, and the room for its arrays."""

    def __init__(self, operator):
        self.multiply, self.rows, self.cols, self.room = operator.multiply, operator.rows, operator.cols, None

    def __call__(self, transposed, width):
        from ctypes import POINTER, c_double, cast

        length = (self.rows if transposed else self.cols) * width
        x = self.room.address
        return self.multiply(None, transposed, width, cast(x, POINTER(c_double)), cast(x + 8 * length, POINTER(c_double)))


def _candidates():
    """Lists where the command may be, with the words for it."""
    named = os.environ.get("ORTHANT_COMMAND")
    if named:
        return [shutil.which(named) or named]
    name, here = "orthant.exe" if os.name == "nt" else "orthant", os.path.dirname(os.path.abspath(__file__))
    folders = [here, sysconfig.get_path("scripts"), os.path.join(os.path.dirname(here), "bin")]
    try:
        user = sysconfig.get_preferred_scheme("user") if hasattr(sysconfig, "get_preferred_scheme") else f"{os.name}_user"
        folders.append(sysconfig.get_path("scripts", user))
    except KeyError:
        pass
    found = [path for path in (os.path.join(folder, name) for folder in folders) if os.path.isfile(path) and os.access(path, os.X_OK)]
    on_path = shutil.which("orthant")
    return list(dict.fromkeys(found + ([on_path] if on_path else [])))


def _started(number):
    """Starts the command where it is found with the version of this package."""
    reasons = []
    for path in _candidates():
        try:
            process = _Process(path, number)
        except OSError as error:
            reasons.append(f"{path}: {error.strerror}")
            continue
        said = process.greeted()
        if said is None:
            reasons.append(f"{path} does not serve")
        elif (said.get("protocol"), said.get("abi"), str(said.get("version")).split("+")[0]) != (PROTOCOL, ABI, _version.__version__):
            reasons.append(f"{path} is version {said.get('version')} where this package is {_version.__version__}")
        else:
            process.begin()
            return process
        process.end()
    raise ImportError(
        f"orthant's command cannot be started as a worker ({'; '.join(reasons) or 'it is neither in the folder of this package, nor among the scripts of this Python, nor on PATH'}): "
        "install the package with its command, or name that by $ORTHANT_COMMAND"
    )
