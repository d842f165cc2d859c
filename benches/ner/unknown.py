#!/usr/bin/env python3
"""How often Catena says of a name that it does not know: a drug, a disease. Over whole answers, not over the recogniser alone.

    python3 benches/ner/unknown.py PROGRAM DATA FOLDER [--recogniser w2ner gazetteer] [--flagged]

PROGRAM is catena, DATA the folder of the shared data sets, FOLDER keeps the answers (what is there already is not asked again).
Sets of names: invented.iob, rare.iob. A name counts as recognised if a term that was not understood overlaps it and probably names
its type. "whole": one such term has all its words. "listed": some term overlaps it, of any type. "refused": nothing is answered.
Sets without unknown names: plain.iob, and ordinary.tsv, which has ids of GenMedGPT-5k, drawn by seed (`--draw`). A question is a
false alarm if a term is called a drug or disease and is none: ordinary.tsv's second column has the bytes of those that are, as
people judged them. Intervals are Wilson's, 95 %.
"""
import argparse, gzip, json, math, os, random, re, subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = {"Chemical": "drug", "Disease": "condition"}
ORDINARY, SEED = 200, 20


def iob(path):
    """Questions with (begin, end, type) in bytes; spaces stand where people write them."""
    for number, block in enumerate(open(path, encoding="utf-8").read().strip().split("\n\n")):
        text, span, before = "", None, ""
        words = [line.split("\t") for line in block.split("\n")]
        for at, (word, tag) in enumerate(words):
            number_goes_on = re.match(r"\d", word) and before == "." and at > 1 and words[at - 2][0].isdigit()
            apart = text and not re.fullmatch(r"[.,?;:!'-]", word) and before not in ("-", "'") and not number_goes_on
            text += " " if apart else ""
            begin = len(text.encode())
            text += word
            if tag.startswith("B-"):
                span = (begin, len(text.encode()), tag[2:])
            elif tag.startswith("I-"):
                span = (span[0], len(text.encode()), span[2])
            before = word
        yield {"id": str(number), "question": text, "spans": [span] if span else []}


def genmed(data):
    with gzip.open(os.path.join(data, "en-genmedgpt", "genmedgpt5k.jsonl.gz"), "rt", encoding="utf-8") as file:
        return {record["id"]: record["question"] for record in map(json.loads, file)}


def ordinary(data):
    questions = genmed(data)
    for line in open(os.path.join(HERE, "ordinary.tsv"), encoding="utf-8").read().strip().split("\n")[1:]:
        number, _, real = line.partition("\t")
        spans = [(*map(int, span.split("-")), "") for span in real.split()]
        yield {"id": number, "question": questions[number], "spans": spans}


def draw(data):
    drawn = sorted(random.Random(SEED).sample(sorted(genmed(data)), ORDINARY))
    with open(os.path.join(HERE, "ordinary.tsv"), "w", encoding="utf-8") as file:
        file.write("id\tunknown drugs and diseases in it (bytes)\n" + "".join(f"{number}\t\n" for number in drawn))


def answers(program, folder, recogniser, name, questions):
    path = os.path.join(folder, f"{name}-{recogniser}.jsonl")
    if not os.path.exists(path):
        asked = os.path.join(folder, name + ".questions.jsonl")
        with open(asked, "w", encoding="utf-8") as file:
            file.writelines(json.dumps({"id": q["id"], "question": q["question"]}) + "\n" for q in questions)
        # An answer's document is large; what is scored of it is little.
        batch = [program, "ask", "--batch", asked, "--json"]
        env = {**os.environ, "CATENA_RECOGNISER": recogniser}
        run = subprocess.Popen(batch, env=env, stdout=subprocess.PIPE, text=True)
        with open(path + ".part", "w", encoding="utf-8") as file, run:
            for answer in map(json.loads, run.stdout):
                if "case" in answer:
                    kept = {"not_understood": answer["case"].get("not_understood", [])}
                    grounded = {"grounded": answer["answer"]["grounded"]}
                    file.write(json.dumps({"id": answer["id"], "case": kept, "answer": grounded}) + "\n")
        os.rename(path + ".part", path)
    return {answer["id"]: answer for answer in map(json.loads, open(path, encoding="utf-8"))}


def wilson(hits, of):
    if not of:
        return "-"
    z, p = 1.96, hits / of
    middle, half = (p + z * z / (2 * of)) / (1 + z * z / of), z * math.sqrt(p * (1 - p) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return f"{hits}/{of} = {p:.3f} ({middle - half:.3f} to {middle + half:.3f})"


def terms(answer):
    return [term for term in answer["case"].get("not_understood", []) if not term.get("passage")]


def overlap(term, span):
    return term["start"] < span[1] and span[0] < term["end"]


def names(questions, said, flagged):
    for kind, likely in KINDS.items():
        mine = [q for q in questions if q["spans"] and q["spans"][0][2] == kind]
        count = dict.fromkeys(("recognised", "whole", "listed", "refused"), 0)
        for q in mine:
            answer, span = said.get(q["id"], {}), q["spans"][0]
            near = [term for term in terms(answer) if overlap(term, span)] if "case" in answer else []
            typed = [term for term in near if term.get("likely") == likely]
            count["recognised"] += bool(typed)
            count["whole"] += any(term["start"] <= span[0] and span[1] <= term["end"] for term in typed)
            count["listed"] += bool(near)
            count["refused"] += "answer" in answer and not answer["answer"]["grounded"]
            if flagged and not typed:
                print(f"    not recognised: {q['question']} {[(term['text'], term.get('likely')) for term in near]}")
        print(f"  {kind}: " + "; ".join(f"{what} {wilson(hits, len(mine))}" for what, hits in count.items()))


def alarms(questions, said, flagged):
    hits = 0
    for q in questions:
        found = [term for term in terms(said.get(q["id"], {"case": {}})) if term.get("likely") in KINDS.values()]
        wrong = [term for term in found if not any(overlap(term, span) for span in q["spans"])]
        hits += bool(wrong)
        if flagged and wrong:
            print(f"    false alarm in {q['id']}: {[(term['text'], term['likely'], term['start'], term['end']) for term in wrong]}")
    print(f"  questions with a false alarm: {wilson(hits, len(questions))}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("data")
    parser.add_argument("folder")
    parser.add_argument("--recogniser", nargs="+", default=["w2ner", "gazetteer"])
    parser.add_argument("--flagged", action="store_true", help="list the names that are not recognised, and the false alarms")
    parser.add_argument("--draw", action="store_true", help="draw ordinary.tsv anew")
    args = parser.parse_args()
    if args.draw:
        draw(args.data)
    os.makedirs(args.folder, exist_ok=True)
    sets = {name: list(iob(os.path.join(HERE, name + ".iob"))) for name in ("invented", "rare", "plain")}
    sets["ordinary"] = list(ordinary(args.data))
    for recogniser in args.recogniser:
        for name, questions in sets.items():
            said = answers(args.program, args.folder, recogniser, name, questions)
            failed = sum("case" not in said.get(q["id"], {}) for q in questions)
            print(f"{recogniser}, {name}" + (f" ({failed} without an answer)" if failed else ""))
            (names if name in ("invented", "rare") else alarms)(questions, said, args.flagged)


if __name__ == "__main__":
    main()
