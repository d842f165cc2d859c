"""Reference implementation of SPEC.md: text -> features -> vector, in numpy."""
import os

import numpy as np
from safetensors import safe_open
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

JOIN = ("'", "’", "-")  # do not part a phrase
MASK64 = (1 << 64) - 1
CJK = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
       (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F))


def fnv1a(data):
    h = 0xCBF29CE484222325
    for b in data:
        h = ((h ^ b) * 0x100000001B3) & MASK64
    return h


def signs(h, dim):
    """+-1 vector: bit k of the j-th splitmix64 output (state starts at h) is component 64j+k; 1 is +1."""
    out = np.empty(dim, np.float32)
    for j in range(dim // 64):
        h = (h + 0x9E3779B97F4A7C15) & MASK64
        z = h
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK64
        z ^= z >> 31
        for k in range(64):
            out[64 * j + k] = 1.0 if z >> k & 1 else -1.0
    return out


def is_cjk(word):
    return len(word) == 1 and any(a <= ord(word) <= b for a, b in CJK)


def grams(word):
    s = f"<{word}>"
    return [s[i:i + n] for n in (3, 4, 5) for i in range(len(s) - n + 1)]


class Features:
    """Words of a text, and the rows (with weights) of each word: vocabulary rows, then hash buckets."""

    def __init__(self, vocab, buckets):
        self.vocab, self.buckets = {w: i for i, w in enumerate(vocab)}, buckets
        self.norm = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=True, lowercase=True)
        self.pre = pre_tokenizers.BertPreTokenizer()
        self.piece = models.WordPiece(self.vocab, unk_token="[UNK]", max_input_chars_per_word=100)
        self.cache = {}

    def words(self, text):
        return [w for w, _ in self.pre.pre_tokenize_str(self.norm.normalize_str(text))]

    def text(self, text):
        """All (row, weight) of a text, CJK runs aside: its words, and its pairs of neighbours that are phrases."""
        out, last = [], None
        for w in self.words(text):
            rows = self.rows(w)
            out += rows
            if rows:
                row = self.vocab.get(f"{last} {w}") if last else None
                if row is not None:
                    out.append((row, 1.0))
                last = w
            elif w not in JOIN:
                last = None
        return out

    def rows(self, word):
        if word not in self.cache:
            self.cache[word] = self._rows(word)
        return self.cache[word]

    def _rows(self, word):
        if word in self.vocab:
            return [(self.vocab[word], 1.0)]
        if is_cjk(word) or not any(c.isalnum() for c in word):
            return []
        out = [(t.id, 1.0) for t in self.piece.tokenize(word) if t.id]
        g = grams(word)
        return out + [(len(self.vocab) + fnv1a(x.encode()) % self.buckets, len(g) ** -0.5) for x in g]


class Encoder:
    def __init__(self, folder):
        with safe_open(os.path.join(folder, "encoder.safetensors"), "np") as f:
            q = f.get_tensor("rows").astype(np.float32)
            self.table = (q - 128) * f.get_tensor("scale")[:, None]
            self.cjk = f.get_tensor("cjk_weight").astype(np.float32)
            self.meta = f.metadata()
        vocab = open(os.path.join(folder, "vocab.txt"), encoding="utf-8").read().split("\n")[:-1]
        self.features = Features(vocab, len(self.table) - len(vocab))
        self.cjk_scale = float(self.meta["cjk_scale"])

    def sum(self, text):
        dim = self.table.shape[1]
        out, run = np.zeros(dim, np.float32), []
        for row, weight in self.features.text(text):
            out += weight * self.table[row]
        for word in self.features.words(text) + [""]:
            if is_cjk(word):
                run.append(word)
            elif run:
                out += self.run(run)
                run = []
        return out

    def char_weight(self, c):
        i = ord(c) - 0x4E00
        return self.cjk[i] / 255 if 0 <= i < len(self.cjk) else 1.0

    def run(self, chars):
        dim = self.table.shape[1]
        w = [self.char_weight(c) for c in chars]
        out = sum(x * signs(fnv1a(c.encode()), dim) for c, x in zip(chars, w))
        for i in range(len(chars) - 1):
            out = out + min(w[i], w[i + 1]) * signs(fnv1a((chars[i] + chars[i + 1]).encode()), dim)
        return (out * self.cjk_scale / dim ** 0.5).astype(np.float32)

    def __call__(self, texts):
        v = np.stack([self.sum(t) for t in texts])
        n = np.linalg.norm(v, axis=1, keepdims=True)
        return np.where(n > 0, v / np.maximum(n, 1e-12), 0).astype(np.float32)
