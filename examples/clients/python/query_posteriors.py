"""Ask DuckDB about all posteriors of a topic.

    pip install confluent-kafka pyarrow duckdb
    python query_posteriors.py --brokers 127.0.0.1:9092 --topic posteriors

The posteriors become one table: key, t, n, variable and a column per statistic.
Without --sql it prints how each key stands now, as CSV. The messages must be
in Arrow (kafka.format: arrow, the default).
"""

import argparse
import csv
import sys

import duckdb
import pyarrow as pa

from topics import once

# t counts the shards of a key, so that the newest posterior has the largest.
NEWEST = """
    SELECT key, t, n, variable, mean, "q2.5", "q97.5"
    FROM posteriors
    QUALIFY t = max(t) OVER (PARTITION BY key)
    ORDER BY key, variable
"""


def table(brokers, topic):
    """All posteriors of a topic as one Arrow table, one row per variable."""
    tables = []
    for key, value in once(brokers, topic):
        if value is None:  # the model was deleted
            continue
        one = pa.ipc.open_stream(value).read_all()
        about = one.schema.metadata
        for i, (name, column) in enumerate(
            [
                ("key", pa.repeat(key, one.num_rows)),
                ("t", pa.repeat(int(about[b"credence.t"]), one.num_rows)),
                ("n", pa.repeat(int(about[b"credence.n"]), one.num_rows)),
            ]
        ):
            one = one.add_column(i, name, column)
        tables.append(one.replace_schema_metadata(None))
    return pa.concat_tables(tables)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--brokers", required=True)
    p.add_argument("--topic", required=True)
    p.add_argument("--sql", default=NEWEST, help="of the table posteriors")
    args = p.parse_args()
    posteriors = table(args.brokers, args.topic)  # DuckDB finds it by its name
    answer = duckdb.sql(args.sql)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(answer.columns)
    out.writerows(answer.fetchall())


if __name__ == "__main__":
    main()
