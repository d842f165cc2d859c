//! Values that mean something else in an illness that the patient has: in an asthma attack, a normal carbon dioxide of somebody who grows drowsy is no good
//! sign. The rules are in `assets/in-context.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::patient::GROWN_UP;
use crate::run::{Case, CaseResult, ConditionStatus, FindingStatus, ResultDirection};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rule: Vec<Rule>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    conditions: Vec<String>,
    test: String,
    directions: Vec<ResultDirection>,
    below: Option<f64>,
    #[serde(default)]
    child: bool,
    #[serde(default)]
    with: Vec<String>,
    #[serde(default)]
    critical: bool,
    becomes: Option<ResultDirection>,
    finding: Option<String>,
    says: Option<String>,
    says_zh: Option<String>,
}

static FILE: LazyLock<File> = LazyLock::new(|| toml::from_str(include_str!("../../../assets/in-context.toml")).unwrap_or_default());

/// Reads the values of a case again in what the patient has. `knows`: whether the graph knows a finding.
pub(crate) fn read_in_context(case: &mut Case, knows: impl Fn(&str) -> bool) {
    let holds: Vec<&Rule> = FILE.rule.iter().filter(|rule| rule.holds(case)).collect();
    for result in &mut case.results {
        let Some(rule) = holds.iter().find(|rule| rule.is_about(result)) else { continue };
        result.critical |= rule.critical;
        result.direction = rule.becomes.unwrap_or(result.direction);
        // What a value that is within its limits rules out, it does not rule out here.
        result.against.clear();
        if let Some(finding) = rule.finding.as_ref().filter(|finding| knows(finding)) {
            result.finding = Some(finding.clone());
        }
    }
}

/// What stands beside a value that the context makes an alarm, in English or Chinese.
pub(crate) fn remark(result: &CaseResult, chinese: bool) -> Option<&'static str> {
    let is_it = |rule: &&Rule| rule.test == result.test && rule.becomes == Some(ResultDirection::Unknown) && rule.says.is_some();
    let rule = FILE.rule.iter().find(is_it).filter(|_| result.critical && result.direction == ResultDirection::Unknown)?;
    if chinese { rule.says_zh.as_deref() } else { rule.says.as_deref() }
}

impl Rule {
    /// Whether the patient has the illness now, is of the age, and shows what goes with it.
    fn holds(&self, case: &Case) -> bool {
        let is_now = ConditionStatus::is_now;
        let is_of = |names: &[String], name: &Option<String>| name.as_ref().is_some_and(|name| names.contains(name));
        let has_it = case.conditions.iter().any(|condition| is_now(condition.status) && is_of(&self.conditions, &condition.entity));
        let is_child = case.patient.age_months.is_some_and(|age| age.to < GROWN_UP);
        let of_complaints = || case.findings.iter().any(|of| of.status == FindingStatus::Present && is_of(&self.with, &of.entity));
        let of_results = || case.results.iter().any(|result| is_of(&self.with, &result.finding));
        has_it && (is_child || !self.child) && (self.with.is_empty() || of_complaints() || of_results())
    }

    fn is_about(&self, result: &CaseResult) -> bool {
        let is_below = self.below.is_none_or(|limit| result.value.is_some_and(|value| value < limit));
        result.test == self.test && self.directions.contains(&result.direction) && is_below
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{CaseCondition, CaseFinding};

    fn case(status: ConditionStatus, complaint: &str, results: &[(&str, f64, ResultDirection)]) -> Case {
        let condition = CaseCondition { entity: Some("Acute asthma attack".into()), status, ..Default::default() };
        let finding = CaseFinding { entity: Some(complaint.into()), status: FindingStatus::Present, ..Default::default() };
        let result = |(test, value, direction): &(&str, f64, ResultDirection)| CaseResult {
            test: (*test).into(),
            value: Some(*value),
            direction: *direction,
            ..CaseResult::default()
        };
        let results = results.iter().map(result).collect();
        Case { conditions: vec![condition], findings: vec![finding], results, ..Case::default() }
    }

    #[test]
    fn the_list_is_valid() {
        let file: File = toml::from_str(include_str!("../../../assets/in-context.toml")).expect("valid");
        assert!(!file.rule.is_empty());
    }

    #[test]
    fn a_normal_value_of_somebody_who_tires_in_an_asthma_attack_is_an_alarm() {
        let values = [("pCO2", 5.2, ResultDirection::Normal), ("respiratory rate", 16.0, ResultDirection::Normal)];
        let mut tires = case(ConditionStatus::Known, "Daytime sleepiness", &values);
        read_in_context(&mut tires, |_| true);
        assert!(tires.results.iter().all(|result| result.critical && result.direction == ResultDirection::Unknown));
        assert!(tires.results.iter().all(|result| remark(result, false).is_some() && remark(result, true).is_some()));
        for (status, complaint) in [(ConditionStatus::Past, "Daytime sleepiness"), (ConditionStatus::Known, "Cough")] {
            let mut other = case(status, complaint, &values);
            read_in_context(&mut other, |_| true);
            assert!(other.results.iter().all(|result| !result.critical && result.direction == ResultDirection::Normal), "{complaint}");
        }
    }

    #[test]
    fn much_carbon_dioxide_in_an_asthma_attack_has_a_name_of_its_own() {
        let mut of = case(ConditionStatus::Known, "Cough", &[("pCO2", 7.5, ResultDirection::High)]);
        read_in_context(&mut of, |_| true);
        let result = of.results.first().expect("a result");
        assert!(result.critical && result.direction == ResultDirection::High);
        assert_eq!(result.finding.as_deref(), Some("Raised carbon dioxide in an asthma attack"));
    }
}
