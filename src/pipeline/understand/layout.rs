//! The layout of a question: its sentences, which of them ask, and the sections of clinical notes ("PMH: …", "DH: …").

use std::sync::LazyLock;

use serde::Deserialize;

use crate::language::negation::IsFindingAt;
use crate::language::phrase_table::PhraseTable;
use crate::text::Token;

/// A section of notes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Section {
    /// None, or one that says nothing of its items.
    #[default]
    Open,
    /// What the patient had or has had for long.
    Past,
    /// What the patient takes.
    Drugs,
    /// What the patient is allergic to.
    Allergies,
    /// What relatives have.
    Family,
    /// Examination and results.
    Results,
    /// What it is taken for.
    Impression,
    /// What is to be done.
    Plan,
}

/// The headings, by section.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Headings {
    complaint: Vec<String>,
    past: Vec<String>,
    drugs: Vec<String>,
    allergies: Vec<String>,
    family: Vec<String>,
    social: Vec<String>,
    exam: Vec<String>,
    results: Vec<String>,
    impression: Vec<String>,
    plan: Vec<String>,
}

static HEADINGS: LazyLock<PhraseTable<Section>> = LazyLock::new(|| {
    let words = &super::scope::WORDS.sections;
    let lists = [
        (&words.complaint, Section::Open),
        (&words.past, Section::Past),
        (&words.drugs, Section::Drugs),
        (&words.allergies, Section::Allergies),
        (&words.family, Section::Family),
        (&words.social, Section::Open),
        (&words.exam, Section::Results),
        (&words.results, Section::Results),
        (&words.impression, Section::Impression),
        (&words.plan, Section::Plan),
    ];
    PhraseTable::of(lists.into_iter().flat_map(|(headings, section)| headings.iter().map(move |heading| (heading.as_str(), section))))
});

/// Abbreviations whose point ends no sentence.
const ABBREVIATIONS: [&str; 14] = ["approx", "incl", "dr", "mr", "mrs", "ms", "vs", "eg", "ie", "etc", "prof", "st", "no", "yr"];

/// One sentence: its tokens, and whether it asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sentence {
    pub(crate) first: usize,
    pub(crate) last: usize,
    /// Whether a question mark ends it.
    pub(crate) asks: bool,
}

/// At which tokens the names of what the graph knows begin.
pub(super) struct NamesAt<'a> {
    /// Of a finding or condition.
    pub(super) finding: IsFindingAt<'a>,
    /// Of a symptom.
    pub(super) complaint: IsFindingAt<'a>,
    /// Of an emergency.
    pub(super) emergency: IsFindingAt<'a>,
}

#[cfg(test)]
impl NamesAt<'_> {
    /// Where no graph is asked.
    pub(super) const NOTHING: Self = Self { finding: &|_| false, complaint: &|_| false, emergency: &|_| false };
}

/// Sentences and sections of a question.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    pub(crate) sentences: Vec<Sentence>,
    /// For each token its sentence.
    of_token: Vec<usize>,
    /// For each token its section.
    sections: Vec<Section>,
    /// For each token whether it belongs to a heading.
    headings: Vec<bool>,
    /// For each token whether it stands behind a heading without a colon: "PMH asthma, wheezing".
    bare: Vec<bool>,
}

impl Layout {
    /// The layout of a text.
    pub(crate) fn of(text: &str, tokens: &[Token]) -> Self {
        let mut layout = Self {
            of_token: vec![0; tokens.len()],
            headings: vec![false; tokens.len()],
            bare: vec![false; tokens.len()],
            ..Self::default()
        };
        layout.cut(text, tokens);
        layout.sections = vec![Section::Open; tokens.len()];
        layout.find_sections(text, tokens);
        layout
    }

    fn cut(&mut self, text: &str, tokens: &[Token]) {
        let mut first = 0;
        for at in 0..tokens.len() {
            let ends = ends_sentence(text, tokens, at);
            if ends || at + 1 == tokens.len() {
                let asks = has_question_mark(gap(text, tokens, at));
                self.of_token.iter_mut().take(at + 1).skip(first).for_each(|sentence| *sentence = self.sentences.len());
                self.sentences.push(Sentence { first, last: at + 1, asks });
                first = at + 1;
            }
        }
    }

