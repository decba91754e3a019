"""Read posteriors from Kafka into pyarrow, pandas or polars.

    pip install confluent-kafka pyarrow pandas polars
    python read_posteriors.py --brokers 127.0.0.1:9092 --topic posteriors --with pandas

Each message is a small Arrow table, one row per variable, whose schema carries
what the message is about. This program prints one JSON object per posterior,
in the order of the topic, and stops at its end. The messages must be in Arrow
(kafka.format: arrow, the default).
"""

import argparse
import io
import json

import pyarrow as pa

from topics import once


def with_pyarrow(value):
    table = pa.ipc.open_stream(value).read_all()
    return table.to_pylist()


def with_pandas(value):
    frame = pa.ipc.open_stream(value).read_pandas()
    # Statistics that are not defined are null in Arrow and NaN in pandas.
    return frame.astype(object).where(frame.notna(), None).to_dict("records")


def with_polars(value):
    import polars

    frame = polars.read_ipc_stream(io.BytesIO(value))
    return frame.to_dicts()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--brokers", required=True)
    p.add_argument("--topic", required=True)
    p.add_argument("--with", dest="library", choices=["pyarrow", "pandas", "polars"], default="pyarrow")
    args = p.parse_args()
    rows = {"pyarrow": with_pyarrow, "pandas": with_pandas, "polars": with_polars}[args.library]
    for key, value in once(args.brokers, args.topic):
        if value is None:
            continue
        about = pa.ipc.open_stream(value).schema.metadata
        print(
            json.dumps(
                {
                    "key": key,
                    "t": int(about[b"credence.t"]),
                    "n": int(about[b"credence.n"]),
                    "posterior": rows(value),
                }
            )
        )


if __name__ == "__main__":
    main()
