//! What is no clinical question although it may name medical things: something is to be made (a poem, a program), or what is
//! asked belongs to another domain (law, cooking, prophecy), or what is unwell is a machine.
//!
//! The words are in `assets/gates.toml`.

use serde::Deserialize;

use super::gate::Phrases;
use crate::text::{Token, clause_around};

/// The most words between a verb and the thing that it is to make.
const APART: usize = 6;
/// Within how many words behind an order of writing a clinical thing stands, of which it is no literature: "write a management plan".
const CLINICAL_WITHIN: usize = 8;

/// Within how many words behind a machine stands what it does, and before it what makes it a place, or asks about it.
const DOES_WITHIN: usize = 3;
const BESIDE_WITHIN: usize = 3;
const ABOUT_WITHIN: usize = 4;

/// Something that is to be made: a verb and a thing, words that ask for it alone, or an order to write.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Made {
    verbs: Phrases,
    things: Phrases,
    alone: Phrases,
    orders: Phrases,
    polite: Phrases,
    clinical: Phrases,
}

impl Made {
    /// Whether something is to be made that is no answer: a poem, a translation, a program.
    pub(super) fn is_asked(&self, tokens: &[Token]) -> bool {
        // "Does it make a difference" makes nothing; so the thing must follow its verb within the sentence.
        let follows = |verb: (usize, usize)| {
            (verb.1..tokens.len().min(verb.1 + APART))
                .take_while(|at| !tokens.get(*at).is_some_and(|token| token.after_break))
                .any(|at| self.things.at(tokens, at).is_some())
        };
        self.alone.any(tokens) || self.verbs.all(tokens).any(follows) || self.is_ordered(tokens)
    }

    /// Whether a clause begins with an order to write something, perhaps politely, and what is to be written belongs to no care.
    fn is_ordered(&self, tokens: &[Token]) -> bool {
        let begins = |at: usize| at == 0 || tokens.get(at).is_some_and(|token| token.after_break);
        let is_polite = |at: usize| self.polite.all(tokens).any(|(first, last)| last == at && begins(first));
        let is_of_care = |(_, last): (usize, usize)| (last..last + CLINICAL_WITHIN).any(|at| self.clinical.at(tokens, at).is_some());
        self.orders.all(tokens).any(|order| (begins(order.0) || is_polite(order.0)) && !is_of_care(order))
    }
}

/// Another domain. `strong` words decide where nobody complains of anything, of `weak` words two do where nothing is named;
/// what is `asked` decides where nobody complains of anything now, if its clause asks.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Domain {
    #[serde(rename = "name")]
    _name: String,
    strong: Phrases,
    weak: Phrases,
    #[serde(default)]
    asked: Phrases,
}

/// Machines and what is kept like them, of which something bodily is told: "the boiler is coughing".
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Machines {
    kinds: Phrases,
    verbs: Phrases,
    bodily: Phrases,
    persons: Phrases,
    beside: Phrases,
    about: Phrases,
}

impl Machines {
    /// Whether what is unwell is a machine, and no person is told of: neither one who sits in it nor one whom it makes ill.
    pub(super) fn are_meant(&self, tokens: &[Token]) -> bool {
        let does = |last: usize| (last..last + DOES_WITHIN).any(|at| self.verbs.at(tokens, at).is_some());
        let is_subject =
            |(first, last): (usize, usize)| (!self.is_beside(tokens, first) || self.is_asked_about(tokens, first)) && does(last);
        self.kinds.all(tokens).any(is_subject) && self.bodily.any(tokens) && !self.persons.any(tokens)
    }

    /// Whether a machine is only where somebody is, or what he does something with: "coughing in the car".
    fn is_beside(&self, tokens: &[Token], first: usize) -> bool {
        let near = clause_around(tokens, first).start.max(first.saturating_sub(BESIDE_WITHIN));
        (near..first).any(|at| self.beside.at(tokens, at).is_some())
    }

