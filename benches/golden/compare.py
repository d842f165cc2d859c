#!/usr/bin/env python3
"""Compares two recordings of `record.py` field by field.

    benches/golden/compare.py OLDDIR NEWDIR [--wording FILE] [--emit-wording FILE]

JSON must be the same, but for times, for ids that are made from the clock, and for what the list of wordings explains; text is compared line by
line. Ends with 1 where anything else differs. README.md says what is left out.
"""

import argparse
import gzip
import json
import re
import sys
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True

from wording import Wording, aligned, generalised  # noqa: E402

# Values that depend on the clock, or on the program's own bytes; they must be there, whatever they are.
CLOCK = {"timings_ms", "at_ms", "elapsed_ms", "total_ms", "since_ms", "asked_ms", "tokens_per_second", "prev", "sum", "head", "program"}
# In what was learned, an import has the hash of a file that has times in it.
CLOCK_OF_LEARNED = CLOCK | {"sha256"}
# Where texts hold times and names of folders. Elsewhere a string is compared as it is.
LOOSE = {"plain", "dkg", "dkg-defaults", "kg", "refusals"}
RUN = re.compile(r"\bq[0-9a-f]{9,13}-[0-9a-f]+-\d+\b")
LINES = [
    (re.compile(r"\b\d[\d,]*(?:\.\d+)? ?(?:ms|s|seconds?|minutes?)\b(?: and \d+ seconds?)?"), "<time>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?(?: UTC|Z)?"), "<date>"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "<hash>"),
    (re.compile(r"\bprogram [0-9a-f]{16}\b"), "program <fingerprint>"),
    # A median with its 95th percentile, in an evaluation's table of times.
    (re.compile(r" *(?<![\d.])\d[\d,]*\.\d \(\d[\d,]*\.\d\)"), "  <time>"),
]
# A stage that takes more than a second is spoken of; that depends on the machine.
PROGRESS = re.compile(r" gone on for <time>")
BY_TIME = re.compile(r"\btime\b")
BY_TIME_IN_TEXT = re.compile(r"\btime (?:budget|limit)\b")


