"""Puts the ownership hooks into one task worktree, and only there, in front of nothing the user already has.

`core.hooksPath` in the worktree's own `config.worktree` points at a folder of this attempt. Every file in it is a copy of
`dispatch.sh` under a hook's name: it runs the user's hook of that name, then our check (git-facts D4 to D8). Feedback,
not a fence: whoever can run git can switch hooks off, and the merge decides again from trees (reliability R8).

No prepare-commit-msg: every commit on the task's branch meets reference-transaction, with `--no-verify` too, and on a
detached HEAD (a rebase at work) a veto would only stop it half-way.
"""

from __future__ import annotations

import fcntl
import os
import shlex
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from git_waves.adapters.canary import CanaryMissed, CanaryRefused, canary
from git_waves.adapters.git import Git
from git_waves.adapters.lease import (
    FILES_NAME,
    LEASE_NAME,
    PATTERNS_NAME,
    LeaseFile,
    files_content,
    patterns_content,
)
from git_waves.adapters.rundir import RunDir, waves_folder, write_durably
from git_waves.adapters.seal import Seal, Tampering, check_seal, seal_files
from git_waves.adapters.worktree_config import disable_worktree_config, enable_worktree_config
from git_waves.core.model import RepoPath
from git_waves.errors import SurroundingsError

# What a run needs of the hooks is had from here; the parts live in files of their own.
__all__ = [
    "CanaryMissed",
    "CanaryRefused",
    "Seal",
    "Tampering",
    "canary",
    "check_seal",
    "disable_worktree_config",
    "edit_hook",
    "enable_worktree_config",
    "hooks_folder",
    "install",
    "user_hooks",
]

AGENT_HOOK = "agent-hook"
"""How the guard is asked about an edit, and the command of that name."""
EXCLUDES_NAME = "waves-excludes"
OWN_HOOKS = ("pre-applypatch", "pre-commit", "pre-merge-commit", "pre-push", "reference-transaction")
# Merely reading a file through git-lfs writes these into whatever core.hooksPath says, unless they are there.
LFS_HOOKS = ("post-checkout", "post-commit", "post-merge", "pre-push")

_BEGIN = b"# git-waves: the rest is written by 'git waves run', for this worktree only\n"
# git-facts D14: no clean-up by git while siblings work, patient locks, nothing pushed by accident, no shared rerere, no
# program started by fsmonitor. core.bare: a shield against a `git init` that a test runs with this worktree's GIT_DIR.
_SETTINGS = b"""\
	bare = false
	fsmonitor = false
	filesRefLockTimeout = 5000
	packedRefsTimeout = 5000
[reftable]
	lockTimeout = 10000
[gc]
	auto = 0
	packRefs = false
[maintenance]
	auto = false
[push]
	default = nothing
[rerere]
	enabled = false
"""

_PATIENCE = 500  # looks at a hook file that somebody still holds open, 10 ms apart


