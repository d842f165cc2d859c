#!/usr/bin/env python3
"""Scores answers against clinical expectations that were written before any answer was looked at.

    catena ask --batch QUESTIONS.jsonl --json > ANSWERS.jsonl
    python3 benches/clinical/score.py QUESTIONS.jsonl ANSWERS.jsonl [--misses] [--against OTHER.jsonl]

A question: {"id", "register", "question", "expected": [[name, synonym …] …], "lead": [name …] or null, "must_not": [[name …] …],
"urgency", "refuse", "list"}. What is measured:
  recall      expected concepts of which a name stands in the answer (not in the lines that only say how the question was read, nor in what a language
              model says without evidence)
  lead        the first condition that the answer names, in its conditions or in the sentence that answers, is the expected one
  must not    concepts that the answer asserts in its conditions, tests or treatments although they must not be asserted
  emergencies questions marked emergency that are flagged; others that are flagged (false alarms)
  refused     questions to refuse that are refused (nothing grounded); answerable ones that are refused
  lines       median number of lines of the answer, lists aside
Names are compared folded, at word boundaries for Latin script.
With --against, each measure's difference to the other answers follows (these minus those), with a paired bootstrap over the questions
that both answered: 1,000 samples, seed 20, the middle 95 %.
"""
import argparse, collections, json, random, re, statistics, unicodedata

# Measures, as shares of sums over questions.
SHARES = {"recall": ("found", "concepts"), "lead": ("lead right", "leads"), "must-not": ("must not", "answerable"),
          "emergencies": ("flagged", "emergencies"), "false alarms": ("false alarms", "others"), "refused": ("refused", "to refuse"),
          "wrongly refused": ("wrongly refused", "answerable")}
SAMPLES, SEED = 1000, 20


def fold(text):
    text = unicodedata.normalize("NFKD", text.lower())
    text = "".join(c for c in text if not unicodedata.combining(c))
    for old, new in (("haem", "hem"), ("oedem", "edem"), ("oesoph", "esoph"), ("aemia", "emia"), ("paed", "ped"), ("diarrhoea", "diarrhea"),
                     ("gynaec", "gynec"), ("foet", "fet"), ("tumour", "tumor"), ("caec", "cec"), ("coel", "cel"), ("leuk", "leuk"),
                     ("anaes", "anes"), ("orthopaed", "orthoped"), ("sulph", "sulf"), ("ise", "ize"), ("isation", "ization")):
        text = text.replace(old, new)
    return re.sub(r"[\s\-‐–_/]+", " ", text)


def holds(text, name):
    name = fold(name).strip()
    if not name:
        return False
    # Number does not matter: "ACE inhibitors" is found as "ACE inhibitor".
    if re.search(r"[a-z]{3,}[^s]s$", name):
        name = name[:-1]
    if re.search(r"[\u3400-\u9fff]", name):
        return name in text
    return re.search(r"(?<![a-z0-9])" + re.escape(name) + r"(?:e?s)?(?![a-z0-9])", text) is not None


def any_holds(text, names):
    return any(holds(text, name) for name in names)


# Lines that only say how the question was read, or what a language model says without evidence.
NOT_SAID = ("read_as", "not_understood", "model_note", "model_contradicted", "model_unsupported")


def what_is_said(answer):
    """The text in which expected concepts are looked for, folded."""
    stated = answer["answer"].get("lines", [])
    if not stated:
        said = fold(answer["answer"]["text"])
    else:
        said = fold("\n".join(l["text"] for l in stated if l.get("part") not in NOT_SAID))
    return said + "\n" + fold("\n".join(answer["answer"]["entities"]))


def read(answer):
    """An answer's lines, its text and what it asserts (folded), whether it refuses, and its urgency."""
    stated = [l for l in answer["answer"].get("lines", [])]
    said = what_is_said(answer)
    asserted = fold("\n".join((l["entity"] or "") for l in stated if l.get("part") in ("conditions", "tests", "treatments", "summary")))
    return stated, said, asserted, not answer["answer"]["grounded"], (answer.get("urgency") or {}).get("level")


def counts(question, answer):
    """What one answer adds to each count."""
    stated, said, asserted, refused, level = read(answer)
    count = collections.Counter()
    if question["refuse"]:
        count["to refuse"] += 1
        count["refused"] += refused
        return count
    count["answerable"] += 1
    count["wrongly refused"] += refused
    count["concepts"] += len(question["expected"])
    count["found"] += sum(any_holds(said, names) for names in question["expected"])
    if question.get("lead"):
        first = next((l for l in stated if l.get("part") == "conditions"), None)
        # Where care for a named condition is asked, the sentence that answers names the condition.
        first = first or next((l for l in stated if l.get("part") == "summary"), None)
        ok = first is not None and any_holds(fold((first["entity"] or "") + " " + first["text"].split(":")[0]), question["lead"])
        count["leads"] += 1
        count["lead right"] += ok
    count["must not"] += any(any_holds(asserted, names) for names in question["must_not"])
    if question["urgency"] == "emergency":
        count["emergencies"] += 1
        count["flagged"] += level == "emergency"
    else:
        count["others"] += 1
        count["false alarms"] += level == "emergency"
    return count


