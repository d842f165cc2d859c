"""Measures onnxruntime (f32) on the texts that the benchmark wrote, and writes peers.json.

    python peers.py DIR MODEL

DIR holds texts.json ({"names": [...], "queries": [...]}); MODEL is the folder of all-MiniLM-L6-v2. The ONNX file is exported from the same
model.safetensors with torch.onnx and optimised by onnxruntime itself. Texts are cut by the same tokenizer.json.
"""

import json
import statistics
import sys
import time
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

BATCH, ROUNDS, THREADS = 64, 9, 2


def export(model, path):
    import torch
    from transformers import AutoModel

    class States(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.network = AutoModel.from_pretrained(model, attn_implementation="eager").eval()

        def forward(self, input_ids, attention_mask, token_type_ids):
            return self.network(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids).last_hidden_state

    names = ["input_ids", "attention_mask", "token_type_ids"]
    axes = {name: {0: "batch", 1: "tokens"} for name in [*names, "states"]}
    example = tuple(torch.ones((2, 8), dtype=torch.long) for _ in names)
    with torch.no_grad():
        torch.onnx.export(
            States(), example, str(path), input_names=names, output_names=["states"], dynamic_axes=axes, opset_version=17, dynamo=False
        )


class Peer:
    def __init__(self, model, path):
        self.tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
        self.tokenizer.enable_truncation(256)
        self.tokenizer.enable_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = THREADS
        options.inter_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        self.session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def encode(self, texts):
        encoded = self.tokenizer.encode_batch(texts)
        ids = np.array([e.ids for e in encoded], dtype=np.int64)
        mask = np.array([e.attention_mask for e in encoded], dtype=np.int64)
        (states,) = self.session.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)})
        vectors = (states * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def throughput(peer, names):
    """Names a second: the median of several rounds over all names, and the fastest."""
    rounds = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        for at in range(0, len(names), BATCH):
            peer.encode(names[at : at + BATCH])
        rounds.append(len(names) / (time.perf_counter() - began))
    return {"median": statistics.median(rounds), "fastest": max(rounds)}


def latency(peer, queries):
    """Milliseconds for each query by itself: median and 99th percentile."""
    times = []
    for _ in range(ROUNDS):
        for query in queries:
            began = time.perf_counter()
            peer.encode([query])
            times.append((time.perf_counter() - began) * 1e3)
    times.sort()
    return {"median": statistics.median(times), "p99": times[int(len(times) * 0.99)]}


def main():
    folder, model = Path(sys.argv[1]), Path(sys.argv[2])
    texts = json.loads((folder / "texts.json").read_text())
    path = folder / "minilm.onnx"
    if not path.exists():
        export(model, path)
    peer = Peer(model, path)
    names = texts["names"]
    by_length = sorted(names, key=lambda name: len(peer.tokenizer.encode(name).tokens))
    peer.encode(names[:BATCH])
    result = {
        "version": onnxruntime.__version__,
        "throughput": throughput(peer, names),
        "throughput_by_length": throughput(peer, by_length),
        "latency": latency(peer, texts["queries"]),
        "vectors": [[round(float(x), 6) for x in vector] for vector in peer.encode(names[:8])],
    }
    (folder / "peers.json").write_text(json.dumps(result))
    print(json.dumps({key: result[key] for key in result if key != "vectors"}), file=sys.stderr)


if __name__ == "__main__":
    main()
