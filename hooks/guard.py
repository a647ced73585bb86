"""Decides whether a hook of a task worktree must refuse, and explains it: who owns what, and the way out.

Run as `python -I -S -B guard.py LEASE HOOK [ARGUMENT ...]`, only when `dispatch.sh` could not prove that all is owned.
Standard library only and nothing of ours, so that it starts fast and outlives an upgrade. It reads the lease and asks
git; it never writes, waits or calls the network. Exit 0 allows, 1 refuses; a bug of ours refuses too, in one line.

As `agent-hook` it is the pre-tool hook of an agent program, which asks before each edit with JSON on standard input: 2 refuses,
and a bug of ours lets the edit pass, since the fence decides about it anyway.

An agent waits for this at every refusal, and `json`, `re`, `shlex` or `typing` would double the time to start, since all
bring in `re` and `enum`: what they do is done without them, or they are imported where they are seldom needed.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Entry = tuple[bytes, str]
"""A changed path as git's bytes, and its new mode (`000000` when it is gone)."""

GITLINK = "160000"
MOST_SHOWN = 20
_RAW = ("-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=none", "--no-relative")
_OWN_TO_EACH_WORKTREE = ("refs/worktree/", "refs/bisect/", "refs/rewritten/")
_HEX = frozenset("0123456789abcdef")
_REF_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ_")  # of HEAD, ORIG_HEAD and the like
_PLAIN_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@%+=:,./-_")
_SHELL_NAMES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\", "'": "\\'"}


class GitError(Exception):
    """A git command that had to work did not."""


class Refusal:
    """The hook must refuse: what is wrong in one line, more lines, and what to type next."""

    def __init__(self, problem: str, details: tuple[str, ...] = (), hints: tuple[str, ...] = ()) -> None:
        self.problem = problem
        self.details = details
        self.hints = hints


class Rules:
    """What a task owns. The same three kinds, matched in the same way, as `core/ownership` does."""

    def __init__(self, written: dict[str, list[str]]) -> None:
        self.files = frozenset(written.get("files", ()))
        self.dirs = tuple(written.get("dirs", ()))
        self.globs = tuple(written.get("globs", ()))

    def own(self, path: bytes) -> bool:
        """Whether the path is owned, letter for letter."""
        text = _text(path)
        if text in self.files or text.startswith(self.dirs):
            return True
        if not self.globs:
            return False
        import re

        return any(re.fullmatch(glob, text) for glob in self.globs)

    def allow(self, entry: Entry) -> bool:
        """Whether the change may be made: a repository inside the repository needs an owner of exactly that path."""
        path, mode = entry
        return _text(path) in self.files if mode == GITLINK else self.own(path)


class Lease:
    """What `waves-lease.json` says about this worktree."""

    def __init__(self, path: str) -> None:
        written = _read_json(path)
        self.path = path
        self.task: str = written["task"]
        self.branch: str = written["branch"]
        self.base: str = written["base"]
        self.integration: str = written["integration"]
        self.manifest: str = written["manifest"]
        self.hints: list[str] = written["hints"]
        self.rules = Rules(written["rules"])

    @property
    def short_branch(self) -> str:
        """The branch as people type it."""
        return self.branch.removeprefix("refs/heads/")


