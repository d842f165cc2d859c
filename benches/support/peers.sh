# Sourced by the scripts that measure peers beside Catena.

# Prints the interpreter of the peers' environment in a folder, which is made anew when the list of its packages changes.
#
#   peers_python FOLDER REQUIREMENTS
peers_python() {
    local venv="$1/venv"
    if ! cmp -s "$2" "$venv/requirements.txt"; then
        echo "the peers' environment is made in $venv" >&2
        rm -rf "$venv"
        python3 -m venv "$venv" || fail "python3 has no venv; the head of this script says how to do without"
        "$venv/bin/python" -m pip install --quiet --no-cache-dir --disable-pip-version-check -r "$2" >&2 \
            || fail "the peers could not be installed; the head of this script says how to do without"
        cp "$2" "$venv/requirements.txt"
    fi
    echo "$venv/bin/python"
}
