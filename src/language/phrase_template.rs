//! Phrase templates: phrase patterns with places that classes of words fill, words that may be missing, and choices.
//!
//! `found <person> [lying] on the [<room>] floor` stands for every person and every room. A template is followed word by word and never
//! written out, and all templates share the words of a class, so the time and memory that a class costs do not grow with what names it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use toml::Spanned;

use super::phrase_pattern::{ANY, GAP};
use crate::text::{Token, ends_within_word, tokenise};

/// Wordings of which one stands in a place, an empty one where nothing need stand; the first that fits is taken.
type Choice = Arc<[Vec<Step>]>;

/// What stands at one place of a template.
#[derive(Debug, Clone)]
enum Step {
    Word(String),
    Gap,
    OneOf(Choice),
}

/// What is wrong with a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Problem {
    #[error("no class is named <{0}>")]
    UnknownClass(String),
    #[error("the class <{0}> contains itself")]
    Circular(String),
    #[error("“{0}” is never closed")]
    Unclosed(char),
    #[error("“{0}” has nothing to close or to part")]
    Stray(char),
    #[error("it has no words")]
    Empty,
    #[error("it begins with a gap")]
    BeginsWithGap,
    #[error("all its words may be missing")]
    MayBeEmpty,
}

/// A template that was refused, with its line in the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: “{says}”: {problem}")]
pub(crate) struct Malformed {
    pub(crate) line: usize,
    pub(crate) says: String,
    pub(crate) problem: Problem,
}

impl Malformed {
    fn of(text: &str, says: &Spanned<String>, problem: Problem) -> Self {
        let before = text.get(..says.span().start).unwrap_or_default();
        Self { line: before.matches('\n').count() + 1, says: says.get_ref().clone(), problem }
    }
}

/// Classes of words by their names.
#[derive(Debug, Default)]
pub(crate) struct Classes(HashMap<String, Choice>);

impl Classes {
    /// The classes of a file (`text`). Their wordings are templates too and may name other classes.
    pub(crate) fn of(text: &str, declared: &BTreeMap<String, Vec<Spanned<String>>>) -> Result<Self, Malformed> {
        let mut classes = Self::default();
        let mut waiting: Vec<_> = declared.iter().collect();
        while !waiting.is_empty() {
            let mut later = Vec::new();
            let mut stuck = None;
            for (name, wordings) in &waiting {
                match classes.choice(wordings) {
                    Ok(choice) => {
                        classes.0.insert((*name).clone(), choice);
                    }
                    // Its turn comes after that of the class that it names.
                    Err((says, Problem::UnknownClass(other))) if declared.contains_key(&other) => {
                        stuck = stuck.or(Some((says, other)));
                        later.push((*name, *wordings));
                    }
                    Err((says, problem)) => return Err(Malformed::of(text, says, problem)),
                }
            }
            if let Some((says, other)) = stuck.filter(|_| later.len() == waiting.len()) {
                return Err(Malformed::of(text, says, Problem::Circular(other)));
            }
            waiting = later;
        }
        Ok(classes)
    }

    /// Wordings of one class, those with more words first.
    fn choice<'s>(&self, wordings: &'s [Spanned<String>]) -> Result<Choice, (&'s Spanned<String>, Problem)> {
        let mut choice = Vec::with_capacity(wordings.len());
        for says in wordings {
            choice.push(self.template(says.get_ref()).map_err(|problem| (says, problem))?);
        }
        choice.sort_by_key(|steps| std::cmp::Reverse(steps.len()));
        Ok(choice.into())
    }

    fn template(&self, says: &str) -> Result<Vec<Step>, Problem> {
        let mut rest = says;
        let steps = self.sequence(&mut rest)?;
        match rest.chars().next() {
            Some(stray) => Err(Problem::Stray(stray)),
            None if steps.is_empty() => Err(Problem::Empty),
            None => Ok(steps),
        }
    }

    /// Steps up to a mark that does not belong to them.
    fn sequence(&self, rest: &mut &str) -> Result<Vec<Step>, Problem> {
        let mut steps = Vec::new();
        loop {
            let (words, from) = rest.split_at(rest.find(['<', '>', '[', ']', '(', ')', '|']).unwrap_or(rest.len()));
            *rest = from;
            for word in words.split_whitespace() {
                match word {
                    ANY => steps.push(Step::Gap),
                    _ => steps.extend(tokenise(word).into_iter().map(|token| Step::Word(token.text))),
                }
            }
            if let Some(from) = rest.strip_prefix('<') {
                let (name, from) = from.split_once('>').ok_or(Problem::Unclosed('<'))?;
                *rest = from;
                steps.push(Step::OneOf(self.0.get(name).cloned().ok_or_else(|| Problem::UnknownClass(name.to_owned()))?));
            } else if let Some(from) = rest.strip_prefix('(') {
                *rest = from;
                steps.push(Step::OneOf(self.alternatives(rest, '(', ')')?.into()));
            } else if let Some(from) = rest.strip_prefix('[') {
                *rest = from;
                let mut alternatives = self.alternatives(rest, '[', ']')?;
                alternatives.push(Vec::new());
                steps.push(Step::OneOf(alternatives.into()));
            } else {
                return Ok(steps);
            }
        }
    }

    /// What stands between two brackets, of which the first was read.
    fn alternatives(&self, rest: &mut &str, opens: char, closes: char) -> Result<Vec<Vec<Step>>, Problem> {
        let mut alternatives = Vec::new();
        loop {
            let steps = self.sequence(rest)?;
            if steps.is_empty() {
                return Err(Problem::Empty);
            }
            alternatives.push(steps);
            if let Some(from) = rest.strip_prefix(closes) {
                *rest = from;
                return Ok(alternatives);
            }
            *rest = match rest.strip_prefix('|') {
                Some(from) => from,
                None => return Err(rest.chars().next().map_or(Problem::Unclosed(opens), Problem::Stray)),
            };
        }
    }
}

