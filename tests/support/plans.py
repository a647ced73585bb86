"""Plans as text, in few words, for tests that run them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

PHASE3_NEEDS: Mapping[str, Sequence[str]] = {
    "t1": (),
    "t2": ("t1",),
    "t3": ("t1",),
    "t4": ("t2", "t3"),
    "t5": ("t4",),
    "t6": ("t4",),
    "t7": ("t5", "t6"),
}


def task(
    name: str, *, run: str | None = None, needs: Sequence[str] = (), files: str | None = None, extra: str = ""
) -> str:
    """One task; by default it creates `<name>.txt` and claims it."""
    run = run if run is not None else f"echo {name} > {name}.txt"
    block = run.replace("\n", "\n      ")
    lines = [
        f"  - id: {name}",
        f"    needs: [{', '.join(needs)}]" if needs else "",
        f"    files: {files or f'{{create: [{name}.txt]}}'}",
        f"    run: |\n      {block}",
        *(f"    {line}" for line in extra.splitlines()),
    ]
    return "\n".join(line for line in lines if line) + "\n"


def plan(*tasks: str, head: str = "") -> str:
    """A plan named `p` of these tasks; `head` are more top-level lines."""
    return f"version: 1\nname: p\n{head.rstrip()}\n".replace("\n\n", "\n") + "tasks:\n" + "".join(tasks)


def wait_for(place: Path | str) -> str:
    """Shell words that end as soon as the file is there, for agents that must not be done before a test says so."""
    return f"while ! test -e '{place}'; do sleep 0.05; done"


def phase3(*, run: Mapping[str, str] | None = None, head: str = "") -> str:
    """t1 -> {t2,t3} -> t4 -> {t5,t6} -> t7, each creating its own file, and a gate that looks for t1's."""
    head = head or "gates:\n  first-file: test -s t1.txt\n"
    return plan(
        *(task(name, needs=needs, run=(run or {}).get(name)) for name, needs in PHASE3_NEEDS.items()),
        head=head,
    )
