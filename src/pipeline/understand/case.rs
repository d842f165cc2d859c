//! The case of a question, put together from what was read of it.

use std::collections::HashMap;

use super::asked_class::{WantedClass, complete, wanted_classes};
use super::asked_result::is_only_asked;
use super::asks::{AskReader, Asked};
use super::course::Course;
use super::drugs::{DrugReader, says_more};
use super::eponym::Eponym;
use super::findings::{condition_status, days, is_of_no_relative, severity, side};
use super::intent::{Intent, orders};
use super::layout::{Layout, NamesAt};
use super::likeness::{hardly_drunk, is_likeness};
use super::measured_unknown::unread_values;
use super::named::{Class, Named, class_of, procedures_at_issue};
use super::past_treatment::PastTreatment;
use super::patient::{is_age_and_sex, state};
use super::prevention::is_to_be_prevented;
use super::recognised::RecognisedTypes;
use super::scope::Scopes;
use super::swallowed::is_swallowed_by_child;
use super::times::{Time, times};
use super::unknown::{is_unfamiliar, looks_like_follow_up, not_understood, unknown_kind, unknown_term};
use super::unread::unread;
use crate::graph::{EntityId, Kind, classes_of};
use crate::language::knowledge::{Knowledge, named as entity_named};
use crate::language::lab::{Measured, results};
use crate::language::lay::is_event;
use crate::language::recognise::Span;
use crate::pipeline::differential::evidence::{is_accident, urgency_of};
use crate::pipeline::safety::states::all_states;
use crate::run::{
    AskKind, Case, CaseAsk, CaseCondition, CaseDrug, CaseFinding, CaseResult, ConditionStatus, DrugStatus, FindingStatus, LikelyKind,
    NotUnderstood, ResultDirection,
};
use crate::text::{StopWords, Token};

/// What the blood pressure is called among the analytes.
const PRESSURE: &str = "blood pressure";
/// The longest clause of a question that is the asker's guess, in words.
const GUESS: usize = 3;

/// Words that are units where an amount stands before them.
const UNITS: [&str; 28] = [
    "mg", "mcg", "ug", "g", "kg", "ml", "dl", "fl", "l", "iu", "mol", "mmol", "umol", "nmol", "pmol", "mmhg", "kpa", "cm", "mm", "ms",
    "units", "d", "h", "w", "mu", "miu", "meq", "mosm",
];

/// A question cut up: everything that can be said of it without the graph.
pub(super) struct Draft<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: Vec<Token>,
    pub(super) layout: Layout,
    pub(super) scopes: Scopes,
    pub(super) times: Vec<Time>,
    pub(super) results: Vec<Measured>,
    /// What the recogniser says of words that the graph may not know.
    pub(super) types: RecognisedTypes,
    /// Terms that are unknown as a whole.
    pub(super) eponyms: Vec<Eponym>,
    /// What "non" denies, with the word for it.
    pub(super) by_non: Vec<Span>,
}

impl<'a> Draft<'a> {
    /// `names`: what of the graph is named where.
    pub(super) fn of(text: &'a str, tokens: Vec<Token>, names: &NamesAt<'_>) -> Self {
        let mut layout = Layout::of(text, &tokens);
        layout.end_history_at_complaints(&tokens, names.complaint);
        let mut scopes = Scopes::of(text, &tokens, &layout, names.finding);
        scopes.keep_emergencies(&tokens, &layout, names.emergency);
        let times = times(text, &tokens);
        let mut results = results(text, &tokens);
        results.retain(|result| !scopes.at(result.span.first).family && !layout.is_heading(result.span.last.saturating_sub(1)));
        results.retain(|result| !is_only_asked(&tokens, &layout, result));
        for result in results.iter_mut().filter(|result| result.is_told() && scopes.at(result.span.first).absent) {
            // "No raised troponin".
            if matches!(result.direction, ResultDirection::High | ResultDirection::Low | ResultDirection::Positive) {
                result.direction = ResultDirection::Normal;
            }
        }
        Self { text, tokens, layout, scopes, times, results, types: RecognisedTypes::default(), eponyms: Vec::new(), by_non: Vec::new() }
    }

