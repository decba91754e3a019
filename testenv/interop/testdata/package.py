"""Does with the package what the tests of interop compare: package.py COMMAND BROKERS-OR-URL ..."""

import json
import math
import sys

import credence


def frame(start, count):
    """The rows of examples/clients/python/send_shards.py, as a data frame."""
    import pandas as pd

    index = range(start, start + count)
    rows = pd.DataFrame(
        {
            "distance": [float(100 + 37 * i % 900) for i in index],
            "hour": pd.array([i % 24 for i in index], dtype="Int64"),
            "weekend": [i % 7 >= 5 for i in index],
            "carrier": pd.Categorical([["AA", "DL", "WN"][i % 3] for i in index]),
        }
    )
    rows["delay"] = [d / 128 + int(h) / 4 + i * i % 17 / 8 for d, h, i in zip(rows.distance, rows.hour, index)]
    rows.loc[[i % 11 == 10 for i in index], "hour"] = pd.NA
    rows.loc[[i % 13 == 12 for i in index], "delay"] = None
    return rows


def send(brokers, topic, rows, shards, *keys):
    import pandas as pd
    import polars as pl

    data = frame(0, int(rows) * int(shards))
    for i, key in enumerate(keys):
        one = data.assign(model=key)
        arguments = {"key": "model", "rows": int(rows), "brokers": brokers, "run": f"run{i}"}
        sent = credence.send(pl.from_pandas(one) if i % 2 else one, topic, **arguments)
        assert (sent.shards, sent.rows, sent.keys) == (int(shards), len(data), 1), sent
        credence.send(one, topic, **arguments)  # the same run again is applied once
    both = pd.concat([data.assign(model="all/1"), data.assign(model="all/2")])
    credence.send(both.sample(frac=1, random_state=1).sort_index(kind="stable"), topic, key="model", rows=int(rows), brokers=brokers)


def written(frame):
    """Posteriors of a frame as lines of JSON."""
    frame = frame.astype(object).where(frame.notna(), None)
    for (key, t), rows in frame.groupby(["key", "t"], sort=False):
        about = rows.iloc[0]
        keep = rows.drop(columns=["key", "kind", "t", "n", "time", "flags"])
        print(json.dumps({"key": key, "t": t, "n": about.n, "posterior": keep.to_dict("records")}))


def read(brokers, topic, library):
    frame = credence.posteriors(topic, brokers=brokers, library=library)
    newest = credence.posteriors(topic, brokers=brokers, newest=True)
    frame = frame.to_pandas() if library != "pandas" else frame
    last = frame.groupby("key").t.max()
    assert dict(newest.groupby("key").t.max()) == {k: last[k] for k in newest.key.unique()}
    deleted = {p.key for p in credence.watch(topic, brokers=brokers, until_end=True) if p.deleted}
    assert set(frame.key) - set(newest.key) == deleted, deleted
    written(frame)


def draws(brokers, topic, key):
    data = credence.draws(topic, brokers=brokers, key=key)
    posterior = getattr(data.posterior, "dataset", data.posterior)
    for name in posterior:
        print(json.dumps([name, [repr(float(v)) for v in posterior[name].values.reshape(-1)]]))
    try:
        credence.draws(topic, brokers=brokers, key="nobody")
        raise SystemExit("draws of nobody")
    except KeyError:
        pass


def ask(url, key):
    p = credence.Client(url).get(key)
    rows = [{k: None if isinstance(v, float) and math.isnan(v) else v for k, v in row.items()} for row in p.rows.to_pylist()]
    print(json.dumps({"key": p.key, "t": p.t, "n": p.n, "posterior": rows}))


def asks(url, key, gone):
    client = credence.Client(url + "/")
    assert key in list(client.keys()) and list(client.keys(prefix="dlm/")) == ["dlm/1"]
    inputs = [i["name"] for i in client.about(key)["inputs"] if i["role"] == "feature"]
    rows = [{name: 0.25 * (i + j) for j, name in enumerate(inputs)} for i in range(3)]
    for library in ("pandas", "polars", "pyarrow"):
        found = client.predict(rows, key, library=library)
        columns = found.to_dict("list") if library == "pandas" else found.to_dict(as_series=False) if library == "polars" else found.to_pydict()
        print(json.dumps(columns["mean"]))
    print(json.dumps(client.forecast(3, "dlm/1")["mean"].tolist()))
    assert client.calibration(key)["key"] == key
    history = client.history(key)
    assert {"t", "variable", "mean"} <= set(history.columns)
    for wrong, status, says in (
        (lambda: client.get(gone), 404, ""),
        (lambda: client.predict([{"unknown": 1.0}], key), 422, "missing"),
        (lambda: client.predict(rows[:1] + [dict(rows[0], **{inputs[0]: 1e308})], key), 422, f'row 1 (from 0): feature "{inputs[0]}" is 1e+308'),
    ):
        try:
            wrong()
            raise SystemExit(f"no refusal with status {status}")
        except credence.RequestError as error:
            assert error.status == status and error.code and says in str(error), (error.status, error)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
