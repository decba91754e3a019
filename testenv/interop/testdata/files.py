"""Prints the cells that pandas reads of the files, once it is told what they mean.

A cell is null, a number, a truth value or a text; times are seconds since 1970.
"""

import json
import sys
from pathlib import Path

import pandas as pd

# What it does not take as missing by itself.
WORDS = ["NaT", "-", "?"]

TRUE = {"true", "yes", "y"}
FALSE = {"false", "no", "n"}


def read(path, **options):
    return pd.read_csv(path, na_values=WORDS, **options)


def map_texts(column, to):
    return column.map(to, na_action="ignore")


def amount(column, thousands=",", decimal="."):
    def to(text):
        sign = -1 if text.startswith("(") or "-" in text else 1
        for c in "()$€%-+ \u00a0" + thousands:
            text = text.replace(c, "")
        return sign * float(text.replace(decimal, "."))

    return map_texts(column.astype("str").where(column.notna()), to)


def truth(column):
    def to(text):
        word = str(text).lower()
        if word not in TRUE | FALSE:
            raise ValueError(text)
        return word in TRUE

    return map_texts(column.astype("object"), to)


def times(column, fmt):
    return pd.to_datetime(column, format=fmt, utc=True)


def orders(path):
    f = read(path, thousands=",", dtype={"Zip": "str", "Paid": "str", "Express": "str", "Date": "str", "At": "str"})
    f["Date"] = times(f["Date"], "%m/%d/%Y")
    f["At"] = times(f["At"], "%m/%d/%Y %I:%M %p")
    for name in ["Amount", "Tax", "Share"]:
        f[name] = amount(f[name])
    for name in ["Paid", "Express"]:
        f[name] = truth(f[name])
    return f


def umsatz(path):
    f = read(path, sep=";", decimal=",", thousands=".", encoding="utf-8-sig", dtype={"Tag": "str", "Aktiv": "str", "Umsatz": "str", "Anteil": "str"})
    f["Tag"] = times(f["Tag"], "%d.%m.%Y")
    for name in ["Umsatz", "Anteil"]:
        f[name] = amount(f[name], ".", ",")
    f["Aktiv"] = truth(f["Aktiv"])
    return f


def visits(path):
    f = read(path, sep="\t", dtype={"visits": "str", "member": "str"})
    f["born"] = times(f["born"], "mixed")
    f["visits"] = amount(f["visits"], "\u202f")
    f["member"] = truth(f["member"])
    f["last seen"] = times(f["last seen"], "ISO8601")
    return f


def export(path):
    f = pd.DataFrame(json.loads(Path(path).read_text()))
    f = f.replace({"": None, "NA": None, "null": None})
    f["share"] = amount(f["share"])
    f["ok"] = truth(f["ok"])
    f["day"] = times(f["day"], "mixed")
    return f


def cell(value):
    if pd.isna(value):
        return None
    if isinstance(value, pd.Timestamp):
        return value.as_unit("ns").value / 10**9
    if hasattr(value, "item"):
        return value.item()
    return value


def main():
    folder = Path(sys.argv[1])
    out = {}
    for name, reader in {"orders.csv": orders, "umsatz.csv": umsatz, "visits.tsv": visits, "pipes.csv": read, "export.json": export}.items():
        frame = reader(folder / name)
        out[name] = {column: [cell(v) for v in frame[column]] for column in frame.columns}
    json.dump(out, sys.stdout)


main()
