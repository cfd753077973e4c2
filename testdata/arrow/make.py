#!/usr/bin/env python3
"""Write the Arrow files of this folder with pyarrow.

    mmdebstrap --variant=apt --include=python3-pyarrow unstable sid
    cp make.py sid/tmp && chroot sid sh -c 'cd /tmp && mkdir out && python3 make.py out'

Those here are of pyarrow 25.0.0. A mirror whose index is past its date needs
--aptopt='Acquire::Check-Valid-Until "false"' as well.

The values are functions of the row, which the test repeats
(engine/files/arrow/pyarrow_test.go).
"""

import sys

import pyarrow as pa
import pyarrow.feather

ROWS = 45
BATCH = 17

# Values that repeat, so that every buffer of some length is compressed, and some that do not.
COLUMNS = [
    ("b", pa.bool_(), lambda i: i // 11 % 2 == 0),
    ("i8", pa.int8(), lambda i: i % 7 - 3),
    ("i16", pa.int16(), lambda i: -1000 * (i % 5)),
    ("i32", pa.int32(), lambda i: 16777216 * (i % 11) - 5),
    ("i64", pa.int64(), lambda i: (i % 9 - 4) * 1099511627776),
    ("u8", pa.uint8(), lambda i: 255 - i % 3),
    ("u16", pa.uint16(), lambda i: 65535 - i % 6),
    ("u32", pa.uint32(), lambda i: 4294967295 - i % 4),
    ("u64", pa.uint64(), lambda i: 9223372036854775808 + i % 4 * 1048576),
    ("f16", pa.float16(), lambda i: i % 13 / 4 - 1),
    ("f32", pa.float32(), lambda i: i % 13 / 4),
    ("f64", pa.float64(), lambda i: i % 10 / 7),
    ("mixed", pa.float64(), lambda i: i * 2654435761 % 4294967296 / 4294967296),
    ("list", pa.list_(pa.float32()), lambda i: [float(i), float(i % 2)]),
    ("pair", pa.list_(pa.int16(), 2), lambda i: [i, -i]),
    ("word", pa.string(), lambda i: f"w{i % 5}"),
]
CODECS = {"none": None, "lz4": "lz4", "zstd": "zstd"}


def column(kind, values, dictionary=False):
    plain = pa.array(values, pa.float32()).cast(kind) if kind == pa.float16() else pa.array(values, kind)
    if dictionary and not pa.types.is_list(kind) and not pa.types.is_fixed_size_list(kind) and kind != pa.float16():
        return plain.dictionary_encode()
    return plain


def table(columns, rows=ROWS, dictionary=False):
    arrays = [column(kind, [value(i) for i in range(rows)], dictionary) for _, kind, value in columns]
    return pa.Table.from_arrays(arrays, names=[name for name, _, _ in columns])


def write(folder, name, data, codec=None, stream=False, batch=BATCH):
    options = pa.ipc.IpcWriteOptions(compression=codec, unify_dictionaries=not stream)
    make = pa.ipc.new_stream if stream else pa.ipc.new_file
    with make(f"{folder}/{name}.arrow", data.schema, options=options) as sink:
        sink.write_table(data, max_chunksize=batch)


def main(folder):
    for codec, compression in CODECS.items():
        for values in ["plain", "dictionary"]:
            data = table(COLUMNS, dictionary=values == "dictionary")
            write(folder, f"{codec}-file-{values}", data, compression)
            write(folder, f"{codec}-stream-{values}", data, compression, stream=True)
        # Buffers that fold far, and some longer than a block of the codec.
        write(folder, f"constant-{codec}", table([("f64", pa.float64(), lambda i: 0.1)], 20000 if compression else 200),
              compression, batch=20000)
        mixed = [c for c in COLUMNS if c[0] == "mixed"]
        write(folder, f"large-{codec}", table(mixed, 9000 if compression == "lz4" else 700), compression, batch=9000)

    # What pandas and R write: Feather, of one batch or more.
    few = [c for c in COLUMNS if c[0] in ("b", "i32", "f64", "word")]
    pyarrow.feather.write_feather(table(few), f"{folder}/few.feather", compression="lz4", chunksize=BATCH)

    # Nulls: in plain columns, in the places of a dictionary and among its entries, in lists.
    hole = [None if i == 20 else float(i) for i in range(ROWS)]
    for codec, compression in CODECS.items():
        write(folder, f"null-{codec}", pa.table({"x": hole}), compression)
    half = pa.array(hole, pa.float32()).cast(pa.float16())
    write(folder, "null-half", pa.table({"x": half}), "lz4")
    write(folder, "null-place", pa.table({"x": pa.array(hole).dictionary_encode()}), "lz4")
    entries = pa.DictionaryArray.from_arrays(pa.array([2 if i == 20 else i % 2 for i in range(ROWS)], pa.int8()), pa.array([1.5, 2.5, None]))
    write(folder, "null-entry", pa.table({"x": entries}), "lz4")
    unused = pa.DictionaryArray.from_arrays(pa.array([i % 2 for i in range(ROWS)], pa.int8()), pa.array([1.5, 2.5, None]))
    write(folder, "unused-null", pa.table({"x": unused}), "lz4")
    inside = pa.array([[float(i), None if i == 20 else 1.0] for i in range(ROWS)], pa.list_(pa.float32()))
    write(folder, "null-list", pa.table({"x": inside}), "lz4")

    # A dictionary that grows from batch to batch, and one that is replaced.
    schema = pa.schema([("x", pa.dictionary(pa.int8(), pa.float64()))])
    for name, deltas in [("delta", True), ("replaced", False)]:
        options = pa.ipc.IpcWriteOptions(compression="lz4", emit_dictionary_deltas=deltas)
        with pa.ipc.new_stream(f"{folder}/{name}.arrow", schema, options=options) as sink:
            for batch in range(3):
                first = 0 if deltas else batch
                values = pa.array([float(v) for v in range(first, batch + 2)])
                places = pa.array([i % len(values) for i in range(10)], pa.int8())
                sink.write_batch(pa.record_batch([pa.DictionaryArray.from_arrays(places, values)], schema=schema))

    # Numbers that are not read must not be passed over.
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([ROWS], pa.int32()), pa.array([1.5]))
    write(folder, "runs", pa.table({"x": runs, "y": [float(i) for i in range(ROWS)]}))
    decimal = pa.array(range(ROWS), pa.int64()).cast(pa.decimal128(20, 1))
    write(folder, "decimal", pa.table({"x": decimal.dictionary_encode(), "y": [float(i) for i in range(ROWS)]}))


if __name__ == "__main__":
    main(sys.argv[1])
