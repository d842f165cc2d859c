//! Runs a recogniser over texts: the names of a graph, W2NER, or both.

use super::{MarkedMention, MarkedText};
use crate::graph::EntityId;
use crate::language::Knowledge;
use crate::language::link::meant_by;
use crate::language::recognise::Reading;
use crate::model::{CancelToken, MentionType, ModelError, RecogniserHandle};
use crate::pipeline::understand::named::{Class, class_of};
use crate::run::MentionOrigin;
use crate::text::{StopWords, sentences};

/// Sentences in one request: between requests, the progress is told.
const PORTION: usize = 64;

/// Who recognises.
#[derive(Debug, Clone, Copy)]
pub enum NerRecogniser<'a> {
    /// The names of a graph.
    Gazetteer(&'a Knowledge),
    /// The network.
    W2ner(&'a RecogniserHandle),
    /// The network, and the names of a graph where it finds nothing.
    Both(&'a Knowledge, &'a RecogniserHandle),
}

impl NerRecogniser<'_> {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Gazetteer(_) => "gazetteer",
            Self::W2ner(_) => "w2ner",
            Self::Both(..) => "both",
        }
    }
}

/// The mentions found in each text. `progress` is told the number of finished texts.
///
/// # Errors
/// If the network fails or `cancel` is set.
pub fn found_in(
    texts: &[MarkedText],
    recogniser: NerRecogniser<'_>,
    cancel: &CancelToken,
    progress: &dyn Fn(usize),
) -> Result<Vec<Vec<MarkedMention>>, ModelError> {
    let mut all = Vec::with_capacity(texts.len());
    for portion in texts.chunks(PORTION) {
        if cancel.is_cancelled() {
            return Err(ModelError::Cancelled);
        }
        let mut found = match recogniser {
            NerRecogniser::Gazetteer(_) => vec![Vec::new(); portion.len()],
            NerRecogniser::W2ner(handle) | NerRecogniser::Both(_, handle) => by_network(portion, handle, cancel)?,
        };
        if let NerRecogniser::Gazetteer(knowledge) | NerRecogniser::Both(knowledge, _) = recogniser {
            for (text, found) in portion.iter().zip(&mut found) {
                let known = by_names(&text.text, knowledge);
                let apart = |name: &MarkedMention| !found.iter().any(|mention| mention.overlaps(name));
                let added: Vec<MarkedMention> = known.into_iter().filter(apart).collect();
                found.extend(added);
            }
        }
        all.extend(found);
        progress(all.len());
    }
    Ok(all)
}

fn by_network(texts: &[MarkedText], handle: &RecogniserHandle, cancel: &CancelToken) -> Result<Vec<Vec<MarkedMention>>, ModelError> {
    let cut = |text: &MarkedText| if text.is_sentence { std::iter::once(0..text.text.len()).collect() } else { sentences(&text.text) };
    let ranges: Vec<(usize, std::ops::Range<usize>)> =
        texts.iter().enumerate().flat_map(|(number, text)| cut(text).into_iter().map(move |range| (number, range))).collect();
    let words = |(number, range): &(usize, std::ops::Range<usize>)| texts.get(*number).and_then(|text| text.text.get(range.clone()));
    let sentences = ranges.iter().map(|range| words(range).unwrap_or_default().to_owned()).collect();
    let mut found = vec![Vec::new(); texts.len()];
    for ((number, range), mentions) in ranges.iter().zip(handle.recognise(sentences, cancel)?) {
        let moved = mentions.into_iter().map(|mention| MarkedMention {
            parts: mention.parts.iter().map(|(begin, end)| (begin + range.start, end + range.start)).collect(),
            of: mention.of.as_str().to_owned(),
        });
        found[*number].extend(moved);
    }
    Ok(found)
}

/// The graph's names of drugs, conditions and findings in a text, as the recogniser of questions finds them.
fn by_names(text: &str, knowledge: &Knowledge) -> Vec<MarkedMention> {
    let of = |entity: EntityId| match class_of(knowledge, entity) {
        Class::Drug => Some(MentionType::Chemical),
        Class::Condition | Class::Finding => Some(MentionType::Disease),
        Class::Test | Class::Other => None,
    };
    let mut reading = Reading::of(text, 0, MentionOrigin::Question, StopWords::built_in());
    let names = reading.names(knowledge.graph.names());
    let marked = names.iter().filter_map(|name| {
        let (entity, _) = meant_by(&knowledge.graph, name)?;
        let mention = reading.mention(&name.span, name.recogniser);
        Some(MarkedMention::whole(mention.start, mention.end, of(entity)?.as_str()))
    });
    marked.collect()
}
