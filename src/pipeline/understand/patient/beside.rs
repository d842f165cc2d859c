//! Kin who are named beside the patient and tell neither his sex nor his age.

use std::ops::Range;

use super::reading::Question;
use crate::pipeline::understand::whose::person_at;
use crate::text::{Token, clause_around};

impl Question<'_> {
    /// Whether the person at this token belongs to a patient who was described before ("Man 52 … His wife was admitted"), or is a pregnant woman beside the
    /// child that is asked about.
    pub(super) fn is_of_described(&self, at: usize) -> bool {
        let is_pregnant = |next: &usize| matches!(self.word(*next), "pregnant" | "pregnancy");
        if (at + 1..self.tokens.len()).find(is_pregnant).is_some_and(|next| self.is_of_other_woman(next)) && !self.is_child(at) {
            return true;
        }
        let is_owned = at > 1 && matches!(self.word(at - 1), "his" | "her" | "their");
        is_owned && (0..at - 1).any(|before| self.person(before).is_some_and(|people| people.called))
    }

    /// Whether something happened to the child at this token: "boiling water went over my toddler", "the dog bit our baby"; not "I fell over my toddler".
    pub(super) fn is_struck(&self, at: usize) -> bool {
        let is_mine = matches!(self.before(at, 1), "my" | "our");
        let happened = matches!(
            self.before(at, 2),
            "over" | "onto" | "down" | "bit" | "bitten" | "hit" | "kicked" | "stung" | "burnt" | "burned" | "scalded" | "scratched"
        );
        let falls = |at: usize| self.word(at) == "i" && matches!(self.word(at + 1), "fell" | "tripped" | "stumbled" | "slipped");
        at > 1 && is_mine && happened && self.is_child(at) && !self.breaks(at) && !self.breaks(at - 1) && !(0..at).any(falls)
    }

    /// Whether the person at this token is called a child.
    fn is_child(&self, at: usize) -> bool {
        matches!(
            self.word(at),
            "son" | "daughter" | "grandson" | "granddaughter" | "baby" | "child" | "kid" | "boy" | "girl" | "lad" | "toddler"
        )
    }

    /// Whether what the person at this token has is asked for by another: "my sister has water tablets, should I get some?".
    pub(super) fn asks_to_share(&self, at: usize) -> bool {
        const BEHIND: usize = 12;
        let asks = |at: usize| matches!(self.word(at), "can" | "could" | "should" | "shall" | "may") && self.word(at + 1) == "i";
        let takes = |at: usize| matches!(self.word(at), "get" | "have" | "take" | "try" | "use" | "share" | "borrow");
        let of_it = |at: usize| matches!(self.word(at), "some" | "it" | "his" | "hers" | "them" | "one" | "these" | "those");
        (at + 1..at + BEHIND).any(|may| asks(may) && (may + 2..may + 4).any(|verb| takes(verb) && (verb + 1..verb + 3).any(of_it)))
    }
}

/// Where a Chinese text names kin of a patient whose age is told before, or of somebody else: "28岁，外婆中风", 小明的外婆. What is told of "65岁母亲", 我妈 or 我的母亲 is told of the
/// patient.
pub(super) fn chinese_kin(tokens: &[Token]) -> Vec<Range<usize>> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_aged = |mut range: Range<usize>| range.any(|at| word(at) == "岁");
    let is_beside = |at: &usize| {
        let clause = clause_around(tokens, *at);
        let before = |back: usize| at.checked_sub(back).filter(|at| *at >= clause.start).map_or("", word);
        let is_mine =
            word(*at) == "我" || matches!(before(1), "我" | "老" | "家") || before(1) == "的" && matches!(before(2), "我" | "您" | "你");
        let is_owned = before(1) == "的" && !before(2).is_empty();
        !is_mine && !is_aged(clause.clone()) && (is_owned || is_aged(0..clause.start))
    };
    let kin = (0..tokens.len()).filter(|at| tokens.get(*at).is_some_and(|token| token.cjk));
    kin.filter_map(|at| person_at(tokens, at).map(|last| at..last)).filter(|kin| is_beside(&kin.start)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Patient, Sex};
    use crate::text::tokenise;

    #[test]
    fn kin_beside_the_patient_do_not_tell_the_sex() {
        let sex = |question: &str| Patient::of(&tokenise(question)).sex;
        assert_eq!(sex("28岁，外婆中风，最近头晕，怎么办？"), None);
        // An age before her makes her the patient.
        assert!(super::chinese_kin(&tokenise("65岁母亲胸痛")).is_empty());
        assert_eq!(sex("我妈65岁，头晕"), Some(Sex::Female));
        assert_eq!(sex("Man 52, anxious, worrying all the time. His wife was admitted with a stroke."), Some(Sex::Male));
        assert_eq!(sex("My wife was admitted with a stroke."), Some(Sex::Female));
    }
}
