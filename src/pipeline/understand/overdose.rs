//! Overdoses that are told as a number of tablets: "I took about 30 paracetamol" names no overdose, and is one; so does "2 paracetamol
//! every 2 hours", which is as many in a day.

use super::named::{Class, Named};
use super::overdose_count::{
    COUNTED, Count, OF_ANY, TABLETS, Taken, container_before, count_after, count_before, is_taken, may_be_strength,
};
use super::overdose_daily::{METHOTREXATE, is_daily_for_weekly};
use super::overdose_weight::too_much_by_weight;
use super::times::number_of;
use crate::graph::{EntityId, Role, classes_of};
use crate::language::knowledge::Knowledge;
use crate::language::recognise::Span;
use crate::text::Token;

/// What the graph calls too much of any medicine.
const OF_TABLETS: &str = "Deliberate overdose of tablets";
/// The medicine that is weighed in whole or half grams, so that no smaller number is a strength of it.
const PARACETAMOL: &str = "Paracetamol";
/// How far before a drug "too many" may stand, and how far before it what was done, in words.
const BEFORE_DRUG: usize = 4;
const BEFORE_NUMBER: usize = 4;
/// How far before a drug it may be told that it is being taken, in words.
const TAKEN_BEFORE_DRUG: usize = 12;
/// Within so many words behind a number of tablets another drug is what they are of.
const OF_OTHER: usize = 4;
/// Words that tell that too many were taken.
const HAD: [&str; 12] =
    ["took", "taken", "taking", "having", "necking", "swallowed", "ate", "eaten", "ingested", "had", "downed", "overdosed"];
/// Words that may stand between the number and the drug.
const BETWEEN: [&str; 17] =
    ["x", "of", "the", "my", "her", "his", "tablets", "tablet", "tabs", "pills", "pill", "capsules", "several", "片", "粒", "颗", "了"];

/// Words of somebody who asks whether tablets may be taken, or says that they are to be.
pub(super) const PLANNED: [&str; 20] = [
    "can",
    "should",
    "may",
    "could",
    "shall",
    "must",
    "would",
    "if",
    "to",
    "give",
    "prescribe",
    "prescribed",
    "start",
    "plan",
    "planned",
    "recommended",
    "可",
    "能",
    "要",
    "应",
];

/// How far from a drug it may be told how often it is taken, in words.
const OFTEN_WITHIN: usize = 14;
/// How many words may stand between a number of tablets and the drug, or the drug and the number: "two 500mg tablets of".
const COUNT_WITHIN: usize = 5;
/// The most tablets at a time; more are a dose in milligrams.
const AT_A_TIME: f64 = 8.0;
/// The most tablets that one dose a week may be: of methotrexate. More are an overdose, whatever else is taken weekly.
const A_WEEK: f64 = 12.0;
/// The most times a day.
const TIMES: f64 = 24.0;

/// The overdoses that a text tells of, as the graph names them. `named`: what it names.
pub(super) fn overdoses(knowledge: &Knowledge, tokens: &[Token], named: &[Named]) -> Vec<Named> {
    let any = knowledge.graph.find(OF_TABLETS).filter(|any| !named.iter().any(|of| of.entity == *any));
    let mut all: Vec<Named> = Vec::new();
    for drug in named.iter().filter(|named| named.class == Class::Drug) {
        let own = overdose_of(knowledge, drug.entity);
        let found = match own {
            Some(entity) => own_overdose(knowledge, tokens, (drug, entity), named).map(|span| (span, entity)),
            None => any.zip(many_of_any(tokens, drug, named)).map(|(entity, span)| (span, entity)),
        };
        let Some((span, entity)) = found else { continue };
        if own.is_some() || !all.iter().any(|known| known.entity == entity) {
            all.push(Named { span, entity, class: Class::Condition });
        }
    }
    all
}

/// The number of tablets of a drug that were taken, and how.
fn counted(tokens: &[Token], drug: &Named, named: &[Named]) -> Option<(Count, Taken)> {
    // "Takes paracetamol and swallowed 30 tablets of amitriptyline".
    let is_of_other = |count: &Count| {
        let others = named.iter().filter(|other| other.class == Class::Drug && other.span.first >= drug.span.last);
        others.into_iter().any(|other| other.span.first < count.last + OF_OTHER)
    };
    let of = |count: Count| {
        // Ten tablets of methotrexate once a week are a dose.
        let is_dose = count.number <= A_WEEK && is_weekly(tokens, drug.span);
        is_taken(tokens, count, drug.span).filter(|_| !is_dose).map(|taken| (count, taken))
    };
    count_before(tokens, drug.span)
        .and_then(of)
        .or_else(|| count_after(tokens, drug.span.last).filter(|count| !is_of_other(count)).and_then(of))
}

