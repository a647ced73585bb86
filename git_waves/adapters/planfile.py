"""The bytes of a plan, read from a file, a revision or standard input; what they mean is the formats' business."""

from __future__ import annotations

import os
import shlex
import stat
import sys
from dataclasses import dataclass
from pathlib import Path

from git_waves.adapters.repo import Repository
from git_waves.errors import PlanError, PlanProblem

DEFAULT_PLAN = ".waves/plan.yaml"
PLAN_SETTING = "waves.plan"
STANDARD_INPUT = "standard input"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanBytes:
    """What was read. `source` names it in messages, `path` is where it lay without a revision (empty for a pipe)."""

    source: str
    path: str
    data: bytes


def read_plan_bytes(repository: Repository, spec: str | None, *, limit: int) -> PlanBytes:
    """The plan that `spec` names: a path from the current folder, `REV:PATH`, `-`, or None for the usual place.

    The usual place is the setting `waves.plan`, else `.waves/plan.yaml`, from the top of the work tree. Raises PlanError
    (could not measure) when there is nothing to read there. At most
    one byte more than `limit` is kept, so that the reader sees that it is too much.
    """
    if spec is None:
        setting = repository.git.config_values(PLAN_SETTING)
        return _read(
            repository, setting[-1] if setting else DEFAULT_PLAN, start=repository.work_tree, limit=limit
        )
    if spec == "-":
        return PlanBytes(source=STANDARD_INPUT, path="", data=sys.stdin.buffer.read(limit + 1))
    return _read(repository, spec, start=repository.folder, limit=limit)


def _read(repository: Repository, spec: str, *, start: Path, limit: int) -> PlanBytes:
    revision, colon, path = spec.partition(":")
    if colon and not os.path.lexists(start / spec):
        return _read_revision(repository, revision, path, start, limit)
    return _read_file(repository, start / spec, limit)


def _read_file(repository: Repository, path: Path, limit: int) -> PlanBytes:
    source = shown(repository, path)
    try:
        with path.open("rb") as file:
            if stat.S_ISDIR(os.fstat(file.fileno()).st_mode):
                raise IsADirectoryError(21, "Is a directory")
            data = file.read(limit + 1)
    except FileNotFoundError as error:
        hint = "write a starting plan with: git waves init"
        raise unreadable(source, "there is no such plan", hint) from error
    except IsADirectoryError as error:
        hint = f"make a plan of what lies in it: git waves import {shlex.quote(source)} -o {DEFAULT_PLAN}"
        raise unreadable(source, "this is a directory, not a plan", hint) from error
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise unreadable(
            source, f"the plan cannot be read: {why}", "name another: git waves plan PATH"
        ) from error
    return PlanBytes(source=source, path=source, data=data)


def _read_revision(repository: Repository, revision: str, path: str, start: Path, limit: int) -> PlanBytes:
    inside = path
    if path.startswith(("./", "../")):
        inside = os.path.relpath(start / path, repository.work_tree)
    source = f"{revision}:{inside}"
    data = _blob(repository, source)
    if data is None:
        what = "revision" if repository.git.resolve(revision or "HEAD") is None else "plan"
        name = revision if what == "revision" else inside
        raise unreadable(
            source, f"there is no {what} '{name}'", "write it as REV:PATH, PATH from the top of the tree"
        )
    return PlanBytes(source=source, path=inside, data=data[: limit + 1])


def _blob(repository: Repository, name: str) -> bytes | None:
    """The blob, read by libgit2 where it can open the repository (no SHA-256, no reftable), else by git."""
    import pygit2  # 90 ms, and most plans are files

    try:
        found = pygit2.Repository(str(repository.git_dir)).revparse_single(name)
    except (pygit2.GitError, KeyError, ValueError):
        return repository.git.blob(name)
    return found.data if isinstance(found, pygit2.Blob) else None


def shown(repository: Repository, path: Path) -> str:
    """The path as people say it: from the top of the work tree when it lies in there."""
    absolute = Path(os.path.normpath(path))
    if absolute.is_relative_to(repository.work_tree):
        return str(absolute.relative_to(repository.work_tree))
    return str(absolute)


def unreadable(source: str, message: str, hint: str) -> PlanError:
    """The error for a source that could not be read at all."""
    return PlanError(source, (PlanProblem(0, message, hint),), measured=False)
