"""The questions of a golden recording: drawn from the shared data, the same ones on every machine."""

import gzip
import hashlib
import json
import re

SEED = "golden-17"

# What is drawn for each graph: (source, how many).
MIXTURE = {
    "starter": [
        ("genmed-diagnosis", 16),
        ("genmed-tests", 9),
        ("genmed-medication", 9),
        ("pubmedqa", 12),
        ("medmcqa", 12),
        ("medqa", 10),
        ("medquad", 10),
        ("cmmlu", 14),
        ("cmb-clin", 8),
    ],
    "emckg796": [
        ("genmed-diagnosis", 30),
        ("genmed-tests", 15),
        ("genmed-medication", 15),
        ("medqa", 14),
        ("medquad", 14),
        ("medmcqa", 6),
        ("pubmedqa", 6),
    ],
    "hetionet": [
        ("genmed-diagnosis", 14),
        ("genmed-tests", 8),
        ("genmed-medication", 8),
        ("pubmedqa", 25),
        ("medquad", 25),
        ("medmcqa", 10),
        ("medqa", 10),
    ],
}


def drawn(label, items, count):
    """`count` of (key, value) pairs, chosen by the hash of the key, in the order of the source."""
    rank = {key: hashlib.sha256(f"{SEED}:{label}:{key}".encode()).digest() for key, _ in items}
    chosen = set(sorted(rank, key=rank.get)[:count])
    if len(chosen) < count:
        raise SystemExit(f"{label}: {count} questions are wanted, and there are {len(chosen)}")
    return [(key, value) for key, value in items if key in chosen]


def pick(label, items):
    """One of the items, decided by the label."""
    return items[int.from_bytes(hashlib.sha256(f"{SEED}:{label}".encode()).digest()[:8], "big") % len(items)]


def number(label, least, most):
    """A whole number from `least` to `most`, decided by the label."""
    return pick(label, range(least, most + 1))


def _lines(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield json.loads(line)


def _complaint(description):
    """The chief complaint of a case, or how its description begins."""
    found = re.search(r"主诉\s*\n?\s*([^\n]{4,200})", description)
    return found.group(1).strip() if found else " ".join(description.split())[:120]


def _source(name, data):
    """(key, question) pairs of a source: short and medium ones only, so that the whole recording takes minutes."""
    if name.startswith("genmed-"):
        phase = name.removeprefix("genmed-")
        rows = _lines(data / "en-genmedgpt/genmedgpt5k.jsonl.gz")
        found = [(row["id"], row["question"]) for row in rows if row["phase"] == phase]
        longest = 220
    elif name == "pubmedqa":
        found = [(row["pmid"], row["QUESTION"]) for row in _lines(data / "en-pubmedqa/ori_pqal.jsonl.gz")]
        longest = 200
    elif name == "medmcqa":
        found = [(row["id"], row["question"]) for row in _lines(data / "en-medmcqa/dev.jsonl.gz")]
        longest = 200
    elif name == "medqa":
        rows = enumerate(_lines(data / "en-medqa/us_4opt_test.jsonl.gz"))
        found = [(f"medqa-{at}", row["question"]) for at, row in rows]
        longest = 500
    elif name == "medquad":
        rows = _lines(data / "en-medquad/medquad_docs.jsonl.gz")
        found = [(f"{row['id']}:{qa['qid']}", qa["question"]) for row in rows for qa in row["qa"]]
        longest = 120
    elif name == "cmmlu":
        found = [(row["id"], row["question"]) for row in _lines(data / "zh-cmmlu/cmmlu_med.jsonl.gz")]
        longest = 80
    elif name == "cmb-clin":
        rows = _lines(data / "zh-cmb-clin/cmb_clin.jsonl.gz")
        found = [
            (f"{row['id']}-{at}", f"{_complaint(row['description'])} {pair['question'].strip()}")
            for row in rows
            for at, pair in enumerate(row["QA_pairs"])
        ]
        longest = 160
    else:
        raise SystemExit(f"no source {name}")
    once = {}
    for key, question in found:
        if 8 <= len(question) <= longest and question not in once:
            once[question] = key
    return [(key, question) for question, key in once.items()]


def questions(data):
    """For each graph the questions that are asked on it: [{"id", "question"}]."""
    pools = {}
    asked = {}
    for graph, mixture in MIXTURE.items():
        rows = []
        for name, count in mixture:
            if name not in pools:
                pools[name] = _source(name, data)
            for key, question in drawn(f"{graph}:{name}", pools[name], count):
                rows.append({"id": f"{graph}/{name}/{key}", "question": question})
        asked[graph] = rows
    return asked


# Lines that are hard to read, impossible to read, or say nothing.
EDGES = [
    b'{"id":"empty","question":""}',
    b'{"id":"blank","question":"   \\t "}',
    b'{"id":"unrelated","question":"Who won the football match last night?"}',
    b'{"id":"one-entity","question":"Gastritis"}',
    b'{"id":"negated","question":"No fever and no cough, but I have chest pain on exertion. What could it be?"}',
    b'{"id":"laboratory","question":"Ferritin 8 ug/L, Hb 9.1 g/dL, MCV 72 fL in a 34-year-old woman: what is it and what helps?"}',
    b'{"id":"spelling","question":"I have diarhea, feaver and stomach crams. What tests do I need?"}',
    b'{"id":"pregnant","question":"I am 24 weeks pregnant with high blood pressure. Can I take lisinopril?"}',
    b'{"id":"controls","question":"Heart\\u001b[31mburn\\u202e after\\u0000 meals?"}',
    '{"id":"mixed","question":"患者 chest pain 伴 dyspnoea, 该做什么 tests? 😀"}'.encode(),
    b'{"id":7,"question":"What treats asthma?"}',
    b'{"question":"What are the symptoms of migraine?"}',
    b'{"id":"no-question"}',
    b'{"id":"number","question":12}',
    b"this is not JSON",
    b"",
    b'{"id":"bytes","question":"\xff\xfe"}',
    b'{"id":"long","question":"' + b"My stomach hurts after every meal and I feel sick. " * 60 + b'"}',
]
