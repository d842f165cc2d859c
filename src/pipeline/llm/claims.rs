//! What a model's text claims about entities of the graph, and whether the chains that it cites bear that out. What they do
//! not is marked as the model's own.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::citations::{Cited, ids_in, without};
use super::sentences::sentences;
use crate::graph::{EntityId, Kind, Role};
use crate::language::recognise::Reading;
use crate::pipeline::answer::extractive::ReadInput;
use crate::pipeline::answer::stance::denies;
use crate::pipeline::answer::statements::{Statement, corrected, forbidden, statements};
use crate::pipeline::answer::wording::Wording;
use crate::run::event::{Answer, AnswerLine, AnswerPart, MentionOrigin};
use crate::text::StopWords;

/// An answer made of a model's text.
pub(crate) struct Claims {
    pub(crate) answer: Answer,
    /// How many sentences are the model's own.
    pub(crate) unsupported: usize,
    /// What the text proposes and the graph rules out, with what for.
    pub(crate) ruled_out: Vec<(String, String)>,
}

/// An entity that a sentence names.
struct Named {
    entity: EntityId,
    part: AnswerPart,
    supported: bool,
    /// The sentence denies or warns.
    denied: bool,
}

struct Judge<'a> {
    input: &'a ReadInput<'a>,
    statements: Vec<Statement>,
    of_question: HashSet<EntityId>,
}

/// Judges a text whose citations are all of chains that exist.
pub(crate) fn judge(input: &ReadInput<'_>, cited: &Cited) -> Claims {
    let graph = &input.knowledge.graph;
    let judge = Judge { input, statements: statements(input), of_question: input.anchors.of_question().map(|a| a.entity).collect() };
    let forbidden = forbidden(input, &judge.statements, &judge.of_question);
    let mut text = String::new();
    let mut lines = Vec::new();
    let mut named: Vec<Named> = Vec::new();
    let mut unsupported = 0;
    for (at, line) in cited.text.lines().enumerate() {
        if at > 0 {
            text.push('\n');
        }
        let (first, own_before, begin) = (named.len(), unsupported, text.len());
        let mut written_to = 0;
        for range in sentences(line) {
            let sentence = &line[range.clone()];
            let (of_sentence, own) = judge.sentence(sentence);
            text.push_str(&line[written_to..range.start]);
            if own {
                unsupported += 1;
                text.push_str(&marked(sentence, input.wording));
            } else {
                text.push_str(sentence);
            }
            written_to = range.end;
            named.extend(of_sentence);
        }
        text.push_str(&line[written_to..]);
        if let Some(subject) = judge.subject(&named[first..]) {
            lines.push(AnswerLine {
                part: subject.part,
                entity: graph.entity_name(subject.entity).to_owned(),
                role: judge.statements.iter().find(|s| s.player == subject.entity).map(|s| s.role),
                text: plain_line(&text[begin..]),
                citations: ids_in(line).into_iter().collect(),
                unsupported: unsupported > own_before,
            });
        }
    }
    let proposed_and_forbidden = |n: &&Named| forbidden.contains(&n.entity) && !n.denied && !judge.of_question.contains(&n.entity);
    let ruled_out: BTreeSet<EntityId> = named.iter().filter(proposed_and_forbidden).map(|n| n.entity).collect();
    let entities = judge.result(&named, &ruled_out);
    if cited.citations.is_empty() {
        text.push_str("\n\n");
        text.push_str(&input.wording.answer.uncited);
    }
    let answer = Answer {
        text,
        entities,
        citations: cited.citations.iter().copied().collect(),
        corrected: corrected(input, &judge.statements, &forbidden),
        grounded: !cited.citations.is_empty(),
        lines,
        by_model: true,
        more: Vec::new(),
    };
    let states = |drug: EntityId| {
        let facts = input.knowledge.facts();
        let rules_out = |state: &&EntityId| facts.states(drug, **state, |role| role == Role::Contraindication);
        let states: BTreeSet<EntityId> = judge.of_question.iter().filter(rules_out).copied().collect();
        states.into_iter().map(|state| graph.entity_name(state)).collect::<Vec<_>>().join(", ")
    };
    let ruled_out = ruled_out.iter().map(|drug| (graph.entity_name(*drug).to_owned(), states(*drug))).collect();
    Claims { answer, unsupported, ruled_out }
}

