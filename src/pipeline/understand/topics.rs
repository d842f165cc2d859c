//! What a question asks of something that is no drug to be taken: what a procedure is and how one prepares for it, how a thing is prevented, whether it
//! is caught, when somebody may go back to work, who is screened, what a score counts. The graph tells it in attributes (`topics/`), each of one
//! topic; the words by which a topic is asked are in `assets/topics.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use toml::Spanned;

use super::contacts::is_contact;
use super::layout::Layout;
pub(crate) use super::operation_date::Timing;
use super::operation_date::timing;
use super::topic_of_whom::{is_denied, is_nobodys, is_of_kin};
use crate::graph::{EntityId, EvolvingGraph, Kind, classes_of};
use crate::language::knowledge::named;
use crate::language::phrase_template::{Classes, Malformed, TemplateTable};
use crate::pipeline::safety::states::sure_states;
use crate::run::{Case, ConditionStatus, DrugStatus, FindingStatus};
use crate::text::{Token, tokenise};

/// What is put in place of a name: a word that no question has.
const NAME: &str = "namedtopic";
/// How the keys of attributes begin, and how those of Chinese texts end.
const KEY: &str = "topic_";
const CHINESE: &str = "_zh";
/// How many words before or behind a procedure may say that it is over.
const NEAR: usize = 4;
/// What has a date, by its name in the graph.
const PLANNED: &str = "Planned operation";
/// A state that somebody is asked about by its name, and may be said not to be in.
const PREGNANCY: &str = "Pregnancy";
/// The most that is told.
const MOST: usize = 4;
/// Topics of which what is told of a disease may be wrong for a kind of it: the target in diabetes is no target in pregnancy.
const OF_ITSELF: [&str; 7] = ["next", "target", "monitor", "conceive", "positive", "normal", "inherit"];

/// What is told of the illness of somebody else: not how the patient is treated for it.
const OF_KIN: [&str; 6] = ["about", "catch", "work", "prevent", "screen", "inherit"];

/// What is told of an illness that the patient does not have: how it is caught and kept away.
const OF_DENIED: [&str; 3] = ["catch", "prevent", "screen"];
/// Up to which age what a relative has may matter for the patient: the mother's pregnancy, for the vaccines of her child.
const CHILD: u16 = 16 * 12;

/// Decisions on what the patient has, that are asked about without its name, too.
const DECISIONS: [&str; 9] = ["course", "serious", "scan", "antibiotics", "refer", "admit", "selfcare", "operate", "sex"];

/// What is checked during treatment tells what is checked before it, too, where nothing else does.
const START: &str = "start";
const MONITOR: &str = "monitor";
/// Who asks about a missed dose asks for no dose.
const MISSED: &str = "missed";
const DOSE: &str = "dose";

const TEXT: &str = include_str!("../../../assets/topics.toml");

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    classes: BTreeMap<String, Vec<Spanned<String>>>,
    topics: BTreeMap<String, Vec<Spanned<String>>>,
    unless: BTreeMap<String, Vec<Spanned<String>>>,
    before: Vec<String>,
    behind: Vec<String>,
    operations: Vec<String>,
}

impl File {
    /// Templates of topics, each with the number of its topic.
    fn table(&self, says: &BTreeMap<String, Vec<Spanned<String>>>) -> Result<TemplateTable<usize>, Malformed> {
        let mut classes = self.classes.clone();
        classes.insert("name".to_owned(), vec![Spanned::new(0..0, NAME.to_owned())]);
        let numbered = says.iter().filter_map(|(topic, templates)| Some((self.topics.keys().position(|known| known == topic)?, templates)));
        let templates = numbered.flat_map(|(topic, templates)| templates.iter().map(move |says| (says, topic)));
        TemplateTable::of(TEXT, &Classes::of(TEXT, &classes)?, templates)
    }
}

