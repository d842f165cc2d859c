#!/usr/bin/env python3
"""Draws 200 real names that the starter graph and the recogniser's training texts do not have: python3 benches/ner/rare.py DATA

rare.tsv: name, type, source. rare.iob: each name in a question. DATA is the folder of the shared data sets. Drugs: names of one
active ingredient in United States drug labels (openFDA, CC0), and brand names where those are too few. Diseases: labels of the
Human Disease Ontology (CC0) that it counts among the rare ones. They are drawn by seed, after training, without a look at what the
recogniser says; the questions are the templates of assets/ner/train/invented.py, which are older than the first trained network.
"""
import glob, gzip, itertools, json, os, random, re, sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(ROOT, "assets", "ner", "train"))
import corpora, invented  # noqa: E402

EACH, LONGEST, SEED = 100, 4, 20
# Words of a label's name that tell the salt, the form or the way of giving, not the drug.
SALTS = set("""acetate besylate bromide calcium chloride citrate disodium fumarate hydrobromide hydrochloride hydrate maleate magnesium
mesylate monohydrate phosphate potassium sodium succinate sulfate sulphate tartrate tosylate trihydrate anhydrous hemihydrate dihydrate
tablets tablet capsules injection oral solution cream gel ointment and for suspension extended release delayed film coated medoxomil
hydroxide nitrate oxide trifluoroacetate alafenamide disoproxil dimesylate dihydrochloride malate edisylate lactate propionate""".split())


def lines(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file]


def folded(name):
    return " ".join(re.findall(r"[a-z0-9]+", name.lower()))


def known(data):
    """Folded names of the starter graph, and mentions of the training split."""
    names = set()
    for path in glob.glob(os.path.join(ROOT, "assets", "starter-kg", "entities", "*.tsv")):
        for line in lines(path):
            if line and not line.startswith("#"):
                fields = line.split("\t")
                names.update(folded(name) for name in [fields[0], *(fields[2].split("|") if len(fields) > 2 else [])])
    for text, spans, _ in corpora.read(data, "train"):
        names.update(folded(text[begin:end]) for begin, end, _ in spans)
    return names - {""}


def drugs(data, names):
    """Generic names of labels without salts, and brand names of one word, with the label's number; none is known."""
    found, brands = {}, {}
    for line in lines(os.path.join(data, "drug-labels", "labels.jsonl.gz")):
        label = json.loads(line)
        for generic in label["generic_name"] or []:
            words = folded(generic).split()
            while words and words[-1] in SALTS:
                words.pop()
            drug = " ".join(words)
            is_one = not re.search(r",|;|/| and ", generic.lower())
            if is_one and drug.isalpha() and len(drug) > 4 and drug not in names:
                found.setdefault(drug, "openFDA label " + label["set_id"])
        for brand in map(str.lower, label["brand_name"] or []):
            if brand.isalpha() and len(brand) > 4 and brand not in names:
                brands.setdefault(brand.capitalize(), "openFDA label " + label["set_id"] + ", brand")
    return found, {brand: source for brand, source in brands.items() if brand.lower() not in found}


def diseases(data, names):
    """Labels of at most LONGEST words that the ontology counts among the rare diseases."""
    rare, term = set(), ""
    for line in lines(os.path.join(data, "onto-doid", "doid-2016-03-04.obo.gz")):
        if line.startswith("id: "):
            term = line[4:]
        elif line == "subset: DO_rare_slim":
            rare.add(term)
    found = {}
    for line in lines(os.path.join(data, "onto-doid", "HumanDO-labels.tsv.gz"))[1:]:
        number, label = [field.strip('"') for field in line.split("\t")[:2]]
        is_plain = re.fullmatch(r"[A-Za-z' -]+", label) and len(label.split()) <= LONGEST
        if number in rare and is_plain and folded(label) not in names and not label.startswith("obsolete"):
            found.setdefault(label, number)
    return found, {}


def main():
    data = sys.argv[1]
    names, rng = known(data), random.Random(SEED)
    table, sentences = [], []
    sets = (("Chemical", drugs(data, names), invented.DRUG), ("Disease", diseases(data, names), invented.DISEASE))
    for kind, (found, more), forms in sets:
        print(f"{kind}: {EACH} of {len(found)} names, {len(more)} brands", file=sys.stderr)
        drawn = rng.sample(sorted(found), min(EACH, len(found)))
        # Where there are too few, brands.
        drawn += rng.sample(sorted(more), EACH - len(drawn))
        found.update(more)
        for form, name in zip(itertools.cycle(forms.split("\n")), drawn):
            table.append(f"{name}\t{kind}\t{found[name]}")
            sentences.append(invented.tagged(form, "{x}", name, kind))
    with open(os.path.join(HERE, "rare.tsv"), "w", encoding="utf-8") as file:
        file.write("name\ttype\tsource\n" + "\n".join(table) + "\n")
    with open(os.path.join(HERE, "rare.iob"), "w", encoding="utf-8") as file:
        file.write("".join("".join(f"{word}\t{tag}\n" for word, tag in sentence) + "\n" for sentence in sentences))


if __name__ == "__main__":
    main()
