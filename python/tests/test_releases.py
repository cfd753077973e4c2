"""The pickles that each release wrote are read for ever, and give the same results.

    python -m tests.test_releases write      # this version's, where there are none yet
"""

import os
import pickle
import sys
import unittest

import numpy as np

import orthant

try:
    import sklearn
except ImportError:
    sklearn = None

RELEASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "testdata", "releases")


def data(folder, name):
    return np.loadtxt(os.path.join(folder, "data", name + ".csv"), delimiter=",")


def made(folder):
    """Returns the objects to pickle, by name."""
    x, counts = data(folder, "x"), data(folder, "counts")
    model = orthant.embed(x, "lle", neighbors=8, model=True).model()
    objects = {
        "model": model,
        "score": orthant.evaluate("trustworthiness", x, x[:, :2], neighbors=5),
        "mapper": orthant.Mapper(model),
    }
    if sklearn:
        objects.update({
            "embedding": orthant.NEML(n_neighbors=8).fit(x),
            "graph": orthant.Isomap(n_neighbors=8).fit(x),
            "factors": orthant.NMF(n_components=2).fit(counts),
            "clusters": orthant.KMeans(n_clusters=3).fit(x),
        })
    return objects


def figures(name, of, folder):
    """Returns the numbers by which a pickle is known again."""
    more, counts = data(folder, "more"), data(folder, "counts-more")
    if name == "score":
        return np.array([float(of)])
    if name == "mapper":
        return np.asarray(of(more))
    if name == "clusters":
        return of.predict(more).astype(float)
    found = of.transform(counts if name == "factors" else more)
    return np.asarray(found)


class Releases(unittest.TestCase):
    def test_pickles_give_what_they_gave(self):
        folders = [os.path.join(RELEASES, name) for name in sorted(os.listdir(RELEASES))]
        self.assertTrue(folders)
        for folder in folders:
            pickles = os.path.join(folder, "pickles")
            names = sorted(name[: -len(".pickle")] for name in os.listdir(pickles) if name.endswith(".pickle"))
            self.assertGreaterEqual(len(names), 7)
            for name in names:
                if name not in ("model", "score", "mapper") and sklearn is None:
                    continue
                with self.subTest(release=os.path.basename(folder), name=name):
                    with open(os.path.join(pickles, name + ".pickle"), "rb") as f:
                        loaded = pickle.load(f)
                    # Another processor rounds otherwise.
                    want = np.load(os.path.join(pickles, name + ".npy"))
                    np.testing.assert_allclose(figures(name, loaded, folder), want, rtol=0, atol=1e-8 * np.abs(want).max())


def write():
    folder = os.path.join(RELEASES, orthant.__version__)
    pickles = os.path.join(folder, "pickles")
    os.mkdir(pickles)  # the pickles of a release are never rewritten
    for name, of in made(folder).items():
        with open(os.path.join(pickles, name + ".pickle"), "wb") as f:
            pickle.dump(of, f, protocol=4)
        np.save(os.path.join(pickles, name + ".npy"), figures(name, of, folder))


if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        write()
    else:
        unittest.main()
