"""Test values for other implementations: python reference.py MODEL > reference.json"""
import json
import sys

import numpy as np

from encoder import Encoder

TEXTS = ["heartburn", "acid reflux", "water pill", "diuretic", "can't stop worrying", "Generalized anxiety disorder",
         "I can’t sleep at night because of the pain in my chest.", "chest pain, shortness of breath; sweating",
         "diarrhoea", "diarrhea", "oesophageal haemorrhage", "esophageal hemorrhage", "hypertenshun", "hypertension",
         "pnuemonia", "pneumonia", "Sjögren's syndrome", "Ménière disease", "COVID-19", "type 2 diabetes mellitus",
         "5 mg/kg twice daily", "120/80 mmHg", "IL-6 receptor antibody tocilizumab", "pseudopseudohypoparathyroidism",
         "头痛", "头疼", "糖尿病", "2型糖尿病", "我最近总是失眠，还有点焦虑", "失眠 焦虑", "diabetes 糖尿病", "维生素C缺乏",
         "", "   ", "😀", "😀 happy", "α-synuclein", "µg of β-blocker", "ＷＡＴＥＲ pill", "UPPER lower MiXeD\tTabs\nand lines"]
PAIRS = [(0, 1), (2, 3), (4, 5), (6, 4), (7, 6), (8, 9), (10, 11), (12, 13), (14, 15), (16, 17), (18, 15), (19, 26),
         (24, 25), (26, 27), (28, 29), (30, 26), (30, 19), (32, 0), (36, 37), (38, 2)]

if __name__ == "__main__":
    encoder = Encoder(sys.argv[1])
    sums = [encoder.sum(t).astype(float) for t in TEXTS]
    norms = [float(np.linalg.norm(s)) for s in sums]
    cosine = lambda i, j: float(sums[i] @ sums[j] / (norms[i] * norms[j])) if norms[i] * norms[j] else 0.0
    json.dump({"texts": [{"text": t, "norm": round(n, 6), "sum_first_8": [round(float(x), 6) for x in s[:8]]}
                         for t, s, n in zip(TEXTS, sums, norms)],
               "pairs": [{"a": TEXTS[i], "b": TEXTS[j], "cosine": round(cosine(i, j), 6)} for i, j in PAIRS]},
              sys.stdout, ensure_ascii=False, indent=1)
    print()
