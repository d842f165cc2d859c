//! Checks a case from a recording: lists and texts are bounded, numbers finite, offsets within the question.

use super::{Case, CaseCorrection};

/// The most items of one list.
const MOST: usize = 500;
/// The longest text of an item, in bytes.
const LONGEST: usize = 2_000;

impl Case {
    /// The case as it can be trusted, and whether anything had to be corrected. `question`: its length in bytes.
    pub(in crate::run) fn checked(&self, question: usize) -> (Self, bool) {
        let mut case = self.clone();
        let mut bad = false;
        macro_rules! bounded {
            ($list:expr) => {
                bad |= $list.len() > MOST;
                $list.truncate(MOST);
            };
        }
        macro_rules! spans {
            ($list:expr) => {
                bounded!($list);
                for item in &mut $list {
                    if item.start > item.end || item.end > question {
                        (item.start, item.end) = (0, 0);
                        bad = true;
                    }
                }
            };
        }
        spans!(case.findings);
        spans!(case.results);
        spans!(case.drugs);
        spans!(case.conditions);
        spans!(case.not_understood);
        bounded!(case.asks);
        bounded!(case.carried_over);
        bounded!(case.offered);
        bounded!(case.patient.allergies);
        for finding in &mut case.findings {
            bad |= cut(&mut finding.text) | cut_some(&mut finding.entity) | finite(&mut finding.days);
        }
        for result in &mut case.results {
            bounded!(result.against);
            bad |= cut(&mut result.test) | cut_some(&mut result.unit) | cut_some(&mut result.finding) | finite(&mut result.value);
            bad |= result.against.iter_mut().fold(false, |bad, entity| cut(entity) | bad);
        }
        for drug in &mut case.drugs {
            bad |= cut(&mut drug.text) | cut_some(&mut drug.entity) | finite(&mut drug.days);
        }
        for condition in &mut case.conditions {
            bad |= cut(&mut condition.text) | cut_some(&mut condition.entity);
        }
        for ask in &mut case.asks {
            bounded!(ask.of);
            bad |= ask.of.iter_mut().fold(false, |bad, entity| cut(entity) | bad);
        }
        for word in &mut case.not_understood {
            bounded!(word.may_mean);
            bad |= cut(&mut word.text);
            bad |= word.may_mean.iter_mut().fold(false, |bad, entity| cut(entity) | bad);
        }
        if let Some(warned) = &mut case.warned_before {
            bounded!(warned.because);
            bad |= cut_some(&mut warned.text) | cut_some(&mut warned.condition);
            bad |= warned.because.iter_mut().fold(false, |bad, reason| cut(&mut reason.text) | cut_some(&mut reason.entity) | bad);
        }
        let lines = case.carried_over.iter_mut().chain(&mut case.offered).chain(&mut case.patient.allergies);
        bad |= lines.fold(false, |bad, text| cut(text) | bad);
        (case, bad)
    }
}

impl CaseCorrection {
    /// Whether a recorded correction is of a size that a doctor can make.
    pub(in crate::run) fn is_sound(&self) -> bool {
        match self {
            Self::Asks { kinds } => kinds.len() <= MOST,
            Self::Words { text } => text.len() <= LONGEST,
            of_item => of_item.item().is_some_and(|item| item.len() <= LONGEST),
        }
    }
}

/// Makes a text one clean line of bounded length; whether it was not.
fn cut(text: &mut String) -> bool {
    let clean = crate::text::sanitise_line(text);
    let end = (0..=LONGEST.min(clean.len())).rev().find(|at| clean.is_char_boundary(*at)).unwrap_or(0);
    let clean = clean.get(..end).unwrap_or_default();
    let changed = clean != text;
    if changed {
        *text = clean.to_owned();
    }
    changed
}

fn cut_some(text: &mut Option<String>) -> bool {
    text.as_mut().is_some_and(cut)
}

fn finite(value: &mut Option<f64>) -> bool {
    let bad = value.is_some_and(|value| !value.is_finite());
    if bad {
        *value = None;
    }
    bad
}
