"""Runs what Credence is compared with, a batch at a time, as the lines on
standard input ask:

    begin NAME NUMBER...    makes the task ready       ready, or why it is not
    run SECONDS             repeats it for so long     UNITS CPU WALL
"""

import importlib
import sys
import time

TASKS = {
    "bayes": "with_river",
    "cholesky": "with_numpy",
    "linear": "with_numpy",
    "matmul": "with_numpy",
    "scored": "with_numpy",
    "sgd": "with_river",
    "syrk": "with_numpy",
}


def begin(name, *sizes):
    task = getattr(importlib.import_module(TASKS[name]), name)
    do, units = task(*map(int, sizes))
    for _ in range(3):
        do()
    return do, units


def run(do, units, seconds):
    done, cpu, wall = 0, time.process_time(), time.perf_counter()
    repeats = 1
    while True:
        before = time.perf_counter()
        for _ in range(repeats):
            do()
        done += repeats
        now = time.perf_counter()
        if now - wall >= seconds:
            return done * units, time.process_time() - cpu, now - wall
        if now - before < 0.001:  # looking at the clock is not what is measured
            repeats *= 2


def main():
    task = None
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "begin":
            try:
                task = begin(*rest)
                print("ready", flush=True)
            except Exception as why:  # other tasks may have what they need
                print(f"{type(why).__name__}: {why}".replace("\n", " "), flush=True)
        else:
            print(*run(*task, float(rest[0])), flush=True)


if __name__ == "__main__":
    main()
