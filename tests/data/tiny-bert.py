"""Writes the folder tiny-bert beside this file: a BERT encoder with random weights as PyTorch saves it (pytorch_model.bin), and vectors
that transformers computes from it. Needs torch, transformers, tokenizers (written with torch 2.15.0, transformers 5.23.0).

    python tiny-bert.py
"""

import json
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel

FOLDER = Path(__file__).parent / "tiny-bert"
WORDS = "[PAD] [UNK] [CLS] [SEP] pain fever cough reflux ulcer heart stomach knee of the with after meal drug test acid ##s ##ing".split()
TEXTS = ["pain", "stomach pains after the meal", "fever with coughing", "the drug of the heart , unknown to the test", "acid reflux " * 10]


def main():
    torch.manual_seed(7)
    (FOLDER / "1_Pooling").mkdir(parents=True, exist_ok=True)
    config = BertConfig(
        vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=24, max_position_embeddings=16
    )
    model = BertModel(config, add_pooling_layer=False).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    config.architectures = ["BertModel"]
    (FOLDER / "config.json").write_text(config.to_json_string())
    torch.save(model.state_dict(), FOLDER / "pytorch_model.bin")
    tokenizer = Tokenizer(models.WordPiece({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(FOLDER / "tokenizer.json"), pretty=False)
    modes = {"word_embedding_dimension": 16, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}
    (FOLDER / "1_Pooling" / "config.json").write_text(json.dumps(modes))
    tokenizer.enable_truncation(16)
    rows = []
    for text in TEXTS:
        ids = torch.tensor([tokenizer.encode(text).ids])
        with torch.no_grad():
            vector = torch.nn.functional.normalize(model(input_ids=ids).last_hidden_state[0].mean(0), dim=0)
        rows.append({"text": text, "vector": [round(x, 6) for x in vector.tolist()]})
    (FOLDER / "expected.json").write_text("[" + ",\n".join(json.dumps(row) for row in rows) + "]\n")


main()
