//! The form that teaches a fact directly: a name, a relation, another name, and why; with completion.

use crossterm::event::KeyEvent;

use super::line_input::LineInput;
use crate::feedback::{RELATION_WORDS, TaughtFact};
use crate::pipeline::llm::stated;

/// Names that are offered below a field.
const OFFERED: usize = 5;

/// A fact that is being typed.
#[derive(Debug)]
pub(crate) struct TeachForm {
    lines: [LineInput; 4],
    /// The field that is typed into, of [`TeachForm::FIELDS`].
    pub(crate) at: usize,
    /// What would complete the field, best first.
    pub(crate) offered: Vec<String>,
    /// Why the fact was not recorded, until something else is typed.
    pub(crate) problem: Option<String>,
}

impl TeachForm {
    /// The fields, in order.
    pub(crate) const FIELDS: [&str; 4] = ["What", "relation", "to what", "why"];
    const RELATION: usize = 1;
    const WHY: usize = 3;

    /// A form with what is known of a fact.
    pub(crate) fn new(fact: &TaughtFact) -> Self {
        let lines = [&fact.head, &fact.relation, &fact.tail, &fact.why].map(|text| LineInput::new(text));
        Self { lines, at: 0, offered: Vec::new(), problem: None }
    }

    /// The form of a fact that was not recorded, and why. What is to be changed is mostly the relation.
    pub(crate) fn again(fact: &TaughtFact, problem: String) -> Self {
        Self { at: Self::RELATION, problem: Some(problem), ..Self::new(fact) }
    }

    /// A field.
    pub(crate) fn line(&self, at: usize) -> Option<&LineInput> {
        self.lines.get(at)
    }

    /// A key; returns a name to look up in the graph, if the field is one.
    pub(crate) fn input(&mut self, key: KeyEvent) -> Option<String> {
        let at = self.at;
        let changed = self.lines.get_mut(at).is_some_and(|line| line.input(key));
        if changed { self.changed() } else { None }
    }

    /// Pasted text.
    pub(crate) fn paste(&mut self, text: &str) -> Option<String> {
        let at = self.at;
        self.lines.get_mut(at)?.paste(text);
        self.changed()
    }

    /// Empties the field.
    pub(crate) fn clear(&mut self) {
        let at = self.at;
        if let Some(line) = self.lines.get_mut(at) {
            *line = LineInput::new("");
        }
        self.changed();
    }

    fn typed(&self) -> &str {
        self.lines.get(self.at).map_or("", |line| line.text().trim())
    }

    fn changed(&mut self) -> Option<String> {
        self.offered.clear();
        self.problem = None;
        let typed = self.typed().to_lowercase();
        match self.at {
            Self::RELATION => {
                let fits = |word: &&&str| !typed.is_empty() && word.starts_with(&typed);
                self.offered = RELATION_WORDS.iter().filter(fits).map(|word| (*word).to_owned()).collect();
                // A word that none of them begins with: all of them are shown, so that nobody has to guess.
                if self.offered.is_empty() && !typed.is_empty() {
                    self.offered = RELATION_WORDS.map(str::to_owned).to_vec();
                }
                None
            }
            Self::WHY => None,
            _ => Some(self.typed().to_owned()).filter(|typed| !typed.is_empty()),
        }
    }

    /// Names of the graph that resemble what was typed.
    pub(crate) fn offer(&mut self, typed: &str, names: impl Iterator<Item = String>) {
        if self.at != Self::RELATION && self.at != Self::WHY && self.typed() == typed {
            self.offered = names.take(OFFERED).collect();
        }
    }

    /// Whether what is offered completes the field, and is no list of words to choose from.
    pub(crate) fn completes(&self) -> bool {
        let typed = self.typed().to_lowercase();
        self.at != Self::RELATION || (!typed.is_empty() && self.offered.first().is_some_and(|word| word.starts_with(&typed)))
    }

    /// Tab: completes the field with the first that is offered, or goes to the next field.
    pub(crate) fn complete_or_step(&mut self, by: isize) {
        let first = self.offered.first().filter(|name| by > 0 && self.completes() && !name.eq_ignore_ascii_case(self.typed())).cloned();
        match (first, self.at) {
            (Some(name), at) => {
                if let Some(line) = self.lines.get_mut(at) {
                    *line = LineInput::new(&name);
                }
                self.offered.clear();
            }
            (None, _) => self.step(by),
        }
    }

    /// The next field, or the one before.
    pub(crate) fn step(&mut self, by: isize) {
        self.offered.clear();
        self.at = (self.at as isize + by).rem_euclid(Self::FIELDS.len() as isize) as usize;
        // What may be written here is seen before anything is.
        if self.at == Self::RELATION && self.typed().is_empty() {
            self.offered = RELATION_WORDS.map(str::to_owned).to_vec();
        }
    }

    /// Enter: from a field with something in it on to the next; `true` where the last one was left and nothing is missing.
    pub(crate) fn go_on(&mut self) -> bool {
        if self.is_at_last() {
            return !self.go_to_missing();
        }
        if self.typed().is_empty() {
            self.problem = self.wanted().map(str::to_owned);
        } else if !self.split_sentence() {
            self.step(1);
        }
        false
    }

