"""Writes HDF5 files by h5py, and next to each the values of its arrays: lines of path, shape and offset in a file of float64.

    arrays.py FOLDER [small]        small: the files of testdata, a few kB each
"""
import os
import sys

import h5py
import numpy as np

folder = sys.argv[1]
small = "small" in sys.argv
os.makedirs(folder, exist_ok=True)
draw = np.random.default_rng(1)
a = np.round(draw.normal(size=(7, 3) if small else (37, 11)), 2)
b = np.round(draw.normal(size=(9, 5) if small else (83, 23)), 2)


def types(f):
    for t in "<f2 <f4 <f8 >f2 >f4 >f8 <i1 <i2 <i4 <i8 <u1 <u2 <u4 <u8 >i2 >i4 >i8 >u2 >u4 >u8".split():
        f["t_" + t.replace("<", "l").replace(">", "b")] = np.asarray(np.abs(a) * 20 if "u" in t else a * 20).astype(t)
    f["bool"] = a > 0
    f["vector"] = a[:, 0]
    f["scalar"] = 3.5
    f["empty"] = np.zeros((0, 5))
    f.create_dataset("unwritten", (5, 4), "f4", fillvalue=7)
    f.create_group("a/b/c")["d"] = a
    f["soft"] = h5py.SoftLink("/a/b/c/d")
    f["loop"] = h5py.SoftLink("/loop")
    f["gone"] = h5py.SoftLink("/nowhere")
    f["other"] = h5py.ExternalLink("other.h5", "/x")
    f["a/relative"] = h5py.SoftLink("b/c/d")
    f["texts"] = np.array([f"täxt {i}" for i in range(5)], dtype=object)
    f["fixed"] = np.array([f"abc{i}" for i in range(5)], dtype="S8")
    f["cube"] = np.zeros((3, 4, 5))
    f["records"] = np.zeros(4, dtype=[("a", "f4"), ("b", "i4")])
    f["enumeration"] = np.array([0, 1, 7], "i2")
    f.create_dataset("named", data=np.array([0, 1, 7]), dtype=h5py.enum_dtype({"x": 0, "yy": 1, "zzz": 7}, basetype="i2"))
    f["type"] = np.dtype("<f4")
    f.create_dataset("committed", data=a, dtype=f["type"])
    wide = f.create_group("wide")
    for i in range(20 if small else 700):
        wide[f"name{i:03d}"] = np.full((2, 2), i)
    for i in range(12 if small else 40):
        wide.attrs[f"attribute{i}"] = f"value {i}"
    how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    how.set_layout(h5py.h5d.COMPACT)
    d = h5py.h5d.create(f.id, b"compact", h5py.h5t.NATIVE_DOUBLE, h5py.h5s.create_simple(a.shape), how)
    d.write(h5py.h5s.ALL, h5py.h5s.ALL, a)


def chunks(f):
    filters = {
        "gzip": {"compression": "gzip"}, "gzipshuffle": {"compression": "gzip", "shuffle": True}, "lzf": {"compression": "lzf"},
        "lzfshuffle": {"compression": "lzf", "shuffle": True}, "fletcher": {"fletcher32": True}, "none": {}, "shuffle": {"shuffle": True},
        "all": {"compression": "gzip", "shuffle": True, "fletcher32": True},
    }
    n, m = b.shape
    for name in ["all", "none"] if small else filters:
        for t in ["f4"] if small else ["f4", "i8"]:
            for most, limit in ((None, "fixed"), ((None, m), "rows"), ((n, None), "columns"), ((None, None), "both"), ((2 * n, 2 * m), "more")):
                for size in [(4, 2)] if small else [(16, 5), (n, m), (64, m)]:
                    f.create_dataset(f"{name}_{t}_{limit}_{size[0]}", data=(b * 50).astype(t), chunks=size, maxshape=most, **filters[name])
    part = f.create_dataset("part", b.shape, "f4", chunks=(4, 2), maxshape=(None, m), compression="gzip", fillvalue=3)
    part[2:5] = b[2:5]
    shrunk = f.create_dataset("shrunk", data=b, chunks=(4, 2), maxshape=(None, None))
    shrunk.resize((5, 3))
    how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    how.set_chunk((4, 2))
    how.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    d = h5py.h5d.create(f.id, b"implicit", h5py.h5t.NATIVE_DOUBLE, h5py.h5s.create_simple(b.shape), how)
    d.write(h5py.h5s.ALL, h5py.h5s.ALL, b)
    f.create_dataset("texts", data=np.array([f"cell {i}" for i in range(50)], dtype=object), chunks=(10,), compression="gzip")
    f.create_dataset("scaleoffset", data=(b * 10).astype("i4"), chunks=(4, 2), scaleoffset=0)
    if small:
        return
    f.create_dataset("many", data=np.arange(20000, dtype="i4"), chunks=(3,), maxshape=(None,))
    f.create_dataset("manypacked", data=np.arange(20000, dtype="i4"), chunks=(3,), maxshape=(None,), compression="gzip")
    f.create_dataset("manyfixed", data=np.arange(20000, dtype="i4"), chunks=(3,))
    f.create_dataset("manyboth", data=np.arange(40000, dtype="i4").reshape(200, 200), chunks=(3, 2), maxshape=(None, None))


def expect(path):
    with h5py.File(path) as f, open(path + ".values", "wb") as values, open(path + ".list", "w") as names:
        def walk(group, before):
            for name in group:
                x = None if name in ("loop", "gone", "other") else group[name]
                if isinstance(x, h5py.Group):
                    walk(x, before + name + "/")
                elif isinstance(x, h5py.Dataset) and x.dtype.kind in "fiub" and len(x.shape) <= 2:
                    names.write(f"{before}{name}\t{','.join(map(str, x.shape))}\t{values.tell()}\n")
                    values.write(np.asarray(x[()], "<f8").tobytes())
        walk(f, "")


for version in ("earliest", "latest"):
    for kind in (types, chunks):
        path = f"{folder}/{kind.__name__}-{version}.h5"
        with h5py.File(path, "w", libver=version) as f:
            kind(f)
        expect(path)
with h5py.File(f"{folder}/user.h5", "w", userblock_size=512) as f:
    f["x"] = a
expect(f"{folder}/user.h5")
