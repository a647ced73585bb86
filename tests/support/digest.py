"""Everything of the user's that a run must not change (P5), as one comparable value."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tests.support.repo import RepoBuilder


def _files(folder: Path) -> dict[str, str]:
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = f"link {path.readlink()}"
        elif path.is_file():
            status = path.stat()
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            found[name] = f"{status.st_mode:o} {status.st_mtime_ns} {content}"
    return found


def _other_settings(file: Path) -> str:
    """The main worktree's own settings besides the one shield that the migration puts there (`core.bare`)."""
    text = file.read_text() if file.exists() else ""
    return "" if text.split() == ["[core]", "bare", "=", "false"] else text


def digest_of_users_things(repo: RepoBuilder) -> dict[str, object]:
    """Checkout (bytes, modes, times), index, HEAD, branches, tags, stash and their reflogs, configuration, hooks, home.

    What is ours is left out: `refs/waves`, `refs/heads/waves`, `.git/waves`, `.git/worktrees`; and, in the shared
    configuration, only `extensions.worktreeConfig` with its migration (product P5); and what other programs cache.
    """
    git_dir = repo.folder / ".git"
    checkout = {name: digest for name, digest in _files(repo.folder).items() if name.split("/")[0] != ".git"}
    refs = [
        line
        for line in repo.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        if not line.startswith(("refs/waves/", "refs/heads/waves/"))
    ]
    reflogs = {
        name: digest
        for name, digest in _files(git_dir / "logs").items()
        if not name.startswith(("refs/waves", "refs/heads/waves"))
    }
    config = repo.git("config", "--file", str(git_dir / "config"), "--list", exit=None).splitlines()
    return {
        "checkout": checkout,
        "index": hashlib.sha256((git_dir / "index").read_bytes()).hexdigest()
        if (git_dir / "index").exists()
        else "",
        "HEAD": (git_dir / "HEAD").read_text(),
        "refs": refs,
        "reflogs": reflogs,
        "config": [line for line in config if line != "extensions.worktreeconfig=true"],
        "main worktree config": _other_settings(git_dir / "config.worktree"),
        "hooks": _files(git_dir / "hooks"),
        "info": _files(git_dir / "info"),
        "home": {
            name: digest
            for name, digest in _files(Path(repo.environment["HOME"])).items()
            if not name.startswith(".cache/")
        },
    }