/// Where a number stands with its drug.
fn joined(count: Count, drug: &Named) -> Span {
    Span { first: count.first.min(drug.span.first), last: count.last.max(drug.span.last) }
}

/// Where too much of a drug is told of which the graph knows the overdose.
fn own_overdose(knowledge: &Knowledge, tokens: &[Token], (drug, entity): (&Named, EntityId), named: &[Named]) -> Option<Span> {
    let name = knowledge.graph.entity_name(drug.entity);
    // "Takes 50 atenolol" is a dose whose unit is left out.
    let is_dose = |(count, taken): &(Count, Taken)| *taken == Taken::GoesOn && may_be_strength(*count) && name != PARACETAMOL;
    let by_number = || counted(tokens, drug, named).filter(|told| !is_dose(told)).map(|(count, _)| joined(count, drug));
    let is_too_often = || is_being_taken(tokens, drug.span) && tablets_a_day(tokens, drug, named).is_some_and(|day| day >= TABLETS);
    let emptied = || {
        let container = || container_before(tokens, drug.span).map(|count| joined(count, drug));
        too_many_before(tokens, drug.span).or_else(container)
    };
    let is_first_line = |other: &Named| knowledge.facts().states(entity, other.entity, |role| role == Role::FirstLine);
    let by_weight = || too_much_by_weight(tokens, drug, name, named.iter().any(is_first_line));
    let is_daily = || name == METHOTREXATE && is_daily_for_weekly(tokens, drug.span, named);
    by_number().or_else(emptied).or_else(|| (is_too_often() || is_daily()).then_some(drug.span)).or_else(by_weight)
}

/// Where so many tablets were swallowed that they are too many of whatever it is. A number that may be a strength tells so only where they were swallowed
/// at once.
fn many_of_any(tokens: &[Token], drug: &Named, named: &[Named]) -> Option<Span> {
    let by_number = counted(tokens, drug, named).filter(|(count, taken)| {
        let is_told = match taken {
            Taken::AtOnce => true,
            // In Chinese a course is eaten, too.
            Taken::Was => count.is_sure && !tokens.get(count.first).is_some_and(|token| token.cjk) && !is_of_course(tokens, drug.span),
            Taken::GoesOn => false,
        };
        count.number >= OF_ANY && is_told
    });
    by_number.map(|(count, _)| count).or_else(|| container_before(tokens, drug.span)).map(|count| joined(count, drug))
}

/// Whether a drug is one that is taken as a course: "took 21 amoxicillin capsules" tells of all of them.
fn is_of_course(tokens: &[Token], drug: Span) -> bool {
    const ENDINGS: [&str; 7] = ["cillin", "cycline", "oxacin", "mycin", "amoxiclav", "trimethoprim", "nitrofurantoin"];
    let is_antibiotic = |text: &str| text.starts_with("cef") || ENDINGS.iter().any(|ending| text.ends_with(ending));
    tokens.get(drug.first..drug.last).unwrap_or_default().iter().any(|token| is_antibiotic(&token.text))
}

/// "Had too many paracetamol": what is called too many, and was taken. Who asks what would happen has taken none.
fn too_many_before(tokens: &[Token], drug: Span) -> Option<Span> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let begin = drug.first.saturating_sub(BEFORE_DRUG);
    let too = (begin..drug.first).find(|at| word(*at) == "too" && matches!(word(at + 1), "many" | "much"))?;
    let is_joined = (too + 2..drug.first).all(|at| BETWEEN.contains(&word(at)));
    let before = too.saturating_sub(BEFORE_NUMBER)..too;
    let is_taken = before.clone().any(|at| HAD.contains(&word(at)));
    let is_planned = before.into_iter().any(|at| PLANNED.contains(&word(at)) || word(at) == "not");
    (is_joined && is_taken && !is_planned).then_some(Span { first: too, last: drug.last })
}

/// Whether a drug is taken once a week.
fn is_weekly(tokens: &[Token], drug: Span) -> bool {
    let near = tokens.get(drug.first.saturating_sub(COUNT_WITHIN)..tokens.len().min(drug.last + COUNT_WITHIN)).unwrap_or_default();
    let texts: Vec<&str> = near.iter().map(|token| token.text.as_str()).collect();
    texts.contains(&"weekly")
        || texts.windows(3).any(|three| three == ["once", "a", "week"])
        || texts.windows(2).any(|two| two == ["每", "周"])
}

