//! What a line says in clauses, each of several entities: "explains Nausea; more likely with Furosemide". Each entity has proofs of its
//! own, so that only those are named whose proofs are kept.

use crate::graph::{Chain, EntityId};
use crate::pipeline::answer::wording::Wording;

/// Where a clause says how many of its entities are proven.
const COUNT: &str = "{explained}";

/// An entity that a clause names.
#[derive(Debug, Clone)]
pub(crate) struct ClauseItem {
    pub(crate) entity: EntityId,
    /// Its name.
    pub(crate) shown: String,
    /// The chains that state it only together: that a drug is of a class, and what is said of the class.
    pub(crate) proofs: Vec<Chain>,
}

impl ClauseItem {
    fn is_proven(&self, is_kept: &dyn Fn(&Chain) -> bool) -> bool {
        self.proofs.iter().all(is_kept)
    }
}

/// A clause of a line.
#[derive(Debug, Clone)]
pub(crate) struct Clause {
    /// The sentence, with a place for the names or for their count.
    pub(crate) said: String,
    pub(crate) items: Vec<ClauseItem>,
    /// How many more count that the line does not prove one by one.
    pub(crate) beyond: usize,
    /// What is said in its place where all count.
    pub(crate) if_all: Option<String>,
}

impl Clause {
    /// A clause that names its entities.
    pub(super) fn naming(said: &str, items: Vec<ClauseItem>) -> Self {
        Self { said: said.to_owned(), items, beyond: 0, if_all: None }
    }

    /// A clause that names the first of `all` entities, and says how many more there are.
    pub(super) fn naming_first(said: &str, items: Vec<ClauseItem>, all: usize) -> Self {
        let beyond = all.saturating_sub(items.len());
        Self { beyond, ..Self::naming(said, items) }
    }

    fn text(&self, wording: &Wording, is_kept: &dyn Fn(&Chain) -> bool) -> Option<String> {
        let mut proven: Vec<String> = self.items.iter().filter(|item| item.is_proven(is_kept)).map(|item| item.shown.clone()).collect();
        let count = proven.len() + self.beyond;
        let said = self.if_all.as_ref().filter(|_| proven.len() == self.items.len()).unwrap_or(&self.said);
        if said.contains(COUNT) {
            return (count > 0).then(|| wording.fill(said, &proven).replace(COUNT, &count.to_string()));
        }
        // What is counted elsewhere is counted here too, where it is not named.
        if !proven.is_empty() && self.beyond > 0 {
            proven.push(wording.more(self.beyond));
        }
        (!proven.is_empty()).then(|| wording.fill(said, &proven))
    }
}

/// What a line says in clauses.
#[derive(Debug, Clone)]
pub(crate) struct Clauses {
    /// What stands before them.
    pub(crate) opening: String,
    pub(crate) clauses: Vec<Clause>,
    /// What is said where none of them is left.
    pub(crate) otherwise: String,
    pub(crate) wording: &'static Wording,
}

impl Clauses {
    /// The line, of what is proven by chains that `is_kept` accepts.
    pub(crate) fn text(&self, is_kept: &dyn Fn(&Chain) -> bool) -> String {
        let said: Vec<String> = self.clauses.iter().filter_map(|clause| clause.text(self.wording, is_kept)).collect();
        let said = if said.is_empty() { self.otherwise.clone() } else { said.join(self.wording.semicolon()) };
        format!("{}{said}", self.opening)
    }

    /// Whether it would name an entity of which nothing is proven.
    pub(crate) fn leaves_out(&self, entity: EntityId, is_kept: &dyn Fn(&Chain) -> bool) -> bool {
        let mut named = self.clauses.iter().flat_map(|clause| &clause.items).filter(|item| item.entity == entity).peekable();
        named.peek().is_some() && !named.any(|item| item.is_proven(is_kept))
    }

    /// Whether the line rests on a proof: what that states together with others is not left out.
    pub(crate) fn rests_on(&self, proof: &Chain, is_kept: &dyn Fn(&Chain) -> bool) -> bool {
        let mut with_it = self.clauses.iter().flat_map(|clause| &clause.items).filter(|item| item.proofs.contains(proof)).peekable();
        with_it.peek().is_none() || with_it.any(|item| item.is_proven(is_kept))
    }

    /// The chains that prove it, clause by clause.
    pub(super) fn proofs(&self) -> Vec<Chain> {
        self.clauses.iter().flat_map(|clause| &clause.items).flat_map(|item| item.proofs.iter().copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proof(to: u32) -> Chain {
        let mut chain = Chain::start(0);
        chain.push(0, true, to);
        chain
    }

    #[test]
    fn only_what_is_proven_is_named_and_counted() {
        let wording = Wording::for_text("x");
        let item = |to: u32, proofs: &[u32]| ClauseItem {
            entity: EntityId(to),
            shown: format!("E{to}"),
            proofs: proofs.iter().map(|to| proof(*to)).collect(),
        };
        let reasons = Clause::naming("with {names}", vec![item(1, &[1]), item(2, &[2, 3])]);
        let if_all = Some("{explained} of 3, but not E7".into());
        let counted = Clause { said: "{explained} of 3".into(), items: vec![item(4, &[4])], beyond: 1, if_all };
        let line = Clauses { opening: "A: ".into(), clauses: vec![reasons, counted], otherwise: "asked about".into(), wording };
        let text = |gone: &[u32]| line.text(&|kept: &Chain| !gone.iter().any(|to| proof(*to) == *kept));
        assert_eq!(text(&[]), "A: with E1 and E2; 2 of 3, but not E7");
        assert_eq!(text(&[1, 4]), "A: with E2; 1 of 3");
        assert_eq!(text(&[3]), "A: with E1; 2 of 3, but not E7", "of two chains that state it together one is gone");
        assert_eq!(text(&[1, 2]), "A: 2 of 3, but not E7");
        let without = |kept: &Chain| *kept != proof(3);
        assert!(!line.rests_on(&proof(2), &without) && line.rests_on(&proof(1), &without), "one of two chains alone proves nothing");
        assert!(line.leaves_out(EntityId(2), &without) && !line.leaves_out(EntityId(9), &|_: &Chain| false));
        let named = Clauses { clauses: line.clauses[..1].to_vec(), ..line.clone() };
        assert_eq!(named.text(&|_: &Chain| false), "A: asked about");
        let first = Clause::naming_first("with {names}", vec![item(1, &[1]), item(2, &[2])], 5);
        let first = Clauses { clauses: vec![first], ..line.clone() };
        assert_eq!(first.text(&|_: &Chain| true), "A: with E1, E2 and 3 more");
        assert_eq!(first.text(&|_: &Chain| false), "A: asked about", "more than nothing is not said");
    }
}
