"""Writes the test of invented names: python invented.py FOLDER

invented.iob has 200 questions, each with one name that no drug and no disease has; plain.iob has 200 ordinary questions without a
drug or disease. Both were written before the first training ended; questions.py, which training uses, shares no template with them.
"""
import itertools
import os
import random
import re
import sys

ONSETS = "b br c cl d dr f fl g gl k l m n p pl pr qu r s sp t tr v z zol".split()
VOWELS = "a e i o u ei ia eo".split()
CODAS = "b d g l m n r s t x nd rb lt".split()
DRUG_ENDS = "mab nib pril sartan olol statin azole mycin cillin floxacin gliptin parin tide vir caine setron zepam xaban idine amide".split()
DISEASE_ENDS = "osis itis oma emia opathy algia".split()
DISEASE_HEADS = ["syndrome", "disease", "fever", "palsy", "anaemia", "dystrophy"]

DRUG = """Can I take {x} with grapefruit?
My doctor prescribed {x} last week and now I feel tired.
Is {x} allowed while breastfeeding?
68-year-old woman on {x} 20 mg and bisoprolol, dizzy since Monday. What could it be?
how long before {x} starts working
Please list the contraindications of {x}.
We stopped {x} two days ago; when may she have it again?
Would you combine {x} with apixaban?
The child swallowed four tablets of {x}.
Allergic to {x}. What else can be given?
Does {x} make you gain weight?
Renal function is poor: adjust {x}?
Medication: {x} 5 mg once daily, ramipril 2.5 mg.
He developed a rash after {x} infusion.
What is {x} used for?
Is it dangerous to drink alcohol on {x}?
She asks for a repeat prescription of {x}.
Which blood tests are needed during {x} therapy?
maximum daily dose of {x}?
Switch from {x} to something cheaper, please advise."""
DISEASE = """What causes {x}?
Is {x} contagious?
My sister was diagnosed with {x} last year.
A 7-year-old boy with known {x} is coughing. What now?
How long do people live with {x}?
Past medical history: {x}, appendectomy.
Could this be {x}?
which specialist treats {x}
Is exercise good for somebody who has {x}?
Prevention of {x} in travellers?
He was admitted because of {x}.
First-line treatment for {x}?
What should patients with {x} avoid?
Are there tests that rule out {x}?
Since she got {x} she cannot sleep.
Is {x} inherited?
The biopsy suggests {x}.
I am worried that I have {x}.
Complications of untreated {x}?
Does {x} come back after surgery?"""

PLAIN_SUBJECTS = """the results of my last visit
the opening hours of the clinic
a second opinion
the waiting time for an appointment
my insurance papers
the instructions on the leaflet
how the examination is done
the next check-up
what the numbers on the report mean
the cost of the procedure"""
PLAIN = """Could you tell me more about {s}?
I would like to ask about {s}.
Who can help me with {s}?
My husband has a question about {s}.
Where do I find information on {s}?
I did not understand {s}.
Is there somebody I can call about {s}?
Please send me a letter about {s}.
We talked about {s} yesterday, do you remember?
hello, a short question about {s}
Can we discuss {s} tomorrow morning?
What do I need to know about {s}?
She is 62 years old and wonders about {s}.
How do other patients deal with {s}?
Sorry to bother you again about {s}.
Do I have to pay for {s}?
The nurse said something about {s}.
In which building do I ask for {s}?
Before the weekend, can you check {s}?
Thank you, that was helpful; one more thing about {s}."""


def stem(rng, syllables):
    return "".join(rng.choice(ONSETS) + rng.choice(VOWELS) + (rng.choice(CODAS) if rng.random() < 0.3 else "") for _ in range(syllables))


def tagged(form, mark, name, kind):
    """Words with their tags, as the corpora split them."""
    split = lambda text: re.findall(r"\w+|[^\w\s]", text)
    before, behind = form.split(mark)
    tags = ["B-" + kind] + ["I-" + kind] * (len(split(name)) - 1) if kind else ["O"] * len(split(name))
    return [(w, "O") for w in split(before)] + list(zip(split(name), tags)) + [(w, "O") for w in split(behind)]


def main():
    rng, rows = random.Random(20), []
    for form in itertools.islice(itertools.cycle(DRUG.split("\n")), 100):
        name = stem(rng, rng.choice([1, 2])) + rng.choice(DRUG_ENDS) if rng.random() < 0.6 else stem(rng, 3).capitalize()
        rows.append(tagged(form, "{x}", name, "Chemical"))
    for form in itertools.islice(itertools.cycle(DISEASE.split("\n")), 100):
        name = stem(rng, 2) + rng.choice(DISEASE_ENDS) if rng.random() < 0.5 else f"{stem(rng, 2).capitalize()} {rng.choice(DISEASE_HEADS)}"
        rows.append(tagged(form, "{x}", name, "Disease"))
    plain = [tagged(form, "{s}", s, "") for form in PLAIN.split("\n") for s in PLAIN_SUBJECTS.split("\n")]
    for name, sentences in (("invented.iob", rows), ("plain.iob", plain)):
        with open(os.path.join(sys.argv[1], name), "w", encoding="utf-8") as file:
            file.write("".join("".join(f"{word}\t{tag}\n" for word, tag in sentence) + "\n" for sentence in sentences))


if __name__ == "__main__":
    main()
