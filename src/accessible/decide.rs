//! The user's decisions: pin and reject chains, add and drop anchors, change settings. Each revises the run from the first stage that it
//! affects.

use std::io::{self, Write};
use std::sync::Arc;

use super::command::{ChainReference, LineCommand, PassageDecision};
use super::describe;
use super::phrases::{counted, entity_kind, listed};
use super::session::AccessibleSession;
use crate::graph::MAX_HOPS;
use crate::run::triage::MOST_KEPT;
use crate::run::{ChainKey, EntityCard, Outcome, PassageId, PassageKey, Settings, Stage, StageState, Trace, Triage};
use crate::text::{capitalised, fold, sanitise_line};

/// The most entities to offer for a name.
const OFFERED: usize = 9;
/// The most revisions in a row; a revision can leave work for another.
const ROUNDS: usize = 2;

impl<W: Write> AccessibleSession<W> {
    pub(super) async fn decide(&mut self, trace: &Arc<Trace>, decision: LineCommand) -> io::Result<()> {
        match decision {
            LineCommand::Pin(named) => self.decide_chains(trace, &named, "pinned", Triage::pin).await,
            LineCommand::Reject(named) => self.decide_chains(trace, &named, "rejected", Triage::reject).await,
            LineCommand::Restore(named) => {
                let restore = |triage: &mut Triage, key: ChainKey| triage.forget(&key);
                self.decide_chains(trace, &named, "restored", restore).await
            }
            LineCommand::DecidePassages(decision, ids) => self.decide_passages(trace, decision, &ids).await,
            LineCommand::Mark(number, status) => self.mark_item(trace, number, status).await,
            LineCommand::Remove(number) => self.remove_item(trace, number).await,
            LineCommand::Instead(text) => self.correct_in_words(trace, text).await,
            LineCommand::Asks(kinds) => self.change_asks(trace, kinds).await,
            LineCommand::AddAnchor(name) => self.add_anchor(trace, name).await,
            LineCommand::DropAnchor(number) => self.drop_anchor(trace, number).await,
            LineCommand::K(_) | LineCommand::TopK(_) | LineCommand::Delta(_) => self.set(trace, decision).await,
            LineCommand::Undo if !self.decisions.undo() => self.say("Nothing to undo."),
            LineCommand::Redo if !self.decisions.redo() => self.say("Nothing to redo."),
            LineCommand::Undo => self.say_and_revise("The last decision is undone.").await,
            LineCommand::Redo => self.say_and_revise("The decision is redone.").await,
            LineCommand::Reread => {
                self.decisions.reread = true;
                self.revise().await
            }
            _ => Ok(()),
        }
    }

    async fn say_and_revise(&mut self, said: &str) -> io::Result<()> {
        self.say(said)?;
        self.revise().await
    }

    /// Makes a decision and revises the run; if it changes nothing, says so.
    pub(super) async fn change(&mut self, said: &str, change: impl FnOnce(&mut Triage)) -> io::Result<()> {
        if !self.decisions.decide(change) {
            return self.say("Nothing changes: this is already so.");
        }
        self.say_and_revise(said).await
    }

    async fn decide_chains(
        &mut self,
        trace: &Trace,
        references: &[ChainReference],
        said: &str,
        mut decide: impl FnMut(&mut Triage, ChainKey),
    ) -> io::Result<()> {
        let mut keys = Vec::new();
        for reference in references {
            let Some(number) = self.number_of(trace, *reference)? else { return Ok(()) };
            keys.extend(trace.table.chains.get(number as usize).map(|chain| ChainKey::of(&trace.table, chain)));
        }
        let names: Vec<String> = references
            .iter()
            .map(|reference| match reference {
                ChainReference::Kept(id) => format!("kept chain {id}"),
                ChainReference::Any(at) => format!("chain {at}"),
            })
            .collect();
        let are = if names.len() == 1 { "is" } else { "are" };
        let said = format!("{} {are} now {said}.", capitalised(&listed(&names)));
        self.change(&said, |triage| keys.into_iter().for_each(|key| decide(triage, key))).await
    }