def hooks_folder() -> Path:
    """Where our hook files lie: inside the package when it was installed from a wheel, beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "hooks", package.parent / "hooks"):
        if (folder / "guard.py").is_file() and (folder / "dispatch.sh").is_file():
            return folder
    raise SurroundingsError("cannot find the hook files of git-waves", hint="install git-waves again")


def user_hooks(git: Git, *, common_dir: Path, worktree: Path) -> Path | None:
    """The folder git would take the user's hooks from in this worktree; None when there is no such folder.

    That is the last `core.hooksPath` that is not a worktree's own. A relative one counts from the worktree, or, when it
    is missing there, from the main work tree: husky's `.husky/_` is not tracked, so only that one has it.
    """
    values = [
        value
        for scope, value in git.config_scoped("core.hooksPath", is_path=True)
        if scope in ("system", "global", "local")
    ]
    if not values:
        candidates = [common_dir / "hooks"]
    elif not values[-1]:
        candidates = []  # git reads an empty value as the root folder; nobody keeps hooks there
    else:
        candidates = [top / values[-1] for top in (worktree, *_main_work_tree(git))]
    ours = waves_folder(common_dir).resolve()
    return next(
        (path for path in candidates if path.is_dir() and not path.resolve().is_relative_to(ours)), None
    )


def _main_work_tree(git: Git) -> list[Path]:
    main = git.worktrees()[0]
    return [] if "bare" in main else [Path(main["worktree"])]


def install(
    git: Git,
    *,
    run_dir: RunDir,
    common_dir: Path,
    worktree: Path,
    admin: Path,
    lease: LeaseFile,
    outside: Sequence[RepoPath] = (),
) -> Seal:
    """Write the lease, the rule files, the hooks and the settings of one worktree, and seal them.

    `git` is the repository's common one, `admin` the worktree's administrative folder. Git in the worktree ignores the
    paths `outside`, so that `git add -A` takes none of what is handed on. `enable_worktree_config` comes first. Meant for a worktree no agent has touched since it was made or since its seal was checked: settings that
    stand in `config.worktree` already (a sparse checkout's, which git copies) are kept. Safe to repeat; the hooks take
    effect with the last write.
    """
    theirs = user_hooks(git, common_dir=common_dir, worktree=worktree)
    names = {*OWN_HOOKS, *(LFS_HOOKS if git.has_filter_lfs() else ()), *_hooks_in(theirs)}
    patterns = patterns_content(lease.rules)
    write_durably(admin / LEASE_NAME, lease.to_bytes())
    write_durably(admin / FILES_NAME, files_content(lease.rules))
    if patterns is None:
        (admin / PATTERNS_NAME).unlink(missing_ok=True)
    else:
        write_durably(admin / PATTERNS_NAME, patterns)
    folder = run_dir.hooks / lease.name
    _write_hooks(folder, names, _settings_script(admin=admin, theirs=theirs, lease=lease))
    config = admin / "config.worktree"
    excludes = admin / EXCLUDES_NAME
    if outside:
        write_durably(excludes, _ignored_by_user(git) + _exclude_lines(outside))
    write_durably(config, _worktree_settings(config, folder, excludes if outside else None), mode=0o644)
    pointers = (admin / "commondir", admin / "gitdir")  # a fenced attempt's own repository has none
    control = [worktree / ".git", *(path for path in pointers if path.exists()), config]
    rules = [
        admin / LEASE_NAME,
        admin / FILES_NAME,
        *([admin / PATTERNS_NAME] if patterns is not None else []),
        *([excludes] if outside else []),
    ]
    return seal_files(folder, [*control, *rules])


def edit_hook(run_dir: RunDir, lease: LeaseFile, admin: Path) -> str:
    """What an agent program is to run before each edit, as one line for a shell: the guard that was put beside the attempt's
    hooks, which asks neither git-waves nor the virtual environment to start."""
    guard = run_dir.hooks / lease.name / "guard.py"
    words = (
        os.path.realpath(sys.executable),
        "-I",
        "-S",
        "-B",
        str(guard),
        str(admin / LEASE_NAME),
        AGENT_HOOK,
    )
    return shlex.join(words)


def _ignored_by_user(git: Git) -> bytes:
    """What the user ignores everywhere: a worktree with a file of its own for that would know nothing of it."""
    path = git.config_path("core.excludesFile")
    if path is None:
        configured = os.environ.get("XDG_CONFIG_HOME")
        path = (Path(configured) if configured else Path.home() / ".config") / "git" / "ignore"
    try:
        content = path.read_bytes()
    except OSError:  # git passes over one that it cannot read
        return b""
    return content if content.endswith(b"\n") or not content else content + b"\n"


def _exclude_lines(paths: Sequence[RepoPath]) -> bytes:
    special = (b"\\", b"*", b"?", b"[", b" ")
    lines = []
    for path in map(os.fsencode, paths):
        for letter in special:
            path = path.replace(letter, b"\\" + letter)
        lines.append(b"/" + path + b"\n")
    return b"".join(lines)


def _worktree_settings(config: Path, hooks: Path, excludes: Path | None) -> bytes:
    kept = config.read_bytes().split(_BEGIN)[0] if config.is_file() else b""
    if kept and not kept.endswith(b"\n"):
        kept += b"\n"
    ours = b"[core]\n\thooksPath = " + _quoted(hooks) + b"\n"
    if excludes is not None:
        ours += b"\texcludesFile = " + _quoted(excludes) + b"\n"
    return kept + _BEGIN + ours + _SETTINGS


def _quoted(path: Path) -> bytes:
    """A path as a value in git's configuration."""
    escaped = os.fsencode(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + escaped + b'"'


def _hooks_in(folder: Path | None) -> list[str]:
    if folder is None:
        return []
    found = (path for path in folder.iterdir() if path.is_file() and os.access(path, os.X_OK))
    return [path.name for path in found if path.name.replace("-", "").isalnum()]  # no `pre-commit.sample`


def _write_hooks(folder: Path, names: set[str], settings: bytes) -> None:
    source = hooks_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    dispatch = (source / "dispatch.sh").read_bytes()
    contents: Mapping[str, tuple[bytes, int]] = {
        "guard.py": ((source / "guard.py").read_bytes(), 0o600),
        "settings.sh": (settings, 0o600),
        **dict.fromkeys(sorted(names), (dispatch, 0o700)),
    }
    for path in folder.iterdir():
        if path.name not in contents:  # of an earlier installation
            path.unlink()
    for name, (content, mode) in contents.items():
        write_durably(folder / name, content, mode=mode)
    for name in names:
        _await_writers(folder / name)


def _await_writers(path: Path) -> None:
    """Wait until nobody has the file open for writing, for such a file cannot be executed (ETXTBSY).

    We have closed it, but a process that another thread is just starting has a copy of our descriptor between its fork and
    its exec. A read lease is refused by the same count of writers; where there are no leases we go on.
    """
    if not hasattr(fcntl, "F_SETLEASE"):
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)  # SIGIO, to break a lease, would end us
        for _ in range(_PATIENCE):
            try:
                fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            except BlockingIOError:
                time.sleep(0.01)
            else:
                fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
                return
    except OSError:  # a file system without leases
        return
    finally:
        os.close(descriptor)


def _settings_script(*, admin: Path, theirs: Path | None, lease: LeaseFile) -> bytes:
    values = {
        "lease": str(admin / LEASE_NAME),
        "files": str(admin / FILES_NAME),
        "patterns": str(admin / PATTERNS_NAME),
        "user": str(theirs) if theirs is not None else "",
        # Not the virtual environment's: it may go, and it starts slower. The guard needs the standard library only.
        "python": os.path.realpath(sys.executable),
        "branch": lease.branch,
        "base": lease.base,
        "integration": lease.integration,
    }
    lines = (f"_waves_{name}='" + value.replace("'", "'\\''") + "'\n" for name, value in values.items())
    return os.fsencode("".join(lines))
