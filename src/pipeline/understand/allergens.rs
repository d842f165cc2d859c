//! Which drugs of a question the patient is allergic to: what is called so, alone or in a list, and what is told to have done harm before
//! another drug is asked about.

use super::drugs::{DrugReader, FILE, Reach, Says, is_in_drug};
use super::intent::asks_permission;
use super::layout::Section;
use super::named::{Class, Named};
use super::reactions::{calls_allergen, is_listed, is_purpose, is_remedy, was_given};
use super::scope::is_contrast;
use crate::language::phrase_table::FoundPhrase;
use crate::language::recognise::Span;
use crate::run::DrugStatus;

/// What is asked for where no drug is named, and how many words behind "which".
const ASKED_FOR: [&str; 9] =
    ["antibiotic", "antibiotics", "painkiller", "painkillers", "analgesic", "antiepileptic", "alternative", "alternatives", "instead"];
const ASKED_WITHIN: usize = 3;

impl DrugReader<'_> {
    /// Whether a drug in the section of allergies is one of the allergens, not what was given for the reaction or is tolerated.
    pub(super) fn is_listed_allergen(&self, span: Span, drugs: &[Named]) -> bool {
        if !is_remedy(self.tokens, span) {
            return !was_given(self.tokens, span);
        }
        let sentence = self.layout.sentence(span.first);
        let is_of_list = |at: &usize| self.layout.section(*at) == Section::Allergies && !self.layout.is_heading(*at);
        let from = (sentence.first..span.first).rev().take_while(is_of_list).last().unwrap_or(span.first);
        is_listed(self.tokens, from, span, |at| is_in_drug(drugs, at))
    }

    /// Whether a sentence names an allergen before a drug.
    pub(super) fn is_behind_allergen(&self, span: Span, drugs: &[Named]) -> bool {
        let sentence = self.layout.sentence(span.first);
        let before = drugs.iter().filter(|drug| sentence.first <= drug.span.first && drug.span.last <= span.first);
        before.into_iter().any(|drug| self.governing(drug.span, drugs).any(|cue| cue.means.0 == DrugStatus::Allergic))
    }

    /// Whether a cue of an allergy calls a drug an allergen. What is for a reaction is none, nor what was given for one; and a drug that treats
    /// reactions is one only where it is called so in so many words.
    pub(super) fn calls_so(&self, cue: &FoundPhrase<Says>, span: Span, drugs: &[Named]) -> bool {
        let word = |at: usize| self.tokens.get(at).map_or("", |token| token.text.as_str());
        match cue.means.1 {
            Reach::Before => {
                // "服用华法林，青霉素过敏": the name of an allergy speaks for itself, and for a list that it ends.
                let is_between = |other: &Span| span.last <= other.first && other.first <= cue.first;
                !(span.last..cue.first).any(|at| is_purpose(self.tokens, at))
                    && !self.is_taken_beside(cue, span, drugs)
                    && (!self.allergies.iter().any(is_between) || self.ends_list(cue, span, drugs))
                    && (!is_remedy(self.tokens, span) || calls_allergen(self.tokens, span, (cue.first, cue.last)))
            }
            Reach::After => {
                // "For allergies and amoxicillin": without a mark behind it, the word begins no list.
                let is_bare = word(cue.last.saturating_sub(1)) == "allergies";
                if is_bare && !self.gap(cue.last).contains(['-', '–', '—', ':', '：', '=']) {
                    return false;
                }
                let breaks = (cue.last + 1..=span.first).any(|at| self.tokens.get(at).is_some_and(|token| token.after_break));
                // "Allergic to penicillin, takes warfarin": a verb of its own says of the second what it is.
                let is_beyond = |other: &&FoundPhrase<Says>| {
                    other.means.0 != DrugStatus::Allergic && other.means.1 == Reach::After && cue.last <= other.first
                };
                // … unless a reaction to it is told: "on trimethoprim came out in hives".
                let reacts = FILE.reaction.begins_in_clause(self.tokens, span.last);
                if !reacts && self.cues.iter().filter(is_beyond).any(|other| other.last <= span.first) {
                    return false;
                }
                // "Anaphylaxis to amoxicillin, hydrocortisone": what stands behind a reaction may be what it was treated with.
                let tells_of_reaction = word(cue.first).starts_with("anaphyla") || word(cue.first).starts_with("react");
                let treats = word(cue.last.saturating_sub(1)) == "with";
                let is_given = breaks && was_given(self.tokens, span);
                let is_remedy = is_remedy(self.tokens, span);
                let is_called =
                    || !(treats || breaks && tells_of_reaction) && is_listed(self.tokens, cue.last, span, |at| is_in_drug(drugs, at));
                !is_given && (!is_remedy || is_called())
            }
        }
    }

    /// Whether words beside a drug are about an allergy to it: "penicillin anaphylaxis".
    pub(super) fn is_of_allergy(&self, span: Span, drugs: &[Named]) -> bool {
        let allergic = |drug: &Named| {
            self.governing(drug.span, drugs)
                .any(|cue| cue.means.0 == DrugStatus::Allergic && cue.first < span.last && span.first < cue.last)
        };
        let sentence = self.layout.sentence(span.first);
        // "Her tongue ballooned on lisinopril, now HFrEF": what is so now is no reaction of long ago.
        let is_now = |drug: &Named| {
            let (from, to) = (drug.span.last.min(span.last), drug.span.first.max(span.first));
            self.tokens.get(from..to).unwrap_or_default().iter().any(|token| is_contrast(&token.text))
        };
        let in_sentence = |drug: &&Named| drug.span.first >= sentence.first && drug.span.last <= sentence.last && !is_now(drug);
        drugs.iter().any(allergic)
            || drugs.iter().filter(in_sentence).any(|drug| FILE.reaction.tell_of((self.text, self.tokens, self.times), sentence, drug.span))
    }

    /// Conditions that are allergies themselves, within whose names a cue stands: 磺胺过敏 behind 青霉素 in one list.
    pub(super) fn find_allergies(&mut self, named: &[Named]) {
        let is_allergy = |span: Span| {
            // Not an anaphylaxis, which names no allergen.
            let within = |cue: &FoundPhrase<Says>| span.first < cue.first && cue.last <= span.last;
            self.cues.iter().any(|cue| cue.means.0 == DrugStatus::Allergic && within(cue))
        };
        let of = |class: Class| matches!(class, Class::Condition | Class::Other);
        self.allergies = named.iter().filter(|named| of(named.class) && is_allergy(named.span)).map(|named| named.span).collect();
    }

    /// Whether a cue of an allergy behind a drug ends a list in which it stands: 青霉素、头孢过敏, "penicillin, codeine and latex allergy".
    pub(super) fn ends_list(&self, cue: &FoundPhrase<Says>, span: Span, drugs: &[Named]) -> bool {
        let word = |at: usize| self.tokens.get(at).map_or("", |token| token.text.as_str());
        let is_item = |at: usize| is_in_drug(drugs, at) || self.is_in_allergy(at);
        let joins = |at: usize| is_item(at) || matches!(word(at), "and" | "or" | "和" | "及" | "与" | "类");
        let marks = |at: usize| self.gap(at);
        let breaks: Vec<usize> = (span.last..cue.first).filter(|at| self.tokens.get(*at).is_some_and(|token| token.after_break)).collect();
        let is_chinese = breaks.iter().all(|at| marks(*at).contains('、'));
        let has_last = (span.last..cue.first).any(|at| matches!(word(at), "and" | "or"));
        let is_sign = |at: usize| marks(at).contains('&');
        // What no graph holds may be the last of them: latex.
        let joined = (span.last..cue.first).filter(|at| !joins(*at));
        let is_last = |at: usize| at + 1 == cue.first && (is_sign(at) || matches!(word(at - 1), "and" | "or"));
        let has_last = has_last || (span.last..cue.first).any(is_sign);
        cue.means.0 == DrugStatus::Allergic && joined.into_iter().all(is_last) && (is_chinese || has_last)
    }

    /// What stands before a token, behind the one before.
    pub(super) fn gap(&self, at: usize) -> &str {
        let before = at.checked_sub(1).and_then(|before| self.tokens.get(before));
        let ends = before.zip(self.tokens.get(at)).map(|(one, next)| one.end..next.start);
        ends.and_then(|ends| self.text.get(ends)).unwrap_or_default()
    }

    /// Whether a token belongs to the name of an allergy.
    pub(super) fn is_in_allergy(&self, at: usize) -> bool {
        self.allergies.iter().any(|span| (span.first..span.last).contains(&at))
    }

    /// Whether the word right before a drug says that it is taken, and another stands nearer to what is said of an allergy: "takes warfarin and
    /// penicillin allergic".
    fn is_taken_beside(&self, cue: &FoundPhrase<Says>, span: Span, drugs: &[Named]) -> bool {
        let is_nearer = |drug: &Named| span.last <= drug.span.first && drug.span.first < cue.first;
        let word = |at: usize| self.tokens.get(at).map_or("", |token| token.text.as_str());
        let is_told = span.first.checked_sub(1).is_some_and(|at| matches!(word(at), "takes" | "taking" | "on" | "uses" | "using" | "has"));
        let is_allergy = |other: &Span| span.last <= other.first && other.first <= cue.first;
        is_told && (drugs.iter().any(is_nearer) || self.allergies.iter().any(is_allergy))
    }

    /// Whether a sentence from a token on asks which drug to give: "Which antibiotic?", "What instead?"
    fn asks_for_a_drug(&self, from: usize) -> bool {
        let word = |at: usize| self.tokens.get(at).map_or("", |token| token.text.as_str());
        (from..self.tokens.len()).any(|at| {
            let is_open = matches!(word(at), "which" | "what") && self.layout.sentence(at).asks;
            is_open && (at + 1..=at + ASKED_WITHIN).any(|at| ASKED_FOR.contains(&word(at)))
        })
    }

    /// Whether a reaction to a drug is told before another is asked about: "came out in hives with penicillin. Can she have amoxicillin?" When it
    /// was is not told; that the other may do the same is what counts.
    pub(super) fn reacted_to(&self, span: Span, drugs: &[Named]) -> bool {
        let sentence = self.layout.sentence(span.first);
        let permission = asks_permission(self.tokens, sentence.first, sentence.last);
        let is_told = permission.map_or(!sentence.asks, |(first, _)| span.last <= first);
        let is_asked = |other: &Named| {
            let place = self.layout.sentence(other.span.first);
            let asked = asks_permission(self.tokens, place.first, place.last);
            let is_behind = place.first != sentence.first || permission.is_some_and(|(first, _)| first < other.span.first);
            other.span.first >= span.last && is_behind && (place.asks || asked.is_some())
        };
        let is_named = drugs.iter().any(is_asked);
        is_told
            && !is_remedy(self.tokens, span)
            && (is_named || self.asks_for_a_drug(sentence.last))
            && FILE.reaction.is_beside(self.tokens, (sentence, span), !is_named, |at| self.scopes.at(at).absent)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::read;
    use crate::run::{Case, DrugStatus};

    fn allergens(case: &Case) -> Vec<&str> {
        case.patient.allergies.iter().map(String::as_str).collect()
    }

    #[test]
    fn each_of_a_list_is_an_allergen() {
        for (text, expected) in [
            ("Penicillin and codeine allergies. Can she have amoxicillin?", vec!["Penicillin antibiotic", "Codeine"]),
            ("Penicillin, codeine and morphine allergy. Tramadol?", vec!["Penicillin antibiotic", "Codeine", "Morphine"]),
            (
                "Allergic to penicillin, cephalosporins and sulfa. Can she have amoxicillin?",
                vec!["Penicillin antibiotic", "Cephalosporin antibiotic", "Sulfonamide antibiotic"],
            ),
            ("Cellulitis; penicillin, codeine and latex allergy. Tramadol?", vec!["Penicillin antibiotic", "Codeine"]),
            ("Sulfa, aspirin & shellfish allergies. Celecoxib?", vec!["Sulfonamide antibiotic", "Aspirin"]),
            (
                "She can't have penicillin or erythromycin, she's allergic to both. What instead?",
                vec!["Penicillin antibiotic", "Erythromycin"],
            ),
            ("On metformin; allergies - doxycycline, penicillin. Chest infection, what?", vec!["Doxycycline", "Penicillin antibiotic"]),
            ("青霉素、头孢、磺胺过敏，能用阿莫西林吗？", vec!["Benzylpenicillin", "Cephalosporin antibiotic", "Sulfonamide antibiotic"]),
            ("青霉素和头孢过敏史，能用阿莫西林吗？", vec!["Benzylpenicillin", "Cephalosporin antibiotic"]),
        ] {
            let case = read(text);
            for allergen in expected {
                assert!(allergens(&case).contains(&allergen), "{text}: {:?}", case.patient.allergies);
            }
            assert!(!allergens(&case).contains(&"Amoxicillin") && !allergens(&case).contains(&"Tramadol"), "{text}");
        }
    }

    #[test]
    fn what_is_taken_beside_an_allergen_is_none() {
        for (text, taken) in [
            ("Takes warfarin and penicillin allergic. Chest infection, which antibiotic?", "Warfarin"),
            ("On ramipril, penicillin allergy. Cellulitis, what antibiotic?", "Ramipril"),
            ("On ramipril, allergies nil. BP 158/94, what to add?", "Ramipril"),
            ("Takes fexofenadine and montelukast for allergies. Can she have amoxicillin?", "Montelukast"),
            ("On metformin; allergies - doxycycline, penicillin. Chest infection, what?", "Metformin"),
            ("服用华法林，青霉素过敏，能用头孢吗？", "Warfarin"),
        ] {
            let case = read(text);
            let status = case.drugs.iter().find(|drug| drug.entity.as_deref() == Some(taken)).map(|drug| drug.status);
            assert_eq!(status, Some(DrugStatus::Taken), "{text}: {:?}", case.drugs);
        }
    }

    #[test]
    fn what_made_a_rash_is_an_allergen_where_another_drug_is_asked_about() {
        for (text, allergen) in [
            ("Hives from codeine. Can she have tramadol?", "Codeine"),
            ("She came out in a rash with penicillin. Can she have co-amoxiclav?", "Penicillin antibiotic"),
            ("came out in hives after penicillin can i take amoxicillin", "Penicillin antibiotic"),
            ("my face swelled up when i took ibuprofen. can i take naproxen?", "Ibuprofen"),
            ("Ibuprofen makes me wheeze. Can I have aspirin?", "Ibuprofen"),
            ("Vancomycin made him break out in a rash. Would teicoplanin be any better?", "Vancomycin"),
            ("Lips and tongue ballooned on lisinopril 3 years ago. Is sacubitril-valsartan ok?", "Lisinopril"),
            ("She also gets hives from codeine. Is morphine safe?", "Codeine"),
            ("吃布洛芬起疹子，能吃萘普生吗？", "Ibuprofen"),
            ("以前用青霉素休克过，现在能用头孢吗？", "Benzylpenicillin"),
            ("我打青霉素也起过疹，能吃头孢吗？", "Benzylpenicillin"),
            ("Had to be resuscitated after amoxicillin. Flucloxacillin?", "Amoxicillin"),
            ("Collapsed after a lidocaine injection. Is bupivacaine ok?", "Lidocaine"),
            ("Came out in hives with trimethoprim. Which antibiotic for cystitis?", "Trimethoprim"),
        ] {
            let case = read(text);
            assert_eq!(allergens(&case), [allergen], "{text}: {:?}", case.drugs);
        }
    }

    #[test]
    fn a_reaction_of_which_nothing_is_asked_or_that_is_denied_makes_no_allergen() {
        for text in [
            "He is on codeine and has hives. Why?",
            "Rash with lamotrigine started last week. What now?",
            "No rash with penicillin. Can she have co-amoxiclav?",
            "Does penicillin cause a rash? Can I take amoxicillin?",
            "Treated her hives with cetirizine. Can she have loratadine?",
            "Has an itchy rash and takes warfarin. Can she have terbinafine?",
            "Collapsed after amlodipine. Is bisoprolol ok?",
            "Pneumonia, wheeze on amoxicillin. Which antibiotic?",
            "Resuscitated with amiodarone. Is bisoprolol ok?",
        ] {
            let case = read(text);
            assert!(case.patient.allergies.is_empty(), "{text}: {:?}", case.drugs);
        }
    }

    #[test]
    fn a_dose_that_was_raised_is_as_good_as_a_new_drug() {
        let status = |text: &str| read(text).drugs.first().map(|drug| drug.status);
        assert_eq!(status("27M, aripiprazole 10->15 mg 10 days ago. Can't sit still. Why?"), Some(DrugStatus::New));
        assert_eq!(status("Sertraline 50mg → 100mg last week, now shaky"), Some(DrugStatus::New));
        assert_eq!(status("Prednisolone 20->5 mg, tired"), Some(DrugStatus::Taken));
        assert_eq!(status("Ramipril 5 mg, creatinine 90 -> 120"), Some(DrugStatus::Taken));
    }
}