class Side:
    """One of the two recordings."""

    def __init__(self, folder):
        self.folder = folder
        manifest = json.loads((folder / "manifest.json").read_text())
        self.codes, self.counts, self.folders = manifest["codes"], manifest["counts"], manifest["folders"]
        names = (file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
        self.files = {name.removesuffix(".gz") for name in names if name != "manifest.json"}

    def read(self, name):
        """The bytes of a file, unpacked."""
        path = self.folder / name
        return path.read_bytes() if path.exists() else gzip.decompress((self.folder / f"{name}.gz").read_bytes())

    def normal(self, text):
        """Text without what depends on the clock or on the place."""
        for folder in self.folders:
            text = text.replace(folder, "<folder>")
        text = RUN.sub("<run>", text)
        for pattern, placeholder in LINES:
            text = pattern.sub(placeholder, text)
        return text


class Tally:
    """What was counted of one kind of results."""

    def __init__(self):
        self.things = self.fields = self.reworded = self.different = self.excluded = 0


class Comparison:
    """Two recordings held against each other."""

    def __init__(self, old, new, wording):
        self.old, self.new, self.wording = Side(old), Side(new), wording
        self.tallies = {}
        self.excluded, self.differences, self.pairs, self.patterns = [], [], Counter(), Counter()

    def differ(self, tally, place, what, counts=1):
        tally.different += counts
        self.patterns[re.sub(r"\d+", "#", place)] += 1
        self.differences.append(f"{place}: {what}")

    def exclude(self, tally, name):
        tally.excluded += 1
        self.excluded.append(name)

    # --- values ---

    def value(self, tally, place, old, new, loose):
        """Compares two JSON values."""
        if isinstance(old, dict) and isinstance(new, dict):
            if list(old) != list(new):
                tally.fields += 1
                gone, come = [key for key in old if key not in new], [key for key in new if key not in old]
                self.differ(tally, place, f"keys: gone {gone}, new {come}" if gone or come else f"order of keys: {list(old)} became {list(new)}")
            for key, inner in old.items():
                if key in new and key not in (CLOCK_OF_LEARNED if loose else CLOCK):
                    self.value(tally, f"{place}.{key}", inner, new[key], loose)
        elif isinstance(old, list) and isinstance(new, list):
            if len(old) != len(new):
                tally.fields += 1
                self.differ(tally, place, f"{len(old)} items became {len(new)}")
            for at, (before, after) in enumerate(zip(old, new)):
                self.value(tally, f"{place}[{at}]", before, after, loose)
        elif isinstance(old, str) and isinstance(new, str):
            tally.fields += 1
            before, after = (side.normal(text) if loose else RUN.sub("<run>", text) for side, text in ((self.old, old), (self.new, new)))
            if before != after:
                self.words(tally, place, before.split("\n"), after.split("\n"))
        else:
            tally.fields += 1
            if type(old) is not type(new) or old != new:
                self.differ(tally, place, f"{_short(old)} became {_short(new)}")

    def words(self, tally, place, old, new):
        """Compares lines that are not the same; counts those that the list explains."""
        reworded, left = self.wording.explains(old, new)
        tally.reworded += bool(reworded) and not left
        pairs = [pair for before, after in left for pair in aligned(before, after)]
        for at, pair in enumerate(pairs):
            self.pairs[pair] += 1
            # However many of its lines differ, it is one field.
            self.differ(tally, place, f"{_short(pair[0])} became {_short(pair[1])}", int(at == 0))

    # --- files ---

    def json_lines(self, name, tally, kind):
        old, new = (side.read(name).decode().splitlines() for side in (self.old, self.new))
        parse = lambda lines: [json.loads(line) for line in lines]
        old, new = self.wording.rename(parse(old)), parse(new)
        events = bool(old) and isinstance(old[0], dict) and "event" in old[0]
        if events and any(ended_by_time(event) for event in old + new):
            self.exclude(tally, name)
            return
        if len(old) != len(new):
            tally.fields += 1
            self.differ(tally, name, f"{len(old)} lines became {len(new)}")
        tally.things += events
        for at, (before, after) in enumerate(zip(old, new)):
            place = f"{name}:{at + 1}"
            if not events and (ended_by_time(before) or ended_by_time(after)):
                self.exclude(tally, f"{place} ({before.get('id')})")
                continue
            tally.things += not events
            self.value(tally, place, before, after, kind in LOOSE and not ({"schema", "event"} & set(before)))

    def json(self, name, tally, kind):
        old, new = (json.loads(side.read(name)) for side in (self.old, self.new))
        if ended_by_time(old) or ended_by_time(new):
            self.exclude(tally, name)
            return
        tally.things += 1
        self.value(tally, name, self.wording.rename(old), new, kind in LOOSE)

    def text(self, name, tally):
        both = []
        for side in (self.old, self.new):
            text = side.normal(side.read(name).decode(errors="replace"))
            if name.endswith(".html"):
                text = re.sub(r">\s*<", ">\n<", text)
            lines = [line.rstrip() for line in text.splitlines()]
            both.append([line for line in lines if not PROGRESS.search(line) and not self.wording.dropped(line)])
        old, new = both
        if any(BY_TIME_IN_TEXT.search(line) for line in old + new):
            self.exclude(tally, name)
            return
        tally.things += 1
        tally.fields += max(len(old), len(new))
        if old != new:
            self.lines(tally, name, old, new)

    def lines(self, tally, name, old, new):
        reworded, left = self.wording.explains(old, new)
        tally.reworded += reworded
        for before, after in left:
            for pair in aligned(before, after):
                self.pairs[pair] += 1
                self.differ(tally, name, f"{_short(pair[0])} became {_short(pair[1])}")

    def run(self, only, without):
        names = sorted(self.old.files | self.new.files)
        chosen = [name for name in names if (not only or name.startswith(tuple(only))) and not name.startswith(tuple(without))]
        # Recordings before the reports that are made of them.
        chosen.sort(key=lambda name: (name.startswith("exports/"), name))
        out = set()
        for name in chosen:
            kind = name.split("/")[0]
            tally = self.tallies.setdefault(kind, Tally())
            stem = name.split("/")[1].split(".")[0] if "/" in name else name
            if kind == "exports" and stem in out:
                self.exclude(tally, name)
                continue
            if name not in self.old.files or name not in self.new.files:
                tally.things += 1
                tally.fields += 1
                self.differ(tally, name, f"only in the {'new' if name in self.new.files else 'old'} recording")
                continue
            before = len(self.excluded)
            if name.endswith(".jsonl"):
                self.json_lines(name, tally, kind)
            elif name.endswith(".json"):
                self.json(name, tally, kind)
            else:
                self.text(name, tally)
            if len(self.excluded) > before and kind in ("events", "sessions"):
                out.add(stem if kind == "events" else f"session-{stem}")
        tally = self.tallies.setdefault("exit codes", Tally())
        for name in sorted(self.old.codes | self.new.codes):
            if (only and not name.startswith(tuple(only))) or name.startswith(tuple(without)):
                continue
            tally.things += 1
            tally.fields += 1
            codes = [side.codes.get(name) for side in (self.old, self.new)]
            if codes[0] != codes[1]:
                self.differ(tally, f"exit code of {name}", f"{codes[0]} became {codes[1]}")


def ended_by_time(value):
    """Whether a trace, or the event of a search, says that time ended the search."""
    why = value.get("truncated") if isinstance(value, dict) else None
    return isinstance(why, str) and bool(BY_TIME.search(why))


def _short(value, most=160):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= most else text[:most] + "…"


def main():
    parser = argparse.ArgumentParser(description="Compare two golden recordings.")
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--wording", type=Path, help="the enumerated list: old wording, tab, new wording")
    parser.add_argument("--emit-wording", type=Path, help="write candidates for that list, to be read by someone")
    parser.add_argument("--report", type=Path, help="write every difference, and what was excluded")
    parser.add_argument("--only", nargs="+", default=[], metavar="PREFIX", help="compare these results alone (ask/starter, dkg/ …)")
    parser.add_argument("--without", nargs="+", default=[], metavar="PREFIX", help="leave these results out, and say so")
    parser.add_argument("--most", type=int, default=40, help="how many differences are printed (40)")
    args = parser.parse_args()
    comparison = Comparison(args.old, args.new, Wording(args.wording))
    comparison.run(args.only, args.without)

    print(f"{'':<14}{'compared':>9}{'fields':>12}{'identical':>12}{'reworded':>10}{'different':>10}{'excluded':>9}")
    total = Tally()
    for kind, tally in comparison.tallies.items():
        _row(kind, tally)
        for count in vars(total):
            setattr(total, count, getattr(total, count) + getattr(tally, count))
    _row("all", total)
    print(f"\nRuns that time ended, on either side, are excluded: {total.excluded}.")
    for name in comparison.excluded[: args.most]:
        print(f"  {name}")
    if args.without or args.only:
        print(f"Not everything was compared: {'only ' + ' '.join(args.only) if args.only else ''} {'without ' + ' '.join(args.without) if args.without else ''}")
    for side, which in ((comparison.old, "old"), (comparison.new, "new")):
        print(f"{which}: " + ", ".join(f"{count} {what}" for what, count in side.counts.items()))
    if args.wording:
        listed = comparison.wording.pairs + comparison.wording.gone + comparison.wording.come
        unused = [pair.line for pair in listed if not comparison.wording.used[pair.line]]
        print(f"{len(listed)} wordings are listed; {len(unused)} of them explain nothing here.")
        for line in unused[: args.most]:
            print(f"  unused: {line}")
    if comparison.differences:
        print(f"\n{len(comparison.differences)} differences, by place:")
        for place, count in comparison.patterns.most_common(args.most):
            print(f"  {count:>7}  {place}")
        print("\nThe first of them:")
        for difference in comparison.differences[: args.most]:
            print(f"  {difference}")
        print(f"\nDistinct changes of text: {len(comparison.pairs)}")
        for (old, new), count in comparison.pairs.most_common(args.most):
            print(f"  {count:>5} × {_short(old)} → {_short(new)}")
    if args.report:
        excluded = [f"excluded: {name}" for name in comparison.excluded]
        args.report.write_text("\n".join(comparison.differences + excluded) + "\n", encoding="utf-8")
    if args.emit_wording:
        rows = [f"# {count}\n{old}\t{new}" for old, new, count in generalised(comparison.pairs)]
        args.emit_wording.write_text("\n".join(rows) + "\n", encoding="utf-8")
    sys.exit(1 if comparison.differences else 0)


def _row(kind, tally):
    identical = tally.fields - tally.reworded - tally.different
    print(f"{kind:<14}{tally.things:>9}{tally.fields:>12}{identical:>12}{tally.reworded:>10}{tally.different:>10}{tally.excluded:>9}")


if __name__ == "__main__":
    main()
