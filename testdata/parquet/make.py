#!/usr/bin/env python3
"""Write the Parquet files of this folder with pyarrow.

    mmdebstrap --variant=apt --include=python3-pyarrow unstable sid
    cp make.py sid/tmp && chroot sid sh -c 'cd /tmp && mkdir out && python3 make.py out'

Those here are of pyarrow 25.0.0. A mirror whose index is past its date needs
--aptopt='Acquire::Check-Valid-Until "false"' as well.

The values are functions of the row, which the test repeats
(engine/files/parquet/pyarrow_test.go).
"""

import sys

import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 45

# Runs that are no multiple of eight, values that repeat, and some that do not.
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
    ("f32", pa.float32(), lambda i: i % 13 / 4),
    ("f64", pa.float64(), lambda i: i % 10 / 7),
    ("mixed", pa.float64(), lambda i: i * 2654435761 % 4294967296 / 4294967296),
    ("list", pa.list_(pa.float32()), lambda i: [float(i), float(i % 2)]),
]
REQUIRED = {"i32", "f64"}


def table(columns, rows=ROWS):
    fields = [pa.field(name, kind, nullable=name not in REQUIRED) for name, kind, _ in columns]
    arrays = [pa.array([value(i) for i in range(rows)], kind) for _, kind, value in columns]
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def write(folder, name, data, **options):
    options = {"data_page_size": 64, "write_batch_size": 16, **options}
    pq.write_table(data, f"{folder}/{name}.parquet", store_schema=False, write_statistics=False, **options)


def main(folder):
    data = table(COLUMNS)
    for codec in ["none", "snappy", "gzip", "brotli", "zstd", "lz4"]:
        for version in [1, 2]:
            for dictionary in [False, True]:
                name = f"{codec}-v{version}-{'dictionary' if dictionary else 'plain'}"
                write(folder, name, data, compression=codec, data_page_version=f"{version}.0", use_dictionary=dictionary)

    # Pages that fold far, and one page for many rows.
    constant = table([("f64", pa.float64(), lambda i: 0.1)], 20000)
    for codec in ["snappy", "gzip", "brotli", "zstd", "lz4"]:
        write(folder, f"constant-{codec}", constant, compression=codec, use_dictionary=False,
              data_page_size=1 << 20, write_batch_size=1024)

    # Pages that hardly fold, larger than what a reader may have at hand.
    mixed = [c for c in COLUMNS if c[0] == "mixed"]
    for version in [1, 2]:
        for dictionary in [False, True]:
            write(folder, f"large-v{version}-{'dictionary' if dictionary else 'plain'}", table(mixed, 700), compression="lz4",
                  data_page_version=f"{version}.0", use_dictionary=dictionary, data_page_size=1 << 20, write_batch_size=1024)

    numbers = [c for c in COLUMNS if c[0] not in ("b", "list")]
    for version in [1, 2]:
        whole = [c for c in numbers if c[0][0] in "iu"]
        write(folder, f"delta-v{version}", table(whole), compression="lz4", data_page_version=f"{version}.0",
              use_dictionary=False, column_encoding={c[0]: "DELTA_BINARY_PACKED" for c in whole})
        split = [c for c in numbers if c[0] in ("i32", "i64", "f32", "f64", "mixed")]
        write(folder, f"split-v{version}", table(split), compression="lz4", data_page_version=f"{version}.0",
              use_dictionary=False, column_encoding={c[0]: "BYTE_STREAM_SPLIT" for c in split})

    few = [c for c in COLUMNS if c[0] in ("b", "i32", "f64")]
    write(folder, "groups", table(few), compression="lz4", row_group_size=17, write_page_checksum=True)
    # A dictionary that grows too large: the pages that follow are plain.
    write(folder, "fallback", table(mixed), compression="lz4",
          dictionary_pagesize_limit=64)
    # Entries of a dictionary that no row refers to.
    unused = pa.DictionaryArray.from_arrays(pa.array([i % 3 for i in range(ROWS)], pa.int32()),
                                            pa.array([i / 8 for i in range(50)]))
    write(folder, "unused", pa.table({"f64": unused}), compression="zstd")
    half = pa.array([i / 4 for i in range(ROWS)], pa.float32()).cast(pa.float16())
    write(folder, "half", pa.table({"x": half, "y": [float(i) for i in range(ROWS)]}), compression="none")
    for version in [1, 2]:
        hole = pa.table({"x": [None if i == 20 else float(i) for i in range(ROWS)]})
        write(folder, f"null-v{version}", hole, compression="lz4", data_page_version=f"{version}.0")


if __name__ == "__main__":
    main(sys.argv[1])
