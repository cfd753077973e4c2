"""Writes small files as anndata, Cell Ranger and MATLAB 7.3 write them, into the folder given.

The .h5ad files come from anndata itself (0.8 wrote those of testdata), old.h5ad in the layout of 0.7; the others are written by h5py
in the documented layouts.
"""
import sys

import anndata
import h5py
import numpy as np
import pandas as pd
import scipy.sparse as sp

folder = sys.argv[1]
x = np.array([[5, 0, 2], [1, 4, 0], [0, 0, 6], [0, 1, 3]], dtype="f4")
obs = pd.DataFrame(
    {
        "cell_type": pd.Categorical(["T", "B", "T", "NK"]), "batch": [1, 2, 1, 2], "score": [0.5, 1.5, 2.5, 3.5], "doublet": [True, False, False, True],
        "gappy": pd.Categorical(["T", None, "T", "NK"]), "run": pd.Categorical([10, 20, 10, 20]),
    },
    index=["c1", "c2", "c3", "c4"],
)
var = pd.DataFrame({"kind": ["a", "b", "c"]}, index=["IL2", "CD4", "CD8"])
a = anndata.AnnData(sp.csr_matrix(x), obs=obs, var=var)
a.raw = a.copy()
a.layers["columns"] = sp.csc_matrix(x)
a.layers["dense"] = 2 * x
a.obsm["X_pca"] = x[:, :2].astype("f8")
a.write_h5ad(f"{folder}/new.h5ad", compression="gzip")

with h5py.File(f"{folder}/old.h5ad", "w") as f:
    f["X"] = x
    o = f.create_group("obs")
    o.attrs["_index"] = "index"
    o["index"] = np.array(obs.index, dtype=object)
    o["cell_type"] = obs["cell_type"].cat.codes.values
    o["__categories/cell_type"] = np.array(obs["cell_type"].cat.categories, dtype=object)
    o["cell_type"].attrs["categories"] = o["__categories/cell_type"].ref
    v = f.create_group("var")
    v.attrs["_index"] = "index"
    v["index"] = np.array(var.index, dtype=object)

counts = sp.csc_matrix(x.T.astype("i4"))  # features × barcodes


def tenx(g):
    for name in ("data", "indices", "indptr"):
        g.create_dataset(name, data=getattr(counts, name), compression="gzip", shuffle=True, chunks=(4,), maxshape=(None,))
    g["shape"] = np.array(counts.shape, "i4")
    g["barcodes"] = np.array(obs.index, "S18")


with h5py.File(f"{folder}/tenx3.h5", "w") as f:
    tenx(f.create_group("matrix"))
    f["matrix/features/id"] = np.array(["E1", "E2", "E3"], "S10")
    f["matrix/features/name"] = np.array(var.index, "S10")
with h5py.File(f"{folder}/tenx2.h5", "w") as f:
    tenx(f.create_group("GRCh38"))
    f["GRCh38/genes"] = np.array(["E1", "E2", "E3"], "S10")
    f["GRCh38/gene_names"] = np.array(var.index, "S10")

with h5py.File(f"{folder}/level73.mat", "w", userblock_size=512) as f:
    def variable(name, value, kind):
        f[name] = value
        f[name].attrs["MATLAB_class"] = np.bytes_(kind)
    variable("X", x.T.astype("f8"), "double")
    variable("y", np.array([[1, 2, 1, 2]], "u1"), "uint8")
    variable("t", np.array([[72], [105]], "u2"), "char")
    s = f.create_group("S")
    s.attrs["MATLAB_class"] = np.bytes_("double")
    s.attrs["MATLAB_sparse"] = np.uint64(4)
    c = sp.csc_matrix(x.astype("f8"))
    s["data"], s["ir"], s["jc"] = c.data, c.indices.astype("u8"), c.indptr.astype("u8")
with open(f"{folder}/level73.mat", "r+b") as f:
    f.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM")

with h5py.File(f"{folder}/plain.h5", "w", libver="latest") as f:
    f.create_dataset("group/x", data=x, compression="gzip", chunks=(2, 3))
    f["names"] = np.array(["p", "q", "p", "q"], dtype=object)
    f["y"] = np.array([3, 1, 3, 1])
