"""Writes the folder that Catena reads: python export.py DATA MINILM RUN FOLDER

RUN is the folder of a finished training (or of one under way: its checkpoint is taken). FOLDER gets config.json, tokenizer.json, w2ner.json and
model.safetensors: the encoder's matrices as bytes with a scale for each row,
those of the grid as half floats, the rest as floats. RUN gets parity.iob: 1,000 sentences of devel
with the mentions that the network finds here, in floats. `catena eval --ner RUN/parity.iob --recogniser w2ner` then tells how well
the bytes agree with them.
"""
import json
import os
import random
import shutil
import sys

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer

import corpora
from grid import Words
from network import BIAFFINE, CHANNELS, MLP, PLACE, WORD, build
from train import predict, score, windows


def as_bytes(weight):
    """A matrix in bytes, and the scale of each row."""
    rows = weight.flatten(1)
    scale = (rows.abs().amax(1) / 127).clamp(min=1e-12)
    return (rows / scale[:, None]).round().clamp(-127, 127).to(torch.int8).view(weight.shape), scale.float()


def tensors(model):
    names = {"encoder." + own: name for own, name in model.encoder.names().items()}
    out = {}
    for own, weight in model.state_dict().items():
        name = names.get(own, "w2ner." + own)
        if weight.dim() == 2 and own.startswith("encoder."):
            out[name], out[name + ".scale"] = as_bytes(weight)
        else:
            # The grid is small, and decides between labels: half floats.
            out[name] = (weight.half() if weight.dim() >= 2 else weight.float()).contiguous()
    return out


def rounded(model, out):
    """The network with the weights that the bytes stand for."""
    names = {"encoder." + own: name for own, name in model.encoder.names().items()}
    state = {}
    for own, weight in model.state_dict().items():
        name = names.get(own, "w2ner." + own)
        scale = out.get(name + ".scale")
        state[own] = out[name].float() if scale is None else out[name].float() * scale.view(-1, *[1] * (weight.dim() - 1))
    model.load_state_dict(state)


def write_iob(path, made, found):
    with open(path, "w", encoding="utf-8") as file:
        for (window, _, _, text), mentions in zip(made, found):
            tags = ["O"] * len(window)
            for mention, kind in sorted(mentions):
                if mention[-1] - mention[0] + 1 == len(mention) and all(tags[i] == "O" for i in mention):
                    tags[mention[0]] = "B-" + corpora.TYPES[kind]
                    for i in mention[1:]:
                        tags[i] = "I-" + corpora.TYPES[kind]
            file.write("".join(f"{text[w[1]:w[2]]}\t{tag}\n" for w, tag in zip(window, tags)) + "\n")


def main():
    data, minilm, run, folder = sys.argv[1:5]
    torch.set_num_threads(1)
    os.makedirs(folder, exist_ok=True)
    model = build(minilm)
    finished = os.path.join(run, "model.pt")
    state = torch.load(finished, weights_only=True) if os.path.exists(finished) else torch.load(os.path.join(run, "checkpoint.pt"), weights_only=True)["model"]
    model.load_state_dict(state)
    words = Words(Tokenizer.from_file(os.path.join(minilm, "tokenizer.json")))
    words.tokeniser.no_truncation()
    words.tokeniser.no_padding()
    sentences = random.Random(0).sample(corpora.read(data, "devel"), 1000)
    made, _ = windows(words, sentences)
    made = [(window, grid, source, sentences[number][0]) for window, grid, source, number in made]
    found = predict(model, made, words)
    write_iob(os.path.join(run, "parity.iob"), made, found)
    out = tensors(model)
    rounded(model, out)
    of_bytes = predict(model, made, words)
    same = sum(len(a & b) for a, b in zip(found, of_bytes))
    print("floats", json.dumps(score(made, found)))
    print("bytes", json.dumps(score(made, of_bytes)))
    print(f"F1 between the two: {2 * same / (sum(map(len, found)) + sum(map(len, of_bytes))):.5f}")
    save_file(out, os.path.join(folder, "model.safetensors"), metadata={"format": "pt"})
    shutil.copy(os.path.join(minilm, "tokenizer.json"), folder)
    with open(os.path.join(minilm, "config.json")) as file:
        config = json.load(file)
    config["architectures"], config["_name_or_path"] = ["BertModel"], "catena-w2ner"
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump(config, file, indent=1)
    sizes = {"word": WORD, "channels": CHANNELS, "mlp": MLP, "biaffine": BIAFFINE, "place": PLACE, "dilations": [1, 2, 3]}
    with open(os.path.join(folder, "w2ner.json"), "w") as file:
        json.dump({"form": 1, "types": corpora.TYPES, **sizes}, file, indent=1)


if __name__ == "__main__":
    main()
