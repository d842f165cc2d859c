"""Whether a difference between Catena and llama.cpp is an error or rounding: the likeliest tokens of exact floats on the same file and the same tokens.

floats.py FILE.gguf RESULT.json [CATENA.txt]

Computes the model (architecture `llama`) with 64-bit floats on the tokens of tests/data/smollm2-reference.json, from the weights as the file has them and
without rounding activations to 8 bits. Writes the likeliest next token of each position, its logit, and how far the second one is below it. Runs llama.cpp on
the same tokens with settings that change nothing but its rounding. Prints how often likeliest tokens are the same; what the chat template puts before every
question counts once. CATENA.txt has the lines of tests/models/language_model/smollm2.rs (`CATENA_PARITY=all`) that say where Catena's likeliest token is not
llama.cpp's; elsewhere it counts as the same. Needs, beside what reference.py needs: pip install gguf
"""

import hashlib
import json
import os
import pathlib
import re
import sys

import gguf
import llama_cpp
import numpy

REFERENCE = pathlib.Path(__file__).parents[2] / "tests/data/smollm2-reference.json"
LINE = re.compile(r'("(?:[^"\\]|\\.)*"), position (\d+): (\d+) for (\d+), which leads by')
# The reference has the default settings, reads the prompt as one batch, and the tokens after it one by one.
SETTINGS = {
    "its cache in 32 bits instead of 16": {"type_k": 0, "type_v": 0},
    "flash attention": {"flash_attn": True},
    "the prompt token by token too": {"n_batch": 1, "n_ubatch": 1},
    "all tokens as one batch": {"whole": True},
}


