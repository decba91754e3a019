import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path


@unittest.skipIf(os.name == "nt", "the programs are shell scripts")
class Programs(unittest.TestCase):
    def run_with(self, path, *arguments):
        # As in an installation from source: without the programs that a wheel has in the package.
        command = [sys.executable, "-c", "import credence._programs as p; p.__file__ = '/nowhere/p.py'; p.main()", *arguments]
        return subprocess.run(command, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False)

    def test_each_command_finds_its_program(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("consumer", "producer"):
                file = Path(folder) / name
                file.write_text(f'#!/bin/sh\necho {name} "$@"\nexit 3\n')
                file.chmod(0o755)
            for arguments, want in (
                (["demo", "--duration", "1s"], "consumer demo --duration 1s\n"),
                (["replay", "--rows", "20"], "producer replay --rows 20\n"),
                (["simulate"], "producer simulate\n"),
                ([], "consumer\n"),
            ):
                done = self.run_with(f"{folder}:/usr/bin:/bin", *arguments)
                self.assertEqual((done.stdout, done.returncode), (want, 3), done.stderr)

    def test_no_program(self):
        done = self.run_with("/nowhere", "demo")
        self.assertEqual(done.returncode, 1)
        self.assertIn("carries no consumer", done.stderr)
