"""Types what a person would type, from a plan to the integration branch, in a repository made for it and removed again.

The story: seven tasks, two pairs of them side by side. One agent edits a file of another task, with `--no-verify`; it is
refused, a person looks, grants the path, and the run goes on. KEEP=1 leaves the repository to look around in.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

PLAN = Path(__file__).with_name("plan.yaml")
INTEGRATION = "waves/shop/integration"
TASKS = ("t1", "t2", "t3", "t4", "t5", "t6", "t7")

BOLD, PLAIN = ("\x1b[1m", "\x1b[0m") if sys.stdout.isatty() and "NO_COLOR" not in os.environ else ("", "")


class DemoError(Exception):
    """Something did not go as the story tells it."""


class Terminal:
    """A person's terminal in one folder: shows each command, then what it prints."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self.environment = environment

    def say(self, *lines: str) -> None:
        """Tell the reader what is going on."""
        print("", *(f"{BOLD}# {line}{PLAIN}" for line in lines), sep="\n", flush=True)

    def type(self, command: str, *, code: int = 0) -> None:
        """Run a command in the open; DemoError when it does not end with `code`."""
        print(f"\n{BOLD}$ {command}{PLAIN}", flush=True)
        ended = self._run(command, capture=False).returncode
        if ended != code:
            raise DemoError(f"'{command}' ended with exit code {ended}, not {code}")

    def ask(self, command: str) -> str:
        """What a command prints, without showing it."""
        done = self._run(command, capture=True)
        if done.returncode != 0:
            raise DemoError(f"'{command}' ended with exit code {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def _run(self, command: str, *, capture: bool) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            shlex.split(command),
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=capture,
            text=True,
            check=False,
        )


def play(terminal: Terminal) -> None:
    """The whole story. Raises DemoError where it goes another way."""
    terminal.say("A plan of seven tasks. Who may touch what, and what can run at once?")
    terminal.type("git waves plan")
    before = _checkout(terminal)

    terminal.say(
        "Agents at work, at most four at once. One of them edits a file of another task, with --no-verify."
    )
    terminal.type("git waves run --max 4", code=1)
    terminal.say("Refused, twice: by a hook while the agent worked, and from its tree when it was done.")
    terminal.type("git waves status")
    terminal.type("git waves log t6")

    terminal.say("t1, whose file it is, is through. So a person may grant it, and the run goes on.")
    terminal.type("git waves retry t6 --grant shop/price.py")
    terminal.type("git waves run --max 4")
    terminal.type("git waves status")

    terminal.say("One branch with everything in it. It was never at a commit that the gate had not passed.")
    terminal.type(f"git log --graph --oneline --no-decorate {INTEGRATION}")
    terminal.say(_overlap(terminal, "t2", "t3"), _overlap(terminal, "t5", "t6"))
    terminal.say("And the checkout, where somebody may have been working all along?")
    terminal.type("git status --short --branch")
    _check(terminal, before)


def _checkout(terminal: Terminal) -> str:
    return terminal.ask("git rev-parse HEAD main") + terminal.ask("git status --porcelain --ignored")


def _check(terminal: Terminal, before: str) -> None:
    """What the story has claimed."""
    if _checkout(terminal) != before:
        raise DemoError("the checkout is not what it was")
    messages = terminal.ask(f"git log --format=%s {INTEGRATION}")
    missing = [task for task in TASKS if f"Merge task '{task}'" not in messages]
    if missing:
        raise DemoError(f"not in '{INTEGRATION}': {', '.join(missing)}")


def _overlap(terminal: Terminal, one: str, two: str) -> str:
    """How long the first attempts of two tasks worked at the same time, by the event log; DemoError when never."""
    (log,) = (terminal.folder / ".git" / "waves" / "runs").glob("*/events.jsonl")
    begun: dict[str, datetime] = {}
    ended: dict[str, datetime] = {}
    for line in log.read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        if event["event"] == "task_leased":
            begun.setdefault(event["task"], datetime.fromisoformat(event["at"]))
        elif event["event"] in ("task_passed", "task_failed"):
            ended.setdefault(event["task"], datetime.fromisoformat(event["at"]))
    together = (min(ended[one], ended[two]) - max(begun[one], begun[two])).total_seconds()
    if together <= 0:
        raise DemoError(f"'{one}' and '{two}' did not work at the same time")
    return f"{one} and {two} worked at the same time for {together:.1f} s."


def _environment(home: Path) -> dict[str, str]:
    """A person's environment without what would make this repository different from anybody's."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "WAVES_"))}
    programs = str(Path(sys.executable).parent)
    return {
        **kept,
        "PATH": os.pathsep.join([programs, kept.get("PATH", os.defpath)]),
        "HOME": str(home),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_PAGER": "cat",
        "GIT_AUTHOR_NAME": "Demo",
        "GIT_AUTHOR_EMAIL": "demo@example.com",
        "GIT_COMMITTER_NAME": "Demo",
        "GIT_COMMITTER_EMAIL": "demo@example.com",
    }


def _make_repository(terminal: Terminal) -> None:
    folder = terminal.folder
    files = {
        ".gitignore": "__pycache__/\n",
        "README.md": "# A small shop\n",
        "shop/__init__.py": '"""A small shop."""\n',
        "tests/__init__.py": "",
        ".waves/plan.yaml": PLAN.read_text(encoding="utf-8"),
    }
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    terminal.ask("git init --quiet --initial-branch=main")
    terminal.ask("git add --all")
    terminal.ask("git commit --quiet --message 'A shop with nothing in it'")


def main() -> int:
    """Play the demo; 0 when the story went as told."""
    folder = Path(tempfile.mkdtemp(prefix="git-waves-demo-"))
    (folder / "shop").mkdir()
    terminal = Terminal(folder / "shop", _environment(folder))
    try:
        _make_repository(terminal)
        play(terminal)
    except DemoError as error:
        print(f"\nerror: the demo did not go as it should: {error}", file=sys.stderr, flush=True)
        return 1
    finally:
        if os.environ.get("KEEP"):
            print(f"\nleft for you: cd {terminal.folder}", flush=True)
        else:
            shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
