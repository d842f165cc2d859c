"""Writes the figures of one run (catena.json and peers.json of a folder) as a section of RESULTS.md, between two markers."""

import argparse
import json
import platform
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from section import write_section  # noqa: E402

# Seconds after which a graph library is given up at full size, where run.sh is not told otherwise.
USUAL_LIMIT_S = 90


def number(value):
    """Two or three figures that mean something."""
    if value is None:
        return "not known"
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def times(ratio):
    return f"**{number(ratio)}**"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def by_k(figures, k, **fitting):
    return next(f for f in figures if f["k"] == k and all(f.get(key) == value for key, value in fitting.items()))


def machine(catena):
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown processor")
    memory = next(int(line.split()[1]) for line in open("/proc/meminfo") if line.startswith("MemTotal")) / 2**20
    rust = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    return f"{catena['cores']} cores ({cpu}), {memory:.0f} GiB, {platform.system()}, Rust {rust}, profile `bench`"


def aims(catena):
    """What issue and design aim at, and how far it is reached: a share below 1 is reached."""
    full = catena["full"]
    search, opened = by_k(full["search"]["k"], 3), full["open"]
    rows = [
        ("chain search, k = 3, median of the questions", search["median_ms"], 10, "ms"),
        ("chain search, k = 3, the slowest question", search["worst_question_ms"], 20, "ms"),
        ("opening, cold", opened["cold_ms"]["median"], 50, "ms"),
        ("import of the triples as text, snapshot written", full["import"]["total_s"], 10, "s"),
        ("resident with the graph open, after all questions", full["search"]["after_questions"]["resident_mib"], 300, "MiB"),
    ]
    told = [(what, times(value / aim), f"{number(value)} {unit}", f"{aim} {unit}") for what, value, aim, unit in rows]
    link = full["link"]
    if link:
        told.append(("linking of 23 mentions, after embedding", times(link["median_ms"] / 2), f"{number(link['median_ms'])} ms", "2 ms"))
        all_of, above = f"recall@1 of linking, all {link['mentions']} mentions", f"the same, the {link['mentions_above_delta']} with a name above δ = {link['delta']}"
        told.append((all_of, "", f"{link['recall_at_1']:.4f}", "0.99 or more"))
        told.append((above, "", f"{link['recall_at_1_above_delta']:.4f}", "0.99 or more"))
    else:
        told.append(("linking of 23 mentions", "**not measured**: the library has no index yet", "", "2 ms"))
    return table(["what", "share of the aim", "measured", "aim"], told)


def beside_peers(catena, peers):
    full, numpy = catena["full"], peers["full"]["numpy"]
    ours = by_k(full["search"]["k"], 3)
    rows = []
    for way, what in (("frontiers", "per-anchor two-hop frontiers, joined"), ("induced", "triples within the frontiers, joined")):
        theirs = by_k(numpy["k"], 3, way=way)
        rows.append(
            (f"numpy, {what}: k = 3, median", times(theirs["median_ms"] / ours["median_ms"]))
            + (f"{number(ours['median_ms'])} ms", f"{number(theirs['median_ms'])} ms")
        )
        rows.append(
            ("the same, slowest question", times(theirs["worst_question_ms"] / ours["worst_question_ms"]))
            + (f"{number(ours['worst_question_ms'])} ms", f"{number(theirs['worst_question_ms'])} ms")
        )
    ours2, theirs2 = by_k(full["search"]["k"], 2), by_k(numpy["k"], 2)
    rows.append(
        ("numpy: k = 2, median", times(theirs2["median_ms"] / ours2["median_ms"]))
        + (f"{number(ours2['median_ms'])} ms", f"{number(theirs2['median_ms'])} ms")
    )
    for library in peers["libraries_full"]:
        mine = ours["each_ms"][library["question"]] if library["k"] == 3 else ours2["each_ms"][library["question"]]
        theirs = library["ms"] if library["finished"] else library["limit_s"] * 1e3
        more = "" if library["finished"] else "more than "
        done = "" if library["finished"] else f" (given up after {library['anchors_done']} of 22 anchors)"
        if "ended_with" in library:
            more, done = "ended by itself: ", f" (exit code {library['ended_with']})"
        what = f"rustworkx at full size: k = {library['k']}, the question with the median number of chains{done}"
        rows.append((what, f"{more}{times(theirs / mine)}", f"{number(mine)} ms", f"{more}{number(theirs)} ms"))
    for library in peers["libraries_small"]:
        mine = by_k(catena["small"]["search"]["k"], library["k"])["median_ms"]
        what = f"{library['library']} on 10,000 entities, 30,000 triples: k = {library['k']}, median"
        rows.append((what, times(library["median_ms"] / mine), f"{number(mine)} ms", f"{number(library['median_ms'])} ms"))
    if "hetionet" in catena:
        mine = by_k(catena["hetionet"]["search"]["k"], 3)["median_ms"]
        for of_k in peers["hetionet"]["numpy"]["k"]:
            if of_k["k"] == 3:
                what = f"numpy ({of_k['way']}) on Hetionet-partial: k = 3, median"
                rows.append((what, times(of_k["median_ms"] / mine), f"{number(mine)} ms", f"{number(of_k['median_ms'])} ms"))
    loaded = full["import"]
    rows.append(
        ("numpy: reading the text", times(numpy["load_s"] / loaded["total_s"]))
        + (f"{number(loaded['total_s'])} s", f"{number(numpy['load_s'])} s")
    )
    reopened, opened = peers["full"]["numpy_reopen"], full["open"]["cold_ms"]["median"]
    rows.append(
        ("numpy: opening its arrays again, cold, without names", times(reopened["cold_ms"] / opened))
        + (f"{number(opened)} ms", f"{number(reopened['cold_ms'])} ms")
    )
    resident = full["search"]["after_questions"]["resident_mib"]
    rows.append(
        ("numpy: resident with the graph open, before any question; Catena after all of them", times(numpy["resident_mib"] / resident))
        + (f"{number(resident)} MiB", f"{number(numpy['resident_mib'])} MiB")
    )
    return table(["peer", "ratio (peer / Catena)", "Catena", "peer"], rows)


