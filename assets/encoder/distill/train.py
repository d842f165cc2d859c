"""Fits the static encoder: python train.py DATA TEACHER WORK OUT [--option value ...]

WORK holds texts.txt.gz and the teacher-*.npy of embed.py; OUT gets encoder.safetensors and vocab.txt.
"""
import argparse
import glob
import gzip
import itertools
import math
import os
import random
import re
import time

import numpy as np
import scipy.sparse as sp
from safetensors.numpy import save_file

import corpus
from doid import fold, linking
from encoder import JOIN, Features, is_cjk
from spelling import british, typo


def options():
    p = argparse.ArgumentParser()
    for name in ("data", "teacher", "work", "out"):
        p.add_argument(name)
    p.add_argument("--dim", type=int, default=256, help="a multiple of 64")
    p.add_argument("--words", type=int, default=18500, help="whole words in the vocabulary")
    p.add_argument("--pieces", type=int, default=4000, help="at most so many ##pieces in the vocabulary")
    p.add_argument("--phrases", type=int, default=3000, help="two-word phrases in the vocabulary")
    p.add_argument("--buckets", type=int, default=9216)
    p.add_argument("--epochs", type=int, default=12)
    p.add_argument("--batch", type=int, default=1024)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--kl", type=float, default=1.0, help="weight of the neighbour loss")
    p.add_argument("--tau", type=float, default=0.05)
    p.add_argument("--typos", type=float, default=0.2)
    p.add_argument("--group", type=int, default=32, help="texts of one cluster that go together into a batch")
    p.add_argument("--seed", type=int, default=1)
    return p.parse_args()


def counts(data):
    text, names = corpus.read(data)
    feats, count = Features(["[UNK]"], 1), {}
    for s in itertools.chain(text, names):
        for w in feats.words(s):
            count[w] = count.get(w, 0) + 1
    return count


def vocabulary(o, count):
    """[UNK], the most useful whole words, then the teacher's ##pieces by use."""
    bert = open(os.path.join(o.teacher, "vocab.txt"), encoding="utf-8").read().split("\n")
    good = lambda w: not is_cjk(w) and re.fullmatch(r"[a-z0-9µ°α-ω]+", w)
    rank = {w: i for i, w in enumerate(w for w in bert if good(w))}
    score = {w: count.get(w, 0) + 30 * math.exp(-i / 4000) for w, i in rank.items()}
    for w, n in count.items():
        if good(w) and w not in rank and n >= 3 and not w.isdigit():
            score[w] = n
    words = sorted(score, key=lambda w: (-score[w], w))[:o.words]
    vocab = ["[UNK]"] + words
    if o.pieces:
        pieces = [w for w in bert if w.startswith("##") and good(w[2:])]
        feats, used = Features(vocab + pieces, 1), {}
        for w, n in count.items():
            if w not in feats.vocab and good(w):
                for t in feats.piece.tokenize(w):
                    used[t.value] = used.get(t.value, 0) + min(n, 10)
        single = [p for p in pieces if len(p) == 3]
        vocab += single + [p for p in sorted(used, key=lambda p: (-used[p], p)) if p.startswith("##") and len(p) > 3][:o.pieces - len(single)]
    return vocab


def phrases(texts, vocab, n):
    """Pairs of neighbouring words by count times log of count over chance; each gets a row beside its words'."""
    feats = Features(vocab, 1)
    count, single = {}, {}
    for t in texts:
        last = None
        for w in feats.words(t):
            if w in feats.vocab:
                single[w] = single.get(w, 0) + 1
                if last:
                    count[last, w] = count.get((last, w), 0) + 1
                last = w
            elif w not in JOIN:
                last = None
    total = sum(single.values())
    score = {p: c * math.log(c * total / (single[p[0]] * single[p[1]])) for p, c in count.items() if c >= 8}
    return [f"{a} {b}" for a, b in sorted(score, key=lambda p: (-score[p], p))[:n]]


