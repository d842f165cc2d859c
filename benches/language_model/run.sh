#!/usr/bin/env bash
# What a language model changes: a small real model, and eight scripted ones that say the worst things, on public questions and on the clinical
# development set, each beside no model at all. A model may add, never take away: the script fails if anything is lost.
#
#   benches/language_model/run.sh --data DIR --out DIR [options]
#
#   --data DIR         has en-genmedgpt/genmedgpt5k.jsonl.gz and en-emckg/emckg796_triples.tsv.gz
#   --out DIR          where results are kept; what is there already is not computed again
#   --catena PROGRAM   the program (default: target/release/catena)
#   --model FILE       the GGUF file of SmolLM2-135M-Instruct (`catena models pull smollm2-135m`); without, only the scripted ones answer
#   --limit N          questions of each set (default: 300 public ones, all clinical ones)
#   --only NAME        one model only: `model`, or a name of `adversary.py --names`
#
# The comparisons are printed, and written to DIR/comparison.md. Two cores, nothing beside: about an hour for the real model with 300 and 130 questions,
# and a few minutes for each scripted one.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

fail() {
    echo "language_model: $*" >&2
    exit 1
}

catena="$here/../../target/release/catena"
data="" out="" model="" limit="" only=""
while (($#)); do
    case "$1" in
    --data) data="$(realpath "${2:?--data needs a folder}")" && shift ;;
    --out) out="${2:?--out needs a folder}" && shift ;;
    --catena) catena="$(realpath "${2:?--catena needs a program}")" && shift ;;
    --model) model="$(realpath "${2:?--model needs a file}")" && shift ;;
    --limit) limit="${2:?--limit needs a number}" && shift ;;
    --only) only="${2:?--only needs a name}" && shift ;;
    *) fail "unknown option $1; the head of this script names them" ;;
    esac
    shift
done
[[ -n "$data" ]] || fail "name the folder of the public questions with --data"
[[ -n "$out" ]] || fail "name a folder for the results with --out"
[[ -x "$catena" ]] || fail "there is no program $catena; \`cargo build --release\` builds it, or name another with --catena"
[[ -z "$model" || -f "$model" ]] || fail "there is no file $model"
mkdir -p "$out/home" "$out/public" "$out/clinical"
out="$(realpath "$out")"
export PYTHONDONTWRITEBYTECODE=1

# Nothing of the user's configuration counts.
export CATENA_HOME="$out/home"
# One question at a time, so that the times are of one question.
export RAYON_NUM_THREADS=1

mapfile -t adversaries < <(python3 "$here/adversary.py" --names)
if [[ -n "$only" ]]; then
    [[ " model ${adversaries[*]} " == *" $only "* ]] || fail "there is no model $only; there are: model ${adversaries[*]}"
    [[ "$only" == model ]] || model=""
    [[ "$only" == model ]] && adversaries=() || adversaries=("$only")
fi
exec {served}< <(exec python3 "$here/adversary.py")
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
read -r -u "$served" address || fail "the server of the scripted models has not started"
for name in "${adversaries[@]}"; do
    printf '[remote.%s]\nbase_url = "%s"\nmodel = "%s"\nproxy = "none"\nretries = 0\n\n' "$name" "$address" "$name"
done >"$CATENA_HOME/config.toml"

questions="$here/../clinical/dev.jsonl"
if [[ -n "$limit" ]]; then
    head -n "$limit" "$questions" >"$out/clinical/questions.jsonl"
    questions="$out/clinical/questions.jsonl"
fi

# Answers both sets. Usage: answer NAME [options of the program]
answer() {
    local name="$1"
    shift
    echo "language_model: $name" >&2
    "$catena" eval "$data/en-genmedgpt/genmedgpt5k.jsonl.gz" --kg "$data/en-emckg/emckg796_triples.tsv.gz" --limit "${limit:-300}" --seed 0 \
        --out "$out/public/$name" "$@" >"$out/public/$name.txt"
    if [[ ! -f "$out/clinical/$name.jsonl" ]]; then
        "$catena" ask --batch "$questions" --json "$@" >"$out/clinical/$name.part"
        mv "$out/clinical/$name.part" "$out/clinical/$name.jsonl"
    fi
}

names=()
answer without
if [[ -n "$model" ]]; then
    answer model --generator "$model"
    names+=(model)
fi
for name in "${adversaries[@]}"; do
    answer "$name" --generator "remote:$name"
    names+=("$name")
done
((${#names[@]} > 0)) || fail "there is nothing to compare; name the file of a model with --model"

public=("${names[@]/#/$out/public/}")
clinical=("${names[@]/#/$out/clinical/}")
lost=0
{
    echo "## Public questions"
    python3 "$here/compare.py" "$out/public/without" "${public[@]}" || lost=1
    printf '\n## Clinical development set\n'
    python3 "$here/compare.py" --questions "$questions" "$out/clinical/without.jsonl" "${clinical[@]/%/.jsonl}" || lost=1
    ((lost == 0))
} | tee "$out/comparison.md"
