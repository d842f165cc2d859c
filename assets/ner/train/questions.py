"""Sentences in the form of questions, for training: the corpora hold abstracts only, the program reads questions.

Names come from the training split, or are blends of the beginning of one name and the end of another, so that the words around
a name must tell its type. No template stands in the test of invented names (benches/ner).
"""
import random

DRUG = [
    "What are the side effects of {c}?", "How much {c} should I give?", "My mother takes {c} and {c} every day.",
    "Does {c} interact with {c}?", "Is {c} safe with {d}?", "He was started on {c} 50 mg twice daily for {d}.",
    "Patient on {c}, {c} and {c}.", "Should {c} be stopped before surgery?", "which is better for {d}, {c} or {c}?",
    "I forgot a dose of {c}, what now?", "Is there a generic for {c}?", "Long-term {c} use: what should be monitored?",
]
DISEASE = [
    "What are the symptoms of {d}?", "How is {d} diagnosed?", "A 54-year-old man with {d} presents with {d}.",
    "What is the treatment of {d} in children?", "My father has {d}, will I get it too?", "History: {d}, {d}. Now {d} for three days.",
    "Can {d} cause {d}?", "No history of {d}.", "Which tests confirm {d}?", "I think I have {d}, what should I do?", "{d} in a 30 year old woman",
]
PLAIN = [
    "What should I do next?", "Can you explain the results of my blood test?", "How long does it take until it works?",
    "I am 45 years old and I would like a check-up.", "Which doctor should I see for this?", "Is it safe to exercise every morning?",
    "What does this mean and how often should it be repeated?", "Thank you for your help, doctor.", "Which tests are needed before the operation?",
    "How many hours should I sleep?", "A 30-year-old woman comes for a routine visit.", "Is the vaccine given at birth?",
]


def blend(names, rng):
    """A name that is none: the beginning of one word and the end of another."""
    first, second = rng.choice(names), rng.choice(names)
    cut = lambda word: rng.randint(max(1, len(word) // 3), max(1, 2 * len(word) // 3))
    return first[:cut(first)] + second[cut(second):]


def sentences(count, names, seed):
    """`count` sentences (text, spans, "bc5cdr"); `names` are the mentions of the training split by type."""
    rng = random.Random(seed)
    words = [[name for name in kind if name.isalpha() and len(name) > 5] for kind in names]
    made = []
    for _ in range(count):
        form = rng.choice(rng.choices([DRUG, DISEASE, PLAIN], [0.45, 0.4, 0.15])[0])
        text, spans = "", []
        while form:
            at = form.find("{")
            if at < 0:
                text, form = text + form, ""
                continue
            kind = "cd".index(form[at + 1])
            text += form[:at]
            name = blend(words[kind], rng) if rng.random() < 0.5 else rng.choice(names[kind])
            spans.append((len(text), len(text) + len(name), kind))
            text, form = text + name, form[at + 3:]
        made.append((text, spans, "bc5cdr"))
    return made
