//! Tests of the names whose words stand in another order.

use super::*;
use crate::graph::GraphBuilder;

fn found(names: &[(&str, Kind)], text: &str) -> Vec<String> {
    let mut builder = GraphBuilder::new("t");
    for (name, kind) in names {
        let entity = builder.entity(name);
        builder.set_kind(entity, kind.clone());
    }
    let graph = builder.finish();
    let index = ReorderedNames::of(&graph);
    let said = index.found(&tokenise(text), |_| false);
    said.iter().flat_map(|said| &said.entities).map(|entity| graph.entity_name(*entity).to_owned()).collect()
}

#[test]
fn words_in_another_order_and_form_name_a_finding() {
    let names = [("Pain radiating to the back", Kind::Symptom), ("Splinter haemorrhages", Kind::Symptom)];
    for text in ["pain that radiates through to my back", "his back: no. Severe pain, radiates", "radiation of the pain to the back"] {
        let is_named = !text.contains("no.");
        assert_eq!(found(&names, text) == ["Pain radiating to the back"], is_named, "{text}");
    }
    assert_eq!(found(&names, "hemorrhages of splinter type"), ["Splinter haemorrhages"]);
}

#[test]
fn what_stands_between_may_say_something_else() {
    let names = [("Chest pain", Kind::Symptom), ("High potassium", Kind::Symptom), ("Swollen leg", Kind::Symptom)];
    for text in ["chest fine, leg pain", "chest and leg pain", "high calcium and low potassium", "leg that is not swollen", "chest, pain"] {
        assert!(found(&names, text).is_empty(), "{text}: {:?}", found(&names, text));
    }
    assert_eq!(found(&names, "leg has become very swollen"), ["Swollen leg"]);
    let names = [("Growing mole", Kind::Symptom), ("Swollen leg", Kind::Symptom)];
    assert_eq!(found(&names, "the mole on my left shoulder is growing"), ["Growing mole"], "a place says nothing else");
    for text in ["the mole and my belly growing", "swollen patch on my arm and leg"] {
        assert!(found(&names, text).is_empty(), "{text}");
    }
}

#[test]
fn what_is_seen_at_a_place_is_no_fault_of_the_sight_there() {
    let names = [("Curtain in the vision", Kind::Symptom), ("Shadow in the vision", Kind::Symptom)];
    let seen = ["she sees spiders on the curtain", "sees a man in the shadow", "seeing small dogs at the curtain"];
    assert!(seen.iter().all(|text| found(&names, text).is_empty()));
    assert_eq!(found(&names, "seeing a dark curtain on the left"), ["Curtain in the vision"]);
    let names = [("Urination at night", Kind::Symptom)];
    assert!(found(&names, "urination stopped since last night").is_empty() && !found(&names, "every night urination").is_empty());
}

#[test]
fn one_morning_is_no_habit_of_mornings() {
    let names = [("Morning sickness", Kind::Symptom), ("Stiffness in the morning", Kind::Symptom)];
    for text in ["she was sick this morning", "sick yesterday morning", "my hands went stiff this morning"] {
        assert!(found(&names, text).is_empty(), "{text}: {:?}", found(&names, text));
    }
    assert_eq!(found(&names, "my hands are stiff every morning"), ["Stiffness in the morning"]);
    assert_eq!(found(&names, "sick every morning"), ["Morning sickness"]);
}

#[test]
fn a_condition_is_named_by_its_own_words_only_and_drugs_exactly() {
    let names = [("Pancreatic cancer", Kind::Disease), ("Heart failure", Kind::Disease), ("Sodium valproate", Kind::Drug)];
    assert_eq!(found(&names, "failure of the heart"), ["Heart failure"]);
    assert!(found(&names, "heart murmur, failure to thrive").is_empty());
    assert!(found(&names, "heart surgery failure").is_empty());
    assert!(found(&names, "valproate of sodium").is_empty());
}