class _AsWritten:
    """What `json.decoder` would tell its scanner: nothing special."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float = parse_constant = float
    parse_int = int

    def __init__(self) -> None:
        self.memo: dict[str, str] = {}


def _read_json(path: str) -> Any:
    with open(path, "rb") as file:
        return _from_json(file.read().decode().strip())


def _from_json(text: str) -> Any:
    try:
        from _json import make_scanner  # the C half of `json`, without the imports of the other

        value, end = make_scanner(_AsWritten())(text, 0)  # type: ignore[arg-type]  # typeshed names another class
        if end == len(text):
            return value
    except Exception:  # not this Python's, or not JSON: then `json` says it best
        pass
    import json

    return json.loads(text)


# ---------------------------------------------------------------------- texts


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def shown(text: str) -> str:
    """The text without anything a terminal would act on; bytes that are no UTF-8 as `\\xff`."""
    return "".join(letter if letter.isprintable() else _escaped(letter) for letter in text)


def _escaped(letter: str) -> str:
    code = ord(letter)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return _SHELL_NAMES.get(letter) or (
        f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    )


def typed(text: str) -> str:
    """The text as one word to type in bash, zsh or ksh."""
    if text and _PLAIN_LETTERS.issuperset(text):
        return text
    if text.isprintable():
        return "'" + text.replace("'", "'\"'\"'") + "'"
    return "$'" + "".join(_SHELL_NAMES.get(c) or (c if c.isprintable() else _bytes_of(c)) for c in text) + "'"


def _bytes_of(letter: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in letter.encode("utf-8", "surrogateescape"))


def _pathspec(text: str) -> str:
    is_plain = not os.environ.get("GIT_PREFIX") and not text.startswith(":") and not set(text) & set("*?[\\")
    return typed(text if is_plain else ":(top,literal)" + text)


def _report(refusal: Refusal) -> None:
    lines = [f"error: refused by git-waves: {refusal.problem}"]
    lines += [f"error: {line}" for line in refusal.details[:MOST_SHOWN]]
    if len(refusal.details) > MOST_SHOWN:
        lines.append(f"error: and {len(refusal.details) - MOST_SHOWN} more")
    lines += [f"hint: {line}" for line in refusal.hints]
    message = "".join(shown(line) + "\n" for line in lines).encode("utf-8", "backslashreplace")
    while message:
        message = message[os.write(2, message) :]


# ---------------------------------------------------------------------- git


def _git(*arguments: str) -> tuple[int, bytes]:
    # posix_spawn instead of subprocess: importing that costs as much as starting Python (performance-measured section 2)
    read_end, write_end = os.pipe()
    nothing = os.open(os.devnull, os.O_RDWR)
    actions = [
        (os.POSIX_SPAWN_DUP2, nothing, 0),
        (os.POSIX_SPAWN_DUP2, write_end, 1),
        (os.POSIX_SPAWN_DUP2, nothing, 2),
    ]
    environment = {**os.environ, "LC_ALL": "C", "GIT_NO_REPLACE_OBJECTS": "1", "GIT_OPTIONAL_LOCKS": "0"}
    pid = os.posix_spawnp("git", ["git", *arguments], environment, file_actions=actions)
    os.close(write_end)
    os.close(nothing)
    with os.fdopen(read_end, "rb") as pipe:
        output = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), output


def _ask(*arguments: str) -> bytes:
    code, output = _git(*arguments)
    if code != 0:
        raise GitError(f"git {arguments[0]} failed ({code})")
    return output


def _entries(*arguments: str) -> list[Entry]:
    fields = _ask(*arguments, "--").split(b"\0")
    return [
        (path, meta.split(b" ")[1].decode()) for meta, path in zip(fields[0::2], fields[1::2], strict=False)
    ]


def _staged(point: str) -> list[Entry]:
    return _entries("diff-index", "--cached", *_RAW, "--ita-invisible-in-index", point)


def _between(old: str, new: str) -> list[Entry]:
    return _entries("diff-tree", *_RAW, old, new)


def _is_id(text: str) -> bool:
    return len(text) in (40, 64) and _HEX.issuperset(text)


def _is_ancestor(old: str, new: str) -> bool:
    return _git("merge-base", "--is-ancestor", old, new)[0] == 0


# ---------------------------------------------------------------------- decisions


def check_index(lease: Lease) -> Refusal | None:
    """Refuse a commit whose index changes foreign paths.

    A merge with something that is on the integration ref brings in what other tasks did, rightly; such a merge is
    compared with what it merges, as the fence will do.
    """
    points = [merged for merged in _merge_heads() if _is_ancestor(merged, lease.integration)] or ["HEAD"]
    undo = "git restore --staged"
    try:
        staged = [_staged(point) for point in points]
    except GitError:
        if _git("rev-parse", "--verify", "--quiet", "HEAD")[0] == 0:
            raise
        staged = [_staged(_ask("hash-object", "-t", "tree", "/dev/null").decode().strip())]  # no commit yet
        undo = "git rm --cached"
    if points != ["HEAD"]:
        undo += f" --source={points[0][:12]}"
    foreign = _foreign_under_all(lease.rules, staged)
    return _foreign_paths(lease, foreign, undo) if foreign else None


def _merge_heads() -> list[str]:
    """What is being merged. `git merge` writes MERGE_HEAD after pre-merge-commit, but names the heads in `GITHEAD_*`."""
    heads = [name[8:] for name in os.environ if name.startswith("GITHEAD_") and _is_id(name[8:])]
    try:
        with open(os.path.join(os.environ.get("GIT_DIR", ".git"), "MERGE_HEAD"), encoding="ascii") as file:
            heads += file.read().split()
    except (FileNotFoundError, NotADirectoryError):
        pass
    return heads


def check_tip(lease: Lease, tip: str) -> Refusal | None:
    """Refuse a new tip of the task's branch that lost the base, or changes foreign paths.

    It is compared with its best common ancestor with the integration ref as it is now and the base (a later round of a
    group is cut from a candidate that the integration ref has not reached), as the fence will do, so what came from
    there by merge or rebase is not foreign. With several best ancestors a path is foreign when it differs from all.
    """
    if not _is_ancestor(lease.base, tip):
        return Refusal(
            f"{tip[:12]} does not contain {lease.base[:12]}, which task '{lease.task}' was cut from",
            hints=(f"find the way back: git reflog {typed(lease.short_branch)}",),
        )
    code, found = _git("merge-base", "--all", tip, lease.integration, lease.base)
    points = found.decode().split() if code == 0 else [lease.base]
    foreign = _foreign_under_all(lease.rules, [_between(point, tip) for point in points])
    return (
        _foreign_paths(lease, foreign, f"git restore --staged --source={points[0][:12]}") if foreign else None
    )


def _foreign_under_all(rules: Rules, diffs: list[list[Entry]]) -> list[Entry]:
    foreign = [{entry for entry in diff if not rules.allow(entry)} for diff in diffs]
    return sorted(set.intersection(*foreign))


def check_refs(lease: Lease, lines: bytes) -> Refusal | None:
    """Refuse a ref transaction that moves anything but the worktree's own refs and the task's own branch."""
    for line in filter(None, _text(lines).split("\n")):
        _, new, ref = line.split(" ", 2)
        if ref.startswith(_OWN_TO_EACH_WORKTREE) or _REF_LETTERS.issuperset(ref):
            continue
        refusal = _check_own_branch(lease, new) if ref == lease.branch else _foreign_ref(lease, ref)
        if refusal is not None:
            return refusal
    return None


def _check_own_branch(lease: Lease, new: str) -> Refusal | None:
    if not new.strip("0"):  # 40 zeros, or 64
        return Refusal(
            f"branch '{lease.short_branch}' of task '{lease.task}' cannot be deleted or packed from its worktree",
            hints=("leave it: 'git waves clean' removes it when it is merged",),
        )
    if not _is_id(new):
        return Refusal(f"branch '{lease.short_branch}' cannot become '{new}'", hints=_own_branch(lease))
    return check_tip(lease, new)


def _foreign_ref(lease: Lease, ref: str) -> Refusal:
    if ref == "refs/stash":
        return Refusal(
            "all worktrees share one stash, a sibling would pop yours",
            hints=(f"commit to '{lease.short_branch}' instead: git commit -m 'work in progress'",),
        )
    if ref == lease.integration or ref.startswith("refs/waves/"):
        return Refusal(f"only the coordinator moves '{ref}'", hints=_own_branch(lease))
    kind = "branch" if ref.startswith("refs/heads/") else "tag" if ref.startswith("refs/tags/") else "ref"
    name = ref.removeprefix("refs/heads/").removeprefix("refs/tags/")
    return Refusal(f"{kind} '{name}' does not belong to task '{lease.task}'", hints=_own_branch(lease))


def _own_branch(lease: Lease) -> tuple[str, ...]:
    return (f"work on the task's own branch: git switch {typed(lease.short_branch)}",)


def refuse_push(lease: Lease) -> Refusal:
    """Refuse every push: what is pushed is not proved, and the coordinator publishes what is."""
    return Refusal(
        f"task '{lease.task}' does not push",
        hints=(f"commit to '{lease.short_branch}'; it is merged from there when the task is done",),
    )


def _foreign_paths(lease: Lease, foreign: list[Entry], undo: str) -> Refusal:
    texts = [_text(path) for path, _ in foreign]
    everybody = _everybody(lease)
    details: list[str] = []
    for path, _ in foreign:
        owners = [name for name, rules in everybody if rules.own(path)] if len(details) < MOST_SHOWN else []
        if lease.rules.own(path):
            details.append(
                f"'{_text(path)}' is a repository of its own, which no task may add that does not list it"
            )
        elif everybody:
            details.append(f"'{_text(path)}' belongs to {' and '.join(owners) or 'no task'}")
        else:
            details.append(f"'{_text(path)}' does not belong to task '{lease.task}'")
    count = f"{len(texts)} path{'s' * (len(texts) != 1)} not owned by task '{lease.task}'"
    some = " ".join(_pathspec(text) for text in texts[:MOST_SHOWN])
    return Refusal(
        count,
        tuple(details),
        (
            f"take {'them' if len(texts) > 1 else 'it'} out of the commit: {undo} -- {some}",
            f"or ask for {'each' if len(texts) > 1 else 'it'}: git waves request {typed(texts[0])} --reason '...'",
            *lease.hints,
        ),
    )


def _everybody(lease: Lease) -> list[tuple[str, Rules]]:
    """Every task of the run and its rules, for naming owners; empty when the manifest cannot be read."""
    try:
        tasks = _read_json(lease.manifest)["tasks"]
        return [(f"task '{task}'", Rules(claims["rules"])) for task, claims in tasks.items()]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []  # the refusal itself rests on the lease


# ---------------------------------------------------------------------- before an edit

AGENT_HOOK = "agent-hook"
# How agent programs call what edits a file: Claude Code and Qwen Code; Gemini CLI; Codex; opencode; Copilot CLI.
_EDITORS = frozenset(
    [
        "Write",
        "Edit",
        "MultiEdit",
        "NotebookEdit",
        "write_file",
        "replace",
        "edit",
        "apply_patch",
        "write",
        "patch",
        "multiedit",
        "create",
        "str_replace",
        "str_replace_editor",
    ]
)
_PATHS = ("file_path", "notebook_path", "filePath", "path", "absolute_path")
_PATCHES = ("command", "input", "patch", "patchText")
_IN_PATCH = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")


def check_edit(lease: Lease, asked: Any) -> Refusal | None:
    """Refuse an edit of a path that the task does not own; what no commit could take in (ignored, elsewhere) may be edited."""
    if asked.get("tool_name") not in _EDITORS:
        return None
    folder = asked.get("cwd") or os.getcwd()
    root = _root(lease, folder)
    for written in _edited(asked.get("tool_input") or {}):
        refusal = _check_path(lease, root, os.path.join(folder, written))
        if refusal is not None:
            return refusal
    return None


def _edited(given: Any) -> list[str]:
    """The paths that a tool is about to write, as it was given them."""
    paths = [given[key] for key in _PATHS if isinstance(given.get(key), str)]
    for key in _PATCHES:
        text = given.get(key)
        if isinstance(text, list):  # a command line: its last word is the patch
            text = text[-1] if text else ""
        if isinstance(text, str) and "*** " in text:
            lines = text.splitlines()
            paths += [
                line[len(mark) :].strip() for line in lines for mark in _IN_PATCH if line.startswith(mark)
            ]
    return paths


def _check_path(lease: Lease, root: str, path: str) -> Refusal | None:
    place = os.path.realpath(path)
    if place == root or not place.startswith(root + os.sep):
        return _check_outside(lease, root, place)
    inside = os.path.relpath(place, root)
    if lease.rules.own(os.fsencode(inside)):
        return None
    if _git("-C", root, "check-ignore", "-q", "--", inside)[0] == 0:
        return None  # no commit takes it in
    owners = [name for name, rules in _everybody(lease) if rules.own(os.fsencode(inside))]
    return Refusal(
        f"'{inside}' belongs to {' and '.join(owners) or 'no task'}, not to task '{lease.task}'",
        hints=(
            f"do not change it, and do not work around it: git waves request {typed(inside)} --reason 'WHY', then end your work",
            "what you may change: git waves owned",
            *lease.hints,
        ),
    )


def _check_outside(lease: Lease, root: str, place: str) -> Refusal | None:
    """Other places may be edited, but no other checkout of this repository: the user's own, and those of other tasks."""
    for other in (_main_work_tree(lease), os.path.dirname(root)):
        if other and place.startswith(other + os.sep):
            there = os.path.relpath(place, other)
            mine = f"; yours is '{os.path.join(root, there)}'" if lease.rules.own(os.fsencode(there)) else ""
            return Refusal(
                f"'{place}' is not in the worktree of task '{lease.task}'{mine}",
                hints=(f"work below '{root}' only",),
            )
    return None


