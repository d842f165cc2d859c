//! Replaces what is named by what is meant: findings by more telling ones where the case makes them so ([`crate::language::refinements`]), and "the
//! diabetes" by the type 2 diabetes that was named before.

use super::case::Draft;
use super::course::Course;
use super::intent::Intent;
use super::named::{Class, Named, class_of};
use super::patient::YEAR;
use crate::graph::{EntityId, classes_of};
use crate::language::knowledge::{Knowledge, named};
use crate::language::lay::is_part_of_body;
use crate::language::recognise::{NameMention, Span};
use crate::language::refinements::{Refinement, Term};
use crate::run::{Case, CaseFinding, ConditionStatus, FindingStatus};
use crate::text::{Token, clause_around};

/// Words before a name that refer to what was named before.
const DEFINITE: [&str; 8] = ["the", "his", "her", "their", "its", "my", "this", "that"];

/// What the graph calls the state of being pregnant.
const PREGNANCY: &str = "Pregnancy";
/// … and the weeks after a birth.
const POSTPARTUM: &str = "Postpartum period";
/// What the graph calls a baby that is yellow, and one that is so within a day of its birth.
const YELLOW: [&str; 3] = ["Jaundice", "Neonatal jaundice", "Yellow skin of the newborn"];
const EARLY_JAUNDICE: &str = "Early-onset neonatal jaundice";
/// Numerals of a day's hours.
const CHINESE: &str = "一二两三四五六七八九十几";
/// Parts of the body of which bleeding in pregnancy may be told.
const TRUNK: [&str; 19] = [
    "belly",
    "tummy",
    "stomach",
    "abdomen",
    "pelvis",
    "groin",
    "womb",
    "uterus",
    "cervix",
    "vagina",
    "vulva",
    "back",
    "side",
    "shoulder",
    "shoulders",
    "pelvic",
    "abdominal",
    "vaginal",
    "sided",
];
/// Before these, and behind, something is feared or stopped, and does not happen.
const FEARED: [&str; 12] = ["risk", "risks", "cause", "causes", "stop", "stops", "prevent", "prevents", "avoid", "if", "might", "case"];
const RISKS: [&str; 7] = ["risk", "risks", "disorder", "disorders", "time", "tendency", "gums"];

