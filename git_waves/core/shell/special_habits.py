"""Programs whose exit code depends on their options: `grep -c`, `git diff`, `pytest --collect-only`, `make -n` ..."""

from __future__ import annotations

import re
from collections.abc import Callable

from git_waves.core.shell.habit import (
    CHECK,
    QUESTION,
    UNKNOWN,
    Cause,
    Habit,
    Kind,
    Strength,
    names,
    passes,
    prints,
)
from git_waves.core.shell.wrappers import Words

_EXITING = re.compile(r"\bexit\b")
_QUITTING = re.compile(r"[qQ] ?[0-9]")
_Special = Callable[[Words], Habit | None]


def _has(words: Words, *options: str) -> bool:
    """Whether one of the options is there, alone or with `=value`."""
    return any(word is not None and word.partition("=")[0] in options for word in words[1:])


def _letters(words: Words, valued: str = "") -> set[str]:
    """The letters of short options, those that take a value ending their word."""
    found: set[str] = set()
    for word in words[1:]:
        if word is not None and len(word) > 1 and word[0] == "-" and word[1] != "-":
            for letter in word[1:]:
                found.add(letter)
                if letter in valued:
                    break
    return found


def _grep(words: Words) -> Habit | None:
    if ("c" in _letters(words, "efmABCd") or _has(words, "--count", "--count-matches")) and not (
        "q" in _letters(words, "efmABCd") or _has(words, "--quiet", "--silent")
    ):
        why = "'grep -c' prints a number that nothing compares, and one match is enough to pass"
        hint = 'grep -q for at least one, or test "$(grep -c ...)" -eq N for exactly N'
        return Habit(
            Kind.QUESTION, Strength.WEAK, Cause("grep -c", why.replace("grep", names(words)[0]), hint)
        )
    return None


def _ls(words: Words) -> Habit | None:
    """With paths it asks whether they are there."""
    operands = [word for word in words[1:] if word is None or not word.startswith("-")]
    asks = [word for word in operands if word not in (".", "/", "..")]
    return QUESTION if asks else None


def _sort(words: Words) -> Habit | None:
    return QUESTION if _letters(words, "kotST") & {"c", "C"} or _has(words, "--check") else None


def _awk(words: Words) -> Habit | None:
    return UNKNOWN if any(word is None or _EXITING.search(word) for word in words[1:]) else None


def _sed(words: Words) -> Habit | None:
    if any(word is None or _QUITTING.search(word) for word in words[1:]):
        return UNKNOWN
    if "i" in _letters(words, "efl") or _has(words, "--in-place"):
        cause = Cause("sed -i", "'sed -i' changes files and passes", "check what it made")
        return Habit(Kind.PREPARE, Strength.WEAK, cause)
    return None


def _find(words: Words) -> Habit | None:
    if any(word == "+" for word in words) and _has(words, "-exec", "-execdir"):
        return UNKNOWN
    if _has(words, "-exec", "-execdir", "-ok"):
        why = "'find -exec ... \\;' passes whatever the command says"
        return passes(
            "find -exec ... \\;",
            why,
            "end it with '+' instead of '\\;', or use xargs",
            strength=Strength.NONE,
        )
    why = "'find' passes whether it finds something or not"
    return Habit(Kind.SHOW, Strength.WEAK, Cause("find", why, "find ... | grep -q ."))


def _git(words: Words) -> Habit | None:
    rest = list(words[1:])
    while rest and rest[0] is not None and rest[0].startswith("-"):
        del rest[: 2 if rest[0] in ("-C", "-c", "--git-dir", "--work-tree") else 1]
    verb = rest[0] if rest else None
    if verb == "diff":
        asks = _has(words, "--exit-code", "--quiet", "--check", "--no-index")
        why = "'git diff' without '--exit-code' passes whether there is a difference or not"
        return (
            CHECK if asks else Habit(Kind.SHOW, Strength.WEAK, Cause("git diff", why, "git diff --exit-code"))
        )
    if verb == "status":
        why = "'git status' prints and passes, clean or not"
        hint = 'test -z "$(git status --porcelain)"'
        return Habit(Kind.SHOW, Strength.NONE, Cause("git status", why, hint))
    if verb == "ls-files" and not _has(words, "--error-unmatch"):
        return prints("git ls-files", hint="git ls-files --error-unmatch")
    if verb in ("log", "show", "branch", "tag", "blame", "shortlog", "reflog", "remote"):
        return prints(f"git {verb}", strength=Strength.WEAK)
    if verb == "grep":
        return _grep(words[words.index("grep") :]) or QUESTION
    return (
        Habit(Kind.PREPARE) if verb in ("add", "commit", "fetch", "stash", "clean", "worktree") else UNKNOWN
    )


def _pytest(words: Words) -> Habit | None:
    for option in (
        "--collect-only",
        "--co",
        "--fixtures",
        "--markers",
        "--setup-plan",
        "--version",
        "--help",
    ):
        if _has(words, option):
            why = f"'pytest {option}' runs no test"
            return passes(f"pytest {option}", why, f"take '{option}' away")
    return None


def _make(words: Words) -> Habit | None:
    letters = _letters(words, "CfIjloW")
    if "n" in letters or _has(words, "--dry-run", "--just-print", "--recon"):
        return passes("make -n", "'make -n' prints what it would run and runs nothing", "take '-n' away")
    if "i" in letters or _has(words, "--ignore-errors"):
        why = "'make -i' goes on after every error and passes"
        return passes("make -i", why, "take '-i' away", strength=Strength.NONE)
    return None


