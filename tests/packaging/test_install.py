"""What people install: a wheel built from the source distribution, and an editable checkout. Hooks and manuals are found."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from git_waves.cli.app import COMMANDS
from tests.support.plans import plan, task
from tests.support.repo import ROOT, RepoBuilder

pytestmark = pytest.mark.long


def run(*argv: str | Path, env: dict[str, str] | None = None, cwd: Path | None = None) -> str:
    """Run a program that must succeed; what it printed."""
    done = subprocess.run(argv, env=env, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{argv}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


class Installation:
    """A fresh virtual environment with git-waves in it. Its dependencies are those of the environment of the tests."""

    def __init__(self, folder: Path, *what: str) -> None:
        self.folder = folder
        run(sys.executable, "-m", "venv", "--without-pip", folder)
        (self.site_packages() / "dependencies-of-the-tests.pth").write_text(
            sysconfig.get_path("purelib") + "\n"
        )
        pip = (sys.executable, "-m", "pip", "--python", folder / "bin/python", "--disable-pip-version-check")
        run(
            *pip,
            "install",
            "-q",
            "--no-deps",
            "--no-index",
            "--no-build-isolation",
            "--force-reinstall",
            *what,
        )

    def site_packages(self) -> Path:
        """Where its packages lie."""
        return Path(
            run(
                self.folder / "bin/python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"
            ).strip()
        )

    def environment(self, repo: RepoBuilder) -> dict[str, str]:
        """The environment of somebody who has activated it."""
        path = [str(self.folder / "bin"), *os.environ["PATH"].split(os.pathsep)]
        own = str(Path(sys.executable).parent)
        kept = {name: value for name, value in repo.environment.items() if name != "MANPATH"}
        return {**kept, "PATH": os.pathsep.join(part for part in path if part != own)}

    def ask(self, code: str) -> str:
        """What an expression of its Python says."""
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return run(self.folder / "bin/python", "-c", code, env=environment, cwd=self.folder).strip()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution and the wheel that was built from it, not from the checkout."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The wheel, installed."""
    (file,) = built.glob("*.whl")
    return Installation(tmp_path_factory.mktemp("wheel") / "venv", str(file))


def test_the_wheel_answers_through_git(wheel: Installation, repo: RepoBuilder) -> None:
    environment = wheel.environment(repo)
    assert run("git", "waves", "-h", env=environment, cwd=repo.folder).startswith("usage: git waves ")
    assert run("git", "waves", "--version", env=environment) == run("git-waves", "--version", env=environment)
    assert wheel.ask("import git_waves; print(git_waves.__file__)").startswith(str(wheel.folder))


def test_a_whole_run_works_from_the_wheel(wheel: Installation, repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1"), task("t2"))})
    out = run("git", "waves", "run", env=wheel.environment(repo), cwd=repo.folder)
    assert "plan 'p' is finished: 2 integrated" in out
    assert repo.git("show", "refs/waves/integration/p:t2.txt") == "t2"
    run("git", "waves", "report", "--html", "r.html", env=wheel.environment(repo), cwd=repo.folder)
    assert "Finished: everything is integrated." in (repo.folder / "r.html").read_text(encoding="utf-8")


def test_the_manuals_lie_where_man_looks_for_them(wheel: Installation) -> None:
    assert (wheel.folder / "share/man/man1/git-waves.1").is_file()
    assert (wheel.folder / "share/man/man5/git-waves-plan.5").is_file()
    assert {path.name for path in (wheel.folder / "share/man").rglob("*.*")} == {
        "git-waves-plan.5",
        "git-waves.1",
        *(f"git-waves-{name}.1" for name in COMMANDS),
    }


def test_git_opens_the_manual(wheel: Installation, repo: RepoBuilder) -> None:
    environment = {**wheel.environment(repo), "MANPAGER": "cat", "GIT_PAGER": "cat", "TERM": "dumb"}
    if shutil.which("man", path=environment["PATH"]) is None:
        return  # git runs `man`; that the page lies where it looks is tested above
    page = str(wheel.folder / "share/man/man1/git-waves.1")
    assert run("man", "-w", "git-waves", env=environment).strip() == page
    assert "run several coding agents at once" in run(
        "git", "waves", "--help", env=environment, cwd=repo.folder
    )
    assert "run several coding agents at once" in run(
        "git", "help", "waves", env=environment, cwd=repo.folder
    )
    assert "KEYS OF A TASK" in run("man", "5", "git-waves-plan", env=environment)
    assert "--grant" in run("git", "help", "git-waves-retry", env=environment, cwd=repo.folder)
    lost = {**environment, "MANPATH": "/nowhere"}  # an installation that 'man' does not look into
    assert "export MANPATH=" in run("git", "waves", "man", "--install", env=lost, cwd=repo.folder)
    found = {**environment, "MANPATH": f"{environment['HOME']}/.local/share/man:"}
    assert run("man", "-w", "git-waves", env=found).startswith(environment["HOME"])
    assert "run several coding agents at once" in run("git", "help", "waves", env=found, cwd=repo.folder)


def test_the_hooks_are_found_wherever_they_were_installed(
    wheel: Installation, built: Path, tmp_path: Path
) -> None:
    question = "from git_waves.adapters.hooks import hooks_folder; print(hooks_folder())"
    assert wheel.ask(question) == str(wheel.site_packages() / "git_waves/hooks")

    # `make` installs this checkout editable into the environment that the tests run in.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    asked = run(sys.executable, "-c", question, env=environment, cwd=tmp_path)
    assert asked.strip() == str(ROOT / "hooks")

    (archive,) = built.glob("*.tar.gz")
    (tmp_path / "sdist").mkdir()
    run(
        "tar", "-xzf", str(archive), "-C", str(tmp_path / "sdist")
    )  # tarfile's safe way came with Python 3.11.4
    (unpacked,) = (tmp_path / "sdist").iterdir()
    asked = run(sys.executable, "-c", question, env={**os.environ, "PYTHONPATH": str(unpacked)}, cwd=tmp_path)
    assert asked.strip() == str(unpacked / "hooks")


def test_the_wheel_holds_the_program_and_nothing_of_its_workshop(wheel: Installation) -> None:
    there = {path.name for path in wheel.site_packages().iterdir()}
    assert "git_waves" in there
    assert there.isdisjoint({"tests", "bench", "demo", "hooks", "man", "tools"})
    assert (wheel.site_packages() / "git_waves/formats/plan.schema.json").is_file()
