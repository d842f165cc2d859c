//! What the recogniser says of words that the graph does not know: that they name a drug, or a disease.

use super::unknown::{is_disease_head, is_unfamiliar};
use crate::language::common_words::is_common;
use crate::language::misspelling::Spellings;
use crate::language::recognise::Span;
use crate::model::{MentionType, TypedMention};
use crate::run::LikelyKind;
use crate::text::{Token, tokenise};

/// Whether a mention has a word that no vocabulary knows. The network was trained on English abstracts: in questions it also takes "syrup",
/// "nuts" and "OTC" for drugs, and any Chinese words, which would be reported as unknown ones. The beginning of a known name ("phaeo") is no new word.
pub(super) fn names_a_new_word(text: &str, mention: &TypedMention, spellings: &Spellings) -> bool {
    let (begin, end) = mention.span();
    let tokens = text.get(begin..end).map(tokenise).unwrap_or_default();
    tokens.iter().any(|token| is_unfamiliar(token) && !spellings.begins_a_name(&token.text)) && !tokens.iter().any(|token| token.cjk)
}

/// The shortest word that may be a term of the trade though some vocabulary has it: "keratoconus".
const TECHNICAL: usize = 8;
/// Endings of words that everybody uses, however long, and of adjectives, which name nothing alone: "breathlessness", "irritation", "shoulder",
/// "behaviour", "toxicity", "allergic", "menstrual", "involuntary". Names of diseases hardly ever end so.
const EVERYDAY: [&str; 20] = [
    "ness", "ing", "ed", "ment", "ion", "ache", "er", "ior", "iour", "ity", "itie", "ic", "al", "ar", "ive", "ary", "ous", "ible", "able",
    "ant",
];

/// Whether a mention names a disease by words that some vocabulary has: a technical one ("keratoconus"), or two or more of which a later one
/// calls it a disease ("yellow nail syndrome", "orofaciodigital syndrome X"). None that ends with a name of the graph: "exertional asthma" is
/// a known disease, and more is said of it.
pub(super) fn names_a_new_disease(text: &str, mention: &TypedMention, is_name: &dyn Fn(&[Token]) -> bool) -> bool {
    let (begin, end) = mention.span();
    let tokens = text.get(begin..end).map(tokenise).unwrap_or_default();
    let is_chinese = tokens.iter().any(|token| token.cjk);
    if mention.of != MentionType::Disease || is_chinese {
        return false;
    }
    let says_something = |token: &Token| !is_common(&token.text);
    let is_technical = |token: &Token| {
        let word = token.text.as_str();
        let singular = word.strip_suffix('s').unwrap_or(word);
        let is_everyday = EVERYDAY.iter().any(|ending| word.ends_with(ending) || singular.ends_with(ending));
        word.len() >= TECHNICAL && word.chars().all(char::is_alphabetic) && says_something(token) && !is_everyday
    };
    let ends_with_a_name = || (0..tokens.len()).any(|first| tokens.get(first..).is_some_and(is_name));
    let is_called_so = tokens.iter().enumerate().any(|(at, head)| is_disease_head(head) && tokens.iter().take(at).any(says_something));
    (is_called_so || tokens.iter().any(is_technical)) && !ends_with_a_name()
}

/// The recogniser's mentions, in tokens.
#[derive(Debug, Clone, Default)]
pub(super) struct RecognisedTypes(Vec<(Span, LikelyKind)>);

impl RecognisedTypes {
    /// Mentions of a text with these tokens. A mention with gaps counts with what is between.
    pub(super) fn of(tokens: &[Token], mentions: &[TypedMention]) -> Self {
        let span = |mention: &TypedMention| {
            let (begin, end) = mention.span();
            let touches = |token: &Token| token.start < end && token.end > begin;
            let first = tokens.iter().position(touches)?;
            let last = tokens.iter().rposition(touches)? + 1;
            let kind = match mention.of {
                MentionType::Chemical => LikelyKind::Drug,
                MentionType::Disease => LikelyKind::Condition,
            };
            Some((Span { first, last }, kind))
        };
        Self(mentions.iter().filter_map(span).collect())
    }

    /// Where diseases are mentioned.
    pub(super) fn conditions(&self) -> impl Iterator<Item = Span> {
        self.0.iter().filter(|(_, kind)| *kind == LikelyKind::Condition).map(|(span, _)| *span)
    }

    /// What words name that lie within one mention.
    pub(super) fn kind(&self, span: Span) -> Option<LikelyKind> {
        self.0.iter().find(|(mention, _)| mention.first <= span.first && span.last <= mention.last).map(|(_, kind)| *kind)
    }

