//! Qualifiers: what a statement adds to head, relation and tail, for example its severity or the condition under which it
//! holds. Entities carry the same kind of list, as attributes.

use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::text::{clean_line, fold};

/// Keys that Catena reads itself; other keys are kept and shown.
pub mod keys {
    /// How serious it is.
    pub const SEVERITY: &str = "severity";
    /// What happens, in English.
    pub const EFFECT: &str = "effect";
    /// What happens, in Chinese.
    pub const EFFECT_ZH: &str = "effect_zh";
    /// What to do, in English.
    pub const ACTION: &str = "action";
    /// What to do, in Chinese.
    pub const ACTION_ZH: &str = "action_zh";
    /// Of a condition: what to do besides tests and drugs, in a few words.
    pub const CARE: &str = "care";
    /// The same in Chinese.
    pub const CARE_ZH: &str = "care_zh";
    /// Of a condition: the course that it takes.
    pub const COURSE: &str = "course";
    /// The same in Chinese.
    pub const COURSE_ZH: &str = "course_zh";
    /// The condition under which the statement holds, in English.
    pub const WHEN: &str = "when";
    /// Attribute of a condition: the words in which patients and doctors tell it. It states nothing and is never shown.
    pub const PICTURE: &str = "picture";
    /// The same in Chinese.
    pub const PICTURE_ZH: &str = "picture_zh";
    /// Attributes of a condition: made-up cases of it, as doctors, patients and relatives tell them. They state nothing and are never shown.
    pub const CASES: [&str; 5] = ["case_a", "case_b", "case_c", "case_d", "case_e"];
    /// The same, by other writers.
    pub const FURTHER_CASES: [&str; 6] = ["case_f", "case_g", "case_h", "case_i", "case_j", "case_k"];
    /// The condition under which the statement holds, in Chinese.
    pub const WHEN_ZH: &str = "when_zh";
    /// How often, in bands.
    pub const FREQUENCY: &str = "frequency";
    /// Where the statement comes from.
    pub const SOURCE: &str = "source";
    /// Members of a class for which the statement does not hold, separated by `|`.
    pub const EXCEPT: &str = "except";
    /// The route or form by which a member differs from its class; such an `is_a` passes nothing on.
    pub const ROUTE: &str = "route";
    /// The line of therapy.
    pub const LINE: &str = "line";
    /// Of an entity: how soon it needs care.
    pub const URGENCY: &str = "urgency";
    /// Of an entity: what makes it an emergency, separated by `|`; without any of it, it is urgent at most.
    pub const EMERGENCY_IF: &str = "emergency_if";
    /// Of an entity that is an emergency: what makes it no more than urgent, separated by `|`.
    pub const EMERGENCY_UNLESS: &str = "emergency_unless";
    /// Of an emergency that may come of something lesser: what tells that it has, separated by `|`; without any of it, the lesser leads.
    pub const LEADS_IF: &str = "leads_if";
    /// Of a condition that is nothing but an abnormal value: `normal`, a normal value rules it out, and its kinds. Of an infection: `test`, a negative
    /// test that is named by it ("hepatitis B serology negative") rules it out.
    pub const RULED_OUT_BY: &str = "ruled_out_by";
    /// Of a drug or a class: what happens where it is stopped suddenly, and how it is stopped, in English and Chinese; and the members of the class for
    /// which this does not hold.
    pub const STOPPING: &str = "stopping";
    /// See [`STOPPING`].
    pub const STOPPING_ZH: &str = "stopping_zh";
    /// See [`STOPPING`].
    pub const STOPPING_ACTION: &str = "stopping_action";
    /// See [`STOPPING`].
    pub const STOPPING_ACTION_ZH: &str = "stopping_action_zh";
    /// See [`STOPPING`].
    pub const STOPPING_EXCEPT: &str = "stopping_except";
    /// Of a finding that is urgent only with what its action names: `routine`, the level where nothing else is told.
    pub const ALONE: &str = "alone";
    /// Of a side effect: what to do about it, in English and Chinese.
    pub const IF_IT_OCCURS: [&str; 2] = ["if_it_occurs", "if_it_occurs_zh"];
    /// Of a drug or a class: how soon it works, in English and Chinese.
    pub const WORKS: [&str; 2] = ["works", "works_zh"];
    /// Of a drug or a class: how it is taken, in English and Chinese.
    pub const TAKING: [&str; 2] = ["taking", "taking_zh"];
    /// Of a drug or a class: what to do about a missed dose, in English and Chinese.
    pub const MISSED: [&str; 2] = ["missed", "missed_zh"];
    /// Of a drug or a class: whether one may drive, in English and Chinese.
    pub const DRIVING: [&str; 2] = ["driving", "driving_zh"];
    /// Of a class: the members for which the four above do not hold.
    pub const USING_EXCEPT: &str = "using_except";
    /// Of a drug or a class: what one dose too many by mistake calls for, `home`, `ask` or `emergency`.
    pub const TWICE_LEVEL: &str = "twice_level";
    /// The same where a child took it; absent where children do not take it.
    pub const TWICE_CHILD: &str = "twice_child";
    /// Of a drug or a class: what one dose too many may do, in English and Chinese.
    pub const TWICE: [&str; 2] = ["twice", "twice_zh"];
    /// What to do about the next dose, in English and Chinese.
    pub const TWICE_NEXT: [&str; 2] = ["twice_next", "twice_next_zh"];
    /// Of a class: the members for which this does not hold.
    pub const TWICE_EXCEPT: &str = "twice_except";
    /// Of a condition that needs no care by itself: if it leaves a finding unexplained, it comes behind all others, and beside other findings it
    /// explains no alarming one away.
    pub const HARMLESS: &str = "harmless";
    /// Of a finding: what makes it not urgent. The list has the same form as `emergency_unless`.
    pub const CALM_IF: &str = "calm_if";
    /// Of a condition: the ages, in years, outside which hardly anybody has it for the first time: `0.4-6`, `48-`, `-2`.
    pub const AGES: &str = "ages";
    /// Of a condition of pregnancy, the weeks in which it occurs.
    pub const WEEKS: &str = "weeks";
    /// Of a condition: `female` or `male`, where hardly anybody else has it.
    pub const SEX: &str = "sex";
    /// Of a condition: `acute`, where it explains nothing that has lasted for weeks; `chronic`, where it explains nothing that began yesterday.
    pub const ONSET: &str = "onset";
    /// Of a condition: `long_term`, where a patient lives with it for months or years. It is treated behind what is acute, and says nothing of how it begins.
    pub const LASTING: &str = "lasting";
    /// Of an interaction: conditions, separated by `|`, whose usual treatment the two are together: it is offered with the caution.
    pub const STANDARD_IN: &str = "standard_in";
    /// Of a finding: what makes another finding this one, separated by `|`: `Mouth ulcers & for 21 days`.
    pub const REFINES: &str = "refines";
    /// Of a condition: findings, separated by `|`, without any of which it is not there.
    pub const NEEDS: &str = "needs";

