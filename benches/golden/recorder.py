"""Runs the program in a fixed environment and keeps what it says."""

import gzip
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path


def write(path, content, packed=False):
    """Writes bytes, packed without a name or a time, so that the same content gives the same file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not packed:
        path.write_bytes(content)
        return
    with open(path.with_name(path.name + ".gz"), "wb") as raw, gzip.GzipFile("", "wb", 4, raw, 0) as file:
        file.write(content)


class Recorder:
    """A folder of results, and a folder to work in. The program runs in the latter, and sees the shared data as `data/`."""

    def __init__(self, binary, out, work, data):
        self.binary, self.out, self.work = binary, out, work
        self.codes, self.counts, self.seconds = {}, {}, {}
        self.environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(work / "user"),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "TERM": "xterm-256color",
            "NO_COLOR": "1",
            "RAYON_NUM_THREADS": "2",
            # Nothing here may go over the network; where something tried, it would fail.
            "HTTP_PROXY": "http://127.0.0.1:9",
            "HTTPS_PROXY": "http://127.0.0.1:9",
            "ALL_PROXY": "http://127.0.0.1:9",
            # Today's values in the code, so that a change of the defaults does not hide other changes (see the section "dkg-defaults").
            "CATENA_DKG_COMPARE_RELATION": "true",
            "CATENA_DKG_REDUNDANCY_DISTANCE": "0.1",
        }
        (work / "user").mkdir()
        (work / "data").symlink_to(data)
        out.mkdir(parents=True)

    def home(self, name, graphs=None):
        """A fresh home; it can share the graphs of another one."""
        home = self.work / "homes" / name
        home.mkdir(parents=True)
        if graphs is not None:
            (home / "graphs").symlink_to(graphs / "graphs")
        return home

    def env(self, home, without=()):
        """The environment for a home."""
        kept = {key: value for key, value in self.environment.items() if key not in without}
        return {**kept, "CATENA_HOME": str(home)}

    def run(self, name, home, *arguments, ending="txt", stdin=b"", packed=False, without=(), codes=(0,)):
        """Runs a command, keeps output, messages and exit code under a name; gives the output."""
        argv = [str(self.binary), *map(str, arguments)]
        done = subprocess.run(argv, input=stdin, capture_output=True, env=self.env(home, without), cwd=self.work, timeout=900)
        if codes and done.returncode not in codes:
            sys.exit(f"{name}: {' '.join(argv)}\nended with {done.returncode}:\n{done.stderr.decode(errors='replace')}")
        write(self.out / f"{name}.{ending}", done.stdout, packed)
        if done.stderr:
            write(self.out / f"{name}.err.txt", done.stderr)
        self.codes[name] = done.returncode
        return done.stdout

    def keep(self, name, path, packed=False):
        """Keeps a file that the program wrote."""
        write(self.out / name, path.read_bytes(), packed)

    def count(self, what, by=1):
        """Counts something that is told in the end."""
        self.counts[what] = self.counts.get(what, 0) + by

    def section(self, title, work):
        """Does a part, and notes how long it took."""
        began = time.monotonic()
        work()
        self.seconds[title] = round(time.monotonic() - began, 1)
        print(f"{title:<14} {self.seconds[title]:>7.1f} s", flush=True)

    def finish(self):
        """Writes down what was done. Folders of this run are named, so that a comparison can leave their names out."""
        manifest = {
            "format": 1,
            "counts": self.counts,
            "codes": self.codes,
            "seconds": self.seconds,
            "folders": [str(self.work), os.path.realpath(self.work)],
        }
        write(self.out / "manifest.json", (json.dumps(manifest, indent=1, ensure_ascii=False) + "\n").encode())


def fresh(path, replace):
    """A folder that is not there yet."""
    path = Path(path)
    if path.exists():
        if not replace:
            sys.exit(f"{path} is there already; --replace removes it first")
        shutil.rmtree(path)
    return path
