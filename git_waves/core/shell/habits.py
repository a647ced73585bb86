"""How well-known programs use their exit code: which only show something, which only get things ready, which check.

An unknown program is taken to be one that can fail. So a wrong entry here is worse than a missing one.
"""

from __future__ import annotations

import re

from git_waves.core.shell.habit import (
    ASSERT,
    CHECK,
    QUESTION,
    UNKNOWN,
    Cause,
    Habit,
    Kind,
    Strength,
    names,
    prints,
    readies,
)
from git_waves.core.shell.special_habits import SPECIAL
from git_waves.core.shell.wrappers import Words

_NEVER_FAIL_WORDS = """
: true echo printf pwd date whoami uname hostname uptime clear sleep export local readonly declare typeset unset
alias umask history jobs
"""
_NEVER_FAIL = frozenset(_NEVER_FAIL_WORDS.split())
_SHOW_WORDS = """
awk basename cal cat column comm cut df dirname du env fold gawk groups head hexdump id less ls mawk more nl od paste
pr printenv ps rev sed seq sort strings tac tail tee tr tree uniq wc xxd
"""
_SHOW = frozenset(_SHOW_WORDS.split())
_PREPARES_WORDS = """
. apt apt-get chmod chown cp createdb dropdb export install kill killall ln mkdir mv pkill rm rmdir source sync tar touch
trap ulimit unlink unzip
"""
_PREPARES = frozenset(_PREPARES_WORDS.split())
_SOURCES = frozenset({".", "source"})  # what is read may check a lot
_MOVES = frozenset({"cd", "popd", "pushd"})
_QUESTIONS = frozenset(
    {"grep", "egrep", "fgrep", "rg", "ag", "ack", "which", "type", "command", "diff", "cmp"}
)
_TEST_RUNNERS_WORDS = """
ava bats behave ctest cypress jest jasmine karma mocha nosetests nox phpunit prove py.test pytest rspec tap tox
unittest vitest
"""
_TEST_RUNNERS = frozenset(_TEST_RUNNERS_WORDS.split())
_CHECKERS_WORDS = """
actionlint ansible-lint bandit basedpyright biome black buf checkov clang-tidy clippy-driver codespell compileall
cppcheck detekt eslint flake8 gitleaks golangci-lint hadolint helm isort javac kotlinc ktlint latexmk lint-staged make
gmake markdownlint markdownlint-cli2 meson mypy ninja oxlint phpstan pre-commit prettier pylint pyright rubocop ruff
rustc semgrep shellcheck sphinx-build staticcheck standard stylelint swiftlint tsc tslint ty vale vulture xmllint
yamllint
"""
_CHECKERS = frozenset(_CHECKERS_WORDS.split())
_SUB_CHECKS = {
    "bazel": {"test", "build", "coverage"},
    "buf": {"lint", "build", "breaking"},
    "bun": {"test", "run"},
    "cargo": {
        "test",
        "nextest",
        "build",
        "check",
        "clippy",
        "fmt",
        "doc",
        "audit",
        "deny",
        "bench",
        "t",
        "b",
        "c",
    },
    "cmake": {"--build"},
    "deno": {"test", "check", "lint", "fmt"},
    "dotnet": {"test", "build", "format"},
    "flutter": {"test", "analyze", "build"},
    "go": {"test", "build", "vet"},
    "gradle": {"test", "build", "check", "assemble"},
    "gradlew": {"test", "build", "check", "assemble"},
    "mix": {"test", "compile", "credo", "dialyzer", "format"},
    "mkdocs": {"build"},
    "mvn": {"test", "verify", "package", "install", "compile"},
    "mvnw": {"test", "verify", "package", "install", "compile"},
    "node": {"--test", "--check", "-c"},
    "npm": {"test", "t", "run", "run-script", "audit"},
    "pnpm": {"test", "t", "run", "audit", "lint", "build", "typecheck", "check"},
    "playwright": {"test"},
    "rails": {"test"},
    "rake": {"test", "spec"},
    "swift": {"test", "build"},
    "terraform": {"validate", "fmt"},
    "yarn": {"test", "run", "lint", "build", "typecheck", "check"},
    "zig": {"build", "test"},
}
_SUB_TESTS = {
    "bazel": {"test"},
    "bun": {"test"},
    "cargo": {"test", "nextest", "t"},
    "deno": {"test"},
    "dotnet": {"test"},
    "flutter": {"test"},
    "go": {"test"},
    "gradle": {"test"},
    "gradlew": {"test"},
    "make": {"test", "check"},
    "mix": {"test"},
    "mvn": {"test", "verify"},
    "mvnw": {"test", "verify"},
    "node": {"--test"},
    "npm": {"test", "t"},
    "playwright": {"test"},
    "pnpm": {"test", "t"},
    "rails": {"test"},
    "rake": {"test", "spec"},
    "swift": {"test"},
    "yarn": {"test"},
}
_CHECKING_NAME = re.compile(r"(?:^|[-_./])(?:check|lint|test|tests|validate|verify)(?:[-_.]|$)")


def is_test_runner(words: Words) -> bool:
    """Whether the command surely runs tests; `words` are unwrapped."""
    name, second = names(words)
    return name in _TEST_RUNNERS or second in _SUB_TESTS.get(name, ())


def habit_of(words: Words) -> Habit:
    """What is known of a command; `words` are unwrapped."""
    name, second = names(words)
    if not name:
        return UNKNOWN
    if len(words) == 2 and second in ("--version", "--help", "-V"):
        why = f"'{name} {second}' says something about the program and nothing about the work"
        return Habit(Kind.SHOW, Strength.WEAK, Cause(f"{name} {second}", why, "run the check itself"))
    special = SPECIAL.get(name)
    if special is not None and (found := special(words)) is not None:
        return found
    if name in _NEVER_FAIL:
        return _always(name)
    if name in _SHOW:
        has_operands = any(word is None or not word.startswith("-") for word in words[_programs(name) :])
        is_weak = has_operands and name != "tee"
        return prints(name, strength=Strength.WEAK if is_weak else Strength.NONE)
    if name in _QUESTIONS:
        return QUESTION
    if name in _MOVES:
        return readies(name, Kind.MOVE)
    if name in _PREPARES:
        return Habit(Kind.PREPARE) if name in _SOURCES else readies(name, Kind.PREPARE)
    if name in _TEST_RUNNERS or name in _CHECKERS or second in _SUB_CHECKS.get(name, ()):
        return CHECK
    return CHECK if _CHECKING_NAME.search(words[0] or "") else UNKNOWN


def _programs(name: str) -> int:
    """How many words come before the files: some have a program of their own there."""
    return 2 if name in ("awk", "gawk", "mawk", "sed", "tr", "seq", "basename", "dirname", "cut") else 1


def _always(name: str) -> Habit:
    why = (
        f"'{name}' prints and passes"
        if name in ("echo", "printf", "pwd", "date")
        else f"'{name}' always passes"
    )
    return Habit(Kind.SHOW, Strength.NONE, Cause(name, why, ASSERT))
