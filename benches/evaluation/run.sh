#!/usr/bin/env bash
# Makes every table of benches/EVALUATION.md again: each is the report of one `catena eval`, whose command stands above it.
#
#     benches/evaluation/run.sh DATA OUT [MINILM]
#
# DATA: the folder of the shared data. OUT: a folder for results and reports; an interrupted run continues there. MINILM: a folder with
# all-MiniLM-L6-v2; without one, its tables are left out. CATENA names the program (target/release/catena when not set).
set -euo pipefail
data=$(realpath "$1") out=$(realpath -m "$2") minilm=${3:+$(realpath "$3")}
catena=$(realpath "${CATENA:-target/release/catena}")
mkdir -p "$out/home"
# Relative paths, so that a command reads the same on every machine.
ln -sfn "$data" "$out/data"
[ -z "$minilm" ] || ln -sfn "$minilm" "$out/all-MiniLM-L6-v2"
cd "$out"
export CATENA_HOME=$out/home
questions=data/en-genmedgpt/genmedgpt5k.jsonl.gz graph=data/en-emckg/emckg796_triples.tsv.gz

table() { # name, title, arguments of eval
    local name=$1 title=$2
    shift 2
    "$catena" eval "$@" --out "$name" > "$name.txt"
    { printf '\n## %s\n\n' "$title"; sed -e 1,2d -e 's/^##/####/' "$name/report.md"; } >> tables.md
}

: > tables.md
table whole "All questions" "$questions" --kg "$graph" --method catena
table methods "Methods" "$questions" --kg "$graph" --method catena,hykge,rok,wts,kgrag,embed,base --limit 300
table ablations "Catena, HyKGE and their ablations (as in HyKGE's Table 2)" "$questions" --kg "$graph" \
    --method catena,catena-hypothesis,catena-chains,catena-description,catena-fragment,catena-rerank,hykge,hykge-hypothesis,hykge-chains,hykge-description,hykge-fragment,hykge-rerank --limit 300
table hops "The longest chain, k (as in HyKGE's Figure 4, left)" "$questions" --kg "$graph" --method catena,catena-hypothesis --k 1,2,3,4,5 --limit 100
table kept "How many chains are kept, topK (as in HyKGE's Figure 4, right)" "$questions" --kg "$graph" --method catena,catena-fragment \
    --top-k 5,10,20,30,40,50 --limit 150
table other-graph "Another graph: the 100 diseases of EMCKG" "$questions" --kg data/en-emckg/emckg100_triples.tsv.gz --method catena,embed --limit 300
table options "Options: MedQA, four of them" data/en-medqa/us_4opt_test.jsonl.gz --kg "$graph" --method catena,embed,base --limit 200
table evidence "Yes, no or maybe: PubMedQA" data/en-pubmedqa/ori_pqal.jsonl.gz --kg starter --method catena,base --limit 200
if [ -n "$minilm" ]; then
    table minilm "With MiniLM as encoder" "$questions" --kg "$graph" --method catena --encoder ./all-MiniLM-L6-v2 --limit 120
fi
echo "tables are in $out/tables.md"
