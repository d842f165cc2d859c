//! Signs of planned self-harm, where nothing says it in so many words.

use super::gate::self_harm_at;
use super::named::{Class, Named};
use crate::language::knowledge::Knowledge;
use crate::language::recognise::Span;
use crate::text::Token;

/// The name of planned self-harm in the starter graph.
const SUICIDAL: &str = "Suicidal thoughts";

/// What signs of planned self-harm amount to where nothing says it in so many words: somebody who is in danger is not told that nothing was
/// understood.
pub(super) fn planned_self_harm(knowledge: &Knowledge, tokens: &[Token], named: &[Named]) -> Option<Named> {
    let (first, last) = self_harm_at(tokens)?;
    let names = knowledge.graph.names();
    let entity = names.lookup_exact(SUICIDAL).first().copied()?;
    let is_free = |at: usize| !named.iter().any(|named| (named.span.first..named.span.last).contains(&at));
    let is_said = named.iter().any(|named| named.entity == entity);
    let at = (first..last).find(|at| is_free(*at)).filter(|_| !is_said)?;
    Some(Named { span: Span { first: at, last: at + 1 }, entity, class: Class::Finding })
}
