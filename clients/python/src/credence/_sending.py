"""A data frame as shards."""

from __future__ import annotations

import datetime
import hashlib
import re
import uuid
from dataclasses import dataclass
from typing import Any, Iterator

import pyarrow as pa
import pyarrow.compute as pc

from credence._frames import to_arrow
from credence._kafka import ARROW, BROKERS, REACH, DeliveryError, Settings, Trouble, settings

MAX_KEY = 512  # bytes
MAX_RUN = 128  # bytes
MAX_MESSAGE = 1_000_000  # bytes: librdkafka's default of message.max.bytes


@dataclass(frozen=True)
class Sent:
    """What ``send`` has sent, all of it acknowledged."""

    rows: int
    shards: int
    keys: int
    run: str
    """Its name: the same data sent again under it are applied once."""


@dataclass(frozen=True)
class Shard:
    """Consecutive rows of one key."""

    key: str
    number: int  # of the key, from 1
    rows: pa.Table
    time: int | None  # milliseconds since 1970


def send(
    data: Any,
    topic: str,
    *,
    key: str | None = None,
    model: str | None = None,
    rows: int = 100,
    time: str | None = None,
    run: str | None = None,
    brokers: str = BROKERS,
    config: Settings | None = None,
    partitions: int = 4,
    timeout: float = 60,
) -> Sent:
    """Send a data frame to a topic of shards, and wait until all is acknowledged.

    Parameters
    ----------
    data
        A DataFrame of pandas or polars, a pyarrow Table, a dict of columns or a list of
        dicts. Rows stay in their order.
    topic
        The topic of shards: ``kafka.input`` of the consumer's configuration.
    key
        The column that names the model of each row. It is not sent. Give this or ``model``.
    model
        The one model of all rows.
    rows
        Rows of a shard. A key's last shard has what is left.
    time
        A column of timestamps; a record has that of its last row. Without: the time of sending.
    run
        A name for these data. Shards are numbered by key within it, and a consumer applies each number
        once: repeat a call that failed with the same data, the same ``rows`` and the same name. Other data
        need another name, or their shards are taken for ones that were applied. Default: a new name, which is
        refused with other data or ``rows``.
    brokers
        ``host:port``, more of them by comma.
    config
        Further settings of librdkafka: ``{"security.protocol": "SASL_SSL", ...}``.
    partitions
        Of the topic, if it does not exist yet.
    timeout
        Seconds to wait for acknowledgements in the end.

    Raises
    ------
    ValueError
        A row without a key, a column that does not exist, no rows, a shard larger than
        ``message.max.bytes``, or a run that was of other shards. Nothing was sent.
    BrokerError
        No broker answers, or the topic may not be created. Nothing was sent.
    DeliveryError
        Not all shards were acknowledged. The message says how to send the rest.
    """
    table = to_arrow(data)
    if rows < 1:
        raise ValueError(f"rows is {rows}: a shard has at least one")
    from confluent_kafka import KafkaException, Producer

    if run is not None and len(run.encode()) > MAX_RUN:
        raise ValueError(f"run {run!r} has more than {MAX_RUN} bytes")
    cut = Shards(table, key=key, model=model, rows=rows, time=time)
    run = _run(run, cut)
    _fit(cut, run, int((config or {}).get("message.max.bytes", MAX_MESSAGE)))
    trouble = Trouble(topic, brokers)
    delivered = 0
    failed: list[Any] = []

    def report(error: Any, _: Any) -> None:
        nonlocal delivered
        if error is None:
            delivered += 1
        else:
            failed.append(error)

    producer = Producer(
        settings(
            brokers,
            config,
            trouble,
            {
                # All producers of a topic must agree on the partition of a key, or its
                # shards lie in two: librdkafka's default is not the one of Java's clients.
                "partitioner": "murmur2_random",
                # What arrives is a beginning of what was sent, so that a second call under
                # the same run's name sends what is missing and no more.
                "enable.idempotence": True,
                "enable.gapless.guarantee": True,
            },
        )
    )
    _create(topic, brokers, config, partitions)
    left = 0
    try:
        for shard in cut:
            record: dict[str, Any] = {"timestamp": shard.time} if shard.time is not None else {}
            record.update(key=shard.key, value=_stream(shard.rows), headers=_headers(shard, run), on_delivery=report)
            while not failed:
                try:
                    producer.produce(topic, **record)
                    break
                except BufferError:  # librdkafka's queue is full
                    producer.poll(1)
            producer.poll(0)
            if failed:  # no later shard arrives before this one has
                break
        left = producer.flush(timeout)
    except KafkaException as error:
        failed.append(error.args[0])
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_rest(delivered, len(cut), run, "interrupted")) from None
    if failed or left:
        why = trouble.why(failed[0]) if failed else f"no answer in {timeout:g} s"
        raise DeliveryError(_rest(delivered, len(cut), run, why))
    return Sent(rows=table.num_rows, shards=delivered, keys=len(cut.keys), run=run)


