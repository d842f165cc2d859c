//! The drug whose level was measured: "lithium 1.6, tremor, on ramipril" tells that lithium is taken.

use crate::run::{Case, CaseDrug, DrugStatus};

/// What stands behind the drug in the name of such a test.
const LEVEL: &str = " level";

/// Adds the drugs whose level a case tells and that it does not name. `drug_of`: the name in the graph of the drug that is called so.
pub(crate) fn add_drugs_of_levels(case: &mut Case, drug_of: impl Fn(&str) -> Option<String>) {
    let levels = case.results.iter().filter(|result| result.value.is_some_and(|value| value > 0.0));
    let measured = levels.filter_map(|result| Some((drug_of(result.test.strip_suffix(LEVEL)?)?, result.start, result.end)));
    let measured: Vec<(String, usize, usize)> = measured.collect();
    for (entity, start, end) in measured {
        if case.drugs.iter().all(|drug| drug.entity.as_ref() != Some(&entity)) {
            case.drugs.push(CaseDrug {
                text: entity.clone(),
                entity: Some(entity),
                status: DrugStatus::Taken,
                start,
                end,
                ..CaseDrug::default()
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::CaseResult;

    #[test]
    fn a_level_tells_of_its_drug_once() {
        let level = |test: &str| CaseResult { test: test.to_owned(), value: Some(1.6), ..CaseResult::default() };
        let mut case = Case { results: vec![level("lithium level"), level("potassium"), level("lead level")], ..Case::default() };
        let drug_of = |name: &str| (name == "lithium").then(|| "Lithium".to_owned());
        add_drugs_of_levels(&mut case, drug_of);
        add_drugs_of_levels(&mut case, drug_of);
        assert_eq!(case.drugs.iter().map(|drug| drug.entity.as_deref()).collect::<Vec<_>>(), [Some("Lithium")]);
    }
}
