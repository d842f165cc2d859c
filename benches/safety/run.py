#!/usr/bin/env python3
"""Asks about every stored interaction and contraindication of the starter graph, and checks that the answer states it first.

    python3 benches/safety/run.py --catena target/release/catena                  all triples, all wordings
    python3 benches/safety/run.py --catena target/release/catena --sample 300     a seeded sample
    python3 benches/safety/run.py --catena target/release/catena --unrelated 500  pairs of which nothing is stored

Exits with 1 if fewer than --at-least of the facts are stated, or if anything is stated of an unrelated pair.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from questions import Graph, Question, stored_questions, unrelated_questions

ROOT = Path(__file__).resolve().parents[2]
# Parts of an answer that make no medical claim of their own, or are about urgency: they may come before what is stored.
BEFORE = {"emergency", "read_as", "not_understood", "safety"}
SAYS_THAT_NOTHING_IS_STORED = ("is stored", "are stored", "未收录")
CALLS_SAFE = (
    "is safe", "are safe", "safe to", "safely", "no interaction.", "do not interact", "does not interact", "can be combined",
    "可以合用", "是安全的", "可安全", "没有相互作用", "无相互作用",
)


def ask(catena: Path, questions: list[Question], method: str | None) -> dict[str, dict]:
    with tempfile.TemporaryDirectory() as folder:
        batch = Path(folder) / "batch.jsonl"
        lines = (json.dumps({"id": q.id, "question": q.text}, ensure_ascii=False) for q in questions)
        batch.write_text("\n".join(lines) + "\n", encoding="utf-8")
        command = [str(catena), "ask", "--batch", str(batch), "--json", "--kg", "starter", "--max-chains", "1"]
        command += ["--method", method] if method else []
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=False)
    answers = {}
    for question, line in zip(questions, (line for line in done.stdout.splitlines() if line.strip()), strict=True):
        answers[question.id] = json.loads(line)
    return answers


def says(graph: Graph, text: str, name: str) -> bool:
    text = text.lower()
    return any(known in text for known in graph.names(name))


def fault_of_stored(graph: Graph, question: Question, trace: dict) -> str | None:
    """Why the stored fact does not count as stated; None if it does."""
    if "error" in trace:
        return f"error: {trace['error']}"
    lines = (trace.get("answer") or {}).get("lines", [])
    stored = question.stored
    for line in lines:
        about_both = says(graph, line["text"], stored.a) and says(graph, line["text"], stored.b)
        denies = any(words in line["text"] for words in SAYS_THAT_NOTHING_IS_STORED)
        if line["part"] == "safety" and about_both and not denies:
            return None
        if line["part"] not in BEFORE:
            later = any(
                other["part"] == "safety" and says(graph, other["text"], stored.a) and says(graph, other["text"], stored.b)
                for other in lines
            )
            return "stated after another claim" if later else "not stated"
    return "not stated"


def fault_of_unrelated(graph: Graph, question: Question, trace: dict) -> str | None:
    """What an answer wrongly says of a pair of which nothing is stored; None if nothing."""
    if "error" in trace:
        return f"error: {trace['error']}"
    answer = trace.get("answer") or {}
    pair = question.stored
    for line in answer.get("lines", []):
        denies = any(words in line["text"] for words in SAYS_THAT_NOTHING_IS_STORED)
        about_both = says(graph, line["text"], pair.a) and says(graph, line["text"], pair.b)
        if line["part"] == "safety" and about_both and not denies:
            return f"states: {line['text']}"
    text = answer.get("text", "").lower()
    return next((f"calls it safe: {words}" for words in CALLS_SAFE if words in text), None)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--catena", type=Path, required=True, help="the program")
    parser.add_argument("--graph", type=Path, default=ROOT / "assets/starter-kg", help="the folder of the starter graph")
    parser.add_argument("--method", help="the method; the program's default unless told")
    parser.add_argument("--sample", type=int, help="ask only this many questions, chosen by the seed")
    parser.add_argument("--unrelated", type=int, metavar="N", help="ask about N pairs of which nothing is stored")
    parser.add_argument("--seed", type=int, default=18)
    parser.add_argument("--at-least", type=float, default=0.99, help="the share of facts that must be stated")
    parser.add_argument("--portion", type=int, default=2_000, help="questions for each start of the program")
    parser.add_argument("--show", type=int, default=20, help="how many faults to print")
    told = parser.parse_args()

    graph = Graph(told.graph)
    if told.unrelated:
        questions, check = unrelated_questions(graph, told.unrelated, told.seed), fault_of_unrelated
    else:
        questions, check = stored_questions(graph, told.sample, told.seed), fault_of_stored
    faults: list[tuple[Question, str]] = []
    for begin in range(0, len(questions), told.portion):
        portion = questions[begin : begin + told.portion]
        answers = ask(told.catena, portion, told.method)
        faults += [(q, fault) for q in portion if (fault := check(graph, q, answers[q.id]))]
        print(f"{begin + len(portion)} of {len(questions)} asked, {len(faults)} faults", file=sys.stderr)

    right = 1 - len(faults) / len(questions)
    print(f"{'unrelated pairs' if told.unrelated else 'stored facts'}: {len(questions)} questions, {right:.4f} right")
    for language in sorted({q.language for q in questions}):
        of_language = [q for q in questions if q.language == language]
        wrong = sum(q.language == language for q, _ in faults)
        print(f"  {language}: {1 - wrong / len(of_language):.4f} of {len(of_language)}")
    if not told.unrelated:
        asked, wrong = Counter(q.id.split("-")[1] for q in questions), Counter(q.id.split("-")[1] for q, _ in faults)
        for wording in sorted(asked, key=int):
            print(f"  wording {wording}: {1 - wrong[wording] / asked[wording]:.4f} of {asked[wording]}")
    for question, fault in faults[: told.show]:
        print(f"  {question.id} {question.text!r}: {fault}")
    return int(bool(faults) if told.unrelated else right < told.at_least)


if __name__ == "__main__":
    sys.exit(main())