    /// What is to be written into the field, where it must not be empty.
    fn wanted(&self) -> Option<&'static str> {
        Some(match self.at {
            0 => "Type a name, such as a drug, or a whole fact, such as “metformin treats type 2 diabetes”.",
            Self::RELATION => "Type a relation, such as “treats” or “has side effect”.",
            2 => "Type a second name, such as a condition or a symptom.",
            _ => return None,
        })
    }

    /// Spreads a whole sentence in the first field over the three, where the others are empty; `false` if it states no relation between two names, or
    /// is itself the name of something in the graph.
    fn split_sentence(&mut self) -> bool {
        let text = self.typed().trim_end_matches(['.', '。']).to_owned();
        let is_name = self.offered.iter().any(|name| name.eq_ignore_ascii_case(&text));
        let is_alone = (Self::RELATION..Self::WHY).all(|at| self.lines.get(at).is_some_and(|line| line.text().trim().is_empty()));
        if self.at != 0 || is_name || !is_alone {
            return false;
        }
        let Some(stated) = stated(&text) else { return false };
        let between = stated.subject.end..stated.object.start;
        let [Some(head), Some(relation), Some(tail)] = [stated.subject, between, stated.object].map(|span| text.get(span).map(str::trim))
        else {
            return false;
        };
        if relation.is_empty() {
            return false;
        }
        for (line, text) in self.lines.iter_mut().zip([head, relation, tail]) {
            *line = LineInput::new(text);
        }
        self.offered.clear();
        self.at = Self::WHY;
        true
    }

    /// Whether the last field, which may stay empty, is typed into.
    pub(crate) fn is_at_last(&self) -> bool {
        self.at == Self::WHY
    }

    /// Goes to the first field that must not be empty and is; `false` if there is none.
    pub(crate) fn go_to_missing(&mut self) -> bool {
        let missing = (0..Self::WHY).find(|at| self.lines[*at].text().trim().is_empty());
        if let Some(at) = missing {
            self.offered.clear();
            self.at = at;
            self.problem = self.wanted().map(str::to_owned);
        }
        missing.is_some()
    }

    /// The fact as it is typed.
    pub(crate) fn fact(&self) -> TaughtFact {
        let [head, relation, tail, why] = [0, 1, 2, 3].map(|at| self.lines[at].text().trim().to_owned());
        TaughtFact { head, relation, tail, why }
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyModifiers};

    use super::*;

    fn typed(form: &mut TeachForm, text: &str) -> Option<String> {
        text.chars().map(|c| form.input(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE))).last().flatten()
    }

    #[test]
    fn tab_completes_and_then_goes_on() {
        let mut form = TeachForm::new(&TaughtFact::default());
        assert_eq!(typed(&mut form, "gav").as_deref(), Some("gav"), "the graph is asked");
        form.offer("ga", ["Late".to_owned()].into_iter());
        assert!(form.offered.is_empty(), "an answer to what was typed before");
        form.offer("gav", ["Gaviscon".to_owned()].into_iter());
        form.complete_or_step(1);
        assert_eq!((form.fact().head.as_str(), form.at), ("Gaviscon", 0));
        form.complete_or_step(1);
        assert!(form.at == 1 && form.offered.len() == RELATION_WORDS.len() && !form.completes(), "all are shown before one is typed");
        assert_eq!(typed(&mut form, "raises"), None);
        assert!(form.offered.len() == RELATION_WORDS.len() && !form.completes(), "an unknown relation: all are shown");
        form.lines[1] = LineInput::new("");
        assert_eq!(typed(&mut form, "tre"), None);
        form.complete_or_step(1);
        assert_eq!(form.fact().relation, "treats");
        assert!(form.go_to_missing() && form.at == 2);
        typed(&mut form, "reflux");
        assert!(!form.go_to_missing());
        assert_eq!(form.fact().text(), "Gaviscon treats reflux");
    }

    #[test]
    fn a_whole_sentence_in_the_first_field_is_spread_over_the_fields() {
        for (text, expected) in [
            ("Daratumumab treats multiple myeloma", Some(["Daratumumab", "treats", "multiple myeloma"])),
            ("peptic ulcer is diagnosed by gastroscopy.", Some(["peptic ulcer", "is diagnosed by", "gastroscopy"])),
            ("Daratumumab", None),
            ("heart failure with reduced ejection fraction", None),
            ("Daratumumab does not treat gout", None),
        ] {
            let mut form = TeachForm::new(&TaughtFact::default());
            typed(&mut form, text);
            assert!(!form.go_on());
            let fact = form.fact();
            match expected {
                Some(fields) => assert_eq!(([fact.head.as_str(), &fact.relation, &fact.tail], form.is_at_last()), (fields, true)),
                None => assert_eq!((fact.head.as_str(), fact.relation.as_str(), form.at), (text, "", 1)),
            }
        }
        // A name of the graph is one, whatever words it is made of; and what stands in the other fields is not overwritten.
        let mut form = TeachForm::new(&TaughtFact::default());
        typed(&mut form, "water treats");
        form.lines[0] = LineInput::new("pain relieves rest");
        form.offer("pain relieves rest", ["Pain relieves rest".to_owned()].into_iter());
        assert!(!form.go_on() && form.at == 1);
        let mut form = TeachForm::new(&TaughtFact { tail: "gout".into(), ..TaughtFact::default() });
        typed(&mut form, "aspirin treats fever");
        assert!(!form.go_on() && form.fact().tail == "gout");
    }

    #[test]
    fn an_empty_field_says_what_to_write() {
        let mut form = TeachForm::new(&TaughtFact::default());
        assert!(!form.go_on() && form.problem.as_deref().is_some_and(|said| said.starts_with("Type a name")));
        typed(&mut form, "aspirin");
        assert!(form.problem.is_none() && !form.go_on() && !form.go_on());
        assert!(form.problem.as_deref().is_some_and(|said| said.starts_with("Type a relation")), "{:?}", form.problem);
    }
}
