"""How δ of all-MiniLM-L6-v2 was found: the cosine above which a mention is linked to the nearest name.

    python calibrate.py MODEL.onnx MODEL doid.obo.gz

Names are those of the Disease Ontology's terms, mentions its synonyms that are not themselves names. A mention's nearest name is right if it is that of its own
term. Every mention counts twice: once as it is, and once as a near-miss, for which its own term is taken away, so that any link is wrong. Of the
thresholds the one with the best F1 of links is taken.
"""

import gzip
import re
import sys
from pathlib import Path

import numpy as np
from peers import Peer


def terms(path):
    names, pairs = [], []
    for block in gzip.open(path, "rt", encoding="utf-8").read().split("[Term]")[1:]:
        block = block.split("[Typedef]")[0]
        if "is_obsolete: true" in block:
            continue
        name = re.search(r"^name: (.*)$", block, re.M).group(1)
        for synonym in re.findall(r'^synonym: "((?:[^"\\]|\\.)*)"', block, re.M):
            pairs.append((re.sub(r"\s\[[A-Z][^\]]*\]$", "", synonym), len(names)))
        names.append(name)
    known = {name.lower() for name in names}
    return names, sorted({(synonym, term) for synonym, term in pairs if synonym.lower() not in known})


def main():
    peer = Peer(Path(sys.argv[2]), Path(sys.argv[1]))
    names, pairs = terms(sys.argv[3])

    def encode(texts):
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        rows = np.zeros((len(texts), 384), np.float32)
        for at in range(0, len(order), 64):
            part = order[at : at + 64]
            rows[part] = peer.encode([texts[i] for i in part])
        return rows

    index, queries = encode(names), encode([synonym for synonym, _ in pairs])
    own = np.array([term for _, term in pairs])
    cosines = queries @ index.T
    nearest, best = cosines.argmax(1), cosines.max(1)
    right = nearest == own
    cosines[np.arange(len(own)), own] = -1
    missed = cosines.max(1)
    print(f"{len(names)} names, {len(pairs)} mentions; the nearest name is the right one for {right.mean():.3f}")
    for delta in np.arange(0.5, 0.96, 0.025):
        linked, correct = (best > delta).sum() + (missed > delta).sum(), (right & (best > delta)).sum()
        precision, recall = correct / linked, correct / len(pairs)
        alone = correct / (best > delta).sum()
        f1 = 2 * precision * recall / (precision + recall)
        print(f"{delta:.3f}: F1 {f1:.3f}, precision {precision:.3f} (without near-misses {alone:.3f}), recall {recall:.3f}")


if __name__ == "__main__":
    main()
