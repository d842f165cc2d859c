#!/usr/bin/env python3
"""Proves that `compare.py` can fail: changes single values of a recording, and says whether each is found, and nothing but that.

    benches/golden/mutate.py DIR
"""

import argparse
import gzip
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TRACES = "ask/starter/hykge.jsonl.gz"
SESSION = "sessions/starter-00.jsonl.gz"
PLAIN = "plain/starter-02.txt"
JOURNAL = "dkg/journal.jsonl"


def changed(*path, by):
    """Changes one value of the first object that has it."""

    def mutate(text):
        lines = text.splitlines()
        for at, line in enumerate(lines):
            whole = json.loads(line)
            try:
                inner = whole
                for key in path[:-1]:
                    inner = inner[key]
                before = inner[path[-1]]
            except (KeyError, IndexError, TypeError):
                continue
            inner[path[-1]] = by(before)
            if inner[path[-1]] != before or type(inner[path[-1]]) is not type(before):
                lines[at] = json.dumps(whole, ensure_ascii=False)
                break
        return "\n".join(lines) + "\n"

    return mutate


def first(make):
    """Changes the first object as a whole."""

    def mutate(text):
        line, rest = text.split("\n", 1)
        return json.dumps(make(json.loads(line)), ensure_ascii=False) + "\n" + rest

    return mutate


def sub(pattern, by, count=0):
    return lambda text: re.sub(pattern, by, text, count=count)


REWORDED = sub(r"No longer kept is what was kept chain (\d+): ", r"Dropped: former chain \1: ")
LISTED = "No longer kept is what was kept chain {}: {}\tDropped: former chain {}: {}\n"

# What is changed: title, file, how, whether the comparison must fail, wordings that are listed.
CASES = [
    ("the last digits of a score", TRACES, changed("pruning", "kept", 0, "score", by=lambda v: v + 1e-12), True, ""),
    ("an entity of an answer", TRACES, changed("answer", "entities", 0, by=lambda v: v + "x"), True, ""),
    ("a count", TRACES, changed("chains_found", by=lambda v: v + 1), True, ""),
    ("a whole number as a decimal", TRACES, changed("chains_found", by=float), True, ""),
    ("a search that the count budget cut", TRACES, changed("truncated", by=lambda v: "count budget"), True, ""),
    ("a search that time ended", TRACES, changed("truncated", by=lambda v: "the time budget of 5000 ms ended the search"), False, ""),
    ("a time", TRACES, changed("timings_ms", "total", by=lambda v: v + 5), False, ""),
    ("the order of keys", TRACES, first(lambda v: dict(reversed(v.items()))), True, ""),
    ("a key that is gone", TRACES, first(lambda v: {key: v[key] for key in v if key != "warnings"}), True, ""),
    ("a key that is new", TRACES, first(lambda v: {**v, "more": 1}), True, ""),
    ("a key renamed, not listed", TRACES, sub('"unlinked"', '"not_linked"'), True, ""),
    ("a key renamed, listed", TRACES, sub('"unlinked"', '"not_linked"'), False, "@key\tunlinked\tnot_linked\n"),
    ("a trace that is gone", TRACES, lambda text: text.split("\n", 1)[1], True, ""),
    ("the id of a session's run", SESSION, sub(r"q[0-9a-f]{9,13}-[0-9a-f]+-\d+", "q19ab0000000-ff-7"), False, ""),
    ("the name of an event", SESSION, sub('"event":"revised"', '"event":"changed"', 1), True, ""),
    ("the times of events", SESSION, sub(r'"at_ms":[\d.]+', '"at_ms":1.5'), False, ""),
    ("a word that is said", PLAIN, sub("kept as evidence", "kept as proof", 1), True, ""),
    ("a duration that is said", PLAIN, sub(r"in \d\.\d seconds", "in 9.9 seconds"), False, ""),
    ("lines reworded, not listed", PLAIN, REWORDED, True, ""),
    ("lines reworded, listed", PLAIN, REWORDED, False, LISTED),
    ("lines reworded, listed, and a number", PLAIN, lambda text: sub(r"former chain 4", "former chain 5", 1)(REWORDED(text)), True, LISTED),
    ("a rating in the journal", JOURNAL, sub('"rating":"good"', '"rating":"bad"', 1), True, ""),
    ("the times of the journal", JOURNAL, sub(r'"at_ms":\d+', '"at_ms":1'), False, ""),
]


def main():
    parser = argparse.ArgumentParser(description="Prove that compare.py finds single changes.")
    parser.add_argument("recording", type=Path)
    source = parser.parse_args().recording
    compare = Path(__file__).with_name("compare.py")
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="catena-golden-") as folder:
        for title, name, mutate, fails, listed in CASES:
            mutant = Path(folder) / "mutant"
            shutil.rmtree(mutant, ignore_errors=True)
            (mutant / name).parent.mkdir(parents=True)
            shutil.copy(source / "manifest.json", mutant)
            packed = name.endswith(".gz")
            content = (source / name).read_bytes()
            text = (gzip.decompress(content) if packed else content).decode()
            now = mutate(text)
            (mutant / name).write_bytes(gzip.compress(now.encode(), 1) if packed else now.encode())
            wording = Path(folder) / "wording.tsv"
            wording.write_text(listed)
            argv = [sys.executable, compare, source, mutant, "--only", name.removesuffix(".gz"), "--wording", wording]
            code = subprocess.run(argv, capture_output=True).returncode
            right = now != text and code == int(fails)
            wrong += not right
            print(f"{'as it must be' if right else 'WRONG':<14} {'found' if code else 'not found':<10} {title}")
    print(f"{len(CASES) - wrong} of {len(CASES)} are as they must be")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
