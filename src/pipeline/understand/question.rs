//! Reading the question: the case that it describes, what it asks for, and the entities that argue for something.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::asks::Asked;
use super::beside_results::beside_results;
use super::case::Draft;
use super::choking::accidents;
use super::contrary::{is_contrary, is_predicted};
use super::corrections::Corrected;
use super::denied_part::denied_by_non;
use super::drugs::DrugReader;
use super::eponym::eponyms;
use super::findings::condition_status;
use super::intent::Intent;
use super::layout::{NamesAt, Section};
use super::likeness::{hardly_drunk, is_going_well, is_not_drunk, is_only_like};
use super::marked_names::mark_named;
use super::named::{Class, Named, class_of, vaccine_against};
use super::next_step::settle_next_step;
use super::of_pregnancy::is_without_pregnancy;
use super::offered_before::referred;
use super::patient::state;
use super::pictured::{Pictured, is_called_normal};
use super::planned_self_harm::planned_self_harm;
use super::prevention::{end_of_goal, is_to_be_prevented, settle};
use super::protection::ask_for_protection;
use super::recognised::{RecognisedTypes, names_a_new_disease, names_a_new_word};
use super::refine::refine;
use super::short_drug::{drug_names, short_drug_names};
use super::suspected_condition::is_suspected;
use super::swallowed::swallowed_by_child;
use super::wanted_drug::WantedDrug;
use super::whose::is_told_as_known;
use crate::graph::{EntityId, Kind};
use crate::language::abbreviation::Ambiguous;
use crate::language::context::{RunContext, StageError};
use crate::language::exposure::{exposures, is_exposure};
use crate::language::knowledge::Knowledge;
use crate::language::lab::for_patient;
use crate::language::lay::is_event;
use crate::language::link::{Anchors, link_candidates, link_names, meant_by};
use crate::language::misspelling::Misspelling;
use crate::language::recognise::{MOST_TOKENS, NameMention, Phrase, REORDERED, ReadTokens, Reading, Span};
use crate::model::TypedMention;
use crate::run::event::{EventKind, Mention};
use crate::run::{
    AskKind, Case, CaseCorrection, CaseDrug, CaseFinding, ConditionStatus, DrugStatus, FindingStatus, MentionOrigin, NotUnderstood,
    ResultDirection,
};
use crate::text::{StopWords, Token};

/// Time spent on recognising and linking.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ReadTime {
    pub(crate) recognise: Duration,
    pub(crate) link: Duration,
}

/// What was read of a question.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReadQuestion {
    /// How it was read.
    pub(crate) case: Arc<Case>,
    /// What it asks for, as the later stages know it; it follows from the case.
    pub(crate) intent: Intent,
    pub(crate) time: ReadTime,
}

impl ReadQuestion {
    /// Takes over the case of the run before, and the drugs that its answer offers where the question means them; then the doctor's corrections
    /// hold, also of what is taken over.
    pub(crate) fn follow(
        &mut self,
        (knowledge, question): (&Knowledge, &str),
        before: &Case,
        corrections: &[CaseCorrection],
        chinese: bool,
    ) {
        let case = Arc::make_mut(&mut self.case);
        let mut before = before.clone();
        let is_known = |drug: &CaseDrug| before.drugs.iter().any(|known| known.entity == drug.entity);
        let meant: Vec<CaseDrug> = referred(knowledge, question, case, &before).into_iter().filter(|drug| !is_known(drug)).collect();
        before.drugs.extend(meant);
        case.carry_over(&before, chinese);
        case.correct_with(corrections, &|text| told_in(knowledge, text));
        self.intent.wanted.aim(knowledge, case);
        self.intent.take_asks(&case.asks);
        self.intent.patient.take_case(&case.patient);
    }
}

