"""Writes .h5ad files in all ways that anndata and h5py have, and checks copies with coordinates and classes in them.

    copies.py make FOLDER       NAME.h5ad, of five samples
    copies.py check FOLDER      each NAME.h5ad against NAME-y.h5ad (with obsm/X_umap) and NAME-c.h5ad (also with obs/kmeans)
"""
import os
import shutil
import subprocess
import sys
import warnings

warnings.simplefilter("ignore")

import anndata
import h5py
import numpy as np
import pandas as pd
import scipy.sparse as sp

Y = np.arange(10).reshape(5, 2) / 4
CLASSES = ["0", "1", "0", "2", "1"]
File = h5py.File


def samples(columns=3):
    draw = np.random.default_rng(1)
    x = draw.poisson(0.7, (5, 4)).astype("f4")
    obs = pd.DataFrame({f"column {i}": draw.normal(size=5) for i in range(columns)}, index=[f"c{i}" for i in range(5)])
    if columns:
        obs["täyp"] = pd.Categorical(["T", "B", "T", "NK", "B"])
        obs["gappy"] = pd.Categorical(["T", None, "T", "NK", "B"])
        obs["text"] = ["a", "b", "c", "d", "e"]
    a = anndata.AnnData(sp.csr_matrix(x), obs=obs, var=pd.DataFrame({"kind": list("abcd")}, index=list("wxyz")))
    a.raw = a.copy()
    a.layers["columns"], a.layers["dense"] = sp.csc_matrix(x), 2 * x
    a.obsm["X_pca"] = draw.normal(size=(5, 3))
    a.varm["PCs"], a.obsp["distances"] = draw.normal(size=(4, 3)), sp.csr_matrix(x @ x.T)
    a.uns["params"] = {"n": 3, "name": "x", "colors": np.array(["red", "blue"], dtype=object), "deep": {"er": np.arange(5)}}
    return a


class Latest(File):
    def __init__(self, *args, **more):
        super().__init__(*args, **{"libver": "latest", **more})


def make(folder):
    def write(name, a, **how):
        a.write_h5ad(f"{folder}/{name}.h5ad", **how)

    def edit(name, of, **how):
        shutil.copy(f"{folder}/{of}.h5ad", f"{folder}/{name}.h5ad")
        return File(f"{folder}/{name}.h5ad", "r+", **how)

    many = samples(300)
    for i in range(40):
        many.obsm[f"X_{i}"] = Y
    for version in "earliest", "latest":
        for ordered in False, True:
            h5py.get_config().track_order = ordered
            if version == "latest":
                h5py.File = Latest
            kind = version + ("-ordered" if ordered else "")
            write(kind, samples())
            write(kind + "-gzip", samples(), compression="gzip")
            write(kind + "-empty", samples(0))
            write(kind + "-many", many)
            h5py.File = File
            h5py.get_config().track_order = False
            with edit(kind + "-no-obsm", kind) as f:
                del f["obsm"]
            with edit(kind + "-links", kind + "-many") as f:  # and members that were deleted
                f["soft"], f["obs/soft"] = h5py.SoftLink("/obs/text"), h5py.SoftLink("text")
                f["hard"], f["obsm/hard"] = f["obs"], f["obsm"]
                f["other"] = h5py.ExternalLink("other.h5", "/x")
                f.attrs["reference"] = f["obs"].ref
                f["references"] = np.array([f["obs"].ref, f["obsm/X_1"].ref], dtype=h5py.ref_dtype)
                f["committed"] = np.dtype("i4")
                del f["obsm/X_2"], f["layers"]
            with edit(kind + "-attributes", kind) as f:
                for i in range(20):
                    f["obsm"].attrs[f"a{i}"] = i
                    f["obs"].attrs[f"a{i}"] = "x" * i
    with edit("user", "earliest"):
        pass
    subprocess.run(["h5jam", "-u", __file__, "-i", f"{folder}/user.h5ad"], check=False, capture_output=True)
    dense = samples()
    dense.X = dense.X.toarray()
    write("dense", dense)
    for name, how in ("early", "-f GZIP=3"), ("late", "-L"), ("paged", "-L -S PAGE -P 1"):
        subprocess.run(["h5repack", *how.split(), f"{folder}/dense.h5ad", f"{folder}/repacked-{name}.h5ad"], check=False)