/// Replaces what the question tells, in its names and what they are to the case.
pub(super) fn refine(knowledge: &Knowledge, (draft, intent): (&Draft<'_>, &Intent), names: &mut [NameMention], told: &mut [Named]) {
    refer_back(knowledge, draft, names, told);
    yellow_on_first_day(knowledge, draft, names, told);
    let refinements = knowledge.refinements();
    if refinements.is_empty() || told.iter().all(|named| refinements.of_finding(&knowledge.graph, named.entity).is_empty()) {
        return;
    }
    let case = draft.case(knowledge, intent, (told, &[]), &Default::default(), &[]);
    let course = Course::of(draft.text);
    let mut changed: Vec<(Span, EntityId, EntityId)> = Vec::new();
    for named in told.iter_mut() {
        let name = knowledge.graph.entity_name(named.entity);
        let is_it = |finding: &&CaseFinding| {
            finding.entity.as_deref() == Some(name) && matches!(finding.status, FindingStatus::Present | FindingStatus::Uncertain)
        };
        let of_it = refinements.of_finding(&knowledge.graph, named.entity);
        // What merely happens, such as bleeding, is no finding of the case by itself.
        let happens = named.class == Class::Other && !of_it.is_empty() && is_told(draft, named.span);
        let plain = CaseFinding { start: draft.span(named.span).0, ..CaseFinding::default() };
        let Some(finding) = case.findings.iter().find(is_it).or_else(|| happens.then_some(&plain)) else { continue };
        if let Some(refinement) = of_it.iter().find(|refinement| holds(knowledge, (&case, &course), finding, refinement)) {
            changed.push((named.span, named.entity, refinement.into));
            (named.entity, named.class) = (refinement.into, class_of(knowledge, refinement.into));
        }
    }
    replace(names, &changed);
}

/// Jaundice of a baby that is not a day old is another matter: "day old baby is yellow", 出生10小时皮肤发黄.
fn yellow_on_first_day(knowledge: &Knowledge, draft: &Draft<'_>, names: &mut [NameMention], told: &mut [Named]) {
    let is_yellow = |named: &Named| YELLOW.contains(&knowledge.graph.entity_name(named.entity));
    if !told.iter().any(is_yellow) || !is_on_first_day(&draft.tokens) {
        return;
    }
    let Some(early) = named(&knowledge.graph, EARLY_JAUNDICE, "") else { return };
    let mut changed: Vec<(Span, EntityId, EntityId)> = Vec::new();
    for named in told.iter_mut().filter(|named| is_yellow(named)) {
        changed.push((named.span, named.entity, early));
        (named.entity, named.class) = (early, class_of(knowledge, early));
    }
    replace(names, &changed);
}

/// Whether it is told that somebody is at most a day old, or was born today or yesterday.
fn is_on_first_day(tokens: &[Token]) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let before = |at: usize, back: usize| at.checked_sub(back).map_or("", word);
    let hours = |text: &str| {
        let few = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "few"];
        few.contains(&text) || text.parse::<f32>().is_ok_and(|hours| hours <= 24.0)
    };
    let is_number = |text: &str| matches!(text, "one" | "1" | "a");
    let is_first = |at: usize| match (word(at), word(at + 1)) {
        ("hours" | "hour" | "hrs" | "hr", "old") => hours(before(at, 1)) || before(at, 1) == "an",
        ("day", "old") => {
            at == 0 || is_number(before(at, 1)) || matches!(before(at, 1), "my" | "our" | "the" | "is") && before(at, 2) != "half"
        }
        ("born", "today" | "yesterday") => before(at, 1) != "not" && before(at, 1) != "wasnt",
        ("born", "this" | "last") => matches!(word(at + 2), "morning" | "afternoon" | "evening" | "night"),
        ("born", _) => matches!(word(at + 2), "hours" | "hour" | "hrs") && word(at + 3) == "ago" && hours(word(at + 1)),
        _ => false,
    };
    let cjk: String =
        tokens.iter().filter(|token| token.cjk || token.text.parse::<u8>().is_ok()).map(|token| token.text.as_str()).collect();
    let is_counted = |behind: &str| {
        let number: String = behind
            .trim_start_matches(['才', '刚', '后', '仅', '约'])
            .chars()
            .take_while(|c| c.is_ascii_digit() || CHINESE.contains(*c))
            .collect();
        let rest = behind.trim_start_matches(['才', '刚', '后', '仅', '约']).get(number.len()..).unwrap_or_default();
        let is_few = number.parse::<u8>().map_or(number.chars().count() <= 2 && !number.is_empty(), |hours| hours <= 24);
        is_few && (rest.starts_with("小时") || rest.starts_with("个小时") || rest.starts_with("个钟头"))
    };
    let counted = ["出生", "生后", "生下来"]
        .iter()
        .any(|born| cjk.match_indices(born).any(|(at, found)| cjk.get(at + found.len()..).is_some_and(is_counted)));
    let said = [
        "今天刚出生",
        "今天出生",
        "昨天出生",
        "昨天刚出生",
        "昨晚出生",
        "今早出生",
        "出生第一天",
        "出生当天",
        "刚出生一天",
        "出生一天",
        "出生1天",
    ];
    counted || said.iter().any(|born| cjk.contains(born)) || (0..tokens.len()).any(is_first)
}

