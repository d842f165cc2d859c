//! Names that hold a denial of their own, which denies nothing of what the patient has: "cannot sleep", "red eyes without discharge".

use super::case::Draft;
use super::named::Named;
use crate::language::denying::{denies, lacking};
use crate::language::knowledge::Knowledge;
use crate::language::lay::is_turn;
use crate::language::negation::is_denying;
use crate::language::recognise::Span;
use crate::text::{Token, tokenise};

impl Draft<'_> {
    /// Whether the words of a span are a name of the graph as they stand, or inflected, or one turn of phrase.
    pub(super) fn is_name(&self, knowledge: &Knowledge, span: Span) -> bool {
        is_turn(&self.tokens, span) || !knowledge.graph.names().lookup(&self.words(span)).is_empty()
    }

    /// Whether words say, in their own order, a name that holds a denial: "red eyes, no discharge" is *Red eyes without discharge*, and "red urine
    /// with no pain" is *Painless blood in urine*.
    pub(super) fn says_denying_name(&self, knowledge: &Knowledge, named: &Named) -> bool {
        let denies_any = |tokens: &[Token]| tokens.iter().any(|token| !token.cjk && denies(token));
        let graph = &knowledge.graph;
        if self.says_denying_chinese(knowledge, named) {
            return true;
        }
        let Some(said) = self.tokens.get(named.span.first + 1..named.span.last).filter(|said| denies_any(said)) else { return false };
        let absent = lacking(said);
        // A name that lacks the same is the one that is said.
        let lacks_it = |name: &str| lacking(&tokenise(name)).iter().any(|word| absent.contains(word));
        let name = graph.entity_name(named.entity);
        denies_any(&tokenise(name)) || std::iter::once(name).chain(graph.aliases(named.entity)).any(lacks_it)
    }

    /// The same in Chinese: 压了不褪色 is 压之不褪色, and 尿血但是不疼 is 尿血不疼. The denial stands within the words, and a name denies the same character.
    fn says_denying_chinese(&self, knowledge: &Knowledge, named: &Named) -> bool {
        const DENYING: [&str; 4] = ["不", "没", "无", "未"];
        let graph = &knowledge.graph;
        let said = self.tokens.get(named.span.first + 1..named.span.last).unwrap_or_default();
        let denied = said.windows(2).filter_map(|two| match two {
            [denial, next] if DENYING.contains(&denial.text.as_str()) && next.cjk && !next.after_break => Some(next.text.as_str()),
            _ => None,
        });
        let denied: Vec<&str> = denied.collect();
        let denies = |name: &str| denied.iter().any(|next| DENYING.iter().any(|denial| name.contains(&format!("{denial}{next}"))));
        !denied.is_empty() && std::iter::once(graph.entity_name(named.entity)).chain(graph.aliases(named.entity)).any(denies)
    }

    /// Whether words are a name that holds a denial of its own: 睡不着, "cannot sleep". Of "hep B neg", the denial is none of the name.
    pub(super) fn is_denying_name(&self, knowledge: &Knowledge, span: Span) -> bool {
        let denies = |token: &Token| token.cjk || is_denying(token);
        self.is_name(knowledge, span) && self.tokens.get(span.first..span.last).is_some_and(|tokens| tokens.iter().any(denies))
    }

    /// Whether the only denial of a name is its own: "no feeling when I wipe" tells of numbness.
    pub(super) fn denies_itself(&self, knowledge: &Knowledge, span: Span) -> bool {
        let denies = |token: &Token| is_denying(token) || (token.cjk && matches!(token.text.as_str(), "不" | "没" | "无" | "未"));
        let holds = self.tokens.get(span.first..span.last).is_some_and(|tokens| tokens.iter().any(denies));
        let before = span.first.checked_sub(1).filter(|_| !self.tokens.get(span.first).is_some_and(|first| first.after_break));
        holds && self.is_name(knowledge, span) && !before.is_some_and(|before| self.scopes.at(before).absent)
    }
}