static FILE: LazyLock<File> = LazyLock::new(|| toml::from_str(TEXT).unwrap_or_default());
/// The words that ask of a topic, and those that tell of it or of something else.
static TABLES: LazyLock<[TemplateTable<usize>; 2]> =
    LazyLock::new(|| [&FILE.topics, &FILE.unless].map(|says| FILE.table(says).unwrap_or_default()));

/// What is asked of life with an illness, and never while it happens: when to drive after a seizure.
pub(crate) const OF_LIFE: [&str; 7] = ["drive", "fly", "exercise", "work", "sex", "alcohol", "inherit"];

/// A topic of something of the question: the entity, and what is told of it, in English and Chinese.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToldTopic {
    pub(crate) entity: EntityId,
    pub(crate) topic: String,
    /// What else of the question it is about: the drug, where it tells of a procedure.
    pub(crate) beside: Option<EntityId>,
    /// The operation, where it tells of planned ones, and when that is done.
    pub(crate) operation: Option<(EntityId, Timing)>,
    pub(crate) texts: [String; 2],
}

/// Something of the question of which the graph tells a topic, in place of its name.
#[derive(Debug, Clone, Copy)]
struct Name {
    /// The token that stands for it.
    at: usize,
    entity: EntityId,
}

/// The topics that a question asks about.
#[derive(Debug, Default)]
pub(crate) struct AskedTopics {
    /// What the graph tells of what the question names, in its order.
    pub(crate) told: Vec<ToldTopic>,
    /// Decisions that it asks about without naming of what: "Is it dangerous?", "does she need a scan?"
    pub(crate) open: Vec<&'static str>,
}

/// The topics that a question asks about, by its words and what they name.
pub(crate) fn asked_of_topics(graph: &EvolvingGraph, question: &str, case: &Case) -> AskedTopics {
    let tokens = tokenise(question);
    let (spans, all) = spans_of(graph, &tokens, case);
    let (tokens, mut names) = with_names_as_one_word(tokens, spans);
    // What is told of an operation with a date, such as days without a blood thinner, is wrong of one that cannot wait.
    let operation_at = |at: usize| names.iter().any(|name| name.at == at && is_operation(graph, name.entity));
    let timing = timing(question, &tokens, operation_at);
    let cannot_wait = timing == Timing::AtOnce;
    if cannot_wait {
        names.retain(|name| graph.entity_name(name.entity) != PLANNED);
    }
    let layout = Layout::of(question, &tokens);
    let in_company = company(graph, case, &all);
    let is_complained = case.findings.iter().any(|finding| finding.status == FindingStatus::Present);
    let mut told: Vec<ToldTopic> = Vec::new();
    let mut open: Vec<&'static str> = Vec::new();
    let mut add = |name: &Name, operation: Option<(EntityId, Timing)>, is_topic: &dyn Fn(&str) -> bool| {
        let called = graph.entity_name(name.entity);
        let (is_of_kin, is_denied) = (is_of_kin(case, called), is_denied(case, called));
        let is_nobodys = is_nobodys(graph, case, name.entity);
        let is_of_whom = |topic: &str| (!is_of_kin || OF_KIN.contains(&topic)) && !(is_nobodys && topic.starts_with("with "));
        let is_due = |topic: &str| is_topic(topic) && is_of_whom(topic) && (!is_denied || OF_DENIED.contains(&topic));
        let of_name = topics_of(graph, name.entity).into_iter().filter(|(topic, _)| is_due(topic));
        let beside = |topic: &str| topic.strip_prefix("with ").and_then(|other| in_company.get(other).copied());
        let of_name = of_name.map(|(topic, texts)| ToldTopic { entity: name.entity, beside: beside(&topic), operation, topic, texts });
        for one in of_name {
            if !told.iter().any(|known| known.texts == one.texts) {
                told.push(one);
            }
        }
    };
    let planned = named(graph, PLANNED, "").filter(|_| !cannot_wait);
    for name in &names {
        let is_meant = |topic: &str| topic == "any" || topic.strip_prefix("with ").is_some_and(|other| in_company.contains_key(other));
        // A procedure is over; an exposure goes on to matter: a needlestick an hour ago, a bite yesterday.
        let is_exposure = matches!(graph.kind(name.entity), Kind::RiskFactor);
        let is_over = is_over(&tokens, name.at);
        if is_exposure && is_over {
            add(name, None, &|topic: &str| topic == "any");
        } else if !is_over {
            add(name, None, &is_meant);
            // A named operation with a date: which of the medicines go on.
            if let Some(entity) = planned.filter(|_| is_operation(graph, name.entity)) {
                let operation = Some((name.entity, timing));
                add(&Name { entity, ..*name }, operation, &|topic: &str| topic.starts_with("with ") && is_meant(topic));
            }
        }
    }
    for (topic, first, last) in found(&tokens) {
        let sentence = layout.sentence(first);
        let inside = names.iter().filter(|name| (first..last).contains(&name.at));
        let in_sentence = names.iter().filter(|name| (sentence.first..sentence.last).contains(&name.at));
        let tells = |name: &&Name| answered_by(graph, name.entity, topic).is_some();
        let mut meant: Vec<&Name> = inside.filter(tells).collect();
        let has_name = names.iter().any(|name| (first..last).contains(&name.at));
        // "He has diabetes. His eyelid twitches: is it dangerous?" asks about the eyelid.
        let is_of_complaint = is_complained && DECISIONS.contains(&topic);
        if meant.is_empty() && !has_name && !is_of_complaint {
            meant = in_sentence.filter(tells).collect();
        }
        if meant.is_empty() && !has_name && !is_of_complaint {
            meant = names.iter().filter(tells).collect();
        }
        if meant.is_empty() && !has_name && DECISIONS.contains(&topic) && !open.contains(&topic) {
            open.push(topic);
        }
        for name in meant {
            add(name, None, &|of: &str| answered_by(graph, name.entity, topic) == Some(of));
        }
    }
    told.truncate(MOST);
    AskedTopics { told, open }
}

