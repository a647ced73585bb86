"""Programs that start another program: `env`, `timeout 60`, `uv run`, `npx`. What matters is the program behind them."""

from __future__ import annotations

from collections.abc import Iterable

Words = tuple[str | None, ...]
"""The words of a command as they will be, None where that is not known."""

# Each with the options that take a word of their own, and how many words stand before the command.
_PLAIN: dict[str, tuple[frozenset[str], int]] = {
    "builtin": (frozenset(), 0),
    "chronic": (frozenset(), 0),
    "command": (frozenset(), 0),
    "exec": (frozenset({"-a"}), 0),
    "ionice": (frozenset({"-c", "-n"}), 0),
    "nice": (frozenset({"-n"}), 0),
    "nohup": (frozenset(), 0),
    "npx": (frozenset({"-p", "--package"}), 0),
    "bunx": (frozenset({"-p", "--package"}), 0),
    "setsid": (frozenset(), 0),
    "stdbuf": (frozenset({"-i", "-o", "-e"}), 0),
    "sudo": (frozenset({"-u", "-g", "-h", "-p"}), 0),
    "time": (frozenset({"-f", "-o"}), 0),
    "timeout": (frozenset({"-k", "-s"}), 1),
    "unbuffer": (frozenset(), 0),
    "xvfb-run": (frozenset({"-s", "-n", "-e", "-f"}), 0),
}
_RUNNERS = frozenset(
    {
        ("bundle", "exec"),
        ("hatch", "run"),
        ("mise", "exec"),
        ("npm", "exec"),
        ("pdm", "run"),
        ("pipenv", "run"),
        ("pnpm", "dlx"),
        ("pnpm", "exec"),
        ("poetry", "run"),
        ("rye", "run"),
        ("uv", "run"),
        ("yarn", "dlx"),
        ("yarn", "exec"),
    }
)
_OPTIONS_OF_RUNNERS = (
    "--directory --env-file --extra --filter --group --package --project --python --with -C -F -p"
)
_RUNNER_OPTIONS = frozenset(_OPTIONS_OF_RUNNERS.split())
_PYTHONS = ("python", "python2", "python3", "py")
_TOO_DEEP = 8


def unwrapped(words: Words) -> Words:
    """The words of the command that is started in the end; empty when a wrapper stands alone, so its own words count."""
    for _ in range(_TOO_DEEP):
        inner = _inner(words)
        if inner is None:
            break
        words = inner
    return words


def _inner(words: Words) -> Words | None:
    """What stands behind one wrapper; None when there is no wrapper, or it only tells about a program."""
    first = words[0] if words else None
    if first is None:
        return None
    name = first.rpartition("/")[2]
    if name == "env":
        return _behind_env(words[1:])
    if name == "command" and words[1:2] in (("-v",), ("-V",)):
        return None
    if name in _PLAIN:
        valued, skipped = _PLAIN[name]
        return _behind_options(words[1:], valued, skipped)
    second = words[1] if len(words) > 1 else None
    if second is not None and (name, second) in _RUNNERS:
        return _behind_options(words[2:], _RUNNER_OPTIONS, 0)
    is_python = name in _PYTHONS or name.startswith("python3.")
    if is_python and second == "-m" and len(words) > 2:
        return words[2:]
    return None


def _behind_env(words: Words) -> Words | None:
    rest = _behind_options(words, frozenset({"-u", "-C", "--unset", "--chdir"}), 0) or ()
    while rest and rest[0] is not None and "=" in rest[0]:
        rest = rest[1:]
    return rest or None


def _behind_options(words: Words, valued: Iterable[str], skipped: int) -> Words | None:
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            at += 1
            break
        if word is None or not word.startswith("-"):
            break
        at += 2 if word in valued else 1
    return words[at + skipped :] or None