    /// The order in which a reader sees the known keys; those without a place come last, by name.
    pub(super) const SHOWN: [&str; 15] = [
        SEVERITY,
        WHEN,
        WHEN_ZH,
        EFFECT,
        EFFECT_ZH,
        ACTION,
        ACTION_ZH,
        FREQUENCY,
        LINE,
        ROUTE,
        EXCEPT,
        URGENCY,
        EMERGENCY_IF,
        EMERGENCY_UNLESS,
        SOURCE,
    ];
}

/// How the keys of Chinese values end.
const CHINESE: &str = "_zh";

/// The longest key, in bytes.
const LONGEST_KEY: usize = 32;
/// The longest value, in bytes.
const LONGEST_VALUE: usize = 500;
/// The most qualifiers of a statement.
const MOST: usize = 160;

/// Keys that narrow what a statement says.
const NARROWING: [&str; 4] = [keys::EXCEPT, keys::ROUTE, keys::WHEN, keys::WHEN_ZH];

/// Why a qualifier is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QualifierFault {
    /// The column has no `=`.
    #[error("a qualifier without `=`")]
    NoEqualsSign,
    /// The key has other characters than `a` to `z` and `_`, or none, or more than 32.
    #[error("a qualifier whose key is not 1 to 32 letters a to z or _")]
    Key,
    /// The value is empty.
    #[error("a qualifier without a value")]
    Empty,
    /// The value is longer than 500 bytes.
    #[error("a qualifier of more than 500 bytes")]
    TooLong,
    /// The key was there already.
    #[error("a qualifier that is stated twice")]
    Repeated,
    /// There are more than 160.
    #[error("more than 160 qualifiers")]
    TooMany,
}

