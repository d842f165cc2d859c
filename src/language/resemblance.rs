//! When a name that a phrase resembles may be what the phrase means. Similarity alone is a guess, so it must rest on words: the phrase says
//! what the name says, in another form or slightly misspelt; or the similarity is far above any threshold.

use super::common_words::{is_common, is_qualifier, only_common};
use super::lay::is_part_of_body;
use super::reordered_names::form_of;
use crate::graph::Kind;
use crate::text::{Token, tokenise};

/// From this similarity on, a phrase may mean a name that shares no word with it ("food keeps sticking": *Difficulty swallowing*).
const SURE: f64 = 0.91;
/// The same for Chinese, where names are short and each character counts.
const SURE_CHINESE: f64 = 0.94;
/// Words up to this length link by exact names only, and within a phrase only as themselves.
const SHORT: usize = 4;
/// The shortest words that may be misspelt in one and in two letters.
const MISSPELT: [usize; 2] = [6, 10];
/// The longest endings in which two forms of one word may differ ("swollen" and "swelling" differ by more; "itchy" and "itching" do not).
const ENDING: usize = 5;
/// What makes another thing of the word that it ends; "les" as a misspelt name has it.
const COMPOUNDS: [&str; 21] = [
    "less", "les", "pox", "eye", "ache", "burn", "mark", "works", "bleed", "pain", "side", "stone", "bite", "sore", "worm", "borne",
    "like", "free", "drop", "bag", "shot",
];
/// What becomes of a value or of clothes as well as of a patient: alone these name nothing ("CRP falling").
const BECOMING: [&str; 6] = ["falling", "rising", "dropping", "slipping", "creeping", "climbing"];
/// Chinese characters that say that something is more, less, higher or lower than it was.
const CHANGES: &str = "多少大小高低快慢难增减量次数频过";
/// The similarity of two words that mean the same.
const SYNONYM: f64 = 0.8;

/// Whether a phrase may mean a name of this kind. `score`: their similarity. `cosine`: that of two words.
pub(crate) fn may_mean_by_likeness(phrase: &str, name: &str, kind: &Kind, score: f64, cosine: impl Fn(&str, &str) -> f64) -> bool {
    let (said, named) = (tokenise(phrase), tokenise(name));
    if only_common(&said) {
        return false;
    }
    if said.iter().any(|token| token.cjk) {
        return is_like_in_chinese(&said, &named, score);
    }
    let is_drug = matches!(kind, Kind::Drug | Kind::DrugClass);
    let words: Vec<&str> = said.iter().map(|token| token.text.as_str()).filter(|word| !is_function_word(word)).collect();
    let content: Vec<&str> = words.iter().copied().filter(|word| !is_common(word)).collect();
    let is_single = words.len() == 1;
    let says_little = |word: &&str| word.chars().count() <= SHORT || BECOMING.contains(word);
    if content.is_empty() || (is_single && content.iter().all(says_little)) {
        return false;
    }
    // "Burning" is felt; *Burns* are an injury.
    let is_felt = |said: &str, word: &str| matches!(kind, Kind::Disease) && is_single && said.ends_with("ing") && !word.ends_with("ing");
    let names = |word: &str| words.iter().any(|said| is_form_of(said, word, is_drug) && !is_felt(said, word));
    let is_unsaid = |at: usize, word: &str| {
        let is_alternative = || alternatives(&named, at).any(|other| names(&other.text));
        let is_synonym = || !is_drug && content.iter().any(|said| cosine(said, word) >= SYNONYM);
        !is_function_word(word) && !names(word) && !is_alternative() && !is_synonym()
    };
    // One word alone is the whole name, or nothing: "drinking" is no *Drinking problem*.
    let tells = |word: &str| is_single || !is_qualifier(word);
    let says_more = named.iter().enumerate().any(|(at, token)| tells(&token.text) && is_unsaid(at, &token.text));
    let rests_on_word = named.iter().any(|token| !is_common(&token.text) && names(&token.text));
    // "Imaging of the renal tract" tells of no *Renal disease*: the part of the body alone does not say what is wrong with it.
    let tells_place_only = || {
        let says_less = named.iter().enumerate().any(|(at, token)| is_unsaid(at, &token.text));
        says_less && !named.iter().any(|token| names(&token.text) && !names_part_of_body(token))
    };
    if rests_on_word && tells_place_only() {
        return false;
    }
    if rests_on_word {
        // "Drink" is not *Drinks and drinks*.
        let is_more = is_single && named.iter().filter(|token| !is_function_word(&token.text)).count() > 1;
        return !says_more && !is_more;
    }
    let is_free_of_common = words.len() == content.len();
    !is_drug && is_free_of_common && score >= SURE && content.iter().any(|word| word.chars().count() > SHORT)
}

