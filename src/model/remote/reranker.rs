//! A cross-encoder on a server: `POST {base}/rerank`, as in Jina, Cohere, vLLM, llama.cpp and text-embeddings-inference.

use serde::Deserialize;
use serde_json::{Value, json};

use super::RemoteError;
use super::request_error::RequestError;
use super::server::{Server, Wanted};
use crate::config::{RemoteConfig, ScoreScale};
use crate::model::{Matrix, ModelError, Reranker};

const PATH: &str = "/rerank";
/// The longest response, in bytes.
const LONGEST: usize = 16 << 20;

/// A cross-encoder on a server.
#[derive(Debug)]
pub struct RemoteReranker {
    server: Server,
    /// Whether the server calls documents `texts`, as text-embeddings-inference does.
    says_texts: bool,
}

/// One document's score, by any of its names.
#[derive(Deserialize)]
struct DocumentScore {
    index: usize,
    #[serde(alias = "score")]
    relevance_score: f64,
}

impl RemoteReranker {
    /// Prepares the client; sends nothing.
    ///
    /// # Errors
    /// If the key is missing or exposed, or proxy or certificates cannot be used.
    pub fn open(config: RemoteConfig) -> Result<Self, RemoteError> {
        Ok(Self { server: Server::open(config)?, says_texts: false })
    }

    /// Scores of some documents for one query, in the documents' order.
    fn request(&mut self, query: &str, documents: &[String], wanted: Wanted<'_>) -> Result<Vec<f32>, RequestError> {
        let mut asked = self.server.ask(PATH, &self.body(query, documents), LONGEST, wanted);
        // text-embeddings-inference rejects a body without `texts`; its message differs from version to version.
        if matches!(&asked, Err(RequestError::Failed { error: RemoteError::Rejected { status: 400 | 422, .. }, .. })) && !self.says_texts {
            self.says_texts = true;
            let again = self.server.ask(PATH, &self.body(query, documents), LONGEST, wanted);
            if matches!(&again, Err(RequestError::Failed { error: RemoteError::Rejected { .. }, .. })) {
                self.says_texts = false;
            } else {
                asked = again;
            }
        }
        let value = asked?;
        let list = if value.is_array() { value } else { value.get("results").cloned().unwrap_or(Value::Null) };
        let scored = Vec::<DocumentScore>::deserialize(list).map_err(|error| self.server.unexpected(error.to_string()))?;
        let mut scores: Vec<Option<f32>> = vec![None; documents.len()];
        for DocumentScore { index, relevance_score } in scored {
            let score = self.scaled(relevance_score)?;
            match scores.get_mut(index) {
                Some(slot @ None) => *slot = Some(score),
                Some(Some(_)) => return Err(self.server.unexpected(format!("document {index} has two scores"))),
                None => return Err(self.server.unexpected(format!("there is a score for document {index} of {}", documents.len()))),
            }
        }
        let missing = scores.iter().filter(|score| score.is_none()).count();
        if missing > 0 {
            return Err(self.server.unexpected(format!("{missing} of {} documents have no score", documents.len())));
        }
        Ok(scores.into_iter().flatten().collect())
    }

    fn body(&self, query: &str, documents: &[String]) -> Value {
        if self.says_texts {
            json!({ "query": query, "texts": documents, "raw_scores": self.server.config.scores == ScoreScale::Logit, "truncate": true })
        } else {
            json!({ "model": self.server.config.model, "query": query, "documents": documents, "top_n": documents.len(), "return_documents": false })
        }
    }

    /// A score from 0 to 1.
    fn scaled(&self, score: f64) -> Result<f32, RequestError> {
        match self.server.config.scores {
            _ if !score.is_finite() => Err(self.server.unexpected("a score is not a number".into())),
            ScoreScale::Logit => Ok((1.0 / (1.0 + (-score).exp())) as f32),
            ScoreScale::Probability if (0.0..=1.0).contains(&score) => Ok(score as f32),
            ScoreScale::Probability => {
                Err(self.server.unexpected(format!("a score is {score}, outside 0 to 1; if its scores are logits, set scores = \"logit\"")))
            }
        }
    }
}

impl Reranker for RemoteReranker {
    fn name(&self) -> &str {
        self.server.model()
    }

    fn kind(&self) -> &'static str {
        "http"
    }

    fn device(&self) -> String {
        "remote".into()
    }

    fn score(&mut self, queries: &[String], documents: &[String], cancelled: &dyn Fn() -> bool) -> Result<Matrix, ModelError> {
        let mut data = Vec::with_capacity(queries.len() * documents.len());
        for query in queries {
            for batch in documents.chunks(self.server.config.batch) {
                data.extend(self.request(query, batch, &mut || !cancelled())?);
            }
        }
        Ok(Matrix::new(documents.len(), data))
    }
}
