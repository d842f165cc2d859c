//! What a question asks about using a medicine: what it is for, how soon it works, how it is taken, what to do about a missed dose, whether one may
//! drive. The words are in `assets/using.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use toml::Spanned;

use super::layout::Layout;
use crate::language::phrase_template::{Classes, FoundTemplate, Malformed, TemplateTable};
use crate::run::{Case, CaseDrug, ConditionStatus, DrugStatus, FindingStatus, LikelyKind, NotUnderstood, ResultDirection};
use crate::text::{Token, tokenise};

/// The most drugs that a question asks this of.
const MOST: usize = 3;
/// What is put in place of the name of a drug: a word that no question has.
const DRUG: &str = "namedmedicine";

/// What is asked about a drug.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum UseTopic {
    /// What it is for.
    Purpose,
    /// How soon it works.
    Works,
    /// How it is taken: with food, at night.
    Taking,
    /// What to do about a missed dose.
    Missed,
    /// Whether one may drive.
    Driving,
    /// What to do where a dose was taken twice by mistake.
    Twice,
}

const TEXT: &str = include_str!("../../../assets/using.toml");

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    classes: BTreeMap<String, Vec<Spanned<String>>>,
    purpose: Vec<Spanned<String>>,
    works: Vec<Spanned<String>>,
    taking: Vec<Spanned<String>>,
    missed: Vec<Spanned<String>>,
    driving: Vec<Spanned<String>>,
    twice: Vec<Spanned<String>>,
    mistaken: Vec<String>,
    meant: Vec<String>,
    too_much: Vec<String>,
    danger: Vec<String>,
}

impl File {
    fn table(&self) -> Result<TemplateTable<UseTopic>, Malformed> {
        let topics = [
            (UseTopic::Purpose, &self.purpose),
            (UseTopic::Works, &self.works),
            (UseTopic::Taking, &self.taking),
            (UseTopic::Missed, &self.missed),
            (UseTopic::Driving, &self.driving),
            (UseTopic::Twice, &self.twice),
        ];
        let templates = topics.into_iter().flat_map(|(topic, templates)| templates.iter().map(move |says| (says, topic)));
        let mut classes = self.classes.clone();
        classes.insert("drug".to_owned(), vec![Spanned::new(0..0, DRUG.to_owned())]);
        TemplateTable::of(TEXT, &Classes::of(TEXT, &classes)?, templates)
    }
}

static FILE: LazyLock<File> = LazyLock::new(|| toml::from_str(TEXT).unwrap_or_default());
static TABLE: LazyLock<TemplateTable<UseTopic>> = LazyLock::new(|| FILE.table().unwrap_or_default());

/// Whether a text tells of something that matters more than how a drug is taken.
fn tells_of_danger(question: &str) -> bool {
    tells_of(question, &FILE.danger) || tells_of(question, &FILE.too_much)
}

/// Whether a text holds one of these words. One that ends in `-` may go on: "bleed-" stands for bleeding.
fn tells_of(question: &str, listed: &[String]) -> bool {
    let token = |token: Token| if token.cjk { token.text } else { format!(" {} ", token.text) };
    let words = tokenise(question).into_iter().map(token).collect::<String>().replace("  ", " ");
    listed.iter().any(|danger| match danger.strip_suffix('-') {
        Some(begin) => words.contains(&format!(" {begin}")),
        None if danger.is_ascii() => words.contains(&format!(" {danger} ")),
        None => words.contains(danger.as_str()),
    })
}

/// Where templates are found in a text, each within one clause: the topic and the first token.
fn found(tokens: &[Token]) -> Vec<(UseTopic, usize)> {
    let (mut all, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        let is_joined = |last: usize| tokens.get(at + 1..last).is_some_and(|within| within.iter().all(|token| !token.after_break));
        let fits = |found: &FoundTemplate<UseTopic>| {
            is_joined(found.last) && !(found.means == UseTopic::Twice && is_planned(tokens, at, found.last))
        };
        let found = TABLE.all_at(tokens, at).into_iter().find(fits);
        all.extend(found.as_ref().map(|found| (found.means, at)));
        at = found.map_or(at + 1, |found| found.last.max(at + 1));
    }
    all
}

/// Whether words that begin and end at these places tell of no mistake.
fn is_planned(tokens: &[Token], first: usize, next: usize) -> bool {
    is_a_rate(tokens, next) || is_raised(tokens, first, next)
}

