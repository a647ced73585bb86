"""What the names of archive refs say: which attempt of which task, or where an integration ref was."""

from __future__ import annotations

from dataclasses import dataclass

PREFIX = "refs/waves/archive/"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveName:
    """A ref below `refs/waves/archive/<run>/`. `task` is empty for a place of the integration ref, and `attempt` 0; `part`
    is what stands behind the attempt: `head` for a HEAD that an agent left, a number where there was something already."""

    ref: str
    run: str
    task: str
    attempt: int
    part: str

    @property
    def short(self) -> str:
        """A name for a branch: `t1.2`, `t1.2.head`, `previous-integration`."""
        numbered = f"{self.task}.{self.attempt}" if self.task else ""
        return ".".join(filter(None, (numbered, self.part)))


def archive_name(ref: str) -> ArchiveName | None:
    """What this ref is; None when it is none of ours."""
    run, _, rest = ref.removeprefix(PREFIX).partition("/")
    task, _, numbered = rest.rpartition("/")
    if not ref.startswith(PREFIX) or not run or not rest or "/" in task:
        return None
    if not task:
        return ArchiveName(ref=ref, run=run, task="", attempt=0, part=rest)
    number, _, part = numbered.partition(".")
    if not (number.isascii() and number.isdigit()):
        return None
    return ArchiveName(ref=ref, run=run, task=task, attempt=int(number), part=part)
