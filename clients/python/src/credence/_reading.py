"""A topic of posteriors as a data frame, or one by one."""

from __future__ import annotations

import datetime
import json
from dataclasses import dataclass, field
from typing import Any, Iterator

import pyarrow as pa

from credence._frames import Library, from_arrow
from credence._kafka import ARROW, BROKERS, REACH, Settings, Trouble, settings

PATIENCE = 30.0
"""Seconds that a broker may take to answer."""

STATISTICS = (
    "mean", "sd", "median", "q2.5", "q5", "q25", "q75", "q95", "q97.5",
    "mcse_mean", "ess_bulk", "ess_tail", "r_hat",
)  # fmt: skip


@dataclass(frozen=True)
class Posterior:
    """What is known of a key's model after a shard. Of a deleted model only key, time and ``deleted``."""

    key: str
    kind: str = ""
    t: int = 0
    """Shards absorbed."""
    n: int = 0
    """Rows absorbed."""
    time: datetime.datetime | None = None
    """Of the shard's record, UTC."""
    flags: tuple[str, ...] = ()
    """The model's warnings; the manual says what each means and what to do."""
    rows: Any = field(default=None, repr=False)
    """A pyarrow Table with one row per variable: ``variable`` and its statistics."""
    about: dict[str, Any] = field(default_factory=dict, repr=False)
    """All else in the message, by its JSON name."""
    deleted: bool = False

    def frame(self, library: Library = "pandas") -> Any:
        """The rows as a data frame."""
        if self.rows is None:
            raise ValueError(f"the model of {self.key} is deleted")
        return from_arrow(self.rows, library)


def posteriors(
    topic: str,
    *,
    brokers: str = BROKERS,
    key: str | None = None,
    newest: bool = False,
    library: Library = "pandas",
    config: Settings | None = None,
) -> Any:
    """Read what a topic of posteriors holds now into a data frame.

    Columns: ``key``, ``kind``, ``t``, ``n``, ``time``, ``flags`` (text, by comma), ``variable`` and the
    statistics. Each posterior is there once, whatever a crash has sent again.

    Parameters
    ----------
    topic
        ``kafka.output`` of the consumer's configuration, in Arrow or JSON.
    key
        Only this key's.
    newest
        Only the last posterior of each key whose model is not deleted.
    library
        ``"pandas"``, ``"polars"`` or ``"pyarrow"``.
    """
    found: list[Posterior] = []
    last: dict[str, Posterior] = {}
    for p in watch(topic, brokers=brokers, key=key, until_end=True, config=config):
        last[p.key] = p
        if not p.deleted:
            found.append(p)
    if newest:
        found = [p for p in last.values() if not p.deleted]
    return from_arrow(_joined(found), library)


def watch(
    topic: str,
    *,
    brokers: str = BROKERS,
    key: str | None = None,
    until_end: bool = False,
    config: Settings | None = None,
) -> Iterator[Posterior]:
    """Yield every posterior of a topic once, from its beginning, and go on as new ones come.

    A model that is deleted is yielded with ``deleted``. With ``until_end`` it stops at what is the
    topic's end when it begins. Leave the loop, or call ``close()`` of the generator, to end it.
    """
    for message in once(topic, brokers=brokers, key=key, until_end=until_end, config=config):
        yield _parse(message)


def once(topic: str, *, brokers: str, key: str | None, until_end: bool, config: Settings | None) -> Iterator[Any]:
    """Every output of a topic once: after a crash some are there again, byte for byte."""
    greatest: dict[tuple[bytes, bytes], int] = {}
    for message in _messages(topic, brokers, until_end, config):
        if key is not None and message.key() != key.encode():
            continue
        headers = dict(message.headers() or [])
        if "ce_source" not in headers or "ce_id" not in headers:
            raise ValueError(
                f"{topic} partition {message.partition()} offset {message.offset()} has no headers ce_source and ce_id: "
                "this is no topic of Credence's outputs"
            )
        source = headers["ce_source"], message.key()
        offset = int(headers["ce_id"].split(b"/")[0])  # "17", of draws "17/draws"
        if offset > greatest.get(source, -1):
            greatest[source] = offset
            yield message