#[test]
fn a_denial_keeps_its_place() {
    let names = [("Swelling that is not painful", Kind::Symptom), ("Losing weight without trying", Kind::Symptom)];
    assert_eq!(found(&names, "the swelling is not at all painful"), ["Swelling that is not painful"]);
    for text in ["it is not swollen but painful", "I am not losing weight"] {
        assert!(found(&names, text).is_empty(), "{text}");
    }
}

#[test]
fn a_measurement_and_what_can_be_done_say_something_else() {
    let names = [
        ("Blood in the urine", Kind::Symptom),
        ("Cannot be woken", Kind::Symptom),
        ("Tender temporal artery", Kind::Symptom),
        ("Non-blanching rash", Kind::Symptom),
        ("Won't wake up", Kind::Symptom),
    ];
    assert!(found(&names, "if I dont I wake up with a headache").is_empty());
    assert_eq!(found(&names, "why wont he wake up"), ["Won't wake up"]);
    for text in
        ["wee test + blood tests fine", "urine and blood tests", "woken at night and I cannot move", "temporal arteries are non-tender"]
    {
        assert!(found(&names, text).is_empty(), "{text}: {:?}", found(&names, text));
    }
    for (text, name) in [
        ("there is blood in my wee", "Blood in the urine"),
        ("I cannot get him woken", "Cannot be woken"),
        ("the temporal artery is tender", "Tender temporal artery"),
        ("a rash that does not blanch", "Non-blanching rash"),
    ] {
        assert_eq!(found(&names, text), [name], "{text}");
    }
}

#[test]
fn small_words_that_tell_must_be_said() {
    let names = [
        ("Cannot look down", Kind::Symptom),
        ("Can't get pregnant", Kind::Symptom),
        ("No get up and go", Kind::Symptom),
        ("Can't keep fluids down", Kind::Symptom),
        ("Nothing makes me happy", Kind::Symptom),
        ("Pain all over", Kind::Symptom),
        ("Under 1 year", Kind::RiskFactor),
        ("Waking at 4", Kind::Symptom),
        ("Coming off drink", Kind::Disease),
        ("Pain going down the arm", Kind::Symptom),
        ("Cannot feel my legs", Kind::Symptom),
        ("Spots still there under the glass", Kind::Symptom),
    ];
    for text in [
        "unable to hold anything down",
        "I cannot be pregnant, I have the coil",
        "I don't want to give up nursing",
        "not happy with the new tablets",
        "the pain goes over her brow",
        "out for under 1 minute",
        "came on at 4 this morning",
        "toddler off drinks",
        "I cannot cross my legs",
        "spots fade under a glass",
    ] {
        assert!(found(&names, text).is_empty(), "{text}: {:?}", found(&names, text));
    }
    for (text, name) in [
        ("we cannot get me pregnant", "Can't get pregnant"),
        ("fluids: cannot keep them down", ""),
        ("I cannot even keep the fluids down", "Can't keep fluids down"),
        ("nothing at all makes him happy", "Nothing makes me happy"),
        ("the pain is all over", "Pain all over"),
        ("coming off the drink", "Coming off drink"),
        ("pain down my arm", "Pain going down the arm"),
        ("he cannot really feel his legs", "Cannot feel my legs"),
        ("under a glass the spots are still there", "Spots still there under the glass"),
    ] {
        assert_eq!(found(&names, text), [name].into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>(), "{text}");
    }
}

#[test]
fn a_word_that_belongs_to_another_says_something_else() {
    let names = [
        ("Central obesity", Kind::Symptom),
        ("Band of the chest", Kind::Symptom),
        ("Cannot see", Kind::Symptom),
        ("Blood in the urine", Kind::Symptom),
    ];
    for text in [
        "abdomen is obese and tender centrally",
        "a band of thoracic back pain",
        "the clinic cannot see me until May",
        "send bloods and urine",
        "urine and bloods",
    ] {
        assert!(found(&names, text).is_empty(), "{text}: {:?}", found(&names, text));
    }
    for (text, name) in [
        ("obesity of central type", "Central obesity"),
        ("the chest is as in a band", "Band of the chest"),
        ("I cannot see since Monday", "Cannot see"),
        ("my urine has blood in it", "Blood in the urine"),
    ] {
        assert_eq!(found(&names, text), [name], "{text}");
    }
    assert_eq!(found(&[("Tender abdomen centrally", Kind::Symptom)], "abdomen is tender centrally"), ["Tender abdomen centrally"]);
}

