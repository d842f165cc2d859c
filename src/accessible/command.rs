//! Parses an input line: a command if it has the form of one, otherwise a question.

use crate::dkg::{ProposalId, Rating};
use crate::run::{AskKind, CaseItemKind, ConditionStatus, DrugStatus, FindingStatus, PassageId};

/// A chain, as the user refers to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChainReference {
    /// By its number among the kept chains, from 1.
    Kept(usize),
    /// By its number among all chains, from 1.
    Any(usize),
}

/// An input line, parsed.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum LineCommand {
    Ask(String),
    Why(ChainReference),
    /// Lists the chains in which all these words occur.
    Chains(Vec<String>),
    More,
    Kept,
    Anchors,
    Passages,
    /// Decides about passages of documents.
    DecidePassages(PassageDecision, Vec<PassageId>),
    Hypothesis,
    Answer,
    Pin(Vec<ChainReference>),
    Reject(Vec<ChainReference>),
    Restore(Vec<ChainReference>),
    AddAnchor(String),
    /// By its number in the list of anchors, from 1.
    DropAnchor(usize),
    /// `None` asks for the current value.
    K(Option<usize>),
    TopK(Option<usize>),
    Delta(Option<f64>),
    /// Says the items of the case.
    Case,
    /// Gives an item a status, by its number in the case, from 1.
    Mark(usize, CaseItemKind),
    /// Corrects the case in words.
    Instead(String),
    /// Removes an item, by its number in the case, from 1.
    Remove(usize),
    /// Changes what is asked.
    Asks(Vec<AskKind>),
    /// A question that continues the case.
    Follow(String),
    Undo,
    Redo,
    Reread,
    /// Checks the claims of the answer.
    CheckAnswer,
    /// Checks the claims of a text that is typed next.
    CheckText,
    /// Rates the answer.
    Rate(Rating),
    /// Lists the proposals.
    Review,
    AcceptProposals(ProposalSelection),
    RejectProposals(ProposalSelection),
    /// Undoes the latest record of the DKG.
    TakeBack,
    Learned,
    Help,
    Quit,
}

/// What the user decides about a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PassageDecision {
    Pin,
    Reject,
    Restore,
}

/// The proposals that a decision is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ProposalSelection {
    /// All that are waiting.
    All,
    These(Vec<ProposalId>),
}

/// The answer to `help`, one sentence per line.
pub(super) const HELP: [&str; 33] = [
    "Type a question to have it answered; a line that begins with ask is always a question.",
    "Type answer to hear the answer again.",
    "Type kept to hear the chains that were kept as evidence.",
    "Type why 2 to hear all about kept chain 2, or why chain 35 to hear all about chain 35 of all chains.",
    "Type chains to hear all chains, 20 at a time, or chains and some words to hear the chains in which these words occur.",
    "Type more to hear the next 20.",
    "Type passages to hear the passages of documents, and pin D2, reject D2 or restore D2 to decide about passage D2; Catena then answers again.",
    "Type anchors to hear which entities of the graph the question and the hypothesis name.",
    "Type hypothesis to hear the hypothesis.",
    "Type pin 2 or pin chain 35 to keep a chain, whatever its score.",
    "Type reject 2 or reject chain 35 to leave a chain out; you can give several numbers.",
    "Type restore 2 or restore chain 35 to cancel your decision about a chain.",
    "To hear how Catena understood the question, type case.",
    "Type absent 2 or present 2 to say that finding 2 of the case is absent or present, and remove 3 to remove item 3; Catena then answers again.",
    "To correct a value, or details about the patient, type instead and the correction: for example, instead potassium 6.1, or instead aged 34.",
    "To change what Catena answers, type asks and what you ask, such as asks tests, treatment.",
    "Type follow and a question to continue the case of this run with another question.",
    "Type anchor and a name to add an entity as an anchor.",
    "Type drop anchor 3 to remove anchor 3.",
    "Type k 2 for chains of at most 2 relations, topk 15 to keep 15 chains, delta 0.8 to link mentions with a similarity of at least 0.8 to a name.",
    "Type undo to undo your last decision, and redo to redo it.",
    "Type reread to regenerate the answer from the chains that are kept now.",
    "Type check answer to compare what the answer claims with the graph and your documents, or check text to do so with a text of yours.",
    "Type good or bad to rate the answer; Catena then proposes what to learn or to unlearn.",
    "Type gold to enter the correct answer, on one or more lines; an empty line ends it.",
    "Type review to hear the proposals; Catena learns nothing before you accept it, unless the configuration says so.",
    "Type accept 2.0 or reject 2.0 to decide about proposal 2.0, accept all or reject all to decide about all that are waiting.",
    "Type learned to hear what the DKG has learned from feedback.",
    "Type take back to undo the latest of your ratings and decisions about proposals.",
    "Press Control and C to stop a run.",
    "Type quit to leave; Catena also leaves at the end of the input.",
    "Catena says which entities come from the question and from the hypothesis; all others come from the graph.",
    "Catena is not a medical device and does not replace clinical judgement.",
];

