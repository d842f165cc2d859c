"""Trains W2NER on MiniLM: python train.py DATA MINILM OUT [--seed 1 --epochs 8 ...]

DATA holds ner-bc5cdr and ner-ncbi-disease; MINILM is the folder of all-MiniLM-L6-v2. OUT gets checkpoint.pt every 100 steps
(a run that is begun again goes on from it, and ends as one in a piece does), model.pt and figures.json.
"""
import argparse
import json
import os
import random
import time

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

import corpora
import questions
from grid import TAIL_HEAD, Words, decode, labels
from network import build


def options():
    p = argparse.ArgumentParser()
    for name in ("data", "minilm", "out"):
        p.add_argument(name)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--epochs", type=int, default=8)
    p.add_argument("--batch", type=int, default=16)
    p.add_argument("--encoder-lr", type=float, default=1.5e-4)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--questions", type=int, default=800, help="sentences in the form of questions, beside the corpora")
    p.add_argument("--with-devel", action="store_true", help="train on train and devel: the shipped weights, of which devel says nothing")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--steps", type=int, default=0, help="stop after so many steps: to measure the speed")
    p.add_argument("--halt-after", type=int, default=0, help="stop after so many epochs of this start; the next start goes on")
    return p.parse_args()


def windows(words, sentences):
    """Windows with their grids: (words, grid, source, sentence)."""
    made, lost = [], 0
    for number, (text, spans, source) in enumerate(sentences):
        parts, inside = list(words.windows(text)), 0
        for part in parts:
            begin, end = part[0][1], part[-1][2]
            here = [s for s in spans if begin <= s[0] and s[1] <= end]
            inside += len(here)
            grid, missing = labels(part, here)
            lost += missing
            made.append((part, grid, source, number))
        lost += len(spans) - inside
    return made, lost


def batches(made, size, rng):
    """Windows of about the same length together, in random order."""
    order = list(range(len(made)))
    rng.shuffle(order)
    pool, cut = size * 40, []
    for at in range(0, len(order), pool):
        part = sorted(order[at:at + pool], key=lambda i: sum(len(word[0]) for word in made[i][0]))
        cut += [part[i:i + size] for i in range(0, len(part), size)]
    rng.shuffle(cut)
    return [[made[i] for i in batch] for batch in cut]


def tensors(batch, words):
    b, n = len(batch), max(len(w[0]) for w in batch)
    p = max(len(word[0]) for w in batch for word in w[0])
    t = 2 + max(sum(len(word[0]) for word in w[0]) for w in batch)
    ids, piece_mask = np.zeros((b, t), np.int64), np.zeros((b, t), bool)
    pieces, word_mask, gold = np.zeros((b, n, p), np.int64), np.zeros((b, n), bool), np.full((b, n, n), -1, np.int64)
    for i, (window, grid, source, _) in enumerate(batch):
        flat = [words.first] + [piece for word in window for piece in word[0]] + [words.last]
        ids[i, :len(flat)], piece_mask[i, :len(flat)], word_mask[i, :len(window)] = flat, True, True
        gold[i, :len(window), :len(window)] = grid
        at = 1
        for j, word in enumerate(window):
            count = len(word[0])
            pieces[i, j] = [at + min(k, count - 1) for k in range(p)]
            at += count
    # The NCBI corpus marks no chemicals: that label takes no part there.
    masked = torch.tensor([w[2] == "ncbi" for w in batch])
    return (*map(torch.from_numpy, (ids, piece_mask, pieces, word_mask)), torch.from_numpy(gold), masked)


def predict(model, made, words, size=32):
    """The mentions of each window: [(begin, end, type)], or with gaps as several parts."""
    order, found = sorted(range(len(made)), key=lambda i: len(made[i][0])), {}
    model.eval()
    with torch.no_grad():
        for at in range(0, len(order), size):
            batch = [made[i] for i in order[at:at + size]]
            *inputs, _, _ = tensors(batch, words)
            grids = model(*inputs).argmax(-1).numpy()
            for i, (window, *_), grid in zip(order[at:at + size], batch, grids):
                n = len(window)
                found[i] = {(tuple(path), kind) for path, kind in decode(grid[:n, :n].tolist())}
    return [found[i] for i in range(len(made))]


def score(made, found):
    """Strict span F1 by corpus and type, in percent."""
    counts = {}
    for (_, grid, source, _), got in zip(made, found):
        gold = {(tuple(path), kind) for path, kind in decode(grid.tolist())}
        for kind in (0, 1):
            if source == "ncbi" and kind == 0:
                continue
            c = counts.setdefault(f"{source} {corpora.TYPES[kind]}", [0, 0, 0])
            g, f = {m for m in gold if m[1] == kind}, {m for m in got if m[1] == kind}
            c[0] += len(g & f)
            c[1] += len(f)
            c[2] += len(g)
    return {key: {"precision": round(tp / max(f, 1), 4), "recall": round(tp / max(g, 1), 4), "f1": round(2 * tp / max(f + g, 1), 4)}
            for key, (tp, f, g) in counts.items()}


