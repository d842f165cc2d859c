//! Drafts from a language model (WTS, section 3.2): triples that it extracts from question and accepted answer, or from the question alone.
//! They are only proposed; the reply is read within limits, and anything that is not a triple with a known relation is counted and dropped.

use super::Proposing;
use super::cited_chains::of_question;
use super::draft::{Draft, Drafts};
use super::entity::Term;
use super::model_reply::{ExtractedTriple, ModelReply, form, read};
use crate::dkg::{Basis, Feedback, Proposer, Rating};
use crate::graph::{Kind, Player, Relation, Role, RoleRules};
use crate::language::prompt::{PromptFor, untrusted};
use crate::model::{Finish, GeneratorHandle, ModelError, Prompt, PromptPart, Sampling};
use crate::pipeline::answer::wording::Wording;
use crate::run::Trace;
use crate::text::{fold, sanitise_line};

/// The most characters of a question in the prompt …
const QUESTION: usize = 6000;
/// … of an answer …
const ANSWER: usize = 8000;
/// … and of a chain.
const CHAIN: usize = 400;
/// The most tokens of a reply; temperature as WTS has it (section 4.1.2).
const MAX_TOKENS: usize = 1500;
const TEMPERATURE: f64 = 0.2;
/// How often it is asked at most: a reply that is no JSON at all is asked for once more.
const ATTEMPTS: u64 = 2;

/// Asks the model and drafts what it wrote.
///
/// # Errors
/// [`ModelError::Cancelled`] if it is stopped; any other failure is a warning.
pub(super) fn draft(
    proposing: &Proposing<'_>,
    generator: &GeneratorHandle,
    trace: &Trace,
    feedback: &Feedback,
    drafts: &mut Drafts,
) -> Result<(), ModelError> {
    let prompt = prompt(proposing, trace, feedback);
    for attempt in 0..ATTEMPTS {
        let seed = proposing.seed.cast_unsigned().wrapping_add(attempt);
        let text = match write(
            proposing,
            generator,
            prompt.clone(),
            Sampling { max_tokens: MAX_TOKENS, temperature: TEMPERATURE, seed, constraint: Some(form()), ..Sampling::default() },
        ) {
            Ok((text, _)) if text.is_empty() => continue,
            Ok((text, finish)) => {
                if finish == Finish::Length {
                    drafts.warnings.push("The language model's list of triples exceeds the limit; its end is missing.".into());
                }
                text
            }
            Err(ModelError::Cancelled) => return Err(ModelError::Cancelled),
            Err(error) => {
                drafts.warnings.push(format!("The language model failed ({error}); the proposals come from the rules alone."));
                return Ok(());
            }
        };
        let reply = read(&text);
        if reply.is_json {
            take(proposing, generator.name(), feedback.rating, reply, drafts);
            return Ok(());
        }
    }
    drafts.warnings.push(format!(
        "The language model was asked {ATTEMPTS} times and wrote no list of triples; the proposals come from the rules alone."
    ));
    Ok(())
}

fn prompt(proposing: &Proposing<'_>, trace: &Trace, feedback: &Feedback) -> Prompt {
    let wording = Wording::for_text(&trace.question);
    let answer = match feedback.rating {
        Rating::Good => &trace.answer.text,
        Rating::Gold => &feedback.gold,
        // Nothing is learned from a bad answer.
        Rating::Bad => "",
    };
    let none = if wording.is_chinese() { "（没有被认可的回答）" } else { "(no answer was accepted)" };
    proposing.prompts.of(PromptFor::Triples, wording.is_chinese()).fill(|gap| match gap {
        "known" => known(trace, feedback.rating),
        "answer" if answer.trim().is_empty() => vec![PromptPart { text: none.into(), rank: None }],
        "answer" => vec![PromptPart { text: untrusted(answer, ANSWER), rank: None }],
        _ => vec![PromptPart { text: untrusted(&trace.question, QUESTION), rank: None }],
    })
}

