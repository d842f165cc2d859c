"""Writes what reference implementations make of foreign suites, for `run.sh`: one JSON object a line, in the folder given."""

import csv
import datetime
import glob
import io
import json
import os
import random
import re
import sys

FOLDER = sys.argv[1]


def lines(name, rows):
    with open(os.path.join(FOLDER, name), "w", encoding="utf8") as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def jinja():
    """The environment in which transformers renders chat templates (`_compile_jinja_template`), with a fixed date."""
    from jinja2 import nodes
    from jinja2.exceptions import TemplateError
    from jinja2.ext import Extension, loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Generation(Extension):
        tags = {"generation"}

        def parse(self, parser):
            line = next(parser.stream).lineno
            body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
            return nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

        def _body(self, caller):
            return caller()

    def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    def raise_exception(message):
        raise TemplateError(message)

    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])
    environment.filters["tojson"] = tojson
    environment.globals["raise_exception"] = raise_exception
    environment.globals["strftime_now"] = lambda form: datetime.datetime(2024, 7, 26).strftime(form)
    return environment


def templates():
    """Six conversations with each chat template of llama.cpp's collection."""
    questions = ["What causes heartburn?", "  Fieber > 39 °C\n\n头痛 & \"Schwindel\"?\n", "a <b> {{ c }} {% d %}"]
    for path in sorted(glob.glob(os.path.join(FOLDER, "llama.cpp", "templates", "*.jinja"))):
        source = open(path, encoding="utf8").read()
        for question in questions:
            for system in ["", "You are a careful doctor."]:
                messages = [{"role": "user", "content": question}]
                if system:
                    messages.insert(0, {"role": "system", "content": system})
                values = dict(messages=messages, add_generation_prompt=True, enable_thinking=False, bos_token="<s>", eos_token="</s>")
                values.update(tools=None, documents=None)
                try:
                    text = jinja().from_string(source).render(**values)
                except Exception:
                    text = None
                yield dict(name=os.path.basename(path), source=source, system=system, user=question, text=text)


def texts(chance, count):
    """Random texts of words, numbers, signs and many alphabets."""
    pieces = ["heartburn", " the", "It's", "WE'LL", "2024", " 1234567", "39.5", "°C", "头痛", "は", "Ångström", "e\u0301", "🩺", "\n", "\n\n", "  ", "\t",
              "\r\n", "...", "!?", "<|x|>", "<b>", "Москва", "العربية", "हिन्दी", "한국어", "½", "x=y+1", "#5", "'s", "\u00a0", "\u3000", "_", "ﬁ"]
    for _ in range(count):
        yield "".join(chance.choice(pieces) + chance.choice(["", "", " "]) for _ in range(chance.randrange(1, 25)))


def tokenised():
    """Random texts in the tokens of Hugging Face's tokenizers, with the vocabularies of llama.cpp's files."""
    from gguf import GGUFReader
    from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers
    from tokenizers.models import BPE

    letters = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}%s| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    for name, digits, whole, normaliser in [("llama-bpe", "{1,3}", True, None), ("qwen2", "", False, normalizers.NFC())]:
        reader = GGUFReader(os.path.join(FOLDER, "llama.cpp", f"ggml-vocab-{name}.gguf"))
        words = reader.fields["tokenizer.ggml.tokens"].contents()
        kinds = reader.fields["tokenizer.ggml.token_type"].contents()
        merges = [tuple(merge.split(" ", 1)) for merge in reader.fields["tokenizer.ggml.merges"].contents()]
        plain = {word: at for at, (word, kind) in enumerate(zip(words, kinds)) if kind == 1}
        tokenizer = Tokenizer(BPE(plain, merges, ignore_merges=whole))
        split = pre_tokenizers.Split(Regex(letters % digits), "isolated")
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
        if normaliser:
            tokenizer.normalizer = normaliser
        for text in texts(random.Random(name), 1000):
            yield dict(name=name, text=text, ids=tokenizer.encode(text).ids)


def rdf():
    """The cases of W3C's suites for Turtle and N-Triples, by their manifests."""
    import rdflib
    from rdflib.collection import Collection

    manifest = rdflib.Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
    for folder in ["turtle", "ntriples"]:
        base = os.path.join(FOLDER, "w3c", folder)
        graph = rdflib.Graph().parse(os.path.join(base, "manifest.ttl"), format="turtle")
        for case in Collection(graph, next(graph.objects(None, manifest.entries))):
            kind = str(graph.value(case, rdflib.RDF.type)).rsplit("#", 1)[1]
            named = lambda predicate: (lambda found: found and os.path.join(base, str(found).rsplit("/", 1)[1]))(graph.value(case, predicate))
            yield dict(name=f"{folder}/{str(case).rsplit('#', 1)[1]}", sound="Negative" not in kind, file=named(manifest.action), result=named(manifest.result))