    /// Whether a word alone may ask here: in a sentence with a question mark, in the last one, or behind an order ("list all absolute CIs").
    pub(super) fn may_ask(&self, at: usize) -> bool {
        let sentence = self.layout.sentence(at);
        sentence.asks || sentence.last == self.tokens.len() || orders(&self.tokens, sentence.first..at)
    }

    /// For each token whether it argues for nothing: denied, a relative's, an allergy, a normal sign on examination.
    pub(super) fn silent(&self) -> Vec<bool> {
        let mut silent = self.scopes.silent();
        for span in self.eponyms.iter().map(|eponym| &eponym.span).chain(&self.by_non) {
            self.fill(&mut silent, span.first, span.last);
        }
        hardly_drunk(&self.tokens).iter().for_each(|range| self.fill(&mut silent, range.start, range.end));
        for at in 0..self.tokens.len() {
            let is_allergy = self.layout.section(at) == super::layout::Section::Allergies;
            if is_allergy || self.layout.is_heading(at) {
                self.fill(&mut silent, at, at + 1);
            }
            let Some(found) = crate::language::direction::result_at(&self.tokens, at) else { continue };
            let word = self.tokens.get(at).map_or("", |token| token.text.as_str());
            let is_normal =
                found.means == ResultDirection::Normal && matches!(word, "normal" | "clear" | "nad" | "unremarkable" | "wnl" | "正" | "无");
            if is_normal && !self.tokens.get(at).is_some_and(|token| token.after_break) {
                let begin = (at.saturating_sub(3)..at)
                    .rev()
                    .find(|before| self.tokens.get(*before).is_none_or(|token| token.after_break))
                    .unwrap_or(at.saturating_sub(3));
                self.fill(&mut silent, begin.max(self.layout.sentence(at).first), found.last);
            }
        }
        silent
    }

    fn fill(&self, silent: &mut [bool], first: usize, last: usize) {
        silent.iter_mut().take(last).skip(first).for_each(|silent| *silent = true);
    }

    pub(super) fn span(&self, span: Span) -> (usize, usize) {
        let begin = self.tokens.get(span.first).map_or(0, |token| token.start);
        let end = span.last.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or(begin, |token| token.end);
        (begin, end.max(begin))
    }

    pub(super) fn words(&self, span: Span) -> String {
        let (begin, end) = self.span(span);
        self.text.get(begin..end).unwrap_or_default().to_owned()
    }

    /// For each token whether it can name nothing: a cue, a heading, a time, the unit of an amount ("90 mg" is no myasthenia).
    pub(super) fn idle(&self, cues: &[bool]) -> Vec<bool> {
        let is_unit_word = |at: usize| self.tokens.get(at).is_some_and(|token| UNITS.contains(&token.text.as_str()));
        let ends_in_digit = |at: usize| self.tokens.get(at).is_some_and(|token| token.text.ends_with(|c: char| c.is_ascii_digit()));
        // Also the second word of "75 mmol/mol".
        let is_unit = |at: usize| {
            let before = |steps: usize| at.checked_sub(steps);
            let is_second = || before(1).is_some_and(is_unit_word) && before(2).is_some_and(ends_in_digit);
            is_unit_word(at) && (before(1).is_some_and(ends_in_digit) || is_second())
        };
        let in_time = |at: usize| self.times.iter().any(|time| (time.first..time.last).contains(&at));
        // A value that was measured again names nothing.
        let was_replaced =
            |at: usize| self.results.iter().filter_map(|result| result.replaces).any(|old| (old.first..old.last).contains(&at));
        (0..self.tokens.len())
            .map(|at| {
                was_replaced(at)
                    || cues.get(at).copied().unwrap_or(false)
                    || self.layout.is_heading(at)
                    || in_time(at)
                    || is_unit(at)
                    || is_age_and_sex(&self.tokens, at)
            })
            .collect()
    }

