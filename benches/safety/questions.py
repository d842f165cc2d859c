"""Questions about stored interactions and contraindications of the starter graph, in many wordings and two languages.

The wordings are templates, written without regard to how Catena reads a question. `{a}` is the drug, `{b}` the other drug or the state.
Those marked `late` were written after the safety pass was finished.
"""

import random
import tomllib
from dataclasses import dataclass
from pathlib import Path

RELATIONS = ("interacts_with", "contraindicated_in")

INTERACTION = {
    "en": [
        "Can I give {a} to a patient who takes {b}?",
        "Is {a} safe with {b}?",
        "Does {a} interact with {b}?",
        "67 year old man on {b}, {a} started yesterday. Anything to worry about?",
        "Interaction between {a} and {b}?",
        "A woman of 58 takes {a} and {b} and feels unwell. What is going on?",
        "She is on {a}. Could {b} be added?",
        "What happens if {a} and {b} are combined?",
    ],
    "zh": [
        "{a}能和{b}一起用吗？",
        "患者正在服用{b}，可以加用{a}吗？",
        "{a}与{b}有相互作用吗？",
        "男，67岁，长期服用{b}，昨天开始用{a}，需要注意什么？",
    ],
    "late": [
        "Pt on {b}, thinking of adding {a} - ok?",
        "My mother uses {a} every day and was prescribed {b}. Should she be worried?",
        "{a} + {b}: problem?",
        "Current medication: {a}, {b}. Please review.",
        "正在吃{a}，医生又开了{b}，有没有问题？",
        "用药清单：{a}、{b}。请审核。",
    ],
}

CONTRAINDICATION = {
    "en": [
        "Can {a} be given in {b}?",
        "Is {a} safe for a patient with {b}?",
        "Is {a} contraindicated in {b}?",
        "A patient with {b} was prescribed {a}. Is that all right?",
        "She has {b}. May I start {a}?",
        "60 year old with {b}, now on {a}. Any concerns?",
        "Would you use {a} in somebody with {b}?",
        "Should {a} be stopped because of {b}?",
    ],
    "zh": [
        "{b}患者能用{a}吗？",
        "{a}禁用于{b}吗？",
        "患者有{b}，可以开始用{a}吗？",
        "60岁患者，{b}，目前服用{a}，有什么问题吗？",
    ],
    "late": [
        "PMH {b}. On {a}. Continue?",
        "My father has {b} and got {a} from the pharmacy. Is it dangerous?",
        "{b} - {a} ok?",
        "We want to treat with {a}; the history mentions {b}.",
        "既往史：{b}。现用药：{a}。能继续用吗？",
        "得了{b}，还能吃{a}吗？",
    ],
}

# Of a state of the patient (pregnancy, age, an organ's function), nobody says that a patient of 60 "has" it.
STATE = {
    "en": [
        "Can {a} be given in {b}?",
        "Is {a} safe in {b}?",
        "Is {a} contraindicated in {b}?",
        "{a} in {b}?",
        "May I start {a}? The patient: {b}.",
        "Any concerns about {a} in {b}?",
        "Would you use {a} in {b}?",
        "What speaks against {a} in {b}?",
    ],
    "zh": [
        "{b}能用{a}吗？",
        "{a}禁用于{b}吗？",
        "{b}，可以开始用{a}吗？",
        "{b}使用{a}有什么问题吗？",
    ],
    "late": [
        "{b}: {a} ok?",
        "I was given {a}. Is it dangerous in {b}?",
        "We want to treat with {a}; note {b}.",
        "Risk of {a} in {b}",
        "{b}时{a}能继续用吗？",
        "{b}还能吃{a}吗？",
    ],
}


@dataclass(frozen=True)
class Entity:
    name: str
    kind: str
    chinese: tuple[str, ...]


@dataclass(frozen=True)
class Stored:
    a: str
    relation: str
    b: str


@dataclass(frozen=True)
class Question:
    id: str
    text: str
    stored: Stored
    language: str


def rows(path: Path):
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


