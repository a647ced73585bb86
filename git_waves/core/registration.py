"""Files in which every part of a project registers itself, and how a plan can do without all tasks writing them.

Two remedies: one final wiring task writes the file for all; or each task adds a fragment, a file of its own, where the
tool that reads the file can take in a whole folder. Which one fits is a fact about that tool, and stands here with it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache


class Remedy(StrEnum):
    """What to do about a file that many tasks write."""

    WIRING = "wiring"
    FRAGMENTS = "fragments"


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """A registration file: files of one `kind` belong together; `why` says what the tool allows, as half a sentence."""

    kind: str
    remedy: Remedy
    why: str


def _fragments(kind: str, why: str) -> Registration:
    return Registration(kind=kind, remedy=Remedy.FRAGMENTS, why=why)


def _wiring(kind: str, why: str) -> Registration:
    return Registration(kind=kind, remedy=Remedy.WIRING, why=why)


def _packages(kind: str) -> Registration:
    return _wiring(kind, "dependencies are resolved together, and the lock file is the result of them all")


_TABLE: tuple[tuple[str, Registration], ...] = (
    (
        "Kbuild",
        _fragments(
            "makefiles",
            "a Kbuild file is a makefile: one line 'include $(wildcard ...)' takes in a file for each task, "
            "and 'obj-y +=' adds up in any order",
        ),
    ),
    (
        "Makefile GNUmakefile *.mk *.mak Makefile.am Makefile.in Makefile.*",
        _fragments("makefiles", "one line 'include $(wildcard DIR/*.mk)' takes in a makefile for each task"),
    ),
    (
        "Kconfig Kconfig.*",
        _fragments(
            "Kconfig files",
            "'source' takes in a Kconfig file for each task; its lines are written once, before they start",
        ),
    ),
    (
        "CMakeLists.txt *.cmake",
        _fragments(
            "CMake files", "'file(GLOB ... CONFIGURE_DEPENDS)' and 'include()' take in a file for each task"
        ),
    ),
    (
        "meson.build",
        _wiring("Meson files", "Meson knows no wildcards: sources and folders are listed by name"),
    ),
    (
        "BUILD BUILD.bazel",
        _fragments(
            "Bazel packages", "every folder may have a BUILD file of its own, and 'glob()' takes in sources"
        ),
    ),
    (
        "*.csproj *.fsproj",
        _fragments("MSBuild projects", "a project takes in the sources of its folder, unlisted"),
    ),
    (
        "*.sln project.pbxproj",
        _wiring("IDE projects", "the file lists every part under an id that a program gives out"),
    ),
    (
        "index.rst",
        _fragments("documentation indexes", "a toctree with ':glob:' takes in every page that matches"),
    ),
    (
        "index.md SUMMARY.md mkdocs.yml _toc.yml _sidebar.md",
        _wiring("documentation indexes", "pages are listed by name, in the order they are read"),
    ),
    (
        "mod.rs lib.rs main.rs",
        _wiring(
            "Rust modules",
            "Rust has no wildcard for modules: each needs its 'mod' line in the parent, "
            "and only what lies below it can be a folder of the task's own",
        ),
    ),
    ("__init__.py", _wiring("Python packages", "what a package exports is written out in this one file")),
    (
        "conftest.py",
        _fragments(
            "pytest settings", "pytest reads a conftest.py in every folder, so each task can have its own"
        ),
    ),
    (
        "index.ts index.tsx index.mts index.js index.jsx index.mjs index.cjs index.d.ts",
        _wiring(
            "module indexes", "'export ... from' names one module at a time, and no syntax takes in a folder"
        ),
    ),
    (
        "package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml pnpm-workspace.yaml bun.lock bun.lockb "
        "deno.json deno.lock",
        _packages("npm manifests"),
    ),
    (
        "pyproject.toml setup.py setup.cfg Pipfile Pipfile.lock poetry.lock uv.lock pdm.lock requirements*.txt "
        "constraints*.txt environment.yml",
        _packages("Python manifests"),
    ),
    ("Cargo.toml Cargo.lock", _packages("Cargo manifests")),
    ("go.mod go.sum go.work go.work.sum", _packages("Go manifests")),
    ("Gemfile Gemfile.lock *.gemspec", _packages("Ruby manifests")),
    ("composer.json composer.lock", _packages("Composer manifests")),
    ("mix.exs mix.lock", _packages("Mix manifests")),
    ("flake.nix flake.lock", _packages("Nix flakes")),
    (
        "pom.xml build.gradle build.gradle.kts settings.gradle settings.gradle.kts libs.versions.toml gradle.lockfile",
        _packages("JVM manifests"),
    ),
    (
        ".github/workflows/*.yml .github/workflows/*.yaml",
        _fragments(
            "GitHub workflows",
            "every file of .github/workflows is run, so each task can add a workflow of its own",
        ),
    ),
    (
        ".gitlab-ci.yml",
        _fragments(
            "CI pipelines", "'include: local:' takes wildcards, so one line takes in a file for each task"
        ),
    ),
    (
        ".circleci/config.yml .travis.yml azure-pipelines.yml bitbucket-pipelines.yml Jenkinsfile",
        _wiring("CI pipelines", "the pipeline is read as one file, in its order"),
    ),
    (
        "nginx.conf httpd.conf apache2.conf sshd_config rsyslog.conf logrotate.conf supervisord.conf my.cnf",
        _fragments(
            "server settings", "the server includes every file of a folder such as conf.d, one for each task"
        ),
    ),
    (
        ".gitignore .gitattributes",
        _fragments("git's own lists", "git reads one in every folder, so each task can have its own"),
    ),
    (
        "CHANGELOG CHANGELOG.* CHANGES CHANGES.* NEWS NEWS.* HISTORY.md HISTORY.rst",
        _fragments("changelogs", "a note for each task in a folder can be put together at the release"),
    ),
    (
        "urls.py routes.rb routes.ts routes.js routes.py web.php",
        _wiring("routes", "the first route that matches wins, so their order counts"),
    ),
    (
        "docker-compose.yml docker-compose.yaml compose.yml compose.yaml Dockerfile",
        _wiring("container files", "the file is read from top to bottom, and nothing takes in a folder"),
    ),
    ("CODEOWNERS", _wiring("code owners", "the last line that matches wins, so their order counts")),
)
"""Names, patterns with `*`, or places from the top of the repository; the first row that fits is the answer."""


@lru_cache(maxsize=1)
def _matchers() -> tuple[tuple[re.Pattern[str], Registration], ...]:
    """Compiled when first asked for: most plans share nothing."""
    return tuple(
        (re.compile("(?:.*/)?(?:" + "|".join(map(_as_regex, words.split())) + ")"), row)
        for words, row in _TABLE
    )


def _as_regex(word: str) -> str:
    return re.escape(word).replace(r"\*", "[^/]*")


@lru_cache(maxsize=4096)
def registration_of(path: str) -> Registration | None:
    """What is known of the file at `path`; None for one that is no registration file."""
    return next((row for matcher, row in _matchers() if matcher.fullmatch(path)), None)


_MADE_BY_PROGRAMS = re.compile(
    r"(?:.*/)?(?:[^/]*\.lock|bun\.lockb|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|gradle\.lockfile|go\.(?:work\.)?sum)"
)


def is_made_by_a_program(path: str) -> bool:
    """Whether the file is the result of a program that resolves dependencies: two of them are made anew, never merged."""
    return _MADE_BY_PROGRAMS.fullmatch(path) is not None
