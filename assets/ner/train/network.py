"""The network: MiniLM's layers, and W2NER's grid over its words."""
import json
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from safetensors.torch import load_file

from grid import LABELS

WORD, CHANNELS, MLP, BIAFFINE, PLACE = 128, 48, 96, 96, 20


class Layer(nn.Module):
    def __init__(self, c):
        super().__init__()
        h, i = c["hidden_size"], c["intermediate_size"]
        self.heads, self.drop = c["num_attention_heads"], nn.Dropout(0.1)
        self.query, self.key, self.value, self.mix = (nn.Linear(h, h) for _ in range(4))
        self.mix_norm, self.out_norm = (nn.LayerNorm(h, eps=c["layer_norm_eps"]) for _ in range(2))
        self.widen, self.narrow = nn.Linear(h, i), nn.Linear(i, h)

    def forward(self, x, mask):
        b, t, h = x.shape
        split = lambda y: y.view(b, t, self.heads, h // self.heads).transpose(1, 2)
        q, k, v = split(self.query(x)), split(self.key(x)), split(self.value(x))
        # Written out: on a processor the fused attention's gradient takes three times as long.
        scores = torch.matmul(q, k.transpose(2, 3)) * (h // self.heads) ** -0.5 + mask
        y = torch.matmul(scores.softmax(-1).to(v.dtype), v).transpose(1, 2).reshape(b, t, h)
        x = self.mix_norm(x + self.drop(self.mix(y)))
        return self.out_norm(x + self.drop(self.narrow(F.gelu(self.widen(x)))))


# The names of a layer's parts in the published file.
PARTS = {
    "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value", "mix": "attention.output.dense",
    "mix_norm": "attention.output.LayerNorm", "widen": "intermediate.dense", "narrow": "output.dense", "out_norm": "output.LayerNorm",
}


class Encoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        h = config["hidden_size"]
        self.words = nn.Embedding(config["vocab_size"], h)
        self.positions = nn.Embedding(config["max_position_embeddings"], h)
        self.types = nn.Embedding(config["type_vocab_size"], h)
        self.norm, self.drop = nn.LayerNorm(h, eps=config["layer_norm_eps"]), nn.Dropout(0.1)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config["num_hidden_layers"]))

    def names(self):
        """Our names of tensors -> the published ones."""
        names = {"words.weight": "embeddings.word_embeddings.weight", "positions.weight": "embeddings.position_embeddings.weight",
                 "types.weight": "embeddings.token_type_embeddings.weight", "norm.weight": "embeddings.LayerNorm.weight",
                 "norm.bias": "embeddings.LayerNorm.bias"}
        for name in self.state_dict():
            if name.startswith("layers."):
                _, layer, part, kind = name.split(".")
                names[name] = f"encoder.layer.{layer}.{PARTS[part]}.{kind}"
        return names

    def load(self, folder):
        tensors = load_file(os.path.join(folder, "model.safetensors"))
        self.load_state_dict({own: tensors[name] for own, name in self.names().items()})

    def forward(self, ids, mask):
        places = torch.arange(ids.shape[1])
        x = self.drop(self.norm(self.words(ids) + self.positions(places) + self.types.weight[0]))
        mask = torch.where(mask, 0.0, -1e4)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, mask)
        return x


def distance_bucket(size):
    """[i, j] -> 0 for the diagonal, 1..9 for j > i, 10..18 for j < i, by the binary logarithm of the distance."""
    d = torch.arange(size)[None, :] - torch.arange(size)[:, None]
    log = torch.floor(torch.log2(d.abs().clamp(min=1).double())).long().clamp(max=8) + 1
    return torch.where(d == 0, 0, torch.where(d > 0, log, log + 9))


class W2ner(nn.Module):
    def __init__(self, config):
        super().__init__()
        h = config["hidden_size"]
        self.encoder = Encoder(config)
        self.word = nn.Linear(h, WORD)
        self.gain, self.shift = nn.Linear(WORD, WORD), nn.Linear(WORD, WORD)
        self.distance, self.region = nn.Embedding(19, PLACE), nn.Embedding(3, PLACE)
        self.base = nn.Linear(WORD + 2 * PLACE, CHANNELS)
        self.convolutions = nn.ModuleList(nn.Conv2d(CHANNELS, CHANNELS, 3, dilation=d, padding=d) for d in (1, 2, 3))
        self.mlp, self.mlp_out = nn.Linear(3 * CHANNELS, MLP), nn.Linear(MLP, LABELS)
        self.subject, self.object = nn.Linear(h, BIAFFINE), nn.Linear(h, BIAFFINE)
        self.biaffine = nn.Parameter(torch.zeros(LABELS, BIAFFINE + 1, BIAFFINE + 1))
        self.drop_word, self.drop_grid, self.drop_out = nn.Dropout(0.3), nn.Dropout(0.2), nn.Dropout(0.2)
        nn.init.zeros_(self.gain.weight), nn.init.ones_(self.gain.bias), nn.init.zeros_(self.shift.weight), nn.init.zeros_(self.shift.bias)
        nn.init.normal_(self.biaffine, std=0.02)

    def forward(self, ids, piece_mask, pieces, word_mask):
        """ids [b, t]; pieces [b, n, p]: positions of each word's pieces; -> logits [b, n, n, LABELS]."""
        b, n, p = pieces.shape
        x = self.encoder(ids, piece_mask)
        x = x.gather(1, pieces.reshape(b, n * p, 1).expand(-1, -1, x.shape[2])).view(b, n, p, -1).amax(2)
        x = self.drop_word(x)
        h = self.word(x)
        normal = F.layer_norm(h, (WORD,), eps=1e-5)
        v = self.gain(h)[:, :, None] * normal[:, None] + self.shift(h)[:, :, None]
        upper = torch.ones(n, n, dtype=torch.long).triu(1)
        region = upper + 2 * torch.ones(n, n, dtype=torch.long).tril(-1)
        place = torch.cat([self.distance(distance_bucket(n)), self.region(region)], -1)
        place = place[None].expand(b, -1, -1, -1).to(v.dtype)
        grid_mask = (word_mask[:, :, None] & word_mask[:, None, :])[:, None]
        c = self.drop_grid(F.gelu(self.base(torch.cat([v, place], -1)))).permute(0, 3, 1, 2) * grid_mask
        outs = []
        for convolution in self.convolutions:
            c = F.gelu(convolution(c)) * grid_mask
            outs.append(c)
        q = torch.cat(outs, 1).permute(0, 2, 3, 1)
        q = self.mlp_out(self.drop_out(F.gelu(self.mlp(q))))
        one = torch.ones(b, n, 1, dtype=x.dtype)
        s = torch.cat([self.drop_out(F.gelu(self.subject(x))), one], -1)
        o = torch.cat([self.drop_out(F.gelu(self.object(x))), one], -1)
        return q.float() + torch.einsum("bxi,lij,byj->bxyl", s, self.biaffine.to(s.dtype), o).float()


def build(folder):
    with open(os.path.join(folder, "config.json")) as file:
        model = W2ner(json.load(file))
    model.encoder.load(folder)
    return model
