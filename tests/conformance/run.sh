#!/usr/bin/env bash
# Compares Catena with reference implementations, on suites that other people wrote; all come from package registries.
# Usage: tests/conformance/run.sh [FOLDER]   (the folder keeps what is downloaded; needs python3 with venv, pip, npm, tar, cargo)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$(mktemp -d)}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cd "$folder"

if [ ! -x venv/bin/python ]; then
    python3 -m venv venv
    venv/bin/pip install --quiet tokenizers==0.23.3 jinja2==3.1.6 rouge-score==0.1.2 nltk==3.10.4 networkx==3.6.1 scipy obonet==1.3.0 rdflib==7.6.0 gguf==0.19.0
fi
# Source packages hold the suites: llama.cpp's tokenizer cases and chat templates, W3C's RDF suites, OBO files.
[ -d llama.cpp ] || {
    venv/bin/pip download --quiet --no-deps --no-binary llama-cpp-python llama-cpp-python==0.3.36
    mkdir llama.cpp
    tar xzf llama_cpp_python-0.3.36.tar.gz -C llama.cpp --strip-components=4 --wildcards '*/vendor/llama.cpp/models/*'
}
[ -d w3c ] || {
    venv/bin/pip download --quiet --no-deps --no-binary rdflib rdflib==7.6.0
    mkdir w3c
    tar xzf rdflib-7.6.0.tar.gz -C w3c --strip-components=5 --wildcards '*/suites/w3c/turtle/*' '*/suites/w3c/ntriples/*'
}
[ -d obonet ] || {
    venv/bin/pip download --quiet --no-deps --no-binary obonet obonet==1.3.0
    mkdir obonet
    tar xzf obonet-1.3.0.tar.gz -C obonet --strip-components=3 --wildcards '*/tests/data/*.obo'
}
[ -d csv-spectrum ] || {
    npm pack --silent csv-spectrum@2.0.0
    mkdir csv-spectrum
    tar xzf csv-spectrum-2.0.0.tgz -C csv-spectrum --strip-components=1
}
venv/bin/python "$here/references.py" "$folder"

cd "$here/../.."
export CATENA_CONFORMANCE=$folder
cargo test --lib -- --ignored --nocapture --test-threads 1 conformance
cargo test --test graph -- --ignored --nocapture --test-threads 1 conformance
