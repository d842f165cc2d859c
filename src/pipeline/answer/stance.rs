//! The stance of a hypothesis towards the entities that it names: whether it proposes them or advises against them.
//!
//! A clause with a word of negation or warning denies what it names. This is coarse but sufficient: a denial counts only if the
//! evidence says the opposite.

use std::collections::HashSet;

use crate::graph::{EntityId, EvolvingGraph};
use crate::language::recognise::Reading;
use crate::run::event::MentionOrigin;
use crate::text::{StopWords, fold};

/// Words (folded) that deny or warn, in English …
const DENIES: [&str; 27] = [
    "not",
    "no",
    "never",
    "avoid",
    "avoided",
    "avoiding",
    "cannot",
    "cant",
    "dont",
    "doesnt",
    "shouldnt",
    "wont",
    "isnt",
    "arent",
    "without",
    "contraindicated",
    "contraindication",
    "ineffective",
    "unsuitable",
    "inadvisable",
    "harmful",
    "careful",
    "caution",
    "discontinue",
    "unnecessary",
    "neither",
    "nor",
];
/// … and in Chinese.
const DENIES_CHINESE: [&str; 14] =
    ["不", "避免", "禁用", "禁忌", "忌用", "勿", "无效", "停用", "慎用", "无需", "注意", "没有必要", "不能", "禁止"];
/// What begins a new clause, besides punctuation.
const TURNS: [&str; 9] = [" but ", " however ", " whereas ", " instead ", " while ", "但", "而应", "反而", "不过"];

/// The entities that a text names, and whether each is denied in every clause that names it.
#[derive(Debug, Default)]
pub(crate) struct Stance {
    /// Named at least once without denial.
    pub(crate) proposed: HashSet<EntityId>,
    /// Denied wherever they are named.
    pub(crate) denied: HashSet<EntityId>,
}

impl Stance {
    /// Reads a text.
    pub(crate) fn of(graph: &EvolvingGraph, text: &str) -> Self {
        let mut stance = Self::default();
        for clause in clauses(text) {
            let mut reading = Reading::of(clause, 0, MentionOrigin::Hypothesis, StopWords::built_in());
            let named = reading.names(graph.names());
            let side = if denies(clause) { &mut stance.denied } else { &mut stance.proposed };
            side.extend(named.iter().flat_map(|name| name.entities.iter().map(|(entity, _)| *entity)));
        }
        let proposed = &stance.proposed;
        stance.denied.retain(|entity| !proposed.contains(entity));
        stance
    }
}

/// Whether a clause has a word of negation or warning.
pub(crate) fn denies(clause: &str) -> bool {
    let words = fold(clause);
    words.split(' ').any(|word| DENIES.contains(&word)) || DENIES_CHINESE.iter().any(|word| clause.contains(word))
}

/// Splits a text into clauses, at punctuation (but not at the commas of a list) and at words that change the thought.
fn clauses(text: &str) -> impl Iterator<Item = &str> {
    text.split(['.', ';', ':', '!', '?', '\n', '。', '；', '：', '！', '？', '（', '(', ')', '）']).flat_map(|sentence| {
        let mut cuts: Vec<usize> = TURNS.iter().flat_map(|turn| sentence.match_indices(turn).map(|(at, _)| at)).collect();
        cuts.sort_unstable();
        cuts.push(sentence.len());
        let mut from = 0;
        cuts.into_iter().map(move |cut| &sentence[std::mem::replace(&mut from, cut)..cut]).collect::<Vec<_>>()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{GraphBuilder, RoleRules};

    #[test]
    fn what_is_advised_against_is_told_from_what_is_proposed() {
        let mut builder = GraphBuilder::new("g");
        let rules = RoleRules::built_in().expect("rules");
        let treats = builder.relation(rules.guess("treats")).expect("room");
        let names = ["Calcium carbonate", "Omeprazole", "Ranitidine", "Reflux", "铝碳酸镁"];
        let ids: Vec<u32> = names.iter().map(|name| builder.entity(name)).collect();
        for id in [0, 1, 2, 4] {
            builder.triple(ids[id], treats, ids[3]);
        }
        let graph = EvolvingGraph::new(std::sync::Arc::new(builder.finish()));
        let of = |text: &str| {
            let stance = Stance::of(&graph, text);
            let mut names: Vec<&str> = stance.denied.iter().map(|entity| graph.entity_name(*entity)).collect();
            names.sort_unstable();
            names.join(", ")
        };
        assert_eq!(of("Use omeprazole. It is not recommended to take calcium carbonate or ranitidine."), "Calcium carbonate, Ranitidine");
        assert_eq!(of("Do not take calcium carbonate but omeprazole."), "Calcium carbonate");
        assert_eq!(of("Omeprazole is usual. Omeprazole should be avoided by some."), "");
        assert_eq!(of("Reflux may be treated with ranitidine."), "");
        assert_eq!(of("不建议使用铝碳酸镁。"), "铝碳酸镁");
    }
}
