//! Typed corrections of the case. Words that replace an item are read as an item of the same kind. Words that Catena cannot read are refused.

use crate::language::lab::{self, Measured};
use crate::pipeline::understand::patient::Patient;
use crate::run::{Case, CaseCorrection, CaseItem, CaseItemKind, CasePatient};
use crate::text::{sanitise_line, tokenise};
use crate::tui::app::{App, Overlay, Severity};
use crate::tui::case_sheet::CaseSheet;
use crate::tui::effects::Effect;
use crate::tui::picker::{Picker, PickerKind};
use crate::words::{Language, words};

impl App {
    /// Asks for the typed words to be read before they join the list. The name of a test alone is no value: it changes nothing and leads back to the
    /// list.
    pub(super) fn read_case_words(&mut self) {
        let Some(Overlay::Picker(picker)) = &mut self.sheets.overlay else { return };
        let typed = picker.line.text().trim();
        let begun = picker.below.as_ref().map(|sheet| sheet.begin_words().1).unwrap_or_default();
        if typed.is_empty() || (picker.offer == PickerKind::CaseWords && begun.trim() == typed) {
            if let Some(sheet) = picker.below.take() {
                self.sheets.overlay = Some(Overlay::Case(sheet));
            }
            return;
        }
        picker.awaited = true;
        let text = meant(picker);
        self.effects.retain(|effect| !matches!(effect, Effect::ReadWords(_)));
        self.effects.push_back(Effect::ReadWords(text));
    }

    /// Adds the words to the list when they have been read, or says why not.
    pub(super) fn take_case_words(&mut self, text: &str, told: Option<&Case>) {
        let l = self.language;
        let Some(Overlay::Picker(picker)) = &mut self.sheets.overlay else { return };
        // Something else is typed by now.
        if !matches!(picker.offer, PickerKind::CaseWords | PickerKind::CaseItems) || meant(picker) != text {
            return;
        }
        picker.awaited = false;
        let item = replaced(picker).cloned();
        if told.is_some_and(|told| !is_read(told, text, item.as_ref())) {
            picker.refused = Some(refusal(picker.line.text().trim(), item.as_ref(), l));
        } else if let Some(mut sheet) = picker.below.take() {
            sheet.add_words(text);
            self.sheets.overlay = Some(Overlay::Case(sheet));
        }
    }

    /// Returns the typed corrections that could not be read when the case was last read, and removes the warnings about them.
    pub(super) fn drop_unread_words(&mut self) -> Vec<String> {
        let Some(settled) = self.run.decisions.settled.clone() else { return Vec::new() };
        let words = settled.triage.case.iter().filter_map(CaseCorrection::words);
        let unread: Vec<String> =
            words.filter(|text| settled.warnings.contains(&CaseCorrection::unread(text))).map(str::to_owned).collect();
        let warnings: Vec<String> = unread.iter().map(|text| CaseCorrection::unread(text)).collect();
        self.sheets.messages.retain(|message| message.severity != Severity::Warning || !warnings.contains(&message.text));
        unread
    }
}

/// The item that the typed words replace.
fn replaced(picker: &Picker) -> Option<&CaseItem> {
    let sheet: &CaseSheet = picker.below.as_deref().filter(|_| picker.offer == PickerKind::CaseWords)?;
    sheet.rows.get(sheet.at.selected).map(|row| &row.item)
}

/// The typed words, read as a replacement of the selected item.
fn meant(picker: &Picker) -> String {
    let typed = picker.line.text().trim();
    let chinese = picker.below.as_ref().is_some_and(|sheet| sheet.chinese);
    match replaced(picker) {
        Some(item) => meant_for(typed, item, chinese),
        None => typed.to_owned(),
    }
}

