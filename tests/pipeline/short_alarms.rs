//! Emergencies told in a few everyday words, and what such words do not mean, on the starter graph.

use catena::run::UrgencyLevel;

use crate::starter::level;

fn is_emergency(question: &str) -> bool {
    level(question) == Some(UrgencyLevel::Emergency)
}

fn is_calm(question: &str) -> bool {
    !matches!(level(question), Some(UrgencyLevel::Emergency | UrgencyLevel::Urgent))
}

#[test]
fn emergencies_of_a_few_words_are_seen() {
    let missed: Vec<&str> = [
        "8 week old baby burning hot",
        "my 6 week old feels really warm and is off his milk",
        "day old baby is yellow",
        "出生10小时的宝宝皮肤发黄",
        "toddler tipped hot coffee down his chest",
        "Pot of boiling water fell over my toddler, chest and arms red and blistered",
        "he fell off the roof and blacked out",
        "儿子从三楼掉下来，昏过去了",
        "cut my wrist on glass and it won't stop bleeding",
        "手被刀割了，按了半小时还在流血",
        "I gave birth last week, chills, fever and foul discharge",
        "ran marathon in heat, confused and burning hot",
        "coughing up cupfuls of blood",
        "hernia that won't go back in, hurts and I'm vomiting",
        "asthma, blue inhaler not working",
        "误喝了漂白水",
        "my baby has gone floppy and grey",
        "38 weeks, bleeding and belly hard as wood",
        "on steroids for years, stopped, now collapsed",
        "my girl fell off the climbing frame, passed out and has vomited three times",
        "just had baby, soaked five pads in an hour",
        "had a baby 2 weeks ago, hearing voices telling me to hurt him",
        "pacemaker patient blacking out again and again",
        "pulled a toddler out of the pool, coughing and sleepy now",
        "rash purple all over and I feel awful with fever",
        "被狗咬了脖子，血一直喷",
    ]
    .into_iter()
    .filter(|question| !is_emergency(question))
    .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn words_of_emergencies_that_mean_something_else_are_no_alarm() {
    for question in [
        "I spilled a cup of coffee on her laptop",
        "my jumper went blue in the wash",
        "my 5 year old is hot in her bedroom, what bedding?",
        "when do waters usually break?",
        "blind spot check in my car failed",
    ] {
        assert!(is_calm(question), "{question}: {:?}", level(question));
    }
}

#[test]
fn what_is_explained_by_something_harmless_is_no_alarm_unless_more_is_told() {
    for question in [
        "black stools since starting iron tablets, feel fine",
        "stiff neck after sleeping badly",
        "my calves ache after running yesterday",
        "small bruise after blood test",
        "baby teething and drooling",
        "mild headache after staring at a screen",
    ] {
        assert!(is_calm(question), "{question}: {:?}", level(question));
    }
    for question in [
        "black tarry stools since starting iron tablets, feel fine",
        "black stools since starting iron tablets, dizzy",
        "black stools on iron and ibuprofen, feel fine",
        "stiff neck and fever after sleeping badly",
        "left calf pain and swelling after running yesterday",
        "thunderclap headache while staring at a screen",
        "baby teething, drooling and noisy breathing",
    ] {
        assert!(!is_calm(question), "{question}: {:?}", level(question));
    }
}

#[test]
fn what_was_long_ago_or_is_told_of_nobody_is_no_alarm() {
    for question in [
        "五年前做过阑尾炎手术，现在能跑步吗",
        "I read a novel in which a man was stabbed and shot",
        "my dog was bitten by a snake last year, he is fine",
        "how long do contractions last in normal labour",
    ] {
        assert!(is_calm(question), "{question}: {:?}", level(question));
    }
    assert!(is_emergency("my husband was stabbed outside a cinema"));
    assert!(is_emergency("急性阑尾炎，肚子痛，怎么办"));
}
