//! The shapes of the models that are measured: well-known ones, and tiny ones in their place for a dry run.

use super::bert_files::{BertKind, BertShape};
use super::gguf::Shape;

const QWEN2_05B: Shape = Shape {
    name: "Qwen2-0.5B",
    family: "qwen2",
    layers: 24,
    hidden: 896,
    heads: 14,
    kv_heads: 2,
    head_dim: 64,
    feed_forward: 4864,
    vocabulary: 151_936,
    tied: true,
    theta: 1e6,
};

const QWEN3_17B: Shape = Shape {
    name: "Qwen3-1.7B",
    family: "qwen3",
    layers: 28,
    hidden: 2048,
    heads: 16,
    kv_heads: 8,
    head_dim: 128,
    feed_forward: 6144,
    ..QWEN2_05B
};

const LLAMA3_8B: Shape = Shape {
    name: "Llama-3-8B",
    family: "llama",
    layers: 32,
    hidden: 4096,
    heads: 32,
    kv_heads: 8,
    head_dim: 128,
    feed_forward: 14_336,
    vocabulary: 128_256,
    tied: false,
    theta: 5e5,
};

const QWEN25_7B: Shape = Shape {
    name: "Qwen2.5-7B",
    family: "qwen2",
    layers: 28,
    hidden: 3584,
    heads: 28,
    kv_heads: 4,
    head_dim: 128,
    feed_forward: 18_944,
    vocabulary: 152_064,
    tied: false,
    theta: 1e6,
};

/// The language models, smallest first.
pub(crate) fn language_models(tiny: bool) -> [Shape; 4] {
    [QWEN2_05B, QWEN3_17B, LLAMA3_8B, QWEN25_7B].map(|shape| {
        if !tiny {
            return shape;
        }
        Shape { layers: 2, hidden: 256, heads: 4, kv_heads: 2, head_dim: 64, feed_forward: 512, vocabulary: 600, ..shape }
    })
}

/// The same as wide, but with two layers and few tokens: every kernel sees the sizes of the whole model, and the processor can follow.
pub(crate) fn shallow(shape: &Shape, tiny: bool) -> Shape {
    Shape { layers: 2, vocabulary: if tiny { shape.vocabulary } else { 32_000 }, ..*shape }
}

const MINILM: BertShape = BertShape {
    name: "MiniLM-L6",
    kind: BertKind::Sentences,
    hidden: 384,
    heads: 12,
    layers: 6,
    inner: 1536,
    vocabulary: 30_522,
    positions: 512,
};

const BGE_BASE: BertShape = BertShape {
    name: "bge-reranker-base",
    kind: BertKind::Pairs,
    hidden: 768,
    heads: 12,
    layers: 12,
    inner: 3072,
    vocabulary: 250_002,
    positions: 514,
};

const BGE_V2_M3: BertShape =
    BertShape { name: "bge-reranker-v2-m3", hidden: 1024, heads: 16, layers: 24, inner: 4096, positions: 8194, ..BGE_BASE };

/// The encoder and the cross-encoders.
pub(crate) fn bert_models(tiny: bool) -> [BertShape; 3] {
    [MINILM, BGE_BASE, BGE_V2_M3].map(|shape| {
        if !tiny {
            return shape;
        }
        BertShape { hidden: 48, heads: 4, layers: 2, inner: 88, vocabulary: 20_000, positions: 130, ..shape }
    })
}