/// What was retrieved for the question, for the names of things: kept chains; of a bad answer, the question's own entities only.
fn known(trace: &Trace, rating: Rating) -> Vec<PromptPart> {
    let mut lines: Vec<String> = Vec::new();
    if rating == Rating::Bad {
        let question = of_question(trace);
        let anchors = trace.anchors.iter().filter(|anchor| question.contains(anchor.entity.as_str()));
        lines.extend(anchors.map(|anchor| format!("{} ({})", anchor.entity, anchor.kind)));
    } else if let Some(evidence) = &trace.evidence {
        let chains = evidence.pruning.kept.iter().filter_map(|scored| evidence.table.chains.get(scored.chain as usize));
        let accepted = chains.filter(|chain| !trace.triage.verdict(&evidence.table, chain).is_rejected());
        lines.extend(accepted.map(|chain| evidence.table.text(chain)));
    }
    let part = |(line, rank): (String, u32)| PromptPart { text: format!("- {}\n", untrusted(&line, CHAIN)), rank: Some(rank) };
    lines.into_iter().zip(1..).map(part).collect()
}

/// The model's text, and why it ended.
fn write(
    proposing: &Proposing<'_>,
    generator: &GeneratorHandle,
    prompt: Prompt,
    sampling: Sampling,
) -> Result<(String, Finish), ModelError> {
    let mut text = String::new();
    let generation = generator.generate(prompt, sampling, proposing.cancel, &mut |piece| {
        text.push_str(piece);
        true
    })?;
    Ok((text.trim().to_owned(), generation.finish))
}

fn take(proposing: &Proposing<'_>, model: &str, rating: Rating, reply: ModelReply, drafts: &mut Drafts) {
    let ModelReply { triples, malformed, left_out, .. } = reply;
    let before = drafts.rejections();
    drafts.reject_many("an incomplete triple of the language model", malformed);
    drafts.reject_many("a triple beyond the limit for a language model", left_out);
    // A test rules out that our own rules cannot be read.
    let rules = RoleRules::built_in().ok();
    let from = if rating == Rating::Bad { "the question alone" } else { "question and answer" };
    for written in triples {
        let Some((role, player)) = meaning(proposing, rules.as_ref(), &written.relation) else {
            drafts.reject("an unknown relation");
            continue;
        };
        let ExtractedTriple { head, head_kind, tail, tail_kind, relation } = written;
        let (head, tail) = (Term::new(head, kind(&head_kind)), Term::new(tail, kind(&tail_kind)));
        let (owner, player) = if player == Player::Head { (tail, head) } else { (head, tail) };
        let relation: String = sanitise_line(&relation).chars().take(60).collect();
        let why = format!("the language model {model} extracted it from {from}, as “{relation}”");
        let basis = Basis { chains: Vec::new(), why };
        drafts.push(Draft { owner, role, player, relation: None, basis, proposer: Proposer::Model(model.to_owned()) });
    }
    let rejected = drafts.rejections() - before;
    if rejected > 0 {
        drafts.warnings.push(format!("{rejected} of the language model's triples could not be used."));
    }
}

/// The kind of a name; one that Catena does not know counts as none.
fn kind(written: &str) -> Kind {
    match Kind::parse(&written.replace(['-', '_'], " ")) {
        Kind::Other(_) => Kind::default(),
        kind => kind,
    }
}

/// What a relation means: as the graph has it, else as our rules read its name.
fn meaning(proposing: &Proposing<'_>, rules: Option<&RoleRules>, written: &str) -> Option<(Role, Player)> {
    let folded = fold(&written.replace('_', " "));
    if folded.is_empty() {
        return None;
    }
    let meant = |relation: &Relation| (relation.role, relation.player);
    let relations = proposing.knowledge.graph.relations();
    let of_graph = relations.iter().find(|relation| fold(&relation.name.replace('_', " ")) == folded).map(meant);
    let found = of_graph.or_else(|| rules.map(|rules| meant(&rules.guess(written))));
    found.filter(|(role, _)| *role != Role::Related)
}