def tables():
    """Tables of three columns as Python's csv module reads them: csv-spectrum's, and random ones that it writes itself."""
    def rows_of(rows):
        clean = [[" ".join(field.split()) for field in row[:3]] for row in rows]
        return [row for row in clean if len(row) == 3 and all(row)]

    for path in sorted(glob.glob(os.path.join(FOLDER, "csv-spectrum", "csvs", "*.csv"))):
        text = open(path, encoding="utf8", newline="").read()
        header, *rows = csv.reader(io.StringIO(text, newline=""))
        if len(header) >= 3:
            yield dict(name=os.path.basename(path), delimiter=",", quotes=True, header=True, text=text, rows=rows_of(rows))
    chance = random.Random(24)
    words = ["Ulcer", "has", "Pain", "\"Crohn's\"", "a, b", "x\ny", "头痛", "#5 metatarsal", "said \"\"B\"\"", "tab\there", "", " blank ", "é"]
    for at in range(200):
        rows = [[chance.choice(words) + (chance.choice(words) if chance.random() < 0.3 else "") for _ in range(3)] for _ in range(8)]
        # A row that begins with # is a comment to Catena, unless it is quoted or an ordinal.
        out = io.StringIO()
        quoting = chance.choice([csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
        csv.writer(out, lineterminator=chance.choice(["\n", "\r\n", "\r"]), delimiter=chance.choice([",", ";", "\t"]) if at % 2 else ",", quoting=quoting).writerows(rows)
        delimiter = re.search(r'"([,;\t])"', out.getvalue()).group(1)
        read = list(csv.reader(io.StringIO(out.getvalue(), newline=""), delimiter=delimiter))
        yield dict(name=f"random {at}", delimiter=delimiter, quotes=True, header=False, text=out.getvalue(), rows=rows_of(read))
    # Plain TSV, in which quotes mean nothing: with each end of a line, and with what separates words or lines elsewhere.
    words = ["Ulcer", "has", "abdominal\u000bpain", "chest\u2028pain", "\u0085x", "\"Crohn's\"", "5\" tube", "#5 metatarsal", "", " blank ", "头痛", "a, b; c"]
    for at in range(200):
        rows = [[chance.choice(words) + (chance.choice(words) if chance.random() < 0.3 else "") for _ in range(chance.choice([2, 3, 3, 3]))] for _ in range(8)]
        end = chance.choice(["\n", "\r\n", "\r"])
        text = "".join("\t".join(row) + end + (end if chance.random() < 0.1 else "") for row in rows)
        read = list(csv.reader(io.StringIO(text, newline=""), delimiter="\t", quoting=csv.QUOTE_NONE))
        yield dict(name=f"plain {at}", delimiter="\t", quotes=False, header=False, text=text, rows=rows_of(read))


def ontologies():
    """What obonet reads of the OBO files that come with it: names of terms, and relations by names."""
    import obonet

    for path in sorted(glob.glob(os.path.join(FOLDER, "obonet", "*.obo"))):
        graph = obonet.read_obo(path)
        name = lambda node: graph.nodes[node].get("name", node)
        edges = [[name(head), kind, name(tail)] for head, tail, kind in graph.edges(keys=True) if "name" in graph.nodes[head]]
        yield dict(file=path, names=sorted(name(node) for node in graph.nodes if "name" in graph.nodes[node]), edges=sorted(edges))


def ranks():
    """PageRank and personalised PageRank of random graphs by networkx."""
    import networkx

    chance = random.Random(7)
    for _ in range(60):
        count = chance.randrange(4, 30)
        edges = [[chance.randrange(count), chance.randrange(count)] for _ in range(count * 3)]
        edges = [[a, b] for a, b in edges if a != b] + [[at, (at + 1) % count] for at in range(count)]
        graph = networkx.MultiGraph()
        graph.add_nodes_from(range(count))
        graph.add_edges_from(edges)
        seeds = {chance.randrange(count): chance.randrange(1, 4) for _ in range(3)}
        how = dict(tol=1e-13, max_iter=2000)
        whole = networkx.pagerank(graph, alpha=0.85, **how)
        own = networkx.pagerank(graph, alpha=0.75, personalization=seeds, **how)
        yield dict(count=count, edges=edges, seeds=list(seeds.items()), whole=[whole[at] for at in range(count)], own=[own[at] for at in range(count)])


def overlaps():
    """ROUGE recall of rouge_score and BLEU of NLTK (smoothing method 2) of random texts."""
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
    from rouge_score.rouge_scorer import RougeScorer

    chance = random.Random(5)
    words = "the a patient has chest pain and fever with cough of blood test ecg today no because severe needs an urgent x2 39".split()
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=False)
    for _ in range(1000):
        text, *references = [[chance.choice(words) for _ in range(chance.randrange(2, 40))] for _ in range(chance.choice([2, 2, 3]))]
        rouge = scorer.score(" ".join(references[0]), " ".join(text))
        smooth = SmoothingFunction().method2
        bleu = [sentence_bleu(references, text, weights=[1 / most] * most, smoothing_function=smooth) for most in (1, 4)]
        yield dict(text=" ".join(text), references=[" ".join(reference) for reference in references], bleu=bleu,
                   rouge=[rouge[kind].recall for kind in ("rouge1", "rouge2", "rougeL")])


lines("templates.jsonl", templates())
lines("tokens.jsonl", tokenised())
lines("rdf.jsonl", rdf())
lines("tables.jsonl", tables())
lines("ontologies.jsonl", ontologies())
lines("ranks.jsonl", ranks())
lines("overlaps.jsonl", overlaps())
