"""The sections of benches/RESULTS.md that scripts write: each stands between two markers."""

import os


def write_section(results, name, text, write=True):
    """Puts `text` between the markers of `name`; without `write` it is printed and the file stays as it is."""
    if not write:
        print(text)
        return
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    old = results.read_text()
    if old.count(begin) != 1 or old.count(end) != 1:
        raise SystemExit(f"{results} does not have each of the markers {begin} and {end} once")
    before, rest = old.split(begin)
    after = rest.split(end)[1]
    # Whole or not at all, whatever happens while it is written.
    beside = results.with_name(results.name + ".new")
    beside.write_text(f"{before}{begin}\n{text}\n{end}{after}")
    os.replace(beside, results)