def linking(catena, peers):
    ours = catena["full"]["link"]
    rows = []
    for told in peers["linking"].values():
        ratio = times(told["median_ms"] / ours["median_ms"]) if ours and told["vectors"] > 1_000_000 else ""
        effort = f", search breadth {told['effort']}" if "effort" in told else ""
        time = f"{number(told['median_ms'])} ms"
        rows.append((f"{told['what'].rstrip('.')}{effort}", f"{told['vectors']:,}", ratio, time, f"{told['recall_at_1']:.4f}", f"{told['recall_at_1_above_delta']:.4f}"))
        rows[-1] += (f"{number(told['built_s'])} s",)
    if ours:
        rows.insert(0, (f"Catena: {ours['what']}", f"{ours['vectors']:,}", "", f"{number(ours['median_ms'])} ms"))
        rows[0] += (f"{ours['recall_at_1']:.4f}", f"{ours['recall_at_1_above_delta']:.4f}", f"{number(ours['built_s'])} s")
    else:
        rows.insert(0, ("Catena", "", "**not measured**: the library has no index yet", "", "", "", ""))
    return table(["23 mentions, embedded already", "vectors", "ratio (peer / Catena)", "median", "recall@1", "recall@1 above δ", "built in"], rows)


def absolute(catena):
    rows = []
    graphs = [(name, catena[name]) for name in ("full", "hetionet") if name in catena]

    def row(what, figure):
        rows.append([what] + [figure(told) for _, told in graphs])

    def memory(told):
        return f"{number(told['resident_mib'])} ({number(told['file_mib'])} + {number(told['anonymous_mib'])})"

    row("entities, triples", lambda t: f"{t['import']['entities']:,}, {t['import']['triples']:,}")
    row("import: reading, with the snapshot written", lambda t: f"{number(t['import']['read_s'])} s, {number(t['import']['total_s'])} s")
    row("most memory while importing", lambda t: f"{number(t['import']['memory']['most_mib'])} MiB")
    row("text, snapshot", lambda t: f"{number(t['import']['text_bytes'] / 2**20)} MiB, {number(t['import']['stored_bytes'] / 2**20)} MiB")
    row("opening, cold: median (slowest) of 5 processes", lambda t: f"{number(t['open']['cold_ms']['median'])} ms ({number(t['open']['cold_ms']['max'])})")
    row("opening, cold: a file never met before (all of it is checked)", lambda t: f"{number(t['open']['never_met_ms'])} ms")
    row("opening, warm: in a new process, again in it", lambda t: f"{number(t['open']['first_in_process_ms'])} ms, {number(t['open']['warm_ms'])} ms")
    row("resident after opening, MiB (of files + anonymous)", lambda t: memory(t["search"]["after_open"]))
    row("resident after all questions", lambda t: memory(t["search"]["after_questions"]))
    for k in (2, 3):
        of = lambda t, k=k: by_k(t["search"]["k"], k)
        spread = lambda figures: f"{number(figures['min'])}, {number(figures['median'])}, {number(figures['max'])}"
        row(f"k = {k}: chains a question (least, median, most)", lambda t: spread(of(t)["chains"]))
        row(f"k = {k}: median, slowest question, slowest run", lambda t: ", ".join(number(of(t)[f]) for f in ("median_ms", "worst_question_ms", "worst_run_ms")) + " ms")
        row(f"k = {k}: a question for the first time (least, median, most)", lambda t: spread(of(t)["first_time_ms"]) + " ms")
    for k in (2, 3):
        hub = lambda t, k=k: by_k(t["search"]["hub_question"], k)
        row(f"hub question, k = {k}: time, kept of found", lambda t: f"{number(hub(t)['took_ms'])} ms, {hub(t)['kept']:,} of {hub(t)['found']:,}")
        row(f"hub question, k = {k}: what was said", lambda t: hub(t)["truncated"] or "complete")
    row("hubs among its anchors (triples)", lambda t: ", ".join(f"{hub:,}" for hub in t["hubs_of_hub_question"]))
    row("encoding every name", lambda t: f"{number(t['vectors']['encoded_s'])} s")
    heads = {"full": "synthetic, full size", "hetionet": "Hetionet-partial"}
    return table(["what"] + [heads[name] for name, _ in graphs], rows)