class Floats:
    def __init__(self, path):
        file = gguf.GGUFReader(path)
        field = lambda name: file.fields[name].contents()
        assert field("general.architecture") == "llama"
        self.weights = {w.name: gguf.quants.dequantize(w.data, w.tensor_type).astype(numpy.float64) for w in file.tensors}
        self.layers = field("llama.block_count")
        self.heads, self.kv_heads = field("llama.attention.head_count"), field("llama.attention.head_count_kv")
        self.epsilon = field("llama.attention.layer_norm_rms_epsilon")
        rotated = field("llama.rope.dimension_count")
        self.frequencies = field("llama.rope.freq_base") ** (-numpy.arange(0, rotated, 2) / rotated)

    def linear(self, name, x):
        return x @ self.weights[name + ".weight"].T

    def norm(self, name, x):
        return x / numpy.sqrt((x * x).mean(axis=-1, keepdims=True) + self.epsilon) * self.weights[name + ".weight"]

    def rotate(self, x):
        """By position, the values 2i and 2i + 1 of a head as one pair: the files of `llama` have the rows of Q and K in that order."""
        angles = numpy.arange(x.shape[1])[:, None] * self.frequencies
        pairs = (x[..., 0::2] + 1j * x[..., 1::2]) * numpy.exp(1j * angles)
        return numpy.stack([pairs.real, pairs.imag], axis=-1).reshape(x.shape)

    def attention(self, block, x):
        length = len(x)
        split = lambda name, heads: self.linear(f"{block}.attn_{name}", x).reshape(length, heads, -1).swapaxes(0, 1)
        q, k, v = self.rotate(split("q", self.heads)), self.rotate(split("k", self.kv_heads)), split("v", self.kv_heads)
        k, v = (numpy.repeat(each, self.heads // self.kv_heads, axis=0) for each in (k, v))
        scores = q @ k.swapaxes(1, 2) / numpy.sqrt(q.shape[2]) + numpy.triu(numpy.full((length, length), -numpy.inf), 1)
        shares = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
        read = shares / shares.sum(axis=-1, keepdims=True) @ v
        return self.linear(f"{block}.attn_output", read.swapaxes(0, 1).reshape(length, -1))

    def logits(self, tokens):
        x = self.weights["token_embd.weight"][tokens]
        for block in (f"blk.{i}" for i in range(self.layers)):
            x = x + self.attention(block, self.norm(f"{block}.attn_norm", x))
            inner = self.norm(f"{block}.ffn_norm", x)
            gate = self.linear(f"{block}.ffn_gate", inner)
            x = x + self.linear(f"{block}.ffn_down", gate / (1 + numpy.exp(-gate)) * self.linear(f"{block}.ffn_up", inner))
        return self.linear("output" if "output.weight" in self.weights else "token_embd", self.norm("output_norm", x))


def llama(path, prompts, whole=False, **settings):
    """llama.cpp's likeliest tokens on given tokens."""
    model = llama_cpp.Llama(path, n_ctx=1024, n_threads=1, n_threads_batch=1, n_gpu_layers=0, logits_all=True, verbose=False, **settings)
    for prompt in prompts:
        model.reset()
        tokens, written = prompt["tokens"], prompt["written"]
        for piece in [tokens + written] if whole else [tokens, *([token] for token in written)]:
            model.eval(piece)
        yield numpy.argmax(model.scores[: model.n_tokens], axis=1)


def catena(path, prompts):
    """Catena's likeliest tokens: the reference's, but for what the lines of its test say."""
    best = {prompt["user"]: numpy.array(prompt["best"]) for prompt in prompts}
    for user, at, own, other in LINE.findall(pathlib.Path(path).read_text(encoding="utf-8")):
        row = best[json.loads(user)]
        assert row[int(at)] == int(other), f"{user}, position {at}: not the lines of this reference"
        row[int(at)] = int(own)
    return best.values()


def main(path, result, log=None):
    reference = json.loads(REFERENCE.read_text(encoding="utf-8"))
    prompts = reference["prompts"]
    assert hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest() == reference["sha256"], "not the file of the reference"
    starts = [0] + [len(os.path.commonprefix([before["tokens"], after["tokens"]])) for before, after in zip(prompts, prompts[1:])]
    counted = lambda rows: numpy.concatenate([row[start:] for row, start in zip(rows, starts)])

    model, floats = Floats(path), []
    for prompt in prompts:
        scores = model.logits(prompt["tokens"] + prompt["written"])
        first, second = -numpy.partition(-scores, 1, axis=1)[:, :2].T
        row = {"best": scores.argmax(axis=1), "logit": first.round(3), "margin": (first - second).round(3)}
        floats.append({"user": prompt["user"]} | {key: value.tolist() for key, value in row.items()})
        print(len(scores), prompt["user"][:50].replace("\n", " "), file=sys.stderr)
    pathlib.Path(result).write_text(json.dumps({"sha256": reference["sha256"], "prompts": floats}, ensure_ascii=False), encoding="utf-8")

    exact, theirs = (counted([row["best"] for row in rows]) for rows in (floats, prompts))
    apart = abs(counted([row["logit"] for row in floats]) - counted([row["logit"] for row in prompts]))
    share = lambda same: f"{same.sum()} of {same.size} positions ({same.mean():.2%})"
    print(f"llama.cpp's likeliest token is that of exact floats at {share(theirs == exact)}")
    print(f"logits of the likeliest tokens: {numpy.median(apart):.3f} apart in the median, {apart.max():.3f} at most")
    if log:
        ours = counted(catena(log, prompts))
        print(f"Catena's likeliest token is that of exact floats at {share(ours == exact)}, that of llama.cpp at {share(ours == theirs)}")
        sides = [(choice & (ours != theirs)).sum() for choice in (ours == exact, theirs == exact, (ours != exact) & (theirs != exact))]
        print("where the two differ, exact floats side with Catena {} times, with llama.cpp {}, with neither {}".format(*sides))
    for name, settings in SETTINGS.items():
        other = counted(llama(path, prompts, **settings))
        print(f"llama.cpp with {name}: that of the reference at {share(other == theirs)}, of exact floats at {share(other == exact)}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