    fn find_sections(&mut self, text: &str, tokens: &[Token]) {
        let mut section = Section::Open;
        // Whether the section goes on in the lines below its heading.
        let mut is_block = false;
        let mut is_bare = false;
        let mut at = 0;
        while at < tokens.len() {
            let before = at.checked_sub(1).map_or("", |before| gap(text, tokens, before));
            let begins_line = at == 0 || before.contains('\n');
            let begins_sentence = self.sentence(at).first == at;
            if begins_line && before.matches('\n').count() > 1 && !is_empty_heading(&self.headings, at) {
                (section, is_block) = (Section::Open, false);
            } else if begins_sentence && !is_block && !(begins_line && before.contains(['-', '*', '•', '·'])) {
                section = Section::Open;
            }
            // "PMH asthma, now wheezing": what is so now is no history; in brackets it is said of one item.
            if matches!(section, Section::Past | Section::Family) && !before.trim_end().ends_with(['(', '（']) && is_now(tokens, at) {
                // "PMH: DVT, chest pain today".
                if !tokens.get(at).is_some_and(|token| token.after_break) && matches!(section, Section::Past) && is_day(tokens, at) {
                    let first = (0..at).rev().find(|first| tokens.get(*first).is_some_and(|token| token.after_break)).unwrap_or(at);
                    self.sections.iter_mut().take(at).skip(first).for_each(|section| *section = Section::Open);
                }
                (section, is_block) = (Section::Open, false);
            }
            if let Some(Heading { section: found, last, of_block, is_known, is_bare: bare }) =
                heading(text, tokens, at, begins_line, begins_sentence || tokens.get(at).is_some_and(|token| token.after_break))
            {
                (section, is_block, is_bare) = (found, of_block, bare);
                // The words of any other heading may be the case itself: "fever and cough: which test?".
                if is_known {
                    self.headings.iter_mut().take(last).skip(at).for_each(|heading| *heading = true);
                }
                at = last;
                continue;
            }
            // A question put among notes is no item of theirs.
            let sentence = self.sentence(at);
            let asks = sentence.asks
                && !is_empty_heading(&self.headings, sentence.first)
                && !self.is_heading(sentence.first)
                && sentence.first + 1 < sentence.last;
            if let Some(slot) = self.sections.get_mut(at) {
                *slot = if asks { Section::Open } else { section };
            }
            if let Some(slot) = self.bare.get_mut(at) {
                *slot = is_bare && section == Section::Past;
            }
            at += 1;
        }
    }

    /// Ends each history behind a heading without a colon where its last clause tells what is wrong now, in more words than a name has: "PMH migraine, vomiting
    /// with a stiff neck", but "PMH migraine, palpitations, DVT" is a list. What stands right behind the heading is history all the same.
    /// `is_complaint_at`: whether the name of a symptom begins at a token.
    pub(crate) fn end_history_at_complaints(&mut self, tokens: &[Token], is_complaint_at: IsFindingAt<'_>) {
        let begins_clause = |at: usize| tokens.get(at).is_some_and(|token| token.after_break);
        let is_history = |layout: &Self, at: usize| layout.bare.get(at).copied().unwrap_or(false) && layout.section(at) == Section::Past;
        let happens = |at: usize| begins_clause(at) && tokens.get(at).is_some_and(|token| HAPPENS.contains(&token.text.as_str()));
        let tells_more = |layout: &Self, at: usize| {
            let end = (at + 1..tokens.len()).find(|next| begins_clause(*next) || !is_history(layout, *next)).unwrap_or(tokens.len());
            let first = (0..=at).rev().find(|first| begins_clause(*first)).unwrap_or(0);
            let is_last = !is_history(layout, end);
            is_last && end - first > NAME
        };
        let mut is_ended = false;
        for at in 0..tokens.len() {
            if !is_history(self, at) {
                is_ended = false;
                continue;
            }
            if !is_ended && (is_complaint_at(at) && tells_more(self, at) || happens(at)) {
                let first = (0..=at).rev().find(|first| begins_clause(*first) || !is_history(self, *first)).unwrap_or(at);
                is_ended = is_history(self, first) && first.checked_sub(1).is_some_and(|before| is_history(self, before));
                if is_ended {
                    self.sections.iter_mut().take(at).skip(first).for_each(|section| *section = Section::Open);
                }
            }
            if let Some(section) = self.sections.get_mut(at).filter(|_| is_ended) {
                *section = Section::Open;
            }
        }
    }

    /// The sentence of a token.
    pub(crate) fn sentence(&self, at: usize) -> Sentence {
        let number = self.of_token.get(at).copied().unwrap_or_default();
        self.sentences.get(number).copied().unwrap_or(Sentence { first: 0, last: self.of_token.len(), asks: false })
    }

    /// The section of a token.
    pub(crate) fn section(&self, at: usize) -> Section {
        self.sections.get(at).copied().unwrap_or_default()
    }