def main():
    o = options()
    os.makedirs(o.out, exist_ok=True)
    torch.set_num_threads(o.threads)
    torch.manual_seed(o.seed)
    words = Words(Tokenizer.from_file(os.path.join(o.minilm, "tokenizer.json")))
    words.tokeniser.no_truncation()
    words.tokeniser.no_padding()
    train = corpora.read(o.data, "train") + (corpora.read(o.data, "devel") if o.with_devel else [])
    names = [[text[b:e] for text, spans, _ in train for b, e, k in spans if k == kind] for kind in (0, 1)]
    train, lost = windows(words, train + questions.sentences(o.questions, names, o.seed))
    devel, lost_devel = windows(words, corpora.read(o.data, "devel"))
    print(f"{len(train)} windows to train on, {lost} mentions do not fit; devel {len(devel)}, {lost_devel}", flush=True)
    model = build(o.minilm)
    encoder = list(model.encoder.parameters())
    known = {id(p) for p in encoder}
    head = [p for p in model.parameters() if id(p) not in known]
    optimiser = torch.optim.AdamW([{"params": encoder, "lr": o.encoder_lr}, {"params": head, "lr": o.lr}], weight_decay=0.01, fused=True)
    total = o.epochs * -(-len(train) // o.batch)
    warm = total // 15
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda s: min((s + 1) / warm, max(0.02, (total - s) / (total - warm))))
    checkpoint, begun, done, sum_loss, history = os.path.join(o.out, "checkpoint.pt"), 0, 0, 0.0, []

    def save(epoch, step, sum_loss):
        state = {"model": model.state_dict(), "optimiser": optimiser.state_dict(), "schedule": schedule.state_dict(), "epoch": epoch,
                 "step": step, "sum_loss": sum_loss, "history": history}
        torch.save(state, checkpoint + ".new")
        os.replace(checkpoint + ".new", checkpoint)

    if os.path.exists(checkpoint):
        saved = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(saved["model"]), optimiser.load_state_dict(saved["optimiser"]), schedule.load_state_dict(saved["schedule"])
        begun, done, sum_loss, history = saved["epoch"], saved.get("step", 0), saved.get("sum_loss", 0.0), saved["history"]
        print(f"goes on after epoch {begun}, step {done}", flush=True)
    for epoch in range(begun, o.epochs):
        model.train()
        start, first = time.time(), done
        for step, batch in enumerate(batches(train, o.batch, random.Random(o.seed * 1000 + epoch))):
            if step < done:
                continue
            # Each step has its own seed, so a run that was interrupted sees what one in a piece sees.
            torch.manual_seed((o.seed * 1000 + epoch) * 100_000 + step)
            *inputs, gold, masked = tensors(batch, words)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = model(*inputs)
            chemical = torch.zeros_like(logits[:, :1, :1])
            chemical[masked, :, :, TAIL_HEAD] = -1e4
            loss = F.cross_entropy((logits + chemical).flatten(0, 2), gold.flatten(), ignore_index=-1, reduction="sum") / (gold >= 0).sum()
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimiser.step()
            schedule.step()
            sum_loss += loss.item()
            speed = (time.time() - start) / (step + 1 - first)
            if step % 50 == 49:
                print(f"epoch {epoch + 1} step {step + 1} loss {sum_loss / (step + 1):.5f} {speed:.3f} s/step", flush=True)
            if step % 100 == 99:
                save(epoch, step + 1, sum_loss)
            if o.steps and step + 1 >= o.steps:
                return print(f"{speed:.3f} s/step")
        quick = random.Random(0).sample(devel, 500)
        figures = score(quick, predict(model, quick, words))
        history.append({"epoch": epoch + 1, "loss": sum_loss / (step + 1), "seconds": time.time() - start, "devel_500": figures})
        print(json.dumps(history[-1]), flush=True)
        done, sum_loss = 0, 0.0
        save(epoch + 1, 0, 0.0)
        if o.halt_after and epoch + 1 - begun >= o.halt_after:
            return
    figures = score(devel, predict(model, devel, words))
    torch.save(model.state_dict(), os.path.join(o.out, "model.pt"))
    with open(os.path.join(o.out, "figures.json"), "w") as file:
        json.dump({"seed": o.seed, "epochs": o.epochs, "with_devel": o.with_devel, "devel": figures, "history": history}, file, indent=1)
    print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
