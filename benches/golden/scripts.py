"""What is typed in a golden recording: lines for `catena --accessible`, keys for the screen. All of it is decided beforehand, by the seed."""

from questions import drawn, number, pick

# Names that are looked up in each graph, and typed as anchors.
NAMES = {
    "starter": ["Gastritis", "Asthma", "Migraine", "Pneumonia", "Hypothyroidism", "Omeprazole", "Fever", "Coeliac disease", "ulcer", "胃炎"],
    "emckg796": ["Gastritis", "Asthma", "Migraine", "Pneumonia", "Hypothyroidism", "Panic disorder", "Fever", "Cough", "ulcer", "anxiety"],
    "hetionet": ["asthma", "migraine", "hypertension", "Omeprazole", "Ibuprofen", "Fever", "Cough", "psoriasis", "ulcer", "liver"],
}
WORDS = ["treats", "symptom", "disease", "pain", "test", "fever"]


def _look(label):
    """A command that changes nothing."""
    return pick(
        f"{label}:look",
        [
            "kept",
            "anchors",
            "hypothesis",
            "answer",
            "chains",
            f"chains {pick(label + ':word', WORDS)}",
            "more",
            f"why {number(label + ':why', 1, 6)}",
            f"why chain {number(label + ':why-chain', 1, 60)}",
            "k",
            "topk",
            "delta",
        ],
    )


def _change(label, graph):
    """A command that changes what is kept, if there is what it names."""
    kept = number(f"{label}:kept", 1, 5)
    other = number(f"{label}:other", 6, 9)
    chain = number(f"{label}:chain", 1, 80)
    return pick(
        f"{label}:change",
        [
            f"reject {kept}",
            f"reject {kept} and {other}",
            f"reject chain {chain}",
            f"pin {other}",
            f"pin chain {chain}",
            f"anchor {pick(label + ':name', NAMES[graph])}",
            f"anchor {pick(label + ':name', NAMES[graph])}",
            f"drop anchor {number(label + ':anchor', 1, 4)}",
            f"k {number(label + ':k', 1, 2)}",
            f"topk {pick(label + ':topk', [3, 5, 15, 20])}",
            f"delta {pick(label + ':delta', ['0.6', '0.75', '0.85', '0.95'])}",
        ],
    )


def plain_lines(graph, at, question, gold):
    """The lines of one session: about eight decisions, with what there is to hear in between; in some, teaching."""
    label = f"plain:{graph}:{at}"
    lines = ["help"] if at == 0 else []
    lines += [f"ask {question}", "kept", "anchors", "hypothesis"]
    for step in range(5):
        lines.append(_change(f"{label}:{step}", graph))
        lines.append(_look(f"{label}:{step}"))
    lines += ["undo", "kept", "undo", "redo", "reread", "answer", "kept", "why 1", "restore 1", "chains", "more"]
    lines.append(_change(f"{label}:last", graph))
    lines += ["reread", "anchors"]
    if at % 4 == 0:
        lines += ["anchor xyzzyplugh", "reject 99", "why chain 999999", "drop anchor 77", "k 9", "topk 0", "delta 2", "pin x", "accept", "redo"]
    if at % 4 == 1:
        lines += ["good", "review", "accept all", "learned", f"ask {question}", "kept", "why 1", "take back", "learned"]
    if at % 4 == 2:
        lines += ["gold", *gold, "", "review", "accept 2.0", "reject all", "learned", f"ask {question}", "kept", "take back", "take back", "take back"]
    if at % 4 == 3:
        lines += ["bad", "review", "reject all", "good", "reject 2.0", "learned", "take back"]
    return [line.replace("\n", " ") if line else line for line in lines] + ["quit"]


# A decision at the screen is a list of (keys, whether a revision must follow).
def _down(count):
    return ("j" * count) if count else ""


def _choose(label):
    """A decision about chains: the search stands."""
    at = number(f"{label}:row", 0, 6)
    return pick(
        f"{label}:press",
        [
            [("5<" + _down(at) + "x", True)],
            [("5<" + _down(at) + "p", True)],
            [("4<" + _down(at + 12) + "p", True)],
            [("4<" + _down(at + 3) + "x", True)],
            [("4<" + _down(2) + "v" + _down(3) + "x", True)],
            [("5<" + _down(at) + "Xk", True)],
            [("5<" + _down(at) + "Xe", False), ("\r", True)],
            [(",", False), ("jl", True), ("q", False)],
        ],
    )


def _search_again(label, graph):
    """A decision that searches again, made with the anchors filling the screen: where a search finds less than the one before, the program of
    which the first recording was made crashes when it draws kept chains before they are chosen anew."""
    anchor = number(f"{label}:anchor", 0, 2)
    decision = pick(
        f"{label}:press",
        [
            [("<" + _down(anchor) + "x", True)],
            [("l", True)],
            [("h", True)],
            [(",", False), ("h", True), ("q", False)],
            [("a", False), (pick(f"{label}:name", NAMES[graph]), False), ("\r", True)],
        ],
    )
    back = [("u", True), ("U", True)] if number(f"{label}:back", 0, 1) else []
    return [("3z", False), *decision, *back, ("r", True), ("z", False)]


def screen_keys(graph, at):
    """What is pressed after a question was answered."""
    label = f"screen:{graph}:{at}"
    keys = _choose(f"{label}:0")
    keys += _search_again(f"{label}:1", graph)
    keys += _choose(f"{label}:2") + _choose(f"{label}:3")
    return keys + [("6u", True), ("6U", True), ("6r", True), ("5<jx", True), ("6u", True)]


def chosen(label, rows, count):
    """Some of the questions of a graph, one line each."""
    items = [(row["id"], row["question"]) for row in rows if "\n" not in row["question"]]
    return [question for _, question in drawn(label, items, count)]
