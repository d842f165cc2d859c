//! What a line asks for: a command if it has a command's form, a question otherwise.

use crate::dkg::{ProposalId, Rating};

/// How a chain is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    /// By its place among the kept ones, from 1.
    Kept(usize),
    /// By its place in the list of all chains, from 1.
    Chain(usize),
}

/// A line, understood.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Command {
    Ask(String),
    Why(Which),
    /// Lists chains in which all of these words occur.
    Chains(Vec<String>),
    More,
    Kept,
    Anchors,
    Hypothesis,
    Answer,
    Pin(Vec<Which>),
    Reject(Vec<Which>),
    Restore(Vec<Which>),
    AddAnchor(String),
    /// By its place in the list of anchors, from 1.
    DropAnchor(usize),
    /// `None` asks what it is.
    K(Option<usize>),
    TopK(Option<usize>),
    Delta(Option<f64>),
    Undo,
    Redo,
    Reread,
    /// Says how the answer was.
    Rate(Rating),
    /// Lists what is proposed to be learned.
    Review,
    AcceptProposals(Named),
    RejectProposals(Named),
    /// Takes back the latest record of what was learned.
    TakeBack,
    Learned,
    Help,
    Quit,
}

/// Which proposals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Named {
    /// All that wait.
    All,
    These(Vec<ProposalId>),
}

/// What `help` says.
pub(super) const HELP: [&str; 26] = [
    "Type a question to have it answered; a line that begins with ask is always a question.",
    "Type answer to hear the answer again.",
    "Type kept to hear the chains that were kept as evidence.",
    "Type why 2 to hear all there is to say about kept chain 2, or why chain 35 about chain 35 of all chains.",
    "Type chains to hear all chains that were found, 20 at a time, or chains with some words to hear those in which the words occur.",
    "Type more to hear the next 20.",
    "Type anchors to hear which entities of the graph question and hypothesis name.",
    "Type hypothesis to hear the hypothesis.",
    "Type pin 2 or pin chain 35 to keep a chain whatever its score.",
    "Type reject 2 or reject chain 35 to keep a chain out; several numbers can be given.",
    "Type restore 2 or restore chain 35 to forget what you decided about a chain.",
    "Type anchor and a name to add an entity as an anchor.",
    "Type drop anchor 3 to reject anchor 3.",
    "Type k 2 to have chains of at most 2 relations, topk 15 to keep 15 chains, delta 0.8 to link what is that similar to a name.",
    "Type undo to take the last decision back, and redo to decide it again.",
    "Type reread to have the answer read anew from the chains that are kept now.",
    "Type good or bad to say how the answer was, so that Catena can learn from it; it proposes what to learn, or what to take back.",
    "Type gold to type the answer that it should have been, in lines that an empty line ends.",
    "Type review to hear what is proposed to be learned; nothing is learned before you accept it, unless the configuration says so.",
    "Type accept 2.0 or reject 2.0 to decide about proposal 2.0; accept all or reject all decides about all that wait.",
    "Type learned to hear what is learned.",
    "Type take back to take back the latest of your ratings and acceptances.",
    "Press Control and C to stop what is going on.",
    "Type quit to leave; the end of the input leaves too.",
    "Entities from the question and from the hypothesis are said to be so; the others were brought by the graph.",
    "Catena is no medical device and never replaces clinical judgement.",
];