    /// What is asked, in order, and of what.
    pub(super) fn asks(&self, knowledge: &Knowledge, intent: &Intent, named: &[Named]) -> Vec<Asked> {
        let is_named = |at: usize| named.iter().any(|named| (named.span.first..named.span.last).contains(&at));
        let stop = StopWords::built_in();
        let is_unknown_drug = |at: usize| {
            let Some(token) = self.tokens.get(at) else { return false };
            let span = Span { first: at, last: at + 1 };
            !token.cjk
                && !is_named(at)
                && !stop.contains(&token.text)
                && is_unfamiliar(token)
                && unknown_kind(&self.tokens, span, &self.types) == Some(LikelyKind::Drug)
        };
        let unknown_drug: Vec<bool> = (0..self.tokens.len()).map(is_unknown_drug).collect();
        let patient = state::read(&intent.patient, self.text, &self.tokens, &self.scopes, &self.results);
        let procedures = procedures_at_issue(knowledge, named, &patient);
        let (layout, scopes) = (&self.layout, &self.scopes);
        let is_exposure = |entity: &EntityId| matches!(knowledge.graph.kind(*entity), Kind::RiskFactor);
        let exposures: Vec<EntityId> = named.iter().map(|named| named.entity).filter(is_exposure).collect();
        let wanted = self.wanted(knowledge, named);
        let of_patient = all_states(&knowledge.graph, &patient);
        let can_be = |name: &str| entity_named(&knowledge.graph, name, "");
        let further_states: Vec<EntityId> = ["Pregnancy", "Breastfeeding", "Planning pregnancy"].into_iter().filter_map(can_be).collect();
        let reader = AskReader {
            tokens: &self.tokens,
            layout,
            scopes,
            named,
            procedures: &procedures,
            exposures: &exposures,
            unknown_drug: &unknown_drug,
            wanted: &wanted,
            states: &of_patient,
            further_states: &further_states,
        };
        let mut asks = reader.asks(intent);
        // "Femarix pills", 奥瑞司单抗治疗哮喘: the word belongs to the drug that nobody knows, and asks for no treatment.
        let is_unknown_before = |at: usize| {
            let is_apart = self.tokens.get(at).is_none_or(|token| token.after_break);
            let is_eponym = |eponym: &Eponym| eponym.kind == LikelyKind::Drug && eponym.span.last == at;
            let is_word = at.checked_sub(1).and_then(|before| unknown_drug.get(before)).copied().unwrap_or(false);
            !is_apart && (is_word || self.eponyms.iter().any(is_eponym))
        };
        asks.retain(|ask| ask.kind != AskKind::Treatment || !is_unknown_before(ask.first));
        let is_told = |named: &Named| {
            let marks = scopes.at(named.span.first);
            matches!(named.class, Class::Condition | Class::Finding)
                && !marks.absent
                && !marks.family
                && !of_patient.contains(&named.entity)
                && !exposures.contains(&named.entity)
        };
        complete(knowledge, &mut asks, (&wanted, named), named.iter().any(is_told));
        asks
    }

    /// The kinds of drugs that the question asks for.
    pub(super) fn wanted(&self, knowledge: &Knowledge, named: &[Named]) -> Vec<WantedClass> {
        wanted_classes(knowledge, &self.tokens, named, |at| self.may_ask(at))
    }