    /// Whether a token belongs to a heading.
    pub(crate) fn is_heading(&self, at: usize) -> bool {
        self.headings.get(at).copied().unwrap_or(false)
    }

    /// Whether two tokens stand in one sentence.
    pub(crate) fn is_one_sentence(&self, one: usize, other: usize) -> bool {
        self.of_token.get(one) == self.of_token.get(other)
    }
}

/// Whether a token says that it is today; it may stand behind what is so.
fn is_day(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| matches!(token.text.as_str(), "today" | "tonight"))
}

/// Whether a token says that what follows is so now, or brings the patient here.
fn is_now(tokens: &[Token], at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    matches!(word(at), "now" | "today" | "tonight" | "presents" | "presenting") || (word(at) == "p" && word(at + 1) == "w")
}

fn is_empty_heading(headings: &[bool], at: usize) -> bool {
    at.checked_sub(1).and_then(|before| headings.get(before)).copied().unwrap_or(false)
}

/// A heading of notes.
struct Heading {
    section: Section,
    /// One past its last token.
    last: usize,
    /// Whether the section goes on in the lines below.
    of_block: bool,
    /// Whether it is in the list of headings.
    is_known: bool,
    /// Whether nothing closes it: "PMH asthma".
    is_bare: bool,
}

/// A clause of so many words may be a name alone.
const NAME: usize = 2;

/// What happens to somebody, at the beginning of a clause among his history: "PMH hypertension, fell and hit his head".
const HAPPENS: [&str; 12] =
    ["fell", "collapsed", "fainted", "swallowed", "took", "developed", "complains", "complaining", "woke", "feels", "having", "cannot"];

/// The heading that begins at a token.
fn heading(text: &str, tokens: &[Token], at: usize, begins_line: bool, begins_clause: bool) -> Option<Heading> {
    if !begins_clause && !begins_line {
        return None;
    }
    let behind = |last: usize| last.checked_sub(1).map_or("", |before| gap(text, tokens, before));
    let is_closed =
        |last: usize| behind(last).trim_start_matches(' ').starts_with([':', '：', '=']) || (begins_line && behind(last).contains('\n'));
    let of_block = |last: usize| begins_line && behind(last).contains('\n');
    for found in HEADINGS.all_at(tokens, at) {
        let is_bare = || {
            // "PMH asthma, DH salbutamol": an abbreviation in capitals.
            let written = text.get(tokens.get(at)?.start..tokens.get(found.last - 1)?.end)?;
            let letters = written.chars().filter(|c| c.is_alphabetic()).count();
            let is_abbreviation = letters > 1
                && letters <= 4
                && written.chars().next()?.is_uppercase()
                && written.chars().filter(|c| c.is_uppercase()).count() >= 2;
            let names_section = matches!(found.means, Section::Past | Section::Drugs | Section::Family);
            (is_abbreviation && names_section).then_some(())
        };
        let is_closed = is_closed(found.last);
        if is_closed || is_bare().is_some() {
            let of_block = of_block(found.last);
            return Some(Heading { section: found.means, last: found.last, of_block, is_known: true, is_bare: !is_closed });
        }
    }
    // Any other heading ends the section before: "Overnight:".
    let any = (at + 1..=(at + 4).min(tokens.len())).find(|last| behind(*last).starts_with([':', '：']))?;
    let joined = tokens.get(at + 1..any)?.iter().all(|token| !token.after_break);
    let is_time = tokens.get(any - 1)?.text.starts_with(|c: char| c.is_ascii_digit());
    (joined && !is_time).then_some(Heading { section: Section::Open, last: any, of_block: false, is_known: false, is_bare: false })
}

/// The text behind a token, up to the next.
pub(super) fn gap<'t>(text: &'t str, tokens: &[Token], at: usize) -> &'t str {
    let begin = tokens.get(at).map_or(text.len(), |token| token.end);
    let end = tokens.get(at + 1).map_or(text.len(), |token| token.start);
    text.get(begin..end).unwrap_or_default()
}

/// Whether a question mark stands in the text between two words, other than one that queries the word behind it ("?PE").
fn has_question_mark(gap: &str) -> bool {
    let queries = gap.ends_with(['?', '？']) && gap.trim_end_matches(['?', '？']).ends_with([' ', '(', ',', ':', '/', '-', '\n']);
    let gap = if queries { gap.trim_end_matches(['?', '？']) } else { gap };
    gap.contains(['?', '？'])
}

