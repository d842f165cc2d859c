//! Catena: a terminal clinical assistant. A question becomes a hypothesis, its entities are linked to a
//! knowledge graph, every reasoning chain between them is found, the few that matter are kept, and the
//! answer cites them. See ARCHITECTURE.md for the way through the house.

pub mod accessible;
pub mod cli;
pub mod config;
pub mod dkg;
pub mod eval;
pub mod evidence;
pub mod feedback;
pub mod graph;
pub mod language;
pub mod method;
pub mod model;
pub mod pipeline;
pub mod report;
pub mod run;
pub mod session;
pub mod text;
pub mod tui;
pub mod words;
