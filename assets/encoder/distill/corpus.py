"""Training texts for the static encoder: python corpus.py DATA TEACHER texts.txt.gz"""
import csv
import glob
import gzip
import itertools
import json
import os
import random
import re
import sys

WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")

PARTS = """head neck throat chest back belly stomach tummy shoulder arm elbow wrist hand finger thumb hip thigh knee calf shin ankle
foot toe heel jaw gum tooth tongue lip mouth nose ear eye eyelid cheek forehead scalp hair skin nail groin bladder bowel bottom
breast nipple penis testicle vagina pelvis rib spine muscle joint bone heart lung liver kidney brain nerve vein lower_back
upper_arm upper_back left_side right_side left_arm face gut bum whole_body legs feet hands eyes ears joints muscles""".split()
FEEL = """hurts aches burns itches stings throbs is_swollen is_numb is_stiff is_sore is_red is_bleeding is_tender is_tingling is_weak
is_hot is_cold is_shaking twitches cramps feels_tight feels_heavy feels_funny is_dry is_peeling is_bruised is_blocked
keeps_swelling won't_stop_hurting is_killing_me went_numb gives_way is_yellow is_blue is_pale pounds is_racing""".split()
NOUNS = """pain ache burning itching swelling numbness stiffness soreness redness bleeding weakness rash lump cramp pressure tightness
spasm bruise infection discharge sore blister ulcer injury tingling tenderness discomfort cancer surgery problem disease
x-ray scan inflammation irritation""".split()
VERBS = """sleep breathe eat swallow walk stand see hear smell taste pee poop think focus concentrate remember relax talk speak move
bend lift run sit climb_stairs read drive work get_up fall_asleep stay_awake stay_asleep keep_food_down feel_my_legs
catch_my_breath stop_crying stop_coughing stop_shaking stop_eating stop_drinking stop_smoking stop_sneezing stop_vomiting
stop_bleeding stop_thinking stop_sweating stop_washing_my_hands sit_still lose_weight gain_weight get_pregnant hold_my_urine
have_sex get_an_erection make_decisions enjoy_anything control_my_anger open_my_mouth hear_properly see_clearly""".split()
MOODS = """sad happy down low tired exhausted worn_out dizzy sick queasy nauseous faint weak anxious nervous scared panicky worried
hopeless worthless empty lonely angry irritable restless jittery confused foggy sleepy drowsy hot cold feverish shivery
sweaty thirsty hungry bloated gassy full achy sore stiff shaky light-headed off_balance depressed stressed overwhelmed numb
suicidal guilty paranoid moody on_edge tense out_of_breath short_of_breath run_down under_the_weather unwell better worse""".split()
WHEN = """at_night in_the_morning after_eating when_I_walk when_I_breathe when_I_lie_down when_I_stand_up when_I_pee when_I_cough
all_the_time for_two_weeks since_yesterday for_months after_exercise during_pregnancy after_surgery in_winter every_day
suddenly before_my_period when_I_bend_over at_work in_the_sun when_swallowing on_and_off for_no_reason""".split()
THINGS = """fever cough runny_nose stuffy_nose sore_throat rash headache migraine cramps diarrhea constipation heartburn gas hiccups
vomiting nausea nosebleed blood_in_urine blood_in_stool black_stool weight_loss weight_gain hair_loss hot_flashes night_sweats
chills panic_attacks mood_swings bad_breath dry_mouth mouth_sores earache toothache ringing_in_ears blurry_vision double_vision
palpitations chest_pain back_pain joint_pain swollen_glands swollen_ankles bruises hives acne warts bed_wetting snoring
sleepwalking nightmares memory_loss blackouts seizures fainting tremors high_blood_pressure low_blood_sugar high_cholesterol
high_blood_sugar irregular_periods heavy_periods missed_period vaginal_discharge painful_sex loss_of_appetite loss_of_smell
trouble_swallowing shortness_of_breath wheezing phlegm hoarseness allergies asthma diabetes depression anxiety stress
a_cold the_flu pneumonia arthritis gout a_stroke a_heart_attack cancer a_hernia ulcers piles an_infection worms lice
ringworm shingles chickenpox measles mumps malaria food_poisoning anemia a_blood_clot kidney_stones gallstones""".split()
DRUGS = """antibiotic painkiller steroid insulin inhaler antidepressant sedative laxative antacid diuretic statin vaccine blood_thinner
beta_blocker birth_control sleeping_pill antihistamine decongestant cough_syrup aspirin ibuprofen acetaminophen metformin
penicillin amoxicillin warfarin prednisone morphine vitamin_D iron calcium antifungal antiviral chemotherapy nicotine""".split()
FORMS = "pill tablet medicine drug injection shot cream ointment drops spray syrup patch supplement side_effects overdose dose".split()
TEMPLATES = [
    ("my {} {}", PARTS, FEEL), ("{} {}", PARTS, NOUNS), ("{} in my {}", NOUNS, PARTS), ("can't {}", VERBS),
    ("I can't {}", VERBS), ("trouble {}", VERBS), ("I can not {} {}", VERBS, WHEN), ("it is hard to {}", VERBS),
    ("unable to {}", VERBS), ("feeling {}", MOODS), ("I feel {}", MOODS), ("I feel {} and {}", MOODS, MOODS),
    ("I feel {} {}", MOODS, WHEN), ("always {}", MOODS), ("I have {}", THINGS), ("{} {}", THINGS, WHEN),
    ("I have {} and {}", THINGS, THINGS), ("{} with {}", THINGS, THINGS), ("what helps with {}", THINGS),
    ("what causes {}", THINGS), ("my child has {}", THINGS), ("medicine for {}", THINGS), ("{} pills", THINGS),
    ("is {} a sign of {}", THINGS, THINGS), ("can {} cause {}", DRUGS, THINGS), ("{} for {}", DRUGS, THINGS),
    ("{} {}", DRUGS, FORMS), ("{} {} {}", PARTS, NOUNS, WHEN), ("{} {} for {}", PARTS, FORMS, THINGS),
    ("{} and {}", PARTS, PARTS), ("{} {}", PARTS, FORMS), ("{} doctor", PARTS), ("{} test", THINGS), ("no {}", THINGS),
    ("my {} {} {}", PARTS, FEEL, WHEN), ("swollen {}", PARTS), ("broken {}", PARTS), ("blood in my {}", PARTS),
]


