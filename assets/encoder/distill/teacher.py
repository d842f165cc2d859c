"""all-MiniLM-L6-v2 on a CPU through OpenVINO: texts -> unit vectors (n, 384)."""
import os
import sys

import numpy as np
import openvino as ov
import openvino.opset13 as op
from safetensors.numpy import load_file
from tokenizers import Tokenizer

HEADS, WIDTH, EPS = 12, 384, 1e-12


def build(weights):
    ids, mask = op.parameter([-1, -1], np.int64, "ids"), op.parameter([-1, -1], np.float32, "mask")
    const = lambda x, t=np.float32: op.constant(np.asarray(x, t))
    axis = lambda *a: const(a, np.int64)

    def norm(x, name):
        x = op.mvn(x, axis(-1), True, EPS, "inside_sqrt")
        return op.add(op.multiply(x, const(weights[name + ".weight"])), const(weights[name + ".bias"]))

    def dense(x, name):
        return op.add(op.matmul(x, const(weights[name + ".weight"]), False, True), const(weights[name + ".bias"]))

    def heads(x):
        return op.transpose(op.reshape(x, axis(0, 0, HEADS, WIDTH // HEADS), True), axis(0, 2, 1, 3))

    e = "embeddings."
    length = op.gather(op.shape_of(ids), const(1, np.int64), const(0, np.int64))
    places = op.range(const(0, np.int64), length, const(1, np.int64), "i64")
    x = op.gather(const(weights[e + "word_embeddings.weight"]), ids, const(0, np.int64))
    x = op.add(x, op.gather(const(weights[e + "position_embeddings.weight"]), places, const(0, np.int64)))
    x = norm(op.add(x, const(weights[e + "token_type_embeddings.weight"][:1])), e + "LayerNorm")
    hidden = op.multiply(op.subtract(const(1), op.unsqueeze(mask, axis(1, 2))), const(-1e4))
    for i in range(6):
        l = f"encoder.layer.{i}."
        q, k, v = (heads(dense(x, f"{l}attention.self.{n}")) for n in ("query", "key", "value"))
        a = op.scaled_dot_product_attention(q, k, v, hidden)
        a = op.reshape(op.transpose(a, axis(0, 2, 1, 3)), axis(0, 0, WIDTH), True)
        x = norm(op.add(x, dense(a, l + "attention.output.dense")), l + "attention.output.LayerNorm")
        h = op.gelu(dense(x, l + "intermediate.dense"), "erf")
        x = norm(op.add(x, dense(h, l + "output.dense")), l + "output.LayerNorm")
    total = op.reduce_sum(op.multiply(x, op.unsqueeze(mask, axis(2))), axis(1), False)
    return ov.Model([op.normalize_l2(total, axis(1), 1e-12, "max")], [ids, mask])


class Teacher:
    def __init__(self, folder, threads=2, precision="f32"):
        model = build(load_file(os.path.join(folder, "model.safetensors")))
        self.run = ov.Core().compile_model(
            model, "CPU", {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": precision})
        self.tok = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self.tok.no_padding()
        self.tok.enable_truncation(128)

    def __call__(self, texts, tokens=2048, verbose=False):
        """Sorts by length and fills batches of about `tokens` tokens."""
        texts = list(texts)
        rows = [e.ids for e in self.tok.encode_batch(texts)]
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
        out, at, n = np.zeros((len(rows), WIDTH), np.float32), 0, 0
        while at < len(order):
            size = max(1, tokens // max(1, len(rows[order[at]])))
            part = order[at:at + size]
            long = len(rows[part[-1]])
            ids, mask = np.zeros((len(part), long), np.int64), np.zeros((len(part), long), np.float32)
            for j, i in enumerate(part):
                ids[j, :len(rows[i])], mask[j, :len(rows[i])] = rows[i], 1
            out[part] = self.run((ids, mask))[0]
            at, n = at + len(part), n + 1
            if verbose and n % 500 == 0:
                print(f"  teacher {at}/{len(order)}", file=sys.stderr, flush=True)
        return out