/// Whether a word stands for a part of the body, as its noun or its adjective ("renal").
fn names_part_of_body(token: &Token) -> bool {
    let is_part = |word: String| is_part_of_body(&[word]);
    is_part(token.text.clone()) || form_of(token).is_some_and(is_part)
}

/// Whether a word only joins the others of a name. ("A" is none of these: it tells *Vitamin A* from others.)
fn is_function_word(word: &str) -> bool {
    const WORDS: [&str; 26] = [
        "or", "and", "of", "the", "in", "on", "to", "with", "an", "s", "at", "by", "for", "from", "my", "your", "into", "during", "when",
        "is", "are", "be", "that", "which", "it", "has",
    ];
    WORDS.contains(&word)
}

/// The words that a name gives as alternatives to the one at a place: "hand or finger pain".
fn alternatives(named: &[Token], at: usize) -> impl Iterator<Item = &Token> {
    let joins =
        |joint: Option<usize>| joint.and_then(|joint| named.get(joint)).is_some_and(|token| matches!(token.text.as_str(), "or" | "and"));
    let before = at.checked_sub(2).filter(|_| joins(at.checked_sub(1)));
    let after = Some(at + 2).filter(|_| joins(Some(at + 1)));
    [before, after].into_iter().flatten().filter_map(|other| named.get(other))
}

/// Whether two words are forms of one word, or one of them misspelt. Drugs differ by single syllables, so that of them only the plural and
/// one wrong letter count.
fn is_form_of(said: &str, named: &str, is_drug: bool) -> bool {
    let singular = |word: &str| word.strip_suffix('s').unwrap_or(word).to_owned();
    if singular(said) == singular(named) {
        return true;
    }
    // "Breath" is not *Breathless*, "bulls" no *Bullseye*.
    let adds = |whole: &str, part: &str| {
        COMPOUNDS.iter().any(|head| whole.strip_suffix(head).is_some_and(|stem| singular(stem) == singular(part)))
    };
    // "Faintly" says how something looks.
    let is_adverb = |one: &str, other: &str| one.strip_suffix("ly").is_some_and(|stem| !other.ends_with("ly") && stem != other);
    if adds(said, named) || adds(named, said) || is_adverb(said, named) {
        return false;
    }
    // A part of the body is a form of another word for it alone: shins are no *Shingles*.
    let is_part = |word: &str| is_part_of_body(&[word.to_owned()]);
    if is_part(said) && !is_part(named) {
        return false;
    }
    let (a, b): (Vec<char>, Vec<char>) = (said.chars().collect(), named.chars().collect());
    let shorter = a.len().min(b.len());
    if shorter <= SHORT {
        return false;
    }
    let shared = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let is_inflected = shared >= SHORT.max(shorter.saturating_sub(3)) && a.len().max(b.len()) - shared <= ENDING;
    let wrong = match shorter {
        length if length >= MISSPELT[1] && !is_drug => 2,
        length if length >= MISSPELT[0] => 1,
        _ => 0,
    };
    (is_inflected && !is_drug) || (wrong > 0 && differs_by(&a, &b) <= wrong)
}

/// How many letters must be changed, added, left out or exchanged with their neighbour to make one word of another.
pub(crate) fn differs_by(a: &[char], b: &[char]) -> usize {
    if a.len().abs_diff(b.len()) > 3 {
        return a.len().abs_diff(b.len());
    }
    let mut rows = [vec![0; b.len() + 1], (0..=b.len()).collect::<Vec<usize>>(), vec![0; b.len() + 1]];
    for (i, x) in a.iter().enumerate() {
        rows[2][0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = rows[1][j] + usize::from(x != y);
            let mut best = changed.min(rows[1][j + 1] + 1).min(rows[2][j] + 1);
            if i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x) {
                best = best.min(rows[0][j - 1] + 1);
            }
            rows[2][j + 1] = best;
        }
        rows.rotate_left(1);
    }
    rows[1][b.len()]
}

