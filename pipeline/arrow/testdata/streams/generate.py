"""Writes one table with every writer and form that the decoder is to read.

Needs pyarrow, polars, arro3-core and nanoarrow; run it in this folder. The
files are committed, so the tests need none of them.
"""
import datetime as dt

import arro3.core
import nanoarrow
import nanoarrow.ipc
import polars
import pyarrow as pa
import pyarrow.ipc as ipc

UTC = dt.timezone.utc
F = [1.5, None, -0.25, 1e300, 0.0]
I = [1, -2, None, 2**53 + 1, 0]
B = [True, False, None, True, False]
TS = [dt.datetime(2001, 1, 1, 12, 30, 0, 250000, UTC), None, dt.datetime(1969, 12, 31, 23, 59, 59, 500000, UTC),
      dt.datetime(2026, 11, 21, tzinfo=UTC), dt.datetime(1970, 1, 1, tzinfo=UTC)]
D = [dt.date(2001, 1, 1), None, dt.date(1969, 12, 31), dt.date(2026, 11, 21), dt.date(1970, 1, 1)]
S = ["ORD", None, "", "a text of more than twelve bytes", "ORD"]
SMALL = [1, 2, None, 255, 0]
H = [1.5, None, -0.25, 1024.0, 0.0]

table = pa.table({
    "f": pa.array(F, pa.float64()),
    "i": pa.array(I, pa.int64()),
    "b": pa.array(B, pa.bool_()),
    "ts": pa.array(TS, pa.timestamp("us", "UTC")),
    "d": pa.array(D, pa.date32()),
    "s": pa.array(S, pa.string()),
    "cat": pa.array(S, pa.string()).dictionary_encode(),
    "large": pa.array(S, pa.large_string()),
    "u8": pa.array(SMALL, pa.uint8()),
    "f32": pa.array(H, pa.float32()),
    "tags": pa.array([["a"], [], None, ["b", "c"], []], pa.list_(pa.string())),
})


def write(name, t, batches=None, **options):
    with pa.OSFile(name, "wb") as sink, ipc.new_stream(sink, t.schema, options=ipc.IpcWriteOptions(**options)) as w:
        for b in batches or t.to_batches():
            w.write_batch(b)


write("pyarrow.arrows", table)
write("pyarrow-legacy.arrows", table, use_legacy_format=True, metadata_version=ipc.MetadataVersion.V4)
write("pyarrow-v4.arrows", table, metadata_version=ipc.MetadataVersion.V4)
write("pyarrow-zstd.arrows", table, compression="zstd")
write("pyarrow-lz4.arrows", table, compression="lz4")
write("pyarrow-batches.arrows", table, table.to_batches(max_chunksize=2))

view = table.set_column(5, "s", pa.array(S, pa.string_view()))
write("pyarrow-view.arrows", view)
write("pyarrow-view-zstd.arrows", view, compression="zstd")

# A dictionary of views, which may lie within the views themselves.
words = pa.DictionaryArray.from_arrays(pa.array([0, None, 1, 2, 0], pa.int8()), pa.array(["ORD", "", S[3]], pa.string_view()))
full = pa.array([1.0, 2.0, 3.0, 4.0, 5.0])
few = table.select(["f", "i", "s", "b", "tags", "ts"]).append_column("full", full).append_column("cat", words)
write("pyarrow-view-dictionary-zstd.arrows", few, compression="zstd")

# A dictionary that grows, and one that is replaced.
def chunks(dictionaries):
    out = []
    for (words, index), at in zip(dictionaries, (0, 2, 4)):
        b = table.slice(at, len(index)).combine_chunks().to_batches()[0]
        cat = pa.DictionaryArray.from_arrays(pa.array(index, pa.int32()), pa.array(words, pa.string()))
        out.append(b.set_column(6, "cat", cat))
    return out


LONG = S[3]
grown = chunks([(["ORD"], [0, None]), (["ORD", "", LONG], [1, 2]), (["ORD", "", LONG], [0])])
write("pyarrow-delta.arrows", table, grown, emit_dictionary_deltas=True)
replaced = chunks([(["ORD"], [0, None]), ([LONG, ""], [1, 0]), (["x", "ORD"], [1])])
write("pyarrow-replaced.arrows", table, replaced)

# More than the table: nested columns between the others.
nested = pa.table({
    "st": pa.array([{"a": 1, "b": "x"}, None, {"a": None, "b": None}, {"a": 2, "b": "y"}, {"a": 3, "b": "z"}]),
    "f": table["f"],
    "un": pa.UnionArray.from_sparse(pa.array([0, 1, 0, 1, 0], pa.int8()), [pa.array([1, 2, 3, 4, 5]), pa.array(list("abcde"))]),
    "i": table["i"],
    "du": pa.UnionArray.from_dense(pa.array([0, 1, 0, 1, 0], pa.int8()), pa.array([0, 0, 1, 1, 2], pa.int32()),
                                   [pa.array([1, 2, 3]), pa.array(["a", "b"])]),
    "re": pa.RunEndEncodedArray.from_arrays(pa.array([2, 5], pa.int32()), pa.array([1.0, 2.0])),
    "b": table["b"],
    "bv": pa.array([b"a", None, b"c" * 40, b"", b"e"], pa.binary_view()),
    "s": view["s"],
    "fl": pa.array([[1, 2]] * 5, pa.list_(pa.int8(), 2)),
    "dec": pa.array([1, 2, None, 4, 5], pa.decimal128(10, 2)),
    "lv": pa.array([[1], [], None, [2, 3], []], pa.list_view(pa.int32())),
    "sd": pa.StructArray.from_arrays([table["cat"].combine_chunks()], ["inner"]),
    "nothing": pa.nulls(5),
    "cat": table["cat"],
})
write("pyarrow-nested.arrows", nested)
write("pyarrow-nested-v4.arrows", nested.drop_columns(["re"]), metadata_version=ipc.MetadataVersion.V4)

frame = polars.DataFrame({
    "f": polars.Series(F, dtype=polars.Float64),
    "i": polars.Series(I, dtype=polars.Int64),
    "b": B,
    "ts": polars.Series(TS, dtype=polars.Datetime("us", "UTC")),
    "d": D,
    "s": S,
    "cat": polars.Series(S, dtype=polars.Categorical),
    "u8": polars.Series(SMALL, dtype=polars.UInt8),
    "f32": polars.Series(H, dtype=polars.Float32),
    "tags": [["a"], [], None, ["b", "c"], []],
})
frame.write_ipc_stream("polars.arrows")
frame.write_ipc_stream("polars-zstd.arrows", compression="zstd")
frame.write_ipc_stream("polars-lz4.arrows", compression="lz4")
frame.write_ipc_stream("polars-oldest.arrows", compat_level=polars.CompatLevel.oldest())

rust = arro3.core.Table.from_arrow(table)
import arro3.io
arro3.io.write_ipc_stream(rust, "arrow-rs.arrows", compression=None)
arro3.io.write_ipc_stream(rust, "arrow-rs-zstd.arrows", compression="zstd")
arro3.io.write_ipc_stream(rust, "arrow-rs-lz4.arrows", compression="lz4")

plain = table.select(["f", "i", "b", "ts", "d", "s", "large", "u8", "f32", "tags"])
with nanoarrow.ipc.StreamWriter.from_path("nanoarrow.arrows") as w:
    w.write_stream(plain)