def _curl(words: Words) -> Habit | None:
    valued = "AbcCdDeEFhHKmMoPQrtTuUwxXyYz"
    if "f" in _letters(words, valued) or _has(words, "--fail", "--fail-with-body"):
        return None
    why = "'curl' without '--fail' passes whatever the server answers, an error page too"
    return Habit(Kind.UNKNOWN, Strength.WEAK, Cause("curl", why, "curl --fail, or compare what it prints"))


def _wait(words: Words) -> Habit | None:
    if len(words) > 1:
        return CHECK
    why = "'wait' without a process passes whatever they ended with"
    return passes("wait", why, "wait for each one: 'wait $pid'", strength=Strength.NONE)


def _only(option: tuple[str, ...], word: str, why: str, hint: str) -> _Special:
    """A program that passes because of an option."""
    return lambda words: passes(word, why, hint) if _has(words, *option) else None


def _unless(options: tuple[str, ...], letters: str, word: str, why: str) -> _Special:
    """A program that changes or shows files, and only checks when asked to."""

    def judge(words: Words) -> Habit | None:
        if _has(words, *options) or _letters(words) & set(letters):
            return None
        return passes(word, why, f"{word} {options[0]}")

    return judge


def _sub(name: str, *, then: _Special) -> _Special:
    """`then`, for one verb of a program."""
    return lambda words: then(words) if names(words)[1] == name else None


_RUFF_FORMAT = _unless(("--check", "--diff"), "", "ruff format", "'ruff format' changes files and passes")
_CARGO_FMT = _unless(("--check",), "", "cargo fmt", "'cargo fmt' changes files and passes")


def _ruff(words: Words) -> Habit | None:
    if names(words)[1] == "format":
        return _RUFF_FORMAT(words)
    return _only(*_EXIT_ZERO)(words) or ("e" in _letters(words) and passes(*_EXIT_ZERO[1:])) or None


def _cargo(words: Words) -> Habit | None:
    if names(words)[1] == "fmt":
        return _CARGO_FMT(words)
    if names(words)[1] in ("test", "t") and _has(words, "--list"):
        return passes("--list", "'cargo test -- --list' runs no test", "take '--list' away")
    return None


def _go(words: Words) -> Habit | None:
    if names(words)[1] == "test" and _has(words, "-list"):
        return passes("go test -list", "'go test -list' runs no test", "take '-list' away")
    if names(words)[1] in ("fmt", "list", "env", "version"):
        return prints(f"go {names(words)[1]}", strength=Strength.WEAK)
    return None


_EXIT_ZERO = (
    ("--exit-zero",),
    "--exit-zero",
    "'--exit-zero' passes whatever is found",
    "take '--exit-zero' away",
)
_GOFMT = passes("gofmt", "'gofmt' passes whether files are formatted or not", 'test -z "$(gofmt -l .)"')
SPECIAL: dict[str, _Special] = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "rg"), _grep),
    **dict.fromkeys(("awk", "gawk", "mawk"), _awk),
    **dict.fromkeys(("flake8", "pylint", "bandit"), _only(*_EXIT_ZERO)),
    **dict.fromkeys(("pytest", "py.test"), _pytest),
    **dict.fromkeys(("make", "gmake"), _make),
    **dict.fromkeys(("gofmt", "goimports"), lambda words: _GOFMT if "d" not in _letters(words) else None),
    "ls": _ls,
    "sort": _sort,
    "sed": _sed,
    "find": _find,
    "git": _git,
    "curl": _curl,
    "wait": _wait,
    "ruff": _ruff,
    "cargo": _cargo,
    "go": _go,
    "black": _unless(("--check",), "", "black", "'black' without '--check' changes files and passes"),
    "isort": _unless(
        ("--check", "--check-only"), "c", "isort", "'isort' without '--check' changes files and passes"
    ),
    "prettier": _unless(
        ("--check", "--list-different"), "cl", "prettier", "'prettier' without '--check' passes"
    ),
    "cppcheck": _unless(
        ("--error-exitcode",), "", "cppcheck", "'cppcheck' without '--error-exitcode' passes"
    ),
    "trivy": _unless(("--exit-code",), "", "trivy", "'trivy' without '--exit-code' passes whatever it finds"),
    "terraform": _sub(
        "fmt", then=_unless(("-check",), "", "terraform fmt", "'terraform fmt' changes files and passes")
    ),
    "ctest": _only(("-N", "--show-only"), "ctest -N", "'ctest -N' runs no test", "take '-N' away"),
    "jest": _only(
        ("--listTests",), "--listTests", "'jest --listTests' runs no test", "take '--listTests' away"
    ),
    "mvn": _only(("-fn", "--fail-never"), "mvn -fn", "'mvn -fn' never fails", "take '-fn' away"),
    "gradle": _only(("-m", "--dry-run"), "gradle -m", "'gradle -m' runs nothing", "take '-m' away"),
    "hadolint": _only(
        ("--no-fail",), "--no-fail", "'--no-fail' passes whatever is found", "take '--no-fail' away"
    ),
}
"""What tells more than the name of the program; None leaves it to the name."""