/// Whether it is told that something happens to the patient, in the parts of the body that the rest of the case is about: not that it may, nor that the
/// nose bleeds of a pregnant woman.
fn is_told(draft: &Draft<'_>, span: Span) -> bool {
    let marks = draft.scopes.at(span.first);
    let word = |at: usize| draft.tokens.get(at).map_or("", |token| token.text.as_str());
    let clause = clause_around(&draft.tokens, span.first);
    let is_elsewhere = |at: usize| is_part_of_body(&[word(at).to_owned()]) && !TRUNK.contains(&word(at));
    // Who cannot stop it, or is not sure whether it is much, bleeds.
    let is_denied = |at: usize| matches!(word(at), "cant" | "cannot" | "couldnt" | "wont" | "doesnt" | "not" | "sure" | "unsure");
    let is_fear = |at: usize| FEARED.contains(&word(at)) && !at.checked_sub(1).is_some_and(is_denied);
    let is_feared = (clause.start..span.first).any(is_fear) || RISKS.contains(&word(span.last));
    !(marks.absent || marks.family || marks.resolved || marks.past || marks.risk || is_feared || clause.into_iter().any(is_elsewhere))
}

/// Replaces names by what they were found to mean: where they stand, what they name, and what is meant.
fn replace(names: &mut [NameMention], changed: &[(Span, EntityId, EntityId)]) {
    for name in names {
        let of_name = changed.iter().find(|(span, told, _)| *span == name.span && name.entities.iter().any(|(entity, _)| entity == told));
        if let Some((_, _, into)) = of_name {
            name.entities = vec![(*into, false)];
        }
    }
}

/// Replaces a class behind a definite word by the one of its kinds that was named before it: "the diabetes" by "type 2 diabetes".
fn refer_back(knowledge: &Knowledge, draft: &Draft<'_>, names: &mut [NameMention], told: &mut [Named]) {
    let mut changed: Vec<(Span, EntityId, EntityId)> = Vec::new();
    for at in 0..told.len() {
        let Some(named) = told.get(at).filter(|named| named.class == Class::Condition) else { continue };
        let before = named.span.first.checked_sub(1).and_then(|before| draft.tokens.get(before));
        if !before.is_some_and(|token| DEFINITE.contains(&token.text.as_str())) {
            continue;
        }
        let is_kind = |other: &&Named| {
            other.class == Class::Condition
                && other.span.last <= named.span.first
                && classes_of(&knowledge.graph, other.entity).contains(&named.entity)
        };
        let mut kinds = told.iter().filter(is_kind).map(|kind| kind.entity);
        // Of two kinds, nobody knows which is meant.
        if let Some(kind) = kinds.next().filter(|first| kinds.all(|other| other == *first)) {
            changed.push((named.span, named.entity, kind));
        }
    }
    for named in told.iter_mut() {
        if let Some((_, _, into)) = changed.iter().find(|(span, told, _)| *span == named.span && *told == named.entity) {
            named.entity = *into;
        }
    }
    replace(names, &changed);
}

fn holds(knowledge: &Knowledge, (case, course): (&Case, &Course), finding: &CaseFinding, refinement: &Refinement) -> bool {
    let age = case.patient.age_months;
    refinement.terms.iter().all(|term| match term {
        Term::Lasted(days) => finding.days.is_some_and(|lasted| lasted >= *days) && !course.recurs(finding.start),
        Term::From(years) => age.is_some_and(|age| f64::from(age.from) >= years * f64::from(YEAR)),
        Term::To(years) => age.is_some_and(|age| f64::from(age.to) <= years * f64::from(YEAR)),
        // A question says of the patient that she is pregnant, and when she was.
        Term::Held(name, _) if name == PREGNANCY => case.patient.pregnancy.is_some_and(|pregnancy| pregnancy.pregnant),
        Term::Held(name, _) if name == POSTPARTUM && case.patient.pregnancy.is_some_and(|pregnancy| pregnancy.postpartum) => true,
        Term::Held(..) => term.held(&knowledge.graph).is_some_and(|(held, days)| is_held(knowledge, case, held, days)),
    })
}

