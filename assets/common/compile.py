"""Compiles en.txt and zh.txt: the words that are common in the language of questions and clinical texts and name nothing by themselves.

    python3 compile.py DATA > log        DATA: the folder with en-medquad, en-pubmedqa, en-medqa, en-genmedgpt, zh-cmb-clin, ...

A word counts once for each document in which it stands outside medical names (longest match of the names of the starter graph, HPO,
DOID and the symptoms, compounds and diseases of Hetionet; for Chinese of the starter graph and the lists of zh-disease-kb). Left out are
words that are a name, or that are mostly used within names, and the words of the lists lay, direction and negation, which state findings.
"""
import collections, glob, gzip, json, os, re, sys, tomllib, unicodedata

DATA, HERE = sys.argv[1], os.path.dirname(os.path.abspath(__file__))
ASSETS = os.path.dirname(HERE)
EN, ZH = 2600, 450
# How many documents must use a word outside names for each name that holds it.
RARELY_NAMED = 8
# Words of names that only qualify ("acute", "type", "syndrome") are common although they mostly stand within names.
QUALIFIERS = set(open(os.path.join(HERE, "qualifiers.txt"), encoding="utf-8").read().split())

# Words left out by hand because they name a part of the body, a substance, an organism, a test, a treatment or a finding, or abbreviate one.
CLINICAL = set(open(os.path.join(HERE, "clinical.txt"), encoding="utf-8").read().split())
CLINICAL |= set(open(os.path.join(HERE, "clinical-zh.txt"), encoding="utf-8").read().split())

def fold(text):
    text = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).lower()
    return re.findall(r"[a-z0-9]+|[\u4e00-\u9fff]", re.sub("['’‘ʼ`]", "", text))

def lines(path):
    with gzip.open(os.path.join(DATA, path), "rt", encoding="utf-8") as file:
        yield from file

def records(path):
    return map(json.loads, lines(path))

def texts(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key not in ("id", "url", "source", "cuis", "semantic_types", "qid", "gold", "synonyms"):
                yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)

names = set()
for path in glob.glob(os.path.join(ASSETS, "starter-kg/entities/*.tsv")):
    for line in open(path, encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            cells = line.rstrip("\n").split("\t")
            for cell in (cells + ["", "", ""])[0:1] + (cells + ["", "", ""])[2:4]:
                names.update(tuple(fold(name)) for name in cell.split("|"))
for path in ("hpo/hp-2016-01-13.obo.gz", "onto-doid/doid-2016-03-04.obo.gz"):
    for line in lines(path):
        if line.startswith("name: "):
            names.add(tuple(fold(line[6:])))
        elif line.startswith("synonym: ") and "EXACT" in line:
            names.add(tuple(fold(line.split('"')[1])))
for line in lines("hetionet/hetionet-v1.0-nodes.tsv.gz"):
    cells = line.rstrip("\n").split("\t")
    if len(cells) > 2 and cells[2] in ("Disease", "Symptom", "Compound"):
        names.add(tuple(fold(cells[1])))
for kind in ("symptom", "disease", "drug", "check"):
    names.update(tuple(fold(line)) for line in lines(f"zh-disease-kb/{kind}.txt.gz"))
names.discard(())
heads = collections.defaultdict(set)
for name in names:
    heads[name[0]].add(name)
longest = {head: sorted({len(name) for name in group}, reverse=True) for head, group in heads.items()}

# In how many names a word stands.
in_names = collections.Counter(word for name in names for word in set(name))

kept = set()
for name in ("lay", "direction", "negation"):
    with open(os.path.join(ASSETS, name + ".toml"), "rb") as file:
        data = tomllib.load(file)
    if name == "lay":
        # Templates of one word; others are phrases of everyday words.
        single = lambda entry: [says for says in entry["says"] if re.fullmatch(r"\w+", says)]
        lists = [single(entry) for entry in data["body"]["complaints"]] + [single(entry) + entry["names"] for entry in data["body"]["parts"]]
    elif name == "negation":
        lists = [data["cues"], data["findings"]]
    else:
        lists = [data["more"], data["less"]]
    kept.update(word for words in lists for entry in words for word in fold(entry))

def count(paths, unit):
    outside, inside = collections.Counter(), collections.Counter()
    for path in paths:
        for record in records(path):
            for piece in [" ".join(texts(record))] if "medquad" not in path else [qa.get("question", "") + " " + qa.get("answer", "") for qa in record["qa"]]:
                tokens = fold(piece[:20000])
                within = [False] * len(tokens)
                at = 0
                while at < len(tokens):
                    hit = next((size for size in longest.get(tokens[at], ()) if tuple(tokens[at:at + size]) in heads[tokens[at]]), 0)
                    # A name of one Chinese character or one very short word names nothing.
                    if hit and sum(map(len, tokens[at:at + hit])) > (1 if tokens[at] >= "\u4e00" else 2):
                        within[at:at + hit] = [True] * hit
                        at += hit
                    else:
                        at += 1
                seen = [set(), set()]
                for word, is_within in unit(tokens, within):
                    seen[is_within].add(word)
                outside.update(seen[0])
                inside.update(seen[1])
    return outside, inside

def words(tokens, within):
    return ((token, inside) for token, inside in zip(tokens, within) if token.isascii() and token.isalpha() and len(token) > 1)

def pairs(tokens, within):
    for at in range(len(tokens) - 1):
        if tokens[at] >= "\u4e00" and tokens[at + 1] >= "\u4e00":
            yield tokens[at] + tokens[at + 1], within[at] or within[at + 1]

def write(path, outside, inside, most, is_open):
    single = {"".join(name) for name in names if len(name) == 1 or name[0] >= "\u4e00"}
    chosen = []
    for word, count in sorted(outside.items(), key=lambda item: (-item[1], item[0])):
        qualifies = word in QUALIFIERS
        if (qualifies or (word not in single and word not in CLINICAL and is_open(word) and 4 * inside[word] < count)) and len(chosen) < most:
            chosen.append(word)
    chosen.extend(QUALIFIERS & set(outside) - set(chosen) if most == EN else [])
    with open(os.path.join(HERE, path), "w", encoding="utf-8") as file:
        file.write("# Common words; compiled by compile.py, see README.md. Not edited by hand.\n" + "\n".join(sorted(chosen)) + "\n")
    print(path, len(chosen), "rarest in", min(outside[word] for word in chosen), "documents")

def is_everyday(word):
    return word not in kept and ENGLISH[word] >= RARELY_NAMED * in_names[word]

english = ["en-medquad/medquad_docs.jsonl.gz", "en-pubmedqa/ori_pqal.jsonl.gz", "en-medqa/us_4opt_test.jsonl.gz", "en-medmcqa/dev.jsonl.gz", "en-genmedgpt/genmedgpt5k.jsonl.gz"]
ENGLISH, within_names = count(english, words)
write("en.txt", ENGLISH, within_names, EN, is_everyday)
chinese = ["zh-cmb-clin/cmb_clin.jsonl.gz", "zh-cmmlu/cmmlu_med.jsonl.gz"]
write("zh.txt", *count(chinese, pairs), ZH, lambda word: not any(word == "".join(fold(part)) for part in kept))
