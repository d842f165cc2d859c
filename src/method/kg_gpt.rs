//! KG-GPT (HyKGE's baseline, after Kim et al., 2023): the question is divided into sentences of one relation each; for each, the language model chooses among
//! the relations around the entities; the answer is inferred from the triples of the chosen relations. Five calls with three sentences.

use std::collections::{BTreeMap, HashSet};

use super::by_query::lines_of;
use super::from_triples::{Baseline, keep};
use super::run_state::Subject;
use crate::graph::{FoundChains, RelationId};
use crate::language::consult::consult_as;
use crate::language::context::{RunContext, StageError};
use crate::language::generate::QUESTION;
use crate::language::prompt::prompt_lines::{lines, question_part};
use crate::language::prompt::{PromptFor, untrusted};
use crate::language::{numbers_form, numbers_in, texts_form};
use crate::model::{GeneratorHandle, PromptPart};
use crate::pipeline::answer::wording::Wording;
use crate::run::Stage;

/// The most sentences, and the most relations of one.
const SENTENCES: usize = 3;
const RELATIONS: usize = 3;
/// The most characters of a sentence that is asked for.
const LONGEST: usize = 300;

/// Chooses relations.
pub(super) struct KgGpt;

impl Baseline for KgGpt {
    fn narrow(&self, ctx: &mut RunContext<'_>, subject: &Subject<'_>, found: &mut FoundChains) -> Result<(), StageError> {
        let Some(generator) = ctx.asked_model().filter(|_| !found.chains.is_empty()) else { return Ok(()) };
        let chosen = chosen(ctx, generator, subject.question, found)?;
        if chosen.is_empty() {
            ctx.warn("The language model chose no relations; the triples of all relations are used.");
        } else {
            keep(found, |chain| chain.hops().next().is_some_and(|hop| chosen.contains(&hop.relation)));
        }
        Ok(())
    }
}

/// The relations that the model chooses for the sentences of a question.
fn chosen(ctx: &mut RunContext<'_>, generator: &GeneratorHandle, question: &str, found: &FoundChains) -> Result<HashSet<u16>, StageError> {
    let graph = &ctx.knowledge.graph;
    // By name, so that the list does not depend on numbers.
    let names: BTreeMap<String, u16> = found
        .chains
        .iter()
        .filter_map(|chain| chain.hops().next())
        .map(|hop| (graph.relation(RelationId(hop.relation)).name.clone(), hop.relation))
        .collect();
    let relations: Vec<u16> = names.values().copied().collect();
    let list = lines(names.keys().map(|name| name.replace('_', " ")));
    let chinese = Wording::for_text(question).is_chinese();
    let form = Some(texts_form("parts", SENTENCES, LONGEST));
    let split = consult_as(ctx, generator, Stage::Search, (PromptFor::Split, chinese), form, |_| question_part(question))?;
    let mut sentences = match split {
        Ok(reply) => lines_of(&reply, SENTENCES),
        Err(why) => {
            ctx.warn(format!("{why}; the question is taken as one sentence."));
            Vec::new()
        }
    };
    if sentences.is_empty() {
        sentences.push(question.to_owned());
    }
    let mut chosen = HashSet::new();
    for sentence in sentences {
        let form = Some(numbers_form(relations.len(), RELATIONS));
        let reply = consult_as(ctx, generator, Stage::Search, (PromptFor::Relations, chinese), form, |gap| match gap {
            "relations" => list.clone(),
            _ => vec![PromptPart { text: untrusted(&sentence, QUESTION), rank: None }],
        })?;
        match reply {
            Ok(reply) => {
                let numbers = numbers_in(&reply, relations.len()).unwrap_or_default();
                chosen.extend(numbers.into_iter().take(RELATIONS).filter_map(|number| relations.get(number - 1).copied()));
            }
            Err(why) => ctx.warn(format!("{why}; it chose no relation for a part of the question.")),
        }
    }
    Ok(chosen)
}