MODIFIERS = """acute_{} chronic_{} severe_{} mild_{} recurrent_{} congenital_{} familial_{} hereditary_{} primary_{} secondary_{}
malignant_{} benign_{} adult_{} childhood_{} juvenile_{} neonatal_{} maternal_{} drug-induced_{} idiopathic_{} bilateral_{}
symptoms_of_{} signs_of_{} history_of_{} treatment_of_{} causes_of_{} risk_of_{} suspected_{} early_{} late-onset_{} no_{}
{}_in_children {}_in_pregnancy {}_syndrome {}_disease {}_disorder {}_type_1 {}_type_2 {}_unspecified {}_NOS {}_(disorder)
{}_(finding) {}_(diagnosis) {}_test {}_treatment {}_symptoms {}_due_to_infection {},_acute {},_familial {}_deficiency {}_pain
{}_of_skin {}_of_lung {}_of_liver {}_of_the_brain my_{} I_have_{} could_it_be_{} {}_medicine""".split()


def sentences(text):
    return [s for s in re.split(r"(?<=[.?!;:]) +|\s+- |\n+", text) if s]


def lines(path):
    with gzip.open(path, "rt", encoding="utf-8") as f:
        yield from f


def iob(path):
    """BC5CDR: (sentences, mentions)."""
    words, mention, out, names = [], [], [], []
    for line in itertools.chain(lines(path), ["\n"]):
        word, _, tag = line.rstrip("\n").partition("\t")
        if mention and not tag.startswith("I"):
            names.append(" ".join(mention))
            mention = []
        if tag[:1] in ("B", "I"):
            mention.append(word)
        if word:
            words.append(word)
        elif words:
            out.append(" ".join(words))
            words = []
    return out, names


