//! Tests of reading what a question says of the patient.

use super::*;

fn patient(question: &str) -> Patient {
    read(&tokenise(question))
}

#[test]
fn the_word_lists_are_valid() {
    let words: Words = toml::from_str(include_str!("../../../../assets/patient.toml")).expect("valid");
    assert!(words.people.len() > 10 && !words.names.pregnancy.is_empty());
}

#[test]
fn age_is_read_where_it_is_stated() {
    let years = |question: &str| patient(question).age.map(|age| (age.from / YEAR, age.to / YEAR));
    assert_eq!(years("My 5-year-old son has a fever"), Some((5, 5)));
    assert_eq!(years("a 67 year old man with chest pain"), Some((67, 67)));
    assert_eq!(years("I'm 45 and I have a headache"), Some((45, 45)));
    assert_eq!(years("Patient aged 30"), Some((30, 30)));
    assert_eq!(years("an 18 month old with croup"), Some((1, 1)));
    assert_eq!(years("67yo with chest pain"), Some((67, 67)));
    assert_eq!(years("45岁男性，腹痛"), Some((45, 45)));
    assert_eq!(years("My baby has a rash"), Some((0, 2)));
    assert_eq!(years("a newborn with yellow skin"), Some((0, 0)));
    assert_eq!(years("my elderly father has a cough"), Some((60, 120)));
    assert_eq!(years("I have a headache"), Some((6, 120)), "who writes is no infant");
    assert_eq!(years("Boy 14 sudden groin pain"), Some((14, 14)));
    assert_eq!(years("My lad 13 says it hurts"), Some((13, 13)));
    assert_eq!(years("45M tired, dad had bowel cancer aged 60"), Some((45, 45)), "not the relative's");
    for unsaid in
        ["headache for 5 years", "My son has a cough", "5 years ago it began", "cough", "My blood pressure is 120", "30 minutes of pain"]
    {
        assert_eq!(years(unsaid), None, "{unsaid}");
    }
}

#[test]
fn whose_tablets_are_asked_for_is_not_the_patient() {
    for text in ["swollen ankles. My aunt has water tablets, can I take some?", "My brother has codeine left, should I just try one?"] {
        assert_eq!(patient(text).sex, None, "{text}");
    }
    assert_eq!(patient("My aunt has chest pain, should I ring somebody?").sex, Some(Sex::Female));
}

#[test]
fn sex_is_read_where_it_is_stated() {
    let sex = |question: &str| patient(question).sex;
    for male in [
        "My husband has chest pain",
        "He coughs",
        "my son is vomiting",
        "pain in my prostate",
        "I am a man of 40",
        "my child has a rash on his leg",
        "a 45 year old white man",
        "60 yo obese Asian man with gout",
        "Dad's face drooped",
        "45岁男性",
    ] {
        assert_eq!(sex(male), Some(Sex::Male), "{male}");
    }
    for female in
        ["I'm a 30-year-old female", "She has a cough", "a woman with a cough", "My wife's breast hurts", "my period is late", "女性，30岁"]
    {
        assert_eq!(sex(female), Some(Sex::Female), "{female}");
    }
    for unsaid in [
        "I have a cough",
        "I feel sick and my wife is worried",
        "My wife says that I snore",
        "I saw a doctor and he found nothing",
        "my husband and I want a baby",
        "He and she cough",
    ] {
        assert_eq!(sex(unsaid), None, "{unsaid}");
    }
}

#[test]
fn pregnancy_is_read_where_it_is_stated_or_denied() {
    let pregnant = |question: &str| patient(question).pregnant;
    for question in ["I'm pregnant", "20 weeks pregnant", "postpartum bleeding", "I gave birth last week", "孕20周"] {
        assert_eq!(pregnant(question), Some(true), "{question}");
    }
    assert_eq!(pregnant("I am not pregnant"), Some(false));
    assert_eq!(pregnant("I want to get pregnant"), None);
    assert_eq!(pregnant("cough"), None);
    assert_eq!(pregnant("避孕"), None);
}

#[test]
fn the_course_is_read_where_it_is_stated() {
    let course = |question: &str| patient(question).course;
    assert_eq!(course("I have had a cough since yesterday"), Some(Course::Acute));
    assert_eq!(course("coughing for the past 3 days"), Some(Course::Acute));
    assert_eq!(course("coughing for a few weeks"), Some(Course::Subacute));
    assert_eq!(course("coughing for a couple of weeks"), Some(Course::Acute));
    assert_eq!(course("I have had headaches for years"), Some(Course::Chronic));
    assert_eq!(course("headaches over the last 6 months"), Some(Course::Chronic));
    assert_eq!(course("咳嗽三天"), Some(Course::Acute));
    assert_eq!(course("咳嗽2年"), Some(Course::Chronic));
    for unsaid in
        ["it began 3 years ago", "my 5 year old coughs", "cough for 2 days and diabetes for 10 years", "for 20 weeks pregnant", "a cough"]
    {
        assert_eq!(course(unsaid), None, "{unsaid}");
    }
}
