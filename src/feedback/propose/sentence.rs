//! A mentor's plain sentence, or a fact that is taught directly, as a draft: subject, relation word, object. No language model is needed.

use super::draft::Draft;
use super::entity::{Term, clean_name, known};
use crate::dkg::{Basis, Proposer};
use crate::feedback::TaughtFact;
use crate::graph::{Kind, NamedRelation, Player, Role};
use crate::language::Knowledge;
use crate::pipeline::llm::stated;

/// The sentences of a text, in order.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split(['.', '!', '?', ';', '\n', '。', '！', '？', '；']).map(str::trim).filter(|sentence| !sentence.is_empty())
}

/// What a sentence states, if it is a subject, a relation word and an object.
pub(super) fn draft(knowledge: &Knowledge, sentence: &str, why: String) -> Option<Draft> {
    let stated = stated(sentence)?;
    let (subject, object) = (sentence.get(stated.subject)?, sentence.get(stated.object)?);
    clean_name(subject).ok()?;
    clean_name(object).ok()?;
    let kind = |name: &str| known(knowledge, &Term::new(name, Kind::parse(""))).map(|entity| knowledge.graph.kind(entity).clone());
    let (subject_kind, object_kind) = (kind(subject), kind(object));
    let fits = |(role, owner_first): &&(Role, bool)| {
        let (owner, player) = if *owner_first { (&subject_kind, &object_kind) } else { (&object_kind, &subject_kind) };
        may_have(*role, owner.as_ref(), player.as_ref())
    };
    let (role, owner_first) = stated.means.iter().find(fits).copied()?;
    let (owner, player) = if owner_first { (subject, object) } else { (object, subject) };
    let (owner_kind, player_kind) = if owner_first { (subject_kind, object_kind) } else { (object_kind, subject_kind) };
    let (usual_owner, usual_player) = usual_kinds(role);
    let owner = Term::new(owner, owner_kind.unwrap_or(usual_owner));
    let player = Term::new(player, player_kind.unwrap_or(usual_player));
    Some(Draft::by_rule(owner, role, player, Basis { chains: Vec::new(), why }))
}

/// A fact as it was taught. With `relation`, its ends stand as they were named; else its words are read as a sentence.
pub(super) fn of_fact(knowledge: &Knowledge, fact: &TaughtFact, relation: Option<NamedRelation>) -> Option<Draft> {
    let why = if fact.why.is_empty() { "taught directly".to_owned() } else { format!("taught directly: {}", fact.why) };
    let draft = match relation {
        None => draft(knowledge, &format!("{} {} {}", fact.head, fact.relation.replace('_', " "), fact.tail), why)?,
        Some(relation) => {
            let (owner, player) = match relation.player {
                Player::Head => (&fact.tail, &fact.head),
                Player::Tail => (&fact.head, &fact.tail),
            };
            let (owner_kind, player_kind) = usual_kinds(relation.role);
            let basis = Basis { chains: Vec::new(), why };
            let draft = Draft::by_rule(Term::new(owner, owner_kind), relation.role, Term::new(player, player_kind), basis);
            Draft { relation: Some(relation), ..draft }
        }
    };
    Some(Draft { proposer: Proposer::Doctor, ..draft })
}

/// The kinds that the two sides of a role usually have: what a name is that the graph does not know.
fn usual_kinds(role: Role) -> (Kind, Kind) {
    match role {
        Role::Symptom | Role::RedFlag => (Kind::Disease, Kind::Symptom),
        Role::RiskFactor => (Kind::Disease, Kind::RiskFactor),
        Role::Test => (Kind::Disease, Kind::Test),
        Role::Treatment | Role::FirstLine | Role::Prevention => (Kind::Disease, Kind::Drug),
        Role::Contraindication => (Kind::Drug, Kind::Disease),
        Role::AdverseEffect => (Kind::Drug, Kind::Symptom),
        Role::Interaction => (Kind::Drug, Kind::Drug),
        Role::Monitoring => (Kind::Drug, Kind::Test),
        Role::Cause | Role::Complication | Role::Differential => (Kind::Disease, Kind::Disease),
        // What is a kind of what, or only related to it, says nothing of what either is.
        Role::Broader | Role::Related => (Kind::parse(""), Kind::parse("")),
    }
}

/// Whether things of these kinds can play these parts; what the graph does not know can be anything.
fn may_have(role: Role, owner: Option<&Kind>, player: Option<&Kind>) -> bool {
    let finding = |kind: Option<&Kind>| {
        kind.is_none_or(|kind| matches!(kind, Kind::Disease | Kind::Symptom | Kind::RiskFactor | Kind::Pathogen | Kind::Other(_)))
    };
    let remedy =
        |kind: Option<&Kind>| kind.is_none_or(|kind| matches!(kind, Kind::Drug | Kind::DrugClass | Kind::Treatment | Kind::Other(_)));
    let test = |kind: Option<&Kind>| kind.is_none_or(|kind| matches!(kind, Kind::Test | Kind::Treatment | Kind::Other(_)));
    match role {
        Role::Treatment | Role::FirstLine | Role::Prevention => finding(owner) && remedy(player),
        Role::Test => finding(owner) && test(player),
        Role::Monitoring => test(player),
        Role::AdverseEffect => owner.is_some() && remedy(owner) && finding(player),
        Role::Contraindication => remedy(owner) && finding(player),
        Role::Interaction => remedy(owner) && remedy(player),
        Role::Symptom | Role::RedFlag => finding(owner) && finding(player) && player.is_none_or(|kind| *kind != Kind::Disease),
        Role::Cause | Role::RiskFactor => finding(owner),
        Role::Complication | Role::Differential => finding(owner) && finding(player),
        Role::Broader | Role::Related => true,
    }
}
