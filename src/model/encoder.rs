//! The trait of sentence encoders, and the error of all models.

use super::Matrix;

/// Why a model cannot be used or returned no result.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// Its files are missing, damaged or unsupported.
    #[error("the model {name} cannot be loaded: {problem}")]
    Load {
        /// The model's name.
        name: String,
        /// What is wrong, in plain words.
        problem: String,
    },
    /// Computing with it failed.
    #[error("the model {name} failed: {problem}")]
    Compute {
        /// The model's name.
        name: String,
        /// What happened.
        problem: String,
    },
    /// The caller no longer wants the result.
    #[error("stopped")]
    Cancelled,
    /// Its server could not be reached, or returned no usable answer.
    #[error(transparent)]
    Remote(#[from] super::RemoteError),
    /// Its thread has ended.
    #[error("the model {name} has stopped running; restart Catena")]
    Gone {
        /// The model's name.
        name: String,
    },
}

/// A sentence encoder. Owned by one thread; see [`super::EncoderHandle`].
pub trait Encoder: Send {
    /// Its name, as traces show it.
    fn name(&self) -> &str;

    /// `candle` or `http`.
    fn kind(&self) -> &'static str {
        "candle"
    }

    /// Where it runs: `cpu`, `cuda:0`, `metal:0`, `remote`.
    fn device(&self) -> String {
        "cpu".into()
    }

    /// Components of a vector.
    fn dim(&self) -> usize;

    /// The cosine above which two names mean the same (HyKGE's δ), calibrated for each encoder; 0 to 1.
    fn delta(&self) -> f64;

    /// The most texts in one call. Queued requests are joined up to this number and larger ones are split; between calls the worker checks
    /// whether the result is still wanted.
    fn portion(&self) -> usize {
        256
    }

    /// One row for each text, **not** normalised: with the built-in encoder, the row of two texts joined is the sum of their rows; the other encoders
    /// return unit vectors. A text without content (empty, emoji) gives a row of zeros.
    ///
    /// # Errors
    /// If the computation fails.
    fn encode(&mut self, texts: &[String]) -> Result<Matrix, ModelError>;

    /// One unit vector for each token of each text, text after text, in the context of its text and without the special tokens that the template
    /// adds. `None` from encoders that compute vectors of whole texts only.
    ///
    /// # Errors
    /// If the computation fails.
    fn encode_tokens(&mut self, _texts: &[String]) -> Result<Option<Matrix>, ModelError> {
        Ok(None)
    }

    /// Like [`Self::encode`], but stops when `wanted` returns `false`; encoders whose calls can take long check it repeatedly.
    ///
    /// # Errors
    /// As [`Self::encode`], and [`ModelError::Cancelled`] if `wanted` returned `false`.
    fn encode_while(&mut self, texts: &[String], wanted: &mut dyn FnMut() -> bool) -> Result<Matrix, ModelError> {
        if wanted() { self.encode(texts) } else { Err(ModelError::Cancelled) }
    }
}
