"""What agent programs write below the user's home, as small as they work with it: their sessions, caches and logs, never
their settings, instructions or plugins, by which one run could steer the next (2026-11, from what each was seen to write).

A name with a slash at its end is a folder, made when it is not there. Files are only granted where they lie already: a
program that replaces one as a whole (a new file and a rename) cannot, and goes on with the old one.
"""

from __future__ import annotations

WRITES: dict[str, tuple[str, ...]] = {
    "claude": (
        ".claude.json",
        ".claude/.credentials.json",
        ".claude/projects/",
        ".claude/todos/",
        ".claude/session-env/",
        ".claude/shell-snapshots/",
        ".claude/file-history/",
        ".claude/statsig/",
        ".claude/debug/",
        ".claude/backups/",
    ),
    "codex": (".codex/sessions/", ".codex/log/", ".codex/tmp/", ".codex/auth.json", ".codex/history.jsonl"),
    "gemini": (".gemini/tmp/", ".gemini/history/", ".gemini/oauth_creds.json"),
    "opencode": (".local/share/opencode/", ".local/state/opencode/", ".cache/opencode/"),
    "aider": (".aider/caches/", ".aider/analytics.json"),
    "mini-swe-agent": (".local/share/mini-swe-agent/", ".config/mini-swe-agent/logs/"),
}
"""By the name of the preset; a command of the plan's own gets nothing unless the plan lists it."""

OWN_MOUNTS = frozenset({"codex"})
"""Presets that put a fence of mounts around their own commands, which Landlock refuses and bubblewrap does not."""