/// Whether words near a drug tell that it is being taken or was; who asks whether it may be takes none.
fn is_being_taken(tokens: &[Token], drug: Span) -> bool {
    let word = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |token| token.text.as_str());
    let (begin, end) = (drug.first.saturating_sub(TAKEN_BEFORE_DRUG), tokens.len().min(drug.last + OFTEN_WITHIN));
    let tells = |at: usize| match word(Some(at)) {
        "took" | "taken" | "takes" | "taking" | "having" | "had" | "swallowed" | "necking" | "downed" | "been" => true,
        "take" => {
            let asks = matches!(word(at.checked_sub(2)), "can" | "should" | "may" | "could" | "do" | "shall" | "must" | "if" | "would");
            matches!(word(at.checked_sub(1)), "i" | "we" | "they" | "who") && !asks
        }
        "吃" | "服" | "喝" | "用" => (begin..end).any(|at| word(Some(at)) == "了"),
        _ => false,
    };
    // So many tablets "for three days" are being taken, unless somebody asks whether they may be or says that they are to be.
    let is_time = |at: usize| {
        let is_unit = matches!(word(Some(at + 2)), "day" | "days" | "d" | "night" | "nights" | "week" | "weeks" | "wk" | "wks");
        let is_for = matches!(word(Some(at)), "for" | "past" | "last") && is_unit && number_of(word(Some(at + 1))).is_some();
        is_for || (word(Some(at)) == "天" && word(Some(at + 1)) == "了")
    };
    let is_plan = |at: usize| PLANNED.contains(&word(Some(at)));
    (begin..end).any(tells) || ((begin..end).any(is_time) && !(begin..end).any(is_plan))
}

/// How many tablets of a drug are taken in a day, where it is told how many and how often: "2 tablets every 2 hours", 每两小时吃两片. No other
/// drug may stand between it and how often it is taken, but for those of one list.
fn tablets_a_day(tokens: &[Token], drug: &Named, named: &[Named]) -> Option<f64> {
    let others = |from: usize, to: usize| {
        let is_other = |other: &&Named| other.class == Class::Drug && other.span != drug.span && other.entity != drug.entity;
        named.iter().filter(is_other).filter(|other| other.span.first >= from && other.span.last <= to).any(|other| {
            // "2 co-codamol and 2 paracetamol every 4 hours": both.
            !tokens
                .get(drug.span.last.min(other.span.last)..drug.span.first.max(other.span.first))
                .unwrap_or_default()
                .iter()
                .any(|token| matches!(token.text.as_str(), "and" | "plus" | "with" | "和" | "加"))
        })
    };
    let begin = drug.span.first.saturating_sub(OFTEN_WITHIN);
    let end = tokens.len().min(drug.span.last + OFTEN_WITHIN);
    let behind = (drug.span.last..end).find_map(|at| Some((at, times_a_day(tokens, at)?))).filter(|(at, _)| !others(drug.span.last, *at));
    let before = || {
        (begin..drug.span.first).rev().find_map(|at| Some((at, times_a_day(tokens, at)?))).filter(|(at, _)| !others(*at, drug.span.first))
    };
    let (_, times) = behind.or_else(before)?;
    Some(times * tablets_at_a_time(tokens, drug)?)
}

/// How many tablets are taken at a time: the number before the drug, or beside the word for what is counted.
fn tablets_at_a_time(tokens: &[Token], drug: &Named) -> Option<f64> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let count = |at: usize| number_of(word(at)).filter(|number| (1.0..=AT_A_TIME).contains(number) && number.fract() == 0.0);
    let is_part = |at: usize| {
        let word = word(at);
        BETWEEN.contains(&word)
            || word.ends_with("mg")
            || matches!(word, "500" | "1000" | "200" | "400" | "g" | "strong" | "strength" | "extra")
    };
    let begin = drug.span.first.saturating_sub(COUNT_WITHIN);
    let before = (begin..drug.span.first).rev().take_while(|at| *at + 1 == drug.span.first || is_part(at + 1)).find_map(count);
    let end = tokens.len().min(drug.span.last + OFTEN_WITHIN);
    // "一次吃两片", "paracetamol, 2 tablets every 2 hours", "paracetamol 2 at a time".
    let is_at_a_time = |at: usize| matches!((word(at), word(at + 1), word(at + 2)), ("at", "a", "time") | ("each", "time", _));
    let behind = || (drug.span.last..end).find(|at| COUNTED.contains(&word(at + 1)) || is_at_a_time(at + 1)).and_then(count);
    before.or_else(behind)
}

