"""The command ``credence``: the programs that the wheel carries."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

PRODUCER = ("replay", "simulate")
"""Commands of the producer; all others are the consumer's."""


def find(name: str) -> str:
    """The path of a program: the one in this package, else the one on the PATH."""
    file = name + (".exe" if os.name == "nt" else "")
    inside = Path(__file__).parent / "bin" / file
    path = str(inside) if inside.exists() else shutil.which(name)
    if path is None:
        raise SystemExit(
            f"credence: this package carries no {name} for your system, and none is on the PATH: "
            "install a wheel of your platform, or build the program with Go (make build)"
        )
    return path


def main() -> None:
    """Runs ``consumer``, or ``producer`` for its commands, with the arguments given."""
    arguments = sys.argv[1:]
    path = find("producer" if arguments[:1] and arguments[0] in PRODUCER else "consumer")
    if os.name == "nt":  # it cannot become another program
        raise SystemExit(subprocess.run([path, *arguments], check=False).returncode)
    os.execv(path, [path, *arguments])