def _root(lease: Lease, folder: str) -> str:
    """The top of the task's worktree, as its administrative folder says it; a fenced task's repository knows none."""
    try:
        with open(os.path.join(os.path.dirname(lease.path), "gitdir"), "rb") as file:
            return os.path.realpath(os.path.dirname(os.fsdecode(file.read().rstrip(b"\n"))))
    except FileNotFoundError:
        return os.path.realpath(os.fsdecode(_ask("-C", folder, "rev-parse", "--show-toplevel").rstrip(b"\n")))


def _main_work_tree(lease: Lease) -> str:
    """The user's own checkout, as the lease's place says it; empty when the repository is bare."""
    place = os.path.realpath(lease.path)
    while place != os.path.dirname(place):
        place = os.path.dirname(place)
        if os.path.basename(place) == ".git":
            return os.path.dirname(place)
    return ""


def decide(lease: Lease, hook: str) -> Refusal | None:
    """What this hook must refuse; None when it may pass. Reads standard input where the hook has one."""
    if hook == "reference-transaction":
        return check_refs(lease, sys.stdin.buffer.read())
    if hook == "pre-push":
        return refuse_push(lease)
    if hook == AGENT_HOOK:
        return check_edit(lease, _from_json(sys.stdin.buffer.read().decode().strip()))
    return check_index(lease)


def main(arguments: list[str]) -> int:
    """Decide for one hook and say why not; the exit code git, or an agent program, is to see."""
    hook = ""
    try:
        lease_path, hook = arguments[1:3]
        refusal = decide(Lease(lease_path), hook)
    except Exception as bug:
        refusal = Refusal(
            f"the ownership guard failed: {type(bug).__name__}: {bug}",
            hints=("a new worktree is made by: git waves retry TASK",),
        )
        hook = ""
    if refusal is None:
        return 0
    _report(refusal)
    return 2 if hook == AGENT_HOOK else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