/// The words with which steps may begin; whether all of them may be missing.
fn first_words<'s>(steps: &'s [Step], words: &mut BTreeSet<&'s str>) -> Result<bool, Problem> {
    for step in steps {
        match step {
            Step::Word(word) => {
                words.insert(word);
                return Ok(false);
            }
            Step::Gap => return Err(Problem::BeginsWithGap),
            Step::OneOf(choice) => {
                let mut may_be_empty = false;
                for alternative in choice.iter() {
                    may_be_empty |= first_words(alternative, words)?;
                }
                if !may_be_empty {
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}

fn all_words(steps: &[Step], words: &mut HashSet<String>) {
    for step in steps {
        match step {
            Step::Word(word) => _ = words.insert(word.clone()),
            Step::Gap => {}
            Step::OneOf(choice) => choice.iter().for_each(|steps| all_words(steps, words)),
        }
    }
}

/// Steps that are still to be followed.
struct Ahead<'a> {
    steps: &'a [Step],
    then: Option<&'a Ahead<'a>>,
}

/// What was followed so far.
#[derive(Default)]
struct Followed {
    own: Vec<usize>,
    gaps: usize,
}

/// One past the last token, if all steps can be followed from this token on.
fn follow(tokens: &[Token], at: usize, ahead: &Ahead<'_>, followed: &mut Followed) -> Option<usize> {
    let Some((step, steps)) = ahead.steps.split_first() else {
        return ahead.then.map_or(Some(at), |then| follow(tokens, at, then, followed));
    };
    let next = Ahead { steps, then: ahead.then };
    match step {
        Step::Word(word) => {
            tokens.get(at).filter(|token| token.text == *word)?;
            followed.own.push(at);
            let end = follow(tokens, at + 1, &next, followed);
            if end.is_none() {
                followed.own.pop();
            }
            end
        }
        Step::Gap => {
            followed.gaps += 1;
            let end = (0..=GAP).find_map(|gap| follow(tokens, at + gap, &next, followed));
            followed.gaps -= usize::from(end.is_none());
            end
        }
        Step::OneOf(choice) => choice.iter().find_map(|steps| follow(tokens, at, &Ahead { steps, then: Some(&next) }, followed)),
    }
}

/// Templates, each with what it stands for, by the words with which they may begin.
#[derive(Debug)]
pub(crate) struct TemplateTable<T> {
    templates: Vec<(Vec<Step>, T)>,
    by_first: HashMap<String, Vec<usize>>,
}

/// A template found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundTemplate<T> {
    pub(crate) means: T,
    /// One past its last token.
    pub(crate) last: usize,
    /// The tokens of its own words, without those in gaps.
    pub(crate) own: Vec<usize>,
    /// Its words and gaps: how much it says.
    size: usize,
}

impl<T> Default for TemplateTable<T> {
    fn default() -> Self {
        Self { templates: Vec::new(), by_first: HashMap::new() }
    }
}

impl<T: Copy> TemplateTable<T> {
    /// A table of these templates of a file (`text`).
    pub(crate) fn of<'s>(
        text: &str,
        classes: &Classes,
        entries: impl IntoIterator<Item = (&'s Spanned<String>, T)>,
    ) -> Result<Self, Malformed> {
        let mut table = Self::default();
        for (says, means) in entries {
            let refused = |problem| Malformed::of(text, says, problem);
            let steps = classes.template(says.get_ref()).map_err(refused)?;
            let mut words = BTreeSet::new();
            if first_words(&steps, &mut words).map_err(refused)? {
                return Err(refused(Problem::MayBeEmpty));
            }
            for word in words {
                match table.by_first.get_mut(word) {
                    Some(numbers) => numbers.push(table.templates.len()),
                    None => _ = table.by_first.insert(word.to_owned(), vec![table.templates.len()]),
                }
            }
            table.templates.push((steps, means));
        }
        Ok(table)
    }

    /// All words of its templates.
    pub(crate) fn words(&self) -> HashSet<String> {
        let mut words = HashSet::new();
        self.templates.iter().for_each(|(steps, _)| all_words(steps, &mut words));
        words
    }

    /// The templates that a text follows from this token on: what says more comes first, then what stands first in the file.
    pub(crate) fn all_at(&self, tokens: &[Token], first: usize) -> Vec<FoundTemplate<T>> {
        let numbers = tokens.get(first).and_then(|token| self.by_first.get(&token.text)).map_or(&[][..], Vec::as_slice);
        let found = |(steps, means): &(Vec<Step>, T)| {
            let mut followed = Followed::default();
            let last = follow(tokens, first, &Ahead { steps, then: None }, &mut followed)?;
            let is_joined = last >= 2 && followed.own.ends_with(&[last - 2, last - 1]);
            if is_joined && ends_within_word(tokens, first, last) {
                return None;
            }
            let size = followed.own.len() + followed.gaps;
            Some(FoundTemplate { means: *means, last: last.min(tokens.len()), own: followed.own, size })
        };
        let mut all: Vec<_> = numbers.iter().filter_map(|number| self.templates.get(*number)).filter_map(found).collect();
        all.sort_by_key(|found| std::cmp::Reverse(found.size));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct File {
        classes: BTreeMap<String, Vec<Spanned<String>>>,
        says: Vec<Spanned<String>>,
    }

    fn table(text: &str) -> Result<TemplateTable<usize>, Malformed> {
        let file: File = toml::from_str(text).expect("valid");
        TemplateTable::of(text, &Classes::of(text, &file.classes)?, file.says.iter().zip(0..))
    }

    /// The number of the first template that is found at the beginning, and where it ends.
    fn found(table: &TemplateTable<usize>, text: &str) -> Option<(usize, usize)> {
        table.all_at(&tokenise(text), 0).first().map(|found| (found.means, found.last))
    }

    const FAMILY: &str = r#"
        says = ["found <person> [lying] on the [<room>] floor", "found <person>", "(pulled|dragged) from _ <room>", "被 _ <room>_ 咬"]
        [classes]
        person = ["him", "<whose> (mum|step mum|dad)"]
        room = ["kitchen", "living room", "厨房"]
        whose = ["my", "our"]
    "#;

    #[test]
    fn classes_fill_places_and_bracketed_words_may_be_missing() {
        let table = table(FAMILY).expect("sound");
        for (text, expected) in [
            ("Found him on the floor", Some((0, 5))),
            ("found our step mum lying on the living room floor today", Some((0, 10))),
            ("found my dad in the garden", Some((1, 3))),
            ("found the dad", None),
            ("dragged from the burning kitchen", Some((2, 5))),
            ("pulled from kitchen", Some((2, 3))),
            ("pulled the kitchen", None),
            ("被那个厨房的狗咬", Some((3, 8))),
        ] {
            assert_eq!(found(&table, text), expected, "{text}");
        }
        let own = table.all_at(&tokenise("dragged from the burning kitchen"), 0).remove(0).own;
        assert_eq!(own, [0, 1, 4], "what fills a gap is none of its words");
    }

    #[test]
    fn what_says_more_comes_first() {
        let all: Vec<_> =
            table(FAMILY).expect("sound").all_at(&tokenise("found him on the floor"), 0).iter().map(|found| found.means).collect();
        assert_eq!(all, [0, 1]);
    }

    #[test]
    fn malformed_templates_are_refused_with_their_line() {
        let line = |says: &str| {
            let text = format!("says = [\n\"fine\",\n\"{says}\",\n]\n[classes]\nroom = [\"hall\"]\n");
            table(&text).expect_err(says).to_string()
        };
        assert_eq!(line("found <persn>"), "line 3: “found <persn>”: no class is named <persn>");
        for (says, problem) in [
            ("found <room", "“<” is never closed"),
            ("found (him", "“(” is never closed"),
            ("found [him", "“[” is never closed"),
            ("found him]", "“]” has nothing to close or to part"),
            ("found (him]", "“]” has nothing to close or to part"),
            ("found | him", "“|” has nothing to close or to part"),
            ("found (him|)", "it has no words"),
            ("", "it has no words"),
            ("_ found", "it begins with a gap"),
            ("[found] [_ him]", "it begins with a gap"),
            ("[found] [him]", "all its words may be missing"),
        ] {
            assert_eq!(line(says), format!("line 3: “{says}”: {problem}"));
        }
        let circular = "says = []\n[classes]\na = [\"x\"]\nb = [\"<a>\",\n\"<c>\"]\nc = [\"<b>\"]\n";
        assert_eq!(table(circular).expect_err("circular").to_string(), "line 5: “<c>”: the class <c> contains itself");
    }
}
