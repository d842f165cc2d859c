#!/usr/bin/env python3
"""What the recogniser changes in an evaluation: the difference of two runs of `catena eval` on the same questions.

    for r in w2ner gazetteer; do
        CATENA_RECOGNISER=$r catena eval QUESTIONS --method catena,hykge --limit 300 --seed 0 --kg KG --out FOLDER-$r
    done
    python3 benches/ner/effect.py FOLDER-w2ner FOLDER-gazetteer

Measures are shares of sums over questions (first minus second), with a paired bootstrap: 1,000 samples, seed 20, the middle 95 %.
"""
import json, os, random, sys

SAMPLES, SEED = 1000, 20


def rows(folder):
    found = {}
    for row in map(json.loads, open(os.path.join(folder, "results.jsonl"), encoding="utf-8")):
        found[row["arm"]["method"], row["id"]] = row["scores"]
    return found


def main():
    first, second = rows(sys.argv[1]), rows(sys.argv[2])
    both = sorted(first.keys() & second.keys())
    for method in sorted({method for method, _ in both}):
        pairs = [(first[key], second[key]) for key in both if key[0] == method]
        measures = sorted({name for pair in pairs for name in pair[0].keys() & pair[1].keys() if not name.endswith("_ms")})
        print(f"{method}, {len(pairs)} questions")
        for name in measures:
            scored = [(a[name], b[name]) for a, b in pairs if name in a and name in b]
            rng = random.Random(SEED)

            def difference(sample):
                share = lambda side: sum(pair[side]["found"] for pair in sample) / (sum(pair[side]["all"] for pair in sample) or 1)
                return share(0) - share(1)

            spread = sorted(difference(rng.choices(scored, k=len(scored))) for _ in range(SAMPLES))
            low, high = spread[int(0.025 * (SAMPLES - 1))], spread[round(0.975 * (SAMPLES - 1))]
            differing = sum(a["found"] != b["found"] or a["all"] != b["all"] for a, b in scored)
            print(f"  {name}: {difference(scored):+.4f} ({low:+.4f} to {high:+.4f}); {differing} of {len(scored)} questions differ")


if __name__ == "__main__":
    main()
