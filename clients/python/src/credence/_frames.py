"""Data frames of several libraries, as Arrow tables and back."""

from __future__ import annotations

from typing import Any, Literal

import pyarrow as pa

Library = Literal["pandas", "polars", "pyarrow"]
"""The library that a frame is returned in."""


def to_arrow(data: Any) -> pa.Table:
    """The columns of a data frame, without index and without metadata.

    Takes a DataFrame of pandas or polars, a Table or RecordBatch of pyarrow, whatever
    else exports Arrow's C stream, a dict of columns or a list of dicts.
    """
    if isinstance(data, pa.Table):
        table = data
    elif isinstance(data, pa.RecordBatch):
        table = pa.Table.from_batches([data])
    elif isinstance(data, list):
        table = pa.Table.from_pylist(data)
    elif isinstance(data, dict):
        table = pa.table(data)
    elif type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "columns"):
        table = pa.Table.from_pandas(data, preserve_index=False)
    elif hasattr(data, "__arrow_c_stream__") and type(data).__name__ != "Series":
        table = pa.table(data)
    elif type(data).__name__ == "DataFrame" and hasattr(data, "to_arrow"):  # of polars before 1
        table = data.to_arrow()
    else:
        raise TypeError(
            f"a {type(data).__name__} is no data frame: give one of pandas, polars or pyarrow, a dict of columns or a list of dicts"
        )
    return _plain(table.replace_schema_metadata(None))


def _plain(table: pa.Table) -> pa.Table:
    """Columns of types that can be taken by row and that shards have.

    Dictionaries as what they stand for, for a slice would carry all of one, the views that polars makes of text as
    text, decimals as the nearest floats.
    """
    views = {"string_view": pa.large_string(), "binary_view": pa.large_binary()}
    for i, field in enumerate(table.schema):
        if str(field.type) in views:
            table = table.set_column(i, field.name, table.column(i).cast(views[str(field.type)]))
        if pa.types.is_dictionary(field.type):
            values = field.type.value_type
            if values == getattr(pa, "string_view", lambda: None)():  # which cannot be taken by index
                values = pa.large_string()
            chunks = [chunk.dictionary.cast(values).take(chunk.indices) for chunk in table.column(i).chunks]
            table = table.set_column(i, field.name, pa.chunked_array(chunks, values))
        elif pa.types.is_decimal(field.type):  # which shards have not
            table = table.set_column(i, field.name, table.column(i).cast(pa.float64()))
    return table


def from_arrow(table: pa.Table, library: Library) -> Any:
    """The table as a DataFrame of pandas or polars, or as it is."""
    if library == "pyarrow":
        return table
    if library == "pandas":
        return table.to_pandas()
    if library == "polars":
        import polars

        return polars.from_arrow(table)
    raise ValueError(f"library {library!r} is none of 'pandas', 'polars' and 'pyarrow'")
