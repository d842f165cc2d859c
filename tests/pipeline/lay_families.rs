//! Families of everyday wordings, told by patients and by relatives, on the starter graph: who is told of, where and in which form of the verb
//! changes nothing, and what only sounds alike is not read so.

use catena::run::{AnchorOrigin, FindingStatus, Trace};

use crate::starter::{ask, finding};

/// Whether a question tells of something: a finding that is there, or an event or exposure, which are anchors alone.
fn tells(trace: &Trace, name: &str) -> bool {
    let told = trace.anchors.iter().any(|anchor| anchor.entity == name && anchor.origin != AnchorOrigin::Hypothesis);
    finding(trace, name).map_or(told, |status| matches!(status, FindingStatus::Present | FindingStatus::Uncertain))
}

/// The stories that are not read as telling of this (`expected`), or that are though they should not be.
fn misread(name: &str, expected: bool, stories: &[&str]) -> Vec<String> {
    stories.iter().filter(|story| tells(&ask(story), name) != expected).map(|story| format!("{name}: {story}")).collect()
}

#[test]
fn families_of_wordings_are_read_whoever_tells_them() {
    let families: [(&str, &[&str]); 14] = [
        ("Falls", &["My gran tripped on the bath mat, her hip hurts", "grandad keeps toppling over lately", "外公在浴室滑倒，髋部疼"]),
        ("Fall from a height", &["my uncle fell off the garage roof, back pain", "dad has come off a step ladder, his hip is sore"]),
        (
            "Confusion",
            &[
                "Grandma does not know what day it is since the weekend, fever",
                "my aunt is spouting rubbish since last night",
                "爷爷发烧，连家人都认不出",
            ],
        ),
        ("Vomiting", &["My nephew hasn't been able to keep fluids down since noon", "our baby brings it all straight back up"]),
        (
            "Urinary retention",
            &["my dad couldn't go for a wee all night, belly swollen", "Unable to pass urine since the operation, belly pain"],
        ),
        ("Painful urination", &["it burns like mad whenever I wee", "my daughter says it stings when she does a wee", "尿尿像针扎，发热"]),
        ("Leaking urine", &["my aunt keeps wetting herself", "I weed myself laughing again"]),
        (
            "Rectal bleeding",
            &["There is fresh blood down the bowl every time I have a poo", "blood all over the loo each time he goes for a poo"],
        ),
        (
            "Facial weakness",
            &["my wife's smile is all lopsided since breakfast", "Grandad's mouth is hanging down on one side", "外婆嘴角往一边歪"],
        ),
        (
            "Seizure",
            &[
                "My niece went rigid and then started shaking, eyes rolled up",
                "his whole body was jerking for two minutes",
                "女儿突然浑身抽",
            ],
        ),
        (
            "Laboured breathing in a child",
            &["8 month old, his chest is caving in under the ribs", "our toddler's nostrils are flaring, cough"],
        ),
        ("Reduced fetal movements", &["31 weeks pregnant and I haven't felt any kicks since yesterday", "怀孕33周，宝宝从昨晚到现在没动"]),
        (
            "Leaking amniotic fluid",
            &["37 weeks, there was a gush of warm fluid", "38 weeks, water trickling down my legs since lunch", "怀孕37周，下面突然流水"],
        ),
        ("Insect sting", &["my brother was stung by two wasps, rash all over", "a hornet got me on the arm, it is swollen"]),
    ];
    let missed: Vec<String> = families.iter().flat_map(|(name, stories)| misread(name, true, stories)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn what_only_sounds_alike_is_not_read_so() {
    let families: [(&str, &[&str]); 12] = [
        ("Falls", &["I keep falling asleep at work, tired", "My knee hurts when going down the stairs"]),
        (
            "Deliberate overdose of tablets",
            &["I took some paracetamol for my headache, still hurts", "he takes a lot of tablets for his heart, dizzy"],
        ),
        ("Self-inflicted cuts", &["cut myself shaving, now the skin is red and hot", "切菜时划到手了，伤口红肿"]),
        ("Drowning", &["burnt my hand, ran it under cold water for 20 minutes, blisters"]),
        ("Burns", &["I put a hot water bottle on my back for the back pain"]),
        ("Reduced fetal movements", &["cannot feel or move my legs, back pain", "宝宝发烧，不爱动"]),
        ("Vaginal bleeding in pregnancy", &["pregnant and my nose keeps bleeding", "怀孕三个月血压高，头痛"]),
        ("Jaundice", &["cough, my phlegm has gone yellow"]),
        ("Loss of consciousness", &["pneumonia, not responding to amoxicillin, still fever"]),
        ("Floppy baby", &["my husband walks with a limp, hip pain"]),
        ("Strangulation", &["wears a scarf round her neck, sore throat"]),
        ("Throat tightness", &["sore throat, my throat is swollen, fever"]),
    ];
    let wrong: Vec<String> = families.iter().flat_map(|(name, stories)| misread(name, false, stories)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_a_wording_denies_by_itself_is_there_and_what_is_denied_is_not() {
    for story in ["8 month old, hasn't had a wet nappy since last night, fever", "baby with fever, he has not had a wet nappy today"] {
        assert_eq!(finding(&ask(story), "Reduced urine output"), Some(FindingStatus::Present), "{story}");
    }
    assert!(misread("Double vision", false, &["头痛，看东西没有重影"]).is_empty());
    for (name, stories) in [
        (
            "Fever",
            ["she's not got a fever, cough for two days", "He hasn't got a temperature, cough", "I haven't got a temp, only a cough"],
        ),
        (
            "Seizure",
            ["My son has not had a fit, he just shivers", "headache, I haven't had a fit", "she hasn't had a fit but she feels dizzy"],
        ),
        ("Rash", ["I haven't got a rash, my knee hurts", "cough, not got any rash", "My daughter has not got a rash, fever since noon"]),
    ] {
        let present: Vec<_> = stories.iter().filter(|story| finding(&ask(story), name) == Some(FindingStatus::Present)).collect();
        assert!(present.is_empty(), "{name}: {present:?}");
    }
    assert_eq!(finding(&ask("my son has got a temp and a cough"), "Fever"), Some(FindingStatus::Present));
}

#[test]
fn signs_of_all_ages_are_read_as_what_they_are() {
    let families: [(&str, &[&str]); 5] = [
        ("Ascending weakness", &["35 year old man: legs getting weaker from the feet up over 3 days", "33岁男，从脚往上越来越没劲"]),
        ("Pinpoint red spots", &["4岁男孩，身上出红点，压了不褪色"]),
        ("Blood in vomit", &["62岁男，吐出来像咖啡渣"]),
        ("Tongue deviation", &["63-year-old man: when I stick my tongue out it veers to one side"]),
        ("Operation wound coming apart", &["50 year old woman: my stitches have come apart and it is oozing"]),
    ];
    let missed: Vec<String> = families.iter().flat_map(|(name, stories)| misread(name, true, stories)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn figures_of_speech_and_likenesses_tell_of_no_illness() {
    let families: [(&str, &[&str]); 8] = [
        ("Fatigue", &["35 year old man: legs getting weaker from the feet up over 3 days", "my right arm has gone weak"]),
        ("Caffeine", &["62岁男，吐出来像咖啡渣", "50岁男，小便像浓茶"]),
        ("Panic attacks", &["I'm panicking about my scan next week, should I rest?"]),
        ("Poor feeding", &["how do I stop feeding my 2 year old at night?"]),
        ("Electrical injury", &["60 year old woman: electric shocks in my cheek when I brush my teeth"]),
        ("Seizure", &["she had a fit of giggles", "he's having a fit about homework"]),
        ("Alcohol use", &["does rubbing alcohol help a spot?", "用酒精擦伤口疼"]),
        ("Hyperactivity", &["56岁男，打嗝打了两天停不下来"]),
    ];
    let misread: Vec<String> = families.iter().flat_map(|(name, stories)| misread(name, false, stories)).collect();
    assert!(misread.is_empty(), "{misread:#?}");
}