    /// The case. `named`: what the question names, in order; `of_result`: the entities of results, by their numbers.
    pub(super) fn case(
        &self,
        knowledge: &Knowledge,
        intent: &Intent,
        (named, asks): (&[Named], &[Asked]),
        of_result: &HashMap<usize, EntityId>,
        leftovers: &[Span],
    ) -> Case {
        let graph = &knowledge.graph;
        let name = |entity: EntityId| graph.entity_name(entity).to_owned();
        let mut case =
            Case { patient: state::read(&intent.patient, self.text, &self.tokens, &self.scopes, &self.results), ..Case::default() };
        let drug_reader = DrugReader::new(self.text, &self.tokens, &self.layout, &self.scopes, &self.times).beside(named);
        let drugs: Vec<Named> = named.iter().filter(|named| named.class == Class::Drug).cloned().collect();
        let wanted = self.wanted(knowledge, named);
        let asks_for_another = PastTreatment::of(&self.tokens, &[]).asks_for_another;
        for (number, named_here) in named.iter().enumerate() {
            let (start, end) = self.span(named_here.span);
            if state::is_smoking(&self.tokens, named_here.span) {
                continue;
            }
            if let Some(allergy) = self.allergy_of(knowledge, named_here) {
                push_once(&mut case.patient.allergies, name(allergy));
                case.drugs.push(CaseDrug {
                    entity: Some(name(allergy)),
                    text: self.words(named_here.span),
                    status: DrugStatus::Allergic,
                    start,
                    end,
                    days: None,
                });
            }
            if named_here.class != Class::Drug && drug_reader.is_of_allergy(named_here.span, &drugs) {
                continue;
            }
            // What is to be prevented is not there.
            if named_here.class == Class::Condition && is_to_be_prevented(&self.tokens, named_here.span.first, named_here.span.last) {
                continue;
            }
            let (entity, text) = (Some(name(named_here.entity)), self.words(named_here.span));
            match named_here.class {
                Class::Drug => {
                    let Some((status, days)) = drug_reader.status(named_here.span, &drugs) else { continue };
                    // "What statin after a heart attack": it is not taken.
                    let is_wanted = status != DrugStatus::Allergic && wanted.iter().any(|wanted| wanted.name == named_here.span.first);
                    let (status, days) = if is_wanted { (DrugStatus::Proposed, None) } else { (status, days) };
                    if status == DrugStatus::Allergic {
                        push_once(&mut case.patient.allergies, name(named_here.entity));
                    }
                    match case.drugs.iter_mut().find(|drug| drug.entity == entity) {
                        // What is said first stands, but for what says more.
                        Some(known) if says_more(known.status, status) => (known.status, known.days) = (status, days),
                        Some(_) => {}
                        None => case.drugs.push(CaseDrug { entity, text, status, start, end, days }),
                    }
                }
                // "No family history of VTE" says nothing about the patient.
                Class::Condition | Class::Finding if is_of_no_relative(&self.scopes, named_here.span) => {}
                Class::Condition => {
                    let is_name = self.is_denying_name(knowledge, named_here.span);
                    let is_mentioned = self.is_only_mentioned(knowledge, named_here, named, asks);
                    let status = condition_status(&self.scopes, &self.layout, named_here.span, is_name).filter(|_| !is_mentioned);
                    // "Grandad's tablets" are his, and what the child did is not.
                    let accident = is_swallowed_by_child(graph.entity_name(named_here.entity)).then_some(ConditionStatus::Known);
                    let Some(status) = status.or(accident) else {
                        case.findings.push(CaseFinding {
                            text,
                            entity,
                            status: if is_mentioned { FindingStatus::Uncertain } else { FindingStatus::FamilyHistory },
                            start,
                            end,
                            ..CaseFinding::default()
                        });
                        continue;
                    };
                    let asked = asks.iter().any(|ask| ask.kind == AskKind::Diagnosis && ask.of.contains(&named_here.entity));
                    let is_swallowed = |named: &Named| {
                        let is_emergency = urgency_of(knowledge, named.entity) == Some("emergency");
                        is_emergency && is_event(graph.entity_name(named.entity)) && !self.scopes.at(named.span.first).past
                    };
                    let befell = |entity| is_accident(knowledge, entity) && urgency_of(knowledge, entity) == Some("emergency");
                    let status = match status {
                        ConditionStatus::Known if asked || is_likeness(&self.tokens, named_here.span) => ConditionStatus::Suspected,
                        ConditionStatus::Known if self.is_over(knowledge, named_here, named, asks_for_another) => ConditionStatus::Past,
                        // Oven cleaner in the eye happened, however it is told; a battery that "has gone" is in the child.
                        ConditionStatus::Past if is_swallowed(named_here) => ConditionStatus::Known,
                        ConditionStatus::Suspected if !asked && befell(named_here.entity) => ConditionStatus::Known,
                        _ => status,
                    };
                    match case.conditions.iter_mut().find(|condition| condition.entity == entity) {
                        Some(known) if known.status == ConditionStatus::Suspected && status != ConditionStatus::Past => {
                            known.status = status
                        }
                        Some(_) => {}
                        None => case.conditions.push(CaseCondition { entity, text, status, start, end }),
                    }
                }
                Class::Finding => {
                    if self.layout.section(named_here.span.first) == super::layout::Section::Allergies {
                        continue;
                    }
                    let status = self.finding_status(knowledge, named_here);
                    let before = number.checked_sub(1).and_then(|at| named.get(at)).map_or(0, |named| named.span.last);
                    let behind = named.get(number + 1).map_or(self.tokens.len(), |named| named.span.first);
                    let finding = CaseFinding {
                        days: days(&self.tokens, &self.times, &self.layout, named_here.span, (before, behind)),
                        severity: severity(&self.tokens, &self.layout, named_here.span),
                        side: side(&self.tokens, &self.layout, named_here.span),
                        text,
                        entity,
                        status,
                        start,
                        end,
                    };
                    match case.findings.iter_mut().find(|known| known.entity == finding.entity) {
                        Some(known) if known.status != FindingStatus::Present && status == FindingStatus::Present => *known = finding,
                        Some(_) => {}
                        None => case.findings.push(finding),
                    }
                }
                Class::Test | Class::Other => {}
            }
        }
        for (first, last, finding) in &self.scopes.absent_words {
            let Some(entity) = graph.names().lookup_exact(finding).first().copied() else { continue };
            let span = Span { first: *first, last: *last };
            let (start, end) = self.span(span);
            let entity = Some(name(entity));
            if !case.findings.iter().any(|known| known.entity == entity) {
                case.findings.push(CaseFinding {
                    text: self.words(span),
                    entity,
                    status: FindingStatus::Absent,
                    start,
                    end,
                    ..CaseFinding::default()
                });
            }
        }
        case.findings.sort_by_key(|finding| finding.start);
        case.results = self
            .results
            .iter()
            .enumerate()
            .map(|(number, result)| self.result(knowledge, result, of_result.get(&number).copied()))
            .collect();
        case.asks = asks.iter().map(|ask| CaseAsk { kind: ask.kind, of: ask.of.iter().map(|entity| name(*entity)).collect() }).collect();
        let in_time = |at: usize| self.times.iter().any(|time| (time.first..time.last).contains(&at));
        let is_read = |at: usize| {
            self.scopes.is_cue(at)
                || self.scopes.absent_words.iter().any(|(first, last, _)| (*first..*last).contains(&at))
                || self.layout.is_heading(at)
                || in_time(at)
                || intent.cue_tokens.get(at).copied().unwrap_or(false)
                || self.is_gravida(at)
        };
        case.not_understood = not_understood(self.text, &self.tokens, (&self.layout, named, asks), (leftovers, &self.types), is_read);
        let is_result = |at: usize| self.results.iter().any(|result| (result.span.first..result.span.last).contains(&at));
        case.not_understood.extend(unread_values(self.text, &self.tokens, named, is_result));
        // "Perrin-Holloway fever, treatment of the rash" names another thing only with a condition or a drug.
        let names_another = |ask: &Asked| {
            let is_other = |entity| matches!(class_of(knowledge, entity), Class::Condition | Class::Drug);
            ask.of.iter().any(|entity| is_other(*entity))
        };
        for eponym in &self.eponyms {
            let term = unknown_term(self.text, &self.tokens, (&self.layout, named, asks), *eponym, names_another);
            case.not_understood.retain(|known| term.as_ref().is_none_or(|term| known.end <= term.start || term.end <= known.start));
            case.not_understood.extend(term);
        }
        for clause in self.unread(knowledge, named, is_read) {
            let (start, end) = self.span(clause);
            // What is known to be a drug or a condition says more than its clause.
            let is_typed = |term: &NotUnderstood| matches!(term.likely, Some(LikelyKind::Drug | LikelyKind::Condition));
            if case.not_understood.iter().any(|term| term.start < end && start < term.end && is_typed(term)) {
                continue;
            }
            case.not_understood.retain(|term| term.end <= start || term.start >= end);
            case.not_understood.push(NotUnderstood { text: self.words(clause), start, end, passage: true, ..NotUnderstood::default() });
        }
        case.not_understood.sort_by_key(|term| term.start);
        case.looks_like_follow_up = looks_like_follow_up(&self.tokens);
        case
    }