    /// "What is wrong with my car".
    fn is_asked_about(&self, tokens: &[Token], first: usize) -> bool {
        (first.saturating_sub(ABOUT_WITHIN)..first).any(|at| self.about.at(tokens, at).is_some())
    }
}

/// The domains, and the words that ask.
#[derive(Debug, Default)]
pub(super) struct OtherDomains<'a> {
    pub(super) domains: &'a [Domain],
    pub(super) asking: Option<&'a Phrases>,
}

impl OtherDomains<'_> {
    /// Whether the question is about something that medicine is not concerned with. `names_something`: something clinical is named.
    pub(super) fn is_meant(&self, tokens: &[Token], names_something: bool) -> bool {
        self.domains.iter().any(|domain| domain.strong.any(tokens) || (domain.weak.all(tokens).count() > 1 && !names_something))
    }

    /// Whether a domain is only where something clinical comes from, or an aside: no clause with its words asks. "My laptop bag hurts my
    /// shoulder, any exercises?"
    pub(super) fn is_aside(&self, tokens: &[Token]) -> bool {
        let mut told = self.domains.iter().flat_map(|domain| domain.strong.all(tokens));
        told.all(|(first, _)| !self.asks(tokens, first))
    }

    /// Whether what is asked belongs to another domain, though somebody is ill: "can I sue them for my scar", 孕妇能被辞退吗.
    pub(super) fn is_asked(&self, tokens: &[Token]) -> bool {
        self.domains.iter().any(|domain| domain.asked.all(tokens).any(|(first, _)| self.asks(tokens, first)))
    }

    /// Whether the clause around a token asks.
    fn asks(&self, tokens: &[Token], at: usize) -> bool {
        let clause = clause_around(tokens, at);
        self.asking.is_some_and(|asking| clause.into_iter().any(|at| asking.at(tokens, at).is_some()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::gate::other_domains;
    use crate::text::tokenise;

    #[test]
    fn a_machine_of_which_something_bodily_is_told_is_no_patient_but_who_is_beside_it_is() {
        let are_meant = |text: &str| super::super::gate::machines().are_meant(&tokenise(text));
        for machine in [
            "Our boiler keeps coughing and groaning at night, what is wrong with it?",
            "my laptop's overheating and dying, temperature 95, what can I do",
            "What's wrong with my orchid, its leaves are yellow and it looks sick",
            "my sourdough starter is dead and smells, can i revive it",
            "The van splutters and shakes when I brake. ideas?",
            "我的车一启动就咳嗽一样抖，上坡没力，怎么办",
        ] {
            assert!(are_meant(machine), "{machine}");
        }
        for person in [
            "Wheezing since I got the new car",
            "Chest pain while driving my Fiesta",
            "My car is making me wheeze",
            "Our boiler keeps going out and we all feel sick",
            "Coughing and wheezing in the car is worse at night",
            "the car has hit a man, he is bleeding",
            "吹空调后一直咳嗽发烧",
        ] {
            assert!(!are_meant(person), "{person}");
        }
    }

    #[test]
    fn what_the_clause_of_a_domain_asks_tells_an_aside_from_the_question() {
        for aside in [
            "watching the world cup I got a tight jaw, what is it",
            "my laptop is heavy and my wrist hurts. any exercises?",
            "i had a cocktail, is diazepam dangerous now",
            "玩手机太久，手麻怎么办",
        ] {
            assert!(other_domains().is_aside(&tokenise(aside)), "{aside}");
        }
        for asked in ["which laptop is best for a radiologist", "怎么红烧排骨，糖尿病人吃"] {
            assert!(!other_domains().is_aside(&tokenise(asked)), "{asked}");
        }
        for asked in ["can I sue them over my scar", "孕妇可以被单位辞退吗", "how do I claim benefits for my bad back"] {
            assert!(other_domains().is_asked(&tokenise(asked)), "{asked}");
        }
        for clinical in ["I was dismissed last year and feel low, what helps", "被辞退后一直失眠，怎么办"] {
            assert!(!other_domains().is_asked(&tokenise(clinical)), "{clinical}");
        }
    }
}