    async fn decide_passages(&mut self, trace: &Trace, decision: PassageDecision, ids: &[PassageId]) -> io::Result<()> {
        let mut keys = Vec::new();
        for id in ids {
            let Some(passage) = trace.passages.get(id.place()) else {
                let count = counted(trace.passages.len() as u64, "passage", "passages");
                return self.say(&format!("There is no passage {id}. This run found {count}. To list them, type passages."));
            };
            keys.push(passage.key());
        }
        let (said, decide): (&str, fn(&mut Triage, PassageKey)) = match decision {
            PassageDecision::Pin => ("pinned", Triage::pin_passage),
            PassageDecision::Reject => ("rejected", Triage::reject_passage),
            PassageDecision::Restore => ("restored", |triage, key| triage.forget_passage(&key)),
        };
        let names: Vec<String> = ids.iter().map(|id| format!("passage {id}")).collect();
        let are = if names.len() == 1 { "is" } else { "are" };
        let said = format!("{} {are} now {said}.", capitalised(&listed(&names)));
        self.change(&said, |triage| keys.into_iter().for_each(|key| decide(triage, key))).await
    }

    async fn add_anchor(&mut self, trace: &Trace, name: String) -> io::Result<()> {
        let (engine, typed) = (Arc::clone(&self.engine), name.clone());
        let found = tokio::task::spawn_blocking(move || engine.complete(&typed, OFFERED)).await.unwrap_or_default();
        let wanted = fold(&name);
        let is_named = |card: &&EntityCard| fold(&card.name) == wanted || card.matched.as_ref().is_some_and(|name| fold(name) == wanted);
        let exact: Vec<&EntityCard> = found.iter().filter(is_named).collect();
        if let [only] = exact.as_slice() {
            let name = only.name.clone();
            return self.take_anchor(trace, &name).await;
        }
        // If several entities have exactly this name, offer only those.
        let offered: Vec<&EntityCard> = if exact.is_empty() { found.iter().collect() } else { exact };
        let name = sanitise_line(&name);
        if offered.is_empty() {
            return self.say(&format!("The graph has no entity with a name like \u{201C}{name}\u{201D}."));
        }
        let count = counted(offered.len() as u64, "entity has a name", "entities have names");
        self.say(&format!("{count} like \u{201C}{name}\u{201D}. Type the number of the one you mean, or anything else to go on."))?;
        let mut names = Vec::new();
        for (card, at) in offered.into_iter().zip(1..) {
            let kind = entity_kind(&card.kind);
            let kind = if kind.is_empty() { String::new() } else { format!(", {kind}") };
            let matched = card.matched.as_ref().map_or_else(String::new, |name| format!(", also called {}", sanitise_line(name)));
            let triples = counted(card.triples, "triple", "triples");
            self.say(&format!("{at}: {}{kind}{matched}, with {triples}.", sanitise_line(&card.name)))?;
            names.push(card.name.clone());
        }
        self.offered = names;
        Ok(())
    }

    /// Takes the number that the user typed after an offer of entities.
    pub(super) async fn choose(&mut self, offered: &[String], chosen: usize) -> io::Result<()> {
        let Some(trace) = self.settled()? else { return Ok(()) };
        match chosen.checked_sub(1).and_then(|at| offered.get(at)) {
            Some(name) => self.take_anchor(&trace, name).await,
            None => {
                self.offered = offered.to_vec();
                self.say(&format!("Type a number from 1 to {}.", offered.len()))
            }
        }
    }

    async fn take_anchor(&mut self, trace: &Trace, name: &str) -> io::Result<()> {
        let shown = sanitise_line(name);
        // A dropped anchor is still among the anchors of the run, and can be added again.
        let dropped = self.decisions.wanted.rejected_anchors.contains(name);
        if !dropped && trace.anchors.iter().any(|anchor| anchor.entity == name) {
            return self.say(&format!("{shown} is already an anchor."));
        }
        self.change(&format!("{shown} is now an anchor."), |triage| triage.add_anchor(name)).await
    }

