//! Encoders and cross-encoders of the BERT family: beside candle-transformers and PyTorch, on broken files, and within the program.

mod damaged;
mod minilm;
mod pairs;
mod recogniser;
mod sentences;
mod tiny;
