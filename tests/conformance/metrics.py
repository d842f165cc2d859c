"""BERTScore by the package bert-score, and perplexity by transformers: the reference of tests/models/metrics.rs.

    python -m venv v && v/bin/pip install torch==2.5.1 transformers==4.57.6 accelerate==1.15.0 gguf==0.19.0 bert-score==0.3.13
    v/bin/python tests/conformance/metrics.py MINILM FILE.gguf tests/data/metric-reference.json

MINILM is the folder of all-MiniLM-L6-v2, FILE that of SmolLM2-135M-Instruct (Q4_1); `.ci/run` fetches both. transformers
turns the file's weights into 32-bit numbers and computes with these; `rounded` is the same with what the weights are
multiplied with rounded to 8 bits, as llama.cpp's kernels and Catena's do.
"""

import json
import os
import sys

import torch
from bert_score import BERTScorer
from bert_score.utils import get_bert_embedding, greedy_cos_idf
from transformers import AutoModelForCausalLM, AutoTokenizer

# A text and what it is compared with. The first are single sentences without a full stop: Catena reads texts sentence by
# sentence and leaves the full stop out, which only the last ones show.
PAIRS = [
    ("the patient has a fever and a headache", "a high temperature with pain of the head"),
    ("heartburn after meals is often caused by gastric reflux", "gastro-oesophageal reflux disease causes heartburn after eating"),
    ("proton pump inhibitors such as omeprazole are the first-line treatment", "omeprazole treats reflux oesophagitis"),
    ("warfarin with ibuprofen raises the risk of bleeding", "NSAIDs should be avoided in patients who take anticoagulants"),
    ("chest pain that spreads to the left arm needs an urgent ECG", "acute coronary syndrome is diagnosed by ECG and troponin"),
    ("metformin is contraindicated if the eGFR is below 30 mL/min", "do not give metformin in severe renal impairment"),
    ("polyuria, polydipsia and weight loss suggest diabetes mellitus", "thirst and frequent urination are signs of diabetes"),
    ("a potassium of 6.4 mmol/L with peaked T waves is an emergency", "hyperkalaemia can lead to cardiac arrest"),
    ("buy two tickets for the evening train", "iron-deficiency anaemia is treated with oral iron"),
    ("amoxicillin for five days", "amoxicillin for five days"),
    ("Crohn's disease, ulcerative colitis or coeliac disease", "inflammatory bowel disease (IBD): Crohn's disease"),
    ("levothyroxine", "underactive thyroid"),
    ("deep vein thrombosis of the left calf after a long flight, confirmed by compression ultrasound", "D-dimer"),
    ("no evidence of malignancy was found on biopsy", "the biopsy showed no malignancy"),
    ("take one tablet twice a day with food", "one tablet is taken twice daily, with meals"),
    ("Sjögren's syndrome presents with dry eyes and a dry mouth", "xerostomia and keratoconjunctivitis sicca"),
    ("fever > 39 °C & a stiff neck: exclude meningitis", "neck stiffness with fever suggests bacterial meningitis"),
    ("the child has had a barking cough since yesterday", "croup is a viral infection of the upper airway"),
    ("gout is treated with colchicine or naproxen", "allopurinol lowers uric acid and prevents gout"),
    ("migraine with aura is a contraindication for combined oral contraceptives", "oestrogen raises the risk of stroke in migraine with aura"),
    (
        "The most likely condition is gastro-oesophageal reflux disease. Tests: endoscopy, if symptoms persist. Omeprazole treats it.",
        "You probably have acid reflux. I would suggest a proton pump inhibitor. If it does not help, you need an endoscopy.",
    ),
    (
        "Migraine explains headache, nausea and photophobia. Sumatriptan treats an attack. It must not be given in coronary heart disease.",
        "This sounds like a migraine. Triptans help in an attack. Rest in a dark room.",
    ),
    (
        "Iron-deficiency anaemia fits fatigue and pallor. Test: ferritin. Treatment: ferrous sulfate.",
        "Fatigue has many causes. A blood count and ferritin show whether it is anaemia. Thyroid function should be tested, too.",
    ),
    (
        "Community-acquired pneumonia is likely. A chest X-ray confirms it. Amoxicillin is the first choice.",
        "It may be a chest infection. Your doctor listens to your chest and may order an X-ray. Antibiotics are needed if it is bacterial.",
    ),
]


def bert_scores(folder):
    """What the package says, and what it would if `[CLS]` and `[SEP]`, to which it gives no weight, were no matches either."""
    scorer = BERTScorer(model_type=folder, num_layers=6, idf=False, rescale_with_baseline=False, device="cpu")
    as_published = list(zip(*(each.tolist() for each in scorer.score([a for a, _ in PAIRS], [b for _, b in PAIRS]))))
    tokenizer = scorer._tokenizer
    weights = {token: 0 for token in (tokenizer.cls_token_id, tokenizer.sep_token_id)}
    for (text, reference), published in zip(PAIRS, as_published):
        sides = []
        for side in (text, reference):
            vectors, _, weight = get_bert_embedding([side], scorer._model, tokenizer, Weights(weights), device="cpu")
            of_text = weight[0] > 0
            sides.append((vectors[:, of_text], torch.ones(1, int(of_text.sum())).bool(), weight[:, of_text]))
        (a, mask_a, weight_a), (b, mask_b, weight_b) = sides
        words = greedy_cos_idf(b, mask_b, weight_b, a, mask_a, weight_a)
        yield dict(text=text, reference=reference, published=published, words=[float(each) for each in words])


class Weights(dict):
    """Weights of tokens: 1 where none is given, as bert-score has them without inverse document frequencies."""

    def __missing__(self, _):
        return 1.0


def perplexities(file):
    """The whole text's, without a token that begins it: the file says `tokenizer.ggml.add_bos_token = false`."""
    folder, name = os.path.split(os.path.abspath(file))
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=name)
    model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float32).eval()
    texts = sorted({text for pair in PAIRS for text in pair})
    lists = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts]

    @torch.no_grad()
    def perplexity(ids):
        return float(model(torch.tensor([ids]), labels=torch.tensor([ids])).loss.double().exp())

    exact = [perplexity(ids) for ids in lists]
    for layer in model.modules():
        if isinstance(layer, torch.nn.Linear):
            layer.register_forward_pre_hook(lambda _, values: (rounded(values[0]), *values[1:]))
    for text, ids, exact in zip(texts, lists, exact):
        yield dict(text=text, ids=ids, perplexity=exact, rounded=perplexity(ids))


def rounded(values):
    """Blocks of 32 values as bytes with a 16-bit scale each."""
    blocks = values.reshape(-1, 32)
    scale = (blocks.abs().amax(-1, keepdim=True) / 127).half().float().clamp_min(1e-12)
    return ((blocks / scale).round() * scale).reshape(values.shape)


def main(minilm, file, result):
    torch.set_num_threads(1)
    found = dict(bert_score=list(bert_scores(minilm)), perplexity=list(perplexities(file)))
    lists = [f'"{name}": [\n' + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]" for name, rows in found.items()]
    with open(result, "w", encoding="utf8") as out:
        out.write("{" + ",\n".join(lists) + "}\n")


main(*sys.argv[1:])