/// Parses a line that is not blank.
///
/// # Errors
/// How to type the command correctly, as a sentence for the user.
pub(super) fn parse(line: &str) -> Result<LineCommand, String> {
    let line = line.trim();
    let words: Vec<&str> = line.split_whitespace().collect();
    let Some((first, rest)) = words.split_first() else { return Ok(LineCommand::Ask(String::new())) };
    let question = || Ok(LineCommand::Ask(line.to_owned()));
    let first = first.to_lowercase();
    let alone = match first.as_str() {
        "more" => Some(LineCommand::More),
        "case" => Some(LineCommand::Case),
        "kept" => Some(LineCommand::Kept),
        "anchors" => Some(LineCommand::Anchors),
        "passages" => Some(LineCommand::Passages),
        "hypothesis" => Some(LineCommand::Hypothesis),
        "answer" => Some(LineCommand::Answer),
        "undo" => Some(LineCommand::Undo),
        "redo" => Some(LineCommand::Redo),
        "reread" => Some(LineCommand::Reread),
        "good" => Some(LineCommand::Rate(Rating::Good)),
        "bad" => Some(LineCommand::Rate(Rating::Bad)),
        "gold" => Some(LineCommand::Rate(Rating::Gold)),
        "review" => Some(LineCommand::Review),
        "learned" => Some(LineCommand::Learned),
        "help" | "?" => Some(LineCommand::Help),
        "quit" | "exit" => Some(LineCommand::Quit),
        _ => None,
    };
    if let Some(command) = alone {
        return if rest.is_empty() { Ok(command) } else { question() };
    }
    match first.as_str() {
        "ask" if rest.is_empty() => Err("Type the question after ask.".into()),
        "ask" => Ok(LineCommand::Ask(line.get(first.len()..).unwrap_or_default().trim().to_owned())),
        // Questions can begin with why, too.
        "why" => match chain_references(rest) {
            Some(references) if references.len() == 1 => Ok(LineCommand::Why(references[0])),
            None if rest.len() > 1 => question(),
            _ => Err("Type why and the number of one kept chain, such as why 2, or of any chain, such as why chain 35.".into()),
        },
        "check" if rest.is_empty() => {
            Err("Type check answer to check the claims of the answer, or check text to check a text of yours.".into())
        }
        "check" if rest.len() == 1 && rest[0].eq_ignore_ascii_case("answer") => Ok(LineCommand::CheckAnswer),
        "check" if rest.len() == 1 && rest[0].eq_ignore_ascii_case("text") => Ok(LineCommand::CheckText),
        "take" if rest.len() == 1 && rest[0].eq_ignore_ascii_case("back") => Ok(LineCommand::TakeBack),
        "accept" => match proposals(rest) {
            Some(named) => Ok(LineCommand::AcceptProposals(named)),
            None if rest.len() > 1 => question(),
            None => Err("Type accept and the number of a proposal, such as accept 2.0, or accept all. Type review to hear them.".into()),
        },
        word @ ("pin" | "reject" | "restore") if passages(rest).is_some() => {
            let decision = match word {
                "pin" => PassageDecision::Pin,
                "reject" => PassageDecision::Reject,
                _ => PassageDecision::Restore,
            };
            Ok(LineCommand::DecidePassages(decision, passages(rest).unwrap_or_default()))
        }
        "pin" => decide(&first, rest).map(LineCommand::Pin),
        // The numbers of proposals contain a full stop, those of chains do not.
        "reject" => match proposals(rest) {
            Some(named) => Ok(LineCommand::RejectProposals(named)),
            None => decide(&first, rest).map(LineCommand::Reject),
        },
        "restore" => decide(&first, rest).map(LineCommand::Restore),
        "remove" => case_item(&first, None, rest).unwrap_or_else(question),
        word if status(word).is_some() => case_item(&first, status(word), rest).unwrap_or_else(question),
        "asks" if rest.is_empty() => Err(asks_form()),
        // Questions can begin with asks, too: only known kinds are a command.
        "asks" => match kinds(&rest.join(" ")) {
            Some(kinds) => Ok(LineCommand::Asks(kinds)),
            None if rest.len() > 1 && !rest.join(" ").contains(',') => question(),
            None => Err(asks_form()),
        },
        "instead" if rest.is_empty() => Err("Type instead and the correction: for example, instead potassium 6.1.".into()),
        // "Instead of warfarin, apixaban?" is a question.
        "instead" if !rest[0].eq_ignore_ascii_case("of") => Ok(LineCommand::Instead(rest.join(" "))),
        "follow" if rest.is_empty() => Err("Type the question after follow.".into()),
        // "Follow up of …?" is a question of its own.
        "follow" if !rest[0].to_lowercase().starts_with("up") => Ok(LineCommand::Follow(rest.join(" "))),
        "chains" => Ok(LineCommand::Chains(rest.iter().map(|word| (*word).to_owned()).collect())),
        "anchor" if rest.is_empty() => Err("Type the name of the entity after anchor.".into()),
        "anchor" => Ok(LineCommand::AddAnchor(rest.join(" "))),
        "drop" if rest.first().is_some_and(|word| word.eq_ignore_ascii_case("anchor")) => match rest {
            [_, number] => number.parse().map(LineCommand::DropAnchor).map_err(|_| drop_form()),
            _ => Err(drop_form()),
        },
        "k" | "topk" | "delta" if rest.len() <= 1 => setting(&first, rest.first().copied()),
        _ => question(),
    }
}

