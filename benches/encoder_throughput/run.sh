#!/usr/bin/env bash
# Measures a BERT encoder (all-MiniLM-L6-v2): our own network, candle-transformers', and onnxruntime (f32) on the same files and texts in one run, and
# writes the section of benches/RESULTS.md.
#
#   benches/encoder_throughput/run.sh --model DIR [options]
#
#   --model DIR      the folder of all-MiniLM-L6-v2 (default: CATENA_TEST_MINILM)
#   --dir DIR        where everything is kept: texts, figures, the ONNX file, the peer's environment (default: encoder_throughput in Cargo's
#                    target folder); nothing is written elsewhere but the section in RESULTS.md
#   --python PYTHON  a Python that has what requirements.txt names, instead of an environment of this script's own
#   --no-write       prints the section and leaves RESULTS.md as it is
#
# Needs a Rust toolchain and Python 3.11 or later with venv and a package index (about 2 GB, most of it PyTorch, which only exports the model).
# It takes two minutes after that. Anything that is missing ends it with an error; no figure is left out silently.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly here=benches/encoder_throughput

# shellcheck source=benches/support/peers.sh
source benches/support/peers.sh

fail() {
    echo "encoder_throughput: $*" >&2
    exit 1
}

model="${CATENA_TEST_MINILM:-}"
dir="${CARGO_TARGET_DIR:-target}/encoder_throughput"
python=""
report_options=()
while (($#)); do
    case "$1" in
    --model) model="${2:?--model needs a folder}" && shift ;;
    --dir) dir="${2:?--dir needs a folder}" && shift ;;
    --python) python="${2:?--python needs a program}" && shift ;;
    --no-write) report_options+=(--no-write) ;;
    *) fail "unknown option $1; the head of this script names them" ;;
    esac
    shift
done
[[ -f "$model/model.safetensors" ]] || fail "'$model' has no model.safetensors; --model names the folder of all-MiniLM-L6-v2"
model="$(cd "$model" && pwd)"
# No byte code beside the scripts.
export PYTHONDONTWRITEBYTECODE=1
mkdir -p "$dir"
dir="$(cd "$dir" && pwd)"

if [[ -z "$python" ]]; then
    python="$(peers_python "$dir" "$here/requirements.txt")"
fi

# Figures of an earlier run must not stand in for those of this one.
rm -f "$dir/catena.json" "$dir/peers.json"
cargo bench --locked --bench encoder_throughput --no-run
load="$(cut -d ' ' -f 1 /proc/loadavg)"
cargo bench --locked --bench encoder_throughput -- measure "$dir" "$model" >/dev/null
"$python" "$here/peers.py" "$dir" "$model"
"$python" "$here/report.py" "$dir" benches/RESULTS.md --load "$load" "${report_options[@]}"