/// Qualifiers of a statement, or attributes of an entity: keys with values, ordered by key. Values are one line of
/// sanitised text. Most statements have none, and an empty list allocates nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Qualifiers {
    /// Sorted by key; each key once.
    pairs: Vec<(Box<str>, Box<str>)>,
}

impl Qualifiers {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        let at = self.pairs.binary_search_by(|(known, _)| (**known).cmp(key)).ok()?;
        self.pairs.get(at).map(|(_, value)| &**value)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Keys and values, ordered by key.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.pairs.iter().map(|(key, value)| (&**key, &**value))
    }

    /// Keys and values in the order in which a reader sees them: what matters most first.
    pub fn shown(&self) -> impl Iterator<Item = (&str, &str)> {
        let known = keys::SHOWN.into_iter().filter_map(|key| self.get(key).map(|value| (key, value)));
        let is_hidden =
            |key: &str| matches!(key, keys::PICTURE | keys::PICTURE_ZH) || keys::CASES.contains(&key) || keys::FURTHER_CASES.contains(&key);
        let is_told = move |key: &str| !keys::SHOWN.contains(&key) && !is_hidden(key);
        known.chain(self.iter().filter(move |(key, _)| is_told(key)))
    }

    /// All qualifiers for reading aloud: `severity major; when first trimester`.
    pub fn sentence(&self) -> String {
        let said: Vec<String> = self.shown().map(|(key, value)| format!("{} {value}", key.replace('_', " "))).collect();
        said.join("; ")
    }

    /// All qualifiers in one language, as `when: atypical germ`: what is stored in both languages stands once.
    pub fn in_language(&self, chinese: bool) -> String {
        let in_chinese = |key: &str| key.ends_with(CHINESE);
        let has_chinese = |key: &str| self.get(&format!("{key}{CHINESE}")).is_some();
        let belongs = |key: &str| if in_chinese(key) { chinese } else { !(chinese && has_chinese(key)) };
        let said = self.shown().filter(|(key, _)| belongs(key));
        let in_words = |(key, value): (&str, &str)| match line_in_words(key, value, chinese) {
            Some(words) => words.to_owned(),
            None => format!("{}: {}", key.strip_suffix(CHINESE).unwrap_or(key).replace('_', " "), worded(value)),
        };
        let said: Vec<String> = said.map(in_words).collect();
        said.join(" · ")
    }

    /// Adds a qualifier. The value is sanitised.
    ///
    /// # Errors
    /// If key or value is not acceptable, the key is there already, or there is no room; the list stays as it was.
    pub fn add(&mut self, key: &str, value: &str) -> Result<(), QualifierFault> {
        if key.is_empty() || key.len() > LONGEST_KEY || !key.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase()) {
            return Err(QualifierFault::Key);
        }
        let value = clean_line(value);
        if value.is_empty() {
            return Err(QualifierFault::Empty);
        }
        if value.len() > LONGEST_VALUE {
            return Err(QualifierFault::TooLong);
        }
        let Err(at) = self.pairs.binary_search_by(|(known, _)| (**known).cmp(key)) else { return Err(QualifierFault::Repeated) };
        if self.pairs.len() >= MOST {
            return Err(QualifierFault::TooMany);
        }
        self.pairs.insert(at, (key.into(), value.into()));
        Ok(())
    }

    /// The same with one more qualifier; one that is not acceptable is left out.
    #[must_use]
    pub fn with(mut self, key: &str, value: &str) -> Self {
        let _ = self.add(key, value);
        self
    }

    /// Adds a qualifier from a column `key=value`. An empty column adds nothing.
    ///
    /// # Errors
    /// As [`Self::add`], and if the column has no `=`.
    pub fn add_column(&mut self, column: &str) -> Result<(), QualifierFault> {
        let column = column.trim();
        if column.is_empty() {
            return Ok(());
        }
        let (key, value) = column.split_once('=').ok_or(QualifierFault::NoEqualsSign)?;
        self.add(key.trim_end(), value)
    }

    /// Reads columns `key=value`.
    ///
    /// # Errors
    /// At the first column that [`Self::add_column`] does not accept.
    pub fn of_columns<'a>(columns: impl IntoIterator<Item = &'a str>) -> Result<Self, QualifierFault> {
        let mut read = Self::default();
        columns.into_iter().try_for_each(|column| read.add_column(column))?;
        Ok(read)
    }

    /// The columns `key=value`, ordered by key.
    pub fn columns(&self) -> impl Iterator<Item = String> {
        self.iter().map(|(key, value)| format!("{key}={value}"))
    }

    /// Adds the qualifiers that another source states of the same. A key that is there already keeps its value. Keys that narrow a
    /// statement stay only if both sources have them: what one states without a condition holds without one.
    pub fn merge(&mut self, other: &Self) {
        let narrower: Vec<(&str, String)> = NARROWING
            .into_iter()
            .filter_map(|key| {
                let (a, b) = (self.get(key)?, other.get(key)?);
                let value = if key == keys::EXCEPT { common(a, b) } else { either(a, b)? };
                Some((key, value))
            })
            .collect();
        self.pairs.retain(|(key, _)| !NARROWING.contains(&&**key));
        for (key, value) in narrower {
            let _ = self.add(key, &value);
        }
        for (key, value) in other.iter().filter(|(key, _)| !NARROWING.contains(key)) {
            let _ = self.add(key, value);
        }
    }

    /// The names in a list value, separated by `|`.
    pub fn list(&self, key: &str) -> impl Iterator<Item = &str> {
        self.get(key).unwrap_or("").split('|').map(str::trim).filter(|name| !name.is_empty())
    }

    /// The form in which a snapshot stores them: columns separated by tabs.
    pub(super) fn stored(&self) -> String {
        self.columns().collect::<Vec<_>>().join("\t")
    }

    /// Reads what [`Self::stored`] wrote; leaves out what is not acceptable.
    pub(super) fn of_stored(text: &str) -> Self {
        let mut read = Self::default();
        for column in text.split('\t') {
            let _ = read.add_column(column);
        }
        read
    }
}