/// Whether something is an operation that is mostly planned ahead.
fn is_operation(graph: &EvolvingGraph, entity: EntityId) -> bool {
    FILE.operations.iter().any(|operation| operation == graph.entity_name(entity))
}

/// What the graph tells of one topic of an entity, in English and Chinese.
pub(crate) fn told_of(graph: &EvolvingGraph, entity: EntityId, topic: &str) -> Option<ToldTopic> {
    let (topic, texts) = topics_of(graph, entity).into_iter().find(|(of, _)| of == topic)?;
    Some(ToldTopic { entity, topic, beside: None, operation: None, texts })
}

/// The topic of an entity that answers what is asked: itself, or what stands in for it.
fn answered_by<'t>(graph: &EvolvingGraph, entity: EntityId, topic: &'t str) -> Option<&'t str> {
    let told = topics_of(graph, entity);
    let tells = |topic: &&str| told.iter().any(|(of, _)| of == topic);
    let is_drug = matches!(graph.kind(entity), Kind::Drug | Kind::DrugClass);
    Some(topic).filter(tells).or_else(|| Some(MONITOR).filter(|monitor| topic == START && is_drug && tells(monitor)))
}

/// The topics that are told of an entity, each with its texts: by its own entry, else by that of the nearest of its classes, if it is a drug or a disease;
/// of a disease, some topics are told of itself alone.
fn topics_of(graph: &EvolvingGraph, entity: EntityId) -> Vec<(String, [String; 2])> {
    let has_kinds = matches!(graph.kind(entity), Kind::Drug | Kind::DrugClass | Kind::Disease);
    let classes = if has_kinds { classes_of(graph, entity) } else { Vec::new() };
    let mut all: Vec<(String, [String; 2])> = Vec::new();
    for of in std::iter::once(entity).chain(classes) {
        for (topic, texts) in own_topics(graph, of) {
            let is_of_kinds = !matches!(graph.kind(entity), Kind::Disease) || !OF_ITSELF.contains(&topic.as_str());
            let is_told = of == entity || is_of_kinds;
            if is_told && !all.iter().any(|(known, _)| *known == topic) {
                all.push((topic, texts));
            }
        }
    }
    all
}

