"""Print the newest draws of a model as CSV, for programs that read no Arrow.

    pip install confluent-kafka pyarrow
    python draws_to_csv.py --brokers 127.0.0.1:9092 --topic posteriors.draws --key flights/SFO

Columns: .chain, .iteration and .draw, as R's package posterior calls them, and
one per variable. The model must publish draws (publish: {draws: true}).
"""

import argparse
import sys

import pyarrow as pa
import pyarrow.csv

from topics import newest


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--brokers", required=True)
    p.add_argument("--topic", required=True)
    p.add_argument("--key", required=True)
    args = p.parse_args()
    values = newest(args.brokers, args.topic)
    if args.key not in values:
        raise SystemExit(f"no draws of {args.key} in {args.topic}; keys: {', '.join(sorted(values))}")
    # Numbers are written in the shortest form that reads back the same.
    pa.csv.write_csv(pa.ipc.open_stream(values[args.key]).read_all(), sys.stdout.buffer)


if __name__ == "__main__":
    main()