/// A line of therapy as it is spoken of: “line: first” looks like a line of a file. `None` for anything else.
fn line_in_words(key: &str, value: &str, chinese: bool) -> Option<&'static str> {
    let words = match (key, value) {
        (keys::LINE, "first") => ["first choice", "首选"],
        (keys::LINE, "second") => ["second choice", "次选"],
        (keys::LINE, "third") => ["third choice", "第三选择"],
        _ => return None,
    };
    let [english, in_chinese] = words;
    Some(if chinese { in_chinese } else { english })
}

/// A value of a fixed list (`very_common`) as words; any other as it is.
fn worded(value: &str) -> String {
    let is_fixed = value.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase());
    if is_fixed { value.replace('_', " ") } else { value.to_owned() }
}

/// Two conditions of which one suffices; `None` if they do not fit into a value, so the statement holds without them.
fn either(a: &str, b: &str) -> Option<String> {
    let both = if a == b { a.to_owned() } else { format!("{a}; {b}") };
    (both.len() <= LONGEST_VALUE).then_some(both)
}

/// The names that two lists have in common, in the order of the first.
fn common(a: &str, b: &str) -> String {
    let names: Vec<String> = b.split('|').map(fold).collect();
    a.split('|').map(str::trim).filter(|name| names.contains(&fold(name))).collect::<Vec<_>>().join("|")
}

/// `severity: major · when: first trimester`.
impl fmt::Display for Qualifiers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (key, value)) in self.shown().enumerate() {
            let dot = if place > 0 { " · " } else { "" };
            write!(f, "{dot}{}: {value}", key.replace('_', " "))?;
        }
        Ok(())
    }
}

impl Serialize for Qualifiers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (key, value) in self.iter() {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Qualifiers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;

