//! Tests of lay language.

use super::*;
use crate::text::tokenise;

/// What the words of a text are called, with what is shown of it.
fn called(text: &str) -> Vec<(String, String)> {
    let tokens = tokenise(text);
    let shown = |span: Span| text[tokens[span.first].start..tokens[span.last - 1].end].to_owned();
    reworded(text, &tokens, |_| false).into_iter().map(|phrase| (phrase.text, shown(phrase.span))).collect()
}

fn names(text: &str) -> Vec<String> {
    called(text).into_iter().map(|(name, _)| name).collect()
}

#[test]
fn the_file_is_valid_and_folded() {
    let file: File = toml::from_str(TEXT).expect("valid");
    Lexicon::of(TEXT, &file).unwrap_or_else(|malformed| panic!("assets/lay.toml, {malformed}"));
    let graph = crate::graph::starter_graph().expect("sound");
    let is_known = |name: &String| graph.entity_ids().any(|entity| graph.entity_name(entity) == name);
    assert!(!file.events.names.is_empty() && file.events.names.iter().all(is_known), "{:?}", file.events);
    assert!(file.body.complaints.len() > 30 && file.body.parts.len() > 40 && file.turns.phrases.len() > 80);
    let mut seen = std::collections::HashSet::new();
    let said = file
        .body
        .complaints
        .iter()
        .flat_map(|complaint| &complaint.says)
        .chain(file.turns.phrases.iter().chain(&file.turns.further).flat_map(|turn| &turn.says));
    for says in said.map(Spanned::get_ref) {
        assert!(seen.insert(says), "{says} twice");
        assert!(!says.chars().any(|c| c.is_uppercase() || "'’?.".contains(c)), "{says}: folded");
    }
    assert!(file.body.complaints.iter().flat_map(|complaint| &complaint.with).all(|with| !words_of(with).is_empty()));
}

#[derive(serde::Deserialize)]
struct Wordings {
    turn: Vec<Wording>,
}

#[derive(serde::Deserialize)]
struct Wording {
    name: String,
    yes: Vec<String>,
    no: Vec<String>,
}

#[test]
fn further_wordings_say_what_they_were_written_for_and_their_near_misses_do_not() {
    let wordings: Wordings = toml::from_str(include_str!("../../tests/everyday_wordings.toml")).expect("valid");
    let says = |text: &str, name: &str| names(text).iter().any(|said| said.eq_ignore_ascii_case(name));
    let all = |of: fn(&Wording) -> &Vec<String>| wordings.turn.iter().flat_map(move |turn| of(turn).iter().map(|text| (text, &turn.name)));
    let unread: Vec<_> = all(|turn| &turn.yes).filter(|(text, name)| !says(text, name)).collect();
    let misread: Vec<_> = all(|turn| &turn.no).filter(|(text, name)| says(text, name)).collect();
    assert!(all(|turn| &turn.yes).count() > 1_000);
    assert!(unread.is_empty() && misread.is_empty(), "unread: {unread:#?}, misread: {misread:#?}");
}

/// Whether a table reads the whole of a phrase, whatever fills its gaps, as something that `is_same`.
fn reads<T: Copy>(table: &TemplateTable<T>, phrase: &str, is_same: impl Fn(T) -> bool) -> bool {
    ["", "zorb", "zorb quib"].into_iter().all(|filling| {
        let tokens = tokenise(&phrase.replace('_', filling));
        let own = words_of(phrase).iter().filter(|word| *word != "_").count();
        table.all_at(&tokens, 0).iter().any(|found| is_same(found.means) && found.own.len() >= own)
    })
}

#[test]
fn what_was_listed_phrase_by_phrase_is_still_read() {
    let mut count = 0;
    for line in include_str!("../../tests/data/lay-phrases.tsv").lines().filter(|line| !line.starts_with('#')) {
        let [kind, names, phrases] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let names: Vec<&str> = names.split('|').collect();
        let holds = |own: &[String]| names.iter().all(|name| own.iter().any(|own| own == name));
        for phrase in phrases.split('|') {
            count += 1;
            let is_read = match kind {
                "part" => reads(&LEXICON.parts, phrase, |part| holds(&part.names)),
                "complaint" => reads(&LEXICON.complaints, phrase, |complaint| holds(&complaint.with) || holds(&complaint.alone)),
                "turn" => reads(&LEXICON.turns, phrase, |turn| turn.names.iter().any(|name| names.contains(&name.as_str()))),
                _ => reads(&LEXICON.idle, phrase, |()| true),
            };
            assert!(is_read, "{kind} {names:?}: {phrase}");
        }
    }
    assert!(count > 2000, "{count}");
}

