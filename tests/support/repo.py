"""Scenes in few words: a sealed environment and real git repositories in temporary folders."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.support import warm

FIXED_DATE = "2026-01-02T03:04:05+00:00"
ROOT = Path(__file__).resolve().parents[2]


def sealed_environment(home: Path) -> dict[str, str]:
    """An environment with its own HOME, no system configuration, a fixed identity and clock for git."""
    kept = {key: os.environ[key] for key in ("PATH", "LANG", "TMPDIR") if key in os.environ}
    return {
        **kept,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{kept.get('PATH', os.defpath)}",
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_STATE_HOME": str(home / ".local/state"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "A U Thor",
        "GIT_AUTHOR_EMAIL": "author@example.com",
        "GIT_AUTHOR_DATE": FIXED_DATE,
        "GIT_COMMITTER_NAME": "C O Mitter",
        "GIT_COMMITTER_EMAIL": "committer@example.com",
        "GIT_COMMITTER_DATE": FIXED_DATE,
        "GIT_CEILING_DIRECTORIES": str(home.parent),
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


class RepoBuilder:
    """A real repository. `repo.commit(**{"a.txt": "x"})`, `repo.git("log")`, `repo.waves("plan", exit=1)`."""

    def __init__(self, folder: Path, environment: Mapping[str, str], *, is_there: bool = False) -> None:
        self.folder = folder
        self.environment = dict(environment)
        if not is_there:
            folder.mkdir(parents=True, exist_ok=True)
            self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str, exit: int | None = 0, cwd: Path | None = None, stdin: str = "") -> str:
        """Run git here; assert its exit code unless `exit` is None; return standard output without the last newline."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=cwd or self.folder,
            env=self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            check=False,
        )
        if exit is not None:
            assert done.returncode == exit, (
                f"git {' '.join(arguments)}: {done.returncode}\n{done.stdout}{done.stderr}"
            )
        return done.stdout.rstrip("\n")

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files below the repository; folders are made."""
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, files: Mapping[str, str | bytes], *, message: str = "work") -> str:
        """Write and commit files; return the commit's id."""
        self.write(files)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def run_waves(
        self,
        *arguments: str,
        cwd: Path | None = None,
        environment: Mapping[str, str] | None = None,
        stdin: str = "",
    ) -> subprocess.CompletedProcess[str]:
        """Run `git waves …` as a real process and return what happened."""
        whole = {**self.environment, "PYTHONPATH": str(ROOT), **(environment or {})}
        if warm.can_run(whole):
            return warm.run(
                "git_waves.entry", arguments, cwd=cwd or self.folder, environment=whole, stdin=stdin
            )
        return subprocess.run(
            [sys.executable, "-m", "git_waves", *arguments],
            cwd=cwd or self.folder,
            env=whole,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )

    def waves(
        self,
        *arguments: str,
        exit: int = 0,
        cwd: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> str:
        """Run `git waves …`, assert the exit code, return standard output."""
        done = self.run_waves(*arguments, cwd=cwd, environment=environment)
        assert done.returncode == exit, (
            f"git waves {' '.join(arguments)}: exit {done.returncode}, wanted {exit}\n{done.stdout}{done.stderr}"
        )
        return done.stdout
