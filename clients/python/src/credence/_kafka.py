"""What senders and readers of topics share."""

from __future__ import annotations

from typing import Any, Mapping

BROKERS = "127.0.0.1:9092"

ARROW = "application/vnd.apache.arrow.stream"

Settings = Mapping[str, Any]
"""Further settings of librdkafka, such as security.protocol."""


class DeliveryError(Exception):
    """The broker did not take all that was sent."""


def settings(brokers: str, config: Settings | None, ours: dict[str, Any]) -> dict[str, Any]:
    """What the user configures, with what must be as it is."""
    given = dict(config or {})
    clash = sorted(given.keys() & ours.keys())
    if clash:
        raise ValueError(f"config must not set {', '.join(clash)}: readers and writers of a topic must agree on it")
    return {"bootstrap.servers": brokers, **given, **ours}