class Graph:
    """The starter graph as its files state it."""

    def __init__(self, folder: Path):
        self.entities: dict[str, Entity] = {}
        for path in sorted((folder / "entities").glob("*.tsv")):
            for name, kind, _, chinese, *_ in rows(path):
                self.entities[name] = Entity(name, kind, tuple(c for c in chinese.split("|") if c))
        states = tomllib.loads((folder.parent / "states.toml").read_text(encoding="utf-8"))
        self.states = {name for state in states["state"] for name in state["names"]}
        self.stored: list[Stored] = []
        self.classes: dict[str, set[str]] = {}
        for path in sorted((folder / "triples").glob("*.tsv")):
            for head, relation, tail, *_ in rows(path):
                if relation in RELATIONS:
                    self.stored.append(Stored(head, relation, tail))
                elif relation == "is_a":
                    self.classes.setdefault(head, set()).add(tail)

    def kin(self, name: str) -> set[str]:
        """The entity, all its classes and all its members, however far."""
        def closure(step):
            seen, stack = {name}, [name]
            while stack:
                for other in step(stack.pop()):
                    if other not in seen:
                        seen.add(other)
                        stack.append(other)
            return seen

        members: dict[str, set[str]] = {}
        for member, classes in self.classes.items():
            for cls in classes:
                members.setdefault(cls, set()).add(member)
        return closure(lambda e: self.classes.get(e, ())) | closure(lambda e: members.get(e, ()))

    def names(self, name: str) -> list[str]:
        """What an answer may call an entity."""
        entity = self.entities[name]
        return [entity.name.lower(), *(name.lower() for name in entity.chinese)]

    def chinese(self, name: str) -> str:
        entity = self.entities[name]
        return entity.chinese[0] if entity.chinese else entity.name


def wordings(graph: Graph, stored: Stored) -> list[tuple[str, str]]:
    """(language, template), the same number and languages for every triple."""
    if stored.relation != "contraindicated_in" or graph.entities[stored.b].kind in ("drug", "drug_class"):
        templates = INTERACTION
    else:
        templates = STATE if stored.b in graph.states else CONTRAINDICATION
    pairs = [("en", t) for t in templates["en"]] + [("zh", t) for t in templates["zh"]]
    return pairs + [("zh" if any("\u4e00" <= c <= "\u9fff" for c in t) else "en", t) for t in templates["late"]]


def within(name: str) -> str:
    """An English name within a sentence: its first letter small, unless it is an abbreviation or a proper name."""
    first, rest = name[:1], name[1:]
    return first.lower() + rest if rest[:1].islower() else name


def stored_questions(graph: Graph, sample: int | None, seed: int) -> list[Question]:
    questions = []
    for number, stored in enumerate(graph.stored):
        for wording, (language, template) in enumerate(wordings(graph, stored)):
            name = graph.chinese if language == "zh" else within
            text = template.format(a=name(stored.a), b=name(stored.b))
            text = text[:1].upper() + text[1:]
            questions.append(Question(f"{number}-{wording}", text, stored, language))
    if sample is not None and sample < len(questions):
        questions = sorted(random.Random(seed).sample(questions, sample), key=lambda q: q.id)
    return questions


def unrelated_questions(graph: Graph, count: int, seed: int) -> list[Question]:
    """Pairs of drugs of which nothing is stored, neither of themselves nor of their classes or members."""
    stored = {(s.a, s.b) for s in graph.stored} | {(s.b, s.a) for s in graph.stored}
    drugs = sorted(n for n, e in graph.entities.items() if e.kind == "drug")
    choose = random.Random(seed)
    questions: list[Question] = []
    seen = set()
    for _ in range(100 * count):
        if len(questions) == count:
            break
        a, b = choose.sample(drugs, 2)
        if (a, b) in seen or graph.kin(a) & graph.kin(b) or any((x, y) in stored for x in graph.kin(a) for y in graph.kin(b)):
            continue
        seen |= {(a, b), (b, a)}
        language, template = choose.choice(wordings(graph, Stored(a, "none", b)))
        name = graph.chinese if language == "zh" else within
        text = template.format(a=name(a), b=name(b))
        questions.append(Question(f"u{len(questions)}", text[:1].upper() + text[1:], Stored(a, "none", b), language))
    return questions
