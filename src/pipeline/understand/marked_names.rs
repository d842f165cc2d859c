//! What the words around a name say of it that can be told only once it is known what is named.

use super::asked_effects::mark_asked_effects;
use super::denied_verbs::mark_denied_verbs;
use super::doubted::mark_doubted;
use super::kin::mark_kin;
use super::kin_allergy::mark_allergies_of_kin;
use super::layout::Layout;
use super::named::Named;
use super::scope::Scopes;
use super::taken_as::mark_taken_as;
use super::tested_for::mark_tested_for;
use super::turned_out::mark_turned_out;
use crate::graph::EvolvingGraph;
use crate::text::Token;

/// Marks what is denied, was ruled out, is asked for as an effect, or is another's.
pub(super) fn mark_named(scopes: &mut Scopes, (text, tokens, layout): (&str, &[Token], &Layout), named: &[Named], graph: &EvolvingGraph) {
    mark_denied_verbs(scopes, (tokens, layout), named);
    mark_tested_for(scopes, (text, tokens, layout), named, graph);
    mark_turned_out(scopes, (tokens, layout), named);
    mark_taken_as(scopes, (tokens, layout), named);
    mark_doubted(scopes, (tokens, layout), named);
    mark_asked_effects(scopes, (tokens, layout), named);
    mark_kin(scopes, (tokens, layout), named);
    mark_allergies_of_kin(scopes, (tokens, layout), named);
}
