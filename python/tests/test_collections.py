"""Several matrices in one factorisation: blocks of columns and datasets of samples."""

import unittest

import numpy as np

import orthant


def parts(rows, columns, rank, seed):
    rng = np.random.default_rng(seed)
    return rng.gamma(0.5, size=(rows, rank)) @ rng.gamma(0.5, size=(rank, columns))


class Blocks(unittest.TestCase):
    def test_equal_weight(self):
        """A block in other units counts as before, by the default weights."""
        x = parts(60, 30, 3, 1)
        labels = ["counts"] * 20 + ["spectra"] * 10
        scaled = x * np.where(np.arange(30) < 20, 1.0, 1024.0)
        a, b = (orthant.factorize(of, "nmf", 3, blocks=labels, seed=1) for of in (x, scaled))
        self.assertEqual([block["columns"] for block in a.report["blocks"]], [20, 10])
        np.testing.assert_allclose(a.w @ a.h * (scaled / x), b.w @ b.h, rtol=1e-6, atol=1e-9)

    def test_refused(self):
        for labels, said in ((["a"] * 29, "29"), (np.zeros((30, 2)), "2 dimensions")):
            with self.assertRaisesRegex(ValueError, said):
                orthant.factorize(parts(60, 30, 3, 1), "nmf", 3, blocks=labels)


class Datasets(unittest.TestCase):
    def test_own_parts(self):
        """The own parts take what only one dataset has, and a model maps samples by the part of their dataset."""
        x = parts(80, 20, 3, 2)
        x[40:] += 0.5 * x[40:].mean() * (np.arange(20) % 4 == 0)
        names = np.repeat(["east", "west"], 40)
        r = orthant.factorize(x, "nmf", 3, datasets=names, own_penalty=0.1, seed=1, model=True)
        self.assertEqual(r.array("own").shape, (6, 20))
        model = r.model()
        own = model.transform(x[40:], dataset=1)
        np.testing.assert_allclose(own, r.w[40:], atol=0.02 * np.abs(r.w).max())
        self.assertGreater(np.abs(model.transform(x[40:]) - own).max(), 0.005 * np.abs(own).max())
        with self.assertRaisesRegex(ValueError, "no dataset 7"):
            model.transform(x, dataset=7)
        with self.assertRaisesRegex(ValueError, "dataset"):
            orthant.factorize(x, "nmf", 3, datasets=names[1:])


if __name__ == "__main__":
    unittest.main()
