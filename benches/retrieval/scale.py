#!/usr/bin/env python3
"""Makes documents of the size of the paper's hypergraph (EbmKG, A.3): 250,000 entities, 430,000 topics, 800,000 pieces of evidence, 11.6 million edges.

    scale.py FOLDER [SHARE]

writes FOLDER/graph.tsv (the entities), FOLDER/documents.jsonl, FOLDER/one.jsonl (one document to add) and FOLDER/set.jsonl (questions for `catena eval`).
SHARE (1 unless told) makes it smaller. The same arguments give the same bytes.

Each document is about one entity and has two sections with different labels. A sentence names its document's subject by belonging to it, and others by name;
how many, decides the edges. Every entity is named under one label or both, which decides the topics.
"""
import json
import pathlib
import random
import sys

ENTITIES, EVIDENCE, SENTENCES = 250_000, 800_000, 10
# Entities whose number modulo 100 is below the first are named under the first label, and those not below the second under the other: 1.72 labels each.
FIRST, SECOND = 86, 14
LABELS = ("symptoms", "treatment")
# Others named in a sentence, on average.
NAMED = 3.25


def name(number):
    """A name that no word list has: syllables of the number in base 100."""
    begin, end = "bdfgklmnprstvz", "aeiou"
    out = ""
    for _ in range(4):
        number, rest = divmod(number, len(begin) * len(end))
        out += begin[rest // len(end)] + end[rest % len(end)]
    return out + "x"


def main():
    folder = pathlib.Path(sys.argv[1])
    share = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
    folder.mkdir(parents=True, exist_ok=True)
    entities, documents = int(ENTITIES * share), int(EVIDENCE * share / SENTENCES)
    draw = random.Random(21)
    pools = ([e for e in range(entities) if e % 100 < FIRST], [e for e in range(entities) if e % 100 >= SECOND])
    with open(folder / "graph.tsv", "w") as graph:
        for e in range(entities):
            graph.write(f"{name(e)}\thas_symptom\t{name((e + 1) % entities)}\n")

    def document(number):
        # Subjects are named under both labels.
        subject = (number * 3) % entities
        while not SECOND <= subject % 100 < FIRST:
            subject = (subject + 1) % entities
        for label, pool in zip(LABELS, pools):
            text = []
            for at in range(SENTENCES // 2):
                others = int(NAMED) + (draw.random() < NAMED % 1)
                words = " ".join(f"and {name(draw.choice(pool))}" for _ in range(others))
                text.append(f"Case {at} was seen {words} together.")
            yield {"id": str(number), "title": name(subject), "section": label, "text": " ".join(text)}

    with open(folder / "documents.jsonl", "w") as out:
        for number in range(documents):
            for line in document(number):
                out.write(json.dumps(line) + "\n")
    with open(folder / "one.jsonl", "w") as out:
        for line in document(documents):
            out.write(json.dumps(line) + "\n")
    with open(folder / "set.jsonl", "w") as out:
        for number in range(0, documents, max(1, documents // 50)):
            title = next(document(number))["title"]
            question = {"id": str(number), "question": f"What is the treatment of {title}?", "relevant": {str(number): 1}}
            out.write(json.dumps(question) + "\n")


main()
