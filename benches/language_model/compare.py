#!/usr/bin/env python3
"""What a language model changes: two results on the same questions, one without a model and one or several with one, question by question.

    compare.py WITHOUT WITH …                               folders that `catena eval --out` wrote
    compare.py --questions QUESTIONS.jsonl WITHOUT WITH …   outputs of `catena ask --batch QUESTIONS.jsonl --json`

Prints a section in Markdown for each WITH: the difference of each measure with its 95 % interval (paired bootstrap over questions), what the
model adds, why its text is left out, and times. A model may add, never take away: the exit code is 1 if a measure that must not fall falls by
more than --most (0: by anything), or if a question lacks what it has without the model.
"""
import argparse, collections, json, pathlib, random, re, statistics, sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "clinical"))
from score import any_holds, what_is_said

# What must not fall. Measures of precision may: more names are more wrong ones too.
GUARDED = ("key_entity_conditions", "key_entity_tests", "key_entity_treatments", "recall_chains", "recall_kept", "recall_answer", "concept_recall")
ALSO = ("precision_kept", "precision_answer")
RESAMPLES = 2000
PARTS = {"model_adds": "sentences with evidence", "model_contradicted": "contradicted sentences", "model_unsupported": "sentences without evidence"}


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def note_of(line):
    """Why a model's text stands apart, with numbers as N, so that the same reason counts once; None of other lines."""
    return re.sub(r"\d+", "N", line["text"]) if line["part"] == "model_note" else None


class Run:
    """A question's answer: measures as (found, all), the answer, and times in milliseconds."""

    def __init__(self, ended, measures):
        self.ended, self.measures, self.times, self.answer = ended, measures, {}, None
        self.urgency, self.anchors, self.kept = None, 0, 0


def of_eval(folder):
    """Results of an evaluation by question. It has one method with one setting."""
    folder, runs = pathlib.Path(folder), {}
    rows = lines_of(folder / "results.jsonl")
    arms = {f'{row["arm"]["method"]}-k{row["arm"]["k"]}-top{row["arm"]["top_k"]}' for row in rows}
    if len(arms) != 1:
        sys.exit(f"compare.py: {folder} has {len(arms)} methods or settings; compare one at a time")
    (arm,) = arms
    for row in rows:
        ended = row["ended"] if isinstance(row["ended"], str) else "failed"
        run = Run(ended, {name: (ratio["found"], ratio["all"]) for name, ratio in row["scores"].items()})
        trace = folder / "traces" / f'{arm}-{row["id"]}.jsonl'
        if trace.is_file():
            read_trace(trace, run)
        runs[row["id"]] = run
    return runs


def read_trace(path, run):
    for event in lines_of(path):
        at, what = event["at_ms"], event["event"]
        if what == "answer_finished":
            run.times.setdefault("first answer", at)
            run.answer = event["answer"]
        elif what == "stage_finished" and event["stage"] == "hypothesis":
            # The last one: the first is that of the graph's.
            run.times["hypothesis"] = at
        elif what == "run_finished":
            run.times["end"] = event["total_ms"]
        elif what == "anchor_linked" and event["anchor"].get("by_model"):
            run.anchors += 1
        elif what == "chains_pruned":
            run.kept = len(event["pruning"]["kept"])
        elif what == "urgency_judged":
            run.urgency = (event["urgency"] or {}).get("level")


def of_ask(path, questions):
    """Answers of a batch by question, with the share of expected concepts that they name."""
    expected = {q["id"]: q for q in questions}
    runs = {}
    for answer in lines_of(path):
        question = expected.get(answer["id"])
        if question is None:
            continue
        if "error" in answer:
            runs[answer["id"]] = Run("failed", {})
            continue
        said = what_is_said(answer)
        names = [] if question["refuse"] else question["expected"]
        run = Run("answered", {"concept_recall": (sum(any_holds(said, of) for of in names), len(names))})
        run.answer = answer["answer"]
        run.kept = len(answer.get("kept") or [])
        run.anchors = sum(bool(anchor.get("by_model")) for anchor in answer.get("anchors") or [])
        run.urgency = (answer.get("urgency") or {}).get("level")
        runs[answer["id"]] = run
    return runs


def interval(pairs, seed):
    """Difference of shares Σ found / Σ all with its interval. The same seed gives the same interval."""
    def difference(of):
        share = lambda at: sum(pair[at][0] for pair in of) / sum(pair[at][1] for pair in of)
        return share(1) - share(0)
    draw = random.Random(seed)
    drawn = sorted(difference(draw.choices(pairs, k=len(pairs))) for _ in range(RESAMPLES))
    share = lambda at: sum(pair[at][0] for pair in pairs) / sum(pair[at][1] for pair in pairs)
    return share(0), share(1), difference(pairs), drawn[int(0.025 * RESAMPLES)], drawn[int(0.975 * RESAMPLES) - 1]