/// The chains that the words name: numbers of kept chains, after `chain` numbers of all chains. `None` if the words are something else.
fn chain_references(words: &[&str]) -> Option<Vec<ChainReference>> {
    let mut of_all = false;
    let mut references = Vec::new();
    for word in words {
        let word = word.trim_end_matches([',', '.', '?', ';']).to_lowercase();
        match word.as_str() {
            "chain" | "chains" => of_all = true,
            "kept" => of_all = false,
            "and" | "" => {}
            number => {
                let number = number.parse().ok().filter(|number| *number > 0)?;
                references.push(if of_all { ChainReference::Any(number) } else { ChainReference::Kept(number) });
            }
        }
    }
    Some(references).filter(|references| !references.is_empty())
}

/// The passages that the words name; `None` if the words are something else.
fn passages(words: &[&str]) -> Option<Vec<PassageId>> {
    let named = words.iter().map(|word| word.trim_end_matches([',', '.', ';']).to_uppercase());
    let ids: Option<Vec<PassageId>> =
        named.filter(|word| !matches!(word.as_str(), "PASSAGE" | "PASSAGES" | "AND" | "")).map(|word| word.parse().ok()).collect();
    ids.filter(|ids| !ids.is_empty())
}

/// The status that a word gives an item of the case.
fn status(word: &str) -> Option<CaseItemKind> {
    Some(match word {
        "absent" => CaseItemKind::Finding(FindingStatus::Absent),
        "present" => CaseItemKind::Finding(FindingStatus::Present),
        "taken" => CaseItemKind::Drug(DrugStatus::Taken),
        "new" => CaseItemKind::Drug(DrugStatus::New),
        "considered" => CaseItemKind::Drug(DrugStatus::Proposed),
        "stopped" => CaseItemKind::Drug(DrugStatus::Stopped),
        "allergic" => CaseItemKind::Drug(DrugStatus::Allergic),
        "known" => CaseItemKind::Condition(ConditionStatus::Known),
        "suspected" => CaseItemKind::Condition(ConditionStatus::Suspected),
        "excluded" => CaseItemKind::Condition(ConditionStatus::Excluded),
        "past" => CaseItemKind::Condition(ConditionStatus::Past),
        _ => return None,
    })
}

/// An item of the case by its number, to have a status or to be removed; `None` if the words are a question.
fn case_item(word: &str, status: Option<CaseItemKind>, rest: &[&str]) -> Option<Result<LineCommand, String>> {
    let number = |text: &str| text.trim_end_matches(['.', ',']).parse::<usize>().ok().filter(|number| *number > 0);
    match (rest, rest.first().and_then(|text| number(text))) {
        ([_], Some(number)) => Some(Ok(status.map_or(LineCommand::Remove(number), |status| LineCommand::Mark(number, status)))),
        // "New headache" is a question.
        ([] | [_], _) if matches!(word, "absent" | "present" | "remove") => {
            Some(Err(format!("Type {word} and the number of an item of the case, such as {word} 2. Type case to hear the numbers.")))
        }
        _ => None,
    }
}