/// Whether a dose was doubled by who prescribes it, or to what it now is, and by no mistake: "they doubled my amlodipine", "doubled her ramipril to 10 mg".
fn is_raised(tokens: &[Token], first: usize, next: usize) -> bool {
    const PRESCRIBERS: [&str; 17] = [
        "they",
        "theyve",
        "doctor",
        "doctors",
        "dr",
        "doc",
        "gp",
        "nurse",
        "consultant",
        "specialist",
        "cardiologist",
        "clinic",
        "hospital",
        "surgery",
        "pharmacist",
        "registrar",
        "team",
    ];
    const MISTAKES: [&str; 8] = ["mistake", "mistakenly", "accident", "accidentally", "accidental", "error", "wrong", "wrongly"];
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    if !matches!(word(first), "doubled" | "doubling") || tokens.iter().any(|token| MISTAKES.contains(&token.text.as_str())) {
        return false;
    }
    let before = |back: usize| first.checked_sub(back).map_or("", word);
    // "The GP has just doubled it"; "I have just doubled it" tells of nobody else.
    let who = (1..4).map(before).find(|word| !matches!(*word, "has" | "have" | "just"));
    let is_prescribed = who.is_some_and(|who| PRESCRIBERS.contains(&who));
    let is_to_dose = (next..next + 3).any(|at| word(at) == "to" && word(at + 1).starts_with(|c: char| c.is_ascii_digit()));
    is_prescribed || is_to_dose
}

/// Whether the words before this place, "twice" or "again", go on as a rate: "twice a day", "twice daily".
fn is_a_rate(tokens: &[Token], next: usize) -> bool {
    const RATES: [&str; 9] = ["a", "daily", "per", "every", "each", "weekly", "day", "monthly", "nightly"];
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_count = matches!(word(next.saturating_sub(1)), "twice" | "again");
    is_count && RATES.contains(&word(next)) && tokens.get(next).is_some_and(|token| !token.after_break)
}

/// What a question asks about using drugs of its case, each with the drugs, by the names of their entities.
pub(crate) fn asked_of_use<'a>(question: &str, case: &'a Case) -> Vec<(UseTopic, Vec<&'a str>)> {
    let drugs: Vec<&CaseDrug> = case.drugs.iter().filter(|drug| drug.status != DrugStatus::Allergic && drug.entity.is_some()).collect();
    if drugs.is_empty() {
        return Vec::new();
    }
    let is_well = tells_of_no_illness(case) && !tells_of_danger(question);
    let tokens = with_drugs_as_one_word(tokenise(question), &drugs);
    let layout = Layout::of(question, &tokens);
    let mut asked: Vec<(UseTopic, Vec<&str>)> = Vec::new();
    for (topic, first) in found(&tokens) {
        let sentence = layout.sentence(first);
        let place = |at: usize| tokens.get(at).map_or(question.len(), |token| token.start);
        let (from, to) = (place(sentence.first), place(sentence.last));
        let near = drugs.iter().filter(|drug| drug.start >= from && drug.end <= to);
        let near: Vec<&str> = near.filter_map(|drug| drug.entity.as_deref()).collect();
        let all = || drugs.iter().filter_map(|drug| drug.entity.as_deref()).collect();
        let mut of: Vec<&str> = if near.is_empty() { all() } else { near };
        let mut seen = std::collections::BTreeSet::new();
        of.retain(|drug| seen.insert(*drug));
        let is_known = asked.iter().any(|(known, _)| *known == topic);
        // Who bleeds must not read first how a drug is taken, and who may not drive for what ails him not that a drug allows it.
        let is_open = match topic {
            UseTopic::Purpose => tells_of_no_illness(case),
            // That it happened by mistake is what matters.
            UseTopic::Twice => tells_of(question, &FILE.mistaken) && !tells_of(question, &FILE.meant),
            _ => is_well,
        };
        if of.len() <= MOST && !is_known && is_open {
            asked.push((topic, of));
        }
    }
    asked
}

