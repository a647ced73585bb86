#!/bin/sh
# Install the agent programs that tests/tools runs, at the versions whose facts docs/agents.md tells, into the folder $1.
# What cannot be had is skipped by its tests, with a word.
set -u

mkdir -p "$1/npm" && cd "$1" || exit
if ! command -v npm >/dev/null; then
    echo "npm is not installed: no claude, codex and opencode" >&2
elif ! npm --prefix npm ls @anthropic-ai/claude-code@2.1.328 @openai/codex@0.171.0 opencode-ai@1.18.33 >/dev/null 2>&1; then
    npm --prefix npm install --no-audit --no-fund --save-exact \
        @anthropic-ai/claude-code@2.1.328 @openai/codex@0.171.0 opencode-ai@1.18.33
fi
if [ ! -x mini/bin/mini ]; then
    python3 -m venv mini && mini/bin/pip install --quiet mini-swe-agent==2.4.6
fi
exit 0