def values(x):
    return x.asstr()[()] if h5py.check_string_dtype(x.dtype) else x[()]


def same(a, b, where):
    np.testing.assert_array_equal(a, b, where)


def compare(old, new, added):
    def attributes(a, b, path):
        assert set(a.attrs) == set(b.attrs), path
        for name in a.attrs:
            x, y = np.asarray(a.attrs[name]), np.asarray(b.attrs[name])
            if "column-order" == name and path == "/obs" and "obs/kmeans" in added:
                assert list(y) == [*x, "kmeans"], y
            elif isinstance(a.attrs[name], h5py.Reference):
                assert old[a.attrs[name]].name == new[b.attrs[name]].name
            else:
                assert x.dtype == y.dtype, (path, name)
                same(x, y, path + ":" + name)

    def walk(a, b, path):
        attributes(a, b, path or "/")
        extra = [p.rpartition("/")[2] for p in added if "/" + p.rpartition("/")[0] == path] + [p for p in added if "/" not in p and path == ""]
        assert [n for n in b if n not in extra] == list(a), (path, set(a) ^ set(b))
        assert set(extra) <= set(b), (path, extra)
        for name in a:
            link = a.get(name, getlink=True)
            assert type(link) is type(b.get(name, getlink=True))
            if isinstance(link, h5py.HardLink) and name != "hard":
                x, y = a[name], b[name]
                assert type(x) is type(y), path
                if isinstance(x, h5py.Group):
                    walk(x, y, f"{path}/{name}")
                elif isinstance(x, h5py.Dataset):
                    attributes(x, y, f"{path}/{name}")
                    assert x.dtype == y.dtype and x.chunks == y.chunks and x.compression == y.compression
                    if h5py.check_ref_dtype(x.dtype):
                        assert [old[r].name for r in x] == [new[r].name for r in y]
                    else:
                        same(values(x), values(y), path + name)
            elif not isinstance(link, h5py.HardLink):
                assert link.path == b.get(name, getlink=True).path

    walk(old, new, "")
    if "hard" in old:
        assert set(new["hard"]) == set(new["obs"])


def check(folder):
    names = sorted(n[:-5] for n in os.listdir(folder) if n.endswith(".h5ad") and n[:-5][-2:] not in ("-y", "-c"))
    for name in names:
        paths = [f"{folder}/{name}{end}.h5ad" for end in ("", "-y", "-c")]
        if not os.path.exists(paths[1]):
            continue
        with File(paths[0]) as old:
            with File(paths[1]) as new:
                compare(old, new, ["obsm/X_umap"] if "obsm" in old else ["obsm"])
            with File(paths[1]) as old, File(paths[2]) as new:
                compare(old, new, ["obs/kmeans"])
                assert new["obs/kmeans/codes"].dtype == "i1"
        subprocess.run(["h5dump", paths[2]], check=True, capture_output=True)
        if "links" not in name:  # which are nothing that anndata reads
            old, new = anndata.read_h5ad(paths[0]), anndata.read_h5ad(paths[2])
            np.testing.assert_array_equal(new.obsm["X_umap"], Y)
            assert list(new.obs["kmeans"]) == CLASSES and list(new.obs.columns) == [*old.obs.columns, "kmeans"]
            pd.testing.assert_frame_equal(old.obs, new.obs.drop(columns="kmeans"))
            assert type(old.X) is type(new.X) and (old.X != new.X).sum() == 0 and set(old.uns) == set(new.uns)
        # The copy is a file like others: it takes more, and loses some.
        with File(paths[2], "r+") as f:
            for i in range(20):
                f[f"obsm/more{i}"], f[f"obs/more{i}"] = Y, Y[:, 0]
                f[f"more{i}"] = Y
                f["obs"].attrs[f"more{i}"] = "x" * 30
            del f["obsm/X_umap"], f["obs/kmeans"], f["obsm/more3"]
        with File(paths[2]) as f:
            np.testing.assert_array_equal(f["obsm/more19"], Y)
            assert "more7" in f["obs"] and "kmeans" not in f["obs"] and f["obs"].attrs["more19"] == "x" * 30
        print("equal:", name)


{"make": make, "check": check}[sys.argv[1]](sys.argv[2])
