#!/bin/sh
# Install the agent programs that tests/tools runs, at the versions whose facts docs/agents.md tells, into the folder $1.
# What cannot be had is skipped by its tests, with a word.
set -u

mkdir -p "$1/npm" && cd "$1" || exit
if ! command -v npm >/dev/null; then
    echo "npm is not installed: no claude, codex, opencode and gemini" >&2
else
    set -- @anthropic-ai/claude-code@2.1.328 @openai/codex@0.171.0 opencode-ai@1.18.33 @google/gemini-cli@0.61.0
    npm --prefix npm ls "$@" >/dev/null 2>&1 || npm --prefix npm install --no-audit --no-fund --save-exact "$@"
fi
if [ ! -x mini/bin/mini ]; then
    python3 -m venv mini && mini/bin/pip install --quiet mini-swe-agent==2.4.6
fi
if [ ! -x aider/bin/aider ]; then
    python3 -m venv aider && aider/bin/pip install --quiet aider-chat==0.86.2
fi
exit 0
