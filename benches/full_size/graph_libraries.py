"""Chains between anchors as users of networkx and rustworkx search for them: all simple paths with a cutoff, direction looked at afterwards."""

import time
from itertools import product

import networkx
import rustworkx


def edges_between(graph):
    """For each pair of neighbours the steps that lead from the one to the other, as codes."""
    between = {}
    start, to, relation = graph.out_start, graph.out_to.tolist(), graph.out_relation.tolist()
    for head in range(len(graph.names)):
        for at in range(start[head], start[head + 1]):
            between.setdefault((head, to[at]), []).append(relation[at] << 1 | 1)
            between.setdefault((to[at], head), []).append(relation[at] << 1)
    return between


def turns(codes):
    return sum((a ^ b) & 1 for a, b in zip(codes, codes[1:]))


def chains_of(path, between):
    """How many chains run along a path of nodes."""
    steps = [between[pair] for pair in zip(path, path[1:])]
    return sum(turns(codes) <= 1 for codes in product(*steps))


def triples_of(graph):
    for head in range(len(graph.names)):
        for at in range(graph.out_start[head], graph.out_start[head + 1]):
            yield head, int(graph.out_relation[at]), int(graph.out_to[at])


def of_networkx(graph):
    multi = networkx.MultiGraph()
    multi.add_nodes_from(range(len(graph.names)))
    for head, relation, tail in triples_of(graph):
        multi.add_edge(head, tail, key=(relation, head))
    return multi


def search_networkx(multi, anchors, k):
    """Counts chains; the paths are walked by the library, the directions looked at in Python."""
    found = 0
    for i, anchor in enumerate(anchors[:-1]):
        for path in networkx.all_simple_edge_paths(multi, anchor, anchors[i + 1 :], cutoff=k):
            found += turns([int(key[1] == node) for node, _, key in path]) <= 1
    return found


def of_rustworkx(graph):
    simple = rustworkx.PyGraph(multigraph=False)
    simple.add_nodes_from(range(len(graph.names)))
    simple.add_edges_from_no_data([(head, tail) for head, _, tail in triples_of(graph) if head != tail])
    return simple


def paths_rustworkx(simple, anchors, k, report=None):
    """All paths of nodes; neither relations nor directions are looked at yet, which is in the library's favour."""
    paths = []
    for i, anchor in enumerate(anchors[:-1]):
        found = rustworkx.all_simple_paths(simple, anchor, anchors[i + 1 :], 0, k)
        paths.extend(list(path) for path in found)
        if report:
            report(i + 1)
    return paths


def timed(work):
    started = time.perf_counter()
    result = work()
    return (time.perf_counter() - started) * 1e3, result
