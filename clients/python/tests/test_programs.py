import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NAMES = ("credence", "consumer", "producer")


@unittest.skipIf(os.name == "nt", "the programs are shell scripts")
class Programs(unittest.TestCase):
    def run_with(self, path, name, *arguments, package="/nowhere/p.py", script="-c"):
        # Unless told otherwise as in an installation from source: without the program that a wheel has in the package.
        code = f"import sys, credence._programs as p; p.__file__ = {package!r}; sys.argv[0] = {script!r}; p.{name}()"
        command = [sys.executable, "-c", code, *arguments]
        return subprocess.run(command, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False)

    def program(self, folder, name, says):
        file = Path(folder) / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f'#!/bin/sh\necho {says} "$@"\nexit 3\n')
        file.chmod(0o755)

    def test_each_script_finds_its_program(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in NAMES:
                self.program(folder, name, name)
            for name, arguments in (("credence", ["demo", "--duration", "1s"]), ("producer", ["replay"]), ("consumer", [])):
                done = self.run_with(f"{folder}:/usr/bin:/bin", name, *arguments)
                self.assertEqual((done.stdout.split(), done.returncode), ([name, *arguments], 3), done.stderr)

    def test_no_script_finds_itself(self):
        with tempfile.TemporaryDirectory() as scripts, tempfile.TemporaryDirectory() as folder:
            for name in NAMES:
                self.program(scripts, name, "script")
                self.program(folder, name, "program")
                done = self.run_with(f"{scripts}:{folder}:/usr/bin:/bin", name, script=f"{scripts}/{name}")
                self.assertEqual((done.stdout, done.returncode), ("program\n", 3), done.stderr)

    def test_the_program_in_the_package_has_all_names(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "bin").mkdir()
            (Path(folder) / "bin" / "credence").symlink_to("/bin/sh")
            for name in NAMES:
                done = self.run_with("/nowhere", name, "-c", "echo $0", package=f"{folder}/p.py")
                self.assertEqual(done.stdout, f"{name}\n", done.stderr)

    def test_no_program(self):
        done = self.run_with("/nowhere", "credence", "demo")
        self.assertEqual(done.returncode, 1)
        self.assertIn("carries no credence", done.stderr)
