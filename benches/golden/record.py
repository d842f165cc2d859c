#!/usr/bin/env python3
"""Records what a `catena` program says, so that another one can be compared with it (`compare.py`).

    benches/golden/record.py BINARY OUTDIR --data DIR

Needs nothing but Python, and no network. README.md says what is recorded.
"""

import argparse
import gzip
import json
import os
import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True

import scripts  # noqa: E402
from questions import EDGES, drawn, questions  # noqa: E402
from recorder import Recorder, fresh, write  # noqa: E402
from terminal import Screen  # noqa: E402

METHODS = [
    "hykge",
    "hykge-hypothesis",
    "hykge-chains",
    "hykge-description",
    "hykge-fragment",
    "hykge-rerank",
    "rok",
    "wts",
    "kgrag",
    "embed",
    "base",
]
# How each graph is named on the command line: built in, a file of triples as it is, and one that was imported.
GRAPHS = {"starter": "starter", "emckg796": "data/en-emckg/emckg796_triples.tsv.gz", "hetionet": "hetio"}
MAX_CHAINS = 200
PLAIN = {"starter": 10, "emckg796": 8, "hetionet": 6}
SCREEN = {"starter": 6, "emckg796": 4, "hetionet": 2}
GOLD = ["Conditions: Gastritis, Peptic ulcer disease", "Tests: Upper gastrointestinal endoscopy, Full blood count", "Treatments: Omeprazole, Ginger tea, Ibuprofen"]
SHOWN = {
    "starter": ["Gastritis", "PPI", "胃炎", "Asthma", "gastr", "no such thing"],
    "emckg796": ["Panic disorder", "asthma", "Fever", "Omeprazole", "gastr", "no such thing"],
    "hetionet": ["asthma", "Ibuprofen", "TP53", "Fever", "psoriatic arthritis", "no such thing"],
}


def as_lines(rows):
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


