#!/usr/bin/env python3
"""Lists aliases of the starter graph that differ from a name only by a qualifier word.

An alias must mean the same thing as its entity. Two lists are printed:
  wide    an alias is the entity's own name without, or with, a qualifier ("bronchitis" of Acute bronchitis)
  across  an alias is another entity's name without, or with, a qualifier
Each pair must be settled in alias_audit.md, as a line "- Entity: alias: reason". Exit status 1 if one is not.
Usage: alias_audit.py [folder of the starter graph]
"""
import collections
import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
GRAPH = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "..", "assets", "starter-kg")
KINDS = {"disease", "symptom", "test", "treatment", "risk_factor", "pathogen"}
QUALIFIERS = """acute|chronic|subacute|severe|mild|stable|unstable|recurrent|persistent|sudden|primary|secondary|bacterial|viral|fungal
allergic|autoimmune|idiopathic|congenital|infective|infectious|infected|septic|aseptic|type 1|type 2|type i|type ii|a|b|c|wet|dry|central|nephrogenic
gestational|pregnancy|in pregnancy|open-angle|angle-closure|narrow-angle|ischaemic|haemorrhagic|hemorrhagic|ischemic|intracerebral|community-acquired
hospital-acquired|pulmonary|latent|inguinal|hiatus|proliferative|diabetic|exertional|deep|iron deficiency|non-infective|upper|lower|generalised
generalized|simple|complicated|uncomplicated|malignant|benign|cutaneous|plantar|genital|oral|vaginal|anterior|posterior|left|right|allergic|atopic|contact
bronchial|essential|systemic|major|minor|adult|childhood|juvenile|neonatal|newborn|infantile|senile|paralytic|tension|complete|advanced|early|late|active|inactive""".replace("\n", "|").split("|")
PATTERN = re.compile(r"\b(" + "|".join(sorted(map(re.escape, set(QUALIFIERS)), key=len, reverse=True)) + r")\b")


def parts(name):
    """The name without qualifier words, and the qualifier words, in one spelling."""
    text = name.lower().replace("haem", "hem").replace("oeso", "eso").replace("ischaem", "ischem").replace("isation", "ization").replace("ised", "ized").replace("rrhoea", "rrhea")
    return " ".join(PATTERN.sub(" ", text).split()), frozenset(PATTERN.findall(text))


entities = {}
for path in sorted(glob.glob(os.path.join(GRAPH, "entities", "*.tsv"))):
    for line in open(path, encoding="utf-8"):
        columns = [column.strip() for column in line.rstrip("\n").split("\t")]
        if len(columns) >= 5 and not line.startswith("#") and columns[1] in KINDS:
            entities[columns[0]] = [alias for alias in columns[2].split("|") if alias]

settled = set()
for line in open(os.path.join(HERE, "alias_audit.md"), encoding="utf-8"):
    match = re.match(r"- (.+?): (.+?): ", line)
    if match:
        settled.update((match[1], alias.strip().lower()) for alias in match[2].split(" | "))

is_a = collections.defaultdict(set)
for path in glob.glob(os.path.join(GRAPH, "triples", "*.tsv")):
    for line in open(path, encoding="utf-8"):
        columns = line.rstrip("\n").split("\t")
        if len(columns) > 2 and columns[1] == "is_a":
            is_a[columns[0]].add(columns[2])


def wider(name):
    """All entities that the entity is a kind of."""
    found, todo = set(), [name]
    while todo:
        for other in is_a[todo.pop()] - found:
            found.add(other)
            todo.append(other)
    return found


by_core = collections.defaultdict(set)
for name in entities:
    by_core[parts(name)[0]].add(name)

open_pairs = 0
for name, aliases in entities.items():
    own, own_words = parts(name)
    above = wider(name)
    for alias in aliases:
        key, words = parts(alias)
        if not key or (key, words) == (own, own_words):
            continue
        pairs = [f"wide\t{name}\t{alias}"] if key == own else []
        for other in sorted(by_core.get(key, set()) - {name}):
            other_words = parts(other)[1]
            # A qualifier more than in the name of a wider entity is as it should be: the alias names the kind.
            if (words <= other_words or words >= other_words) and not (other in above and words > other_words):
                pairs.append(f"across\t{name}\t{alias}\t{other}")
        for pair in pairs:
            done = (name, alias.lower()) in settled
            open_pairs += not done
            print(("settled\t" if done else "OPEN\t") + pair)
print(open_pairs, "open")
sys.exit(open_pairs > 0)