/// The topics that the entry of an entity tells of.
fn own_topics(graph: &EvolvingGraph, entity: EntityId) -> Vec<(String, [String; 2])> {
    let attributes = graph.attributes(entity);
    let is_topic = |key: &str| key.starts_with(KEY) && !key.ends_with(CHINESE);
    let of_pair = |(key, value): (&str, &str)| {
        let (topic, english) = value.split_once(": ")?;
        let chinese = attributes.get(&format!("{key}{CHINESE}")).unwrap_or(english);
        Some((topic.to_owned(), [english.to_owned(), chinese.to_owned()]))
    };
    attributes.iter().filter(|(key, _)| is_topic(key)).filter_map(of_pair).collect()
}

/// The names of a question with topics, by their places in the text, and all entities that it names.
fn spans_of(graph: &EvolvingGraph, tokens: &[Token], case: &Case) -> (Vec<(usize, usize, EntityId)>, Vec<EntityId>) {
    let tells = |entity: &EntityId| is_operation(graph, *entity) || !topics_of(graph, *entity).is_empty();
    let (mut all, mut at) = (Vec::new(), 0);
    // Who was near somebody with chickenpox is told of the contact.
    let contacts = case.conditions.iter().filter(|of| of.entity.as_deref().is_some_and(is_contact) && of.end > of.start);
    let mut spans: Vec<(usize, usize, EntityId)> =
        contacts.filter_map(|of| Some((of.start, of.end, named(graph, of.entity.as_deref()?, "")?))).collect();
    while at < tokens.len() {
        let hit = graph.names().longest_at(tokens, at);
        let last = hit.as_ref().map_or(at + 1, |hit| hit.last.max(at + 1));
        let named: Vec<EntityId> = hit.iter().flat_map(|hit| &hit.entities).map(|(entity, _)| *entity).collect();
        let told = named.iter().copied().find(tells);
        if let (Some(entity), Some(first), Some(end)) = (told, tokens.get(at), tokens.get(last - 1))
            && spans.iter().all(|(from, to, _)| end.end <= *from || *to <= first.start)
        {
            spans.push((first.start, end.end, entity));
        }
        all.extend(named);
        at = last;
    }
    let of_findings = case.findings.iter().map(|of| (&of.entity, of.start, of.end));
    let of_conditions = case.conditions.iter().map(|of| (&of.entity, of.start, of.end));
    let of_drugs = case.drugs.iter().map(|of| (&of.entity, of.start, of.end));
    for (name, start, end) in of_findings.chain(of_conditions).chain(of_drugs) {
        let is_free = spans.iter().all(|(from, to, _)| end <= *from || *to <= start);
        let told = name.as_deref().and_then(|name| named(graph, name, "")).filter(tells);
        spans.extend(told.filter(|_| end > start && is_free).map(|entity| (start, end, entity)));
    }
    spans.sort_unstable();
    (spans, all)
}

/// The words of a question with one word in place of each such name.
fn with_names_as_one_word(tokens: Vec<Token>, spans: Vec<(usize, usize, EntityId)>) -> (Vec<Token>, Vec<Name>) {
    let mut words: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut names: Vec<Name> = Vec::new();
    let mut inside = None;
    for token in tokens {
        let span = spans.iter().position(|(start, end, ..)| *start <= token.start && token.end <= *end);
        match span.and_then(|span| spans.get(span).map(|of| (span, of))) {
            Some((span, _)) if inside == Some(span) => {
                if let Some(last) = words.last_mut() {
                    last.end = token.end;
                }
            }
            Some((_, (_, _, entity))) => {
                names.push(Name { at: words.len(), entity: *entity });
                words.push(Token { text: NAME.to_owned(), cjk: false, ..token });
            }
            None => words.push(token),
        }
        inside = span;
    }
    (words, names)
}

