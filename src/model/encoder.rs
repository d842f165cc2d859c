//! What a sentence encoder is to the rest of the program.

use super::Matrix;

/// Why a model cannot be used or gave no result.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// Its files do not hold what they should.
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
    /// Nobody wanted the result any more.
    #[error("stopped")]
    Cancelled,
    /// Its server could not be asked, or gave no usable answer.
    #[error(transparent)]
    Remote(#[from] super::RemoteError),
    /// Its thread has ended.
    #[error("the model {name} is not running any more; start Catena again")]
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

    /// The cosine above which two names mean the same: calibrated for each encoder, 0 to 1.
    fn delta(&self) -> f64;

    /// How many texts one call takes at most: queued orders are joined up to it, larger ones are cut, and between calls it is
    /// asked whether the result is still wanted.
    fn portion(&self) -> usize {
        256
    }

    /// One row a text, **not** normalised: for encoders whose vectors add up (the built-in one), the sum of
    /// the rows of two texts is the row of both; the others return unit vectors. A text without any
    /// content (empty, emoji) gives a row of zeros.
    ///
    /// # Errors
    /// If the computation fails.
    fn encode(&mut self, texts: &[String]) -> Result<Matrix, ModelError>;

    /// One row of length 1 for each token of each text, text after text: the token as the model sees it in its text, without the marks that a
    /// template puts around. `None` from encoders that have vectors of whole texts only.
    ///
    /// # Errors
    /// If the computation fails.
    fn encode_tokens(&mut self, _texts: &[String]) -> Result<Option<Matrix>, ModelError> {
        Ok(None)
    }

    /// The same as [`Self::encode`], as long as somebody wants it: an encoder for which one call can take long asks `wanted` now and then.
    ///
    /// # Errors
    /// As [`Self::encode`], and [`ModelError::Cancelled`] once nobody wants it.
    fn encode_while(&mut self, texts: &[String], wanted: &mut dyn FnMut() -> bool) -> Result<Matrix, ModelError> {
        if wanted() { self.encode(texts) } else { Err(ModelError::Cancelled) }
    }
}
