"""What agent programs write below the user's home, as small as they work with it: their sessions, caches and logs, never
their settings, instructions or plugins, by which one run could steer the next (2026-11, from what each was seen to write).

A name with a slash at its end is a folder, made when it is not there. Files are only granted where they lie already: a
program that replaces one as a whole (a new file and a rename) cannot, and goes on with the old one.
"""

from __future__ import annotations

from pathlib import Path

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
    "codex": (".codex/auth.json",),
    "gemini": (".gemini/oauth_creds.json",),
    "opencode": (".local/share/opencode/", ".local/state/opencode/", ".cache/opencode/"),
    "aider": (".aider/caches/", ".aider/analytics.json"),
    "mini-swe-agent": (".local/share/mini-swe-agent/", ".config/mini-swe-agent/logs/"),
}
"""By the name of the preset; a command of the plan's own gets nothing unless the plan lists it."""


def links(users: Path, written: frozenset[str]) -> tuple[Path, ...]:
    """What lies in the user's folder of a program that writes beside its settings, and so could be given neither the folder nor
    anything in it: without the names that it writes, and without databases. A folder of links to these is like the user's."""
    names = sorted(path.name for path in users.iterdir()) if users.is_dir() else []
    return tuple(users / name for name in names if name not in written and ".sqlite" not in name)
