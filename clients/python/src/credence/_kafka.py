"""What senders and readers of topics share."""

from __future__ import annotations

import logging
import time
from typing import Any, Mapping

BROKERS = "127.0.0.1:9092"

ARROW = "application/vnd.apache.arrow.stream"

REACH = 10.0
"""Seconds in which a first broker has to answer."""

REMEDY = "start Kafka, correct brokers, or compare security.protocol and the sasl settings in config with what this port expects"

Settings = Mapping[str, Any]
"""Further settings of librdkafka, such as security.protocol."""

log = logging.getLogger("credence")


class BrokerError(Exception):
    """Kafka was not reached, or refused what it was asked for."""


class DeliveryError(BrokerError):
    """The broker did not take all that was sent."""


class Trouble:
    """What librdkafka last said of its connections, for a topic.

    In place of its own lines on stderr, several for each attempt to connect, the package
    logs one line when no broker answers any more, and while that lasts one every ten seconds.
    """

    def __init__(self, topic: str, brokers: str) -> None:
        self._topic, self._brokers, self._last, self._quiet = topic, brokers, "", float("-inf")

    def __call__(self, error: Any) -> None:
        from confluent_kafka import KafkaError

        if error.code() == KafkaError._ALL_BROKERS_DOWN:
            # A port of another protocol has them all down with each attempt, several times a second.
            if time.monotonic() >= self._quiet:
                self._quiet = time.monotonic() + REACH
                log.warning("no broker answers: %s; %s", self._last or self._brokers, REMEDY)
        else:
            self._last = error.str()

    def why(self, error: Any) -> str:
        """The reason of a failure: without a connection, why there is none."""
        from confluent_kafka import KafkaError

        unreached = KafkaError._TRANSPORT, KafkaError._TIMED_OUT, KafkaError._MSG_TIMED_OUT, KafkaError._ALL_BROKERS_DOWN
        return f"{self._last or error.str()}; {REMEDY}" if error.code() in unreached else str(error.str())

    def error(self, why: str) -> BrokerError:
        """What is raised where the topic cannot be read, or not be written at all."""
        return BrokerError(f"topic {self._topic!r} at {self._brokers}: {why}")


def settings(brokers: str, config: Settings | None, trouble: Trouble, ours: dict[str, Any]) -> dict[str, Any]:
    """What the user configures, with what must be as it is."""
    given = dict(config or {})
    clash = sorted(given.keys() & ours.keys())
    if clash:
        raise ValueError(f"config must not set {', '.join(clash)}: readers and writers of a topic must agree on it")
    return {"bootstrap.servers": brokers, "log_level": 0, "error_cb": trouble, **given, **ours}
