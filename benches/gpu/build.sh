#!/usr/bin/env bash
# Builds `catena` and the benchmark `gpu` for NVIDIA cards, so that both also start where driver and CUDA libraries are missing; then
# checks, if this machine has no driver, that `catena` says so and answers on the processor.
#
#   benches/gpu/build.sh [--dir DIR] [--catena-only]
#
#   --dir DIR        where the programs go (default: gpu in Cargo's target folder)
#   --catena-only    leaves the benchmark out
#
# Needs the CUDA toolkit (nvcc, cudart, cuBLAS, cuRAND, NVRTC, and libcuda or its stub): in PATH, or where CUDA_HOME says. Where there is
# no card, CUDA_COMPUTE_CAP says for which one to build (90: H100 and H200; 89: RTX 40; 86: RTX 30). CATENA_TARGET_CPU is the processor
# (default: x86-64-v3). Also needs the Rust toolchain, Python 3, a C++ compiler and binutils. Takes about ten minutes on two cores.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

fail() {
    echo "gpu: $*" >&2
    exit 1
}

target="${CARGO_TARGET_DIR:-target}"
dir="$target/gpu"
bench=yes
while (($#)); do
    case "$1" in
    --dir) dir="${2:?--dir needs a folder}" && shift ;;
    --catena-only) bench="" ;;
    *) fail "unknown option $1; the head of this script names them" ;;
    esac
    shift
done

nvcc="$(command -v nvcc || true)"
[[ -z "$nvcc" ]] || nvcc="$(dirname "$(dirname "$(readlink -f "$nvcc")")")"
for home in "${CUDA_HOME:-}" "${CUDA_PATH:-}" "$nvcc" /usr/local/cuda /opt/cuda; do
    [[ -n "$home" && -x "$home/bin/nvcc" ]] && break
    home=""
done
[[ -n "$home" ]] || fail "nvcc was not found; install the CUDA toolkit, or set CUDA_HOME to its folder"
export PATH="$home/bin:$PATH"
if [[ -z "${CUDA_COMPUTE_CAP:-}" ]] && ! command -v nvidia-smi >/dev/null; then
    fail "there is no card here that says what to build for; set CUDA_COMPUTE_CAP (the head of this script has values)"
fi

# The libraries that candle is linked with, and those that its kernels are.
libraries=()
for name in cuda cudart cublas cublasLt curand nvrtc; do
    found=""
    for place in "$home"/{lib64,lib,targets/x86_64-linux/lib}{,/stubs} /usr/lib/x86_64-linux-gnu /usr/lib64; do
        for file in "$place/lib$name.so" "$place/lib$name".so.*; do
            [[ -z "$found" && -f "$file" ]] && found="$file"
        done
    done
    [[ -n "$found" ]] || fail "lib$name.so was not found below $home; the CUDA toolkit is not complete"
    libraries+=("$found")
done
stubs="$target/gpu-delay-load"
rm -rf "$stubs"
benches/gpu/delay_load.py "$stubs/lib64" "${libraries[@]}"

# Build scripts look for libraries below this folder alone, and so does the linker first; nvcc is found by PATH.
CUDA_HOME="$(cd "$stubs" && pwd)"
export CUDA_HOME
unset CUDA_PATH CUDA_ROOT CUDA_TOOLKIT_ROOT_DIR CUDNN_LIB
export RUSTFLAGS="-C target-cpu=${CATENA_TARGET_CPU:-x86-64-v3}"
cargo build --locked --release --features cuda --bin catena
mkdir -p "$dir"
cp "$target/release/catena" "$dir/catena"
programs=("$dir/catena")
if [[ -n "$bench" ]]; then
    built="$(cargo bench --locked --features cuda --bench gpu --no-run --message-format=json |
        python3 -c 'import json, sys
lines = [json.loads(line) for line in sys.stdin if line.startswith("{")]
print([line["executable"] for line in lines if line.get("target", {}).get("name") == "gpu" and line.get("executable")][-1])')"
    cp "$built" "$dir/gpu"
    programs+=("$dir/gpu")
fi
for program in "${programs[@]}"; do
    strip "$program"
    if readelf -d "$program" | grep -E 'NEEDED.*lib(cuda|cudart|cublas|cublasLt|curand|nvrtc)\.'; then
        fail "$program names a CUDA library; the linker did not take the archives in $stubs/lib64"
    fi
    echo "gpu: $program has $(wc -c <"$program") bytes"
done

# From here on: what a machine without a driver would see.
if ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1'; then
    echo "gpu: this machine has a driver, so that the start without one was not checked"
    exit 0
fi
own="$(mktemp -d)"
trap 'rm -rf "$own"' EXIT
run() { env -u LD_LIBRARY_PATH CATENA_HOME="$own" "$dir/catena" "$@"; }
said() { grep -qF "$1" "$own/output" || fail "'$2' does not say “$1”: $(cat "$own/output")"; }

echo 'device = "auto"' >"$own/config.toml"
run check >"$own/output" || fail "'catena check' fails without a driver: $(cat "$own/output")"
said "No graphics card can be used" "catena check"
said "models run on  cpu" "catena check"
grep "No graphics card" "$own/output"
if [[ -n "$bench" ]]; then
    env -u LD_LIBRARY_PATH "$dir/gpu" --write "$own"
    run ask --json --generator "$own/tiny.gguf" "What helps against heartburn?" >"$own/output" 2>"$own/errors" \
        || fail "'catena ask' fails without a driver: $(cat "$own/errors")"
    said "No graphics card can be used" "catena ask"
    python3 -c 'import json, sys
trace = json.load(open(sys.argv[1]))
assert trace["models"]["generator"]["device"] == "cpu", trace["models"]
assert trace["answer"], "no answer"' "$own/output"
fi
echo 'device = "cuda"' >"$own/config.toml"
run check >"$own/output" || true
said "the device cuda:0 cannot be used" "catena check"
echo "gpu: without a driver, catena starts, says so, and answers on the processor"