    /// The same words, with each mention among them apart from the words beside it.
    pub(super) fn part(&self, spans: Vec<Span>) -> Vec<Span> {
        let part = |span: Span| {
            let inside = self.0.iter().filter(|(mention, _)| span.first <= mention.first && mention.last <= span.last);
            let mut cuts: Vec<usize> =
                inside.flat_map(|(mention, _)| [mention.first, mention.last]).chain([span.first, span.last]).collect();
            cuts.sort_unstable();
            cuts.dedup();
            cuts.windows(2).filter_map(|cut| <[usize; 2]>::try_from(cut).ok()).map(|[first, last]| Span { first, last }).collect::<Vec<_>>()
        };
        spans.into_iter().flat_map(part).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn familiar_words_are_no_unknown_drugs() {
        let text = "Is Velotrexin syrup OTC?";
        let mention = |words: &str| TypedMention {
            parts: vec![text.find(words).map(|at| (at, at + words.len())).expect("is there")],
            of: MentionType::Chemical,
        };
        let named: Vec<bool> = ["Velotrexin", "syrup", "OTC", "Velotrexin syrup"]
            .map(|words| names_a_new_word(text, &mention(words), &Spellings::default()))
            .to_vec();
        assert_eq!(named, [true, false, false, true]);
    }

    #[test]
    fn diseases_of_known_words_are_technical_or_called_so() {
        let text = "Yellow nail syndrome, exertional asthma, chronic disease, cold sores, keratoconus, breathlessness, irritations, \
                    脸上keratoconus, orofaciodigital syndrome X, shoulders, antisocial behaviour, toxicities, allergic, menstrual, champions";
        let is_name = |tokens: &[Token]| matches!(tokens, [only] if only.text == "asthma");
        let of = |words: &str, of| TypedMention { parts: vec![text.find(words).map(|at| (at, at + words.len())).expect("is there")], of };
        let named = |words: &str| names_a_new_disease(text, &of(words, MentionType::Disease), &is_name);
        assert!(named("Yellow nail syndrome") && named("keratoconus") && named("orofaciodigital syndrome X"));
        assert!(!named("exertional asthma"), "the graph has what it ends with");
        for everyday in ["chronic disease", "syndrome", "cold sores", "breathlessness", "irritations", "脸上keratoconus"] {
            assert!(!named(everyday), "{everyday}");
        }
        // What the network takes for diseases in questions of patients and doctors.
        for everyday in ["shoulders", "antisocial behaviour", "toxicities", "allergic", "menstrual", "champions"] {
            assert!(!named(everyday), "{everyday}");
        }
        assert!(!names_a_new_disease(text, &of("keratoconus", MentionType::Chemical), &is_name), "drugs have no such words");
    }

    #[test]
    fn chinese_words_are_not_typed_by_a_network_that_never_saw_any() {
        let text = "脸上冒出一大片小红点，吃了Velotrexin";
        let mention = |words: &str| TypedMention {
            parts: vec![text.find(words).map(|at| (at, at + words.len())).expect("is there")],
            of: MentionType::Chemical,
        };
        assert_eq!(
            ["大片", "小红点", "Velotrexin"].map(|words| names_a_new_word(text, &mention(words), &Spellings::default())),
            [false, false, true]
        );
    }

    #[test]
    fn mentions_are_parted_from_the_words_beside_them_and_keep_their_kind() {
        let text = "oral zorb-5 drops against Brallenholm fever";
        let tokens = tokenise(text);
        let mention =
            |words: &str, of| TypedMention { parts: vec![text.find(words).map(|at| (at, at + words.len())).expect("is there")], of };
        let types =
            RecognisedTypes::of(&tokens, &[mention("zorb-5", MentionType::Chemical), mention("Brallenholm fever", MentionType::Disease)]);
        let words = |span: &Span| &text[tokens[span.first].start..tokens[span.last - 1].end];
        let parted = types.part(vec![Span { first: 0, last: tokens.len() }]);
        let parts: Vec<_> = parted.iter().map(|span| (words(span), types.kind(*span))).collect();
        let (drug, condition) = (Some(LikelyKind::Drug), Some(LikelyKind::Condition));
        assert_eq!(parts, [("oral", None), ("zorb-5", drug), ("drops against", None), ("Brallenholm fever", condition)]);
        assert_eq!(types.kind(Span { first: tokens.len() - 1, last: tokens.len() }), condition, "a part of a mention");
        assert_eq!(RecognisedTypes::default().part(parted.clone()), parted, "without a recogniser nothing changes");
    }
}