def lost(without, with_model):
    """What an answer lacks of the one without the model, in words; None if nothing."""
    if with_model.ended != without.ended:
        return f"ended as {with_model.ended}, not {without.ended}"
    if with_model.urgency != without.urgency:
        return "another urgency"
    if (without.answer is None) != (with_model.answer is None):
        return "an answer only with the model" if without.answer is None else "no answer"
    if without.answer:
        for field in ("lines", "entities"):
            before, now = without.answer.get(field) or [], with_model.answer.get(field) or []
            if now[: len(before)] != before:
                return f"other {field}"
    return None


def compare(name, without, with_model, most, seed):
    """Prints a section; returns whether something was lost."""
    common = [id for id in without if id in with_model]
    print(f"\n### {name}\n\n{len(common)} questions; not in both: {len(set(without) ^ set(with_model))}.\n")
    if not common:
        return True
    # A run that ended early has lost what it did not reach.
    missing = [id for id in without if id not in with_model]
    print("| measure | questions | without | with | difference | 95 % interval | better, worse |\n|---|---|---|---|---|---|---|")
    bad = bool(missing)
    present = {measure for id in common for measure in without[id].measures}
    wanted = [m for m in (*GUARDED, *(m + "_by_part" for m in GUARDED), *ALSO) if m in present]
    for measure in wanted:
        pairs = [(without[id].measures[measure], with_model[id].measures[measure]) for id in common
                 if measure in without[id].measures and measure in with_model[id].measures]
        pairs = [pair for pair in pairs if pair[0][1] > 0 and pair[1][1] > 0]
        if not pairs:
            continue
        before, now, difference, low, high = interval(pairs, seed)
        of_each = [b[0] / b[1] - a[0] / a[1] for a, b in pairs]
        better, worse = sum(d > 1e-9 for d in of_each), sum(d < -1e-9 for d in of_each)
        print(f"| {measure} | {len(pairs)} | {before:.3f} | {now:.3f} | {difference:+.3f} | [{low:+.3f}, {high:+.3f}] | {better}, {worse} |")
        if measure not in ALSO and difference < -most - 1e-9:
            bad = True
    losses = [(id, why) for id in common if (why := lost(without[id], with_model[id]))]
    print(f"\nAnswers that lack what they have without the model: {len(losses)} of {len(common)}.")
    for id, why in losses[:10]:
        print(f"- {id}: {why}")
    added(common, without, with_model)
    times(common, without, with_model)
    return bad or bool(losses)


def added(common, without, with_model):
    parts, with_part, notes = collections.Counter(), collections.Counter(), collections.Counter()
    entities = anchors = chains = 0
    for id in common:
        a, b = without[id], with_model[id]
        if not (a.answer and b.answer):
            continue
        more = b.answer.get("lines", [])[len(a.answer.get("lines", [])):]
        parts.update(line["part"] for line in more)
        with_part.update({line["part"] for line in more})
        notes.update(note for line in more if (note := note_of(line)))
        entities += max(0, len(b.answer["entities"]) - len(a.answer["entities"]))
        anchors += b.anchors
        chains += max(0, b.kept - a.kept)
    print("\n| what the model adds | in all | to questions |\n|---|---|---|")
    for part, words in PARTS.items():
        print(f"| {words} | {parts[part]} | {with_part[part]} |")
    print(f"| entities of the answer | {entities} | |\n| anchors | {anchors} | |\n| kept chains | {chains} | |")
    if notes:
        print("\n| why its text stands apart or is left out | questions |\n|---|---|")
        for note, count in notes.most_common():
            print(f"| {note} | {count} |")


def times(common, without, with_model):
    rows = []
    for what, runs in (("without", without), ("with", with_model)):
        for moment in ("first answer", "hypothesis", "end"):
            all_of = sorted(runs[id].times[moment] for id in common if moment in runs[id].times)
            if all_of:
                rows.append((what, moment, statistics.median(all_of), all_of[int(0.95 * (len(all_of) - 1))], all_of[-1]))
    if rows:
        print("\n| time from the question to | median | 95 % | longest |\n|---|---|---|---|")
        for what, moment, median, most, longest in rows:
            print(f"| {moment}, {what} a model | {median:.0f} ms | {most:.0f} ms | {longest:.0f} ms |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("without")
    parser.add_argument("with_model", nargs="+", metavar="with")
    parser.add_argument("--questions", help="the questions with what is expected, where outputs of `ask --batch` are compared")
    parser.add_argument("--most", type=float, default=0.0, help="how far a measure may fall (default 0)")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    questions = lines_of(args.questions) if args.questions else None
    read = (lambda path: of_ask(path, questions)) if questions is not None else of_eval
    without = read(args.without)
    bad = [path for path in args.with_model if compare(pathlib.Path(path).stem, without, read(path), args.most, args.seed)]
    if bad:
        sys.exit("compare.py: something is lost in " + ", ".join(bad))


if __name__ == "__main__":
    main()