def read(data):
    """Sentences of running text, and names (phrases to be taken whole)."""
    text, names = [], []
    for line in lines(f"{data}/en-medquad/medquad_docs.jsonl.gz"):
        doc = json.loads(line)
        names += [doc["focus"], *doc["synonyms"]]
        for qa in doc["qa"]:
            names.append(qa["question"])
            text += sentences(qa["answer"])
    for line in lines(f"{data}/en-pubmedqa/ori_pqal.jsonl.gz"):
        doc = json.loads(line)
        names += [doc["QUESTION"], *doc["MESHES"]]
        for part in [*doc["CONTEXTS"], doc["LONG_ANSWER"]]:
            text += sentences(part)
    for path in sorted(glob.glob(f"{data}/ner-ncbi-disease/*.txt.gz")):
        for line in lines(path):
            if m := re.match(r"\d+\|[ta]\|(.*)", line):
                text += sentences(m[1])
            elif len(f := line.rstrip("\n").split("\t")) > 4:
                names.append(f[3])
    for path in sorted(glob.glob(f"{data}/ner-bc5cdr/*.tsv.gz")):
        s, m = iob(path)
        text, names = text + s, names + m
    for row in csv.DictReader(lines(f"{data}/onto-doid/HumanDO-labels.tsv.gz"), delimiter="\t"):
        names.append(row["label"])
    for line in lines(f"{data}/hetionet/hetionet-v1.0-nodes.tsv.gz"):
        f = line.rstrip("\n").split("\t")
        if f[2] in ("Symptom", "Anatomy"):
            names.append(f[1])
    return text, names


def main(data, teacher, out, seed=1):
    rng = random.Random(seed)
    text, names = read(data)
    vocab = [w for w in open(os.path.join(teacher, "vocab.txt"), encoding="utf-8").read().split("\n")
             if re.fullmatch(r"[a-z]{2,}|\d+", w)]
    words = {}
    for s in itertools.chain(text, names):
        for w in WORD.findall(s.lower()):
            for part in {w, *re.split(r"['’-]", w)}:
                words[part] = words.get(part, 0) + 1
    lay = []
    for form, *slots in TEMPLATES:
        for fill in itertools.product(*slots):
            lay.append(form.format(*fill).replace("_", " "))
    lay = rng.sample(lay, min(len(lay), 60000))
    grams = []
    for s in text:
        w = s.split()
        for _ in range(1 + len(w) // 3):
            n = rng.choice((2, 2, 3, 3, 4, 5, 6))
            at = rng.randrange(max(1, len(w) - n + 1))
            g = " ".join(w[at:at + n]).strip(".,;:()[]\"'")
            if " " in g:
                grams.append(g)
    whole = [s for s in text if 4 <= len(s.split()) <= 30]
    short = sorted({n.rstrip(" ?.") for n in names if len(n.split()) <= 4})
    modified = [rng.choice(MODIFIERS).replace("_", " ").format(n) for n in short for _ in range(3)]
    common = vocab[:9000]
    mixed = [" ".join(rng.choice(common) for _ in range(rng.choice((2, 2, 3)))) for _ in range(60000)]
    groups = [names, [w for w, n in words.items() if n > 1 and not w.isdigit()] + vocab, lay, modified,
              rng.sample(grams, 240000), rng.sample(whole, 40000), mixed,
              [w for w, n in words.items() if n == 1 and not w.isdigit()]]
    seen, texts = set(), []
    for group in groups:
        new = [t for t in dict.fromkeys(" ".join(t.split()) for t in group) if t and t.lower() not in seen]
        print(len(new), new[:3], file=sys.stderr)
        seen.update(t.lower() for t in new)
        texts += new
    rng.shuffle(texts)
    with gzip.open(out, "wt", encoding="utf-8") as f:
        f.write("\n".join(texts) + "\n")
    print(len(texts), "texts", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:4])