/// What the typed words will do, as far as they can be read while they are typed: they replace what they are about, which need not be the selected item.
pub(super) fn what_follows(picker: &Picker, l: Language) -> String {
    let neutral = || words!(l, "use these words as a correction").to_owned();
    let (Some(sheet), Some(item)) = (picker.below.as_deref(), replaced(picker)) else { return neutral() };
    let (text, before) = (meant(picker), picker.instead_of.as_str());
    if before.is_empty() {
        return neutral();
    }
    let row = |is_meant: &dyn Fn(&CaseItem) -> bool| sheet.rows.iter().map(|row| &row.item).find(|item| is_meant(item));
    let measured = lab::results(&text, &tokenise(&text));
    let tests: Vec<&str> = measured.iter().map(Measured::test).collect();
    let is_result = |item: &CaseItem, test: &str| item.kind == CaseItemKind::Result && item.name == test;
    let is_of_item = match item.kind {
        CaseItemKind::Result => tests.contains(&item.name.as_str()) || (tests.is_empty() && begins_with(&text, &item.name)),
        _ => tells_of_patient(&text),
    };
    if is_of_item {
        return words!(l, "replaces: {before}", before = before);
    }
    let other = tests.first().and_then(|test| row(&|item| is_result(item, test)));
    let other = other.or_else(|| row(&|item| item.kind == CaseItemKind::Patient && tells_of_patient(&text)));
    match (other, tests.first()) {
        (Some(other), _) => words!(l, "replaces: {other}; {before} stays", other = sanitise_line(&other.text), before = before),
        (None, Some(test)) => {
            let name = lab::chinese_name(test).filter(|_| sheet.chinese).unwrap_or(test);
            words!(l, "adds: {other}; {before} stays", other = name, before = before)
        }
        (None, None) => neutral(),
    }
}

/// What is typed behind the name of a test, if that is the result of another.
fn other_test<'a>(typed: &'a str, name: &str) -> Option<&'a str> {
    let rest = typed.get(name.len()..).filter(|_| begins_with(typed, name))?.trim();
    let measured = lab::results(rest, &tokenise(rest));
    measured.first().filter(|other| other.name.first == 0 && other.test() != name).map(|_| rest)
}

/// Whether words begin with the name of a test, which need not be followed by a value yet.
fn begins_with(text: &str, name: &str) -> bool {
    text.to_lowercase().starts_with(&name.to_lowercase())
}

/// Completes words that replace an item: a bare number is an age, or a value of the same test in the same unit.
fn meant_for(typed: &str, item: &CaseItem, chinese: bool) -> String {
    match item.kind {
        CaseItemKind::Patient => match bare_age(typed).filter(|_| !tells_other_times(&item.text)) {
            Some(years) if chinese => format!("{years}岁"),
            Some(years) => format!("aged {years}"),
            None => typed.to_owned(),
        },
        CaseItemKind::Result => {
            // The name is written already: who types that of another test behind it means the other.
            if let Some(other) = other_test(typed, &item.name) {
                return other.to_owned();
            }
            let is_named = begins_with(typed, &item.name);
            let value = typed.trim_start_matches(['<', '>', '≤', '≥', '=', ' ']);
            let is_value = !is_named && value.starts_with(|c: char| c.is_ascii_digit());
            // Another test has another unit.
            match (is_value, is_named) {
                (true, _) => with_unit(&format!("{} {typed}", item.name), &item.text),
                (_, true) => with_unit(typed, &item.text),
                _ => typed.to_owned(),
            }
        }
        _ => typed.to_owned(),
    }
}

/// Words for years after a number.
const YEARS: [&str; 10] = ["", "y", "yo", "y/o", "yr", "yrs", "year", "years", "years old", "岁"];

/// The number of years, if nothing else is typed.
fn bare_age(typed: &str) -> Option<&str> {
    let years = typed.get(..typed.find(|c: char| !c.is_ascii_digit()).unwrap_or(typed.len()))?;
    let unit = typed.get(years.len()..)?.trim().to_lowercase();
    let unit = unit.trim_end_matches('.');
    (!years.is_empty() && YEARS.contains(&unit)).then_some(years)
}

/// Whether the patient is described in units other than years (a child in months, a pregnancy in weeks): a bare number could then mean any of these.
fn tells_other_times(patient: &str) -> bool {
    let text = patient.to_lowercase();
    ["month", "week", "day", "月", "周", "天", "日"].iter().any(|unit| text.contains(unit))
}

/// Whether words say something about the patient. Words that name a test must state a value or a finding.
fn is_read(told: &Case, text: &str, item: Option<&CaseItem>) -> bool {
    let names_test = item.is_some_and(|item| item.kind == CaseItemKind::Result && begins_with(text, &item.name));
    told.is_understood() || (!names_test && told.patient != CasePatient::default())
}

