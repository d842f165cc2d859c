"""Runs the peers on the files that `full_size measure` left in a folder, checks that they find the same, and writes peers.json there.

Every stage is a process of its own, so that memory is that of the stage.
"""

import argparse
import json
import multiprocessing
import os
import statistics
import sys
import time
from importlib.metadata import version
from pathlib import Path

REPEATS = 7


def resident_mib():
    for line in open("/proc/self/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024


def in_a_process(work, *arguments):
    """Gives what the work gives, from a fresh process."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(False)
    process = context.Process(target=_run, args=(theirs, work, arguments))
    process.start()
    theirs.close()
    try:
        told = ours.recv()
    except EOFError:
        sys.exit(f"peers: {work.__name__} {arguments} failed; its own message is above")
    process.join()
    return told


def _run(pipe, work, arguments):
    pipe.send(work(*arguments))


def questions_of(graph, folder):
    drawn = json.loads((folder / "questions.json").read_text())
    return [[graph.index[name.encode()] for name in question["anchors"]] for question in drawn["questions"]]


def numpy_peer(folder):
    from chains_numpy import Graph, Search

    folder = Path(folder)
    before = resident_mib()
    started = time.perf_counter()
    graph = Graph.read(folder / "graph.tsv")
    told = {"entities": len(graph.names), "triples": len(graph.out_to), "load_s": time.perf_counter() - started}
    told.update(resident_mib=resident_mib(), resident_before_mib=before, k=[])
    questions = questions_of(graph, folder)
    for k in (2, 3):
        for way in ("frontiers", "induced") if k == 3 else ("frontiers",):
            times, counts, sums = [], [], []
            for anchors in questions:
                found = Search(graph, anchors, k, way)
                counts.append(found.count())
                sums.append(found.checksum())
                runs = []
                for _ in range(REPEATS):
                    started = time.perf_counter()
                    Search(graph, anchors, k, way)
                    runs.append((time.perf_counter() - started) * 1e3)
                times.append(statistics.median(runs))
            told["k"].append(
                {"k": k, "way": way, "median_ms": statistics.median(times), "worst_question_ms": max(times)}
                | {"each_ms": times, "each_chains": counts, "each_sum": sums}
            )
    arrays = folder / "numpy"
    arrays.mkdir(exist_ok=True)
    graph.save(arrays)
    return told


def numpy_reopen(folder):
    """What it takes to open the arrays again, with none of the names."""
    import numpy
    from chains_numpy import Graph

    files = [Path(folder) / "numpy" / f"{array}.npy" for array in Graph.ARRAYS]
    for file in files:
        with open(file, "rb") as opened:
            os.fsync(opened.fileno())
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    started = time.perf_counter()
    arrays = [numpy.load(file) for file in files]
    return {"cold_ms": (time.perf_counter() - started) * 1e3, "mib": sum(a.nbytes for a in arrays) / 2**20}


def libraries_small(folder):
    from chains_numpy import Graph
    from graph_libraries import chains_of, edges_between, of_networkx, of_rustworkx, paths_rustworkx, search_networkx, timed

    folder = Path(folder)
    graph = Graph.read(folder / "graph.tsv")
    between = edges_between(graph)
    questions = questions_of(graph, folder)
    told = []
    networkx_graph, rustworkx_graph = of_networkx(graph), of_rustworkx(graph)
    for k in (2, 3):
        slow = [timed(lambda a=anchors: search_networkx(networkx_graph, a, k)) for anchors in questions]
        told.append({"library": "networkx", "k": k, "median_ms": statistics.median(t for t, _ in slow)})
        told[-1]["each_chains"] = [found for _, found in slow]
        fast = [timed(lambda a=anchors: paths_rustworkx(rustworkx_graph, a, k)) for anchors in questions]
        told.append({"library": "rustworkx", "k": k, "median_ms": statistics.median(t for t, _ in fast)})
        told[-1]["each_chains"] = [sum(chains_of(path, between) for path in paths) for _, paths in fast]
    return told


def library_full(folder, k, limit_s):
    """One question at full size with rustworkx, given up after a while."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(False)
    process = context.Process(target=_rustworkx_full, args=(theirs, folder, k))
    process.start()
    theirs.close()
    told = {"library": "rustworkx", "k": k, "limit_s": limit_s, "finished": False, "anchors_done": 0}
    loaded = ours.recv()
    told.update(loaded)
    until = time.monotonic() + limit_s
    while ours.poll(max(0.0, until - time.monotonic())):
        try:
            told.update(ours.recv())
        except EOFError:
            # It ended by itself: done, or killed for its memory, which the exit code tells.
            break
        if told["finished"]:
            break
    process.join(5 if told["finished"] else 0)
    if process.is_alive():
        process.kill()
        process.join()
    elif process.exitcode:
        told["ended_with"] = process.exitcode
    return told


def _rustworkx_full(pipe, folder, k):
    from chains_numpy import Graph
    from graph_libraries import of_rustworkx, paths_rustworkx, timed

    folder = Path(folder)
    graph = Graph.read(folder / "graph.tsv")
    drawn = json.loads((folder / "questions.json").read_text())["questions"]
    # The question with the median number of chains.
    middle = sorted(range(len(drawn)), key=lambda i: drawn[i]["chains"])[len(drawn) // 2]
    anchors = questions_of(graph, folder)[middle]
    started = time.perf_counter()
    simple = of_rustworkx(graph)
    pipe.send({"load_s": time.perf_counter() - started, "resident_mib": resident_mib(), "question": middle})
    took, paths = timed(lambda: paths_rustworkx(simple, anchors, k, lambda done: pipe.send({"anchors_done": done})))
    pipe.send({"finished": True, "ms": took, "paths": len(paths)})


def linking(folder, dim, each, delta, approximate_at_full_size):
    from linking import measure_all

    return measure_all(Path(folder), dim, each, delta, approximate_at_full_size)


def agree(what, ours, theirs):
    """Stops everything where a peer found something else."""
    if ours != theirs:
        different = [i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b]
        sys.exit(f"peers: {what}: not the same as Catena in questions {different}: {ours} and {theirs}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--limit", type=float, default=90, help="seconds after which a graph library is given up at full size")
    arguments.add_argument("--ann-full", action="store_true", help="build usearch's index at full size too (many minutes)")
    given = arguments.parse_args()
    catena = json.loads((given.folder / "catena.json").read_text())
    told = {"versions": {name: version(name) for name in ("numpy", "networkx", "rustworkx", "faiss-cpu", "usearch")}}
    told["python"] = sys.version.split()[0]

    def say(text):
        print(f"peers: {text}", file=sys.stderr, flush=True)

    for name in [name for name in ("small", "full", "hetionet") if name in catena]:
        folder = given.folder / name
        say(f"numpy, {name}")
        told[name] = {"numpy": in_a_process(numpy_peer, folder), "numpy_reopen": in_a_process(numpy_reopen, folder)}
        ours = {of_k["k"]: of_k for of_k in catena[name]["search"]["k"]}
        for of_k in told[name]["numpy"]["k"]:
            where = f"numpy ({of_k['way']}), {name}, k = {of_k['k']}"
            agree(f"{where}, chains", ours[of_k["k"]]["each_chains"], of_k["each_chains"])
            agree(f"{where}, sums", ours[of_k["k"]]["each_sum"], of_k["each_sum"])
    say("networkx and rustworkx, small")
    told["libraries_small"] = in_a_process(libraries_small, given.folder / "small")
    small = {of_k["k"]: of_k for of_k in catena["small"]["search"]["k"]}
    for library in told["libraries_small"]:
        agree(f"{library['library']}, k = {library['k']}", small[library["k"]]["each_chains"], library["each_chains"])
    told["libraries_full"] = []
    for k in (2, 3):
        say(f"rustworkx, full, k = {k}, at most {given.limit:.0f} s")
        told["libraries_full"].append(library_full(given.folder / "full", k, given.limit))
    say("linking")
    vectors = catena["full"]["vectors"]
    each = vectors["mentions"] // catena["full"]["questions"]["count"]
    told["linking"] = in_a_process(linking, given.folder / "full", vectors["dim"], each, catena["full"]["link"]["delta"], given.ann_full)
    (given.folder / "peers.json").write_text(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
