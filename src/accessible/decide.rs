//! Decisions: chains pinned and rejected, anchors added and dropped, settings changed. Each carries the run on from the first
//! stage that it changes.

use std::io::{self, Write};
use std::sync::Arc;

use super::command::{Command, Which};
use super::describe;
use super::session::Session;
use super::words::{counted, entity_kind, listed};
use crate::graph::MAX_HOPS;
use crate::run::triage::MOST_KEPT;
use crate::run::{ChainKey, EntityCard, Outcome, Settings, Stage, StageState, Trace, Triage};
use crate::text::{fold, sanitise_line};

/// Entities that are offered for a name.
const OFFERED: usize = 9;
/// A revision that leaves something to be done is followed by this many others at most.
const ROUNDS: usize = 2;

impl<W: Write> Session<W> {
    pub(super) async fn decide(&mut self, trace: &Arc<Trace>, decision: Command) -> io::Result<()> {
        match decision {
            Command::Pin(named) => self.decide_chains(trace, &named, "pinned, which keeps it whatever its score", Triage::pin).await,
            Command::Reject(named) => self.decide_chains(trace, &named, "rejected", Triage::reject).await,
            Command::Restore(named) => {
                let restore = |triage: &mut Triage, key: ChainKey| triage.forget(&key);
                self.decide_chains(trace, &named, "as if you had decided nothing about it", restore).await
            }
            Command::AddAnchor(name) => self.add_anchor(trace, name).await,
            Command::DropAnchor(number) => self.drop_anchor(trace, number).await,
            Command::K(_) | Command::TopK(_) | Command::Delta(_) => self.set(trace, decision).await,
            Command::Undo if !self.decisions.undo() => self.say("There is nothing to take back."),
            Command::Redo if !self.decisions.redo() => self.say("Nothing was taken back that could be decided again."),
            Command::Undo => self.said_and_done("The last decision is taken back.").await,
            Command::Redo => self.said_and_done("It is decided again.").await,
            Command::Reread => {
                self.decisions.reread = true;
                self.carry_on().await
            }
            _ => Ok(()),
        }
    }

    async fn said_and_done(&mut self, said: &str) -> io::Result<()> {
        self.say(said)?;
        self.carry_on().await
    }

    /// Decides something and carries the run on; says so where that changes nothing.
    async fn change(&mut self, said: &str, change: impl FnOnce(&mut Triage)) -> io::Result<()> {
        if !self.decisions.decide(change) {
            return self.say("That is so already; nothing changes.");
        }
        self.said_and_done(said).await
    }

    async fn decide_chains(
        &mut self,
        trace: &Trace,
        named: &[Which],
        said: &str,
        mut decide: impl FnMut(&mut Triage, ChainKey),
    ) -> io::Result<()> {
        let mut keys = Vec::new();
        for which in named {
            let Some(number) = self.number_of(trace, *which)? else { return Ok(()) };
            keys.extend(trace.table.chains.get(number as usize).map(|chain| ChainKey::of(&trace.table, chain)));
        }
        let names: Vec<String> = named
            .iter()
            .map(|which| match which {
                Which::Kept(id) => format!("kept chain {id}"),
                Which::Chain(at) => format!("chain {at}"),
            })
            .collect();
        let each = if names.len() == 1 { "This chain is" } else { "Each of these chains is" };
        let said = format!("You decided about {}. {each} now {said}.", listed(&names));
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
        // Where several have the name, the choice is among those.
        let offered: Vec<&EntityCard> = if exact.is_empty() { found.iter().collect() } else { exact };
        let name = sanitise_line(&name);
        if offered.is_empty() {
            return self.say(&format!("The graph has no entity with a name like \u{201C}{name}\u{201D}."));
        }
        let count = counted(offered.len() as u64, "entity has a name", "entities have names");
        self.say(&format!("{count} like \u{201C}{name}\u{201D}. Type the number of the one that is meant, or anything else to go on."))?;
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

    /// A number was typed after entities had been offered.
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
        // What was taken out is still among the anchors of the run, and can be let in again.
        let out = self.decisions.wanted.rejected_anchors.contains(name);
        if !out && trace.anchors.iter().any(|anchor| anchor.entity == name) {
            return self.say(&format!("{shown} is an anchor already."));
        }
        self.change(&format!("{shown} is an anchor now."), |triage| triage.add_anchor(name)).await
    }