def against(questions, answers, others):
    """The difference of each measure, with a paired bootstrap over questions."""
    good = lambda said, question: question["id"] in said and "error" not in said[question["id"]]
    both = [q for q in questions if good(answers, q) and good(others, q)]
    pairs = [(counts(q, answers[q["id"]]), counts(q, others[q["id"]])) for q in both]
    rng = random.Random(SEED)
    drawn = [rng.choices(range(len(pairs)), k=len(pairs)) for _ in range(SAMPLES)] if pairs else []
    print(f"\ndifference on {len(pairs)} questions:")
    for name, (part, whole) in SHARES.items():
        def difference(places):
            sums = [(sum(pairs[at][side][part] for at in places), sum(pairs[at][side][whole] for at in places)) for side in (0, 1)]
            return sums[0][0] / sums[0][1] - sums[1][0] / sums[1][1] if sums[0][1] and sums[1][1] else None
        value = difference(range(len(pairs)))
        if value is None:
            continue
        spread = sorted(d for d in map(difference, drawn) if d is not None)
        low, high = spread[int(0.025 * (len(spread) - 1))], spread[round(0.975 * (len(spread) - 1))]
        differing = sum(a[part] != b[part] for a, b in pairs)
        print(f"  {name}: {value:+.3f} ({low:+.3f} to {high:+.3f}); questions that differ: {differing}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions")
    parser.add_argument("answers")
    parser.add_argument("--misses", action="store_true", help="list what was missed")
    parser.add_argument("--against", metavar="OTHER", help="answers of another run, to compare with")
    args = parser.parse_args()
    answers = {a["id"]: a for a in map(json.loads, open(args.answers))}
    tally = collections.defaultdict(lambda: collections.Counter())
    lines = collections.defaultdict(list)
    for question in map(json.loads, open(args.questions)):
        answer, register = answers.get(question["id"]), question["register"]
        group = {"zh-doctor": "doctor", "zh-lay": "lay"}.get(register, register)
        miss = lambda what: args.misses and print(f'{question["id"]} {what}')
        if answer is None or "error" in answer:
            tally[register]["failed"] += 1
            miss("failed")
            continue
        stated, said, asserted, refused, level = read(answer)
        for key in (register, "= " + group):
            tally[key].update(counts(question, answer))
            if not question["refuse"] and not question["list"]:
                lines[key].append(sum(1 for l in answer["answer"]["text"].splitlines() if l.strip()))
        if question["refuse"]:
            if not refused:
                miss("not refused: " + question["question"][:90])
            continue
        if refused:
            miss("wrongly refused: " + question["question"][:90])
        for names in question["expected"]:
            if not any_holds(said, names):
                miss(f"concept: {names[0]}")
        if question.get("lead"):
            first = next((l for l in stated if l.get("part") == "conditions"), None)
            if first is None or not any_holds(fold(first["entity"] + " " + first["text"].split(":")[0]), question["lead"]):
                miss(f'lead: {question["lead"][0]}, not {first["entity"] if first else None}')
        for names in question["must_not"]:
            if any_holds(asserted, names):
                miss(f"MUST NOT: {names[0]}")
        if (question["urgency"] == "emergency") != (level == "emergency"):
            miss(f'urgency: {question["urgency"]}, not {level}')
    share = lambda a, b: f"{a}/{b} = {a / b:.3f}" if b else "-"
    for key in sorted(tally):
        c = tally[key]
        print(f"{key}: recall {share(c['found'], c['concepts'])}; lead {share(c['lead right'], c['leads'])}; must-not {share(c['must not'], c['answerable'])}; "
              f"emergencies {share(c['flagged'], c['emergencies'])}; false alarms {share(c['false alarms'], c['others'])}; "
              f"refused {share(c['refused'], c['to refuse'])}; wrongly refused {share(c['wrongly refused'], c['answerable'])}; "
              f"lines {statistics.median(lines[key]) if lines[key] else '-'}; failed {c['failed']}")
    if args.against:
        against(list(map(json.loads, open(args.questions))), answers, {a["id"]: a for a in map(json.loads, open(args.against))})


if __name__ == "__main__":
    main()