def _run(run: str | None, cut: Shards) -> str:
    """The name of a run, of a new one with a digest of its shards: with others the consumer would skip rows that it never had."""
    if not run:
        return f"{uuid.uuid4().hex}-{cut.digest()}"
    marked = re.fullmatch("[0-9a-f]{32}-([0-9a-f]{8})", run)
    if marked and marked[1] != cut.digest():
        raise ValueError(
            f"run {run!r} began with other data, or with other rows of a shard: call send as it was, or leave run out, "
            "which sends all as new data. Nothing was sent"
        )
    return run


def _rest(delivered: int, count: int, run: str, why: str) -> str:
    return (
        f"{count - delivered} of {count} shards were not acknowledged ({why}): call send again with the same data "
        f"and rows, and run={run!r}, what has arrived is not applied twice"
    )


def _fit(cut: Shards, run: str, limit: int) -> None:
    """Refuses shards that librdkafka would, before the first is sent: which rows a number stands for cannot change later."""
    schema = len(cut.table.schema.serialize())
    for shard in cut:
        # What librdkafka counts: at most 36 bytes beside key, value and headers, and a few for each of these.
        around = 36 + len(shard.key.encode()) + sum(len(k) + len(v) + 4 for k, v in _headers(shard, run).items())
        batches = sum(pa.ipc.get_record_batch_size(b) for b in shard.rows.to_batches())
        if (size := around + schema + batches + 8) > limit:
            raise ValueError(
                f"shard {shard.number} of key {shard.key!r} has {size} bytes, and message.max.bytes is {limit}. Nothing was sent. "
                f"Call send with rows={max(1, shard.rows.num_rows * limit // (2 * size))}, or with "
                f"config={{'message.max.bytes': {2 * size}}} if the topic's max.message.bytes and "
                "the consumer's limits allow it"
            )


def _headers(shard: Shard, run: str) -> dict[str, str]:
    return {"content-type": ARROW, "credence-shard": f"{run}/{shard.number}"}


def _create(topic: str, brokers: str, config: Settings | None, partitions: int) -> None:
    """Makes the topic unless it is there: one that a broker makes by itself has one partition."""
    from confluent_kafka import KafkaError, KafkaException
    from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

    trouble = Trouble(topic, brokers)
    admin = AdminClient(settings(brokers, config, trouble, {}))
    made = admin.create_topics([NewTopic(topic, num_partitions=partitions)], request_timeout=REACH)
    try:
        made[topic].result()
    except KafkaException as error:
        # Who may write need not be allowed to create: then the producer says whether it is there.
        if error.args[0].code() not in (
            KafkaError.TOPIC_ALREADY_EXISTS,
            KafkaError.TOPIC_AUTHORIZATION_FAILED,
            KafkaError.CLUSTER_AUTHORIZATION_FAILED,
        ):
            admin.poll(0)
            raise trouble.error(f"{trouble.why(error.args[0])}. Nothing was sent") from None


