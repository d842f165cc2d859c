//! The findings of the safety pass as lines of an answer, in the language of the question.

use super::SafetyReport;
use super::gaps::{NoneStored, NotChecked};
use super::items::Standing;
use super::lists::{ListEntry, ListKind, SafetyList};
use super::same::{Named, SameIngredient};
use super::statement::{SafetyKind, SafetyPart, SafetyRank, SafetyStatement};
use super::states::WhenHolds;
use super::usable::Usable;
use crate::graph::{Chain, EntityId, EvolvingGraph, Kind, Qualifiers, Role, qualifier_keys as keys};
use crate::pipeline::answer::wording::Wording;
use crate::text::capitalised;

/// The most members of a class that have a sentence each; more are listed in one.
const MOST_SENTENCES: usize = 2;
/// The most further effects that follow the first of two things.
const MOST_ALSO: usize = 2;

/// A line of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SafetyLine {
    /// The entity that it is about, by its name in the graph; empty if it is about none.
    pub(crate) entity: String,
    /// The role that it states.
    pub(crate) role: Option<Role>,
    /// Its text.
    pub(crate) text: String,
    /// The chains that it rests on, which must be among the kept ones so that it can cite them.
    pub(crate) chains: Vec<Chain>,
    /// Whether it states what the graph holds; otherwise it says that nothing is stored or known.
    pub(crate) states: bool,
}

impl SafetyReport {
    /// What is stored, then what is not, then what could not be checked. Without the lists.
    pub(crate) fn lines(&self, graph: &EvolvingGraph, wording: &Wording) -> Vec<SafetyLine> {
        self.lines_but_for(graph, wording, |_| false)
    }

    /// What is given together in an illness of the patient, apart from the other lines.
    pub(crate) fn standard_apart(&self, graph: &EvolvingGraph, wording: &Wording) -> (Vec<SafetyLine>, Vec<SafetyLine>) {
        let write = Writer { graph, wording };
        let standard = self.statements.iter().filter(|statement| statement.is_standard());
        let standard = standard.map(|statement| self.stated(&write, statement)).collect();
        (self.lines_but_for(graph, wording, SafetyStatement::is_standard), standard)
    }

    fn stated(&self, write: &Writer<'_>, statement: &SafetyStatement) -> SafetyLine {
        SafetyLine {
            entity: write.graph.entity_name(statement.owner).to_owned(),
            role: Some(statement.role()),
            text: self.text_of(write, statement),
            chains: statement.chains().collect(),
            states: true,
        }
    }

    fn lines_but_for(&self, graph: &EvolvingGraph, wording: &Wording, is_apart: impl Fn(&SafetyStatement) -> bool) -> Vec<SafetyLine> {
        let write = Writer { graph, wording };
        let stated = self.statements.iter().filter(|statement| !is_apart(statement)).map(|statement| self.stated(&write, statement));
        let says = |entity: Option<EntityId>, text: String| SafetyLine {
            entity: entity.map_or_else(String::new, |entity| graph.entity_name(entity).to_owned()),
            role: None,
            text,
            chains: Vec::new(),
            states: false,
        };
        let usable = self.usable.iter().map(|usable| SafetyLine {
            entity: graph.entity_name(usable.drug).to_owned(),
            role: None,
            text: write.usable(usable),
            chains: Vec::new(),
            states: true,
        });
        let same = self.same.iter().map(|same| SafetyLine {
            entity: graph.entity_name(same.ingredient).to_owned(),
            role: None,
            text: write.same(same),
            chains: Vec::new(),
            states: true,
        });
        let none = self.none_stored.iter().map(|none| says(Some(none.drug), write.none_stored(none)));
        let unknown = self.not_checked.iter().map(|unknown| says(None, write.not_checked(unknown)));
        let left_out = || says(None, wording.safety.left_out.replace("{count}", &self.left_out.to_string()));
        same.chain(stated).chain(usable).chain(none).chain(unknown).chain((self.left_out > 0).then(left_out)).collect()
    }

