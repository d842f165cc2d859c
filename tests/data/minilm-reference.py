"""Writes minilm-reference.json: the vectors of 50 texts as transformers and PyTorch compute them from all-MiniLM-L6-v2's weights.

    python minilm-reference.py FOLDER > minilm-reference.json

FOLDER holds the model's files. Needs torch, transformers (the numbers were computed with torch 2.15.0, transformers 5.23.0). The recipe is that of
sentence-transformers: at most 256 tokens, the mean over all tokens, length 1.
"""

import json
import sys

import torch
from transformers import AutoModel, AutoTokenizer

LONG = "The patient reports burning pain behind the breastbone after meals, worse when lying down, with regurgitation of sour fluid. "
TEXTS = [
    "heartburn",
    "acid reflux",
    "x",
    "A",
    "pain",
    "!",
    "...",
    "42",
    "myocardial infarction",
    "heart attack",
    "gastro-oesophageal reflux disease",
    "gastroesophageal reflux disease (GERD)",
    "Crohn's disease",
    "vitamin B12 deficiency anaemia",
    "HbA1c 7.4 % (57 mmol/mol)",
    "5-fluorouracil",
    "tumor necrosis factor alpha inhibitor",
    "non-steroidal anti-inflammatory drugs",
    "acetylsalicylic acid 100 mg once daily",
    "chronic obstructive pulmonary disease",
    "water pill",
    "shortness of breath on exertion",
    "I feel stomach reflux after eating. What medicine should I take?",
    "My knee hurts.",
    "Which tests confirm coeliac disease?",
    "The weather is lovely today.",
    "The quick brown fox jumps over the lazy dog.",
    "He said, \"it isn't so\" -- and left; nobody (not even she) replied...",
    "naïve café résumé Ménière's disease",
    "Sjögren's syndrome",
    "β-blocker and α-synuclein",
    "Temperatur 39,5 °C seit gestern, Müdigkeit und Übelkeit",
    "La paciente presenta dolor abdominal intenso.",
    "боль в животе",
    "心脏病",
    "高血压和糖尿病",
    "胃痛反酸，应该吃什么药？",
    "日本の病院で頭痛の薬をもらいました",
    "patient 病人 with fever 发热 39",
    "ＦＵＬＬ ｗｉｄｔｈ letters",
    "tabs\tand\nnewlines\r\nin between",
    "   surrounded by blanks   ",
    "UPPER CASE HEADACHE",
    "supercalifragilisticexpialidocious antidisestablishmentarianism",
    "pneumonoultramicroscopicsilicovolcanoconiosis",
    "a " * 30,
    LONG * 3,
    LONG * 12,
    "word " * 400,
    "Chest pain radiating to the left arm, sweating, nausea; ECG shows ST elevation in II, III, aVF; troponin I 12 ng/ml. " * 9,
]


def main():
    folder = sys.argv[1]
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder).eval()
    rows = []
    for text in TEXTS:
        inputs = tokenizer(text, truncation=True, max_length=256, return_tensors="pt")
        with torch.no_grad():
            states = model(**inputs).last_hidden_state[0]
        vector = torch.nn.functional.normalize(states.mean(0), dim=0)
        rows.append({"text": text, "tokens": inputs["input_ids"].shape[1], "vector": [round(x, 6) for x in vector.tolist()]})
    assert len(rows) == 50
    print("[" + ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows) + "]")


main()