/// Understands a line that is not blank.
///
/// # Errors
/// What is wrong with a command, in plain words.
pub(super) fn parse(line: &str) -> Result<Command, String> {
    let line = line.trim();
    let words: Vec<&str> = line.split_whitespace().collect();
    let Some((first, rest)) = words.split_first() else { return Ok(Command::Ask(String::new())) };
    let question = || Ok(Command::Ask(line.to_owned()));
    let first = first.to_lowercase();
    let alone = match first.as_str() {
        "more" => Some(Command::More),
        "kept" => Some(Command::Kept),
        "anchors" => Some(Command::Anchors),
        "hypothesis" => Some(Command::Hypothesis),
        "answer" => Some(Command::Answer),
        "undo" => Some(Command::Undo),
        "redo" => Some(Command::Redo),
        "reread" => Some(Command::Reread),
        "good" => Some(Command::Rate(Rating::Good)),
        "bad" => Some(Command::Rate(Rating::Bad)),
        "gold" => Some(Command::Rate(Rating::Gold)),
        "review" => Some(Command::Review),
        "learned" => Some(Command::Learned),
        "help" | "?" => Some(Command::Help),
        "quit" | "exit" => Some(Command::Quit),
        _ => None,
    };
    if let Some(command) = alone {
        return if rest.is_empty() { Ok(command) } else { question() };
    }
    match first.as_str() {
        "ask" if rest.is_empty() => Err("Type the question after ask.".into()),
        "ask" => Ok(Command::Ask(line.get(first.len()..).unwrap_or_default().trim().to_owned())),
        // Questions begin with why, too.
        "why" => match whiches(rest) {
            Some(named) if named.len() == 1 => Ok(Command::Why(named[0])),
            None if rest.len() > 1 => question(),
            _ => Err("Type why and the number of one kept chain, such as why 2, or why chain 35.".into()),
        },
        "take" if rest.len() == 1 && rest[0].eq_ignore_ascii_case("back") => Ok(Command::TakeBack),
        "accept" => match proposals(rest) {
            Some(named) => Ok(Command::AcceptProposals(named)),
            None if rest.len() > 1 => question(),
            None => Err("Type accept and the number of a proposal, such as accept 2.0, or accept all. Type review to hear them.".into()),
        },
        "pin" => decide(&first, rest).map(Command::Pin),
        // The numbers of proposals have a full stop in them, those of chains have none.
        "reject" => match proposals(rest) {
            Some(named) => Ok(Command::RejectProposals(named)),
            None => decide(&first, rest).map(Command::Reject),
        },
        "restore" => decide(&first, rest).map(Command::Restore),
        "chains" => Ok(Command::Chains(rest.iter().map(|word| (*word).to_owned()).collect())),
        "anchor" if rest.is_empty() => Err("Type the name of the entity after anchor.".into()),
        "anchor" => Ok(Command::AddAnchor(rest.join(" "))),
        "drop" if rest.first().is_some_and(|word| word.eq_ignore_ascii_case("anchor")) => match rest {
            [_, number] => number.parse().map(Command::DropAnchor).map_err(|_| drop_form()),
            _ => Err(drop_form()),
        },
        "k" | "topk" | "delta" if rest.len() <= 1 => setting(&first, rest.first().copied()),
        _ => question(),
    }
}

/// The chains that words name: numbers, after `chain` those of all chains. `None` where the words are something else.
fn whiches(words: &[&str]) -> Option<Vec<Which>> {
    let mut of_all = false;
    let mut named = Vec::new();
    for word in words {
        let word = word.trim_end_matches([',', '.', '?', ';']).to_lowercase();
        match word.as_str() {
            "chain" | "chains" => of_all = true,
            "kept" => of_all = false,
            "and" | "" => {}
            number => {
                let number = number.parse().ok().filter(|number| *number > 0)?;
                named.push(if of_all { Which::Chain(number) } else { Which::Kept(number) });
            }
        }
    }
    Some(named).filter(|named| !named.is_empty())
}

/// The proposals that words name; `None` where the words are something else.
fn proposals(words: &[&str]) -> Option<Named> {
    if let [all] = words
        && all.eq_ignore_ascii_case("all")
    {
        return Some(Named::All);
    }
    let mut ids = Vec::new();
    for word in words {
        let word = word.trim_end_matches([',', '.', ';']);
        if !["and", "proposal", "proposals", ""].iter().any(|filler| word.eq_ignore_ascii_case(filler)) {
            ids.push(word.parse().ok()?);
        }
    }
    Some(ids).filter(|ids| !ids.is_empty()).map(Named::These)
}

fn decide(word: &str, rest: &[&str]) -> Result<Vec<Which>, String> {
    let form = || {
        format!(
            "Type {word} and the number of a kept chain, such as {word} 2, or {word} chain 35 for one of all chains. \
             To ask a question that begins with {word}, type ask before it."
        )
    };
    whiches(rest).ok_or_else(form)
}

