#!/usr/bin/env python3
"""How much of what drug labels forbid does the starter graph state?

    python3 benches/labels/coverage.py LABEL_FOLDER [--graph FOLDER] [--missing] [--drug NAME]

LABEL_FOLDER holds `labels.jsonl.gz`: one US drug label on each line with `generic_name`, `brand_name` (lists) and
`sections` (name -> text). A label counts when its drug is in the graph.

What is extracted, one *claim* for each pair of drug and partner:
  contraindications   every sentence
  boxed_warning       sentences that forbid ("contraindicated", "avoid", "not recommended", "should not", "do not" ...)
  drug_interactions   the same sentences
A partner is an entity of the graph whose name or alias stands in the sentence as whole words, the longest first:
drugs, classes of drugs, alcohol, tobacco and caffeine as interactions; diseases, risk factors and those symptoms that the graph
uses as contraindications as contraindications (not in `drug_interactions`). Left out: the drug itself, its classes and
its ingredients, clauses about allergy to the drug, and states named as the harm ("because of the risk of ...").

A claim is *stated* when the graph has `interacts_with` (either way round) or `contraindicated_in` between the two, or
between any wider entities of theirs: `is_a` is followed at both ends, but not where it carries `route=topical` or
`route=inhaled`, and not past `except=`.

`not_stated.tsv` beside this script lists the pairs that are no such claim (drug, partner, reason; `*` is any drug). They
are left out of the count. Printed: the counts, the coverage, with --missing each claim not stated and its sentence.
"""
import argparse
import collections
import glob
import gzip
import json
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
FORBIDS = re.compile(
    r"contraindicat|\bavoid|not recommended|should not|must not|do not|not be (?:used|co|given|taken|administered)"
    r"|never be|inadvisable|discontinue .* before",
    re.I,
)
SALTS = (
    "hydrochloride hydrobromide sulfate sodium potassium calcium magnesium maleate mesylate citrate tartrate fumarate acetate "
    "succinate phosphate besylate bromide chloride medoxomil dihydrate anhydrous tosylate olamine palmitate bitartrate gluconate"
).split()
ALLERGY = re.compile(
    r"\b(?:known |history of |serious |severe |prior )*(?:hyper-?sensitivity|allergy|allergic reactions?|anaphyla\w+)"
    r"(?: reactions?)?[^.;•]*",
    re.I,
)
# What follows is why, not when: the harm that the drug would do, or what allergy to it looked like.
REASON = re.compile(
    r"\b(?:because|due to|owing to|(?:increased |higher )?risks? (?:of|for)|potential for|may (?:result|cause|lead|increase|develop)|can cause"
    r"|have been reported|have (?:included|ranged)|features resembling|to reduce the)\b.*",
    re.I | re.S,
)
SUBSTANCES = {"Alcohol use", "Smoking", "Caffeine", "Cannabis use", "Opioid use"}


def fold(text):
    """Lower case, one spelling (British or American) and single spaces."""
    text = text.lower().replace("’", "'").replace("‑", "-").replace("–", "-")
    text = re.sub(r"[^\w\s'*+./-]", " ", text)
    for old, new in (("ae", "e"), ("oe", "e"), ("our", "or"), ("sulph", "sulf"), ("isation", "ization"), ("ise", "ize"), ("yse", "yze")):
        text = text.replace(old, new)
    return re.sub(r"\s+", " ", text.replace("-", " ").replace("/", " ")).strip()


def rows(pattern):
    for path in sorted(glob.glob(pattern)):
        with open(path, encoding="utf-8") as file:
            for line in file:
                line = line.rstrip("\n")
                if line.strip() and not line.startswith("#"):
                    yield [cell.strip() for cell in line.split("\t")]


class Graph:
    def __init__(self, folder):
        self.kind, self.names = {}, collections.defaultdict(set)
        for cells in rows(os.path.join(folder, "entities", "*.tsv")):
            self.kind[cells[0]] = cells[1]
            for name in [cells[0]] + cells[2].split("|"):
                if len(name.strip()) > 2:
                    self.names[fold(name)].add(cells[0])
        self.up = collections.defaultdict(set)
        self.facts = collections.defaultdict(list)
        for head, relation, tail, *keys in rows(os.path.join(folder, "triples", "*.tsv")):
            values = dict(key.partition("=")[::2] for key in keys)
            if relation == "is_a":
                if values.get("route") not in ("topical", "inhaled"):
                    self.up[head].add(tail)
            elif relation in ("interacts_with", "contraindicated_in"):
                self.facts[relation, head, tail].append(set(values.get("except", "").split("|")))
        self.states = {t for r, _, t in self.facts if r == "contraindicated_in"}
        self.lines = {}

    def line(self, entity):
        """The entity with everything wider."""
        if entity not in self.lines:
            seen, todo = set(), [entity]
            while todo:
                each = todo.pop()
                if each not in seen:
                    seen.add(each)
                    todo.extend(self.up[each])
            self.lines[entity] = seen
        return self.lines[entity]

    def stated(self, relation, drug, partner):
        for a in self.line(drug):
            for b in self.line(partner):
                pairs = [(a, b), (b, a)] if relation == "interacts_with" else [(a, b)]
                for pair in pairs:
                    for excepted in self.facts.get((relation, *pair), ()):
                        if not excepted & (self.line(drug) | self.line(partner)):
                            return True
        return False


