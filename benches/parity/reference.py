"""What llama.cpp (llama-cpp-python) computes on the GGUF file of SmolLM2-135M-Instruct: the reference of tests/models/language_model/smollm2.rs.

reference.py FILE.gguf RESULT.json

For each prompt: its tokens in the model's own chat template, 64 tokens written greedily, and for each position of both the likeliest next token, its logit, and
how far the second one is below it.
"""

import hashlib
import json
import sys

import llama_cpp
import numpy
from llama_cpp.llama_chat_format import Jinja2ChatFormatter

WRITTEN = 64
PROMPTS = [
    "What helps against heartburn after meals?",
    "I have had a dull headache behind my eyes for three days and my nose is blocked. What could it be?",
    "Name three drugs that lower blood pressure.",
    "Is ibuprofen safe in the third trimester of pregnancy?",
    "A 54-year-old man has chest pain that spreads to his left arm, and he sweats. What should be done first?",
    "My father takes warfarin. Which painkillers should he avoid, and why?",
    "List the symptoms of iron-deficiency anaemia, one on each line.",
    "What does a TSH of 9.8 mIU/L with a normal free T4 mean?",
    "Explain the difference between type 1 and type 2 diabetes to a ten-year-old.",
    "Which vaccines does a healthy adult of 65 need?",
    "The patient denies fever, cough and weight loss. Lungs are clear. What is unlikely?",
    "Write a JSON object with the fields head, relation and tail that says that metformin treats type 2 diabetes.",
    "How is a urinary tract infection diagnosed in a woman with burning when passing urine?",
    "What are red flags in low back pain?",
    "Potassium is 6.4 mmol/L and the ECG shows peaked T waves. What now?",
    "胃食管反流病应该怎么治疗？",
    "孩子发烧三天，咳嗽，应该注意什么？",
    "Translate into French: Take one tablet twice a day with food.",
    "Question: which organ makes insulin?\nAnswer:",
    "Repeat the word 'reflux' exactly four times.",
]


def main(path, result):
    with open(path, "rb") as file:
        checksum = hashlib.file_digest(file, "sha256").hexdigest()
    model = llama_cpp.Llama(path, n_ctx=1024, n_threads=1, n_threads_batch=1, n_gpu_layers=0, logits_all=True, verbose=False)
    text = lambda token: model.detokenize([token], special=True).decode()
    form = Jinja2ChatFormatter(
        template=model.metadata["tokenizer.chat_template"], eos_token=text(model.token_eos()), bos_token=text(model.token_bos())
    )
    prompts = []
    for user in PROMPTS:
        rendered = form(messages=[{"role": "user", "content": user}]).prompt
        tokens = model.tokenize(rendered.encode(), add_bos=False, special=True)
        model.reset()
        model.eval(tokens)
        written = []
        while len(written) < WRITTEN:
            token = int(numpy.argmax(model.scores[model.n_tokens - 1]))
            if token == model.token_eos():
                break
            written.append(token)
            model.eval([token])
        scores = model.scores[: model.n_tokens]
        best = numpy.argmax(scores, axis=1)
        two = -numpy.partition(-scores, 1, axis=1)[:, :2]
        prompts.append(
            {
                "user": user,
                "tokens": tokens,
                "written": written,
                "best": best.tolist(),
                "logit": [round(float(x), 3) for x in two[:, 0]],
                "margin": [round(float(x), 3) for x in two[:, 0] - two[:, 1]],
            }
        )
        print(len(tokens), len(written), user[:50].replace("\n", " "), file=sys.stderr)
    with open(result, "w", encoding="utf-8") as file:
        head = json.dumps({"version": llama_cpp.__version__, "sha256": checksum})
        lines = ",\n".join(json.dumps(prompt, ensure_ascii=False, separators=(",", ":")) for prompt in prompts)
        file.write(head[:-1] + ', "prompts": [\n' + lines + "\n]}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
