"""Makes the retrieval sets and the documents they are about: python3 sets.py DATA OUT [SEED].

DATA is the folder of the shared data. Written into OUT:
  medquad.jsonl    MedQuAD documents as JSON lines, without their lists of synonyms
  synonyms.jsonl   (a) MedQuAD questions whose focus is replaced by a synonym that the document does not use
  labels.jsonl, independent-labels.jsonl     (b) the questions of label-questions.tsv and independent-label-questions.tsv
  pubmedqa.jsonl   500 abstracts as JSON lines, abstracts.jsonl (c) their questions
"""

import gzip
import json
import random
import re
import sys
from pathlib import Path

data, out = Path(sys.argv[1]), Path(sys.argv[2])
seed = int(sys.argv[3]) if len(sys.argv) > 3 else 21
out.mkdir(parents=True, exist_ok=True)


def lines(path):
    with gzip.open(data / path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def write(name, rows):
    with open(out / name, "w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    print(name, len(rows))


def folded(text):
    return " ".join(re.findall(r"[a-z0-9]+", text.lower().replace("'", "")))


documents = list(lines("en-medquad/medquad_docs.jsonl.gz"))
write("medquad.jsonl", [
    {"id": d["id"], "title": d["focus"], "section": q["qtype"], "heading": q["question"], "text": q["answer"], "url": d["url"], "source": d["source"]}
    for d in documents for q in d["qa"]
])
# Documents about the same thing answer the same question.
by_concept = {}
for d in documents:
    for concept in [folded(d["focus"]), *d["cuis"]]:
        by_concept.setdefault(concept, []).append(d)
candidates = []
for d in documents:
    whole = f" {folded(' '.join([d['focus']] + [q['answer'] for q in d['qa']]))} "
    unused = [s for s in d["synonyms"] if folded(s) and f" {folded(s)} " not in whole and len(s) > 3]
    for q in d["qa"]:
        if unused and d["focus"].lower() in q["question"].lower():
            candidates.append((d, q, unused))
random.Random(seed).shuffle(candidates)
rows = []
for d, q, unused in candidates[:600]:
    synonym = random.Random(d["id"] + q["qid"]).choice(unused)
    question = re.sub(re.escape(d["focus"]), lambda _: synonym, q["question"], flags=re.IGNORECASE)
    same = {e["id"]: e for concept in [folded(d["focus"]), *d["cuis"]] for e in by_concept[concept]}
    relevant = {f"{e['id']}#{p['qtype']}": 1 for e in same.values() for p in e["qa"] if p["qtype"] == q["qtype"]}
    rows.append({"id": f"{d['id']}/{q['qid']}", "question": question, "relevant": relevant})
write("synonyms.jsonl", rows)

labels = {}
for label in lines("drug-labels/labels.jsonl.gz"):
    for name in (label["brand_name"] or [])[:1]:
        labels.setdefault(name, []).append(label)
for questions, name in (("label-questions.tsv", "labels.jsonl"), ("independent-label-questions.tsv", "independent-labels.jsonl")):
    rows = []
    for number, line in enumerate(open(Path(__file__).parent / questions, encoding="utf-8")):
        if line.startswith("#"):
            continue
        brand, section, question = line.rstrip("\n").split("\t")
        found = [label for label in labels[brand] if section in label["sections"]]
        assert found, (brand, section)
        rows.append({"id": str(number), "question": question, "relevant": {f"{label['set_id']}#{section}": 1 for label in found}})
    write(name, rows)

abstracts = list(lines("en-pubmedqa/ori_pqal.jsonl.gz"))
write("pubmedqa.jsonl", [{"id": str(a["pmid"]), "section": "abstract", "text": "\n\n".join(a["CONTEXTS"])} for a in abstracts])
write("abstracts.jsonl", [{"id": str(a["pmid"]), "question": a["QUESTION"], "relevant": {str(a["pmid"]): 1}} for a in abstracts])
