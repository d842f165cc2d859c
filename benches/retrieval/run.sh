#!/bin/sh
# Measures the search of passages: sh benches/retrieval/run.sh DATA [CATENA]. DATA is the folder of the shared data; CATENA the program (default: target/release/catena).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
data=$1
catena=${2:-target/release/catena}
CATENA_HOME=$(mktemp -d)
export CATENA_HOME
sets=$CATENA_HOME/sets
python3 "$here/sets.py" "$data" "$sets"
"$catena" docs import openfda "$data/drug-labels/labels.jsonl.gz" --name labels
"$catena" docs import medquad "$data/en-medquad/medquad_docs.jsonl.gz" --name medquad
"$catena" docs import jsonl "$sets/medquad.jsonl" --name medquad-plain
"$catena" docs import jsonl "$sets/pubmedqa.jsonl" --name pubmedqa
head -300 "$sets/synonyms.jsonl" > "$sets/synonyms300.jsonl"
methods=bm25,vector,hybrid,graphrag,idep,idep-exact,ablations
echo "(a) synonyms, documents without their lists of synonyms"
"$catena" eval "$sets/synonyms300.jsonl" --docs medquad-plain --method $methods
echo "(a) synonyms, documents with their lists of synonyms"
"$catena" eval "$sets/synonyms300.jsonl" --docs medquad --method $methods
echo "(b) questions about drug labels"
"$catena" eval "$sets/labels.jsonl" --docs labels --method $methods
echo "(b) the same by another hand"
"$catena" eval "$sets/independent-labels.jsonl" --docs labels --method $methods
echo "(d) messages of consumers: the half for development, and the half that was kept aside"
head -60 "$here/consumer-questions.jsonl" > "$sets/consumers-development.jsonl"
tail -60 "$here/consumer-questions.jsonl" > "$sets/consumers-kept.jsonl"
"$catena" eval "$sets/consumers-development.jsonl" --docs medquad --method bm25,vector,hybrid,graphrag,idep
"$catena" eval "$sets/consumers-kept.jsonl" --docs medquad --method bm25,vector,hybrid,graphrag,idep
echo "(c) PubMedQA"
"$catena" eval "$sets/abstracts.jsonl" --docs pubmedqa --method $methods
rm -r "$CATENA_HOME"
