"""Makes matrices.json: the design matrices of formulas.txt by formulaic."""
import json
import pathlib
import sys

import formulaic
import numpy as np
import pandas as pd
from formulaic.materializers.types import FactorValues

HERE = pathlib.Path(__file__).parent
UNITS = {"s": 1, "min": 60, "h": 3600, "d": 86400, "w": 604800, "y": 365.2425 * 86400}


def seconds(x):
    if pd.api.types.is_datetime64_any_dtype(x):
        return (x - pd.Timestamp("1970-01-01")) / pd.Timedelta(seconds=1)
    return x


def season(x, period, harmonics):
    if isinstance(period, str):
        digits = period.rstrip("abcdefghijklmnopqrstuvwxyz")
        period = float(digits) * UNITS[period[len(digits):]]
    turn = 2 * np.pi * np.mod(np.asarray(seconds(x), dtype=float), period) / period
    columns = {}
    for k in range(1, harmonics + 1):
        columns[f"sin{k}"] = np.sin(k * turn)
        columns[f"cos{k}"] = np.cos(k * turn)
    return FactorValues(columns, kind="numerical", format="{name}[{field}]")


def named(values, names):
    return pd.Series(pd.Categorical([names[v] for v in values], categories=list(names.values())))


MONTHS = dict(enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1))
DAYS = dict(enumerate("mon tue wed thu fri sat sun".split()))



def factor(x, *args, **kwargs):
    if getattr(x, "attrs", {}).get("part") == "month":
        x = named(x, MONTHS)
    return formulaic.transforms.C(x, *args, **kwargs)


def month(x):
    m = x.dt.month
    m.attrs["part"] = "month"
    return m


CONTEXT = {
    "np": np, "C": factor, "season": season,
    "hour": lambda x: x.dt.hour, "minute": lambda x: x.dt.minute, "day": lambda x: x.dt.day,
    "dayofyear": lambda x: x.dt.dayofyear, "year": lambda x: x.dt.year, "quarter": lambda x: x.dt.quarter,
    "month": month, "weekday": lambda x: named(x.dt.dayofweek, DAYS),
    "trend": lambda x: seconds(x) / 86400,
}


def read():
    data = json.loads((HERE / "data.json").read_text())
    frame = pd.DataFrame({c["name"]: c["values"] for c in data["columns"]})
    for c in data["columns"]:
        if c["type"] == "time":
            frame[c["name"]] = pd.to_datetime([round(v * 1e6) for v in c["values"]], unit="us")
    return frame


def main(out):
    frame, cases = read(), []
    for line in (HERE / "formulas.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        ours, _, theirs = line.partition(" | ")
        matrix = formulaic.Formula(theirs or ours).get_model_matrix(frame, context=CONTEXT)
        right = getattr(matrix, "rhs", matrix)
        cases.append({
            "formula": ours,
            "names": list(right.columns),
            "columns": [[float(v) for v in right[c]] for c in right.columns],
        })
    lines = ",\n".join(json.dumps(c) for c in cases)
    pathlib.Path(out).write_text(f'{{"formulaic": "{formulaic.__version__}", "cases": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else HERE / "matrices.json")
