"""Send shards to Credence with pyarrow and confluent-kafka.

    pip install confluent-kafka pyarrow
    python send_shards.py --brokers 127.0.0.1:9092 --topic shards --key flights/SFO

A record is one shard: its key names the model, its value is an Arrow stream
with the rows. The data here are made up; columns of integers, booleans,
floats and dictionaries, with nulls, are all fine.
"""

import argparse

import pyarrow as pa
from confluent_kafka import Producer


def rows(start, count):
    """Row i of a made-up table of flights."""
    index = range(start, start + count)
    distance = [float(100 + 37 * i % 900) for i in index]
    hour = [i % 24 for i in index]
    weekend = [i % 7 >= 5 for i in index]
    carrier = [["AA", "DL", "WN"][i % 3] for i in index]
    delay = [d / 128 + h / 4 + i * i % 17 / 8 for d, h, i in zip(distance, hour, index)]
    # A row without a feature is left out; one without the response is
    # predicted and not learned from.
    hour = [None if i % 11 == 10 else h for h, i in zip(hour, index)]
    delay = [None if i % 13 == 12 else d for d, i in zip(delay, index)]
    return pa.table(
        {
            "distance": pa.array(distance, pa.float64()),
            "hour": pa.array(hour, pa.int8()),
            "weekend": pa.array(weekend, pa.bool_()),
            "carrier": pa.array(carrier, pa.string()).dictionary_encode(),
            "delay": pa.array(delay, pa.float64()),
        }
    )


def arrow_stream(table, compression):
    """One complete Arrow IPC stream: schema, batches, end."""
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--brokers", required=True)
    p.add_argument("--topic", required=True)
    p.add_argument("--key", action="append", required=True, help="of a model; may be repeated")
    p.add_argument("--shards", type=int, default=5)
    p.add_argument("--rows", type=int, default=20)
    p.add_argument("--compression", choices=["lz4", "zstd"], help="of the Arrow buffers (default: none)")
    p.add_argument("--run", default="example", help="sent twice under the same name, shards are applied once")
    args = p.parse_args()

    producer = Producer(
        {
            "bootstrap.servers": args.brokers,
            "enable.idempotence": True,
            # Not librdkafka's default! All producers of a topic must agree on
            # the partition of a key, and Java's and ours use murmur2.
            "partitioner": "murmur2_random",
        }
    )
    failures = []
    for shard in range(args.shards):
        value = arrow_stream(rows(shard * args.rows, args.rows), args.compression)
        for key in args.key:
            producer.produce(
                args.topic,
                key=key,
                value=value,
                headers={
                    "content-type": "application/vnd.apache.arrow.stream",
                    # Optional: numbers that grow per key and run let Credence
                    # skip what it has had.
                    "credence-shard": f"{args.run}/{shard + 1}",
                },
                on_delivery=lambda error, _: error and failures.append(error),
            )
        producer.poll(0)
    if producer.flush(60) or failures:
        raise SystemExit(f"not all shards were acknowledged: {failures[:3]}")
    print(f"sent {args.shards * len(args.key)} shards")


if __name__ == "__main__":
    main()