/// Whether the case holds no complaint, condition, abnormal result or pregnancy, and nothing that matters was not understood.
fn tells_of_no_illness(case: &Case) -> bool {
    let matters = |term: &NotUnderstood| {
        term.subject || term.passage || matches!(term.likely, Some(LikelyKind::Drug | LikelyKind::Condition | LikelyKind::Test))
    };
    let is_abnormal = |direction| !matches!(direction, ResultDirection::Normal | ResultDirection::Negative);
    let is_expecting = case.patient.is_pregnant_or_postpartum();
    if is_expecting || case.not_understood.iter().any(matters) || case.results.iter().any(|result| is_abnormal(result.direction)) {
        return false;
    }
    let is_there = |status| matches!(status, FindingStatus::Present | FindingStatus::Uncertain);
    let is_now = ConditionStatus::is_now;
    !case.findings.iter().any(|finding| is_there(finding.status)) && !case.conditions.iter().any(|condition| is_now(condition.status))
}

/// The words of a question with one word in place of each name of a drug, however many words the name has.
fn with_drugs_as_one_word(tokens: Vec<Token>, drugs: &[&CaseDrug]) -> Vec<Token> {
    let mut words: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut inside = None;
    for token in tokens {
        let drug = drugs.iter().position(|drug| drug.start <= token.start && token.end <= drug.end);
        match drug {
            Some(_) if drug == inside => {
                if let Some(last) = words.last_mut() {
                    last.end = token.end;
                }
            }
            Some(_) => words.push(Token { text: DRUG.to_owned(), cjk: false, ..token }),
            None => words.push(token),
        }
        inside = drug;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::super::tests::topic_wordings;
    use super::*;

    /// What is asked of the drugs of a question, all of which are taken.
    fn asked(question: &str, drugs: &[&str]) -> Vec<UseTopic> {
        let drug = |name: &&str| {
            let start = question.find(name).unwrap_or_else(|| panic!("{name} in {question}"));
            CaseDrug {
                entity: Some((*name).to_owned()),
                text: (*name).to_owned(),
                status: DrugStatus::Taken,
                start,
                end: start + name.len(),
                days: None,
            }
        };
        let case = Case { drugs: drugs.iter().map(drug).collect(), ..Case::default() };
        asked_of_use(question, &case).into_iter().map(|(topic, _)| topic).collect()
    }

    #[test]
    fn the_file_is_valid() {
        let file: File = toml::from_str(TEXT).expect("valid");
        file.table().expect("well formed");
        for says in [&file.purpose, &file.works, &file.taking, &file.missed, &file.driving].into_iter().flatten() {
            assert!(!tells_of_danger(says.get_ref()), "a danger forbids a phrase of the file itself: {}", says.get_ref());
        }
    }

    #[test]
    fn what_is_asked_about_using_a_drug_is_told_by_the_words_around_its_name() {
        use UseTopic::{Driving, Missed, Purpose, Taking, Works};
        for (question, drug, topic) in [
            ("what is perindopril for?", "perindopril", Purpose),
            ("What does folic acid treat", "folic acid", Purpose),
            ("why have i been given perindopril", "perindopril", Purpose),
            ("培哚普利是治什么的", "培哚普利", Purpose),
            ("how long does perindopril take to work", "perindopril", Works),
            ("5 days into perindopril 4mg and no better, how long till it kicks in?", "perindopril", Works),
            ("培哚普利吃多久才见效", "培哚普利", Works),
            ("do I take perindopril with food or on an empty stomach", "perindopril", Taking),
            ("Perindopril - morning or night?", "Perindopril", Taking),
            ("培哚普利饭前吃还是饭后吃", "培哚普利", Taking),
            ("I forgot my perindopril this morning, what now", "perindopril", Missed),
            ("missed two doses of perindopril. Do I double up?", "perindopril", Missed),
            ("昨晚忘了吃培哚普利，今天要补吗", "培哚普利", Missed),
            ("can I drive on perindopril?", "perindopril", Driving),
        ] {
            assert!(asked(question, &[drug]).contains(&topic), "{question}");
        }
    }

    #[test]
    fn wordings_of_each_topic_are_recognised_and_what_is_only_told_is_not() {
        let kinds = ["purpose", "works", "taking", "missed", "driving", "twice"];
        let topics = [UseTopic::Purpose, UseTopic::Works, UseTopic::Taking, UseTopic::Missed, UseTopic::Driving, UseTopic::Twice];
        for (kind, asks, wording) in topic_wordings().filter(|(topic, ..)| topic.starts_with("use:")) {
            let topic = kinds.iter().position(|known| kind.ends_with(known)).map(|at| topics[at]).expect("a kind");
            let name = wording.split(['{', '}']).nth(1).expect("a name");
            let asked = asked(&wording.replace(['{', '}'], ""), &[name]);
            assert_eq!(asked.contains(&topic), asks, "{kind}: {wording}");
        }
    }

    #[test]
    fn a_dose_taken_twice_by_mistake_is_told_and_never_planned_or_a_rate() {
        for (question, drug) in [
            ("I forgot I'd already taken my perindopril and took it twice", "perindopril"),
            ("doubled my perindopril by mistake", "perindopril"),
            ("the nurse doubled my perindopril by mistake", "perindopril"),
            ("accidentally took two perindopril this morning, now what?", "perindopril"),
            ("took my perindopril twice today, do I skip tomorrow", "perindopril"),
            ("Mum took her perindopril again an hour later", "perindopril"),
            ("gave him two doses of amoxicillin by accident", "amoxicillin"),
            ("gave my 3 year old two doses of amoxicillin by accident", "amoxicillin"),
            ("took my perindopril at breakfast, then like a fool took it again at lunch", "perindopril"),
            ("perindopril: took an extra tablet by mistake", "perindopril"),
            ("we both gave him amoxicillin tonight", "amoxicillin"),
            ("培哚普利吃重了怎么办", "培哚普利"),
            ("今天早上多吃了一片培哚普利", "培哚普利"),
        ] {
            assert!(asked(question, &[drug]).contains(&UseTopic::Twice), "{question}");
        }
        for (question, drug) in [
            ("My ankles have puffed up since they doubled my perindopril to 10 mg, do I just stop it?", "perindopril"),
            ("the GP has just doubled my perindopril, is that safe", "perindopril"),
            ("I take perindopril twice a day", "perindopril"),
            ("taking perindopril twice daily, is that right?", "perindopril"),
            ("Should I take two perindopril tomorrow?", "perindopril"),
            ("has had pneumonia twice, on perindopril", "perindopril"),
            ("stopped perindopril for the cough, took it again and the cough came back", "perindopril"),
            ("gave him a second dose of amoxicillin as planned", "amoxicillin"),
            ("she was given perindopril again after the washout period", "perindopril"),
            ("took perindopril and then took ibuprofen for the pain", "perindopril"),
            ("培哚普利一天吃两次对吗", "培哚普利"),
        ] {
            assert!(!asked(question, &[drug]).contains(&UseTopic::Twice), "{question}");
        }
    }

    #[test]
    fn what_sounds_alike_and_asks_something_else_is_not_taken_for_it() {
        for (question, drug) in [
            ("I take perindopril. What is this rash for heaven's sake?", "perindopril"),
            ("missed my period, I take perindopril", "perindopril"),
            ("I forgot I'd already taken my perindopril and took it twice", "perindopril"),
            ("doubled my perindopril by mistake", "perindopril"),
            ("how long does a cold last? I take perindopril", "perindopril"),
            ("is perindopril safe with ibuprofen?", "perindopril"),
            ("I take perindopril. Belching after food for weeks. What is it?", "perindopril"),
            ("I keep forgetting names since perindopril", "perindopril"),
            ("wheezing, which perindopril dose? what perindopril", "perindopril"),
            ("took a double dose of perindopril by accident, should I double up?", "perindopril"),
            ("Forgot my perindopril and my tongue is swelling, should I take it now?", "perindopril"),
            ("I am bleeding from the gums. missed my perindopril, take it with food?", "perindopril"),
            ("吃了培哚普利喉咙肿，应该饭后吃吗", "培哚普利"),
            ("perindopril drives me mad with its cough", "perindopril"),
        ] {
            let asked = asked(question, &[drug]);
            assert!(asked.iter().all(|topic| *topic == UseTopic::Twice), "{question}");
        }
    }

    #[test]
    fn nobody_who_is_ill_reads_of_a_drug_that_he_may_drive() {
        let question = "Can I drive on perindopril?";
        let start = question.find("perindopril").expect("is there");
        let drug = CaseDrug { entity: Some("Perindopril".to_owned()), start, end: start + 11, ..CaseDrug::default() };
        let case = Case { drugs: vec![drug], ..Case::default() };
        assert_eq!(asked_of_use(question, &case), [(UseTopic::Driving, vec!["Perindopril"])]);
        let finding = crate::run::CaseFinding { status: FindingStatus::Present, ..crate::run::CaseFinding::default() };
        assert!(asked_of_use(question, &Case { findings: vec![finding], ..case }).is_empty());
    }
}
