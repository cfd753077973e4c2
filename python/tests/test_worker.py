"""The command as a worker, in the place of the library: the same bits, and what becomes of it when a process ends."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
BUILT = os.path.join(HERE, "..", "..", "bin", "orthant")
LIBRARY = os.path.join(HERE, "..", "orthant", "liborthant.so")
COMMAND = os.environ.get("ORTHANT_COMMAND") or (os.path.abspath(BUILT) if os.path.exists(BUILT) else "")

BEGIN = """
import os, signal, sys, threading, time, warnings
import numpy as np, orthant
signal.signal(signal.SIGINT, signal.default_int_handler)
x = np.random.default_rng(1).uniform(size=(50, 3))
def long_work(**more):
    return orthant.factorize(np.random.default_rng(1).uniform(size=(3000, 60)), "cim-nmf", 40, iterations=10_000_000, **more)
"""


def gone(pid):
    """Reports whether a process has ended, or does within a while."""
    for _ in range(200):
        try:
            with open(f"/proc/{pid}/stat") as f:
                if f.read().rpartition(")")[2].split()[0] == "Z":
                    return True
            os.kill(pid, 0)
        except OSError:
            return True
        time.sleep(0.05)
    return False


@unittest.skipUnless(COMMAND, "the command is not built (make build)")
@unittest.skipIf(os.name == "nt", "signals and forks")
class Workers(unittest.TestCase):
    def run_python(self, script, worker="1", **environment):
        path = os.pathsep.join(sys.path)
        known = {key: value for key, value in os.environ.items() if key not in ("ORTHANT_LIBRARY", "ORTHANT_WORKER")}
        child = subprocess.Popen(
            [sys.executable, "-W", "error::ResourceWarning", *script] if isinstance(script, list) else [sys.executable, "-c", BEGIN + textwrap.dedent(script)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**known, "PYTHONPATH": path, "ORTHANT_COMMAND": COMMAND, "ORTHANT_WORKER": worker, **environment},
        )  # fmt: skip
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.stderr.close)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        return child

    def said(self, script, status=0, **more):
        child = self.run_python(script, **more)
        out, err = child.communicate(timeout=120)
        self.assertEqual(child.returncode, status, err)
        return out, err

    def test_every_call_has_the_bits_of_the_library(self):
        if not os.path.exists(LIBRARY):
            self.skipTest("the library is not built")
        with tempfile.TemporaryDirectory() as folder:
            out, _ = self.said([os.path.join(HERE, "worker_calls.py")], TMPDIR=folder)
            self.assertEqual(os.listdir(folder), [])
        lines = out.splitlines()
        if "without SciPy" not in lines:
            self.assertEqual(lines[:-1], 2 * ["True not called: []"])
            self.assertGreater(int(lines[-1]), 30)

    def test_large_arrays(self):
        """They are in files of their own, which a child that forks does not change."""
        if not os.path.exists(LIBRARY):
            self.skipTest("the library is not built")
        out, _ = self.said(
            """
            from orthant import _library, _worker
            _worker._SHARED = 1 << 20
            n = 20_000
            wide = np.random.default_rng(2).normal(size=(n, 30))
            def embedded():
                return [orthant.embed(part, "pca", dim=8).embedding for part in (wide[:, :9], wide[:, 3:20], np.ascontiguousarray(wide[:, :9]).astype(np.float32))]
            mine = embedded()
            y = mine[0]
            pid = os.fork()
            if pid == 0:
                y[:] = 0
                os._exit(0)
            os.waitpid(pid, 0)
            files = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
            _library._loaded = _library._by_ctypes(os.path.join(os.path.dirname(orthant.__file__), "liborthant.so"))
            print([a.tobytes() == b.tobytes() and a.flags.writeable for a, b in zip(mine, embedded())], y.base is not None, files < 40)
            """
        )
        self.assertEqual(out, "[True, True, True] True True\n")

    def test_a_fork_starts_its_own(self):
        out, _ = self.said(
            """
            m = orthant.embed(x, "pca", model=True).model()
            pid = os.fork()
            if pid == 0:
                signal.alarm(20)
                found = orthant.embed(x, "pca").embedding.shape == (50, 2)
                try:
                    m.transform(x)
                except RuntimeError as error:
                    found += "keep their bytes" in str(error)
                print(found, orthant.info()["pid"], flush=True)
                del m
                os._exit(0)
            os.waitpid(pid, 0)
            print(m.transform(x).shape, orthant.info()["pid"])
            """
        )
        (found, theirs), (*shape, mine) = (line.split() for line in out.splitlines())
        self.assertEqual((found, shape), ("2", ["(50,", "2)"]))
        self.assertNotEqual(theirs, mine)
        self.assertTrue(gone(int(theirs)) and gone(int(mine)))

    def test_a_worker_that_is_killed(self):
        out, _ = self.said(
            """
            m, pid = orthant.embed(x, "pca", model=True).model(), orthant.info()["pid"]
            orthant.set_num_threads(1)
            try:
                long_work(progress=lambda phase, share: os.kill(pid, signal.SIGKILL))
            except RuntimeError as error:
                print(str(error).replace(str(pid), "PID"))
            print(orthant.embed(x, "pca").embedding.shape, orthant.info()["pid"] != pid, orthant.get_num_threads())
            try:
                m.transform(x)
            except RuntimeError as error:
                print(error)
            """
        )
        first, second, third = out.splitlines()
        self.assertIn("worker process PID has ended, by signal 9 (killed, perhaps for lack of memory); call again", first)
        self.assertEqual(second, "(50, 2) True 1")
        self.assertIn("has ended, or belongs to the process that forked; make it again (models: keep their bytes", third)

    def test_it_ends_with_python(self):
        with tempfile.TemporaryDirectory() as folder:
            child = self.run_python("import orthant; del os.memfd_create; long_work(progress=lambda *_: print(orthant.info()['pid'], flush=True))", TMPDIR=folder)
            pid = int(child.stdout.readline())
            child.kill()
            child.wait()
            self.assertTrue(gone(pid))
            self.assertEqual(os.listdir(folder), [])

    def test_ctrl_c(self):
        child = self.run_python(
            """
            pid = orthant.info()["pid"]
            try:
                long_work(progress=lambda *_: print("at work", flush=True))
            except KeyboardInterrupt:
                print("interrupted", orthant.embed(x, "pca").embedding.shape, orthant.info()["pid"] == pid)
            """
        )
        self.assertEqual(child.stdout.readline(), "at work\n")
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
        self.assertEqual(out.splitlines()[-1], "interrupted (50, 2) True", err)

    def test_threads(self):
        out, _ = self.said(
            """
            from scipy.sparse.linalg import LinearOperator
            a = np.diag(np.arange(1.0, 101))
            seen = []
            def product(v):
                orthant.neighbors(x, 2)
                return a @ v
            def work(i):
                for _ in range(10):
                    y = orthant.embed(x ** (i + 1), "pca", dim=2).embedding
                    w = orthant.largest(LinearOperator(a.shape, matvec=product, matmat=product, dtype=float), 1)[0]
                    seen.append((i, y.tobytes(), w.tobytes()))
            def wrong(_):
                raise ArithmeticError("in the operator")
            threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
            for t in threads: t.start()
            for t in threads: t.join()
            print(len(seen), len(set(seen)))
            try:
                orthant.largest(LinearOperator(a.shape, matvec=wrong, matmat=wrong, dtype=float), 1)
            except ArithmeticError as error:
                print(error)
            process = orthant._library.library()._process
            print(len(process.functions), len(process._tasks))
            """
        )
        self.assertEqual(out, "40 4\nin the operator\n0 0\n")

    def test_the_choice(self):
        with tempfile.TemporaryDirectory() as folder:
            other = os.path.join(folder, "orthant")
            shutil.copy(COMMAND, other)
            out, _ = self.said(
                f"""
                from orthant import _library, _version
                def chosen(**environment):
                    os.environ.update(environment)
                    try:
                        lib = _library._chosen()
                    except ImportError as error:
                        return error
                    return lib.interface["interface"], lib.interface["path"]
                _library._FILE = "nothing.so"
                print(chosen())
                print(chosen(ORTHANT_COMMAND="", PATH={folder!r} + os.pathsep + os.environ["PATH"])[0])
                _version.__version__ = "0.0.1"
                print(chosen(ORTHANT_COMMAND={other!r}))
                os.unlink({other!r})
                with open({other!r}, "w", opener=lambda path, flags: os.open(path, flags, 0o755)) as f:
                    f.write("#!/bin/sh\\nexit 2\\n")
                print(chosen())
                print(chosen(ORTHANT_COMMAND="/nowhere/at/all"))
                print(chosen(ORTHANT_LIBRARY="/nowhere.so"))
                """,
                worker="0",
            )
        first, by_path, version, silent, none, library = out.splitlines()
        self.assertEqual((first, by_path), (str(("worker", COMMAND)), "worker"))
        self.assertIn("where this package is 0.0.1", version)
        self.assertIn(f"build it by 'make python', or name it by $ORTHANT_LIBRARY; and orthant's command cannot be started as a worker ({other} does not serve)", silent)
        self.assertIn("/nowhere/at/all: No such file or directory", none)
        self.assertNotIn("worker", library)  # who names a library wants that

    def test_folders_and_the_terminal(self):
        """Paths are those of this process, and Ctrl-C, which a terminal sends to the worker too, does not end that."""
        out, _ = self.said(
            """
            import tempfile
            m = orthant.embed(x, "pca", model=True).model()
            pid = orthant.info()["pid"]
            with tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                m.save("a.model")
                os.kill(pid, signal.SIGINT)
                print(os.listdir(), orthant.Model.load("a.model").transform(x).shape, orthant.info()["pid"] == pid)
                os.chdir("/")
            """
        )
        self.assertEqual(out, "['a.model'] (50, 2) True\n")


if __name__ == "__main__":
    unittest.main()
