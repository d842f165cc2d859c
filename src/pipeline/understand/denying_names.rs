//! Names that hold a denial of their own, which denies nothing of what the patient has: "cannot sleep", "red eyes without discharge".

use super::case::Draft;
use super::named::Named;
use crate::language::knowledge::Knowledge;
use crate::language::lay::is_turn;
use crate::language::negation::is_denying;
use crate::language::recognise::Span;
use crate::text::{StopWords, Token, tokenise};

impl Draft<'_> {
    /// Whether the words of a span are a name of the graph as they stand, or inflected, or one turn of phrase.
    pub(super) fn is_name(&self, knowledge: &Knowledge, span: Span) -> bool {
        is_turn(&self.tokens, span) || !knowledge.graph.names().lookup(&self.words(span)).is_empty()
    }

    /// Whether words say, in their own order, a name that holds a denial: "red eyes, no discharge" is *Red eyes without discharge*, and "red urine
    /// with no pain" is *Painless blood in urine*.
    pub(super) fn says_denying_name(&self, knowledge: &Knowledge, named: &Named) -> bool {
        let denies = |tokens: &[Token]| tokens.iter().any(|token| !token.cjk && is_denying(token));
        let graph = &knowledge.graph;
        let Some(said) = self.tokens.get(named.span.first + 1..named.span.last).filter(|said| denies(said)) else { return false };
        let absent = lacking(said);
        // A name that lacks the same is the one that is said.
        let lacks_it = |name: &str| lacking(&tokenise(name)).iter().any(|word| absent.contains(word));
        let name = graph.entity_name(named.entity);
        denies(&tokenise(name)) || std::iter::once(name).chain(graph.aliases(named.entity)).any(lacks_it)
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

/// What words say is lacking: the first word of content behind each denial ("with no pain"), and what "-less" takes away ("painless").
fn lacking(tokens: &[Token]) -> Vec<String> {
    let of_denial = |at: usize| {
        let behind = tokens.get(at + 1..).unwrap_or_default().iter().map(|token| &token.text);
        behind.into_iter().find(|word| !StopWords::built_in().contains(word)).cloned()
    };
    let lacking = |(at, token): (usize, &Token)| match token.text.strip_suffix("less").filter(|word| word.len() > 2) {
        Some(word) => Some(word.to_owned()),
        None => is_denying(token).then(|| of_denial(at)).flatten(),
    };
    tokens.iter().enumerate().filter(|(_, token)| !token.cjk).filter_map(lacking).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lacking_is_told_by_a_denial_or_by_less() {
        let words = |text: &str| lacking(&tokenise(text));
        assert_eq!(words("red urine with no pain"), ["pain"]);
        assert_eq!(words("Painless blood in urine"), ["pain"]);
        assert_eq!(words("red eyes without any discharge"), ["discharge"]);
        assert!(words("painful red urine").is_empty() && words("less of it, 无痛").is_empty());
    }
}