/// Whether the case holds a finding or condition, for so many days at least.
fn is_held(knowledge: &Knowledge, case: &Case, held: EntityId, days: f64) -> bool {
    let is_it = |name: &Option<String>| name.as_deref().and_then(|name| named(&knowledge.graph, name, "")) == Some(held);
    let mut findings = case.findings.iter().filter(|finding| is_it(&finding.entity));
    let mut conditions = case.conditions.iter().filter(|condition| is_it(&condition.entity));
    findings.any(|finding| finding.status != FindingStatus::Absent && (days <= 0.0 || finding.days.is_some_and(|lasted| lasted >= days)))
        || days <= 0.0 && conditions.any(|condition| matches!(condition.status, ConditionStatus::Known | ConditionStatus::Past))
}

#[cfg(test)]
mod tests {
    use crate::pipeline::understand::tests::read;

    fn findings(text: &str) -> Vec<String> {
        read(text).findings.iter().filter_map(|finding| finding.entity.clone()).collect()
    }

    #[test]
    fn bleeding_in_pregnancy_is_vaginal_unless_another_part_bleeds_or_it_is_only_feared() {
        let name = "Vaginal bleeding in pregnancy".to_owned();
        for text in [
            "I'm 8 weeks pregnant and bleeding. What should I do?",
            "Pregnant 10 weeks, started to bleed. Is that normal?",
            "38 weeks pregnant, bleeding, no pain. What is it?",
            "25F, 7 weeks pregnant, one-sided pelvic pain and bleeding. What next?",
            "怀孕8周出血，怎么办？",
        ] {
            assert!(findings(text).contains(&name), "{text}: {:?}", findings(text));
        }
        for text in [
            "8 weeks pregnant, my nose is bleeding. What should I do?",
            "20 weeks pregnant, bleeding gums. What is it?",
            "12 weeks pregnant, no bleeding, tired. What is it?",
            "Pregnant, is there a risk of bleeding with aspirin?",
            "I am bleeding and not pregnant. What is it?",
        ] {
            assert!(!findings(text).contains(&name), "{text}: {:?}", findings(text));
        }
    }

    #[test]
    fn a_child_who_falls_and_vomits_has_a_head_injury() {
        let conditions = |text: &str| -> Vec<String> { read(text).conditions.iter().filter_map(|of| of.entity.clone()).collect() };
        for text in
            ["My 8 month old fell off the bed and keeps vomiting since. What should I do?", "八个月宝宝从床上摔下来，之后一直吐，怎么办？"]
        {
            assert!(conditions(text).contains(&"Head injury".to_owned()), "{text}: {:?}", read(text));
        }
        assert!(!conditions("82F, falls and vomiting for two days. What is it?").contains(&"Head injury".to_owned()));
    }

    #[test]
    fn a_baby_is_on_its_first_day_by_its_hours_and_not_by_other_days() {
        let is_first = |text: &str| super::is_on_first_day(&crate::text::tokenise(text));
        for text in [
            "day old baby is yellow",
            "my one day old is yellow",
            "baby born this morning already looks yellow",
            "newborn looks yellow and is only 12 hours old",
            "born 6 hours ago, yellow",
            "出生10小时的宝宝皮肤发黄",
            "出生才十个小时就黄了",
            "昨天出生的宝宝脸黄",
        ] {
            assert!(is_first(text), "{text}");
        }
        for text in
            ["3 day old baby is yellow", "five day old, yellow", "36 hours old", "出生10天皮肤发黄", "出生三十六小时", "born last year"]
        {
            assert!(!is_first(text), "{text}");
        }
        assert!(findings("My day old baby is yellow. What should I do?").contains(&"Early-onset neonatal jaundice".to_owned()));
        assert!(!findings("My 5 day old baby is yellow. What should I do?").contains(&"Early-onset neonatal jaundice".to_owned()));
    }
}
