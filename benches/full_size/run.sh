#!/usr/bin/env bash
# Measures the knowledge graph at full size, the peers beside it, and writes the section of benches/RESULTS.md.
#
#   benches/full_size/run.sh [options]
#
#   --dir DIR            where everything is kept: graphs, vectors, the peers' environment (default: full_size in Cargo's target folder);
#                        about 5 GB; nothing is written elsewhere but the section in RESULTS.md
#   --hetionet DIR       the folder with hetionet-partial.sif.gz (default: hetionet in CATENA_TEST_DATA or ../shared/data)
#   --without-hetionet   leaves Hetionet out, and says so in the section
#   --without-peers      leaves the peers out, and says so in the section
#   --ann-full           builds usearch's index at full size too (many minutes)
#   --limit SECONDS      after which a graph library is given up at full size (default: 90)
#   --quick              with a tenth of the graph, to try the script; nothing is written to RESULTS.md
#   --no-write           prints the section and leaves RESULTS.md as it is
#
# Needs a Rust toolchain, dd and fincore (coreutils, util-linux) and Linux's /proc; for the peers Python 3.11 or later with venv, and a
# package index (or the environment of an earlier run). Memory: about 8 GB. It takes about half an hour, most of it the peers'.
# Anything that is missing ends it with an error; no figure is left out silently.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly here=benches/full_size

# shellcheck source=benches/support/peers.sh
source benches/support/peers.sh

fail() {
    echo "full_size: $*" >&2
    exit 1
}

dir="${CARGO_TARGET_DIR:-target}/full_size"
hetionet="${CATENA_TEST_DATA:-../shared/data}/hetionet"
peers=yes
measure_options=()
peer_options=()
report_options=()
while (($#)); do
    case "$1" in
    --dir) dir="${2:?--dir needs a folder}" && shift ;;
    --hetionet) hetionet="${2:?--hetionet needs a folder}" && shift ;;
    --without-hetionet) hetionet="" ;;
    --without-peers) peers="" ;;
    --ann-full) peer_options+=(--ann-full) ;;
    --limit) peer_options+=(--limit "${2:?--limit needs seconds}") && shift ;;
    --quick) measure_options+=(--quick) && report_options+=(--no-write) ;;
    --no-write) report_options+=(--no-write) ;;
    *) fail "unknown option $1; the head of this script names them" ;;
    esac
    shift
done

command -v python3 >/dev/null || fail "python3 is not installed; it writes the section and runs the peers"
command -v dd >/dev/null && command -v fincore >/dev/null || fail "dd (coreutils) and fincore (util-linux) are needed for cold openings"
if [[ -n "$hetionet" && ! -f "$hetionet/hetionet-partial.sif.gz" ]]; then
    fail "$hetionet has no hetionet-partial.sif.gz; --hetionet names another folder, --without-hetionet leaves it out"
fi
# No byte code beside the scripts.
export PYTHONDONTWRITEBYTECODE=1
mkdir -p "$dir"
dir="$(cd "$dir" && pwd)"

if [[ -n "$peers" ]]; then
    python="$(peers_python "$dir" "$here/requirements.txt")"
fi

# Figures of an earlier run must not stand in for those of this one.
rm -f "$dir/catena.json" "$dir/peers.json"
cargo bench --locked --bench full_size -- measure "$dir" "${measure_options[@]}" ${hetionet:+--hetionet "$hetionet"} >/dev/null
if [[ -n "$peers" ]]; then
    "$python" "$here/peers.py" "$dir" "${peer_options[@]}"
fi
python3 "$here/report.py" "$dir" benches/RESULTS.md "${report_options[@]}"
