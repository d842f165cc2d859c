#!/usr/bin/env python3
"""Scores answers to the GenMedGPT questions: the share of gold entities that the answers state, by phase.

    zcat genmedgpt5k.jsonl.gz > questions.jsonl
    catena ask --batch questions.jsonl --json --kg emckg796_triples.tsv --max-chains 0 > answers.jsonl
    python3 benches/genmedgpt_score.py answers.jsonl genmedgpt5k.jsonl.gz

A gold entity counts once per surface, and any of its kg_names is right. A diagnosis must be among the first
five entities of the answer, a test or medication among the first twelve. Only records with gold count.
The same scoring as tests/genmedgpt.rs.
"""
import gzip
import json
import sys

PHASES = {"diagnosis": ("disease", 5), "tests": ("test", 12), "medication": ("medication", 12)}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    answers, failed = {}, 0
    with open(sys.argv[1], encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            failed += "error" in line
            answers[line["id"]] = line.get("answer", {}).get("entities", [])
    sums = {phase: [0, 0, 0] for phase in PHASES}
    missing = 0
    opened = gzip.open if sys.argv[2].endswith(".gz") else open
    with opened(sys.argv[2], "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            field, first = PHASES[record["phase"]]
            gold = record["gold"][field]
            if not gold:
                continue
            missing += record["id"] not in answers
            stated = set(answers.get(record["id"], [])[:first])
            row = sums[record["phase"]]
            row[0] += sum(not stated.isdisjoint(entity["kg_names"]) for entity in gold)
            row[1] += len(gold)
            row[2] += 1
    for phase, (found, every, records) in sums.items():
        share = found / every if every else 0
        print(f"{phase:10}  {share:.3f}  {found} of {every} gold entities of {records} questions, first {PHASES[phase][1]}")
    if missing or failed:
        sys.exit(f"{missing} questions have no answer, {failed} answers are errors: the shares above count them as wrong")


if __name__ == "__main__":
    main()