    /// A statement. Of two drugs that are changed for each other, it says that it is about the change.
    fn text_of(&self, write: &Writer<'_>, statement: &SafetyStatement) -> String {
        let text = write.statement(statement);
        let is_changed = self.changed.is_some_and(|(first, second)| statement.is_about(first, second));
        if is_changed && statement.kind == SafetyKind::Interaction {
            return write.join(&[text, write.wording.safety.while_changing.clone()]);
        }
        text
    }

    /// One line for a statement, as a caution beside something that is offered.
    pub(crate) fn line_of(graph: &EvolvingGraph, wording: &Wording, statement: &SafetyStatement) -> String {
        Writer { graph, wording }.statement(statement)
    }
}

impl SafetyList {
    /// The heading (which names the subject), a line for each entry that is said, and how many are not. An empty list is one line that says so.
    pub(crate) fn lines(&self, graph: &EvolvingGraph, wording: &Wording) -> Vec<SafetyLine> {
        let write = Writer { graph, wording };
        let says = |text: String| SafetyLine {
            entity: graph.entity_name(self.of).to_owned(),
            role: None,
            text,
            chains: Vec::new(),
            states: false,
        };
        let heading = match (&self.only, self.entries.is_empty()) {
            (Some(_), false) => &wording.safety.list_of_kind,
            (Some(_), true) => &wording.safety.none_of_kind,
            (None, is_empty) => wording.safety.list(self.kind, is_empty),
        };
        let only = self.only.clone().unwrap_or_default();
        let heading = fill(heading, &[("a", &write.name(self.of)), ("kind", &only), ("count", &self.entries.len().to_string())]);
        let omitted = (self.omitted > 0).then(|| says(fill(&wording.safety.omitted, &[("count", &self.omitted.to_string())])));
        let entries = self.stated().iter().map(|entry| SafetyLine {
            entity: graph.entity_name(entry.other).to_owned(),
            role: Some(entry.role),
            text: write.entry(self, entry),
            chains: vec![entry.chain],
            states: true,
        });
        std::iter::once(says(heading)).chain(entries).chain(omitted).collect()
    }
}

/// Fills the gaps of a sentence. A name that looks like a gap stays as it is.
fn fill(sentence: &str, gaps: &[(&str, &str)]) -> String {
    let (mut text, mut rest) = (String::new(), sentence);
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let filled =
            after.split_once('}').and_then(|(name, after)| gaps.iter().find(|(gap, _)| *gap == name).map(|(_, value)| (*value, after)));
        match filled {
            Some((value, after)) => (text, rest) = (text + value, after),
            None => (text, rest) = (text + "{", after),
        }
    }
    text + rest
}

struct Writer<'a> {
    graph: &'a EvolvingGraph,
    wording: &'a Wording,
}

