//! Kin who are the patient: a result, and then what a relative has now. "Sodium 148, dad won't wake up properly" tells of nobody but dad.

use crate::run::{Case, FindingStatus};
use crate::text::Token;

/// Words of who speaks of himself, or of a patient beside the kin.
const OTHERS: [&str; 12] = ["i", "im", "ive", "my", "me", "he", "she", "his", "her", "patient", "我", "患"];

/// Takes the complaints of a relative for the patient's, where results are told of nobody else. `is_complaint`: whether a name is that of a complaint, and
/// not of an illness, which may run in a family.
pub(crate) fn take_kin_for_patient(case: &mut Case, tokens: &[Token], is_complaint: impl Fn(&str) -> bool) {
    let is_other = tokens.iter().any(|token| OTHERS.contains(&token.text.as_str()));
    let is_described = case.patient.age_months.is_some() || !case.conditions.is_empty();
    let tells_of_own = case.findings.iter().any(|finding| finding.status == FindingStatus::Present);
    if case.results.is_empty() || is_other || is_described || tells_of_own {
        return;
    }
    for finding in case.findings.iter_mut().filter(|finding| finding.status == FindingStatus::FamilyHistory) {
        if finding.entity.as_deref().is_some_and(&is_complaint) {
            finding.status = FindingStatus::Present;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{CaseFinding, CaseResult};
    use crate::text::tokenise;

    #[test]
    fn a_result_and_what_kin_have_now_are_of_one_patient() {
        let status = |text: &str, of: &str| {
            let finding = CaseFinding { entity: Some(of.to_owned()), status: FindingStatus::FamilyHistory, ..CaseFinding::default() };
            let mut case = Case { findings: vec![finding], results: vec![CaseResult::default()], ..Case::default() };
            take_kin_for_patient(&mut case, &tokenise(text), |name| name == "Confusion");
            case.findings.first().map(|finding| finding.status)
        };
        assert_eq!(status("Sodium 148, dad won't wake up properly", "Confusion"), Some(FindingStatus::Present));
        assert_eq!(status("My sodium is 148, dad is confused", "Confusion"), Some(FindingStatus::FamilyHistory));
        assert_eq!(status("TSH 60, mum hypothyroid", "Hypothyroidism"), Some(FindingStatus::FamilyHistory));
    }
}