/// Recognises and links the question, and reads its case; the anchors that argue for something are added to `anchors`. `corrections`: how the doctor
/// corrected the case; of a question that `follows` another, they hold once the case before is taken over. `links`: whether the method uses the graph.
///
/// # Errors
/// If the run is stopped, or the encoder fails and no other can take its place.
pub(crate) fn read_question(
    ctx: &mut RunContext<'_>,
    question: &str,
    (corrections, follows): (&[CaseCorrection], bool),
    links: bool,
    anchors: &mut Anchors,
) -> Result<ReadQuestion, StageError> {
    let started = Instant::now();
    let knowledge = ctx.knowledge;
    let corrected = Corrected::of(knowledge, corrections);
    let mut typed = ctx.recognised(question)?;
    let is_name = |tokens: &[Token]| knowledge.graph.names().longest_at(tokens, 0).is_some_and(|hit| hit.last == tokens.len());
    typed.retain(|mention| names_a_new_word(question, mention, knowledge.spellings()) || names_a_new_disease(question, mention, &is_name));
    let mut found = Recognised::of(knowledge, question, &corrected, &typed);
    if found.reading.cut {
        ctx.warn(format!("The question is very long; Catena read only its first {MOST_TOKENS} words."));
    }
    for Misspelling { written, read } in &found.misspelt {
        ctx.warn(format!("Catena read “{written}” as “{read}”."));
    }
    let phrases = if links { found.reading.phrases() } else { Vec::new() };
    let recognise = started.elapsed();

    let started = Instant::now();
    if links {
        let arguing = found.arguing(knowledge, &corrected);
        link_names(ctx, anchors, &found.reading, &arguing, MentionOrigin::Question);
        let pictured = found.pictured(knowledge);
        (anchors.pictures, anchors.recognised) = (pictured.conditions, pictured.recognised);
        link_names(ctx, anchors, &found.reading, &pictured.findings, MentionOrigin::Question);
        let graph = &knowledge.graph;
        // Words that call something normal ("kidneys all fine") resemble what it would be if it were not.
        let read = found.draft.tokens.clone();
        // 神志清楚 resembles the name of what it denies.
        let absent: Vec<(usize, usize)> = found.draft.scopes.absent_words.iter().map(|(first, last, _)| (*first, *last)).collect();
        let is_absent = |span: &Span| absent.iter().any(|(first, last)| span.first < *last && *first < span.last);
        let may_link = |phrase: &Phrase, entity: EntityId| {
            let class = class_of(knowledge, entity);
            // That a treatment was had is told by its name, not by words like it: pain that radiates is no radiotherapy.
            let is_state = class == Class::Condition && matches!(graph.kind(entity), Kind::Treatment);
            let is_ill = matches!(class, Class::Condition | Class::Finding);
            let is_well = is_ill && is_called_normal(&read, &phrase.span);
            // Hyaluronic acid in eye drops is like the name of an accident, and none: those are read by the way to the eye.
            let name = graph.entity_name(entity);
            class != Class::Test && !is_state && !is_well && !is_absent(&phrase.span) && !is_exposure(name) && !corrected.is_out(name)
        };
        let reading = &mut found.reading;
        let linked = ctx.with_encoder(|ctx| link_candidates(ctx, anchors, reading, &phrases, MentionOrigin::Question, &may_link))?;
        let eponyms: Vec<Span> = found.draft.eponyms.iter().map(|eponym| eponym.span).collect();
        anchors.leave_unlinked(ctx, reading, &eponyms);
        found.named.extend(linked.into_iter().map(|(span, entity)| Named { span, entity, class: class_of(knowledge, entity) }));
        found.named.sort_by_key(|named| named.span.first);
    }
    let (case, intent) = found.finish(knowledge, if follows { &[] } else { corrections });
    for mention in typed.iter().filter_map(|mention| unknown(question, mention, &case)) {
        ctx.emit(EventKind::MentionFound { mention });
    }
    Ok(ReadQuestion { case: Arc::new(case), intent, time: ReadTime { recognise, link: started.elapsed() } })
}

/// What words with which the doctor corrects a case say, by exact names.
pub(crate) fn told_in(knowledge: &Knowledge, text: &str) -> Case {
    Recognised::of(knowledge, text, &Corrected::default(), &[]).finish(knowledge, &[]).0
}

/// A mention that the recogniser found and that the case does not understand.
fn unknown(question: &str, mention: &TypedMention, case: &Case) -> Option<Mention> {
    let (start, end) = mention.span();
    let is_unknown = case.not_understood.iter().any(|term| !term.passage && term.start < end && start < term.end);
    let text = question.get(start..end).filter(|_| is_unknown)?.to_owned();
    Some(Mention { text, start, end, origin: MentionOrigin::Question, recogniser: "w2ner".into() })
}

