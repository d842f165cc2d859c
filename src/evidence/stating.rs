//! Finds the sentences that state what a statement of the graph states: both entities are named, under a heading with a matching label, in a
//! document about the right one of them, and no phrase takes it back. The rules are `assets/passages.toml`.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use super::collection::Collection;
use super::label::Label;
use super::names::{forms, key};
use super::passage::{unhandy, unhandy_list};
use crate::graph::Role;
use crate::text::{fold, tokenise};

/// The most pieces of evidence of a topic that are looked through.
const MOST_EVIDENCE: usize = 4000;

/// The end of a statement that a document must be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum About {
    Owner,
    Player,
    Either,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    label: String,
    about: About,
    #[serde(default)]
    needs: Vec<String>,
    /// What the heading itself names, so that the sentence need not.
    #[serde(default)]
    stands_for: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    roles: Vec<Role>,
    labels: Vec<Place>,
    denies: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    role: Vec<Entry>,
}

static ENTRIES: LazyLock<Vec<Entry>> =
    LazyLock::new(|| toml::from_str::<File>(include_str!("../../assets/passages.toml")).unwrap_or_default().role);
static BY_ROLE: LazyLock<HashMap<Role, &'static Entry>> =
    LazyLock::new(|| ENTRIES.iter().flat_map(|entry| entry.roles.iter().map(move |role| (*role, entry))).collect());

/// A statement that a passage is sought for. Each end is a list: the names of the entity itself, then those of what it is a kind of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sought {
    /// What the player is to the owner.
    pub role: Role,
    /// The owner: of a treatment the condition, of an interaction, contraindication or side effect the drug.
    pub owner: Vec<Vec<String>>,
    /// The player.
    pub player: Vec<Vec<String>>,
}

/// A sentence that states what was sought. The smaller the rank, the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stating {
    /// The place of its label in the list; how far the named kind is from the entity; whether the document is about neither; whether it
    /// leaves its subject unnamed; how unhandy its length is.
    rank: (usize, usize, bool, bool, u8),
    /// The piece of evidence.
    pub(super) evidence: u32,
}

/// The text as folded words between blanks, for looking up phrases that begin at the beginning of a word.
fn worded(text: &str) -> String {
    let mut words = String::from(" ");
    for token in tokenise(text) {
        words.push_str(&token.text);
        words.push(' ');
    }
    words
}

fn holds(words: &str, phrases: &[String]) -> bool {
    phrases
        .iter()
        .any(|phrase| words.match_indices(phrase.as_str()).any(|(at, _)| words.get(..at).is_some_and(|before| before.ends_with(' '))))
}

/// Whether a sentence takes back what a statement of this role says.
pub fn takes_back(role: Role, sentence: &str) -> bool {
    BY_ROLE.get(&role).is_some_and(|entry| holds(&worded(sentence), &entry.denies))
}

/// Whether a phrase that takes a statement back denies it: others only make it less sure.
fn denies_outright(phrase: &str) -> bool {
    let begins = ["no ", "not ", "did not", "does not", "do not", "should not", "contraindicated", "ineffective", "unaffected"];
    begins.iter().any(|begin| phrase.starts_with(begin))
}

/// A statement that a sentence makes, by its ends: the number of each in the list of candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Made {
    pub(super) role: Role,
    /// Whether the document's subject is the owner; else the player.
    pub(super) subject_owns: bool,
}

/// What a sentence under a label states of its document's subject and something else that it names: the roles whose rules it meets.
pub(super) fn statements_of(label: Label, sentence: &str) -> Vec<Made> {
    if unhandy(sentence).is_none() {
        return Vec::new();
    }
    let words = worded(sentence);
    let mut made = Vec::new();
    for entry in ENTRIES.iter() {
        let Some(role) = entry.roles.first() else { continue };
        let places = entry.labels.iter().filter(|place| Label::parse(&place.label) == Some(label));
        for place in places.filter(|place| !holds(&words, &entry.denies) && (place.needs.is_empty() || holds(&words, &place.needs))) {
            made.push(Made { role: *role, subject_owns: place.about != About::Player });
        }
    }
    made.sort_unstable();
    made.dedup();
    made
}

/// Hears of evidence: its number, whether its document is about the subject and about nothing that the graph knows, whether it names the
/// subject, and its text.
type Teller<'a> = &'a mut dyn FnMut(u32, (bool, bool), bool, &str);

impl Stating {
    /// Whether it states it better than one of another collection.
    pub(super) fn is_better_than(&self, other: &Self) -> bool {
        self.rank < other.rank
    }
}