/// What stands beside a procedure: the drugs that are taken or considered, the conditions and states of the case, with their classes, and what else is
/// named: by the names of the classes, what is one.
fn company<'a>(graph: &'a EvolvingGraph, case: &Case, others: &[EntityId]) -> BTreeMap<&'a str, EntityId> {
    let drugs =
        case.drugs.iter().filter(|drug| !matches!(drug.status, DrugStatus::Allergic | DrugStatus::Stopped)).map(|drug| &drug.entity);
    let conditions = case.conditions.iter().filter(|condition| condition.status != ConditionStatus::Excluded);
    let entities = drugs.chain(conditions.map(|condition| &condition.entity)).filter_map(|name| named(graph, name.as_deref()?, ""));
    let is_drug = |entity: &EntityId| matches!(graph.kind(*entity), Kind::Drug | Kind::DrugClass);
    // Nor what is denied, or is told of somebody else: "MMR, I am not pregnant", "my wife is pregnant, may I have it?"
    let is_child = case.patient.age_months.is_some_and(|age| age.to < CHILD);
    let is_not_pregnant = case.patient.pregnancy.is_some_and(|pregnancy| !pregnancy.pregnant);
    let is_of_patient = |entity: &EntityId| {
        let name = graph.entity_name(*entity);
        let is_anothers = !is_child && is_of_kin(case, name);
        let is_denied = is_nobodys(graph, case, *entity) || (is_not_pregnant && name == PREGNANCY);
        !is_anothers && !is_denied
    };
    let others = others.iter().copied().filter(|entity| !is_drug(entity)).filter(is_of_patient);
    let all: Vec<EntityId> = entities.chain(others).chain(sure_states(graph, &case.patient)).collect();
    let mut company = BTreeMap::new();
    for entity in all {
        for class in std::iter::once(entity).chain(classes_of(graph, entity)) {
            company.entry(graph.entity_name(class)).or_insert(entity);
        }
    }
    company
}

/// Whether the words beside a name say that it is over: "since her colonoscopy", "colonoscopy last week", 拔牙后.
fn is_over(tokens: &[Token], at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let before = (at.saturating_sub(NEAR)..at).rev().take_while(|place| tokens.get(place + 1).is_some_and(|next| !next.after_break));
    let is_past = before.into_iter().any(|place| FILE.before.iter().any(|past| past == word(place)));
    let behind = (at + 1..at + 1 + NEAR).take_while(|place| tokens.get(*place).is_some_and(|next| !next.after_break));
    is_past || behind.into_iter().any(|place| FILE.behind.iter().any(|past| past == word(place)))
}

/// What a question asks: the topic, the first token and the one behind the last; not what it only tells of. Who asks about a missed dose asks for no dose.
fn found(tokens: &[Token]) -> Vec<(&'static str, usize, usize)> {
    let [asked, told] = &*TABLES;
    let told = matches_of(told, tokens);
    let is_told = |(topic, first, last): &(usize, usize, usize)| told.iter().any(|(of, from, to)| of == topic && from < last && first < to);
    let asked = matches_of(asked, tokens).into_iter().filter(|found| !is_told(found));
    let named = |(topic, first, last)| Some((FILE.topics.keys().nth(topic)?.as_str(), first, last));
    let mut all: Vec<_> = asked.filter_map(named).collect();
    if all.iter().any(|(topic, ..)| *topic == MISSED) {
        all.retain(|(topic, ..)| *topic != DOSE);
    }
    all
}