/// A question with the names recognised in it.
struct Recognised<'a> {
    draft: Draft<'a>,
    reading: Reading<'a>,
    intent: Intent,
    /// Names of the graph, as the recogniser found them.
    names: Vec<NameMention>,
    /// Abbreviations whose meaning the question does not decide.
    ambiguous: Vec<Ambiguous>,
    /// What results amount to, by their numbers.
    of_result: HashMap<usize, EntityId>,
    /// The results whose mention a name is, by the name's first token.
    results: Vec<(usize, NameMention)>,
    named: Vec<Named>,
    /// Words that were read as others.
    misspelt: Vec<Misspelling>,
    /// Findings that the question says in part.
    partly: Vec<EntityId>,
}

impl<'a> Recognised<'a> {
    fn of(knowledge: &Knowledge, question: &'a str, corrected: &Corrected, typed: &[TypedMention]) -> Self {
        let mut tokens = ReadTokens::of(question);
        let graph = &knowledge.graph;
        let written = tokens.tokens.clone();
        let mut misspelt = knowledge.spellings().correct(question, &mut tokens.tokens);
        let types = RecognisedTypes::of(&written, typed);
        let eponyms = eponyms(question, (&tokens.tokens, &written), graph.names(), knowledge.spellings(), &types);
        // The name of somebody is not misspelt: the "Keller" of an unknown fever is no "killer".
        for at in eponyms.iter().flat_map(|eponym| eponym.span.first..eponym.span.last) {
            if let (Some(token), Some(written)) = (tokens.tokens.get_mut(at), written.get(at)) {
                token.text.clone_from(&written.text);
                let as_written = question.get(token.start..token.end).unwrap_or_default();
                misspelt.retain(|misspelling| misspelling.written != as_written);
            }
        }
        // A single Chinese character may only begin a word.
        let is_at = |at: usize, is_it: &dyn Fn(EntityId) -> bool| {
            let is_latin = tokens.tokens.get(at).is_some_and(|token| !token.cjk);
            let hit = graph.names().longest_at(&tokens.tokens, at).filter(|hit| hit.last > at + 1 || is_latin);
            hit.is_some_and(|hit| hit.entities.iter().any(|(entity, _)| is_it(*entity)))
        };
        let is_finding_at = |at: usize| is_at(at, &|entity| matches!(graph.kind(entity), Kind::Disease | Kind::Symptom));
        let is_complaint_at = |at: usize| is_at(at, &|entity| matches!(graph.kind(entity), Kind::Symptom));
        let is_emergency_at = |at: usize| is_at(at, &|entity| graph.attributes(entity).get("urgency") == Some("emergency"));
        let names = NamesAt { finding: &is_finding_at, complaint: &is_complaint_at, emergency: &is_emergency_at };
        let mut draft = Draft::of(question, tokens.tokens.clone(), &names);
        draft.types = types;
        draft.eponyms = eponyms;
        draft.by_non = denied_by_non(&draft.tokens, graph.names(), &is_finding_at);
        let mut intent = Intent::read(&draft.tokens, |at| draft.may_ask(at), &drug_names(graph, &draft.tokens));
        let silent = (draft.scopes.denied.clone(), draft.silent());
        let mut reading = Reading::of_question(question, tokens, &draft.idle(&intent.cue_tokens), silent, StopWords::built_in());
        draft.eponyms.iter().for_each(|eponym| reading.take(eponym.span));
        // "What pushes lithium levels up" tells of no result; "got a positive test" asks for none.
        let asked: Vec<(usize, usize)> =
            intent.asked_at.iter().filter(|ask| ask.kind == AskKind::Interactions).map(|ask| (ask.first, ask.last)).collect();
        draft.results.retain(|result| {
            !(result.is_told() && asked.iter().any(|(first, last)| result.span.first < *last && first < &result.span.last))
        });
        intent.without_names(draft.results.iter().map(|result| (result.span.first, result.span.last)));
        let patient = state::read(&intent.patient, question, &draft.tokens, &draft.scopes, &draft.results);
        for_patient(&mut draft.results, &patient);
        super::low_pressure::lower_limit(knowledge, &draft.tokens, &patient, &mut draft.results);
        // "High blood pressure" is a condition, not a result.
        let is_condition = |entity: EntityId| matches!(graph.kind(entity), Kind::Disease);
        draft.results.retain(|result| {
            let name = graph.names().longest_at(&draft.tokens, result.span.first).filter(|hit| hit.last >= result.span.last);
            let is_name = name.is_some_and(|hit| hit.entities.iter().any(|(entity, _)| is_condition(*entity)));
            !(result.is_told() && is_name && !matches!(result.direction, ResultDirection::Normal | ResultDirection::Negative))
        });
        let in_use = draft.drugs_in_use(knowledge);
        let is_used = |drug: &str| in_use.iter().any(|used| used.eq_ignore_ascii_case(drug));
        let is_known = |word: &str| is_told_as_known(&draft.tokens, &draft.layout, &draft.scopes, word);
        draft.results.iter_mut().for_each(|result| result.allow_for(is_used, is_known));
        let results = reading.values(graph.names(), &draft.results);
        let (mut names, ambiguous) = reading.abbreviations(graph.names());
        // "FH: father had a stroke" names no familial hypercholesterolaemia.
        names.retain(|name| {
            let class = meant_by(graph, name).map(|(entity, _)| class_of(knowledge, entity));
            !(draft.layout.is_heading(name.span.first) && matches!(class, Some(Class::Condition | Class::Finding)))
        });
        for (span, name) in exposures(&draft.tokens) {
            let entities: Vec<(EntityId, bool)> = graph.names().lookup_exact(name).into_iter().map(|entity| (entity, false)).collect();
            if !entities.is_empty() {
                reading.take(span);
                names.push(NameMention { span, entities, recogniser: "exposure" });
            }
        }
        draft.by_non.iter().for_each(|span| reading.take(*span));
        let may_be_told = |entity: EntityId| knowledge.is_finding(entity) || is_event(graph.entity_name(entity));
        names.extend(reading.lay_names(graph.names(), may_be_told));
        names.extend(reading.names(graph.names()));
        names.retain(|name| !is_not_drunk(&draft.tokens, &draft.layout, name.span));
        let short = short_drug_names(knowledge, &reading.tokens, |at| !reading.is_taken(at));
        short.iter().for_each(|name| reading.take(name.span));
        names.extend(short);
        let of_results: Vec<Span> =
            draft.results.iter().map(|result| result.span).chain(ambiguous.iter().map(|short| short.span)).collect();
        let of_results: Vec<Span> = of_results.into_iter().chain(draft.eponyms.iter().map(|eponym| eponym.span)).collect();
        let is_closed = |token: usize| of_results.iter().any(|span| (span.first..span.last).contains(&token));
        let is_fixed = |name: &NameMention| {
            let class = meant_by(graph, name).map(|(entity, _)| class_of(knowledge, entity));
            matches!(class, Some(Class::Drug | Class::Test))
        };
        reading.reordered_names(knowledge.reordered_names(), &mut names, is_closed, is_fixed);
        super::part_of_longer::leave_out_parts(graph, &draft.tokens, &mut names);
        names.retain(|name| !is_only_like(&draft.tokens, name.span) && !is_going_well(&draft.tokens, name.span));
        let hardly = hardly_drunk(&draft.tokens);
        names.retain(|name| {
            let is_other = |(entity, _): &(EntityId, bool)| is_contrary(&draft.tokens, name.span, graph.entity_name(*entity));
            let is_hardly = || hardly.iter().any(|range| range.contains(&name.span.first));
            !is_predicted(question, &draft.tokens, name.span) && !name.entities.iter().any(is_other) && !is_hardly()
        });
        names.retain(|name| !is_without_pregnancy(graph, &draft, &intent.patient, name));
        for name in &names {
            draft.scopes.take_own_cues(&draft.tokens, name.span, name.recogniser == REORDERED);
        }
        names.sort_by_key(|name| name.span.first);
        let is_finding = |(entity, _): &(EntityId, bool)| matches!(graph.kind(*entity), Kind::Disease | Kind::Symptom);
        let of_findings = names.iter().filter(|name| name.entities.iter().any(is_finding));
        intent.without_names(of_findings.map(|name| (name.span.first, name.span.last)));
        let named = names.iter().filter_map(|name| {
            let (entity, _) = meant_by(graph, name)?;
            let class = class_of(knowledge, entity);
            // "Lithium levels": what changes them acts on the drug.
            let in_ask = asked.iter().any(|(first, last)| name.span.first < *last && first < &name.span.last);
            let drug = (class == Class::Test && in_ask).then(|| draft.drug_named(knowledge, name.span)).flatten();
            let drug = drug.or_else(|| (class == Class::Condition).then(|| vaccine_against(knowledge, &draft.tokens, name.span)).flatten());
            let (entity, class) = drug.map_or((entity, class), |drug| (drug, Class::Drug));
            Some(Named { span: name.span, entity, class })
        });
        let mut named: Vec<Named> = named.collect();
        let drugs: Vec<Named> = named.iter().filter(|named| named.class == Class::Drug).cloned().collect();
        let reader = DrugReader::new(draft.text, &draft.tokens, &draft.layout, &draft.scopes, &draft.times);
        named.retain(|named| named.class != Class::Drug || !reader.is_of_culture(named.span, &drugs));
        let overdoses = accidents(knowledge, &draft.tokens, &named, intent.patient.age);
        let mention = |of: &Named| NameMention { span: of.span, entities: vec![(of.entity, false)], recogniser: "number of tablets" };
        names.extend(overdoses.iter().map(mention));
        named.extend(overdoses);
        let swallowed = swallowed_by_child(graph, (&draft.tokens, &draft.layout), &named, intent.patient.age);
        names.extend(swallowed.iter().map(mention));
        named.extend(swallowed);
        let planned = planned_self_harm(knowledge, &draft.tokens, &named);
        names.extend(planned.iter().map(|of| NameMention { recogniser: "signs of a plan", ..mention(of) }));
        planned.iter().for_each(|of| reading.take(of.span));
        named.extend(planned);
        let beside = beside_results(graph, (draft.text, &draft.tokens), &draft.results, (&named, intent.patient.age));
        names.extend(beside.iter().map(|of| NameMention { recogniser: "lab value", ..mention(of) }));
        named.extend(beside);
        refine(knowledge, (&draft, &intent), &mut names, &mut named);
        mark_named(&mut draft.scopes, (draft.text, &draft.tokens, &draft.layout), &named, graph);
        for out in named.iter().filter(|named| corrected.is_out(graph.entity_name(named.entity))) {
            reading.silence(out.span);
        }
        let of_result = results.iter().filter_map(|(number, name)| Some((*number, meant_by(graph, name)?.0))).collect();
        Self { draft, reading, intent, names, ambiguous, of_result, results, named, misspelt, partly: Vec::new() }
    }

