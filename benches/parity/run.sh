#!/usr/bin/env bash
# Compares what Catena and llama.cpp compute on the same file, that of SmolLM2-135M-Instruct, for 20 prompts: tokens, the likeliest token at every position,
# and 64 tokens written greedily. Renews the reference of tests/models/language_model/smollm2.rs.
#
#   benches/parity/run.sh FILE.gguf [PYTHON]
#
# FILE is the model (`catena models pull smollm2-135m`). PYTHON has llama-cpp-python and jinja2; without it, an environment is made in Cargo's target folder,
# which compiles for about ten minutes. Where this processor names instructions that its operating system does not allow (AMX on some virtual
# machines), compile it with CMAKE_ARGS="-DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON".
set -euo pipefail

fail() {
    echo "parity: $*" >&2
    exit 1
}

file="$(realpath "${1:?parity: name the GGUF file of SmolLM2-135M-Instruct}")"
python="${2:-}"
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# shellcheck source=benches/support/peers.sh
source benches/support/peers.sh

if [[ -z "$python" ]]; then
    dir="${CARGO_TARGET_DIR:-target}/decode"
    mkdir -p "$dir"
    python="$(peers_python "$dir" benches/decode/requirements.txt)"
fi
"$python" benches/parity/reference.py "$file" tests/data/smollm2-reference.json
CATENA_TEST_SMOLLM2="$file" CATENA_PARITY=all CARGO_PROFILE_DEV_OPT_LEVEL=3 \
    cargo test --locked --test models -- --nocapture llama_cpp