    /// Clauses that tell of a finding and of which nothing was understood.
    fn unread(&self, knowledge: &Knowledge, named: &[Named], is_read: impl Fn(usize) -> bool) -> Vec<Span> {
        let spans = named.iter().map(|named| named.span).chain(self.results.iter().map(|result| result.span));
        let spans: Vec<Span> = spans.collect();
        let is_known = |at: usize| is_read(at) || spans.iter().any(|span| (span.first..span.last).contains(&at));
        let tells = |at: usize| !self.scopes.at(at).family && !self.scopes.at(at).resolved && !self.layout.is_heading(at);
        let mut found = unread(&self.tokens, knowledge.spellings(), is_known, tells);
        // "Pulled muscle?" is a guess of the asker, not a complaint.
        found.retain(|clause| clause.last - clause.first > GUESS || !self.layout.sentence(clause.first).asks);
        found
    }

    /// The drugs that the text says are taken, before anything else is linked: their names, those of their classes, and the words of the text.
    pub(super) fn drugs_in_use(&self, knowledge: &Knowledge) -> Vec<String> {
        let names = knowledge.graph.names();
        let at = |first: usize| {
            let hit = names.longest_at(&self.tokens, first)?;
            let (entity, _) = hit.entities.iter().find(|(entity, _)| class_of(knowledge, *entity) == Class::Drug)?;
            Some(Named { span: Span { first, last: hit.last }, entity: *entity, class: Class::Drug })
        };
        let drugs: Vec<Named> = (0..self.tokens.len()).filter_map(at).collect();
        let reader = DrugReader::new(self.text, &self.tokens, &self.layout, &self.scopes, &self.times);
        let in_use = |drug: &&Named| matches!(reader.status(drug.span, &drugs), Some((DrugStatus::Taken | DrugStatus::New, _)));
        let graph = &knowledge.graph;
        let names = |drug: &Named| {
            let entities = std::iter::once(drug.entity).chain(classes_of(graph, drug.entity));
            let names = entities.map(|entity| graph.entity_name(entity).to_owned());
            names.chain([self.words(drug.span)]).collect::<Vec<String>>()
        };
        drugs.iter().filter(in_use).flat_map(names).collect()
    }