def matrix(texts, feats, width):
    indptr, indices, values = [0], [], []
    for t in texts:
        for row, weight in feats.text(t):
            indices.append(row)
            values.append(weight)
        indptr.append(len(indices))
    m = sp.csr_matrix((np.array(values, np.float32), np.array(indices, np.int32), np.array(indptr, np.int64)),
                      shape=(len(texts), width))
    m.sum_duplicates()
    return m


def unit(x):
    return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-9)


def load(o):
    """Texts (held-out ones dropped), teacher vectors."""
    texts = gzip.open(f"{o.work}/texts.txt.gz", "rt", encoding="utf-8").read().split("\n")[:-1]
    y = np.concatenate([np.load(p) for p in sorted(glob.glob(f"{o.work}/teacher-???.npy"))])
    texts = texts[:len(y)]
    held = {fold(s) for s, _ in linking(o.data)[1]}
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "..", "lay_pairs.tsv"), encoding="utf-8") as f:
        held |= {fold(line.split("\t")[0]) for line in f}
    keep = [i for i, t in enumerate(texts) if fold(t) not in held]
    print(len(texts), "texts,", len(texts) - len(keep), "held out", flush=True)
    return [texts[i] for i in keep], y[keep].astype(np.float32)


def clusters(full, gen, n=1000):
    """Nearest of n random texts: for batches made of groups of neighbours."""
    centre = full[gen.choice(len(full), n, replace=False)]
    return np.concatenate([(full[i:i + 20000] @ centre.T).argmax(1) for i in range(0, len(full), 20000)])


