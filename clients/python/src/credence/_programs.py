"""The commands ``credence``, ``consumer`` and ``producer``: the program that the wheel carries."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path


def find(name: str) -> str:
    """The path of a program: that in this package, which is each of them by its name, else that on the PATH."""
    inside = Path(__file__).parent / "bin" / ("credence.exe" if os.name == "nt" else "credence")
    if inside.exists():
        return str(inside)
    # The script that called this is on the PATH as well, with those of the other names beside it.
    scripts = Path(sys.argv[0]).absolute().parent
    others = [f for f in os.environ.get("PATH", "").split(os.pathsep) if f and Path(f).absolute() != scripts]
    path = shutil.which(name, path=os.pathsep.join(others))
    if path is None:
        raise SystemExit(
            f"credence: this package carries no {name} for your system, and none is on the PATH: "
            "install a wheel of your platform, or build the program with Go (make build)"
        )
    return path


def become(name: str) -> None:
    """Runs a program, as if it were called so, with the arguments given."""
    command = [name, *sys.argv[1:]]
    path = find(name)
    if os.name != "nt":
        os.execv(path, command)
    # It cannot become another program. Ctrl-C reaches both: the program ends in order, and this one waits.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise SystemExit(subprocess.run(command, executable=path, check=False).returncode)


def credence() -> None:
    """All commands."""
    become("credence")


def consumer() -> None:
    """The commands of the consumer."""
    become("consumer")


def producer() -> None:
    """The commands of the producer."""
    become("producer")
