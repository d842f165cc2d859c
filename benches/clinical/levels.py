"""Compares the urgency of answers with what was expected before any answer.

    python3 benches/clinical/levels.py questions > QUESTIONS.jsonl
    catena ask --batch QUESTIONS.jsonl --json > ANSWERS.jsonl
    python3 benches/clinical/levels.py score ANSWERS.jsonl [--misses]

Of dangerous questions, those count that reach the expected level or more; of the others, those without alarm (emergency or urgent).
"""

import json
import pathlib
import sys

RANK = {"emergency": 2, "urgent": 1}
FILE = pathlib.Path(__file__).with_name("levels.tsv")


def expected():
    rows = [line.split("\t") for line in FILE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return {number: (level, question) for number, level, question in rows}


def score(path, misses):
    counts = {}
    of = expected()
    for line in open(path, encoding="utf-8"):
        answer = json.loads(line)
        level, question = of[answer["id"]]
        got = (answer.get("urgency") or {}).get("level")
        dangerous = level != "none"
        right = RANK.get(got, 0) >= RANK[level] if dangerous else got not in RANK
        for group in (answer["id"].split("-")[0], "all"):
            row = counts.setdefault(group, [0, 0, 0, 0])
            row[0 if dangerous else 2] += right
            row[1 if dangerous else 3] += 1
        if misses and not right:
            print(f"{answer['id']}: expected {level}, got {got}: {question}")
    for group, (reached, dangers, calm, harmless) in sorted(counts.items()):
        print(f"{group}: reached {reached} of {dangers} dangerous; no alarm in {calm} of {harmless} harmless")


if sys.argv[1:2] == ["questions"]:
    for number, (_, question) in expected().items():
        print(json.dumps({"id": number, "question": question}, ensure_ascii=False))
elif sys.argv[1:2] == ["score"] and len(sys.argv) > 2:
    score(sys.argv[2], "--misses" in sys.argv)
else:
    sys.exit(__doc__)
