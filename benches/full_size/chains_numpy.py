"""Chains between anchors with numpy: what a good engineer would write without Catena.

The same definition: simple chains of at most k relations between two different anchors that turn at most once (path,
co-ancestor, co-occurrence), parallel relations apart, each chain once. Two ways of joining chains of three relations:

frontiers   per-anchor two-hop frontiers, walked from the anchor with fewer triples, joined with the sorted one-hop frontiers of the others
induced     the triples between members of the one-hop frontiers, joined with the sorted frontiers at both ends; no hub is walked through

Neither puts its chains in order or gives them a cost, which Catena does.
"""

import numpy as np


def ranges(starts, lengths):
    """The numbers starts[i] .. starts[i] + lengths[i] of all i, one after another."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total, dtype=np.int64) + np.repeat(starts - (ends - lengths), lengths)


class Graph:
    """Rows of adjacency: `both` has every triple at both of its ends, `out` at its head."""

    def __init__(self, names, relations, heads, kinds, tails):
        self.names, self.relations = names, relations
        self.index = {name: i for i, name in enumerate(names)}
        n = len(names)
        self.anchor_of = np.full(n, -1, np.int8)
        self.in_frontier = np.zeros(n, bool)
        order = np.lexsort((kinds, tails, heads))
        self.out_start = self._starts(heads, n)
        self.out_to, self.out_relation = tails[order], kinds[order]
        # The lowest bit of a code tells whether the step runs along the relation.
        ends = np.concatenate([heads, tails])
        order = np.argsort(ends, kind="stable")
        self.both_start = self._starts(ends, n)
        self.both_to = np.concatenate([tails, heads])[order]
        self.both_code = np.concatenate([kinds << 1 | 1, kinds << 1])[order]

    @staticmethod
    def _starts(ends, n):
        starts = np.zeros(n + 1, np.int64)
        np.cumsum(np.bincount(ends, minlength=n), out=starts[1:])
        return starts

    @classmethod
    def read(cls, tsv):
        """Reads triples; entities and relation types are numbered in the order of their names, and each triple is taken once."""
        ids, kinds_of = {}, {}
        heads, kinds, tails = [], [], []
        with open(tsv, "rb") as lines:
            for line in lines:
                head, kind, tail = line.rstrip(b"\n").split(b"\t")
                heads.append(ids.setdefault(head, len(ids)))
                kinds.append(kinds_of.setdefault(kind, len(kinds_of)))
                tails.append(ids.setdefault(tail, len(ids)))
        names, to_rank = cls._ranked(ids)
        relations, kind_rank = cls._ranked(kinds_of)
        del ids
        heads = to_rank[np.array(heads, np.int32)]
        tails = to_rank[np.array(tails, np.int32)]
        kinds = kind_rank[np.array(kinds, np.int32)]
        key = (heads.astype(np.int64) * len(names) + tails) * len(relations) + kinds
        once = np.unique(key, return_index=True)[1]
        return cls(names, relations, heads[once], kinds[once].astype(np.int16), tails[once])

    @staticmethod
    def _ranked(ids):
        names = sorted(ids)
        rank = np.empty(len(names), np.int32)
        rank[[ids[name] for name in names]] = np.arange(len(names), dtype=np.int32)
        return names, rank

    ARRAYS = ("out_start", "out_to", "out_relation", "both_start", "both_to", "both_code")

    def save(self, folder):
        for array in self.ARRAYS:
            np.save(folder / f"{array}.npy", getattr(self, array))


class Search:
    """The chains between some anchors, as arrays: for each length nodes (n, length + 1) and codes (n, length)."""

    def __init__(self, graph, anchors, k, way):
        self.graph = graph
        self.anchors = np.asarray(anchors, np.int32)
        self.found = {}
        degree = graph.both_start[self.anchors + 1] - graph.both_start[self.anchors]
        # Anchors in the order of their degrees: the number of an anchor in a frontier is its place there.
        self.anchors = self.anchors[np.argsort(degree, kind="stable")]
        self._one_hop()
        self._length_1()
        if k >= 2:
            self._length_2()
        if k >= 3:
            (self._length_3_induced if way == "induced" else self._length_3_frontiers)()

    def _one_hop(self):
        graph = self.graph
        starts = graph.both_start[self.anchors]
        lengths = graph.both_start[self.anchors + 1] - starts
        at = ranges(starts, lengths)
        anchor = np.repeat(np.arange(len(self.anchors), dtype=np.int8), lengths)
        node, code = graph.both_to[at], graph.both_code[at]
        loops = node == self.anchors[anchor]
        if loops.any():
            anchor, node, code = anchor[~loops], node[~loops], code[~loops]
        order = np.argsort(node, kind="stable")
        self.anchor, self.node, self.code = anchor[order], node[order], code[order]

    def _keep(self, nodes, codes):
        self.found[len(codes)] = (np.stack(nodes, 1), np.stack(codes, 1))

    def _length_1(self):
        number = self.graph.anchor_of
        number[self.anchors] = np.arange(len(self.anchors))
        at = np.flatnonzero(number[self.node] > self.anchor)
        number[self.anchors] = -1
        self._keep([self.anchors[self.anchor[at]], self.node[at]], [self.code[at]])

    def _length_2(self):
        # Within a run of one node every entry meets those behind it.
        new = np.flatnonzero(np.diff(self.node, prepend=-1))
        size = np.diff(np.append(new, len(self.node)))
        last = np.repeat(new + size, size)
        i = np.arange(len(self.node))
        behind = last - i - 1
        left = np.repeat(i, behind)
        right = ranges(i + 1, behind)
        apart = self.anchor[left] != self.anchor[right]
        left, right = left[apart], right[apart]
        nodes = [self.anchors[self.anchor[left]], self.node[left], self.anchors[self.anchor[right]]]
        self._keep(nodes, [self.code[left], self.code[right] ^ 1])

    def _length_3_induced(self):
        graph = self.graph
        members, first, size = np.unique(self.node, return_index=True, return_counts=True)
        starts = graph.out_start[members]
        lengths = graph.out_start[members + 1] - starts
        at = ranges(starts, lengths)
        tail = graph.out_to[at]
        graph.in_frontier[members] = True
        inside = np.flatnonzero(graph.in_frontier[tail])
        graph.in_frontier[members] = False
        tail, relation = tail[inside], graph.out_relation[at[inside]]
        head_at = np.searchsorted(np.cumsum(lengths), inside, side="right")
        tail_at = np.searchsorted(members, tail)
        # Every triple between members, with every entry at its head and every entry at its tail.
        pairs = size[head_at] * size[tail_at]
        triple = np.repeat(np.arange(len(pairs)), pairs)
        place = np.arange(len(triple)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
        across = size[tail_at][triple]
        left = first[head_at][triple] + place // across
        right = first[tail_at][triple] + place % across
        a, b = self.anchors[self.anchor[left]], self.anchors[self.anchor[right]]
        x, y = self.node[left], self.node[right]
        # The middle runs forward: against it the first and the last step may not both turn.
        good = (a != b) & (a != y) & (b != x) & (x != y) & ((self.code[left] & 1 == 1) | (self.code[right] & 1 == 0))
        left, right = left[good], right[good]
        codes = [self.code[left], relation[triple[good]] << 1 | 1, self.code[right] ^ 1]
        self._keep([a[good], x[good], y[good], b[good]], codes)

    def _length_3_frontiers(self):
        graph = self.graph
        starts = graph.both_start[self.node]
        # The anchor with the most triples is nobody's first: it is only joined with.
        walks = self.anchor < len(self.anchors) - 1
        lengths = np.where(walks, graph.both_start[self.node + 1] - starts, 0)
        at = ranges(starts, lengths)
        via = np.repeat(np.arange(len(self.node)), lengths)
        y = graph.both_to[at]
        members, first, size = np.unique(self.node, return_index=True, return_counts=True)
        graph.in_frontier[members] = True
        inside = np.flatnonzero(graph.in_frontier[y])
        graph.in_frontier[members] = False
        via, y, second = via[inside], y[inside], graph.both_code[at[inside]]
        run = np.searchsorted(members, y)
        left = np.repeat(np.arange(len(y)), size[run])
        right = ranges(first[run], size[run])
        keep = self.anchor[right] > self.anchor[via[left]]
        left, right = left[keep], right[keep]
        way = via[left]
        a, x, y, b = self.anchors[self.anchor[way]], self.node[way], y[left], self.anchors[self.anchor[right]]
        one, two, three = self.code[way], second[left], self.code[right] ^ 1
        turns = ((one ^ two) & 1) + ((two ^ three) & 1)
        good = (turns <= 1) & (a != y) & (b != x) & (x != y)
        self._keep([a[good], x[good], y[good], b[good]], [one[good], two[good], three[good]])

    def count(self):
        return sum(len(codes) for _, codes in self.found.values())

    def checksum(self):
        """The sum that Catena gives of its chains (`chain_sum` in stages.rs)."""
        total = 0
        for nodes, codes in self.found.values():
            backwards = one_way(nodes[:, ::-1], codes[:, ::-1] ^ 1)
            total += int(one_way(nodes, codes).sum(dtype=np.uint64)) + int(backwards.sum(dtype=np.uint64))
        return f"{total % 2**64:016x}"


def one_way(nodes, codes):
    def mix(value, word):
        value = (value ^ word.astype(np.uint64)) * np.uint64(0x100000001B3)
        return value << np.uint64(29) | value >> np.uint64(35)

    value = mix(np.full(len(nodes), 0xCBF29CE484222325, np.uint64), nodes[:, 0])
    for i in range(codes.shape[1]):
        value = mix(mix(value, codes[:, i]), nodes[:, i + 1])
    return value
