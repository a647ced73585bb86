"""Turns on settings per worktree (`extensions.worktreeConfig`) without changing what any worktree sees, and takes it back.

Turned on naively, the extension breaks bare repositories and those with `core.worktree` (git-facts D10): these two keys
then belong to the main worktree alone. The main worktree also gets its own `core.bare=false`, because a test that runs
`git init` inside a hook sets `core.bare=true` in the shared file and would lock the user out of the checkout.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from git_waves.adapters.durable import sync, sync_path
from git_waves.adapters.git import Git
from git_waves.adapters.rundir import waves_folder, write_durably
from git_waves.errors import SurroundingsError

_EXTENSION = "extensions.worktreeConfig"
_MAIN_ONLY = ("core.bare", "core.worktree")


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenBack:
    """The configuration is as it was; `is_exact` when byte for byte, else only our own keys were taken out."""

    is_exact: bool


@dataclass(frozen=True, slots=True)
class NothingToTakeBack:
    """We never turned the extension on here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StillInUse:
    """Somebody's settings would be lost: these files hold keys that only count while the extension is on."""

    files: tuple[Path, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Record:
    """What we did: the shared file before and after, the main worktree's file, which we created, and the keys that
    moved from one to the other."""

    config: tuple[str, str]
    main: str
    moved: dict[str, str]


def enable_worktree_config(git: Git, common_dir: Path) -> bool:
    """Turn the extension on, with the migration it needs; whether anything was changed.

    Safe to repeat and to be killed in. Raises SurroundingsError when the configuration is locked, or when files of
    settings lie there that turning the extension on would bring to life.
    """
    config, main = (common_dir / "config").resolve(), common_dir / "config.worktree"
    if is_enabled(git, common_dir):
        return False
    dormant = dormant_files(common_dir)
    if dormant:
        raise SurroundingsError(
            f"'{dormant[0]}' holds settings that are not in use, and would be",
            hint=f"remove the file, or put it to use: git config {_EXTENSION} true",
        )
    moved = {key: value for key in _MAIN_ONLY if (value := git.file_config(config, key)) is not None}
    if "core.bare" in moved and git.file_config(config, "core.bare", kind="bool") != "true":
        del moved["core.bare"]
    before = config.read_bytes()
    after = _edited(git, common_dir, before, {_EXTENSION: "true", **dict.fromkeys(moved)})
    after_main = _edited(git, common_dir, b"", {"core.bare": "false", **moved})
    record = _Record(config=(_text(before), _text(after)), main=_text(after_main), moved=moved)
    _write_record(common_dir, record)
    write_durably(main, after_main, mode=config.stat().st_mode & 0o777)  # means nothing until the next line
    _replace_config(config, before, after)
    return True


def is_enabled(git: Git, common_dir: Path) -> bool:
    """Whether the extension is on, whoever turned it on."""
    return git.file_config((common_dir / "config").resolve(), _EXTENSION, kind="bool") == "true"


def was_enabled_by_us(common_dir: Path) -> bool:
    """Whether there is something for `disable_worktree_config` to take back."""
    return _read_record(common_dir) is not None


def dormant_files(common_dir: Path) -> list[Path]:
    """Files of settings that the extension would bring to life, where it is off; not the one we were killed after writing."""
    dormant = [path for path in _worktree_files(common_dir) if path.read_bytes().strip()]
    return [] if _is_ours(common_dir / "config.worktree", dormant, common_dir) else dormant


def disable_worktree_config(git: Git, common_dir: Path) -> TakenBack | NothingToTakeBack | StillInUse:
    """Take back what `enable_worktree_config` did here, exactly where nobody else has changed the files since."""
    record = _read_record(common_dir)
    if record is None:
        return NothingToTakeBack()
    config, main = (common_dir / "config").resolve(), common_dir / "config.worktree"
    foreign = [path for path in _worktree_files(common_dir) if path != main and path.read_bytes().strip()]
    left = b""
    if main.is_file() and _text(main.read_bytes()) != record.main:
        left = _edited(git, common_dir, main.read_bytes(), {"core.bare": None, **dict.fromkeys(record.moved)})
    if left.strip() or foreign:
        return StillInUse(files=(*([main] if left.strip() else []), *foreign))
    now = config.read_bytes()
    is_exact = _text(now) in record.config
    if _text(now) == record.config[1]:
        _replace_config(config, now, _bytes(record.config[0]))
    elif not is_exact:
        _replace_config(config, now, _edited(git, common_dir, now, {_EXTENSION: None, **record.moved}))
    main.unlink(missing_ok=True)
    _record_path(common_dir).unlink()
    return TakenBack(is_exact=is_exact)


def _is_ours(main: Path, dormant: list[Path], common_dir: Path) -> bool:
    """Whether the only dormant file is the one we wrote just before we were killed."""
    record = _read_record(common_dir)
    return record is not None and dormant == [main] and _text(main.read_bytes()) == record.main


def _worktree_files(common_dir: Path) -> list[Path]:
    files = [common_dir / "config.worktree", *sorted((common_dir / "worktrees").glob("*/config.worktree"))]
    return [path for path in files if path.is_file()]


def _edited(git: Git, common_dir: Path, content: bytes, changes: Mapping[str, str | None]) -> bytes:
    """`content` after git has set or (None) unset the keys in it."""
    waves = waves_folder(common_dir)
    waves.mkdir(mode=0o700, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="config-", dir=waves) as scratch:
        file = Path(scratch) / "config"
        file.write_bytes(content)
        git.edit_config(file, changes)
        return file.read_bytes()


def _replace_config(config: Path, before: bytes, after: bytes) -> None:
    """Swap the shared configuration under git's own lock, if it is still what we read."""
    lock = config.with_name(config.name + ".lock")
    mode = config.stat().st_mode & 0o777
    try:
        descriptor = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    except FileExistsError as taken:
        raise SurroundingsError(
            f"'{config}' is locked by '{lock}'",
            hint="wait for the other git, or remove the file if none runs",
        ) from taken
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, mode)
            file.write(after)
            file.flush()
            sync(descriptor)
        if config.read_bytes() != before:
            raise SurroundingsError(f"'{config}' was changed by somebody else just now", hint="run it again")
        lock.replace(config)
    except BaseException:
        lock.unlink(missing_ok=True)
        raise
    sync_path(config.parent)


# A configuration is text to git but need not be UTF-8; JSON keeps foreign bytes as lone surrogates.
def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _record_path(common_dir: Path) -> Path:
    return waves_folder(common_dir) / "worktree-config.json"


def _write_record(common_dir: Path, record: _Record) -> None:
    written = {"version": 1, "config": record.config, "main": record.main, "moved": record.moved}
    write_durably(_record_path(common_dir), json.dumps(written, indent=1).encode() + b"\n")


def _read_record(common_dir: Path) -> _Record | None:
    path = _record_path(common_dir)
    try:
        written = json.loads(path.read_bytes())
        before, after = written["config"]
        return _Record(config=(before, after), main=written["main"], moved=dict(written["moved"]))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as damage:
        raise SurroundingsError(
            f"'{path}' cannot be read: {damage}", hint=f"by hand: git config --unset {_EXTENSION}"
        ) from damage