def shuffled(cluster, gen, group):
    """A random order in which runs of `group` texts come from one cluster."""
    order = gen.permutation(len(cluster))
    order = order[np.argsort(cluster[order], kind="stable")]
    parts = np.array_split(order, len(order) // group)
    return np.concatenate([parts[i] for i in gen.permutation(len(parts))])


class Adam:
    """Adam on the rows a batch touches."""

    def __init__(self, w):
        self.w, self.m, self.v, self.t = w, np.zeros_like(w), np.zeros_like(w), np.zeros(len(w), np.float32)

    def step(self, rows, g, lr, b1=0.9, b2=0.99):
        self.t[rows] += 1
        t = self.t[rows][:, None]
        m = self.m[rows]
        m += (1 - b1) * (g - m)
        v = self.v[rows]
        v += (1 - b2) * (g * g - v)
        self.m[rows], self.v[rows] = m, v
        np.sqrt(v / (1 - b2 ** t), out=v)
        v += 1e-8
        self.w[rows] -= (lr / (1 - b1 ** t)) * m / v


def gradient(v, y, full, o):
    """Of (1 - cos) plus the KL divergence of the batch's neighbour distributions, teacher's against the encoder's."""
    n = np.maximum(np.linalg.norm(v, axis=1, keepdims=True), 1e-6)
    s = v / n
    cos = (s * y).sum(1)
    g = -y
    if o.kl:
        student, teacher = s @ s.T / o.tau, full @ full.T / o.tau
        for z in (student, teacher):
            np.fill_diagonal(z, -1e4)
            z -= z.max(1, keepdims=True)
            np.exp(z, out=z)
            z /= z.sum(1, keepdims=True)
        d = student - teacher
        g = g + (o.kl * (d + d.T)) @ s
    return (g - (g * s).sum(1, keepdims=True) * s) / n, cos.mean()


def quantise(w):
    scale = np.maximum(np.abs(w).max(1), 1e-12) / 127
    return (np.rint(w / scale[:, None]) + 128).astype(np.uint8), scale.astype(np.float32)


FUNCTION = "的了是我你他她它们有在就和与及或吗呢吧啊呀都也还很这那个怎么什样为想总最"


def cjk_weights(data):
    """Weight of each character U+4E00..U+9FFF: inverse frequency in Chinese medical names and case texts; function words low."""
    n = np.zeros(0xA000 - 0x4E00)
    for path in sorted(glob.glob(f"{data}/zh-disease-kb/*.txt.gz") + glob.glob(f"{data}/zh-cmb-clin/*.gz")):
        if "producer" in path:
            continue
        for c in "".join(corpus.lines(path)):
            if 0x4E00 <= ord(c) < 0xA000:
                n[ord(c) - 0x4E00] += 1
    p = n / n.sum()
    weight = 0.003 / (0.003 + p)
    weight[[ord(c) - 0x4E00 for c in FUNCTION]] = 0.1
    return np.rint(255 * weight).astype(np.uint8)


def save(o, w, vocab):
    rows, scale = quantise(w)
    scale[0] = 0
    norms = np.linalg.norm(w[1:len(vocab)], axis=1)
    os.makedirs(o.out, exist_ok=True)
    save_file({"rows": rows, "scale": scale, "cjk_weight": cjk_weights(o.data)}, f"{o.out}/encoder.safetensors",
              {"format": "catena-static-1", "dim": str(o.dim), "words": str(len(vocab)), "buckets": str(o.buckets),
               "cjk_scale": f"{float(np.median(norms)):.4f}"})
    with open(f"{o.out}/vocab.txt", "w", encoding="utf-8") as f:
        f.write("\n".join(vocab) + "\n")


def main():
    o = options()
    rng, start = random.Random(o.seed), time.time()
    texts, full = load(o)
    vocab = vocabulary(o, counts(o.data))
    if o.phrases:
        vocab += phrases(texts, vocab, o.phrases)
    feats = Features(vocab, o.buckets)
    width = len(vocab) + o.buckets

    target = list(range(len(texts)))
    plain = len(texts)
    for i in range(plain):
        uk = british(texts[i].lower())
        if uk != texts[i].lower():
            texts.append(uk)
            target.append(i)
        if rng.random() < o.typos:
            texts.append(typo(texts[i].lower(), rng))
            target.append(i)
    target = np.array(target)
    x = matrix(texts, feats, width)
    print(len(vocab), "vocabulary,", x.shape, x.nnz, f"{time.time() - start:.0f} s", flush=True)

    full = unit(full)
    basis = np.linalg.eigh(full.T @ full)[1][:, ::-1][:, :o.dim]
    y = full @ basis
    print("kept by the projection", (y ** 2).sum(1).mean())
    y = unit(y).astype(np.float32)

    w = np.zeros((width, o.dim), np.float32)
    gen = np.random.default_rng(o.seed)
    w[len(vocab):] = gen.normal(0, 0.005, (o.buckets, o.dim))
    df = np.bincount(x[:plain].indices, minlength=width) / plain
    for i in np.flatnonzero(np.diff(x[:plain].indptr) == 1):
        r = x.indices[x.indptr[i]]
        w[r] = y[i] * (1e-3 / (1e-3 + df[r])) ** 0.5
    cluster = clusters(full, gen)[target]
    opt, steps, done = Adam(w), o.epochs * (len(texts) // o.batch), 0
    for epoch in range(o.epochs):
        order, total = shuffled(cluster, gen, o.group), 0.0
        for at in range(0, len(order) - o.batch + 1, o.batch):
            part = order[at:at + o.batch]
            b = x[part]
            rows, col = np.unique(b.indices, return_inverse=True)
            b = sp.csr_matrix((b.data, col.astype(np.int32), b.indptr), shape=(len(part), len(rows)))
            g, cos = gradient(b @ w[rows], y[target[part]], full[target[part]], o)
            opt.step(rows, b.T.tocsr() @ g / len(part), o.lr * (1 - done / steps) + 1e-5)
            done, total = done + 1, total + cos
        print(f"epoch {epoch + 1} cos {total / (len(order) // o.batch):.4f} {time.time() - start:.0f} s", flush=True)
    save(o, w, vocab)


if __name__ == "__main__":
    main()