/// Says why the words are refused, and gives an example of words that can be read.
fn refusal(typed: &str, item: Option<&CaseItem>, l: Language) -> String {
    let typed = sanitise_line(typed);
    match item.map(|item| (item.kind, item)) {
        Some((CaseItemKind::Patient, _)) => words!(
            l,
            "Catena does not understand “{typed}” as an age or another detail of the patient. For example, type: 54 years, or 20 weeks pregnant.",
            typed = typed
        ),
        Some((CaseItemKind::Result, item)) => {
            // As it was read, without what Catena says of it.
            let before = item.text.split(['(', '（']).next().unwrap_or_default().trim();
            words!(
                l,
                "Catena does not understand “{typed}” as a result of {test}. For example, type: {before}.",
                typed = typed,
                test = sanitise_line(&item.name),
                before = sanitise_line(before)
            )
        }
        _ => {
            words!(l, "Catena does not understand “{typed}” as a correction. For example, type: potassium 6.1, or aged 34.", typed = typed)
        }
    }
}

/// Whether words state an age, a sex or a pregnancy.
pub(crate) fn tells_of_patient(text: &str) -> bool {
    let patient = Patient::of(&tokenise(text));
    patient.age.is_some() || patient.sex.is_some() || patient.pregnant.is_some()
}

/// A value typed without a unit has the unit of the value that it replaces, if that was stated: "TSH 9.5" instead of "TSH 18 mU/L (high)".
fn with_unit(text: &str, before: &str) -> String {
    let is_assumed = before.contains("unit assumed") || before.contains("单位为推定");
    let mut words = before.split([' ', '（']).take_while(|word| !word.starts_with('('));
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let unit = words.find(|word| is_number(word)).and_then(|_| words.next());
    let unit = unit.filter(|unit| !is_assumed && !is_number(unit) && text.ends_with(|c: char| c.is_ascii_digit()));
    unit.map_or_else(|| text.to_owned(), |unit| format!("{text} {unit}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_without_a_unit_has_that_of_the_value_before() {
        for (text, before, expected) in [
            ("TSH 9.5", "TSH 18 mU/L (high)", "TSH 9.5 mU/L"),
            ("TSH 9.5 mIU/L", "TSH 18 mU/L (high)", "TSH 9.5 mIU/L"),
            ("potassium 6", "potassium 5.6 mmol/L (high; unit assumed)", "potassium 6"),
            ("pulse 50", "pulse 42 (low)", "pulse 50"),
            ("血糖 9", "血糖 13 mmol/L（高）", "血糖 9 mmol/L"),
            ("fever", "no fever", "fever"),
        ] {
            assert_eq!(with_unit(text, before), expected);
        }
    }
    #[test]
    fn a_bare_number_is_what_it_replaces() {
        let item = |kind, name: &str, text: &str| CaseItem { kind, name: name.into(), text: text.into() };
        let patient = |text: &str| item(CaseItemKind::Patient, "patient", text);
        let potassium = item(CaseItemKind::Result, "potassium", "potassium 5.6 mmol/L (high)");
        for (typed, item, expected) in [
            ("54", patient("woman, 45"), "aged 54"),
            ("54 years", patient("woman, 45"), "aged 54"),
            ("54 y/o", patient("woman, 45"), "aged 54"),
            ("54岁", patient("woman, 45"), "aged 54"),
            ("20 weeks pregnant", patient("woman, 45"), "20 weeks pregnant"),
            // Months or years?
            ("5", patient("boy, 3 months"), "5"),
            ("20", patient("woman, 30, 12 weeks pregnant"), "20"),
            ("6.1", potassium.clone(), "potassium 6.1 mmol/L"),
            ("6.1 mEq/L", potassium.clone(), "potassium 6.1 mEq/L"),
            ("> 6", potassium.clone(), "potassium > 6 mmol/L"),
            ("potassium 6.1", potassium.clone(), "potassium 6.1 mmol/L"),
            ("glucose 5", potassium.clone(), "glucose 5"),
            ("fever", potassium, "fever"),
        ] {
            assert_eq!(meant_for(typed, &item, false), expected, "{typed} for {}", item.text);
        }
        assert_eq!(meant_for("54", &patient("女性，45岁"), true), "54岁");
        for text in ["aged 54", "54岁", "male", "20 weeks pregnant"] {
            assert!(tells_of_patient(text), "{text}");
        }
        for text in ["potassium 6.1 mmol/L", "54", "gout"] {
            assert!(!tells_of_patient(text), "{text}");
        }
    }
}
