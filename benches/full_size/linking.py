"""Nearest names of 23 mentions with numpy, faiss and usearch, on the vectors that Catena's encoder gives."""

import time

import faiss
import numpy as np
import usearch.index

# Of how many vectors the indexes are built that take minutes at full size.
PART = 100_000
# How far the search may look; the first value with this recall is taken, or else the last.
EFFORTS = (16, 32, 64, 128, 256, 512, 1024, 2048)
RECALL = 0.99
# Rows multiplied at a time: their products with 23 mentions stay in the second-level cache.
ROWS = 16_384


class Numpy:
    """numpy, exact: inner products with every row, in portions."""

    def __init__(self, vectors):
        self.vectors = vectors

    def nearest(self, mentions):
        best = np.full(len(mentions), -np.inf, np.float32)
        at = np.zeros(len(mentions), np.int64)
        every = np.arange(len(mentions))
        for first in range(0, len(self.vectors), ROWS):
            products = mentions @ self.vectors[first : first + ROWS].T
            here = products.argmax(1)
            value = products[every, here]
            better = value > best
            best[better], at[better] = value[better], first + here[better]
        return at


class FaissFlat:
    """faiss.IndexFlatIP, exact."""

    def __init__(self, vectors):
        self.index = faiss.IndexFlatIP(vectors.shape[1])
        self.index.add(vectors)

    def nearest(self, mentions):
        return self.index.search(mentions, 1)[1][:, 0]


class FaissHnsw:
    """faiss.IndexHNSWFlat, 32 links a node, efConstruction 200."""

    def __init__(self, vectors):
        self.index = faiss.IndexHNSWFlat(vectors.shape[1], 32, faiss.METRIC_INNER_PRODUCT)
        self.index.hnsw.efConstruction = 200
        self.index.add(vectors)

    def set_effort(self, effort):
        self.index.hnsw.efSearch = effort

    def nearest(self, mentions):
        return self.index.search(mentions, 1)[1][:, 0]


class Usearch:
    """usearch, 32 links a node, expansion 200 while adding, half precision."""

    def __init__(self, vectors):
        self.index = usearch.index.Index(ndim=vectors.shape[1], metric="ip", dtype="f16", connectivity=32, expansion_add=200)
        self.index.add(np.arange(len(vectors)), vectors)

    def set_effort(self, effort):
        self.index.expansion_search = effort

    def nearest(self, mentions):
        return self.index.search(mentions, 1).keys.reshape(-1)


def timed(index, questions):
    """Median milliseconds of a question's mentions, and what was found. The first question warms up."""
    index.nearest(questions[0])
    times, found = [], []
    for mentions in questions:
        started = time.perf_counter()
        found.append(index.nearest(mentions))
        times.append((time.perf_counter() - started) * 1e3)
    return float(np.median(times)), np.concatenate(found)


def recall(vectors, questions, exact, found, above=-2.0):
    """Share of the mentions with a name nearer than `above` whose nearest name, or one just as near, was found."""
    mentions = np.concatenate(questions)
    at = np.asarray(found).astype(np.int64)
    near = np.einsum("ij,ij->i", mentions, vectors[np.maximum(at, 0)])
    nearest = np.einsum("ij,ij->i", mentions, vectors[exact])
    return float(np.mean(((at >= 0) & (near >= nearest - 1e-5))[nearest > above]))


def measure(kind, vectors, questions, delta, exact=None):
    started = time.perf_counter()
    index = kind(vectors)
    told = {"what": kind.__doc__, "vectors": len(vectors), "built_s": time.perf_counter() - started}
    for effort in EFFORTS if hasattr(index, "set_effort") else (None,):
        if effort:
            index.set_effort(effort)
            told["effort"] = effort
        told["median_ms"], found = timed(index, questions)
        told["recall_at_1"] = 1.0 if exact is None else recall(vectors, questions, exact, found)
        told["recall_at_1_above_delta"] = 1.0 if exact is None else recall(vectors, questions, exact, found, delta)
        if told["recall_at_1"] >= RECALL:
            break
    return told, found


def measure_all(folder, dim, mentions_each, delta, approximate_at_full_size):
    names = np.memmap(folder / "names.f32", "<f4", "r").reshape(-1, dim)
    mentions = np.fromfile(folder / "mentions.f32", "<f4").reshape(-1, dim)
    questions = np.split(mentions, len(mentions) // mentions_each)
    part = np.ascontiguousarray(names[:: max(1, len(names) // PART)][:PART])
    told = {}
    told["numpy_100k"], exact = measure(Numpy, part, questions, delta)
    told["faiss_flat_100k"], _ = measure(FaissFlat, part, questions, delta, exact)
    told["faiss_hnsw_100k"], _ = measure(FaissHnsw, part, questions, delta, exact)
    told["usearch_100k"], _ = measure(Usearch, part, questions, delta, exact)
    del part
    names = np.array(names)
    told["numpy_full"], exact = measure(Numpy, names, questions, delta)
    told["faiss_flat_full"], _ = measure(FaissFlat, names, questions, delta, exact)
    if approximate_at_full_size:
        told["usearch_full"], _ = measure(Usearch, names, questions, delta, exact)
    return told