impl Collection {
    /// The entities of a name.
    pub(super) fn entities_named(&self, name: &str) -> impl Iterator<Item = u32> + use<'_> {
        let keys: Vec<String> = forms(name).into_iter().filter_map(key).collect();
        keys.into_iter().flat_map(move |key| self.of_key(&key))
    }

    /// The entities that a text names, word for word.
    pub(super) fn names_in(&self, text: &str) -> BTreeSet<u32> {
        let tokens = tokenise(text);
        let mut named = BTreeSet::new();
        let mut at = 0;
        while at < tokens.len() {
            match self.longest_name(&tokens, at) {
                Some((last, entities)) => {
                    named.extend(entities);
                    at = last.max(at + 1);
                }
                None => at += 1,
            }
        }
        named
    }

    /// The evidence of an entity under a label, in order.
    fn topic(&self, entity: u32, label: Label) -> Cow<'_, [u32]> {
        self.topic_of(entity, label).map_or(Cow::Borrowed(&[]), |topic| self.evidence_of_topic(topic))
    }

    /// The sentences that state what is sought, the best first, at most `most`.
    pub(super) fn stating(&self, sought: &Sought, most: usize) -> Vec<Stating> {
        self.seek(sought, most, &|entry, place, words| {
            !holds(words, &entry.denies) && (place.needs.is_empty() || holds(words, &place.needs))
        })
    }

    /// The sentences that stand where what is sought would be stated, and deny it, the best first, at most `most`.
    pub(super) fn denying(&self, sought: &Sought, most: usize) -> Vec<Stating> {
        self.seek(sought, most, &|entry, _, words| {
            let phrases: Vec<String> = entry.denies.iter().filter(|phrase| denies_outright(phrase)).cloned().collect();
            holds(words, &phrases)
        })
    }

    fn seek(&self, sought: &Sought, most: usize, accepts: &dyn Fn(&Entry, &Place, &str) -> bool) -> Vec<Stating> {
        let Some(entry) = BY_ROLE.get(&sought.role) else { return Vec::new() };
        let numbers = |end: &[Vec<String>]| -> Vec<(usize, u32)> {
            let mut found: Vec<(usize, u32)> = Vec::new();
            for (depth, entity) in end.iter().enumerate().flat_map(|(depth, names)| names.iter().map(move |name| (depth, name))) {
                for number in self.entities_named(entity) {
                    if !found.iter().any(|(_, known)| *known == number) {
                        found.push((depth, number));
                    }
                }
            }
            found
        };
        let (owner, player) = (numbers(&sought.owner), numbers(&sought.player));
        let mut found: Vec<Stating> = Vec::new();
        for (order, place) in entry.labels.iter().enumerate() {
            let Some(label) = Label::parse(&place.label) else { continue };
            let named_by_heading = sought.player.iter().flatten().any(|name| place.stands_for.contains(&fold(name)));
            if named_by_heading {
                self.under_heading(&owner, label, &mut |evidence, names_subject, text| {
                    let words = worded(text);
                    if accepts(entry, place, &words) {
                        found.extend(
                            self.unhandy(sought.role, evidence, text)
                                .map(|unhandy| Stating { rank: (order, 0, false, !names_subject, unhandy), evidence }),
                        );
                    }
                });
            }
            let both = [(About::Owner, &owner, &player), (About::Player, &player, &owner)];
            for (_, subjects, others) in both.into_iter().filter(|(about, ..)| place.about == About::Either || place.about == *about) {
                for (_, subject) in subjects.iter().filter(|(depth, _)| *depth == 0) {
                    for (depth, other) in others.iter().filter(|(_, other)| other != subject) {
                        self.pair(*subject, *other, label, &mut |evidence, (is_subject, is_general), names_subject, text| {
                            // In a document that is about nothing in particular, such as a guideline, both themselves must be named.
                            if !is_subject && (*depth > 0 || !names_subject || !is_general) {
                                return;
                            }
                            let words = worded(text);
                            if !accepts(entry, place, &words) {
                                return;
                            }
                            let Some(unhandy) = self.unhandy(sought.role, evidence, text) else { return };
                            found.push(Stating { rank: (order, *depth, !is_subject, !names_subject, unhandy), evidence });
                        });
                    }
                }
            }
        }
        found.sort_unstable();
        let mut seen = BTreeSet::new();
        found.retain(|one| seen.insert(one.evidence));
        found.truncate(most);
        found
    }

    /// How unhandy a piece of evidence is. Labels list what interacts and what is caused; elsewhere a long list says too little of each.
    fn unhandy(&self, role: Role, evidence: u32, text: &str) -> Option<u8> {
        if !matches!(role, Role::Interaction | Role::AdverseEffect) {
            return unhandy(text);
        }
        let row = self.piece(evidence)?;
        unhandy_list(self.section(row.section)?.text, row.start as usize..row.end as usize)
    }

    /// The evidence under a label in documents about one of these. Told: the evidence, whether it names its subject, and the text.
    fn under_heading(&self, subjects: &[(usize, u32)], label: Label, tell: &mut dyn FnMut(u32, bool, &str)) {
        for (_, subject) in subjects.iter().filter(|(depth, _)| *depth == 0) {
            for evidence in self.topic(*subject, label).iter().take(MOST_EVIDENCE) {
                let Some(row) = self.piece(*evidence) else { continue };
                let Some(section) = self.section(row.section) else { continue };
                let text = section.text.get(row.start as usize..row.end as usize);
                if let Some(text) = text.filter(|_| self.subjects_of(row.section).contains(subject)) {
                    tell(*evidence, self.names_in(text).contains(subject), text);
                }
            }
        }
    }

    /// The evidence under a label that mentions both and names the other word for word. Told: the evidence, whether its document is about the
    /// subject, and whether about nothing that the graph knows, whether it names the subject, and the text.
    fn pair(&self, subject: u32, other: u32, label: Label, tell: Teller<'_>) {
        let (of_subject, of_other) = (self.topic(subject, label), self.topic(other, label));
        for evidence in of_other.iter().take(MOST_EVIDENCE).filter(|evidence| of_subject.binary_search(evidence).is_ok()) {
            let Some(row) = self.piece(*evidence) else { continue };
            let Some(section) = self.section(row.section) else { continue };
            let Some(text) = section.text.get(row.start as usize..row.end as usize) else { continue };
            let named = self.names_in(text);
            if named.contains(&other) {
                let subjects = self.subjects_of(row.section);
                let is_general = subjects.iter().all(|subject| self.entity_kind(*subject).is_empty());
                tell(*evidence, (subjects.contains(&subject), is_general), named.contains(&subject), text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Document, Section};
    use crate::graph::starter_graph;

    #[test]
    fn the_rules_are_whole() {
        let file: File = toml::from_str(include_str!("../../assets/passages.toml")).expect("valid");
        for entry in &file.role {
            assert!(!entry.roles.is_empty() && !entry.denies.is_empty());
            for place in &entry.labels {
                assert!(Label::parse(&place.label).is_some(), "{}", place.label);
            }
            for phrase in entry.denies.iter().chain(entry.labels.iter().flat_map(|place| &place.needs)) {
                assert_eq!(worded(phrase).trim(), phrase, "folded: {phrase}");
            }
        }
        assert!(BY_ROLE.contains_key(&Role::Interaction) && !BY_ROLE.contains_key(&Role::Broader));
    }

    fn collection() -> Collection {
        let document = |id: &str, title: &str, sections: &[(&str, &str)]| {
            let sections =
                sections.iter().map(|(name, text)| Section { name: (*name).into(), heading: String::new(), text: (*text).into() });
            Document { id: id.into(), title: title.into(), sections: sections.collect(), ..Document::default() }.checked().expect("usable")
        };
        let documents = [
            document(
                "w",
                "Warfarin",
                &[
                    (
                        "drug_interactions",
                        "Food matters. Monitor the INR closely when ibuprofen is given with warfarin. No interaction with omeprazole was seen.",
                    ),
                    ("indications", "Warfarin is indicated for atrial fibrillation. It is not indicated for hypertension."),
                ],
            ),
            document(
                "h",
                "Hypertension",
                &[("treatment", "Amlodipine lowers the pressure. Ibuprofen should not be used for hypertension.")],
            ),
            document("g", "Clinic guide", &[("treatment", "For gout, allopurinol is given for years.")]),
        ];
        Collection::build("t", &documents, &starter_graph().expect("a graph"), &|_| true).expect("builds")
    }

    fn best(role: Role, owner: &str, player: &str) -> Option<String> {
        let collection = collection();
        let end = |name: &str| vec![vec![name.to_owned()]];
        let found = collection.stating(&Sought { role, owner: end(owner), player: end(player) }, 3);
        let row = collection.piece(found.first()?.evidence)?;
        collection.section(row.section).map(|section| section.text[row.start as usize..row.end as usize].to_owned())
    }

    #[test]
    fn a_sentence_states_a_pair_under_its_label_in_its_direction() {
        let told = "Monitor the INR closely when ibuprofen is given with warfarin.";
        assert_eq!(best(Role::Interaction, "Ibuprofen", "Warfarin").as_deref(), Some(told));
        assert_eq!(best(Role::Interaction, "Warfarin", "Ibuprofen").as_deref(), Some(told), "an interaction has no direction");
        assert_eq!(best(Role::Interaction, "Warfarin", "Omeprazole"), None, "the sentence denies it");
        assert_eq!(
            best(Role::Treatment, "Atrial fibrillation", "Warfarin").as_deref(),
            Some("Warfarin is indicated for atrial fibrillation.")
        );
        assert_eq!(best(Role::Treatment, "Warfarin", "Atrial fibrillation"), None, "the other way round");
        assert_eq!(best(Role::AdverseEffect, "Warfarin", "Atrial fibrillation"), None, "under another label");
        assert_eq!(best(Role::Treatment, "Hypertension", "Warfarin"), None);
        assert_eq!(best(Role::Treatment, "Hypertension", "Ibuprofen"), None);
        assert_eq!(best(Role::Treatment, "Hypertension", "Amlodipine").as_deref(), Some("Amlodipine lowers the pressure."));
        assert_eq!(best(Role::Treatment, "Gout", "Allopurinol").as_deref(), Some("For gout, allopurinol is given for years."));
        assert!(takes_back(Role::Treatment, "X is not indicated for Y.") && !takes_back(Role::Treatment, "X treats Y."));
    }
}