        impl<'de> Visitor<'de> for Pairs {
            type Value = Qualifiers;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of qualifiers")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Qualifiers, A::Error> {
                let mut read = Qualifiers::default();
                while let Some((key, value)) = map.next_entry::<String, String>()? {
                    read.add(&key, &value).map_err(A::Error::custom)?;
                }
                Ok(read)
            }
        }

        deserializer.deserialize_map(Pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_in_both_languages_is_said_in_one() {
        let stored =
            Qualifiers::default().with("when", "second line").with("when_zh", "二线").with("severity", "major").with("effect_zh", "嗜睡");
        assert_eq!(stored.in_language(false), "severity: major · when: second line");
        assert_eq!(stored.in_language(true), "severity: major · when: 二线 · effect: 嗜睡");
        let line = |value: &str| Qualifiers::default().with("line", value);
        assert_eq!((line("first").in_language(false), line("third").in_language(true)), ("first choice".into(), "第三选择".into()));
        assert_eq!(line("last resort").in_language(false), "line: last resort");
        assert_eq!((worded("very_common"), worded("CYP2C9_1 carriers")), ("very common".into(), "CYP2C9_1 carriers".into()));
    }

    #[test]
    fn what_is_not_acceptable_is_refused_with_its_reason() {
        let mut some = Qualifiers::default();
        let faults = [("Severity", "x"), ("", "x"), ("a b", "x"), (&"k".repeat(33), "x")].map(|(key, value)| some.add(key, value));
        assert_eq!(faults, [Err(QualifierFault::Key); 4]);
        assert_eq!(some.add("a", " \u{200b}\n"), Err(QualifierFault::Empty));
        assert_eq!(some.add("a", &"x".repeat(501)), Err(QualifierFault::TooLong));
        assert_eq!(some.add_column("severity"), Err(QualifierFault::NoEqualsSign));
        assert!(some.is_empty(), "what is refused changes nothing");
        assert_eq!(some.add_column(" severity = ma\u{1b}jor "), Ok(()));
        assert_eq!(some.add("severity", "minor"), Err(QualifierFault::Repeated));
        assert_eq!(some.get("severity"), Some("major"));
        assert_eq!(some.add("a", "a=b"), Ok(()));
        for number in 2..MOST {
            let key: String = [number / 26, number % 26].iter().map(|digit| char::from(b'a' + u8::try_from(*digit).unwrap_or(0))).collect();
            assert_eq!(some.add(&key, "a=b"), Ok(()));
        }
        assert_eq!((some.len(), some.add("z", "x"), some.get("a")), (MOST, Err(QualifierFault::TooMany), Some("a=b")));
    }

    #[test]
    fn every_written_form_is_read_back() {
        let some = Qualifiers::default().with("when", "third trimester").with("note", "a=b|c").with("severity", "major");
        assert_eq!(some.iter().map(|(key, _)| key).collect::<Vec<_>>(), ["note", "severity", "when"]);
        assert_eq!(some.to_string(), "severity: major · when: third trimester · note: a=b|c");
        let columns: Vec<String> = some.columns().collect();
        assert_eq!(Qualifiers::of_columns(columns.iter().map(String::as_str)), Ok(some.clone()));
        assert_eq!(Qualifiers::of_stored(&some.stored()), some);
        let json = serde_json::to_string(&some).expect("JSON");
        assert_eq!(json, r#"{"note":"a=b|c","severity":"major","when":"third trimester"}"#);
        assert_eq!(serde_json::from_str::<Qualifiers>(&json).expect("its own form"), some);
        for bad in [r#"{"Key":"x"}"#, r#"{"a":""}"#, r#"{"a":"x","a":"y"}"#, r#"["a"]"#, r#"{"a":1}"#] {
            assert!(serde_json::from_str::<Qualifiers>(bad).is_err(), "{bad}");
        }
        assert_eq!(Qualifiers::of_stored(""), Qualifiers::default());
    }

    #[test]
    fn what_narrows_a_statement_survives_a_merge_only_if_both_state_it() {
        let of = |columns: &[&str]| Qualifiers::of_columns(columns.iter().copied()).expect("acceptable");
        let mut some = of(&["severity=major", "except=Aspirin|Celecoxib"]);
        some.merge(&of(&["severity=minor", "effect=bleeding", "except=celecoxib"]));
        assert_eq!(some, of(&["severity=major", "effect=bleeding", "except=Celecoxib"]));
        some.merge(&Qualifiers::default());
        assert_eq!(some, of(&["severity=major", "effect=bleeding"]));
        let mut first = of(&["when=first trimester"]);
        first.merge(&of(&["when=third trimester", "route=oral"]));
        assert_eq!(first, of(&["when=first trimester; third trimester"]));
    }
}