#[test]
fn a_complaint_is_said_of_the_nearest_part_of_the_body() {
    assert_eq!(names("chest pain and a red leg")[..2], ["chest pain", "pain in chest"]);
    assert_eq!(names("chest pain and swollen legs"), ["leg swelling", "peripheral edema", "chest pain", "pain in chest"]);
    assert_eq!(names("chest pain and swollen eyes")[2..], ["eye swelling", "swollen eye"]);
    assert!(called("My elbow often really hurts.").contains(&("elbow pain".to_owned(), "elbow often really hurts".to_owned())));
}

#[test]
fn parts_of_the_body_that_are_joined_share_a_complaint() {
    assert_eq!(names("My arms and both legs feel stiff."), ["arm stiffness", "leg stiffness", "stiffness"]);
    assert_eq!(names("My arms and both legs feel weak."), ["muscle weakness"], "no tiredness");
}

#[test]
fn a_sentence_may_take_up_the_part_of_the_body_of_the_one_before() {
    let called = called("My eye is really bothering me. It's swollen.");
    assert!(called.contains(&("swollen eye".to_owned(), "swollen".to_owned())), "{called:?}");
    assert!(names("My eye is fine. I noticed swollen things.").is_empty());
}

#[test]
fn a_complaint_without_a_part_is_called_by_its_own_name_if_that_says_enough() {
    assert_eq!(names("I am weak and it is painful"), ["weakness", "feel weak"]);
    assert_eq!(names("I am so tired"), ["fatigue", "tiredness"]);
}

#[test]
fn turns_of_phrase_have_gaps_and_stay_in_their_sentence() {
    assert_eq!(called("I get out of breath.")[0], ("shortness of breath".to_owned(), "out of breath".to_owned()));
    assert_eq!(names("I have a hard time sleeping")[0], "insomnia");
    assert!(names("I passed. Out there it rains.").is_empty());
    assert_eq!(names("拉肚子三天了"), ["腹泻"]);
    assert_eq!(called("我爸右边胳膊没劲")[0], ("weakness of one side".to_owned(), "右边胳膊没劲".to_owned()));
    let tokens = tokenise("右手没劲了");
    assert!(is_turn(&tokens, Span { first: 0, last: 4 }) && !is_turn(&tokens, Span { first: 0, last: 5 }));
}

#[test]
fn what_is_denied_says_nothing() {
    let text = "no cough but a swollen eye";
    let tokens = tokenise(text);
    assert!(!reworded(text, &tokens, |_| false).is_empty());
    assert!(reworded(text, &tokens, |token| token == 4).is_empty(), "told so");
    assert!(names("my eye is not really swollen").is_empty());
    assert!(!names("it does not help, my eye is swollen").is_empty());
}

#[test]
fn who_talks_like_a_drunk_slurs_and_what_is_only_said_tells_nothing() {
    for text in ["she is speaking as if she was drunk", "sounds like he's drunk", "speech sounded drunk to me"] {
        assert_eq!(names(text)[..1], ["slurred speech"], "{text}");
    }
    assert_eq!(names("walking around like he is drunk")[..1], ["poor balance"]);
    assert_eq!(names("couldn't feel a thing down there when wiping")[..1], ["saddle numbness"]);
    assert!(!names("I feel so down there is no point").contains(&"saddle numbness".to_owned()));
    assert_eq!(names("unable to keep tablets down")[..1], ["vomiting"]);
    for text in ["tried creams, no joy", "when do I worry?", "is it worth worrying", "a faint line on the test"] {
        assert!(names(text).is_empty(), "{text}: {:?}", names(text));
    }
    assert_eq!(names("there is no joy in anything")[..1], ["depression"]);
    assert_eq!(names("a faint pink rash"), ["rash"]);
    let tokens = tokenise("her eyes aren't yellow");
    assert!(!is_turn(&tokens, Span { first: 1, last: 4 }), "the denial is none of its words");
}

#[test]
fn turns_of_phrase_that_name_nothing_are_of_no_part_of_the_body() {
    assert!(names("The pain came back").iter().all(|name| !name.contains("back")), "{:?}", names("The pain came back"));
    assert_eq!(names("The pain in my back came back")[0], "back pain");
    let idle = idle(&tokenise("I sit for long periods of time"));
    assert_eq!(idle, [false, false, true, true, true, true, true]);
    let folded = |text: &str| tokenise(text).into_iter().map(|token| token.text).collect::<Vec<_>>();
    assert!(is_part_of_body(&folded("lower back")) && !is_part_of_body(&folded("back pain")) && !is_part_of_body(&[]));
    assert!(["of", "my", "one"].iter().all(|word| !is_part_of_body(&folded(word))));
}