impl Judge<'_> {
    /// What a sentence names, and whether it is the model's own: it names entities and cites nothing, or only chains in which
    /// none of them occurs.
    fn sentence(&self, sentence: &str) -> (Vec<Named>, bool) {
        let graph = &self.input.knowledge.graph;
        let plain = without(sentence);
        let mut reading = Reading::of(&plain, 0, MentionOrigin::Hypothesis, StopWords::built_in());
        let mentions = reading.names(graph.names());
        let shown: HashSet<EntityId> = ids_in(sentence)
            .into_iter()
            .filter_map(|id| self.input.pruning.kept.get((id as usize).checked_sub(1)?))
            .flat_map(|scored| self.input.found.chains[scored.chain as usize].nodes().iter().map(|node| EntityId(*node)))
            .collect();
        let denied = denies(&plain);
        let mut named = Vec::new();
        for mention in &mentions {
            // Of several entities of one name the one that the citation shows is meant, else the one of the graph's choice.
            let best = mention
                .entities
                .iter()
                .min_by_key(|(entity, exact)| (!shown.contains(entity), !exact, std::cmp::Reverse(graph.degree(*entity)), *entity));
            let Some((entity, _)) = best.copied() else { continue };
            named.push(Named { entity, part: self.part_of(entity, denied), supported: shown.contains(&entity), denied });
        }
        let own = !named.is_empty() && !named.iter().any(|n| n.supported) && !speaks_of_evidence(&plain, denied);
        (named, own)
    }

    /// The part of an answer that an entity belongs to: by what the kept chains say of it, else by its kind.
    fn part_of(&self, entity: EntityId, denied: bool) -> AnswerPart {
        let plays = |wanted: &dyn Fn(Role) -> bool| self.statements.iter().any(|s| s.player == entity && wanted(s.role));
        let knowledge = self.input.knowledge;
        let part = if plays(&|role| role.is_treatment() || role == Role::Prevention) {
            AnswerPart::Treatments
        } else if plays(&|role| matches!(role, Role::Test | Role::Monitoring)) {
            AnswerPart::Tests
        } else if matches!(knowledge.graph.kind(entity), Kind::Drug | Kind::DrugClass) {
            AnswerPart::Treatments
        } else if matches!(knowledge.graph.kind(entity), Kind::Test) {
            AnswerPart::Tests
        } else if knowledge.is_condition(entity) && !self.of_question.contains(&entity) {
            AnswerPart::Conditions
        } else if plays(&|role| matches!(role, Role::AdverseEffect | Role::Contraindication | Role::Interaction)) {
            AnswerPart::Cautions
        } else if knowledge.is_condition(entity) {
            AnswerPart::Conditions
        } else {
            AnswerPart::Findings
        };
        // A treatment that the sentence warns of is no proposal.
        if denied && part == AnswerPart::Treatments { AnswerPart::Cautions } else { part }
    }

    /// What a line is about: what is asked for, else what the question did not name itself, else the first that it names.
    fn subject<'n>(&self, named: &'n [Named]) -> Option<&'n Named> {
        let new = |n: &&Named| !self.of_question.contains(&n.entity);
        let asked = |n: &&Named| self.input.intent.asks(n.part);
        named.iter().find(|n| asked(n) && new(n)).or_else(|| named.iter().find(new)).or_else(|| named.first())
    }

    /// What the answer states as its result: the parts asked for alone, where there is anything of them; what the chains bear out
    /// before the rest, and each in the order of the text.
    fn result(&self, named: &[Named], ruled_out: &BTreeSet<EntityId>) -> Vec<String> {
        let intent = self.input.intent;
        let mut places: HashMap<EntityId, (bool, bool, bool, usize)> = HashMap::new();
        for (at, n) in named.iter().enumerate().filter(|(_, n)| !ruled_out.contains(&n.entity)) {
            if n.denied && !intent.asks(AnswerPart::Cautions) {
                continue;
            }
            let asked = intent.asks(n.part);
            let of_question = self.of_question.contains(&n.entity) && !(asked && n.part == AnswerPart::Cautions);
            let place = (!asked, of_question, !n.supported, at);
            let best = places.entry(n.entity).or_insert(place);
            *best = place.min(*best);
        }
        let mut order: Vec<_> = places.into_iter().map(|(entity, place)| (place, entity)).collect();
        order.sort_unstable();
        let answers_the_question = |place: &(bool, bool, bool, usize)| !place.0 && !place.1;
        if order.iter().any(|(place, _)| answers_the_question(place)) {
            order.retain(|(place, _)| answers_the_question(place));
        }
        // Homonyms are two entities, and one name.
        let mut seen = HashSet::new();
        let names = order.into_iter().map(|(_, entity)| self.input.knowledge.graph.entity_name(entity));
        names.filter(|name| seen.insert(*name)).map(str::to_owned).collect()
    }
}

/// Whether a sentence says that the evidence does not say something: that needs no citation.
fn speaks_of_evidence(sentence: &str, denied: bool) -> bool {
    let folded = crate::text::fold(sentence);
    denied && ["evidence", "chains", "证据"].iter().any(|word| folded.contains(word))
}

/// A sentence with the mark of what is the model's own, before its full stop where it has one.
fn marked(sentence: &str, wording: &Wording) -> String {
    let trimmed = sentence.trim_end();
    let own = &wording.answer.own;
    let blank = if wording.is_chinese() { "" } else { " " };
    let end = trimmed.char_indices().next_back().filter(|(_, c)| matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '；'));
    let (head, tail) = trimmed.split_at(end.map_or(trimmed.len(), |(at, _)| at));
    format!("{head}{blank}{own}{tail}{}", &sentence[trimmed.len()..])
}

/// A line of a model's text as [`AnswerLine::text`] has it: without its citations, and without what makes it an item of a list.
pub(crate) fn plain_line(line: &str) -> String {
    without(line).trim().trim_start_matches(['-', '*', '•', '#', ' ']).to_owned()
}

/// The marks of what is a model's own, where they stand in a text: byte offset and length, in order.
pub(crate) fn is_own(text: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> =
        Wording::own_marks().iter().flat_map(|mark| text.match_indices(mark).map(|(at, mark)| (at, mark.len()))).collect();
    found.sort_unstable();
    found
}