class Finder:
    """Entities named in a text: whole words, longest first, an entity only once."""

    def __init__(self, graph):
        self.table, self.longest = {}, 1
        for name, entities in graph.names.items():
            for form in {name, name + "s"}:
                self.table.setdefault(form, set()).update(entities)
            self.longest = max(self.longest, len(name.split()))

    def find(self, text):
        words = [word.strip(".") for word in fold(text).split()]
        found, at = [], 0
        while at < len(words):
            for length in range(min(self.longest, len(words) - at), 0, -1):
                hit = self.table.get(" ".join(words[at : at + length]))
                if hit:
                    found.extend(sorted(hit))
                    at += length
                    break
            else:
                at += 1
        return list(dict.fromkeys(found))


def drug_of(label, graph):
    """The entity of a label: by its generic name with and without the salt, or by its brand."""
    names = []
    for generic in label["generic_name"]:
        bare = re.sub(r"-[a-z]{4}$", "", generic.lower())
        names += [generic, bare, " ".join(w for w in re.split(r"\s+", bare) if w not in SALTS)]
    for name in names + [brand for brand in label["brand_name"] if len(label["generic_name"]) == 1]:
        hits = [e for e in graph.names.get(fold(name), ()) if graph.kind[e] in ("drug", "drug_class")]
        if len(hits) == 1:
            return hits[0]
    return None


GRADES = re.compile(r"\b(strong|moderate),?\s+(?:and|or|to)\s+(strong|moderate|weak)\s+(CYP\w+\s+(?:inhibitors?|inducers?))", re.I)


def sentences(text):
    text = re.sub(r"\b([ei])\.\s?([ge])\.,?", r"\1\2", text)
    text = re.sub(r"Child[-\s]+Pugh", "CP", text, flags=re.I)
    text = GRADES.sub(r"\1 \3, \2 \3", text)
    text = re.sub(r"\[\s*see[^\]]*\]|\(\s*(?:see[^)]*|[\d., ]+)\)", " ", text, flags=re.I)
    return [s.strip() for s in re.split(r"(?<=[.;])\s+(?=[A-Z•\d])|•|;|\s[-–]\s(?=[A-Z])", text) if s.strip()]


def claims(label, drug, graph, finder):
    own = graph.line(drug)
    for section in ("contraindications", "boxed_warning", "drug_interactions"):
        for sentence in sentences(label["sections"].get(section, "")):
            if section != "contraindications" and not FORBIDS.search(sentence):
                continue
            text = ALLERGY.sub(" ", sentence)
            when = set(finder.find(REASON.sub(" ", text))) if not re.match(r"reactions? ", text, re.I) else set()
            for partner in finder.find(text):
                kind = graph.kind[partner]
                if partner in own or drug in graph.line(partner):
                    continue
                if kind in ("drug", "drug_class") or partner in SUBSTANCES:
                    yield "interacts_with", partner, section, sentence
                elif section != "drug_interactions" and partner in when and (kind in ("disease", "risk_factor") or partner in graph.states):
                    yield "contraindicated_in", partner, section, sentence


def around(sentence, partner, graph, width=150):
    """The part of a sentence where the partner stands."""
    low = sentence.lower()
    at = min((low.find(name.split()[0][:6]) for name, es in graph.names.items() if partner in es if low.find(name.split()[0][:6]) >= 0), default=0)
    return ("… " if at > width else "") + sentence[max(0, at - width) : at + width]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels")
    parser.add_argument("--graph", default=os.path.join(HERE, "..", "..", "assets", "starter-kg"))
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--drug")
    options = parser.parse_args()
    graph = Graph(options.graph)
    finder = Finder(graph)
    judged = {tuple(cells[:2]) for cells in rows(os.path.join(HERE, "not_stated.tsv"))}
    seen, found = set(), {}
    total = 0
    with gzip.open(os.path.join(options.labels, "labels.jsonl.gz"), "rt", encoding="utf-8") as file:
        for line in file:
            label = json.loads(line)
            total += 1
            drug = drug_of(label, graph)
            if not drug or (options.drug and drug != options.drug):
                continue
            seen.add(drug)
            for relation, partner, section, sentence in claims(label, drug, graph, finder):
                found.setdefault((drug, relation, partner), (section, sentence))
    count = collections.Counter()
    missing = []
    for (drug, relation, partner), (section, sentence) in sorted(found.items()):
        if graph.stated(relation, drug, partner):
            count[relation, "stated"] += 1
        elif (drug, partner) in judged or ("*", partner) in judged:
            count[relation, "no claim"] += 1
        else:
            count[relation, "missing"] += 1
            missing.append((drug, relation, partner, section, sentence))
    if options.missing:
        for drug, relation, partner, section, sentence in missing:
            print(f"{drug}\t{relation}\t{partner}\t{section}\t{around(sentence, partner, graph)}")
    print(f"labels {total}, drugs of theirs in the graph {len(seen)}, claims {len(found)}")
    for relation in ("interacts_with", "contraindicated_in", None):
        n = {k: sum(v for (r, kk), v in count.items() if kk == k and relation in (r, None)) for k in ("stated", "missing", "no claim")}
        real = n["stated"] + n["missing"]
        print(f"{relation or 'all'}: stated {n['stated']} of {real} ({n['stated'] / max(real, 1):.1%}), judged no claim {n['no claim']}")


if __name__ == "__main__":
    main()
