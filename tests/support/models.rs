//! Models by script, to be driven through the real handles.

use std::thread;
use std::time::{Duration, Instant};

use catena::model::{Encoder, Finish, Generation, Generator, Matrix, ModelError, Prompt, Reranker, Sampling};

/// Waits until something holds; fails the test if it does not within a minute.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(60), "not {what} after a minute");
        thread::sleep(Duration::from_millis(2));
    }
}

type Before = Box<dyn FnMut(&[String]) -> Result<(), ModelError> + Send>;

/// An encoder whose vectors count letters; something happens before each call.
pub struct Letters {
    portion: usize,
    before: Before,
}

impl Letters {
    pub fn new(portion: usize, before: impl FnMut(&[String]) -> Result<(), ModelError> + Send + 'static) -> Self {
        Self { portion, before: Box::new(before) }
    }
}

impl Encoder for Letters {
    fn name(&self) -> &str {
        "letters"
    }
    fn dim(&self) -> usize {
        64
    }
    fn delta(&self) -> f64 {
        0.9
    }
    fn portion(&self) -> usize {
        self.portion
    }
    fn encode(&mut self, texts: &[String]) -> Result<Matrix, ModelError> {
        (self.before)(texts)?;
        let mut data = vec![0.0; 64 * texts.len()];
        for (row, text) in data.chunks_exact_mut(64).zip(texts) {
            for byte in text.bytes() {
                row[usize::from(byte % 64)] += 1.0;
            }
        }
        Ok(Matrix::new(64, data))
    }
}

type Writer = Box<dyn FnMut(&Prompt, &Sampling, &mut dyn FnMut(&str) -> bool) -> Result<Generation, ModelError> + Send>;

/// A language model that does what a function says.
pub struct Script(Writer);

impl Script {
    pub fn boxed(
        write: impl FnMut(&Prompt, &Sampling, &mut dyn FnMut(&str) -> bool) -> Result<Generation, ModelError> + Send + 'static,
    ) -> Box<dyn Generator> {
        Box::new(Self(Box::new(write)))
    }
}

/// What is told at the end of a text.
pub fn generation(finish: Finish) -> Generation {
    Generation {
        finish,
        left_out: Vec::new(),
        prompt_tokens: Some(10),
        reused_tokens: 0,
        new_tokens: Some(5),
        first_token_ms: 1.0,
        decode_ms: 4.0,
    }
}

impl Generator for Script {
    fn name(&self) -> &str {
        "script"
    }
    fn kind(&self) -> &'static str {
        "candle"
    }
    fn device(&self) -> String {
        "cpu".into()
    }
    fn generate(&mut self, prompt: &Prompt, sampling: &Sampling, emit: &mut dyn FnMut(&str) -> bool) -> Result<Generation, ModelError> {
        (self.0)(prompt, sampling, emit)
    }
}

type Scorer = Box<dyn FnMut(&[String], &[String]) -> Result<Matrix, ModelError> + Send>;

/// A cross-encoder that scores as a function says.
pub struct Table {
    device: &'static str,
    score: Scorer,
}

impl Table {
    pub fn boxed(
        device: &'static str,
        score: impl FnMut(&[String], &[String]) -> Result<Matrix, ModelError> + Send + 'static,
    ) -> Box<dyn Reranker> {
        Box::new(Self { device, score: Box::new(score) })
    }
}

impl Reranker for Table {
    fn name(&self) -> &str {
        "table"
    }
    fn kind(&self) -> &'static str {
        "candle"
    }
    fn device(&self) -> String {
        self.device.into()
    }
    fn score(&mut self, queries: &[String], documents: &[String], _: &dyn Fn() -> bool) -> Result<Matrix, ModelError> {
        (self.score)(queries, documents)
    }
}

/// An encoder that was opened by its folder, as a handle wants it.
pub struct OpenedEncoder(pub Box<dyn Encoder>);

impl Encoder for OpenedEncoder {
    fn name(&self) -> &str {
        self.0.name()
    }
    fn dim(&self) -> usize {
        self.0.dim()
    }
    fn delta(&self) -> f64 {
        self.0.delta()
    }
    fn encode(&mut self, texts: &[String]) -> Result<Matrix, ModelError> {
        self.0.encode(texts)
    }
    fn encode_tokens(&mut self, texts: &[String]) -> Result<Option<Matrix>, ModelError> {
        self.0.encode_tokens(texts)
    }
}