fn drop_form() -> String {
    "Type drop anchor and the number that the anchor has when you type anchors, such as drop anchor 3.".into()
}

fn setting(name: &str, value: Option<&str>) -> Result<Command, String> {
    let form = |what: &str| format!("Type {name} and {what}, or {name} alone to hear what it is.");
    let whole = || value.map(|value| value.parse().map_err(|_| form("a whole number"))).transpose();
    match name {
        "k" => whole().map(Command::K),
        "topk" => whole().map(Command::TopK),
        _ => {
            let share = |value: &str| value.replace(',', ".").parse().ok().filter(|value: &f64| value.is_finite());
            let value = value.map(|value| share(value).ok_or_else(|| form("a number between 0 and 1"))).transpose();
            value.map(Command::Delta)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_from_questions() {
        let asks = |line: &str| parse(line) == Ok(Command::Ask(line.trim().into()));
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
        ] {
            assert!(asks(question), "{question}: {:?}", parse(question));
        }
        assert_eq!(parse("ask why 2"), Ok(Command::Ask("why 2".into())));
        assert_eq!(parse(" WHY 2? "), Ok(Command::Why(Which::Kept(2))));
        assert_eq!(parse("why chain 35"), Ok(Command::Why(Which::Chain(35))));
        assert_eq!(parse("reject 2, 3 and chain 9"), Ok(Command::Reject(vec![Which::Kept(2), Which::Kept(3), Which::Chain(9)])));
        let id = |record, item| ProposalId { item, record };
        assert_eq!(parse("reject 2.0"), Ok(Command::RejectProposals(Named::These(vec![id(2, 0)]))));
        assert_eq!(parse("Accept 2.0, and 12.3."), Ok(Command::AcceptProposals(Named::These(vec![id(2, 0), id(12, 3)]))));
        assert_eq!(
            (parse("accept all"), parse("reject ALL")),
            (Ok(Command::AcceptProposals(Named::All)), Ok(Command::RejectProposals(Named::All)))
        );
        assert_eq!((parse("good"), parse("Take back")), (Ok(Command::Rate(Rating::Good)), Ok(Command::TakeBack)));
        assert_eq!(parse("chains Reflux omeprazole"), Ok(Command::Chains(vec!["Reflux".into(), "omeprazole".into()])));
        assert_eq!(parse("anchor stomach  ulcer"), Ok(Command::AddAnchor("stomach ulcer".into())));
        assert_eq!(parse("Drop Anchor 3"), Ok(Command::DropAnchor(3)));
        assert_eq!((parse("k"), parse("topk 5")), (Ok(Command::K(None)), Ok(Command::TopK(Some(5)))));
        assert_eq!(parse("delta 0,75"), Ok(Command::Delta(Some(0.75))));
    }

    #[test]
    fn what_is_wrong_with_a_command_is_said_with_its_form() {
        for wrong in
            ["why", "why x", "why 0", "why 1 2", "pin", "pin x y", "reject one", "restore -1", "drop anchor", "drop anchor x", "ask"]
        {
            assert!(parse(wrong).is_err_and(|said| said.starts_with("Type ")), "{wrong}: {:?}", parse(wrong));
        }
        for wrong in ["accept", "accept 2", "k three", "topk -1", "delta NaN", "delta high", "anchor", "k 99999999999999999999999"] {
            assert!(parse(wrong).is_err_and(|said| said.starts_with("Type ")), "{wrong}: {:?}", parse(wrong));
        }
    }

    #[test]
    fn help_names_every_command() {
        let help = HELP.join(" ").to_lowercase();
        let known = "ask answer kept why chains more anchors hypothesis pin reject restore anchor drop k topk delta undo redo reread good bad gold review accept \
                     learned take back quit";
        for word in known.split(' ') {
            assert!(help.split(|c: char| !c.is_alphanumeric()).any(|said| said == word), "{word}");
        }
    }
}