    async fn drop_anchor(&mut self, trace: &Trace, number: usize) -> io::Result<()> {
        let Some(anchor) = number.checked_sub(1).and_then(|at| trace.anchors.get(at)) else {
            let count = counted(trace.anchors.len() as u64, "anchor", "anchors");
            let are = if trace.anchors.len() == 1 { "is" } else { "are" };
            return self.say(&format!("There is no anchor {number}; there {are} {count}. Type anchors to hear them."));
        };
        let name = anchor.entity.clone();
        self.change(&format!("{} is no longer an anchor.", sanitise_line(&name)), |triage| triage.drop_anchor(&name)).await
    }

    async fn set(&mut self, trace: &Trace, setting: LineCommand) -> io::Result<()> {
        let Some(started) = trace.started_with.clone() else {
            return self.say("This run did not record its settings, so they cannot be changed.");
        };
        let now = self.decisions.wanted.settings(&started);
        match setting {
            LineCommand::K(Some(k)) if !(1..=MAX_HOPS).contains(&k) => self.say(&format!("k must be between 1 and {MAX_HOPS}.")),
            LineCommand::K(Some(k)) => {
                let said = format!("Chains now have at most {}.", counted(k as u64, "relation", "relations"));
                self.change(&said, |triage| triage.set(&started, &Settings { k, ..now })).await
            }
            LineCommand::TopK(Some(n)) if !(1..=MOST_KEPT).contains(&n) => self.say(&format!("topk must be between 1 and {MOST_KEPT}.")),
            LineCommand::TopK(Some(n)) => {
                let said = format!("Catena now keeps at most {}.", counted(n as u64, "chain", "chains"));
                self.change(&said, |triage| triage.set(&started, &Settings { top_k: n, ..now })).await
            }
            LineCommand::Delta(Some(delta)) if !(0.0..=1.0).contains(&delta) => self.say("delta must be between 0 and 1."),
            LineCommand::Delta(Some(delta)) => {
                let said = format!("Catena now links mentions with a similarity of at least {delta} to a name.");
                self.change(&said, |triage| triage.set(&started, &Settings { delta, ..now })).await
            }
            asked => self.say(&setting_now(&asked, &now)),
        }
    }

    /// Revises the run with all decisions, and says what changed.
    async fn revise(&mut self) -> io::Result<()> {
        for _ in 0..ROUNDS {
            let (Some(settled), Some(from)) = (self.decisions.settled.clone(), self.decisions.due()) else { return Ok(()) };
            let (engine, triage) = (Arc::clone(&self.engine), Arc::clone(&self.decisions.wanted));
            let before = Arc::clone(&settled);
            let start = |events| engine.revise(settled, triage, from, events);
            let trace = self.follow(Trace::clone(&before), start).await?;
            let why = match trace.as_ref().map(|trace| &trace.outcome) {
                None => Some(String::new()),
                Some(Some(Outcome::Cancelled)) => Some("Stopped. ".into()),
                Some(Some(Outcome::Failed { message })) => Some(format!("That failed: {} ", describe::sentence(message))),
                Some(_) => None,
            };
            let (Some(trace), None) = (trace, &why) else {
                self.decisions.give_up();
                return self.say(&format!("{}Nothing has changed.", why.unwrap_or_default()));
            };
            let is_current = matches!(trace.stage(Stage::Read), StageState::Done { .. }) && !trace.is_stale();
            if is_current {
                self.decisions.reread = false;
            }
            self.settle(trace);
            let Some(now) = self.decisions.settled.clone() else { return Ok(()) };
            let said = if from == Stage::Read {
                describe::regenerated(&before, &now, self.language())
            } else {
                describe::changes(&before, &now, &self.marks, self.decisions.reread, self.language())
            };
            self.say_all(&said)?;
        }
        self.decisions.reread = false;
        Ok(())
    }
}

fn setting_now(asked: &LineCommand, now: &Settings) -> String {
    match asked {
        LineCommand::K(_) => format!("k is {}, the most relations of a chain. It can be 1 to {MAX_HOPS}.", now.k),
        LineCommand::TopK(_) => format!("topk is {}, the most chains that Catena keeps.", now.top_k),
        _ => format!("delta is {}, the least similarity between a mention and a name to link them.", now.delta),
    }
}