#[test]
fn a_name_comes_from_one_clause_and_from_no_part_of_another_name() {
    let names = [("Red breast", Kind::Symptom), ("Swollen kidney", Kind::Symptom), ("Tender stomach", Kind::Symptom)];
    for text in [
        "breast (red one given)",
        "breast pump. Red cheeks",
        "stomach; tender",
        "kidney\nswollen",
        "breast cancer red in the report",
        "kidney cancer has swollen",
        "stomach ca tender",
        "breast tumour looks red",
    ] {
        assert!(found(&names, text).is_empty(), "{text}: {:?}", found(&names, text));
    }
    for (text, name) in [("the breast looks red", "Red breast"), ("stomach is tender", "Tender stomach")] {
        assert_eq!(found(&names, text), [name], "{text}");
    }
    assert_eq!(found(&[("Cancer of the breast", Kind::Disease)], "breast cancer"), ["Cancer of the breast"]);
}

#[test]
fn chinese_names_keep_their_order_and_may_stand_apart() {
    let names = [("大脚趾红肿", Kind::Symptom)];
    assert_eq!(found(&names, "半夜大脚趾突然又红又肿"), ["大脚趾红肿"]);
    for text in ["大脚趾不红肿", "大脚趾。又红又肿", "红肿的大脚趾", "大脚趾昨天晚上在厨房撞了红肿"] {
        assert!(found(&names, text).is_empty(), "{text}");
    }
}

#[test]
fn words_of_time_and_degree_part_no_chinese_name() {
    let names = [("眼睛黄", Kind::Symptom), ("走路喘", Kind::Symptom)];
    for (text, name) in [("眼睛最近有点黄", "眼睛黄"), ("走路这两天老是喘", "走路喘")] {
        assert_eq!(found(&names, text), [name], "{text}");
    }
    for text in ["眼睛看黄色", "眼睛最近不黄", "走路，最近喘", "眼睛和皮肤黄"] {
        assert!(found(&names, text).is_empty(), "{text}: {:?}", found(&names, text));
    }
}

#[test]
fn a_lump_that_has_not_grown_is_no_child_that_has_not() {
    let names = [("Not growing as he should", Kind::Symptom)];
    for text in ["the lump hasn't grown", "this mole isn't growing", "the lump on my arm isn't growing"] {
        assert!(found(&names, text).is_empty(), "{text}");
    }
    assert_eq!(found(&names, "the baby hasn't really grown"), ["Not growing as he should"]);
}

#[test]
fn the_forms_are_folded_and_each_word_has_one() {
    let file: File = toml::from_str(include_str!("../../../assets/word_forms.toml")).expect("valid");
    let words: Vec<&String> = file.group.iter().flat_map(|group| &group.words).collect();
    assert!(words.iter().all(|word| crate::text::fold(word) == **word));
    let distinct: std::collections::HashSet<&&String> = words.iter().collect();
    assert_eq!(distinct.len(), words.len(), "a word in two groups");
    assert!(FORMS.get("without").is_some_and(|form| *form == DENYING));
}

proptest::proptest! {
    #[test]
    fn any_order_of_a_names_words_names_it(order in proptest::sample::subsequence(vec![0_usize, 1, 2], 3), swap in 0..3_usize) {
        let words = ["white", "patches", "tongue"];
        let mut order = order;
        order.rotate_left(swap);
        let text = order.iter().map(|at| words[*at]).collect::<Vec<_>>().join(" on the ");
        proptest::prop_assert_eq!(found(&[("White patches on the tongue", Kind::Symptom)], &text).len(), 1);
    }
}