impl Writer<'_> {
    fn name(&self, entity: EntityId) -> String {
        self.wording.name(self.graph, entity)
    }

    /// A class within a sentence: "a macrolide antibiotic", "an NSAID".
    fn class(&self, entity: EntityId, article: bool) -> String {
        let name = self.name(entity);
        if self.wording.is_chinese() {
            return name;
        }
        let name = lower_first(&name);
        if article { format!("{} {name}", article_of(&name)) } else { name }
    }

    /// An end of a statement: its name, and why the statement holds for it.
    fn end(&self, item: EntityId, standing: Standing, stated: EntityId, member: Option<EntityId>) -> String {
        let words = &self.wording.safety;
        let name = match member {
            Some(member) => fill(&words.by_member, &[("name", &self.name(member)), ("class", &self.class(item, false))]),
            None if stated != item => fill(&words.by_class, &[("name", &self.name(item)), ("class", &self.class(stated, true))]),
            None => self.name(item),
        };
        match standing {
            Standing::Stopped => fill(&words.stopped, &[("name", &name)]),
            Standing::Past => fill(&words.past, &[("name", &name)]),
            // By which class it is dangerous stands in the chain.
            Standing::Suspected => fill(&words.suspected, &[("name", &self.name(item))]),
            _ => name,
        }
    }

    fn statement(&self, statement: &SafetyStatement) -> String {
        let words = &self.wording.safety;
        if statement.kind == SafetyKind::Allergy {
            let includes = statement.parts.iter().any(|part| part.rank == SafetyRank::Relative);
            let sentence = match (statement.owner == statement.player, includes) {
                (true, _) => &words.allergy_same,
                (_, true) => &words.allergy_class,
                (_, false) => &words.allergy_member,
            };
            return fill(sentence, &[("a", &self.name(statement.owner)), ("b", &self.name(statement.player))]);
        }
        let own: Vec<&SafetyPart> = statement.parts.iter().filter(|part| part.member.is_none()).collect();
        let of_members: Vec<&SafetyPart> = statement.parts.iter().filter(|part| part.member.is_some()).collect();
        let mut sentences: Vec<String> = Vec::new();
        if let Some((first, more)) = own.split_first() {
            sentences.push(self.part(statement, first));
            sentences.extend(self.also(first, more));
        }
        if of_members.len() <= MOST_SENTENCES {
            sentences.extend(of_members.iter().map(|part| self.part(statement, part)));
        } else {
            sentences.extend(self.members(statement, &of_members));
        }
        self.join(&sentences)
    }

    /// A part as sentences of its own.
    fn part(&self, statement: &SafetyStatement, part: &SafetyPart) -> String {
        let of_owner = part.member.filter(|_| part.member_of_owner);
        let of_player = part.member.filter(|_| !part.member_of_owner);
        let a = self.end(statement.owner, statement.owner_standing, part.stated_owner, of_owner);
        let b = self.end(statement.player, statement.player_standing, part.stated_player, of_player);
        if let Some(illness) = part.standard_in.filter(|_| statement.kind == SafetyKind::Interaction) {
            let words = &self.wording.safety;
            let effect = self.text_of(&part.qualifiers, keys::EFFECT, keys::EFFECT_ZH);
            let effect = effect.map_or_else(String::new, |effect| fill(&words.effect, &[("effect", effect)]));
            let severity = words.severity(statement.role(), part.rank, part.qualifiers.get(keys::SEVERITY));
            let state = self.name(illness);
            let gaps: [(&str, &str); 5] = [("a", &a), ("b", &b), ("severity", severity), ("state", &state), ("effect", &effect)];
            let said = fill(&words.standard, &gaps);
            let said = [Some(said), self.when(&part.qualifiers, part.when), self.action(&part.qualifiers)];
            return self.join(&said.into_iter().flatten().collect::<Vec<_>>());
        }
        self.sentence(statement.role(), (&a, &b), part.rank, &part.qualifiers, part.when)
    }

    /// Effect and action, condition and severity of one stored statement.
    fn sentence(&self, role: Role, (a, b): (&str, &str), rank: SafetyRank, qualifiers: &Qualifiers, when: WhenHolds) -> String {
        let words = &self.wording.safety;
        let effect = self.text_of(qualifiers, keys::EFFECT, keys::EFFECT_ZH);
        let interacts = role == Role::Interaction;
        let is_bare = effect.is_none() && qualifiers.get(keys::SEVERITY).is_none();
        let sentence = match (interacts, is_bare) {
            (true, true) => &words.bare_interaction,
            (false, true) => &words.bare_contraindication,
            (true, false) => &words.interaction,
            (false, false) => &words.contraindication,
        };
        let severity = words.severity(role, rank, qualifiers.get(keys::SEVERITY));
        let effect = effect.map_or_else(String::new, |effect| fill(&words.effect, &[("effect", effect)]));
        let mut sentences = vec![fill(sentence, &[("a", a), ("b", b), ("severity", severity), ("effect", &effect)])];
        sentences.extend(self.when(qualifiers, when));
        sentences.extend(self.action(qualifiers));
        self.join(&sentences)
    }

    fn when(&self, qualifiers: &Qualifiers, holds: WhenHolds) -> Option<String> {
        let words = &self.wording.safety;
        let sentence = if holds == WhenHolds::No { &words.when_ruled_out } else { &words.when };
        self.text_of(qualifiers, keys::WHEN, keys::WHEN_ZH).map(|when| fill(sentence, &[("when", when)]))
    }

    fn action(&self, qualifiers: &Qualifiers) -> Option<String> {
        let action = self.text_of(qualifiers, keys::ACTION, keys::ACTION_ZH)?;
        Some(fill(&self.wording.safety.action, &[("action", &capitalised(action))]))
    }

    /// What further stored statements about the same two add.
    fn also(&self, first: &SafetyPart, more: &[&SafetyPart]) -> Vec<String> {
        let effect = |part: &SafetyPart| self.text_of(&part.qualifiers, keys::EFFECT, keys::EFFECT_ZH).map(str::to_owned);
        let mut said = vec![effect(first)];
        let mut sentences = Vec::new();
        for part in more {
            let effect = effect(part);
            if let Some(text) = effect.as_deref().filter(|_| !said.contains(&effect)) {
                sentences.push(fill(&self.wording.safety.also, &[("effect", text)]));
                sentences.extend(self.when(&part.qualifiers, part.when));
                sentences.extend(self.action(&part.qualifiers));
                said.push(effect.clone());
            }
            if said.len() > MOST_ALSO {
                break;
            }
        }
        sentences
    }

    /// Many members in one sentence, the most serious first.
    fn members(&self, statement: &SafetyStatement, parts: &[&SafetyPart]) -> Option<String> {
        let words = &self.wording.safety;
        let first = parts.first()?;
        let of_owner = first.member_of_owner;
        let mut named: Vec<(SafetyRank, String, &str)> =
            parts.iter().filter_map(|part| Some((part.rank, self.name(part.member?), words.severity_of(statement.role(), part)))).collect();
        named.sort();
        let mut seen = std::collections::BTreeSet::new();
        named.retain(|(_, name, _)| seen.insert(name.clone()));
        let names: Vec<String> =
            named.iter().map(|(_, name, severity)| fill(&words.member, &[("name", name), ("severity", severity)])).collect();
        let (owner, player) = (self.name(statement.owner), self.name(statement.player));
        let (sentence, a, b) = match (statement.kind, of_owner) {
            (SafetyKind::Interaction, true) => (&words.members_interaction, player, owner),
            (SafetyKind::Interaction, false) => (&words.members_interaction, owner, player),
            (_, true) => (&words.kinds_contraindication, owner, player),
            (_, false) => (&words.members_contraindication, owner, player),
        };
        Some(fill(sentence, &[("a", &a), ("b", &b), ("names", &self.wording.list(&names))]))
    }

    /// An entry of a list.
    fn entry(&self, list: &SafetyList, entry: &ListEntry) -> String {
        let words = &self.wording.safety;
        let member = entry.of_member.then_some(entry.stated);
        let subject = self.end(list.of, Standing::Taken, if entry.of_member { list.of } else { entry.stated }, member);
        let other = self.name(entry.other);
        match list.kind {
            ListKind::Interactions | ListKind::Contraindications => {
                self.sentence(entry.role, (&subject, &other), entry.rank, &entry.qualifiers, WhenHolds::Yes)
            }
            ListKind::ContraindicatedIn => self.sentence(entry.role, (&other, &subject), entry.rank, &entry.qualifiers, WhenHolds::Yes),
            ListKind::Triggers => {
                let mut sentences = vec![fill(&words.brings_on, &[("a", &other), ("b", &subject)])];
                sentences.extend(self.when(&entry.qualifiers, WhenHolds::Yes));
                self.join(&sentences)
            }
            ListKind::SideEffects | ListKind::MayCause => {
                let (a, b) = if list.kind == ListKind::SideEffects { (&subject, &other) } else { (&other, &subject) };
                let frequency = words.frequency(entry.frequency);
                let mut sentences = vec![fill(&words.side_effect, &[("a", a), ("b", b), ("frequency", frequency)])];
                sentences.extend(self.when(&entry.qualifiers, WhenHolds::Yes));
                sentences.extend(self.action(&entry.qualifiers));
                self.join(&sentences)
            }
        }
    }

    fn usable(&self, usable: &Usable) -> String {
        let [english, chinese] = &usable.notes;
        let note = if self.wording.is_chinese() { chinese } else { english };
        let is_drug = |of: EntityId| matches!(self.graph.kind(of), Kind::Drug | Kind::DrugClass);
        let sentence = if is_drug(usable.other) { &self.wording.safety.usable_with } else { &self.wording.safety.usable_in };
        fill(sentence, &[("a", &self.name(usable.drug)), ("b", &self.name(usable.other)), ("note", note)])
    }

    fn same(&self, same: &SameIngredient) -> String {
        let [a, b] = &same.products;
        let name = |product: &Named| match product {
            Named::Words(words) => words.clone(),
            Named::Entity(entity) => self.name(*entity),
        };
        let drug = self.name(same.ingredient);
        let drug = if self.wording.is_chinese() { drug } else { lower_first(&drug) };
        fill(&self.wording.safety.same_ingredient, &[("a", &name(a)), ("b", &name(b)), ("drug", &drug)])
    }

    fn none_stored(&self, none: &NoneStored) -> String {
        let words = &self.wording.safety;
        let names: Vec<String> = none
            .with
            .iter()
            .map(|entity| match none.kind {
                SafetyKind::Allergy => fill(&words.allergen, &[("name", &self.name(*entity))]),
                _ => self.name(*entity),
            })
            .collect();
        let sentence = match (none.kind, names.len() > 1) {
            (SafetyKind::Interaction, false) => &words.none_interaction,
            (SafetyKind::Interaction, true) => &words.none_interactions,
            (_, false) => &words.none_contraindication,
            (_, true) => &words.none_contraindications,
        };
        fill(sentence, &[("a", &self.name(none.drug)), ("b", &self.wording.list(&names))])
    }

    fn not_checked(&self, unknown: &NotChecked) -> String {
        let words = &self.wording.safety;
        let list = |with: &[EntityId]| {
            let names: Vec<String> = with.iter().map(|entity| self.name(*entity)).collect();
            self.wording.list(&names)
        };
        match unknown {
            NotChecked::Words { text, may_mean, .. } if !may_mean.is_empty() => {
                let known = |name: &String| self.graph.find(name).map_or_else(|| name.clone(), |entity| self.name(entity));
                let names: Vec<String> = may_mean.iter().map(known).collect();
                fill(&words.ambiguous, &[("a", text), ("names", &self.wording.list(&names))])
            }
            NotChecked::Words { text, with, .. } if with.is_empty() => fill(&words.not_known_alone, &[("a", text)]),
            NotChecked::Words { text, with, .. } => fill(&words.not_known, &[("a", text), ("b", &list(with))]),
            NotChecked::State { name: [english, chinese], with } => {
                let name = if self.wording.is_chinese() { (*chinese).to_owned() } else { lower_first(english) };
                fill(&words.state_not_known, &[("a", &name), ("b", &list(with))])
            }
        }
    }

    /// The text of a qualifier in this language; in the other one if the graph has no more.
    fn text_of<'q>(&self, qualifiers: &'q Qualifiers, english: &str, chinese: &str) -> Option<&'q str> {
        let text =
            if self.wording.is_chinese() { qualifiers.get(chinese).or_else(|| qualifiers.get(english)) } else { qualifiers.get(english) };
        text.map(|text| text.trim_end_matches(['.', '。', ' ']))
    }

    fn join(&self, sentences: &[String]) -> String {
        sentences.join(if self.wording.is_chinese() { "" } else { " " })
    }
}

/// A name within a sentence: its first letter small, unless the word is an abbreviation.
fn lower_first(name: &str) -> String {
    let mut letters = name.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(second)) if second.is_lowercase() => {
            first.to_lowercase().chain(std::iter::once(second)).chain(letters).collect()
        }
        _ => name.to_owned(),
    }
}

/// "a" or "an", as the first word is spoken; an abbreviation letter by letter.
fn article_of(name: &str) -> &'static str {
    let word: String = name.chars().take_while(|c| c.is_alphanumeric()).collect();
    let spelt = word.chars().count() > 1 && word.chars().all(|c| c.is_uppercase() || c.is_ascii_digit());
    let vowels = if spelt { "AEFHILMNORSX8" } else { "aeioAEIO8" };
    if word.chars().next().is_some_and(|first| vowels.contains(first)) { "an" } else { "a" }
}