/// How many times a day the words from a token on say: "every 4 hours", "every 4 to 6 hours" (the longer), "hourly", 每隔2小时.
fn times_a_day(tokens: &[Token], at: usize) -> Option<f64> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let hours = |hours: f64| (hours > 0.0).then_some(24.0 / hours).filter(|times| *times <= TIMES);
    match word(at) {
        "hourly" => Some(TIMES),
        "every" | "每" | "each" => {
            if word(at + 1) == "hour" || (word(at) == "每" && matches!(word(at + 1), "小" | "个")) {
                return Some(TIMES);
            }
            let first = if word(at + 1) == "隔" { at + 2 } else { at + 1 };
            let mut last = (first, number_of(word(first)).filter(|_| word(first) != "few")?);
            // "4-6", "4 to 6": the longer.
            let next = if matches!(word(first + 1), "to" | "or" | "至" | "到") { first + 2 } else { first + 1 };
            if let Some(number) = number_of(word(next)) {
                last = (next, number);
            }
            let (place, number) = last;
            let unit = if word(place + 1) == "个" { place + 2 } else { place + 1 };
            let is_hour = matches!(word(unit), "hours" | "hour" | "hrs" | "hr" | "h") || (word(unit) == "小" && word(unit + 1) == "时");
            if is_hour { hours(number) } else { None }
        }
        _ => None,
    }
}

/// Whether a condition is, by its name, that too much of something was taken.
pub(crate) fn is_overdose(name: &str) -> bool {
    ["overdose", "poisoning"].iter().any(|what| name.to_lowercase().ends_with(what))
}

/// The overdose of a drug, or of a class that it belongs to.
fn overdose_of(knowledge: &Knowledge, drug: EntityId) -> Option<EntityId> {
    let graph = &knowledge.graph;
    let names = |entity: EntityId| ["overdose", "poisoning", "toxicity"].map(|what| format!("{} {what}", graph.entity_name(entity)));
    let find = |entity: EntityId| names(entity).iter().find_map(|name| graph.names().lookup_exact(name).first().copied());
    std::iter::once(drug).chain(classes_of(graph, drug)).find_map(find).filter(|found| knowledge.is_condition(*found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn an_overdose_is_known_by_its_name() {
        assert!(is_overdose("Paracetamol overdose") && is_overdose("Carbon monoxide poisoning") && !is_overdose("Digoxin toxicity"));
    }

    #[test]
    fn an_antibiotic_is_taken_as_a_course() {
        let is_course = |text: &str, at: usize| is_of_course(&tokenise(text), Span { first: at, last: at + 1 });
        assert!(is_course("took 21 amoxicillin capsules", 2) && is_course("took 28 cefalexin capsules", 2));
        assert!(!is_course("took 30 sertraline tablets", 2) && !is_course("took 30 amitriptyline tablets", 2));
    }

    #[test]
    fn tablets_in_a_day_are_counted_from_how_many_and_how_often() {
        let a_day = |text: &str, drug: &str| {
            let (tokens, words) = (tokenise(text), tokenise(drug));
            let fits =
                |at: &usize| words.iter().enumerate().all(|(i, word)| tokens.get(at + i).is_some_and(|token| token.text == word.text));
            let first = (0..tokens.len()).find(fits).expect("is there");
            let named = Named { span: Span { first, last: first + words.len() }, entity: EntityId(0), class: Class::Drug };
            tablets_a_day(&tokens, &named, std::slice::from_ref(&named))
        };
        assert_eq!(a_day("been taking 2 paracetamol tablets every 2 hours for 3 days", "paracetamol"), Some(24.0));
        assert_eq!(a_day("been taking paracetamol 2 at a time maybe every 2 hrs", "paracetamol"), Some(24.0));
        assert_eq!(a_day("paracetamol 2 at a time every 6 hours", "paracetamol"), Some(8.0));
        assert_eq!(a_day("two 500mg paracetamol every four hours", "paracetamol"), Some(12.0));
        assert_eq!(a_day("paracetamol, three tablets hourly", "paracetamol"), Some(72.0));
        assert_eq!(a_day("扑热息痛每隔两小时吃两片", "扑热息痛"), Some(24.0));
        assert_eq!(a_day("2 paracetamol every 4-6 hours", "paracetamol"), Some(8.0));
        assert_eq!(a_day("2 paracetamol every 6 hours", "paracetamol"), Some(8.0));
        let taken = |text: &str| is_being_taken(&tokenise(text), Span { first: 2, last: 3 });
        assert!(taken("been having paracetamol every hour") && taken("i take paracetamol every hour"));
        assert!(!taken("can i take paracetamol every hour"), "who asks takes none");
        assert!(taken("tablets of paracetamol hourly for four days because of a tooth"));
        assert!(!taken("may i paracetamol hourly for four days") && !taken("plan of paracetamol hourly for four days"));
        assert!(!taken("tablets of paracetamol hourly for toothache"), "no time is told");
        for text in ["2 paracetamol for 3 days", "paracetamol 500 mg every 4 hours", "paracetamol every few weeks"] {
            assert_eq!(a_day(text, "paracetamol"), None, "{text}");
        }
    }
}
