//! A sentence encoder on a server: `POST {base}/embeddings`.

use serde::Deserialize;
use serde_json::json;

use super::request_error::RequestError;
use super::server::{Server, Wanted};
use crate::config::RemoteConfig;
use crate::model::{Encoder, Matrix, ModelError};

const PATH: &str = "/embeddings";
/// The longest response, in bytes: a few hundred vectors of 8,192 numbers.
const LONGEST: usize = 64 << 20;
/// The most components of a vector.
const MOST_COMPONENTS: usize = 1 << 16;
/// The text that is encoded to find out the number of components.
const PROBE: &str = "fever";

/// A sentence encoder on a server. Its vectors have length 1.
#[derive(Debug)]
pub struct RemoteEncoder {
    server: Server,
    dim: usize,
}

#[derive(Deserialize)]
struct Response {
    data: Vec<Embedding>,
}

#[derive(Deserialize)]
struct Embedding {
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl RemoteEncoder {
    /// Prepares the client. If the configuration does not state the number of components, the server is asked to encode one word.
    ///
    /// # Errors
    /// If the key is missing or exposed, proxy or certificates cannot be used, or the server does not answer.
    pub fn open(config: RemoteConfig) -> Result<Self, ModelError> {
        let known = config.dimension;
        let mut encoder = Self { server: Server::open(config)?, dim: known.unwrap_or(0) };
        if known.is_none() {
            let rows = encoder.request(&[PROBE.to_owned()], &mut || true)?;
            encoder.dim = rows.first().map_or(0, Vec::len);
        }
        Ok(encoder)
    }

    /// Like [`Encoder::encode`], but stops when `wanted` returns `false`; it is checked many times a second.
    ///
    /// # Errors
    /// If the server fails, or with [`ModelError::Cancelled`].
    pub fn encode_while(&mut self, texts: &[String], wanted: &mut dyn FnMut() -> bool) -> Result<Matrix, ModelError> {
        let mut data = vec![0.0; texts.len() * self.dim];
        // Texts without content are not sent: some servers refuse the whole batch.
        let worded: Vec<usize> = (0..texts.len()).filter(|at| !texts[*at].trim().is_empty()).collect();
        for batch in worded.chunks(self.server.config.batch) {
            let portion: Vec<String> = batch.iter().map(|at| texts[*at].clone()).collect();
            for (at, row) in batch.iter().zip(self.request(&portion, wanted)?) {
                data[at * self.dim..(at + 1) * self.dim].copy_from_slice(&row);
            }
        }
        Ok(Matrix::new(self.dim, data).normalised())
    }

    /// One vector for each text, in the order of the texts.
    fn request(&self, texts: &[String], wanted: Wanted<'_>) -> Result<Vec<Vec<f32>>, RequestError> {
        let body = json!({ "model": self.server.config.model, "input": texts, "encoding_format": "float" });
        let value = self.server.ask(PATH, &body, LONGEST, wanted)?;
        let response = Response::deserialize(value).map_err(|error| self.server.unexpected(error.to_string()))?;
        let mut rows: Vec<Option<Vec<f32>>> = vec![None; texts.len()];
        for (place, embedding) in response.data.into_iter().enumerate() {
            let index = embedding.index.unwrap_or(place);
            match rows.get_mut(index) {
                Some(row @ None) => *row = Some(self.checked(embedding.embedding)?),
                Some(Some(_)) => return Err(self.server.unexpected(format!("text {index} has two vectors"))),
                None => return Err(self.server.unexpected(format!("there is a vector for text {index} of {}", texts.len()))),
            }
        }
        let missing = rows.iter().filter(|row| row.is_none()).count();
        let rows: Vec<Vec<f32>> = rows.into_iter().flatten().collect();
        if missing > 0 {
            return Err(self.server.unexpected(format!("{missing} of {} texts have no vector", texts.len())));
        }
        if rows.iter().any(|row| row.len() != rows[0].len()) {
            return Err(self.server.unexpected("its vectors differ in length".into()));
        }
        Ok(rows)
    }

    fn checked(&self, row: Vec<f32>) -> Result<Vec<f32>, RequestError> {
        if row.is_empty() || row.len() > MOST_COMPONENTS || (self.dim != 0 && row.len() != self.dim) {
            return Err(self.server.unexpected(format!("a vector has {} components, not {}", row.len(), self.dim)));
        }
        if row.iter().any(|component| !component.is_finite()) {
            return Err(self.server.unexpected("a vector contains a value that is not a number".into()));
        }
        Ok(row)
    }
}

impl Encoder for RemoteEncoder {
    fn name(&self) -> &str {
        self.server.model()
    }

    fn kind(&self) -> &'static str {
        "http"
    }

    fn device(&self) -> String {
        "remote".into()
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn delta(&self) -> f64 {
        self.server.config.delta
    }

    fn encode(&mut self, texts: &[String]) -> Result<Matrix, ModelError> {
        self.encode_while(texts, &mut || true)
    }

    fn encode_while(&mut self, texts: &[String], wanted: &mut dyn FnMut() -> bool) -> Result<Matrix, ModelError> {
        Self::encode_while(self, texts, wanted)
    }
}