/// Where templates are found in a text, each within one clause: its topic, the first token and the one behind the last.
fn matches_of(table: &TemplateTable<usize>, tokens: &[Token]) -> Vec<(usize, usize, usize)> {
    let is_joined = |at: usize, last: usize| tokens.get(at + 1..last).is_some_and(|within| within.iter().all(|token| !token.after_break));
    let at_token = |at: usize| {
        table.all_at(tokens, at).into_iter().filter(move |found| is_joined(at, found.last)).map(move |found| (found.means, at, found.last))
    };
    (0..tokens.len()).flat_map(at_token).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::topic_wordings;
    use std::collections::BTreeSet;

    use super::*;

    /// The topics that a question asks of a thing, of which everything is told.
    fn topics(question: &str, name: &str) -> BTreeSet<String> {
        let start = question.find(name).unwrap_or_else(|| panic!("{name} in {question}"));
        let entity = EntityId(0);
        let (words, names) = with_names_as_one_word(tokenise(question), vec![(start, start + name.len(), entity)]);
        assert_eq!(names.len(), 1, "{question}");
        found(&words).into_iter().map(|(topic, ..)| topic.to_owned()).collect()
    }

    #[test]
    fn the_file_is_valid() {
        let file: File = toml::from_str(TEXT).expect("valid");
        for says in [&file.topics, &file.unless] {
            file.table(says).expect("well formed");
        }
        assert!(file.unless.keys().all(|topic| file.topics.contains_key(topic)), "a topic that nothing asks of");
    }

    /// A wording with its name in braces, and the topics that it asks about.
    fn topics_of_marked(wording: &str) -> BTreeSet<&'static str> {
        let question = wording.replace(['{', '}'], "");
        let span = wording.find('{').zip(wording.find('}')).map(|(open, close)| (open, close - 1, EntityId(0)));
        let (words, _) = with_names_as_one_word(tokenise(&question), span.into_iter().collect());
        found(&words).into_iter().map(|(topic, ..)| topic).collect()
    }

    #[test]
    fn wordings_of_each_topic_are_recognised_and_what_is_only_told_is_not() {
        // Those of using and stopping a drug are read by the tests of these modules.
        for (topic, asks, wording) in topic_wordings().filter(|(topic, ..)| !topic.contains(':')) {
            assert_eq!(topics_of_marked(wording).contains(topic), asks, "{topic}: {wording}");
        }
    }

    #[test]
    fn a_topic_is_told_by_the_words_around_a_name() {
        for (question, name, topic) in [
            ("What actually happens in a colonoscopy? I'm dreading the prep.", "colonoscopy", "about"),
            ("what is a colonoscopy", "colonoscopy", "about"),
            ("How do I prepare for my colonoscopy?", "colonoscopy", "about"),
            ("Is a colonoscopy painful?", "colonoscopy", "about"),
            ("肠镜是什么检查？疼吗", "肠镜", "about"),
            ("做冠脉CTA要注意什么", "冠脉CTA", "about"),
            ("How do I stop my toddler getting nits again?", "nits", "prevent"),
            ("how can I prevent nits?", "nits", "prevent"),
            ("怎么预防头虱", "头虱", "prevent"),
            ("My friend has shingles. Can I catch it from him?", "shingles", "catch"),
            ("Is shingles contagious?", "shingles", "catch"),
            ("带状疱疹会传染吗", "带状疱疹", "catch"),
            ("He has impetigo, when can he go back to school?", "impetigo", "work"),
            ("得了水痘什么时候能上学", "水痘", "work"),
            ("bowel screening: from what age and how often?", "bowel screening", "screen"),
            ("肠癌筛查几岁开始，多久一次", "肠癌筛查", "screen"),
            ("Which agent for reversal of dabigatran?", "dabigatran", "reverse"),
            ("What HbA1c target for a frail man?", "HbA1c", "target"),
            ("When is the dose of apixaban reduced?", "apixaban", "dose"),
            ("Do I need to keep taking aspirin after my stroke?", "aspirin", "continue"),
            ("2年前脑梗死，是否需继续服阿司匹林？", "阿司匹林", "continue"),
            ("I had a heart attack two weeks ago, can I fly to Spain?", "heart attack", "fly"),
            ("气胸后多久能坐飞机", "气胸", "fly"),
            ("When can he drive after a stroke?", "stroke", "drive"),
            ("癫痫能开车吗", "癫痫", "drive"),
            ("glandular fever: when can I play rugby again?", "glandular fever", "exercise"),
            ("心肌炎后多久能运动", "心肌炎", "exercise"),
            ("What foods should I avoid with gout?", "gout", "diet"),
            ("痛风不能吃什么", "痛风", "diet"),
            ("Is haemophilia hereditary?", "haemophilia", "inherit"),
            ("血友病会遗传吗", "血友病", "inherit"),
            ("I have lupus and we are trying for a baby", "lupus", "conceive"),
            ("甲减备孕要注意什么", "甲减", "conceive"),
            ("gallbladder polyp 7 mm, how often should it be scanned?", "gallbladder polyp", "monitor"),
            ("甲状腺结节多久复查一次", "甲状腺结节", "monitor"),
            ("I missed my pill yesterday", "pill", "missed"),
            ("asthma not controlled", "asthma", "next"),
            ("Does a normal troponin rule out a heart attack?", "troponin", "normal"),
        ] {
            assert!(topics(question, name).contains(topic), "{question}: {:?}", topics(question, name));
        }
    }

    #[test]
    fn what_sounds_alike_asks_something_else() {
        for (question, name, topic) in [
            ("Colonoscopy was normal, what is the cause of the bleeding?", "Colonoscopy", "about"),
            ("Rectal bleeding, next test after colonoscopy?", "colonoscopy", "about"),
            ("I can't go to work because of shingles pain, what helps?", "shingles", "catch"),
            ("She has shingles, what is the treatment?", "shingles", "catch"),
            ("Shingles at work last week. What cream?", "Shingles", "work"),
            ("How do I stop the itching from nits?", "nits", "prevent"),
            ("HbA1c 58, what next?", "HbA1c", "target"),
            ("How long does aspirin take to work?", "aspirin", "continue"),
            ("He continues to bleed on aspirin", "aspirin", "continue"),
            ("apixaban and ibuprofen, is it safe?", "apixaban", "dose"),
            ("apixaban and ibuprofen, is it safe?", "apixaban", "reverse"),
            ("He has a cold and cannot eat", "cold", "diet"),
            ("My eyelid twitch is driving me mad, is it a brain tumour?", "brain tumour", "drive"),
            ("She runs a shop and has asthma", "asthma", "exercise"),
            ("He is pregnant with ideas about gout", "gout", "conceive"),
            ("Her sister has asthma. What helps?", "asthma", "inherit"),
        ] {
            assert!(!topics(question, name).contains(topic), "{question}");
        }
    }

    #[test]
    fn a_procedure_that_is_over_is_not_prepared_for() {
        let is_over = |question: &str, name: &str| {
            let start = question.find(name).expect("is there");
            let entity = EntityId(0);
            let (words, names) = with_names_as_one_word(tokenise(question), vec![(start, start + name.len(), entity)]);
            super::is_over(&words, names.first().expect("one").at)
        };
        assert!(is_over("bleeding since her tooth extraction, takes warfarin", "tooth extraction"));
        assert!(is_over("tooth extraction yesterday, on warfarin, still bleeding", "tooth extraction"));
        assert!(is_over("拔牙后出血不止，吃华法林", "拔牙"));
        assert!(!is_over("tooth extraction tomorrow, takes warfarin", "tooth extraction"));
        assert!(!is_over("明天拔牙，要停阿司匹林吗", "拔牙"));
    }
}
