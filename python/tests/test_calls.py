"""The functions on arrays. NumPy alone is needed."""

import copy
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
import warnings
from concurrent.futures import ProcessPoolExecutor

import numpy as np

import orthant
from orthant import _calls


def samples(n=120, m=4, seed=1):
    return np.random.default_rng(seed).uniform(size=(n, m))


def long_work(**more):
    """Work that would take minutes."""
    return orthant.factorize(samples(3000, 60), "cim-nmf", 40, iterations=10_000_000, **more)


# A background job of a shell ignores SIGINT, and so do the processes that it starts.
INTERRUPTIBLE = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"


def in_a_process(test, script, **more):
    path = os.pathsep.join(sys.path)
    child = subprocess.Popen([sys.executable, "-c", INTERRUPTIBLE + textwrap.dedent(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path}, **more)
    test.addCleanup(child.kill)  # so that none outlives a test that fails
    return child


class Tasks(unittest.TestCase):
    def test_denoise(self):
        draw = np.random.default_rng(3)
        t = 1.5 * np.pi * (1 + 2 * draw.random(3000))
        clean = np.c_[t * np.cos(t), 21 * draw.random(3000), t * np.sin(t)]
        x = clean + 0.3 * (2 * draw.random(clean.shape) - 1)
        found = orthant.denoise(x, 2)
        self.assertTrue(found.report["denoised"])
        self.assertAlmostEqual(found.report["noise"], 0.3 / np.sqrt(3), delta=0.02)
        off = [np.abs(np.hypot(z[:, 0], z[:, 2]) - t).mean() for z in (x, found.samples)]  # across the sheets
        self.assertLess(off[1], 0.8 * off[0])
        same = orthant.denoise(clean, 2)
        self.assertFalse(same.report["denoised"])
        self.assertEqual(same.samples.tolist(), clean.tolist())
        embedded = orthant.embed(x, "ltsa", neighbors="auto")
        self.assertEqual(embedded.report["details"]["denoise_neighbors"], found.report["neighbors"])
        with self.assertRaisesRegex(ValueError, "give auto, or a number from 4 to 2999"):
            orthant.denoise(x, 2, neighbors=3)

    def test_select(self):
        x = samples()
        for method in (m["name"] for m in orthant.methods() if "select" in m["tasks"]):
            chosen = orthant.select(x, method, 7)
            self.assertEqual((len(set(chosen)), chosen.dtype), (7, np.int64))
            self.assertTrue(0 <= min(chosen) and max(chosen) < len(x))
        with self.assertRaisesRegex(ValueError, "count is 0"):
            orthant.select(x, "dpp", 0)

    def test_starts(self):
        x, w, h = samples(30, 5), samples(30, 2, 2), samples(2, 5, 3)
        r = orthant.factorize(x, "nmf", 2, start_w=w, start_h=h, iterations=1, normalise="none", solver="mu")
        h1 = h * (w.T @ x) / (w.T @ w @ h)  # a multiplicative step of H, then one of W
        w1 = w * (x @ h1.T) / (w @ h1 @ h1.T)
        np.testing.assert_allclose(r.h, h1, rtol=1e-9)
        np.testing.assert_allclose(r.w, w1, rtol=1e-9)

    def test_labels(self):
        x = np.concatenate([samples(30), samples(30) + [3, 0, 0, 0]])
        y = orthant.embed(x, "lda", dim=1, labels=np.repeat([7, 9], 30)).embedding[:, 0]
        self.assertTrue(max(y[:30]) < min(y[30:]) or min(y[:30]) > max(y[30:]))

    def test_report_and_attributes(self):
        r = orthant.embed(samples(), "lle", neighbors=9, lambda_=None)
        self.assertEqual(r.report["params"]["neighbors"], 9)
        self.assertEqual(r.eigenvalues.shape, (2,))
        self.assertTrue(r.converged)
        self.assertIn("lle", repr(r))
        self.assertEqual(r.quality["sound"], {1: True, 0: False}.get(r.number("sound")))
        self.assertIn(r.quality["verdict"], ("sound", "doubtful", "not judged"))
        self.assertEqual(r.quality["verdict"] == "not judged", r.quality["sound"] is None)
        self.assertEqual(len(r.quality["participation"]), 2)
        with self.assertRaises(AttributeError):
            r.embeding
        with self.assertRaisesRegex(AttributeError, r'no array "warnings"; .*; report\["warnings"\] has it$'):
            r.warnings
        self.assertIn("neml", [m["name"] for m in orthant.methods()])
        self.assertEqual(orthant.info()["abi"], 1)

    def test_explain(self):
        with self.assertRaises(ValueError) as failed:
            orthant.embed([[1.0, 2.0], [3.0, 5.0]], "pca", dim=0)
        about = orthant.explain(failed.exception)
        self.assertRegex(about["id"], r"^E\d+$")
        self.assertEqual((about["kind"], about), ("error", orthant.explain(about["id"])))
        self.assertEqual(about, orthant.explain(str(failed.exception)))
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            orthant.embed([[1.0, 2.0]] * 3 + [[3.0, 5.0], [4.0, 1.0], [0.0, 2.0]], "le", neighbors=2, dim=1)
        self.assertEqual({"warning"}, {orthant.explain(w.message)["kind"] for w in heard})
        with self.assertRaisesRegex(ValueError, "neither an identifier"):
            orthant.explain("E0")

    def test_threads_of_the_environment(self):
        """Variables that a script sets before its first call count."""
        script = """
            import os
            os.environ["ORTHANT_NUM_THREADS"] = "1"
            import orthant
            print(orthant.info()["threads"], orthant.info()["threads_from"])
        """
        p = in_a_process(self, script)
        out, err = p.communicate()
        self.assertEqual(out, "1 ORTHANT_NUM_THREADS\n", err)

    def test_models(self):
        x = samples()
        m = orthant.embed(x, "lle", model=True).model()
        want = m.transform(x[:7])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m")
            m.save(path)
            again = orthant.Model.load(path)
        pickled = pickle.loads(pickle.dumps(m))
        for other in (again, pickled, pickle.loads(pickle.dumps(pickled)), orthant.Model.from_bytes(m.to_bytes())):
            np.testing.assert_array_equal(other.transform(x[:7]), want)
            self.assertEqual(other.info["features"], 4)
        x[:] = 0  # the model has samples of its own
        np.testing.assert_array_equal(m.transform(samples()[:7]), want)

    def test_models_of_clusterings(self):
        x = np.concatenate([samples(40), samples(40) + 5])
        for method in (m["name"] for m in orthant.methods() if m["predicts"]):
            with self.subTest(method):
                settings = {"hdbscan": {"min_cluster_size": 8}, "leiden": {"resolution": 0.05}}  # they find the number
                r = orthant.cluster(x, method, **settings.get(method, {"clusters": 2}), model=True)
                m = pickle.loads(pickle.dumps(r.model()))
                np.testing.assert_array_equal(m.predict(x), r.labels)
                np.testing.assert_array_equal(m.transform(x[50:60]), r.labels[50:60])
                self.assertEqual((m.info["clusters"], m.predict(x).dtype), (2, np.int64))
                self.assertIn("labels of 2 clusters", repr(m))
        with self.assertRaisesRegex(ValueError, "lle: the model gives coordinates and no labels"):
            orthant.embed(x, "lle", model=True, components="joint").model().predict(x)

    def test_centres(self):
        x = samples()
        r = orthant.cluster(x, "kmeans", 3)
        means = np.array([x[r.labels == c].mean(axis=0) for c in range(3)])
        np.testing.assert_allclose(r.centers, means, rtol=1e-12)
        self.assertAlmostEqual(r.number("inertia"), ((x - means[r.labels]) ** 2).sum(), places=9)
        self.assertNotIn("centers", orthant.cluster(x, "spectral", 3))
        self.assertTrue(np.isnan(orthant.cluster(x, "spectral", 3).number("inertia")))

    def test_results_are_not_copied(self):
        r = orthant.embed(samples(), "pca")
        for use in (pickle.dumps, copy.copy, copy.deepcopy):
            with self.assertRaisesRegex(TypeError, "model"):
                use(r)

    def test_empty_arrays(self):
        self.assertEqual(orthant.cluster(samples(), "kmeans", 2).eigenvalues.shape, (0,))
        self.assertEqual(orthant.embed(samples(), "lle").objective.shape, (0,))

    def test_warnings_are_the_callers(self):
        x = np.concatenate([samples(40), samples(40)])
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            orthant.embed(x, "pca")
        self.assertEqual([(w.filename, "equal an earlier one" in str(w.message)) for w in seen], [(__file__, True)])
        with self.assertWarns(orthant.ConvergenceWarning if "sklearn" not in sys.modules else UserWarning):
            orthant.factorize(samples(), "nmf", 2, tolerance=1e-300)


class Arrays(unittest.TestCase):
    def test_nothing_is_copied_on_the_way(self):
        x = samples(50, 6)
        for given in (x, x.astype(np.float32), (x * 9).astype(np.uint8), x[::2], x[:, :4], x[3:9]):
            read = _calls._rows(given)
            self.assertEqual(read.ctypes.data, given.ctypes.data)
            self.assertEqual(_calls._matrix(read).stride, given.strides[0] // given.itemsize)
        for kind in (np.float16, np.int8):
            given = (x * 9).astype(kind)
            self.assertEqual(_calls._rows(given, types=_calls.SEARCHED).ctypes.data, given.ctypes.data)
            self.assertEqual(_calls._rows(given).dtype, np.float64)

    def test_every_layout_gives_the_same(self):
        x = np.random.default_rng(1).integers(0, 200, size=(60, 8))
        want = orthant.embed(x.astype(float), "pca").embedding
        wide = np.zeros((60, 20))
        wide[:, 3:11] = x
        readonly = x.astype(float)
        readonly.flags.writeable = False
        for given in (
            x, x.astype(np.uint8), x.astype(np.float32), x.astype(np.int16), wide[:, 3:11], np.asfortranarray(x, dtype=float),
            np.repeat(x, 2, axis=0)[::2], x[::-1][::-1].astype(float), readonly, x.astype(float).tolist(), np.repeat(x, 2, axis=1)[:, ::2].astype(float),
        ):
            np.testing.assert_array_equal(orthant.embed(given, "pca").embedding, want)

    def test_rows_repeated_without_memory(self):
        x = np.broadcast_to(np.arange(4.0), (30, 4))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            np.testing.assert_array_equal(orthant.neighbors(x, 2)[1], np.zeros((30, 2)))

    def test_unaligned(self):
        raw = np.zeros(50 * 4 * 8 + 1, dtype=np.uint8)
        x = raw[1:].view(np.float64).reshape(50, 4)
        x[:] = samples(50)
        np.testing.assert_array_equal(orthant.embed(x, "pca").embedding, orthant.embed(samples(50), "pca").embedding)

    def test_what_cannot_be_read(self):
        x = samples()
        for given, phrase in (
            (np.where(x < 0.5, x, "a"), "could not convert string to float"), (x + 1j, "complex"), (x[0], "1 dimensions"), (x[None], "3 dimensions"),
            (np.array([["a", "b"]] * 9), "<U1"), (x.astype("M8[s]"), "datetime64"), (x[:0], "0 × 4"), (x[:, :0], "120 × 0"), (x[:1], "at least 2 samples"),
        ):
            with self.assertRaises(ValueError, msg=phrase) as raised:
                orthant.embed(given, "pca")
            self.assertIn(phrase, str(raised.exception))

    def test_masked_arrays(self):
        x = samples()
        some = np.ma.masked_array(x, mask=x > 0.9)
        y, none = np.arange(120) % 3, np.ma.masked_array(x)
        np.testing.assert_array_equal(orthant.embed(none, "pca").embedding, orthant.embed(x, "pca").embedding)
        np.testing.assert_array_equal(orthant.embed(some.filled(1.0), "pca").embedding, orthant.embed(np.where(x > 0.9, 1, x), "pca").embedding)
        m = orthant.embed(x, "pca", model=True).model()
        w, h = samples(120, 2), np.ma.masked_less(samples(2, 4), 0.5)
        for call, name in (
            (lambda: orthant.embed(some, "pca"), "x"), (lambda: orthant.factorize(some, "nmf", 2), "x"), (lambda: orthant.cluster(some, "kmeans", 2), "x"),
            (lambda: orthant.select(some, "dpp", 2), "x"), (lambda: orthant.neighbors(some, 2), "x"), (lambda: m.transform(some), "x"),
            (lambda: orthant.embed(list(some), "pca"), "x"), (lambda: orthant.embed(x, "lda", labels=np.ma.masked_equal(y, 1)), "labels"),
            (lambda: orthant.factorize(x, "nmf", 2, start_w=w, start_h=h), "start_h"),
        ):
            with self.assertRaises(ValueError, msg=name) as raised:
                call()
            self.assertIn(f"{name} has masked entries", str(raised.exception))
            self.assertIn(f"{name}.filled(", str(raised.exception))
        self.assertEqual(orthant.embed(some, "pca", missing="mean").embedding.shape, (120, 2))

    def test_nul_characters(self):
        x = samples()
        r = orthant.embed(x, "pca", model=True)
        m = r.model()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m")
            for call in (
                lambda: orthant.embed(x, "lle\0x"), lambda: orthant.factorize(x, "nmf\0", 2), lambda: orthant.cluster(x, "kmeans\0x", 2), lambda: orthant.select(x, "dpp\0x", 2),
                lambda: r.array("embedding\0x"), lambda: r.number("iterations\0x"), lambda: m.save(path + "\0x"), lambda: m.save(os.fsencode(path) + b"\0x"),
                lambda: orthant.Model.load(path + "\0x"),
            ):
                with self.assertRaisesRegex(ValueError, "NUL character"):
                    call()
            self.assertEqual(os.listdir(folder), [])
        for parameters in ({"backend": "gonum\0x"}, {"neighbors_method": "exact\0"}, {"graph\0": "union"}):
            with self.assertRaises(ValueError):
                orthant.embed(x, "lle", **parameters)
        with self.assertRaisesRegex(ValueError, "the method is None; give a str"):
            orthant.embed(x, None)

    def test_parameters_given_twice(self):
        with self.assertRaisesRegex(ValueError, "'lambda' is given twice"):
            orthant.embed(samples(), "lnp", lambda_=1, **{"lambda": 2})

    def test_what_cannot_be_asked(self):
        x = samples()
        for call, phrase in (
            (lambda: orthant.embed(x, "lle", neighbors=[3]), "list"),
            (lambda: orthant.embed(x, "lle", gamma=float("nan")), "gamma is nan; give a finite number"),
            (lambda: orthant.embed(x, "lle", gamma=object()), "neither a number"),
            (lambda: orthant.embed(x, "lda", labels=np.zeros(120)), "whole number"),
            (lambda: orthant.neighbors(x, -1), "k is -1"),
            (lambda: orthant.neighbors(x, 0), "k is 0"),
            (lambda: orthant.neighbors(x, 2.5), "k is 2.5; give a whole number"),
            (lambda: orthant.neighbors(x, radius=-1), "radius is -1; give a finite number"),
            (lambda: orthant.neighbors(x, radius=float("nan")), "radius is nan; give a finite number"),
            (lambda: orthant.neighbors(x, radius=1, method="approximate"), "found exactly"),
            (lambda: orthant.embed(x, "pca").model(), "not asked for"),
        ):
            with self.assertRaises(ValueError, msg=phrase) as raised:
                call()
            self.assertIn(phrase, str(raised.exception))
        model = orthant.embed(x, "lle", model=True).model()
        with self.assertRaisesRegex(MemoryError, "the limit is 1000 B"):
            model.transform(x, memory=1000)
        self.assertEqual(len(model.transform(x, memory=1 << 30)), len(x))
        for given in ({}, {"k": 3, "radius": 1}):
            with self.assertRaisesRegex(TypeError, "k or radius"):
                orthant.neighbors(x, **given)
        with self.assertRaises(OSError):
            orthant.Model.load("/nonexistent")


class Interruptions(unittest.TestCase):
    def test_progress_and_what_it_raises(self):
        seen = []

        def enough(phase, share):
            seen.append((phase, share))
            if len(seen) > 2:
                raise ZeroDivisionError("enough")

        with self.assertRaises(ZeroDivisionError):
            long_work(progress=enough)
        self.assertEqual(len(seen), 3)
        self.assertTrue(all(phase and 0 <= share <= 1 for phase, share in seen), seen)

    def test_ctrl_c_cancels(self):
        child = in_a_process(
            self,
            """
            import numpy as np, orthant, sys
            x = np.random.default_rng(1).uniform(size=(3000, 60))
            said = []
            def progress(phase, share):
                if not said:
                    said.append(print("at work", flush=True))
            try:
                orthant.factorize(x, "cim-nmf", 40, iterations=10_000_000, progress=progress)
            except KeyboardInterrupt:
                y = orthant.embed(x[:50], "pca").embedding  # the library still works
                print("interrupted", y.shape)
            """
        )
        self.assertEqual(child.stdout.readline(), "at work\n")
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
        self.assertEqual((out, child.returncode), ("interrupted (50, 2)\n", 0), err)

    def test_ctrl_c_ends_a_long_fit(self):
        try:
            import sklearn  # noqa: F401
        except ImportError:
            self.skipTest("scikit-learn is not installed")
        child = in_a_process(
            self,
            """
            import numpy as np, orthant, sys, time
            x = np.random.default_rng(1).uniform(size=(3000, 60))
            said = []
            def progress(phase, share):
                if not said:
                    said.append(print("at work", flush=True))
            try:
                orthant.CIMNMF(40, max_iter=10_000_000, progress=progress).fit(x)
            except KeyboardInterrupt:
                print("interrupted", orthant.PCA(2).fit_transform(x).shape)
            """
        )
        self.assertEqual(child.stdout.readline(), "at work\n")
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
        self.assertEqual((out, child.returncode), ("interrupted (3000, 2)\n", 0), err)

    def test_the_gil_is_released(self):
        done = threading.Event()

        def work():
            orthant.factorize(samples(2000, 50), "nmf", 20, iterations=300)
            done.set()

        counted = 0
        thread = threading.Thread(target=work)
        thread.start()
        while not done.wait(0.001):
            counted += 1  # were the GIL held, this would hardly be reached
        thread.join()
        self.assertGreater(counted, 10)

    def test_threads_share_a_model(self):
        x = samples(500, 10)
        m = orthant.embed(x, "lle", model=True).model()
        want, wrong = m.transform(x), []

        def use():
            for _ in range(20):
                if not np.array_equal(m.transform(x), want):
                    wrong.append(1)

        threads = [threading.Thread(target=use) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    @unittest.skipIf(os.environ.get("ORTHANT_WORKER") == "1", "a worker works in forks (test_worker.py)")
    def test_forks_are_told_and_do_not_hang(self):
        child = in_a_process(
            self,
            """
            import os, signal, numpy as np, orthant
            x = np.random.default_rng(1).uniform(size=(50, 3))
            m = orthant.embed(x, "lle", model=True).model()
            pid = os.fork()
            if pid == 0:
                signal.alarm(20)
                told = 0
                for call in (lambda: orthant.embed(x, "pca"), lambda: m.transform(x), lambda: orthant.neighbors(x, 2)):
                    try:
                        call()
                    except RuntimeError as error:
                        told += "fork" in str(error)
                del m
                os._exit(told)
            print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), orthant.embed(x, "pca").embedding.shape)
            """
        )
        out, err = child.communicate(timeout=60)
        self.assertEqual(out, "3 (50, 2)\n", err)

    def test_spawned_processes_work(self):
        x = samples()
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            indices, _ = pool.submit(orthant.neighbors, x, 3).result(timeout=60)
        np.testing.assert_array_equal(indices, orthant.neighbors(x, 3)[0])

    def test_a_fork_before_the_first_use_works(self):
        child = in_a_process(
            self,
            """
            import os, numpy as np, orthant
            pid = os.fork()
            shape = orthant.embed(np.random.default_rng(1).uniform(size=(50, 3)), "pca").embedding.shape
            if pid == 0:
                os._exit(5 if shape == (50, 2) else 1)
            print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
            """
        )
        out, err = child.communicate(timeout=60)
        self.assertEqual(out, "5\n", err)

    def test_numpy_alone_suffices(self):
        child = in_a_process(
            self,
            """
            import sys
            sys.modules["sklearn"] = None  # as though it were not installed
            import numpy as np, orthant
            print(orthant.embed(np.eye(5), "pca").embedding.shape, "LLE" in dir(orthant))
            """
        )
        out, err = child.communicate(timeout=60)
        self.assertEqual(out, "(5, 2) False\n", err)


if __name__ == "__main__":
    unittest.main()
