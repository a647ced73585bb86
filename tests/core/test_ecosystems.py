"""What worktrees will lack, from names alone: each with a reason, and nothing that is not in the checkout or already said."""

from __future__ import annotations

import pytest

from git_waves.core.ecosystems import suggest
from git_waves.core.model import RepoPath


def told(tracked: list[str], ignored: list[str], said: str = "") -> list[tuple[str, str, str]]:
    found = suggest(map(RepoPath, tracked), [RepoPath(path) for path in ignored], said=said)
    assert all(one.why for one in found)
    return [(one.missing, one.key, one.value) for one in found]


@pytest.mark.parametrize(
    ("lock", "folder", "command"),
    [
        ("package-lock.json", "node_modules/", "npm ci"),
        ("pnpm-lock.yaml", "node_modules/", "pnpm install --frozen-lockfile"),
        ("uv.lock", ".venv/", "uv sync --frozen"),
        ("requirements.txt", "venv/", "python3 -m venv venv && venv/bin/pip install -r requirements.txt"),
        ("go.mod", "vendor/", "go mod vendor"),
        ("Gemfile.lock", "vendor/bundle/", "bundle install"),
    ],
)
def test_a_lock_file_whose_packages_lie_in_the_checkout_asks_for_set_up(
    lock: str, folder: str, command: str
) -> None:
    assert told([lock], [folder]) == [(folder, "setup", command)]
    assert told([lock], []) == [], "never installed here, so nobody needs it"
    assert told([], [folder]) == [], "nobody knows how it came there"


def test_packages_of_a_part_are_installed_in_that_part() -> None:
    assert told(["web/app/package-lock.json"], ["web/app/node_modules/", "node_modules/"]) == [
        ("web/app/node_modules/", "setup", "cd web/app && npm ci")
    ]


def test_what_was_built_and_keys_are_copied() -> None:
    assert told(
        ["Cargo.toml", "src/main.rs"], ["target/", ".env", "api/.env.local", "notes.txt", "x.env"]
    ) == [
        ("target/", "include", "/target/"),
        (".env", "include", "/.env"),
        ("api/.env.local", "include", "/api/.env.local"),
    ]


def test_submodules_are_filled() -> None:
    assert told([".gitmodules"], []) == [(".gitmodules", "setup", "git submodule update --init --recursive")]


def test_what_is_said_already_is_not_suggested() -> None:
    tracked, ignored = (
        ["package-lock.json", "Cargo.toml", ".gitmodules"],
        ["node_modules/", "target/", ".env"],
    )
    assert told(tracked, ignored, said="npm ci\n/target/\n.env*\ngit submodule update") == []
    assert [one[0] for one in told(tracked, ignored, said="link: node_modules/")] == [
        "target/",
        ".env",
        ".gitmodules",
    ]


def test_two_tools_that_fill_one_folder_are_one_suggestion() -> None:
    assert len(told(["package-lock.json", "yarn.lock"], ["node_modules/"])) == 1