/// Whether a sentence ends behind a token.
fn ends_sentence(text: &str, tokens: &[Token], at: usize) -> bool {
    let gap = gap(text, tokens, at);
    if gap.contains(['!', '！', '。', ';', '；', '\n']) || has_question_mark(gap) {
        return true;
    }
    let Some(point) = gap.find('.') else { return false };
    let behind = gap.get(point + 1..).unwrap_or_default();
    let word = tokens.get(at).map_or("", |token| token.text.as_str());
    let is_short = ABBREVIATIONS.contains(&word) || (word.chars().count() == 1 && word.chars().all(char::is_alphabetic));
    let ends_text = at + 1 == tokens.len();
    ends_text || (!is_short && (behind.is_empty() || behind.starts_with(char::is_whitespace) || behind.starts_with(['"', '”', ')'])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    fn sections(text: &str, word: &str) -> Section {
        let tokens = tokenise(text);
        let at = tokens.iter().position(|token| token.text == word).expect("is there");
        Layout::of(text, &tokens).section(at)
    }

    #[test]
    fn what_is_so_now_ends_the_history() {
        for text in ["PMH asthma, now wheezing", "PMH: asthma, T2DM; now wheezing", "PMH asthma. FH gout, presents with wheezing"] {
            assert_eq!(sections(text, "wheezing"), Section::Open, "{text}");
            assert_eq!(sections(text, "asthma"), Section::Past, "{text}");
        }
        let with_complaints = |text: &str, complaint: &str, word: &str| {
            let tokens = tokenise(text);
            let mut layout = Layout::of(text, &tokens);
            layout.end_history_at_complaints(&tokens, &|at| tokens[at].text == complaint);
            layout.section(tokens.iter().position(|token| token.text == word).expect("is there"))
        };
        assert_eq!(with_complaints("PMH asthma, bad wheezing since noon", "wheezing", "bad"), Section::Open);
        assert_eq!(with_complaints("PMH asthma, gout, bad wheezing since noon", "wheezing", "gout"), Section::Past);
        assert_eq!(with_complaints("PMH migraine, palpitations, DVT", "palpitations", "dvt"), Section::Past, "a list");
        assert_eq!(with_complaints("PMH migraine, palpitations", "palpitations", "palpitations"), Section::Past, "a list");
        assert_eq!(with_complaints("PMH gout, fell and hit head", "-", "head"), Section::Open);
        assert_eq!(with_complaints("PMH: asthma, wheezing, AF", "wheezing", "af"), Section::Past, "a list");
        assert_eq!(with_complaints("PMH headache, asthma", "headache", "headache"), Section::Past, "the first item");
        assert_eq!(sections("DH: warfarin, now apixaban", "apixaban"), Section::Drugs);
        assert_eq!(sections("Allergies: penicillin (now tolerates cefalexin), trimethoprim", "trimethoprim"), Section::Allergies);
        assert_eq!(sections("PMH: MI (now on aspirin), stroke", "stroke"), Section::Past);
        assert_eq!(sections("PMH: DVT, asthma, chest pain and breathless today", "pain"), Section::Open);
        assert_eq!(sections("PMH: DVT, asthma, chest pain and breathless today", "asthma"), Section::Past);
    }

    #[test]
    fn notes_are_cut_into_sections() {
        let text = "PC: chest pain. PMH: asthma, hypertension. DH: ramipril 5 mg, aspirin. Allergies: penicillin. Now dizzy. FH: stroke. What is it?";
        for (word, section) in [
            ("chest", Section::Open),
            ("hypertension", Section::Past),
            ("aspirin", Section::Drugs),
            ("penicillin", Section::Allergies),
            ("dizzy", Section::Open),
            ("stroke", Section::Family),
            ("what", Section::Open),
        ] {
            assert_eq!(sections(text, word), section, "{word}");
        }
        let text = "PMH\n- asthma\n- eczema\nMeds:\n- ramipril\n\nShe is dizzy.";
        assert_eq!(sections(text, "eczema"), Section::Past);
        assert_eq!(sections(text, "ramipril"), Section::Drugs);
        assert_eq!(sections(text, "dizzy"), Section::Open);
        assert_eq!(sections("既往史：哮喘。过敏史：青霉素。", "青"), Section::Allergies);
    }

    #[test]
    fn sentences_end_at_marks_and_not_at_abbreviations() {
        let count = |text: &str| Layout::of(text, &tokenise(text)).sentences.len();
        assert_eq!(count("P. vivax in approx. 4 weeks. K 7.2? Yes"), 3);
        let text = "On warfarin. Is aspirin safe?";
        let layout = Layout::of(text, &tokenise(text));
        assert!(!layout.sentence(0).asks && layout.sentence(3).asks);
    }
}
