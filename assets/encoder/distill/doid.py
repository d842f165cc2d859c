"""DOID linking set: 1,000 sampled synonyms and every non-obsolete term name."""
import gzip
import random
import re


def fold(text):
    return " ".join(re.findall(r"[^\W_]+", text.lower()))


def linking(data, n=1000, seed=7):
    names, pairs, block = [], [], []
    text = gzip.open(f"{data}/onto-doid/doid-2016-03-04.obo.gz", "rt", encoding="utf-8").read()
    for block in text.split("[Term]")[1:]:
        block = block.split("[Typedef]")[0]
        if "is_obsolete: true" in block:
            continue
        name = re.search(r"^name: (.*)$", block, re.M)[1]
        names.append(name)
        pairs += [(s.replace('\\"', '"'), name) for s in re.findall(r'^synonym: "((?:[^"\\]|\\.)*)"', block, re.M)]
    known = {fold(x) for x in names}
    pairs = sorted({(re.sub(r" \[[A-Z][A-Z0-9]*[^\]]*\]$", "", s), t) for s, t in pairs})
    pairs = [(s, t) for s, t in pairs if fold(s) not in known]
    return names, random.Random(seed).sample(pairs, n)