    /// The names that argue for something: not what is absent, resolved, a relative's, an allergy or merely a test's name.
    fn arguing(&self, knowledge: &Knowledge, corrected: &Corrected) -> Vec<NameMention> {
        let graph = &knowledge.graph;
        let asks = self.draft.asks(knowledge, &self.intent, &self.named);
        let drugs: Vec<Named> = self.named.iter().filter(|named| named.class == Class::Drug).cloned().collect();
        let reader = DrugReader::new(self.draft.text, &self.draft.tokens, &self.draft.layout, &self.draft.scopes, &self.draft.times);
        let is_asked = |entity: EntityId| asks.iter().any(|ask| ask.of.contains(&entity));
        // Where nothing else is named, the question is about the test.
        let only_tests = self.results.is_empty() && self.named.iter().all(|named| named.class == Class::Test);
        let argues = |named: &Named| {
            let name = graph.entity_name(named.entity);
            if corrected.is_out(name) || corrected.is_back(name) {
                return corrected.is_back(name);
            }
            let (scopes, layout) = (&self.draft.scopes, &self.draft.layout);
            let is_past_smoking = state::is_smoking(&self.draft.tokens, named.span) && !state::smokes(&self.draft.tokens, scopes);
            let of_allergy = layout.section(named.span.first) == Section::Allergies || reader.is_of_allergy(named.span, &drugs);
            if is_past_smoking || (of_allergy && named.class != Class::Drug) {
                return false;
            }
            match named.class {
                Class::Finding => {
                    matches!(self.draft.finding_status(knowledge, named), FindingStatus::Present | FindingStatus::Uncertain)
                }
                // "So that we don't catch malaria" is about malaria.
                Class::Condition => {
                    let is_name = self.draft.is_denying_name(knowledge, named.span);
                    is_to_be_prevented(&self.draft.tokens, named.span.first, named.span.last)
                        || condition_status(scopes, layout, named.span, is_name).is_some_and(|status| status != ConditionStatus::Excluded)
                }
                Class::Drug => {
                    reader.status(named.span, &drugs).is_some_and(|(status, _)| status != DrugStatus::Allergic || is_asked(named.entity))
                }
                Class::Test => only_tests,
                Class::Other => {
                    let marks = scopes.at(named.span.first);
                    !marks.absent && !marks.family && !marks.resolved
                }
            }
        };
        let of_names = self.names.iter().filter(|name| {
            let named =
                self.named.iter().find(|named| named.span == name.span && name.entities.iter().any(|(entity, _)| *entity == named.entity));
            named.is_some_and(argues)
        });
        let of_results = self.results.iter().filter(|(number, _)| {
            let test = self.draft.results.get(*number).map_or("", |result| result.test());
            let finding = self.of_result.get(number).map_or("", |entity| graph.entity_name(*entity));
            !corrected.is_out(test) && !corrected.is_out(finding)
        });
        let mut arguing: Vec<NameMention> = of_names.chain(of_results.map(|(_, name)| name)).cloned().collect();
        arguing.sort_by_key(|name| name.span.first);
        arguing
    }