/// In Chinese the name's characters must be said, but for one in five, and most of what is said must be the name's.
fn is_like_in_chinese(said: &[Token], named: &[Token], score: f64) -> bool {
    // Each character said counts once: 抽血 (blood is drawn) does not say 抽抽 (convulsions).
    let mut left: Vec<&Token> = said.iter().collect();
    let mut shared: Vec<Token> = Vec::new();
    for token in named {
        if let Some(at) = left.iter().position(|other| other.text == token.text) {
            shared.push(left.swap_remove(at).clone());
        }
    }
    let unsaid = named.len() - shared.len();
    // 抽血风 (of 抽血 and 风湿) does not say 抽风: of two characters, neither tells much unless they stand together.
    let is_one = |place: &[Token]| place.iter().zip(named).all(|(said, named)| said.text == named.text);
    if named.len() == 2 && !said.windows(2).any(is_one) && score < SURE_CHINESE {
        return false;
    }
    // What the body does is no change of it: 小便 does not say 小便多, nor 喝水 喝水多.
    let is_change = |token: &Token| CHANGES.contains(token.text.as_str());
    let only_changes = || named.iter().filter(|token| !said.iter().any(|other| other.text == token.text)).all(is_change);
    if unsaid > 0 && shared.len() == said.len() && !said.iter().any(is_change) && only_changes() {
        return false;
    }
    let is_said = unsaid * 5 <= named.len() && shared.len() * 2 >= said.len() && !only_common(&shared);
    is_said || (score >= SURE_CHINESE && said.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may_mean(phrase: &str, name: &str, score: f64) -> bool {
        may_mean_by_likeness(phrase, name, &Kind::Symptom, score, |a, b| f64::from(u8::from(a == b)))
    }

    #[test]
    fn a_name_is_meant_by_what_says_the_same_in_other_forms() {
        for (phrase, name) in [
            ("lump breast", "Lump or mass of breast"),
            ("hand pain", "Hand or finger pain"),
            ("hips stiff tight", "Hip stiffness or tightness"),
            ("shivery", "Shivering"),
            ("spots clouds vision", "Spots or clouds in vision"),
            ("abdominal pain", "Sharp abdominal pain"),
            ("restles", "Restless"),
            ("renal impairments", "Renal impairment"),
            ("swollen kidneys", "Swollen kidney"),
            ("abdominal pain", "Abdominal pain"),
            ("大脚趾痛", "大脚趾疼痛"),
        ] {
            assert!(may_mean(phrase, name, 0.75), "{phrase}: {name}");
        }
        assert!(may_mean("sticking gullet", "Difficulty swallowing", 0.95));
    }

    #[test]
    fn a_name_that_says_more_or_something_else_is_not_meant() {
        for (phrase, name) in [
            ("dx", "DEXA scan"),
            ("fit", "Seizure"),
            ("vision", "Blurred vision"),
            ("vitamin", "Vitamin A"),
            ("thyroid", "Thyroidectomy"),
            ("swallowing", "Difficulty swallowing"),
            ("calf swollen", "Shooting leg pain"),
            ("urinary", "Urinary retention"),
            ("drinking", "Drinking problem"),
            ("knee killing", "Knee giving way"),
            ("urinary", "Unable to urinate"),
            ("scaly shins", "Shingles"),
            ("imaging renal tract", "Renal disease"),
            ("scan kidneys", "Kidney disease"),
            ("bulls", "Bullseye"),
            ("falling", "Falls"),
            ("births", "Birthmark"),
            ("chicken", "Chickenpox"),
            ("breath", "Breathles"),
            ("faintly", "Fainting"),
            ("左下腹", "左下腹痛"),
            ("抽血", "抽抽"),
            ("抽血风", "抽风"),
            ("喝水", "喝水多"),
        ] {
            assert!(!may_mean(phrase, name, 0.90), "{phrase}: {name}");
        }
        assert!(!may_mean("started last week", "Recent start", 0.99), "nothing but common words");
    }

    #[test]
    fn what_is_felt_is_no_injury_of_the_same_stem() {
        let may_mean =
            |phrase: &str, name: &str, kind: &Kind| may_mean_by_likeness(phrase, name, kind, 0.8, |a, b| f64::from(u8::from(a == b)));
        for (felt, injury) in [("burning", "Burns"), ("stinging", "Stings"), ("scalding", "Scalds"), ("cramping", "Cramps")] {
            assert!(!may_mean(felt, injury, &Kind::Disease), "{felt}: {injury}");
        }
        assert!(may_mean("burned", "Burns", &Kind::Disease) && may_mean("itching", "Itchy", &Kind::Symptom));
    }

    #[test]
    fn a_drug_is_never_guessed() {
        let drug = |phrase: &str, name: &str| may_mean_by_likeness(phrase, name, &Kind::Drug, 0.95, |_, _| 0.9);
        assert!(drug("clarithromycn", "Clarithromycin") && drug("statins", "Statin"));
        for (said, name) in
            [("prednisone", "Prednisolone"), ("cefuroxime", "Cefotaxime"), ("quinine", "Quinidine"), ("velmorastat", "Statin")]
        {
            assert!(!drug(said, name), "{said}: {name}");
        }
    }

    #[test]
    fn letters_that_differ_are_counted() {
        let count = |a: &str, b: &str| differs_by(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        assert_eq!(
            [count("abc", "abc"), count("abc", "acb"), count("abc", "ab"), count("kitten", "sitting"), count("", "ab")],
            [0, 1, 1, 3, 2]
        );
    }
}
