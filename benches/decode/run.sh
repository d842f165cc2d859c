#!/usr/bin/env bash
# Measures how fast a language model reads and writes, beside stock candle and llama.cpp on the same file, and writes the section of
# benches/RESULTS.md.
#
#   benches/decode/run.sh [options]
#
#   --dir DIR          where the model's file and the peer's environment are kept (default: decode in Cargo's target folder); about 1 GB
#   --python PYTHON    a Python that has llama-cpp-python already; without, one is made in DIR (it compiles for about ten minutes)
#   --model FILE       a real GGUF file of the family Llama (`catena models pull smollm2-135m`) in place of random weights
#   --without-peer     leaves llama.cpp out, and says so in the section
#   --no-write         prints the section and leaves RESULTS.md as it is
#
# Needs a Rust toolchain and Python 3; for llama.cpp a C++ compiler, cmake and a package index (or --python). It takes two minutes
# once everything is built.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly here=benches/decode

# shellcheck source=benches/support/peers.sh
source benches/support/peers.sh

fail() {
    echo "decode: $*" >&2
    exit 1
}

dir="${CARGO_TARGET_DIR:-target}/decode"
python=""
model=""
peer=yes
report_options=()
while (($#)); do
    case "$1" in
    --dir) dir="${2:?--dir needs a folder}" && shift ;;
    --python) python="${2:?--python needs a program}" && shift ;;
    --model) model="$(realpath "${2:?--model needs a file}")" && shift ;;
    --without-peer) peer="" ;;
    --no-write) report_options+=(--no-write) ;;
    *) fail "unknown option $1; the head of this script names them" ;;
    esac
    shift
done

command -v python3 >/dev/null || fail "python3 is not installed; it writes the section and runs llama.cpp"
export PYTHONDONTWRITEBYTECODE=1
mkdir -p "$dir"
dir="$(cd "$dir" && pwd)"

if [[ -n "$peer" && -z "$python" ]]; then
    python="$(peers_python "$dir" "$here/requirements.txt")"
fi

# Figures of an earlier run must not stand in for those of this one.
rm -f "$dir/catena.json" "$dir/llama_cpp.json"
cargo bench --locked --no-run --bench decode
if [[ -z "$model" ]]; then
    model="$dir/qwen2-0.5b-shape.gguf"
    [[ -f "$model" ]] || cargo bench --locked --bench decode -- write "$model"
fi
cargo bench --locked --bench decode -- measure "$model" "$dir/catena.json"
if [[ -n "$peer" ]]; then
    "$python" "$here/peer.py" "$model" "$dir/catena.json" "$dir/llama_cpp.json"
fi
python3 "$here/report.py" "$dir" benches/RESULTS.md "${report_options[@]}"