    /// What the question's words say by themselves; the findings are taken over.
    fn pictured(&mut self, knowledge: &Knowledge) -> Pictured {
        let drugs: Vec<Named> = self.named.iter().filter(|named| named.class == Class::Drug).cloned().collect();
        let reader = DrugReader::new(self.draft.text, &self.draft.tokens, &self.draft.layout, &self.draft.scopes, &self.draft.times);
        let in_use = |named: &Named| matches!(reader.status(named.span, &drugs), Some((DrugStatus::Taken | DrugStatus::New, _)));
        let idle: Vec<Span> = drugs.iter().filter(|drug| !in_use(drug)).map(|drug| drug.span).collect();
        let results = self.of_result.values().copied();
        let pictured = Pictured::of(knowledge, (&self.draft, &self.intent), (&self.named, &idle), results);
        for name in &pictured.findings {
            self.reading.take(name.span);
            self.partly.extend(name.entities.iter().map(|(entity, _)| *entity));
            self.named.extend(name.entities.iter().map(|(entity, _)| Named { span: name.span, entity: *entity, class: Class::Finding }));
        }
        self.named.sort_by_key(|named| named.span.first);
        pictured
    }

    /// The case, with the doctor's corrections, and the intent that follows from it.
    fn finish(mut self, knowledge: &Knowledge, corrections: &[CaseCorrection]) -> (Case, Intent) {
        let asks: Vec<Asked> = self.draft.asks(knowledge, &self.intent, &self.named);
        let mut leftovers = self.reading.leftovers();
        leftovers.sort_by_key(|span| span.first);
        let mut case = self.draft.case(knowledge, &self.intent, (&self.named, &asks), &self.of_result, &leftovers);
        self.report_ambiguous(knowledge, &mut case);
        let partly: Vec<&str> = self.partly.iter().map(|entity| knowledge.graph.entity_name(*entity)).collect();
        for finding in &mut case.findings {
            let is_partly_said = finding.entity.as_deref().is_some_and(|name| partly.contains(&name));
            if is_partly_said && finding.status == FindingStatus::Present {
                finding.status = FindingStatus::Uncertain;
            }
        }
        case.correct_with(corrections, &|text| told_in(knowledge, text));
        self.intent.patient.take_case(&case.patient);
        let tokens = &self.draft.tokens;
        let prevented = |named: &&Named| {
            let is_ill = matches!(named.class, Class::Condition | Class::Finding);
            is_ill && is_to_be_prevented(tokens, named.span.first, named.span.last)
        };
        self.intent.goals = self.named.iter().filter(prevented).map(|named| named.entity).collect();
        // "Malaria tablets" for a journey are named as a drug, and malaria is to be prevented.
        let within = |drug: &Named| {
            let end = end_of_goal(tokens, (drug.span.first, drug.span.last))?;
            let hit = knowledge.graph.names().longest_at(tokens.get(..end)?, drug.span.first)?;
            hit.entities.into_iter().map(|(entity, _)| entity).find(|entity| knowledge.is_condition(*entity))
        };
        let drugs = self.named.iter().filter(|named| named.class == Class::Drug);
        self.intent.goals.extend(drugs.filter_map(within));
        let goals: Vec<String> = self.intent.goals.iter().map(|goal| knowledge.graph.entity_name(*goal).to_owned()).collect();
        let is_there = |name: &str| case.conditions.iter().any(|condition| condition.entity.as_deref() == Some(name));
        let goals: Vec<String> = goals.into_iter().filter(|name| !is_there(name)).collect();
        let is_told = |finding: &CaseFinding| {
            matches!(finding.status, FindingStatus::Present | FindingStatus::Uncertain)
                && finding.entity.as_ref().is_none_or(|name| !goals.contains(name))
        };
        let is_open = case.conditions.is_empty() && !case.findings.iter().any(is_told) && case.results.is_empty();
        settle(&mut case.asks, &goals, is_open);
        ask_for_protection(knowledge, tokens, &mut case);
        settle_next_step(knowledge, (&asks, &self.intent.asked_at), &mut case);
        let classes = self.draft.wanted(knowledge, &self.named).into_iter().filter(|wanted| wanted.kind == AskKind::Treatment);
        let classes = classes.map(|wanted| wanted.class).collect();
        self.intent.wanted = WantedDrug::of(knowledge, (tokens, |at| self.draft.may_ask(at)), &self.named, &self.intent.asked_at, classes);
        self.intent.wanted.aim(knowledge, &mut case);
        let suspected = |named: &&Named| is_suspected(tokens, named.span.first);
        self.intent.suspected = self.named.iter().filter(suspected).map(|named| named.entity).collect();
        self.intent.take_asks(&case.asks);
        (case, self.intent)
    }