    async fn drop_anchor(&mut self, trace: &Trace, number: usize) -> io::Result<()> {
        let Some(anchor) = number.checked_sub(1).and_then(|at| trace.anchors.get(at)) else {
            let count = counted(trace.anchors.len() as u64, "anchor", "anchors");
            return self.say(&format!("There is no anchor {number}: there are {count}. Type anchors to hear them."));
        };
        let name = anchor.entity.clone();
        self.change(&format!("{} is no anchor any more.", sanitise_line(&name)), |triage| triage.drop_anchor(&name)).await
    }

    async fn set(&mut self, trace: &Trace, setting: Command) -> io::Result<()> {
        let Some(started) = trace.started_with.clone() else {
            return self.say("The settings of this run are not known.");
        };
        let now = self.decisions.wanted.settings(&started);
        match setting {
            Command::K(Some(k)) if !(1..=MAX_HOPS).contains(&k) => self.say(&format!("k must be between 1 and {MAX_HOPS}.")),
            Command::K(Some(k)) => {
                let said = format!("Chains have at most {} now.", counted(k as u64, "relation", "relations"));
                self.change(&said, |triage| triage.set(&started, &Settings { k, ..now })).await
            }
            Command::TopK(Some(n)) if !(1..=MOST_KEPT).contains(&n) => self.say(&format!("topk must be between 1 and {MOST_KEPT}.")),
            Command::TopK(Some(n)) => {
                let said = format!("At most {} kept now.", counted(n as u64, "chain is", "chains are"));
                self.change(&said, |triage| triage.set(&started, &Settings { top_k: n, ..now })).await
            }
            Command::Delta(Some(delta)) if !(0.0..=1.0).contains(&delta) => self.say("delta must be between 0 and 1."),
            Command::Delta(Some(delta)) => {
                let said = format!("What is like a name by more than {delta} is linked now.");
                self.change(&said, |triage| triage.set(&started, &Settings { delta, ..now })).await
            }
            asked => self.say(&setting_now(&asked, &now)),
        }
    }

    /// Carries the run on with everything that was decided, and says what that changed.
    async fn carry_on(&mut self) -> io::Result<()> {
        for _ in 0..ROUNDS {
            let (Some(settled), Some(from)) = (self.decisions.settled.clone(), self.decisions.due()) else { return Ok(()) };
            let (engine, triage) = (Arc::clone(&self.engine), Arc::clone(&self.decisions.wanted));
            let before = Arc::clone(&settled);
            let start = |events| engine.revise(settled, triage, from, events);
            let trace = self.follow(Trace::clone(&before), start).await?;
            let why = match trace.as_ref().map(|trace| &trace.outcome) {
                None => Some(String::new()),
                Some(Some(Outcome::Cancelled)) => Some("Stopped. ".into()),
                Some(Some(Outcome::Failed { message })) => Some(format!("That could not be done: {} ", describe::ended(message))),
                Some(_) => None,
            };
            let (Some(trace), None) = (trace, &why) else {
                self.decisions.give_up();
                return self.say(&format!("{}All is as it was before.", why.unwrap_or_default()));
            };
            let is_read = matches!(trace.stage(Stage::Read), StageState::Done { .. }) && !trace.is_stale();
            if is_read {
                self.decisions.reread = false;
            }
            self.settle(trace);
            let Some(now) = self.decisions.settled.clone() else { return Ok(()) };
            let said = if from == Stage::Read { describe::read_anew(&before, &now) } else { describe::changes(&before, &now, &self.marks) };
            self.say_all(&said)?;
        }
        self.decisions.reread = false;
        Ok(())
    }
}

fn setting_now(asked: &Command, now: &Settings) -> String {
    match asked {
        Command::K(_) => format!("k is {}: chains have at most that many relations. It can be 1 to {MAX_HOPS}.", now.k),
        Command::TopK(_) => format!("topk is {}: at most that many chains are kept.", now.top_k),
        _ => format!("delta is {}: what is like a name by more than that is linked.", now.delta),
    }
}
