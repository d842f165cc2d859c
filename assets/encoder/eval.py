"""Static encoder beside its teacher: python eval.py DATA TEACHER [MODEL] [--cache teacher.npz] [--more]

DATA holds onto-doid/, TEACHER is the folder of all-MiniLM-L6-v2, MODEL the folder of encoder.safetensors and vocab.txt.
"""
import argparse
import os
import random
import sys

import numpy as np
from scipy.stats import spearmanr

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "distill"))
from doid import linking
from encoder import Encoder
from spelling import british, typo


def tsv(name):
    return [line.rstrip("\n").split("\t") for line in open(os.path.join(HERE, name), encoding="utf-8")]


def tasks(data):
    names, links = linking(data)
    lay = tsv("lay_pairs.tsv")
    lay_names = sorted({b for _, b in lay} | {line[0] for line in tsv("lay_names.txt")})
    rng = random.Random(3)
    pool = sorted(n for n in names if len(n) > 8)
    slips = [(typo(n.lower(), rng), n) for n in rng.sample(pool, 500)]
    uk = [(british(n.lower()), n) for n in pool if british(n.lower()) != n.lower()]
    return {"DOID synonyms": (links, names), "lay phrases": (lay, lay_names),
            "typing errors": (slips, names), "British spelling": (rng.sample(uk, min(300, len(uk))), names)}


def retrieval(embed, pairs, names):
    """Scores of the best name, whether it is right, cosine of the right one, right one among the best five."""
    place = {n: i for i, n in enumerate(names)}
    gold = np.array([place[b] for _, b in pairs])
    s = embed([a for a, _ in pairs]) @ embed(names).T
    best = s.argmax(1)
    right = s[np.arange(len(gold)), gold]
    return s.max(1), best == gold, right, (s > right[:, None]).sum(1) < 5


def precision(score, hit, at):
    taken = score >= at
    return hit[taken].mean() if taken.any() else 0.0, taken.mean()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("data")
    p.add_argument("teacher")
    p.add_argument("model", nargs="?", default=HERE)
    p.add_argument("--cache")
    p.add_argument("--more", action="store_true", help="list the lay phrases that fail")
    o = p.parse_args()
    static = Encoder(o.model)
    jobs, pairs = tasks(o.data), tsv("term_pairs.tsv")
    texts = sorted({t for q, n in jobs.values() for t in [a for a, _ in q] + n} | {t for r in pairs for t in r[:2]})
    vectors = None
    if o.cache and os.path.exists(o.cache):
        saved = np.load(o.cache, allow_pickle=True)
        if list(saved["texts"]) == texts:
            vectors = saved["vectors"]
    if vectors is None:
        from teacher import Teacher
        vectors = Teacher(o.teacher)(texts)
        if o.cache:
            np.savez(o.cache, texts=np.array(texts, object), vectors=vectors)
    place = {t: i for i, t in enumerate(texts)}
    teacher = lambda ts: vectors[[place[t] for t in ts]]

    cos = {}
    for name, embed in (("static", static), ("teacher", teacher)):
        cos[name] = (embed([r[0] for r in pairs]) * embed([r[1] for r in pairs])).sum(1)
    print(f"term pairs: Spearman {spearmanr(cos['static'], cos['teacher'])[0]:.4f}, "
          f"mean absolute difference {np.abs(cos['static'] - cos['teacher']).mean():.4f}")
    result = {}
    for job, (queries, names) in jobs.items():
        for name, embed in (("static", static), ("teacher", teacher)):
            score, hit, right, five = result[job, name] = retrieval(embed, queries, names)
            print(f"{job:17} {name:8} n {len(queries):4} of {len(names):4}  top-1 {hit.mean():.3f}  top-5 {five.mean():.3f}  "
                  f"mean cosine to its term {right.mean():.3f}")
            if o.more and job.startswith("lay") and name == "static":
                s = embed([a for a, _ in queries]) @ embed(names).T
                for i in np.flatnonzero(~hit):
                    print("   ", queries[i], [names[j] for j in np.argsort(-s[i])[:3]])
    score, hit = result["DOID synonyms", "teacher"][:2]
    s_score, s_hit = result["DOID synonyms", "static"][:2]
    for at in (0.6, 0.7, 0.8):
        want, taken = precision(score, hit, at)
        equal = next((x for x in np.arange(0.3, 1, 0.01) if precision(s_score, s_hit, x)[0] >= want), 1.0)
        kept = next((x for x in np.arange(1, 0, -0.01) if precision(s_score, s_hit, x)[1] >= taken), 0.0)
        print(f"teacher at {at:.2f}: precision {want:.3f}, answers {taken:.3f};  static reaches this precision at {equal:.2f} "
              f"(answers {precision(s_score, s_hit, equal)[1]:.3f}), these answers at {kept:.2f} "
              f"(precision {precision(s_score, s_hit, kept)[0]:.3f})")
    print("static:", "  ".join(f"{x:.2f}: {a:.3f}/{b:.3f}" for x in (.5, .55, .6, .65, .7, .75, .8, .85, .9)
                               for a, b in [precision(s_score, s_hit, x)]), "(precision/answers)")


if __name__ == "__main__":
    main()
