#!/bin/sh
# Makes the virtual environment that every `make` target works in, or brings it up to date: `sh tools/set-up.sh FOLDER`.
# Says nothing when all goes well. PYTHON=… names the interpreter; else the first suitable one is taken.
set -u

folder=${1:?"usage: set-up.sh FOLDER"}
oldest="3.11"

fail() { # problem, then hints
    printf 'error: %s\n' "$1" >&2
    shift
    for hint in "$@"; do
        printf 'hint: %s\n' "$hint" >&2
    done
    exit 1
}

# Running it is the only proof: a version manager's shim is on the PATH for versions that are not installed.
is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }
can_make_one() { "$1" -c 'import ensurepip, venv' >/dev/null 2>&1; }

find_python() {
    without_venv=
    for python in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
        is_new_enough "$python" || continue
        if can_make_one "$python"; then
            return
        fi
        without_venv=${without_venv:-$python}
    done
    if [ -n "$without_venv" ]; then
        fail "'$without_venv' cannot make virtual environments: its modules 'venv' and 'ensurepip' are missing" \
            "on Debian and Ubuntu: apt install python3-venv" \
            "or name another interpreter: make PYTHON=/path/to/python3 TARGET"
    fi
    if [ -n "${PYTHON:-}" ]; then
        fail "'$PYTHON' is not a Python of version $oldest or newer" "leave PYTHON out to have one looked for"
    fi
    fail "no Python of version $oldest or newer was found on the PATH" \
        "install one, or name it: make PYTHON=/path/to/python3 TARGET"
}

command -v git >/dev/null 2>&1 || fail "cannot find the program 'git'" "install git 2.38 or newer"

# An environment whose interpreter went away (an upgrade, a moved checkout) is made anew.
if ! is_new_enough "$folder/bin/python" || ! "$folder/bin/python" -m pip --version >/dev/null 2>&1; then
    find_python
    rm -rf "$folder"
    mkdir -p "$folder"
    "$python" -m venv "$folder" >"$folder/set-up.log" 2>&1 || {
        cat "$folder/set-up.log" >&2
        fail "'$python' could not make a virtual environment in '$folder'" \
            "on Debian and Ubuntu: apt install python3-venv"
    }
fi

"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --editable '.[dev]' \
    >"$folder/set-up.log" 2>&1 </dev/null || {
    cat "$folder/set-up.log" >&2
    fail "pip could not install what pyproject.toml asks for" \
        "it needs a package index; 'pip config list' shows which one it asks"
}