    /// The drug that a span's first words name: lithium in "lithium levels".
    pub(super) fn drug_named(&self, knowledge: &Knowledge, span: Span) -> Option<EntityId> {
        let names = knowledge.graph.names();
        (span.first + 1..span.last).rev().find_map(|last| {
            let found = names.lookup_exact(&self.words(Span { first: span.first, last }));
            found.into_iter().find(|entity| class_of(knowledge, *entity) == Class::Drug)
        })
    }

    /// "G2P1", "32+4": read with the pregnancy.
    fn is_gravida(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| {
            token.text.starts_with(['g', 'p']) && token.text.len() <= 4 && token.text.chars().any(|c| c.is_ascii_digit())
        })
    }

    /// The drug of a condition that is an allergy to it: "penicillin allergy".
    fn allergy_of(&self, knowledge: &Knowledge, named: &Named) -> Option<EntityId> {
        let marks = self.scopes.at(named.span.first);
        let bare = |text: &str| {
            let text = text.to_lowercase();
            let is_allergy =
                ["allergy", "allergic", "anaphylaxis", "过敏"].iter().any(|word| text.contains(word)) && !text.contains("不过敏");
            let words: Vec<&str> =
                text.split_whitespace().filter(|word| !matches!(*word, "allergy" | "allergic" | "anaphylaxis" | "to")).collect();
            is_allergy.then(|| words.join(" ").replace("过敏", ""))
        };
        let texts = [bare(&self.words(named.span)), bare(knowledge.graph.entity_name(named.entity))];
        let found = texts.into_iter().flatten().flat_map(|text| knowledge.graph.names().lookup_exact(text.trim()));
        found.into_iter().find(|entity| !marks.absent && !marks.family && class_of(knowledge, *entity) == Class::Drug)
    }

    fn result(&self, knowledge: &Knowledge, result: &Measured, finding: Option<EntityId>) -> CaseResult {
        let graph = &knowledge.graph;
        let (start, end) = self.span(result.span);
        let mut against: Vec<String> = Vec::new();
        for entity in result.against().flat_map(|name| graph.names().lookup_exact(name)) {
            push_once(&mut against, graph.entity_name(entity).to_owned());
        }
        // A pressure that is high only in spells is no crisis between them.
        let is_of_spells = result.test() == PRESSURE && Course::of(self.text).is_of_spells(start);
        CaseResult {
            test: result.test().to_owned(),
            value: result.value.map(|value| (value * 1e4).round() / 1e4),
            second: result.second,
            unit: result.shown_unit().map(str::to_owned),
            unit_inferred: result.unit_inferred,
            direction: result.direction,
            start,
            end,
            finding: finding.map(|entity| graph.entity_name(entity).to_owned()),
            against,
            critical: result.critical && !is_of_spells,
        }
    }
}

fn push_once(list: &mut Vec<String>, item: String) {
    if !list.contains(&item) {
        list.push(item);
    }
}