class Shards:
    """A table cut by key, in the order of the shards' last rows. May be walked through more than once."""

    def __init__(self, table: pa.Table, *, key: str | None, model: str | None, rows: int, time: str | None) -> None:
        if (key is None) == (model is None):
            raise ValueError("give either key, the column that names the model of each row, or model, the name of the one of all")
        for role, column in (("key", key), ("time", time)):
            if column is not None and column not in table.column_names:
                raise ValueError(f"{role}: there is no column {column!r}; there are {', '.join(map(repr, table.column_names))}")
        if table.num_rows == 0:
            raise ValueError("there are no rows")
        self._times = None if time is None else _millis(table, time)
        if key is None:
            self.keys, codes = [_key(model)], pa.array([0] * table.num_rows, pa.int64())
        else:
            self.keys, codes = _keys(table, key)
            table = table.drop_columns([key])
        order = pc.sort_indices(pa.table({"code": codes, "row": range(table.num_rows)}), [("code", "ascending"), ("row", "ascending")])
        self.table, origin = table.take(order).combine_chunks(), order.to_pylist()
        runs = pc.run_end_encode(codes.take(order))
        cuts, start = [], 0
        for code, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist()):
            for number, lo in enumerate(range(start, end, rows), 1):
                hi = min(lo + rows, end)
                cuts.append((origin[hi - 1], code, number, lo, hi))
            start = end
        self._cuts = sorted(cuts)

    def __len__(self) -> int:
        return len(self._cuts)

    def digest(self) -> str:
        """Tells these shards from others: by their columns, by which rows each has, and by the values of the first and the last."""
        h = hashlib.sha256(repr((self.table.schema.to_string(), self.keys, self._cuts)).encode())
        for _, _, _, lo, hi in (self._cuts[0], self._cuts[-1]):
            h.update(repr(self.table.slice(lo, hi - lo).to_pylist()).encode())
        return h.hexdigest()[:8]

    def __iter__(self) -> Iterator[Shard]:
        for last, code, number, lo, hi in self._cuts:
            yield Shard(self.keys[code], number, self.table.slice(lo, hi - lo), None if self._times is None else self._times[last])


def _keys(table: pa.Table, column: str) -> tuple[list[str], pa.Array]:
    """The keys that occur, and the index of each row's."""
    values = table.column(column).combine_chunks()
    if values.null_count:
        row = pc.index(values.is_null(), True).as_py()
        raise ValueError(
            f"{values.null_count} of {len(values)} rows have no key in column {column!r}, the first is row {row}: fill them or leave them out"
        )
    if pa.types.is_floating(values.type):
        raise ValueError(f"column {column!r} holds floating point numbers, which name no models: convert it to text or integers")
    encoded = values.dictionary_encode()
    return [_key(v) for v in encoded.dictionary.to_pylist()], encoded.indices.cast(pa.int64())


def _key(value: Any) -> str:
    """A value as the name of a model, as the consumer writes levels."""
    if isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        text = value.isoformat()
    elif isinstance(value, (str, int)):
        text = str(value)
    else:
        raise ValueError(f"a {type(value).__name__} names no model: make it text")
    size = len(text.encode())
    if not 1 <= size <= MAX_KEY:
        raise ValueError(f"key {text[:40]!r} has {size} bytes; a key has 1 to {MAX_KEY}")
    return text


def _millis(table: pa.Table, column: str) -> list[int]:
    values = table.column(column).combine_chunks()
    if not (pa.types.is_timestamp(values.type) or pa.types.is_date(values.type)):
        raise ValueError(f"time: column {column!r} holds {values.type}, not timestamps")
    if values.null_count:
        raise ValueError(f"time: {values.null_count} rows have none in column {column!r}")
    if pa.types.is_date(values.type):
        values = values.cast(pa.timestamp("ms"))
    # A time without a zone is one in UTC; what is finer than a millisecond is cut off.
    unit = {"s": (1000, 1), "ms": (1, 1), "us": (1, 1000), "ns": (1, 1000_000)}[values.type.unit]
    return [v * unit[0] // unit[1] for v in values.cast(pa.int64()).to_pylist()]


def _stream(table: pa.Table) -> bytes:
    """One complete Arrow IPC stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())