class Golden:
    """The parts of a recording, in order."""

    def __init__(self, recorder, data):
        self.to = recorder
        self.asked = questions(data)
        self.main = recorder.home("main")
        for graph, rows in self.asked.items():
            write(recorder.out / "questions" / f"{graph}.jsonl", as_lines(rows))
            write(recorder.work / f"{graph}.jsonl", as_lines(rows))
            recorder.count("questions", len(rows))

    def graphs(self):
        """Imports in several formats; what `kg` says about the three graphs."""
        run, main = self.to.run, self.main
        hetio = [f"data/hetionet/{name}" for name in ("hetionet-v1.0-nodes.tsv.gz", "edges-5k.sif.gz", "metaedges.tsv")]
        run("kg/import-hetionet", main, "kg", "import", "hetionet", *hetio, "--name", "hetio")
        run("kg/import-tsv", main, "kg", "import", "tsv", "data/en-emckg/emckg100_triples.tsv.gz", "--name", "emckg100")
        run("kg/import-obo", main, "kg", "import", "obo", "data/onto-doid/doid-2016-03-04.obo.gz", "--name", "doid", "--no-vectors")
        zh = [f"data/zh-disease-kb/{name}.txt.gz" for name in ("symptom", "drug", "check")]
        run("kg/import-dictionary", main, "kg", "import", "dictionary", *zh, "--name", "zh", "--no-vectors")
        for name in ("hetio", "emckg100", "doid", "zh"):
            self.to.keep(f"kg/{name}.roles.txt", main / "graphs" / f"{name}.roles.toml")
        run("kg/list", main, "kg", "list")
        named = {**GRAPHS, "emckg100": "emckg100", "doid": "doid", "zh": "zh"}
        for graph, name in named.items():
            run(f"kg/stats-{graph}", main, "kg", "stats", "--kg", name)
            run(f"kg/check-{graph}", main, "kg", "check", "--kg", name)
        run("kg/check-merges", main, "kg", "check", "doid", "--merges")
        for graph, entities in SHOWN.items():
            for at, entity in enumerate(entities):
                run(f"kg/show-{graph}-{at}", main, "kg", "show", entity, "--kg", GRAPHS[graph], codes=(0, 3))

    def ask(self):
        """Every question by every method."""
        settings = ("--json", "--max-chains", MAX_CHAINS, "--seed", "0")
        for graph, name in GRAPHS.items():
            for method in METHODS:
                answered = self.to.run(
                    f"ask/{graph}/{method}",
                    self.main,
                    *("ask", "--batch", f"{graph}.jsonl", "--kg", name, "--method", method, *settings),
                    ending="jsonl",
                    packed=True,
                )
                self.to.count("runs", answered.count(b"\n"))
        run, main = self.to.run, self.main
        write(self.to.work / "edges.jsonl", b"\n".join(EDGES) + b"\n")
        for method in ("hykge", "rok", "kgrag"):
            run(f"ask/edges/{method}", main, "ask", "--batch", "edges.jsonl", "--method", method, *settings, ending="jsonl", packed=True)
        write(self.to.work / "some.jsonl", as_lines(self.asked["starter"][::4]))
        other = ("--json", "--max-chains", "2000", "--k", "2", "--top-k", "25", "--delta", "0.8", "--seed", "7")
        for method in ("hykge", "rok", "wts", "hykge-hypothesis-rerank"):
            run(f"ask/settings/{method}", main, "ask", "--batch", "some.jsonl", "--method", method, *other, ending="jsonl", packed=True)
        # Long chains: time ends some of these searches.
        write(self.to.work / "few.jsonl", as_lines(self.asked["starter"][3:100:8]))
        for method in ("hykge", "rok"):
            arguments = ("ask", "--batch", "few.jsonl", "--method", method, "--k", "4", *settings)
            run(f"ask/long/{method}", main, *arguments, ending="jsonl", packed=True)
        for at, row in enumerate(self.asked["starter"][::9]):
            run(f"ask/words/{at:02}", main, "ask", row["question"], codes=(0, 3))

    def plain(self):
        """Sessions in plain lines, with triage and teaching."""
        for graph, count in PLAIN.items():
            for at, question in enumerate(scripts.chosen(f"plain:{graph}", self.asked[graph], count)):
                name = f"plain/{graph}-{at:02}"
                lines = "\n".join(scripts.plain_lines(graph, at, question, GOLD)) + "\n"
                home = self.to.home(name, self.main)
                write(self.to.out / f"{name}.input.txt", lines.encode())
                said = self.to.run(name, home, "--accessible", "--kg", GRAPHS[graph], stdin=lines.encode())
                journal = home / "dkg" / "journal.jsonl"
                if journal.is_file():
                    self.to.keep(f"{name}.journal.jsonl", journal)
                self.to.count("sessions in plain lines")
                self.to.count("commands in plain lines", lines.count("\n"))
                # Each of them ran stages again; those that only read the answer again are not among them.
                self.to.count("revisions in plain lines", len(re.findall(rb"^\d+ chains? (?:is|are) kept now\.$", said, re.M)))

    def screen(self):
        """Sessions on the screen, which are recorded event by event."""
        self.sessions = []
        for graph, count in SCREEN.items():
            # Questions of patients: they name something that most graphs have.
            told = [row for row in self.asked[graph] if any(source in row["id"] for source in ("/genmed", "/cmb", "/medqa"))]
            for at, question in enumerate(scripts.chosen(f"screen:{graph}", told, count)):
                name = f"{graph}-{at:02}"
                for attempt in range(3):
                    done, code, content = self._session(f"screen/{name}-{attempt}", graph, question, scripts.screen_keys(graph, at))
                    if code == 0:
                        break
                    self.to.count(f"screens that ended with {code}, and were driven once more")
                write(self.to.out / "sessions" / f"{name}.jsonl", content, packed=True)
                write(self.to.out / "sessions" / f"{name}.keys.json", json.dumps({"question": question, "pressed": done, "code": code}, indent=1, ensure_ascii=False).encode())
                recorded = self.to.work / f"session-{name}.jsonl"
                write(recorded, content)
                self.sessions.append((name, recorded.name))
                self.to.count("sessions on the screen")
                self.to.count("revisions on the screen", content.count(b'"event":"revised"'))

    def _session(self, name, graph, question, keys):
        """A question and decisions at the screen: what was pressed with what came of it, the exit code, the session's file."""
        home = self.to.home(name, self.main)
        argv = [str(self.to.binary), "--kg", GRAPHS[graph]]
        screen = Screen(argv, self.to.env(home), self.to.work, home / "sessions")
        done = [["ask", screen.ask(question)]]
        done += [[pressed, screen.decide(pressed, revises)] for pressed, revises in keys if done[0][1] and screen.is_open()]
        return done, screen.leave(), screen.session()

    def exports(self):
        """Recordings, and every form of a report about them and about sessions with revisions."""
        run, main = self.to.run, self.main
        for graph, methods in {"starter": METHODS[:1] * 3 + METHODS[6:], "emckg796": METHODS[:4:3] + ["rok"], "hetionet": ["hykge", "wts"]}.items():
            asked = scripts.chosen(f"events:{graph}", self.asked[graph], len(methods))
            for at, (method, question) in enumerate(zip(methods, asked)):
                name = f"{graph}-{at:02}-{method}"
                file = f"events-{name}.jsonl"
                arguments = ("ask", question, "--kg", GRAPHS[graph], "--method", method, "--max-chains", MAX_CHAINS, "--events", file)
                run(f"events/{name}", main, *arguments, codes=(0, 3))
                self.to.keep(f"events/{name}.jsonl", self.to.work / file, packed=True)
                self._export(name, file)
        for name, file in getattr(self, "sessions", [])[::2]:
            self._export(f"session-{name}", file)

    def _export(self, name, file):
        for form, ending in {"md": "md", "html": "html", "dot": "dot", "json": "json"}.items():
            self.to.run(f"exports/{name}", self.main, "export", file, "--to", form, ending=ending, packed=form == "json")
            self.to.count("exports")

    def dkg(self):
        self._dkg("dkg", ())

    def dkg_defaults(self):
        self._dkg("dkg-defaults", ("CATENA_DKG_COMPARE_RELATION", "CATENA_DKG_REDUNDANCY_DISTANCE"))

    def _dkg(self, part, without):
        """Feedback, review, decisions, log, exchange, proof, and what questions see of it."""
        home = self.to.home(part)
        step = iter(range(1000))

        def run(name, *arguments, ending="txt", codes=(0,), at=home, **more):
            return self.to.run(f"{part}/{next(step):03}-{name}", at, *arguments, ending=ending, codes=codes, without=without, **more)

        def ids(listed, which):
            return [proposal["id"] for proposal in json.loads(listed)[which]]

        asked = scripts.chosen("dkg:starter", [row for row in self.asked["starter"] if "/genmed" in row["id"]], 10)
        asked += ["I feel stomach reflux after eating. What medicine should I take?", "What tests confirm coeliac disease?"]
        for at, question in enumerate(asked):
            run("ask", "ask", question, "--events", f"{part}-{at}.jsonl", codes=(0, 3))
        gold = "\n".join(GOLD)
        ratings = [
            ("good", "--json"),
            ("good",),
            ("bad",),
            ("gold", "--answer", gold),
            ("gold", "--answer", "Conditions: Migraine. Tests: none. Treatments: Sumatriptan, Riboflavin", "--comment", "as we do it", "--json"),
            ("good", "--comment", "well cited"),
            ("bad", "--json"),
            ("good", "--accept"),
            ("gold", "--answer", "疾病：胃炎\n检查：胃镜检查\n治疗：奥美拉唑、枸橼酸铋钾"),
        ]
        for at, rating in enumerate(ratings):
            run(f"feedback-{rating[0]}", "dkg", "feedback", f"{part}-{at}.jsonl", *rating, ending="json" if "--json" in rating else "txt")
        run("feedback-good", "dkg", "feedback", f"{part}-10.jsonl", "good")
        run("feedback-gold", "dkg", "feedback", f"{part}-11.jsonl", "gold", "--answer", "Tests: Coeliac serology, Stool microscopy")
        self.to.count("ratings", len(ratings) + 2)
        run("review", "dkg", "review")
        waiting = run("review", "dkg", "review", "--json", ending="json")
        pending, redundant, conflicting = (ids(waiting, which) for which in ("pending", "redundant", "conflicting"))
        self.to.count(f"proposals ({part})", len(pending) + len(redundant) + len(conflicting))
        for proposal in (pending[:3] + redundant[:2] + conflicting[:2]):
            run("show-proposal", "dkg", "show", proposal)
            run("show-proposal", "dkg", "show", proposal, "--json", ending="json")
        for which, proposals in {"accept": pending[:2], "reject": pending[2:4]}.items():
            if proposals:
                run(which, "dkg", which, *proposals)
        for which, proposals in {"accept": redundant[:1], "reject": conflicting[:1] + redundant[1:2]}.items():
            if proposals:
                run(f"{which}-aside", "dkg", which, *proposals, codes=None)
        run("accept-again", "dkg", "accept", "1.0", codes=None)
        if len(pending) > 4:
            run("accept-all", "dkg", "accept", "--all")
        run("review", "dkg", "review")

        def tell():
            run("log", "dkg", "log", "--limit", "500")
            count = run("log", "dkg", "log", "--limit", "500", "--json", ending="jsonl").count(b"\n")
            run("stats", "dkg", "log", "--stats")
            run("stats", "dkg", "log", "--stats", "--json", ending="json")
            run("verify", "dkg", "verify")
            run("verify", "dkg", "verify", "--json", ending="json")
            return count

        for record in range(1, tell() + 1, 2):
            run("show-record", "dkg", "show", record)
            run("show-record", "dkg", "show", record, "--json", ending="json")
        for what in ("Gastritis", "Ginger tea", "Riboflavin", "nothing of it", "Omeprazole -> treats -> Gastritis"):
            run("show-entity", "dkg", "show", what, codes=(0, 3))
            run("show-entity", "dkg", "show", what, "--json", ending="jsonl", codes=(0, 3))
        write(self.to.work / f"{part}-asked.jsonl", as_lines([{"id": f"learned-{at}", "question": question} for at, question in enumerate(asked)]))
        for method in ("hykge", "rok", "wts", "kgrag", "embed"):
            arguments = ("ask", "--batch", f"{part}-asked.jsonl", "--json", "--method", method, "--max-chains", MAX_CHAINS)
            answered = run(f"ask-learned-{method}", *arguments, ending="jsonl", packed=True)
            self.to.count("runs with what was learned", answered.count(b"\n"))
        for at in (3, 10, 11):
            run("ask", "ask", asked[at], "--events", f"{part}-again-{at}.jsonl", codes=(0, 3))
            self.to.keep(f"{part}/again-{at}.jsonl", self.to.work / f"{part}-again-{at}.jsonl", packed=True)
            run("feedback-bad", "dkg", "feedback", f"{part}-again-{at}.jsonl", "bad")
        waiting = run("review", "dkg", "review", "--json", ending="json")
        if ids(waiting, "pending"):
            run("accept-all", "dkg", "accept", "--all")
        run("undo", "dkg", "undo", "1", "3")
        run("undo", "dkg", "undo", "1", codes=None)
        tell()
        for form, ending in {"tsv": "txt", "nt": "txt", "jsonl": "jsonl"}.items():
            run(f"export-{form}", "dkg", "export", "--to", form, ending=ending)
            run(f"export-{form}-questions", "dkg", "export", "--to", form, "--with-questions", ending=ending)
            run("export", "dkg", "export", "--to", form, "--output", f"{part}-export.{form}")
        other = self.to.home(f"{part}-other")
        for form in ("jsonl", "tsv", "nt", "jsonl"):
            run(f"import-{form}", "dkg", "import", f"{part}-export.{form}", at=other)
        run("import", "dkg", "import", f"{part}-export.tsv", "--json", ending="json", at=other)
        run("log", "dkg", "log", at=other)
        run("ask", "ask", asked[10], at=other)
        for name, where in {"journal": home, "other-journal": other}.items():
            self.to.keep(f"{part}/{name}.jsonl", where / "dkg" / "journal.jsonl")

    def evaluations(self):
        """Seeded samples, intervals and reports."""
        run, main = self.to.run, self.main
        genmed = "data/en-genmedgpt/genmedgpt5k.jsonl.gz"
        tables = {
            "genmed": (genmed, "--kg", "emckg100", "--method", "hykge,rok,embed", "--limit", "24", "--seed", "3"),
            "settings": (genmed, "--kg", "starter", "--method", "hykge,hykge-hypothesis", "--k", "1,2", "--top-k", "5,10", "--limit", "12", "--seed", "5"),
            "medqa": ("data/en-medqa/us_4opt_test.jsonl.gz", "--kg", "starter", "--method", "hykge,base", "--limit", "10", "--seed", "4"),
            "cmb-clin": ("data/zh-cmb-clin/cmb_clin.jsonl.gz", "--kg", "starter", "--method", "hykge,kgrag", "--limit", "8", "--seed", "6"),
        }
        for name, arguments in tables.items():
            folder = f"eval-{name}"
            run(f"eval/{name}", main, "eval", *arguments, "--out", folder)
            run(f"eval/{name}-report", main, "eval", *arguments, "--out", folder, "--json", ending="json")
            run(f"eval/{name}-diff", main, "eval", *arguments, "--out", folder, "--diff")
            self.to.keep(f"eval/{name}.report.md", self.to.work / folder / "report.md")
        rows = []
        pool = [(row["id"], row) for row in self._genmed()]
        names = lambda found: [one["kg_names"] for one in found]
        for _, row in drawn("trial", pool, 24):
            parts = {"conditions": "disease", "tests": "test", "treatments": "medication"}
            rows.append({"id": row["id"], "question": row["question"], "gold": {part: names(row["gold"].get(key, [])) for part, key in parts.items()}})
        write(self.to.work / "trial.jsonl", as_lines(rows))
        run("eval/trial-empty", main, "dkg", "trial", "trial.jsonl", "--seed", "2")
        run("eval/trial-starter", main, "dkg", "trial", "trial.jsonl", "--seed", "3", "--limit", "16", "--kg", "starter")

    def _genmed(self):
        with gzip.open(self.to.work / "data/en-genmedgpt/genmedgpt5k.jsonl.gz", "rt", encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        return [row for row in rows if len(row["question"]) < 220 and any(row["gold"].values())]

    def refusals(self):
        """What is refused, with its exit code."""
        refused = {
            "method": ("ask", "What is asthma?", "--method", "hyke"),
            "graph": ("ask", "What is asthma?", "--kg", "nowhere"),
            "k": ("ask", "What is asthma?", "--k", "9"),
            "delta": ("ask", "What is asthma?", "--delta", "2"),
            "batch": ("ask", "--batch", "nowhere.jsonl", "--json"),
            "nothing-linked": ("ask", "xyzzy plugh"),
            "export": ("export", "nowhere.jsonl", "--to", "md"),
            "damaged": ("export", "edges.jsonl", "--to", "md"),
            "feedback": ("dkg", "feedback", "nowhere.jsonl", "good"),
            "screen": (),
            "model": ("ask", "What is asthma?", "--generator", "no-such-model"),
            "dkg-empty": ("dkg", "log"),
            "review-empty": ("dkg", "review"),
            "kg-use": ("kg", "use", "nowhere"),
            "kg-name": ("kg", "import", "tsv", "data/en-emckg/emckg100_triples.tsv.gz", "--name", "starter"),
        }
        home = self.to.home("refusals")
        write(self.to.work / "edges.jsonl", b"\n".join(EDGES) + b"\n")
        for name, arguments in refused.items():
            self.to.run(f"refusals/{name}", home, *arguments, codes=None)


PARTS = {
    "graphs": Golden.graphs,
    "ask": Golden.ask,
    "plain": Golden.plain,
    "screen": Golden.screen,
    "exports": Golden.exports,
    "dkg": Golden.dkg,
    "dkg-defaults": Golden.dkg_defaults,
    "evaluations": Golden.evaluations,
    "refusals": Golden.refusals,
}


def main():
    parser = argparse.ArgumentParser(description="Record what a catena program says, for compare.py.")
    parser.add_argument("binary", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the shared data")
    parser.add_argument("--only", choices=PARTS, nargs="+", default=list(PARTS), help="these parts alone (graphs always)")
    parser.add_argument("--replace", action="store_true", help="remove OUTDIR first")
    parser.add_argument("--keep-work", action="store_true", help="leave the folder that the program worked in")
    args = parser.parse_args()
    binary, data = args.binary.resolve(strict=True), args.data.resolve(strict=True)
    out = fresh(args.out.resolve(), args.replace)
    holder = tempfile.TemporaryDirectory(prefix="catena-golden-", ignore_cleanup_errors=True)
    work = Path(holder.name)
    if args.keep_work:
        holder._finalizer.detach()
        print(f"works in {work}")
    recorder = Recorder(binary, out, work, data)
    golden = Golden(recorder, data)
    for title, part in PARTS.items():
        if title == "graphs" or title in args.only:
            recorder.section(title, lambda: part(golden))
    recorder.finish()
    size = sum(file.stat().st_size for file in out.rglob("*") if file.is_file())
    print(f"{'in all':<14} {sum(recorder.seconds.values()):>7.1f} s, {size / 1e6:.0f} MB in {os.path.relpath(out)}")
    for what, count in recorder.counts.items():
        print(f"  {count:>6} {what}")


if __name__ == "__main__":
    main()