/// What is asked, by the names of its kinds; `None` if one is unknown.
fn kinds(text: &str) -> Option<Vec<AskKind>> {
    let mut kinds = Vec::new();
    for name in text.split([',', ';', '、', '，']).flat_map(|part| part.split(" and ")).map(|name| name.trim_end_matches('.')) {
        let kind = AskKind::named(name)?;
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    Some(kinds)
}

fn asks_form() -> String {
    let names: Vec<&str> = AskKind::ALL.iter().map(|kind| kind.title(false)).collect();
    format!("Type asks and one or more of: {}. Put commas between them.", names.join(", "))
}

/// The proposals that the words name; `None` if the words are something else.
fn proposals(words: &[&str]) -> Option<ProposalSelection> {
    if let [all] = words
        && all.eq_ignore_ascii_case("all")
    {
        return Some(ProposalSelection::All);
    }
    let mut ids = Vec::new();
    for word in words {
        let word = word.trim_end_matches([',', '.', ';']);
        if !["and", "proposal", "proposals", ""].iter().any(|filler| word.eq_ignore_ascii_case(filler)) {
            ids.push(word.parse().ok()?);
        }
    }
    Some(ids).filter(|ids| !ids.is_empty()).map(ProposalSelection::These)
}

fn decide(word: &str, rest: &[&str]) -> Result<Vec<ChainReference>, String> {
    let form = || {
        format!(
            "Type {word} and the number of a kept chain, such as {word} 2, or of any chain, such as {word} chain 35. \
             To ask a question that begins with {word}, type ask before it."
        )
    };
    chain_references(rest).ok_or_else(form)
}

fn drop_form() -> String {
    "Type drop anchor and the number of the anchor, such as drop anchor 3. Type anchors to hear the numbers.".into()
}

fn setting(name: &str, value: Option<&str>) -> Result<LineCommand, String> {
    let form = |what: &str| format!("Type {name} and {what}, or {name} alone to hear its value.");
    let whole = || value.map(|value| value.parse().map_err(|_| form("a whole number"))).transpose();
    match name {
        "k" => whole().map(LineCommand::K),
        "topk" => whole().map(LineCommand::TopK),
        _ => {
            let share = |value: &str| value.replace(',', ".").parse().ok().filter(|value: &f64| value.is_finite());
            let value = value.map(|value| share(value).ok_or_else(|| form("a number between 0 and 1"))).transpose();
            value.map(LineCommand::Delta)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_questions_are_distinguished() {
        let asks = |line: &str| parse(line) == Ok(LineCommand::Ask(line.trim().into()));
        for question in [
            "What helps against heartburn?",
            "why does he cough at night?",
            "Why 3 days of fever?",
            "help me with this cough",
            "more than 3 days of fever",
            "drop foot after surgery",
            "k deficiency signs",
            "anchoring bias",
            "good night cough",
            "gold allergy",
            "take back pain seriously",
            "accept some pain after surgery",
            "review of systems",
            "case fatality of measles",
            "absent knee reflexes and weakness",
            "instead of warfarin, apixaban?",
            "present illness of two days",
            "remove a tick safely",
            "follow up of a thyroid nodule",
            "asks about her potassium",
            "check answer key of the exam",
            "check her potassium?",
        ] {
            assert!(asks(question), "{question}: {:?}", parse(question));
        }
        assert_eq!(parse("ask why 2"), Ok(LineCommand::Ask("why 2".into())));
        assert_eq!(parse(" WHY 2? "), Ok(LineCommand::Why(ChainReference::Kept(2))));
        assert_eq!(parse("why chain 35"), Ok(LineCommand::Why(ChainReference::Any(35))));
        assert_eq!(
            parse("reject 2, 3 and chain 9"),
            Ok(LineCommand::Reject(vec![ChainReference::Kept(2), ChainReference::Kept(3), ChainReference::Any(9)]))
        );
        let ids = |ids: &[usize]| ids.iter().map(|place| PassageId::at(*place)).collect();
        assert_eq!(parse("reject D2 and d10."), Ok(LineCommand::DecidePassages(PassageDecision::Reject, ids(&[1, 9]))));
        assert_eq!(parse("pin passage D1"), Ok(LineCommand::DecidePassages(PassageDecision::Pin, ids(&[0]))));
        assert_eq!(parse("passages"), Ok(LineCommand::Passages));
        assert!(asks("reject D2 and other vitamins?") || parse("reject D2 and other vitamins?").is_err());
        let id = |record, item| ProposalId { item, record };
        assert_eq!(parse("reject 2.0"), Ok(LineCommand::RejectProposals(ProposalSelection::These(vec![id(2, 0)]))));
        assert_eq!(parse("Accept 2.0, and 12.3."), Ok(LineCommand::AcceptProposals(ProposalSelection::These(vec![id(2, 0), id(12, 3)]))));
        assert_eq!(
            (parse("accept all"), parse("reject ALL")),
            (Ok(LineCommand::AcceptProposals(ProposalSelection::All)), Ok(LineCommand::RejectProposals(ProposalSelection::All)))
        );
        assert_eq!((parse("check answer"), parse("Check text")), (Ok(LineCommand::CheckAnswer), Ok(LineCommand::CheckText)));
        assert_eq!((parse("good"), parse("Take back")), (Ok(LineCommand::Rate(Rating::Good)), Ok(LineCommand::TakeBack)));
        assert_eq!(parse("chains Reflux omeprazole"), Ok(LineCommand::Chains(vec!["Reflux".into(), "omeprazole".into()])));
        assert_eq!(parse("anchor stomach  ulcer"), Ok(LineCommand::AddAnchor("stomach ulcer".into())));
        assert_eq!(parse("Drop Anchor 3"), Ok(LineCommand::DropAnchor(3)));
        assert_eq!((parse("k"), parse("topk 5")), (Ok(LineCommand::K(None)), Ok(LineCommand::TopK(Some(5)))));
        assert_eq!(
            (parse("case"), parse("Absent 2."), parse("remove 3")),
            (Ok(LineCommand::Case), Ok(LineCommand::Mark(2, CaseItemKind::Finding(FindingStatus::Absent))), Ok(LineCommand::Remove(3)))
        );
        assert_eq!(parse("stopped 3."), Ok(LineCommand::Mark(3, CaseItemKind::Drug(DrugStatus::Stopped))));
        assert_eq!(parse("Past 4"), Ok(LineCommand::Mark(4, CaseItemKind::Condition(ConditionStatus::Past))));
        for question in ["new headache", "known asthma and wheeze", "stopped 2 days ago", "past"] {
            assert_eq!(parse(question), Ok(LineCommand::Ask(question.into())), "{question}");
        }
        assert_eq!(
            parse("asks tests, Treatment and causes"),
            Ok(LineCommand::Asks(vec![AskKind::Tests, AskKind::Treatment, AskKind::Causes]))
        );
        assert_eq!(parse("Instead potassium 6.1"), Ok(LineCommand::Instead("potassium 6.1".into())));
        assert_eq!(parse("follow what if her potassium is low?"), Ok(LineCommand::Follow("what if her potassium is low?".into())));
        assert_eq!(parse("delta 0,75"), Ok(LineCommand::Delta(Some(0.75))));
    }

    #[test]
    fn a_wrong_command_is_answered_with_its_form() {
        for wrong in
            ["why", "why x", "why 0", "why 1 2", "pin", "pin x y", "reject one", "restore -1", "drop anchor", "drop anchor x", "ask"]
        {
            assert!(parse(wrong).is_err_and(|message| message.starts_with("Type ")), "{wrong}: {:?}", parse(wrong));
        }
        for wrong in ["absent", "present x", "remove 0", "instead", "check", "asks", "asks zorb", "asks tests, zorb", "follow"] {
            assert!(parse(wrong).is_err_and(|message| message.starts_with("Type ")), "{wrong}: {:?}", parse(wrong));
        }
        for wrong in ["accept", "accept 2", "k three", "topk -1", "delta NaN", "delta high", "anchor", "k 99999999999999999999999"] {
            assert!(parse(wrong).is_err_and(|message| message.starts_with("Type ")), "{wrong}: {:?}", parse(wrong));
        }
    }

    #[test]
    fn help_names_every_command() {
        let help = HELP.join(" ").to_lowercase();
        let known = "ask answer kept why chains more anchors passages hypothesis pin reject restore anchor drop k topk delta undo redo reread good bad gold review accept \
                     learned take back quit case absent present remove instead asks follow check text";
        for word in known.split(' ') {
            assert!(help.split(|c: char| !c.is_alphanumeric()).any(|spoken| spoken == word), "{word}");
        }
    }
}
