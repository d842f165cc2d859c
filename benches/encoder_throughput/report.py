"""Writes the figures of one run (catena.json and peers.json of a folder) as a section of RESULTS.md, between two markers."""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from section import write_section  # noqa: E402


# Multiplications and additions of one token in the layers of all-MiniLM-L6-v2, without attention's own: 6 · (4 · 384² + 2 · 384 · 1536) · 2.
OPERATIONS = 6 * (4 * 384**2 + 2 * 384 * 1536) * 2


def section(catena, peers, load):
    ours, candle = catena["catena"], catena["candle"]
    differ = max(abs(x - y) for a, b in zip(catena["vectors"], peers["vectors"]) for x, y in zip(a, b))
    if differ > 1e-5:
        raise SystemExit(f"the two do not compute the same: components differ by {differ}")
    processor = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown processor")

    def row(what, figures, throughput="throughput"):
        names, query = figures[throughput], figures["latency"]
        latency = "" if throughput != "throughput" else f"{query['median']:.2f} ms ({query['p99']:.2f})"
        share = "" if throughput != "throughput" else f"{query['median'] / ours['latency']['median']:.2f}"
        return f"| {what} | {names['median']:,.0f} ({names['fastest']:,.0f}) | {ours['throughput']['median'] / names['median']:.2f} | {latency} | {share} |"

    rows = [
        row("Catena", ours),
        row(f"onnxruntime {peers['version']}, the same batches", peers),
        row("onnxruntime, all names sorted by length first", peers, "throughput_by_length"),
        row("candle-transformers", candle),
    ]
    rate = ours["throughput"]["median"] / catena["names"] * catena["tokens"] * OPERATIONS / 1e9
    return f"""## A BERT encoder: all-MiniLM-L6-v2 (`benches/encoder_throughput/run.sh`)

One run of one script, {catena['cores']} cores ({processor}), f32 everywhere, two threads, tokenising and pooling included. {catena['names']:,} names of the starter graph in batches of 64,
{catena['tokens']:,} tokens, {catena['padded_tokens']:,} with the padding that the peers also compute and Catena does not. Median of nine rounds (fastest in brackets). A query: twelve
mentions and questions one by one, median (99th percentile). Ratios: how many times faster Catena is than the program of that line; the aim is 0.8 for
onnxruntime. Load of the machine in the minute before: {load}; 2 or more means that other work had the cores too.

```
benches/encoder_throughput/run.sh --model DIR
```

| what | names a second | ratio | a query | ratio |
|---|---|---|---|---|
{chr(10).join(rows)}

Vectors of the first eight names differ by at most {differ:.1e} in a component. Catena's products reach {rate:.0f} thousand million operations a second on both cores together."""


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("results", type=Path)
    arguments.add_argument("--load", required=True)
    arguments.add_argument("--no-write", action="store_true")
    given = arguments.parse_args()
    read = lambda name: json.loads((given.folder / name).read_text())
    written = section(read("catena.json"), read("peers.json"), given.load)
    write_section(given.results, "encoder_throughput", written, write=not given.no_write)


if __name__ == "__main__":
    main()