    /// Abbreviations whose meaning nothing decides are not understood, with what they may mean. The question is about one if it names nothing
    /// else that is asked about.
    fn report_ambiguous(&self, knowledge: &Knowledge, case: &mut Case) {
        let graph = &knowledge.graph;
        let nothing_else = case.asks.iter().all(|ask| ask.of.is_empty()) && case.findings.is_empty() && case.results.is_empty();
        for short in &self.ambiguous {
            case.not_understood.retain(|term| term.end <= short.start || term.start >= short.end);
            let named = |name: &String| graph.find(name).map_or_else(|| name.clone(), |entity| graph.entity_name(entity).to_owned());
            let term = NotUnderstood {
                text: self.draft.words(short.span),
                start: short.start,
                end: short.end,
                subject: nothing_else,
                may_mean: short.names.iter().map(named).collect(),
                ..NotUnderstood::default()
            };
            case.not_understood.push(term);
        }
        case.not_understood.sort_by_key(|term| term.start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Reading<'_>, Intent) {
        let tokens = ReadTokens::of(text);
        let draft = Draft::of(text, tokens.tokens.clone(), &NamesAt::NOTHING);
        let intent = Intent::of(&tokens.tokens);
        let silent = (draft.scopes.denied.clone(), draft.silent());
        (Reading::of_question(text, tokens, &intent.cue_tokens, silent, StopWords::built_in()), intent)
    }

    #[test]
    fn leftovers_are_the_words_nobody_understood() {
        let text = "I feel zorbing after eating. What medicine should I take for 3 days, blorb?";
        let (reading, intent) = read(text);
        assert!(!intent.parts.is_empty());
        let words: Vec<_> = reading.leftovers().iter().map(|span| reading.text_of(span)).collect();
        assert_eq!(words, ["zorbing", "blorb"]);
        let text = "It does not. No fever, no zorbing";
        let (reading, _) = read(text);
        assert!(reading.leftovers().is_empty(), "a word that denies is nothing that was not understood");
    }
}
