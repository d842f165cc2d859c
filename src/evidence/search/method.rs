//! How passages are ranked: the methods and their names, and the parts of IdepRAG that its ablations exchange.

use std::fmt;
use std::str::FromStr;

/// How passages are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SearchMethod {
    /// IdepRAG, whole or with some of its parts exchanged.
    Idep(Variant),
    /// Okapi BM25 over title, heading and text as one.
    Bm25,
    /// The cosine of the question's and the unit's vectors (VectorRAG).
    Vector,
    /// BM25 and cosine joined by their ranks.
    Hybrid,
    /// Communities of entities with summaries, then the units of the nearest communities (GraphRAG).
    GraphRag,
}

/// The parts of IdepRAG that its ablations exchange (EbmKG, Figure 14).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Variant {
    /// The paper's score alone (Eq. 9): no words of the question, no subject, no label.
    pub published: bool,
    /// How topics are sampled.
    pub topics: TopicSampling,
    /// Evidence is ranked by its cosine with the question, not by its attention on the features.
    pub by_cosine: bool,
    /// Entities for each search term (n), where it differs from the settings'; at most 9.
    pub entities: Option<u8>,
}

/// How the topics near a question's entities are sampled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TopicSampling {
    /// A weighted random walk (Eq. 7–8).
    #[default]
    Walk,
    /// The topics next to the entities, by weight.
    Neighbours,
    /// Personalised PageRank, the walk's exact limit.
    Exact,
}

/// An unknown method.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "passages are not searched by {name:?}; the methods are idep, bm25, vector, hybrid, graphrag, and idep with parts exchanged: idep-published, \
     -neighbours or -exact (topics), -cosine (ranking), -n1 to -n9 (entities for each search term), also several, as idep-published-neighbours-n5"
)]
pub struct UnknownSearchMethod {
    name: String,
}

impl Default for SearchMethod {
    fn default() -> Self {
        Self::Idep(Variant::default())
    }
}

impl SearchMethod {
    /// All methods, `idep` whole.
    pub const ALL: [Self; 5] = [
        Self::Idep(Variant { published: false, topics: TopicSampling::Walk, by_cosine: false, entities: None }),
        Self::Bm25,
        Self::Vector,
        Self::Hybrid,
        Self::GraphRag,
    ];

    /// The ablations of the paper: neighbours or walk (also its exact limit), cosine or attention, and one, three or five entities for each search
    /// term, all by the published score.
    pub fn ablations() -> Vec<Self> {
        let topics = [TopicSampling::Neighbours, TopicSampling::Walk, TopicSampling::Exact];
        let pairs = topics.into_iter().flat_map(|topics| [true, false].map(|by_cosine| (topics, by_cosine)));
        let all =
            pairs.flat_map(|(topics, by_cosine)| [1, 3, 5].map(|n| Variant { published: true, topics, by_cosine, entities: Some(n) }));
        all.map(Self::Idep).collect()
    }
}

impl fmt::Display for SearchMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let variant = match self {
            Self::Bm25 => return f.write_str("bm25"),
            Self::Vector => return f.write_str("vector"),
            Self::Hybrid => return f.write_str("hybrid"),
            Self::GraphRag => return f.write_str("graphrag"),
            Self::Idep(variant) => variant,
        };
        f.write_str("idep")?;
        f.write_str(if variant.published { "-published" } else { "" })?;
        f.write_str(match variant.topics {
            TopicSampling::Walk => "",
            TopicSampling::Neighbours => "-neighbours",
            TopicSampling::Exact => "-exact",
        })?;
        f.write_str(if variant.by_cosine { "-cosine" } else { "" })?;
        variant.entities.map_or(Ok(()), |n| write!(f, "-n{n}"))
    }
}

impl FromStr for SearchMethod {
    type Err = UnknownSearchMethod;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownSearchMethod { name: crate::text::sanitise_line(name) };
        let known = Self::ALL.into_iter().find(|method| method.to_string() == name);
        if let Some(known) = known {
            return Ok(known);
        }
        let parts = name.strip_prefix("idep-").ok_or_else(unknown)?;
        let mut variant = Variant::default();
        for part in parts.split('-') {
            match part {
                "published" => variant.published = true,
                "neighbours" => variant.topics = TopicSampling::Neighbours,
                "exact" => variant.topics = TopicSampling::Exact,
                "walk" => variant.topics = TopicSampling::Walk,
                "cosine" => variant.by_cosine = true,
                "attention" => variant.by_cosine = false,
                _ => {
                    let n = part.strip_prefix('n').filter(|n| n.len() == 1).and_then(|n| n.parse().ok());
                    variant.entities = Some(n.filter(|n| *n > 0).ok_or_else(unknown)?);
                }
            }
        }
        Ok(Self::Idep(variant))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_read_back_from_its_name() {
        for method in SearchMethod::ALL.into_iter().chain(SearchMethod::ablations()) {
            assert_eq!(method.to_string().parse(), Ok(method));
        }
        assert_eq!(SearchMethod::ablations().len(), 18);
        assert_eq!(
            "idep-published-neighbours-cosine-n5".parse::<SearchMethod>().map(|method| method.to_string()).as_deref(),
            Ok("idep-published-neighbours-cosine-n5")
        );
        for name in ["", "idep-", "idep-n0", "idep-n10", "idep-x", "lucene", "bm25-cosine", "idep\u{1b}[31m"] {
            let error = name.parse::<SearchMethod>().expect_err(name).to_string();
            assert!(error.contains("graphrag") && !error.contains('\u{1b}'), "{error}");
        }
    }
}
