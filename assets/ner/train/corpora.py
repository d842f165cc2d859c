"""Reads the training corpora: BC5CDR (IOB) and the NCBI disease corpus (PubTator), as sentences with mentions.

A mention is (begin, end, type) in characters of the sentence's text. Types: 0 Chemical, 1 Disease.
"""
import gzip
import os
import re

TYPES = ["Chemical", "Disease"]

# A sentence ends at a full stop, question or exclamation mark before white space and something that can begin one.
SENTENCE_END = re.compile(r"(?<=[.?!])\s+(?=[A-Z0-9(\[\"'])")


def bc5cdr(path):
    """Sentences of an IOB file; tokens are joined by one space, which no mention's words depend on."""
    sentences, words, tags = [], [], []

    def finish():
        if not words:
            return
        text, spans, begun, at = "", [], None, 0
        for word, tag in zip(words, tags):
            at = len(text) + (1 if text else 0)
            if begun and not tag.startswith("I-"):
                spans.append((begun[0], len(text), begun[1]))
                begun = None
            if tag.startswith("B-") or (tag.startswith("I-") and not begun):
                begun = (at, TYPES.index(tag[2:]))
            text = f"{text} {word}" if text else word
        if begun:
            spans.append((begun[0], len(text), begun[1]))
        sentences.append((text, spans))
        words.clear()
        tags.clear()

    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            line = line.rstrip("\n")
            if "\t" in line:
                word, tag = line.split("\t")[:2]
                words.append(word)
                tags.append(tag)
            else:
                finish()
    finish()
    return sentences


def ncbi(path):
    """Sentences of a PubTator file; all four classes of the corpus are diseases. A mention across sentences joins them."""
    sentences = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        documents = lines.read().split("\n\n")
    for document in documents:
        title, abstract, spans = "", "", []
        for line in document.strip("\n").split("\n"):
            if re.match(r"\d+\|t\|", line):
                title = line.split("|", 2)[2]
            elif re.match(r"\d+\|a\|", line):
                abstract = line.split("|", 2)[2]
            elif line.count("\t") >= 4:
                _, begin, end, *_ = line.split("\t")
                spans.append((int(begin), int(end)))
        text = f"{title} {abstract}"
        cuts = [0] + [m.end() for m in SENTENCE_END.finditer(text)] + [len(text)]
        cuts = [cut for cut in cuts if not any(begin < cut < end for begin, end in spans)]
        for begin, end in zip(cuts, cuts[1:]):
            inside = [(b - begin, e - begin, 1) for b, e in spans if begin <= b and e <= end]
            if text[begin:end].strip():
                sentences.append((text[begin:end], inside))
    return sentences


def read(data, split):
    """All sentences of a split ("train" or "devel"), as (text, spans, source)."""
    second = {"train": "NCBItrainset_corpus.txt.gz", "devel": "NCBIdevelopset_corpus.txt.gz"}[split]
    first = bc5cdr(os.path.join(data, "ner-bc5cdr", f"{split}.tsv.gz"))
    second = ncbi(os.path.join(data, "ner-ncbi-disease", second))
    return [(*s, "bc5cdr") for s in first] + [(*s, "ncbi") for s in second]
