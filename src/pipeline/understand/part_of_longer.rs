//! Names that only repeat a part of what a longer finding says that is read already: "waking at night" in "wakes up gasping at night".

use crate::graph::{EvolvingGraph, Kind};
use crate::language::recognise::{NameMention, REORDERED};
use crate::text::{StopWords, Token, tokenise};

/// Leaves out names with words in another order that share words with a finding in lay words, where its own name says all their other words.
pub(super) fn leave_out_parts(graph: &EvolvingGraph, tokens: &[Token], names: &mut Vec<NameMention>) {
    let is_finding = |name: &&NameMention| {
        name.recogniser != REORDERED && name.entities.iter().any(|(entity, _)| matches!(graph.kind(*entity), Kind::Symptom))
    };
    let longer: Vec<(std::ops::Range<usize>, Vec<String>)> = names
        .iter()
        .filter(is_finding)
        .map(|name| {
            let says = name.entities.iter().flat_map(|(entity, _)| tokenise(graph.entity_name(*entity))).map(|token| token.text);
            (name.span.first..name.span.last, says.collect())
        })
        .collect();
    let stop = StopWords::built_in();
    names.retain(|name| {
        let span = name.span.first..name.span.last;
        let is_part = |(other, says): &(std::ops::Range<usize>, Vec<String>)| {
            let shares = span.clone().any(|at| other.contains(&at));
            let is_said = |at: usize| {
                let token = tokens.get(at);
                other.contains(&at) || token.is_some_and(|token| !token.cjk && (stop.contains(&token.text) || says.contains(&token.text)))
            };
            shares && span.len() > other.len() && span.clone().all(is_said)
        };
        name.recogniser != REORDERED || !longer.iter().any(is_part)
    });
}

#[cfg(test)]
mod tests {
    use super::super::tests::read;
    use crate::run::FindingStatus;

    #[test]
    fn what_a_longer_finding_says_already_is_no_second_one() {
        let found = |text: &str| -> Vec<String> {
            let case = read(text);
            let present = case.findings.iter().filter(|finding| finding.status == FindingStatus::Present);
            present.filter_map(|finding| finding.entity.clone()).collect()
        };
        assert_eq!(found("Man 70 wakes up gasping at night"), ["Waking breathless at night"]);
        assert!(found("Night sweats and waking at night").contains(&"Sleep disturbance".to_owned()));
        assert!(found("Man 70, back pain, worse at night, cannot sleep").len() > 1);
    }

    #[test]
    fn what_the_body_does_is_no_change_of_it() {
        let found = |text: &str| read(text).findings.iter().filter_map(|finding| finding.entity.clone()).collect::<Vec<_>>();
        assert_eq!(found("80岁女性，小便有味道"), ["Cloudy smelly urine"]);
        assert!(!found("小便正常").contains(&"Frequent urination".to_owned()));
        assert!(found("小便多").contains(&"Frequent urination".to_owned()));
    }
}