def section(catena, peers):
    generated = catena["full"]["generated"]
    limit = peers["libraries_full"][0]["limit_s"] if peers else USUAL_LIMIT_S
    options = "" if limit == USUAL_LIMIT_S else f" --limit {limit:.0f}"
    parts = [
        "## The knowledge graph at full size (`benches/full_size/run.sh`)",
        f"""One run of one script; every stage is a process of its own. Machine: {machine(catena)}.
Storage: {catena['storage']}.

```
benches/full_size/run.sh{options}
```""",
        f"""The synthetic graph has {generated['entities']:,} entities and {generated['triples']:,} distinct triples of 22 relation types, power-law degrees
(largest hub {generated['largest_hub']:,} triples, tenth {generated['tenth_hub']:,}, median {generated['median_degree']}, {generated['at_least_1000_triples']} entities with 1,000 or more), names of several words, one in twenty Chinese
(`benches/support/power_law.rs`). {catena['full']['questions']['count']} questions of 23 anchors, 12 to 23 of them drawn in proportion to their triples and the others evenly; a draw becomes a question if
it has {catena['full']['questions']['chains_asked_for'][0]:,} to {catena['full']['questions']['chains_asked_for'][1]:,} chains at k = 3 ({catena['full']['questions']['candidates']} draws). The choice ignores time. Chains are kept, put in order and counted; a question's time is the median of
seven runs after a first one. Cold: {catena['full']['open']['cold_by']}.""",
        "### Compared with the aims (full size; a share below 1 reaches the aim)",
        aims(catena),
    ]
    if peers:
        versions = ", ".join(f"{name} {version}" for name, version in peers["versions"].items())
        parts += [
            "### Compared with other programs",
            f"""Python {peers['python']}, {versions}. For every question the peers' chains were counted and, for numpy, summed up (a sum over nodes, relations
and directions of all chains): both find the same chains as Catena. The peers neither order chains nor give them a cost. rustworkx gives paths of nodes; its relations and
directions are added outside its clock.""",
            beside_peers(catena, peers),
            "### Linking",
            """Recall compares with the encoder's own vectors of every name, unrounded: for all mentions, and for those with a name above δ, the only ones that can be linked.""",
            linking(catena, peers),
        ]
    else:
        parts.append("**This run left the other programs out** (`--without-peers`), so nothing here is compared with them.")
    parts += ["### All figures", absolute(catena)]
    if "hetionet" not in catena:
        parts.append("**Hetionet was left out of this run** (`--without-hetionet`).")
    return "\n\n".join(parts)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("results", type=Path)
    arguments.add_argument("--no-write", action="store_true")
    given = arguments.parse_args()
    read = lambda name: json.loads((given.folder / name).read_text())
    written = section(read("catena.json"), read("peers.json") if (given.folder / "peers.json").exists() else None)
    write_section(given.results, "full_size", written, write=not given.no_write)


if __name__ == "__main__":
    main()