def _messages(topic: str, brokers: str, until_end: bool, config: Settings | None) -> Iterator[Any]:
    from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

    trouble = Trouble(topic, brokers)
    consumer = Consumer(
        settings(
            brokers,
            config,
            trouble,
            {
                "group.id": "credence-python",  # asked for by librdkafka; nothing is committed
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "isolation.level": "read_committed",
                "allow.auto.create.topics": False,
                "enable.partition.eof": True,
            },
        )
    )
    try:
        try:
            about = consumer.list_topics(topic, timeout=REACH).topics[topic]
        except KafkaException as failure:
            consumer.poll(0)
            raise trouble.error(trouble.why(failure.args[0])) from None
        if about.error is not None:
            raise trouble.error(about.error.str())
        left = set(about.partitions)
        consumer.assign([TopicPartition(topic, p, 0) for p in left])
        while left or not until_end:
            message = consumer.poll(PATIENCE if until_end else 1.0)
            if message is None:
                if until_end:
                    raise trouble.error(f"no message for {PATIENCE:g} s")
                continue
            error = message.error()
            if error is None:
                yield message
            elif error.code() == KafkaError._PARTITION_EOF:
                left.discard(message.partition())
            else:
                raise trouble.error(trouble.why(error))
    finally:
        consumer.close()


def _parse(message: Any) -> Posterior:
    key = message.key().decode()
    time = datetime.datetime.fromtimestamp(message.timestamp()[1] / 1000, datetime.timezone.utc)
    value = message.value()
    if value is None:
        return Posterior(key=key, time=time, deleted=True)
    if dict(message.headers())["content-type"].decode() == ARROW:
        rows = pa.ipc.open_stream(value).read_all()
        about = {_name(name): _entry(_name(name), text) for name, text in (rows.schema.metadata or {}).items()}
        return _posterior(about, rows.replace_schema_metadata(None), time)
    return from_json(json.loads(value))


def from_json(about: dict[str, Any]) -> Posterior:
    """The posterior of a message in JSON, or of an answer over HTTP."""
    listed = about.pop("posterior")
    rows = pa.table(
        {"variable": pa.array([r["variable"] for r in listed], pa.string())}
        | {s: pa.array([r[s] for r in listed], pa.float64()) for s in STATISTICS}
    )
    return _posterior(about, rows, datetime.datetime.fromisoformat(about["time"].replace("Z", "+00:00")))


def _posterior(about: dict[str, Any], rows: pa.Table, time: datetime.datetime) -> Posterior:
    return Posterior(
        key=about["key"], kind=about["kind"], t=about["t"], n=about["n"], time=time,
        flags=tuple(about.get("flags", ())), rows=rows, about=about,
    )  # fmt: skip


def _name(metadata: bytes) -> str:
    return metadata.decode().removeprefix("credence.")


def _entry(name: str, text: bytes) -> Any:
    """A value of Arrow's metadata: numbers, lists and mappings are JSON, names are text."""
    return text.decode() if name in ("format", "key", "kind", "variant", "topic", "config") else json.loads(text)


def _joined(found: list[Posterior]) -> pa.Table:
    """All rows in one table, with the posterior that each is of."""
    tables = []
    for p in found:
        size = p.rows.num_rows
        columns = {
            "key": pa.repeat(pa.scalar(p.key, pa.string()), size),
            "kind": pa.repeat(pa.scalar(p.kind, pa.string()), size),
            "t": pa.repeat(pa.scalar(p.t, pa.int64()), size),
            "n": pa.repeat(pa.scalar(p.n, pa.int64()), size),
            "time": pa.repeat(pa.scalar(p.time, pa.timestamp("ms", "UTC")), size),
            "flags": pa.repeat(pa.scalar(",".join(p.flags), pa.string()), size),
        }
        columns |= {name: p.rows.column(name) for name in ("variable", *STATISTICS)}
        tables.append(pa.table(columns))
    return pa.concat_tables([_SCHEMA.empty_table(), *tables])


_SCHEMA = pa.schema(
    [("key", pa.string()), ("kind", pa.string()), ("t", pa.int64()), ("n", pa.int64()),
     ("time", pa.timestamp("ms", "UTC")), ("flags", pa.string()), ("variable", pa.string())]
    + [(s, pa.float64()) for s in STATISTICS]
)  # fmt: skip
