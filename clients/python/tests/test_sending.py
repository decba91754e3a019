import datetime
import decimal
import unittest

import pandas as pd
import polars as pl
import pyarrow as pa

from credence._frames import to_arrow
from credence._kafka import BrokerError
from credence._sending import Shards, _fit, _headers, _run, _stream, send

NOBODY = "127.0.0.1:1"  # where nothing listens

ROWS = {"shop": ["a", "b", "a", "a", "b"], "x": [1, 2, 3, 4, 5]}


def cut(data, **arguments):
    given = {"key": "shop", "model": None, "rows": 2, "time": None} | arguments
    return [(s.key, s.number, s.rows.to_pydict(), s.time) for s in Shards(to_arrow(data), **given)]


class Cutting(unittest.TestCase):
    def test_order_is_that_of_last_rows(self):
        want = [
            ("a", 1, {"x": [1, 3]}, None),
            ("a", 2, {"x": [4]}, None),
            ("b", 1, {"x": [2, 5]}, None),
        ]
        self.assertEqual(cut(ROWS), want)

    def test_every_kind_of_frame(self):
        want = cut(ROWS)
        frame = pd.DataFrame(ROWS, index=[7, 7, 7, 7, 7])
        for data in (
            frame,
            frame.astype({"shop": "category"}),
            pl.DataFrame(ROWS),
            pl.DataFrame(ROWS, schema_overrides={"shop": pl.Categorical}),
            pa.table(ROWS),
            pa.table(ROWS).to_batches()[0],
            pa.concat_tables([pa.table(ROWS).slice(0, 2), pa.table(ROWS).slice(2)]),
            pa.table(ROWS).to_pylist(),
        ):
            with self.subTest(type(data)):
                self.assertEqual(cut(data), want)

    def test_frames_of_polars_before_1(self):
        class DataFrame:
            def to_arrow(self):
                return pa.table(ROWS)

        self.assertEqual(cut(DataFrame()), cut(ROWS))

    def test_text_beside_the_key(self):
        rows = ROWS | {"city": ["a long name of a city", "b", None, "d", "e"]}
        want = cut(rows)
        for data in (pd.DataFrame(rows), pl.DataFrame(rows), pl.DataFrame(rows).to_arrow(), pl.DataFrame(rows).lazy().collect()):
            with self.subTest(type(data)):
                self.assertEqual(cut(data), want)

    def test_decimals_are_numbers(self):
        frame = pd.DataFrame({"shop": ["a", "a"], "x": [decimal.Decimal("1.25"), None]})
        self.assertEqual(cut(frame), [("a", 1, {"x": [1.25, None]}, None)])
        self.assertEqual(to_arrow(frame).schema.field("x").type, pa.float64())

    def test_one_model(self):
        self.assertEqual(
            cut({"x": [1, 2, 3]}, key=None, model="m"),
            [("m", 1, {"x": [1, 2]}, None), ("m", 2, {"x": [3]}, None)],
        )

    def test_keys_are_written_as_levels_are(self):
        day = datetime.date(2024, 2, 29)
        for values, want in (([7], "7"), ([True], "true"), ([day], "2024-02-29"), (["é"], "é")):
            self.assertEqual([k for k, *_ in cut({"shop": values, "x": [1]})], [want])

    def test_times(self):
        moment = datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
        for value, want in (
            (datetime.date(1970, 1, 2), 86_400_000),
            (datetime.datetime(1970, 1, 1, 0, 0, 1, 999), 1000),
            (datetime.datetime(1969, 12, 31, 23, 59, 59, 999_500), -1),
            (moment, 1_704_060_000_000),
        ):
            data = {"shop": ["a", "a"], "at": [value, value]}
            self.assertEqual([t for *_, t in cut(data, time="at")], [want])
        frame = pd.DataFrame({"shop": ["a"], "at": pd.to_datetime(["2024-01-01T00:00:00Z"])})
        for unit in ("s", "ms", "us", "ns"):
            frame["at"] = frame["at"].dt.as_unit(unit)
            self.assertEqual([t for *_, t in cut(frame, time="at")], [1_704_067_200_000])

    def test_what_is_refused(self):
        for data, arguments, want in (
            ({"shop": ["a", None], "x": [1, 2]}, {}, "1 of 2 rows have no key in column 'shop', the first is row 1"),
            ({"shop": [1.5], "x": [1]}, {}, "floating point"),
            ({"shop": ["x" * 513], "x": [1]}, {}, "513 bytes"),
            ({"shop": [""], "x": [1]}, {}, "0 bytes"),
            (ROWS, {"key": "store"}, "no column 'store'; there are 'shop', 'x'"),
            (ROWS, {"time": "x"}, "not timestamps"),
            (ROWS, {"model": "m"}, "give either key"),
            (ROWS, {"key": None}, "give either key"),
            (pa.table({"shop": pa.array([], pa.string())}), {}, "no rows"),
        ):
            with self.subTest(want), self.assertRaisesRegex(ValueError, want):
                cut(data, **arguments)
        with self.assertRaisesRegex(TypeError, "a set is no data frame"):
            to_arrow({1})
        for series in (pd.Series([1.5]), pl.Series([1.5])):
            with self.assertRaisesRegex(TypeError, "a Series is no data frame"):
                to_arrow(series)
        with self.assertRaisesRegex(ValueError, "at least one"):
            send(ROWS, "t", key="shop", rows=0)
        with self.assertRaisesRegex(ValueError, "must not set partitioner"):
            send(ROWS, "t", key="shop", config={"partitioner": "random"})

    def test_what_does_not_fit_is_refused_before_the_first_shard(self):
        data = {"shop": ["a"] * 10 + ["b"] * 90, "note": ["x" * 100] * 100}
        with self.assertRaisesRegex(ValueError, r"shard 1 of key 'b' has \d+ bytes, and message.max.bytes is 2000. Nothing was sent. Call send with rows=\d"):
            send(data, "t", key="shop", brokers=NOBODY, config={"message.max.bytes": 2000})
        for columns in ({"x": [1.5] * 1000}, {"s": ["a", None] * 500, "b": [True] * 1000}, {f"x{i}": range(1000) for i in range(40)}):
            cut = Shards(pa.table(columns), key=None, model="the model", rows=700, time=None)
            first = next(iter(cut))
            size = 36 + 9 + sum(len(k) + len(v) + 4 for k, v in _headers(first, "run").items()) + len(_stream(first.rows))
            _fit(cut, "run", size)
            with self.assertRaisesRegex(ValueError, f"has {size} bytes"):
                _fit(cut, "run", size - 1)

    def test_a_run_is_of_its_shards(self):
        def shards(data, **arguments):
            given = {"key": "shop", "model": None, "rows": 2, "time": None} | arguments
            return Shards(to_arrow(data), **given)

        run = _run(None, shards(ROWS))
        self.assertRegex(run, "^[0-9a-f]{32}-[0-9a-f]{8}$")
        self.assertNotEqual(run, _run(None, shards(ROWS)))
        self.assertEqual(run, _run(run, shards(pd.DataFrame(ROWS))))
        grown = {"shop": [*ROWS["shop"], "a"], "x": [*ROWS["x"], 6]}
        for name, other in {
            "rows": shards(ROWS, rows=3),
            "model": shards(ROWS, key=None, model="all"),
            "more data": shards(grown),
            "other data": shards(ROWS | {"x": [1, 2, 3, 4, 6]}),
            "other columns": shards({"shop": ROWS["shop"], "z": ROWS["x"]}),
        }.items():
            with self.subTest(name):
                with self.assertRaisesRegex(ValueError, "began with other data"):
                    _run(run, other)
                self.assertEqual("mine", _run("mine", other))

    def test_no_broker(self):
        with self.assertLogs("credence", "WARNING"), self.assertRaisesRegex(
            BrokerError, f"topic 't' at {NOBODY}: .*Connection refused.*Nothing was sent"
        ):
            send(ROWS, "t", key="shop", brokers=NOBODY)

    def test_a_large_frame(self):
        size = 100_000
        data = pa.table({"shop": [i % 1000 for i in range(size)], "x": range(size)})
        cuts = list(Shards(data, key="shop", model=None, rows=30, time=None))
        self.assertEqual(len(cuts), 4000)
        seen = {}
        for s in cuts:
            self.assertEqual(s.number, seen.get(s.key, (0, 0))[0] + 1)
            values = seen.get(s.key, (0, []))[1] + s.rows["x"].to_pylist()
            seen[s.key] = s.number, values
        for key, (_, values) in seen.items():
            self.assertEqual(values, list(range(int(key), size, 1000)))
