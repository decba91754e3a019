import json
import socket
import unittest

import pyarrow as pa
from confluent_kafka import KafkaError

from credence._http import Client
from credence._kafka import BrokerError, Trouble
from credence._reading import STATISTICS, _joined, _parse, posteriors


class Message:
    def __init__(self, value, kind):
        self._value, self._kind = value, kind

    def key(self):
        return b"17"  # text, though it looks like a number

    def value(self):
        return self._value

    def timestamp(self):
        return 1, 1_704_067_200_500

    def headers(self):
        return [("content-type", self._kind)]


ROW = {"variable": "beta[x]"} | {s: float(i) for i, s in enumerate(STATISTICS)} | {"r_hat": None}
ABOUT = {"kind": "linear", "t": 3, "n": 60, "flags": ["outliers"]}


def in_json():
    value = {"key": "17", "time": "2024-01-01T00:00:00.500Z", **ABOUT, "posterior": [ROW]}
    return Message(json.dumps(value).encode(), b"application/json")


def in_arrow():
    metadata = {"credence.key": "17", "credence.kind": "linear", "credence.t": "3", "credence.n": "60", "credence.flags": '["outliers"]'}
    table = pa.table({"variable": ["beta[x]"]} | {s: pa.array([ROW[s]], pa.float64()) for s in STATISTICS})
    table = table.replace_schema_metadata(metadata)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return Message(sink.getvalue().to_pybytes(), b"application/vnd.apache.arrow.stream")


class Fault:
    def __init__(self, code, text):
        self.code, self.str = lambda: code, lambda: text


class Reading(unittest.TestCase):
    def test_trouble_is_told_once_with_a_remedy(self):
        trouble = Trouble("t", "b:1")
        with self.assertLogs("credence", "WARNING") as told:
            for _ in range(100):
                trouble(Fault(KafkaError._ALL_BROKERS_DOWN, "0/2 brokers are down"))
        self.assertEqual(len(told.output), 1)
        self.assertRegex(told.output[0], "no broker answers: b:1; .*security.protocol")
        self.assertRegex(trouble.why(Fault(KafkaError._TIMED_OUT, "Local: Timed out")), "Timed out; .*security.protocol")
        self.assertEqual(trouble.why(Fault(KafkaError.TOPIC_AUTHORIZATION_FAILED, "not allowed")), "not allowed")

    def test_both_formats_are_the_same_posterior(self):
        for message in (in_json(), in_arrow()):
            p = _parse(message)
            self.assertEqual((p.key, p.kind, p.t, p.n, p.flags, p.deleted), ("17", "linear", 3, 60, ("outliers",), False))
            self.assertEqual(p.time.isoformat(), "2024-01-01T00:00:00.500000+00:00")
            self.assertEqual(p.rows.to_pylist(), [ROW])
            self.assertEqual(p.frame("polars")["mean"].to_list(), [0.0])

    def test_deleted(self):
        p = _parse(Message(None, b""))
        self.assertTrue(p.deleted)
        with self.assertRaisesRegex(ValueError, "deleted"):
            p.frame()

    def test_joined(self):
        table = _joined([_parse(in_json()), _parse(in_arrow())])
        self.assertEqual(table.num_rows, 2)
        self.assertEqual(table["flags"].to_pylist(), ["outliers"] * 2)
        self.assertEqual(_joined([]).schema, table.schema)

    def test_nobody_answers(self):
        with self.assertLogs("credence", "WARNING"), self.assertRaisesRegex(
            BrokerError, "topic 'posteriors' at 127.0.0.1:1: .*Connection refused"
        ):
            posteriors("posteriors", brokers="127.0.0.1:1")
        with self.assertRaisesRegex(ConnectionError, "no answer from http://127.0.0.1:1: .*refused.*http.listen"):
            Client("http://127.0.0.1:1/").get("a")
        with socket.create_server(("127.0.0.1", 0)) as silent, self.assertRaisesRegex(ConnectionError, "within 0.1 s: .*raise timeout"):
            Client(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.1).get("a")
        with self.assertRaisesRegex(ValueError, "does not begin with http"):
            Client("127.0.0.1:8080")
