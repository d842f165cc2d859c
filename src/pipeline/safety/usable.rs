//! What is stated to be usual or acceptable: a drug in a state or illness, or with another drug ("paracetamol in pregnancy"). It stands in the entry of the drug or of
//! its class, as attributes `usable_a`, `usable_b` …: the name of the other, a colon and a note; `usable_a_zh` is the note in Chinese, and `usable_a_except` lists the
//! members of either class for which it does not hold.

use crate::graph::{EntityId, EvolvingGraph, classes_of};

/// How the keys begin, and how they end.
const KEY: &str = "usable_";
const CHINESE: &str = "_zh";
const EXCEPT: &str = "_except";

/// A drug that may be used with something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Usable {
    /// The drug.
    pub(crate) drug: EntityId,
    /// The state, illness or drug.
    pub(crate) other: EntityId,
    /// The notes, in English and Chinese.
    pub(crate) notes: [String; 2],
}

/// What is stated of two things in either order, of themselves or by their classes, the nearest first.
pub(super) fn stated_of(graph: &EvolvingGraph, drug: EntityId, other: EntityId) -> Option<Usable> {
    let find = |of: EntityId, with: EntityId| notes(graph, of, with).map(|notes| Usable { drug: of, other: with, notes });
    find(drug, other).or_else(|| find(other, drug))
}

/// The nearest statement decides, also one that excepts either of the two: what is said of a wider class does not hold then.
fn notes(graph: &EvolvingGraph, drug: EntityId, other: EntityId) -> Option<[String; 2]> {
    let of = std::iter::once(drug).chain(classes_of(graph, drug));
    let with: Vec<EntityId> = std::iter::once(other).chain(classes_of(graph, other)).collect();
    let (of, key, english) = of
        .into_iter()
        .find_map(|of| with.iter().find_map(|with| told(graph, of, graph.entity_name(*with)).map(|(key, note)| (of, key, note))))?;
    let attributes = graph.attributes(of);
    let is_excepted = |member: &str| [drug, other].iter().any(|one| graph.entity_name(*one) == member);
    if attributes.list(&format!("{key}{EXCEPT}")).any(is_excepted) {
        return None;
    }
    let chinese = attributes.get(&format!("{key}{CHINESE}")).map_or_else(|| english.clone(), str::to_owned);
    Some([english, chinese])
}

/// What the entry of a drug or class says about something by its name: the key of the attribute, and the note.
fn told(graph: &EvolvingGraph, of: EntityId, name: &str) -> Option<(String, String)> {
    let note = |value: &str| value.strip_prefix(name)?.strip_prefix(':').map(|note| note.trim().to_owned());
    let is_own = |key: &str| key.starts_with(KEY) && !key.ends_with(CHINESE) && !key.ends_with(EXCEPT);
    let attributes = graph.attributes(of);
    attributes.iter().filter(|(key, _)| is_own(key)).find_map(|(key, value)| Some((key.to_owned(), note(value)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{GraphBuilder, Kind, Player, Qualifiers, Relation, Role};

    #[test]
    fn what_is_stated_of_a_class_holds_for_its_members_but_the_excepted() {
        let mut builder = GraphBuilder::new("t");
        let is_a = Relation {
            name: "is_a".into(),
            display: "is a".into(),
            inverse: "includes".into(),
            role: Role::Broader,
            player: Player::Tail,
            guessed: false,
            inherits: false,
        };
        let is_a = builder.relation(is_a).expect("few relations");
        for name in ["Penicillin", "Amoxicillin", "Temocillin", "Pregnancy", "Breastfeeding"] {
            let entity = builder.entity(name);
            builder.describe(entity, Kind::Drug, String::new(), Vec::new());
        }
        let of = |name: &str, builder: &mut GraphBuilder| builder.entity(name);
        let class = of("Penicillin", &mut builder);
        for member in ["Amoxicillin", "Temocillin"] {
            let member = of(member, &mut builder);
            builder.triple(member, is_a, class);
        }
        let stated = Qualifiers::default()
            .with("usable_a", "Pregnancy: long used")
            .with("usable_a_zh", "长期使用")
            .with("usable_a_except", "Temocillin")
            .with("usable_b", "Breast: nothing");
        builder.attribute(class, &stated);
        let graph = EvolvingGraph::new(std::sync::Arc::new(builder.finish()));
        let find = |name: &str| graph.find(name).expect("is there");
        let of = |drug: &str, other: &str| stated_of(&graph, find(drug), find(other)).map(|usable| usable.notes);
        let notes = Some(["long used".to_owned(), "长期使用".to_owned()]);
        assert_eq!(of("Amoxicillin", "Pregnancy"), notes);
        assert_eq!(of("Pregnancy", "Penicillin"), notes, "in either order");
        assert_eq!(of("Temocillin", "Pregnancy"), None);
        assert_eq!(of("Amoxicillin", "Breastfeeding"), None, "a name that begins alike is another");
    }
}
