"""The one door to the git program: typed verbs over a single private method.

Every call is sealed (inherited `GIT_*` removed, C locale, no prompt, no editor, no pager, no background maintenance,
no hooks, no fsmonitor) and names the exit codes it expects. Output is NUL-separated or porcelain, never sentences.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from git_waves.adapters.durable import ObjectFolders, sync_names, sync_path, sync_recent_files
from git_waves.core.model import Oid, RepoPath
from git_waves.errors import SurroundingsError

MINIMUM_VERSION = (2, 38)  # `merge-tree --write-tree`: merges without a checkout
_LONGEST_STORY = 4000  # letters of git's words that are kept: it may warn about every file there is

# Settings that hold for every call. The user's hooks are for the commits people and agents make (they run in the task
# worktrees); our bookkeeping moves refs that are ours alone. fsmonitor, external diffs and `ext::` could start programs
# named by the repository (reliability R5). core.fsync: what we announce as durable was synced.
_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.fsync=committed",
    "core.quotePath=false",
    "core.splitIndex=false",  # a copy of half an index is no index
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.ext.allow=never",
    "merge.directoryRenames=false",
    "core.filesRefLockTimeout=5000",
    "core.packedRefsTimeout=5000",
    "reftable.lockTimeout=10000",
)
_KEPT_GIT_VARIABLES = frozenset(
    {
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_SYSTEM",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_EXEC_PATH",
        "GIT_CEILING_DIRECTORIES",
        "GIT_CONFIG_PARAMETERS",  # `git -c key=value waves …`: what a person said on the command line
        "GIT_CONFIG_COUNT",
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_AUTHOR_NAME",
        "GIT_AUTHOR_EMAIL",
        "GIT_AUTHOR_DATE",
        "GIT_COMMITTER_NAME",
        "GIT_COMMITTER_EMAIL",
        "GIT_COMMITTER_DATE",
    }
)

# Objects that a partial clone lacks are fetched when they are looked at, by programs that the repository's own
# configuration names (`remote.*.uploadpack`, `core.sshCommand`). Reading a plan executes nothing (P7), so the verbs that
# serve it fail instead. The first variable is git's own word for that, since 2.39.4 and 2.45.1; to an older git, the
# second one says it: no protocol is allowed.
_NOTHING_FETCHED = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": ""}
_DEEPEST = 15  # folders of a path whose ignore rule git is asked for
_PIECE = 1 << 16  # bytes read at once from a stream of git's


class GitError(SurroundingsError):
    """Git ended with an exit code that the caller did not expect."""

    def __init__(self, argv: Sequence[str], code: int, stderr: str) -> None:
        self.code = code
        self.stderr = stderr.strip()[-_LONGEST_STORY:]  # what git died of comes last
        command = next((word for word in argv if not word.startswith("-") and word != "git"), "git")
        super().__init__(f"git {command} failed ({code}): {self.stderr or 'no message'}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One path that differs between two trees. Modes are git's octal texts; `000000` stands for absent."""

    path: RepoPath
    status: str
    old_mode: str
    new_mode: str
    old: Oid
    new: Oid


@dataclass(frozen=True, slots=True, kw_only=True)
class IgnoredPath:
    """A path that git would not add, and the line that says so: `pattern` in line `line` of `source`; empty when git
    cannot be asked for it."""

    path: RepoPath
    source: str
    line: int
    pattern: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedTree:
    """A merge without conflict."""

    tree: Oid


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeConflict:
    """A merge that git would stop at. `messages` are git's own informational lines."""

    paths: tuple[RepoPath, ...]
    messages: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HookVerdict:
    """What a hook of the repository says to something that was only tried; `message` is all that was printed."""

    accepts: bool
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a command was typed: absolute folders; `work_tree` is None in a bare repository or inside `.git`."""

    common_dir: Path
    git_dir: Path
    work_tree: Path | None
    is_bare: bool


def version() -> tuple[int, ...]:
    """The version of the git program, as numbers (`(2, 39, 5)`)."""
    try:
        done = subprocess.run(["git", "version"], capture_output=True, text=True, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError) as missing:
        raise SurroundingsError(
            "cannot find the program 'git'", hint="install git 2.38 or newer"
        ) from missing
    words = done.stdout.split()[2].split(".")
    return tuple(int(word) for word in words if word.isdigit())


def discover(folder: Path) -> Place | None:
    """The repository around `folder`, the way git finds it (`GIT_DIR` and `-C` included); None when there is none.

    Only ever called for the folder a person or an agent typed the command in (reliability R5).
    """

    def ask(*words: str) -> list[str] | None:
        argv = ["git", "-c", "core.fsmonitor=false", "rev-parse", "--path-format=absolute", *words]
        try:
            done = subprocess.run(argv, cwd=folder, capture_output=True, check=False)
        except FileNotFoundError as missing:
            raise SurroundingsError(
                "cannot find the program 'git'", hint="install git 2.38 or newer"
            ) from missing
        return os.fsdecode(done.stdout).splitlines() if done.returncode == 0 else None

    found = ask("--git-common-dir", "--git-dir", "--is-bare-repository")
    if found is None:
        return None
    top = ask("--show-toplevel")
    return Place(
        common_dir=Path(found[0]),
        git_dir=Path(found[1]),
        work_tree=Path(top[0]) if top else None,
        is_bare=found[2] == "true",
    )


def clean_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Our environment without the repository-pointing `GIT_*` variables a hook or alias may have left in it."""
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith("GIT_")
        or key in _KEPT_GIT_VARIABLES
        or key.startswith(("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"))
    }
    environment.update(extra or {})
    return environment


def _decode(raw: bytes) -> RepoPath:
    return RepoPath(os.fsdecode(raw))


class Git:
    """Git in one repository, addressed by its common directory, never by discovery in a folder an agent can write.

    `work_tree`, when given, is the folder commands that need one run in. `objects` is a quarantine: objects are written
    there and nowhere else, and read from the repository as well.
    """

    def __init__(self, git_dir: Path, *, work_tree: Path | None = None, objects: Path | None = None) -> None:
        self.git_dir = git_dir
        self.work_tree = work_tree
        self._objects = objects
        self._is_signing: bool | None = None
        self._object_folders = ObjectFolders(git_dir / "objects")

    # ------------------------------------------------------------------ the door

    def _run(
        self,
        *arguments: str,
        stdin: bytes | None = None,
        source: int | None = None,
        sink: int | None = None,
        ok: tuple[int, ...] = (0,),
        environment: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        replace_objects: bool = False,
        hooks: bool = False,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run git to its end. `source` and `sink` are open files in the place of the texts."""
        feed: dict[str, Any] = {"input": stdin or b""} if source is None else {"stdin": source}
        argv = self._command(arguments, hooks=hooks)
        sealed = self._sealed(environment, replace_objects=replace_objects)
        if hooks:  # as an agent's git would meet them: what `git -c` said to us is not handed down
            sealed.pop("GIT_CONFIG_PARAMETERS", None)
        try:
            done = subprocess.run(
                argv,
                **feed,
                stdout=subprocess.PIPE if sink is None else sink,
                stderr=subprocess.PIPE,
                check=False,
                env=sealed,
                cwd=cwd or self.work_tree or self.git_dir,
                start_new_session=True,  # Ctrl-C is for us: half a git command is no way to stop
            )
        except (FileNotFoundError, NotADirectoryError) as missing:
            if missing.filename != "git":
                raise SurroundingsError(f"the folder '{missing.filename}' is gone") from missing
            raise SurroundingsError(
                "cannot find the program 'git'", hint="install git 2.38 or newer"
            ) from missing
        if done.returncode not in ok:
            raise GitError(arguments, done.returncode, done.stderr.decode(errors="backslashreplace"))
        return done

    def _command(self, arguments: Sequence[str], *, hooks: bool = False) -> list[str]:
        argv = ["git", f"--git-dir={self.git_dir}"]
        if self.work_tree is not None:
            argv.append(f"--work-tree={self.work_tree}")
        for setting in _SETTINGS:
            if not (hooks and setting.startswith("core.hooksPath=")):
                argv += ["-c", setting]
        return [*argv, *arguments]

    def _sealed(
        self, environment: Mapping[str, str] | None = None, *, replace_objects: bool = False
    ) -> dict[str, str]:
        sealed = clean_environment(
            {
                "LC_ALL": "C",
                "GIT_TERMINAL_PROMPT": "0",
                "GIT_EDITOR": ":",
                "GIT_PAGER": "cat",
                "GIT_OPTIONAL_LOCKS": "0",
                "GIT_LITERAL_PATHSPECS": "1",
            }
        )
        if not replace_objects:
            sealed["GIT_NO_REPLACE_OBJECTS"] = "1"
        if self._objects is not None:
            sealed["GIT_OBJECT_DIRECTORY"] = str(self._objects)
            sealed["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = _as_alternate(self.git_dir / "objects")
        sealed.update(environment or {})
        return sealed

    def _text(self, *arguments: str, ok: tuple[int, ...] = (0,)) -> str:
        return os.fsdecode(self._run(*arguments, ok=ok).stdout).rstrip("\n")

    # ------------------------------------------------------------------ reading

    def resolve(self, name: str, *, kind: str = "commit") -> Oid | None:
        """The object id `name` stands for, peeled to `kind`; None when there is none. Fetches nothing: plans name bases."""
        done = self._run(
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            f"{name}^{{{kind}}}",
            ok=(0, 1, 128),
            environment=_NOTHING_FETCHED,
        )
        return Oid(done.stdout.decode().strip()) if done.returncode == 0 else None

    def ref(self, name: str) -> Oid | None:
        """The id a full ref name points to right now, unpeeled; None when it does not exist."""
        done = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", name, ok=(0, 1, 128))
        return Oid(done.stdout.decode().strip()) if done.returncode == 0 else None

    def refs(self, *prefixes: str) -> dict[str, Oid]:
        """Every ref below the given prefixes (`refs/waves/`), unpeeled."""
        done = self._run("for-each-ref", "--format=%(objectname) %(refname)", *prefixes)
        pairs = (line.split(" ", 1) for line in os.fsdecode(done.stdout).splitlines())
        return {name: Oid(oid) for oid, name in pairs}

    def symbolic_head(self) -> str | None:
        """The full name of the branch HEAD points to (born or not); None when HEAD is detached."""
        return self.symbolic_ref("HEAD")

    def symbolic_ref(self, name: str) -> str | None:
        """The full name of the ref that this one stands for; None when it is no symbolic one, or not there."""
        done = self._run("symbolic-ref", "--quiet", name, ok=(0, 1))
        return os.fsdecode(done.stdout).strip() or None

    def is_ancestor(self, old: Oid, new: Oid) -> bool:
        """Whether `old` is reachable from `new` (a commit is its own ancestor)."""
        return self._run("merge-base", "--is-ancestor", old, new, ok=(0, 1)).returncode == 0

    def merge_bases(self, one: Oid, two: Oid) -> tuple[Oid, ...]:
        """Every best common ancestor; empty for unrelated histories."""
        done = self._run("merge-base", "--all", one, two, ok=(0, 1))
        return tuple(Oid(line) for line in done.stdout.decode().split())

    def tree_of(self, commit: Oid) -> Oid:
        """The tree id of a commit."""
        return Oid(self._text("rev-parse", "--verify", "--end-of-options", f"{commit}^{{tree}}"))

    def parents(self, commit: Oid) -> tuple[Oid, ...]:
        """The parents of a commit, first parent first."""
        words = self._text("rev-list", "--parents", "--max-count=1", commit).split()
        return tuple(Oid(word) for word in words[1:])

    def message(self, commit: Oid) -> str:
        """The whole message of a commit."""
        return self._text("log", "--max-count=1", "--format=%B", commit)

    def committed_at(self, commit: Oid) -> str:
        """When a commit was made, ISO 8601 with the committer's offset."""
        return self._text("log", "--max-count=1", "--format=%cI", commit)

    def is_branch_name(self, name: str) -> bool:
        """Whether git takes this for the short name of a branch."""
        if name.startswith("-") or name == "HEAD":
            return False
        return self._run("check-ref-format", f"refs/heads/{name}", ok=(0, 1)).returncode == 0

    def count_commits(self, base: Oid, tip: Oid) -> int:
        """How many commits `tip` has that `base` has not."""
        return int(self._text("rev-list", "--count", tip, f"^{base}"))

    def has_unpublished_commits(self) -> bool:
        """Whether some ref, or HEAD, has a commit that no remote-tracking ref has. Fetches nothing."""
        words = ("rev-list", "--max-count=1", "--all", "HEAD", "--not", "--remotes")
        return bool(self._run(*words, environment=_NOTHING_FETCHED).stdout)

    def first_parents(self, base: Oid, tip: Oid) -> tuple[Oid, ...]:
        """The first-parent chain from after `base` to `tip`, oldest first."""
        text = self._text("rev-list", "--first-parent", "--reverse", tip, f"^{base}")
        return tuple(Oid(word) for word in text.split())

    def last_change(self, revision: str, path: str) -> tuple[Oid, str] | None:
        """The last commit in the history of `revision` that changed the path, and its author's name; None when none did."""
        words = (
            "log",
            "--max-count=1",
            "--format=%H %an",
            "--no-show-signature",
            "--end-of-options",
            revision,
        )
        commit, _, author = self._text(*words, "--", path).partition(" ")
        return (Oid(commit), author) if commit else None

    def was_made_here(self, commit: Oid, how: tuple[str, ...]) -> bool:
        """Whether a reflog of this clone notes that the commit was made here, by a command whose name is one of `how`."""
        done = self._run(
            "log",
            "--walk-reflogs",
            "--format=%H %gs",
            "--no-show-signature",
            "HEAD",
            "--branches",
            ok=(0, 128),
        )
        return any(
            line.startswith(f"{commit} ") and line[len(commit) + 1 :].startswith(how)
            for line in os.fsdecode(done.stdout).splitlines()
        )

    def changes(self, old: Oid, new: Oid) -> tuple[Change, ...]:
        """Every path that differs between two trees or commits: renames as delete and add, modes and submodule
        pointers included, attributes that hide submodules ignored (git-facts section 7)."""
        done = self._run(
            "diff-tree",
            "-r",
            "--raw",
            "-z",
            "--no-renames",
            "--ignore-submodules=none",
            "--no-relative",
            "--no-abbrev",
            "--no-ext-diff",
            "--no-textconv",
            old,
            new,
            "--",
        )
        fields = done.stdout.split(b"\0")
        changes = []
        for meta, path in zip(fields[0::2], fields[1::2], strict=False):
            old_mode, new_mode, old_oid, new_oid, status = meta.decode().lstrip(":").split(" ")
            changes.append(
                Change(
                    path=_decode(path),
                    status=status,
                    old_mode=old_mode,
                    new_mode=new_mode,
                    old=Oid(old_oid),
                    new=Oid(new_oid),
                )
            )
        return tuple(changes)

    def diff_stat(self, old: Oid, new: Oid) -> str:
        """`git diff --stat` between two commits, for people."""
        return self._text("diff", "--stat=100", "--no-renames", "--no-ext-diff", "--no-color", old, new, "--")

    def write_diff(self, old: Oid, new: Oid, path: Path) -> None:
        """Write the patch between two commits to a file, for a reader: as plumbing says it, whatever the user's own `git diff`
        is set to."""
        temporary = path.with_name(
            f".{path.name}.{secrets.token_hex(8)}"
        )  # never through a link somebody laid there
        self._run(
            "diff-tree",
            "-r",
            "--patch",
            "--no-renames",
            "--no-relative",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--ignore-submodules=none",
            f"--output={temporary}",
            old,
            new,
            "--",
        )
        temporary.replace(path)

    def paths_in(self, tree: Oid) -> tuple[RepoPath, ...]:
        """Every file path of a tree."""
        done = self._run("ls-tree", "-r", "-z", "--name-only", "--full-tree", tree)
        return tuple(_decode(raw) for raw in done.stdout.split(b"\0") if raw)

    def modes_in(self, tree: Oid) -> dict[RepoPath, str]:
        """Every path of a tree or commit with its mode (`100644`, `120000` a link, `160000` a submodule). Fetches nothing."""
        # No `--format`: with it, git 2.39 quotes odd names even under -z.
        listed = self._run("ls-tree", "-r", "-z", "--full-tree", tree, environment=_NOTHING_FETCHED)
        lines = os.fsdecode(listed.stdout).split("\0")[:-1]
        return {RepoPath(path): about[:6] for about, _, path in (line.partition("\t") for line in lines)}

    def files_in(self, tree: Oid, *paths: RepoPath) -> dict[RepoPath, tuple[str, Oid]]:
        """The files of a tree or commit, those of `paths` only when there are any, each with its mode and blob."""
        done = self._run("ls-tree", "-r", "-z", "--full-tree", tree, *(["--", *paths] if paths else []))
        lines = (line.partition("\t") for line in os.fsdecode(done.stdout).split("\0")[:-1])
        return {RepoPath(path): (about[:6], Oid(about.split(" ")[2])) for about, _, path in lines}

    def small_blobs(self, commit: Oid, paths: Iterable[RepoPath], *, limit: int) -> dict[RepoPath, bytes]:
        """The contents of those of the files that have at most `limit` bytes. Paths with line ends are left out, and so
        is what a partial clone lacks: nothing is fetched."""
        names = {f"{commit}:{path}": path for path in paths if "\n" not in path}
        sizes = self._batch("--batch-check=%(objecttype) %(objectsize)", names)
        wanted = [
            name
            for name, line in zip(names, sizes.split(b"\n"), strict=False)
            if line.startswith(b"blob ") and int(line[5:]) <= limit
        ]
        data = self._batch("--batch=%(objectsize)", wanted)
        found, start = {}, 0
        for name in wanted:
            end_of_size = data.index(b"\n", start)
            end = end_of_size + 1 + int(data[start:end_of_size])
            found[names[name]] = data[end_of_size + 1 : end]
            start = end + 1
        return found

    def _batch(self, form: str, names: Iterable[str]) -> bytes:
        asked = "".join(f"{name}\n" for name in names)
        return self._run("cat-file", form, stdin=os.fsencode(asked), environment=_NOTHING_FETCHED).stdout

    def changed_paths(self, tip: Oid, *, limit: int) -> Iterator[tuple[RepoPath, ...]]:
        """What each of the newest `limit` commits below `tip` changed, merges left out, renames as delete and add.

        A stream: it may be left at any commit, and holds one piece of git's output at a time. Fetches nothing. GitError
        when an object is missing.
        """
        listing = ("rev-list", "--no-merges", f"--max-count={limit}", tip)
        # Status letters tell paths (one letter, then the path) from the ids of commits, which a path could look like.
        diffing = (
            "diff-tree",
            "--stdin",
            "--root",
            "-r",
            "-z",
            "--name-status",
            "--no-renames",
            "--no-ext-diff",
        )
        yield from _by_commit(self._piped(listing, (*diffing, "--no-textconv", "--ignore-submodules=none")))

    def _piped(self, first: Sequence[str], second: Sequence[str]) -> Iterator[bytes]:
        """The output of the second command, fed by the first, piece by piece."""
        sealed = self._sealed(_NOTHING_FETCHED)
        with tempfile.TemporaryFile() as complaints:
            feeding = subprocess.Popen(
                self._command(first), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=complaints,
                env=sealed, cwd=self.git_dir,
            )  # fmt: skip
            with feeding, subprocess.Popen(
                self._command(second), stdin=feeding.stdout, stdout=subprocess.PIPE, stderr=complaints,
                env=sealed, cwd=self.git_dir,
            ) as telling:  # fmt: skip
                assert feeding.stdout is not None and telling.stdout is not None, "both are pipes"
                feeding.stdout.close()  # so that the first command ends when the second one is gone
                try:
                    while piece := os.read(telling.stdout.fileno(), _PIECE):
                        yield piece
                except BaseException:  # the reader has seen enough, or is being ended itself
                    telling.kill()
                    feeding.kill()
                    raise
            for words, process in (
                (second, telling),
                (first, feeding),
            ):  # the first fails when the second does
                if process.returncode != 0:
                    complaints.seek(0)
                    story = complaints.read().decode(errors="backslashreplace")
                    raise GitError(words, process.returncode, story)

    def ignored(self, paths: Iterable[RepoPath]) -> tuple[IgnoredPath, ...]:
        """Those of the paths that git ignores by its rules alone, whether or not they are tracked; folders end with `/`.

        GitError when a path lies behind a symbolic link of the work tree.
        """
        found = [path.removeprefix("./") for path in self._check_ignore(paths)[:-1]]
        # Asked for the rule, git (2.39 at least) crashes on paths in two dozen folders and more; their rule stays unknown.
        told = (
            self._check_ignore((path for path in found if path.count("/") <= _DEEPEST), "-v") if found else []
        )
        rules = {
            path.removeprefix("./"): (source, line, pattern)
            for source, line, pattern, path in zip(*(told[n::4] for n in range(4)), strict=False)
        }
        return tuple(
            IgnoredPath(path=RepoPath(path), source=source, line=int(line), pattern=pattern)
            for path in found
            for source, line, pattern in (rules.get(path, ("", "0", "")),)
        )

    def _check_ignore(self, paths: Iterable[str], *options: str) -> list[str]:
        """The NUL-separated fields of the answer. The verb knows no literal pathspecs; with a folder in front nothing is
        magic, and git answers in our spelling."""
        asked = b"".join(b"./" + os.fsencode(path) + b"\0" for path in paths)
        literal = {"GIT_LITERAL_PATHSPECS": "0"}
        arguments = ("check-ignore", "-z", *options, "--no-index", "--stdin")
        return os.fsdecode(self._run(*arguments, stdin=asked, ok=(0, 1), environment=literal).stdout).split(
            "\0"
        )

    def others_matching(
        self, pattern: str | None = None, *, file: Path | None = None, whole_folders: bool = False
    ) -> tuple[RepoPath, ...]:
        """The files of the work tree that are not tracked and match a line of a `.gitignore` (`pattern`), or a `file` of such
        lines. With `whole_folders`, a folder of which everything matches is named instead, ending with `/`; files below it may
        be named too."""
        wanted = [f"--exclude={pattern}"] if pattern is not None else []
        wanted += [f"--exclude-from={file}"] if file is not None else []
        folders = ["--directory", "--no-empty-directory"] if whole_folders else []
        done = self._run("ls-files", "-z", "--others", "--ignored", *folders, *wanted)
        return tuple(_decode(raw) for raw in done.stdout.split(b"\0") if raw)

    def ignored_there(self) -> tuple[RepoPath, ...]:
        """What git ignores and lies in the work tree; a folder of which all is ignored is one name, ending with `/`."""
        done = self._run("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
        return tuple(_decode(raw) for raw in done.stdout.split(b"\0") if raw)

    def attributes(self, paths: Iterable[RepoPath], *names: str) -> dict[RepoPath, dict[str, str]]:
        """The named attributes of the paths, as the work tree's files say; only what is specified (`set`, or a value)."""
        asked = b"".join(os.fsencode(path) + b"\0" for path in paths)
        done = self._run("check-attr", "-z", "--stdin", *names, stdin=asked)
        fields = os.fsdecode(done.stdout).split("\0")
        found: dict[RepoPath, dict[str, str]] = {}
        for path, name, value in zip(*(fields[n::3] for n in range(3)), strict=False):
            if value not in ("unspecified", "unset"):
                found.setdefault(RepoPath(path), {})[name] = value
        return found

    def blob(self, name: str) -> bytes | None:
        """The content of a blob by id or `REV:PATH`; None when it does not exist or is no blob."""
        done = self._run("cat-file", "blob", name, ok=(0, 1, 128))
        return done.stdout if done.returncode == 0 else None

    def config_values(self, key: str) -> tuple[str, ...]:
        """Every value of a key, last one wins; empty when it is not set."""
        done = self._run("config", "-z", "--get-all", key, ok=(0, 1))
        return tuple(os.fsdecode(raw) for raw in done.stdout.split(b"\0")[:-1])

    def settings(self, section: str) -> dict[str, str]:
        """Every `section.*` setting, the last one of a key wins; keys in lower case, as git compares them. A key without
        a value is `true` to git."""
        done = self._run("config", "-z", "--get-regexp", rf"^{section}\.", ok=(0, 1))
        pairs = (os.fsdecode(raw).partition("\n") for raw in done.stdout.split(b"\0")[:-1])
        return {key: value if mark else "true" for key, mark, value in pairs}

    def config_path(self, key: str) -> Path | None:
        """A path setting with `~` expanded by git; None when it is not set."""
        done = self._run("config", "-z", "--type=path", "--get", key, ok=(0, 1))
        raw = done.stdout.rstrip(b"\0")
        return Path(os.fsdecode(raw)) if raw else None

    def config_scoped(self, key: str, *, is_path: bool = False) -> tuple[tuple[str, str], ...]:
        """Every (scope, value) of a key in git's order: system, global, local, worktree, command. `~` in a path is
        expanded by git."""
        kind = ["--type=path"] if is_path else []
        done = self._run("config", "--show-scope", "-z", *kind, "--get-all", key, ok=(0, 1))
        fields = [os.fsdecode(raw) for raw in done.stdout.split(b"\0")[:-1]]
        return tuple(zip(fields[0::2], fields[1::2], strict=True))

    def file_config(self, file: Path, key: str, *, kind: str | None = None) -> str | None:
        """The value of a key in this one file, includes not followed; `kind` as in `git config --type`."""
        typed = [f"--type={kind}"] if kind else []
        done = self._run("config", f"--file={file}", "-z", *typed, "--get", key, ok=(0, 1))
        return os.fsdecode(done.stdout[:-1]) if done.returncode == 0 else None

    def edit_config(self, file: Path, changes: Mapping[str, str | None]) -> None:
        """Set the keys in this one file, or remove those whose value is None; a key that is not there is no error."""
        for key, value in changes.items():
            if value is None:
                self._run("config", f"--file={file}", "--unset-all", key, ok=(0, 5))
            else:
                self._run("config", f"--file={file}", key, value)

    def has_filter_lfs(self) -> bool:
        """Whether git-lfs is set up for this user or repository."""
        return self._run("config", "--get-regexp", r"^filter\.lfs\.", ok=(0, 1)).returncode == 0

    def worktrees(self) -> tuple[dict[str, str], ...]:
        """`git worktree list --porcelain -z`, one mapping a worktree; flags without a value map to the empty text."""
        done = self._run("worktree", "list", "--porcelain", "-z")
        entries: list[dict[str, str]] = []
        current: dict[str, str] = {}
        for raw in done.stdout.split(b"\0"):
            if not raw:
                if current:
                    entries.append(current)
                current = {}
                continue
            key, _, value = os.fsdecode(raw).partition(" ")
            current[key] = value
        return tuple(entries)

    # ------------------------------------------------------------------ remotes

    def remotes(self) -> tuple[str, ...]:
        """The names of the remotes, sorted."""
        return tuple(line for line in self._text("remote").split("\n") if line)

    def remote_address(self, name: str) -> str:
        """Where a remote is pushed to, `insteadOf` rules applied."""
        return self._text("remote", "get-url", "--push", name)

    def push(self, remote: str, refspec: str, *, folder: Path) -> None:
        """Push one refspec, never by force, with the user's own pre-push hook (git-lfs uploads there), from `folder`: the hook
        runs in it, and a remote like `../other.git` is looked for from there. It asks for nothing: what needs a password that
        no helper knows fails. SurroundingsError in git's own words."""
        patience = ("-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=60")
        try:
            self._run(*patience, "push", "--quiet", remote, refspec, hooks=True, cwd=folder)
        except GitError as error:
            raise SurroundingsError(
                f"git could not push to '{remote}': {error.stderr or 'no message'}",
                hint=f"see whether this works: git push {remote} {refspec}",
            ) from error

    # ------------------------------------------------------------------ writing objects

    def blob_id(self, content: bytes) -> Oid:
        """The id a blob of this content has, without writing it."""
        return Oid(self._run("hash-object", "--stdin", stdin=content).stdout.decode().strip())

    def hash_blob(self, content: bytes) -> Oid:
        """Write a blob and return its id."""
        return Oid(self._run("hash-object", "-w", "--stdin", stdin=content).stdout.decode().strip())

    def hash_file(self, descriptor: int) -> Oid:
        """Write what an open file holds from its start as a blob, byte for byte: no filter, no end of line is changed."""
        done = self._run("hash-object", "-w", "--no-filters", "--stdin", source=descriptor)
        return Oid(done.stdout.decode().strip())

    def copy_blob(self, blob: Oid, descriptor: int) -> None:
        """Write a blob's content into an open file, byte for byte."""
        self._run("cat-file", "blob", blob, sink=descriptor)

    def commit_tree(
        self,
        tree: Oid,
        parents: Iterable[Oid],
        message: str,
        *,
        environment: Mapping[str, str] | None = None,
        may_sign: bool = True,
    ) -> Oid:
        """Write a commit. Signed when `commit.gpgSign` says so (commit-tree itself ignores that setting)."""
        arguments = ["commit-tree", tree]
        for parent in parents:
            arguments += ["-p", parent]
        if may_sign and self._signs():
            arguments.append("-S")
        done = self._run(*arguments, stdin=message.encode(errors="surrogateescape"), environment=environment)
        return Oid(done.stdout.decode().strip())

    def _signs(self) -> bool:
        """Whether this user signs commits; asked once, a merge every few seconds must not ask again."""
        if self._is_signing is None:
            done = self._run("config", "--type=bool", "--get", "commit.gpgSign", ok=(0, 1))
            self._is_signing = done.stdout.strip() == b"true"
        return self._is_signing

    def merge_tree(self, ours: Oid, theirs: Oid, *, attributes: Path) -> MergedTree | MergeConflict:
        """Merge two commits without a checkout. `attributes` is a folder that holds the `.gitattributes` to obey
        (git reads them from the work tree; git-facts section 5). Only the exit code decides."""
        attributed = Git(self.git_dir, work_tree=attributes, objects=self._objects)
        done = attributed._run(
            "merge-tree", "--write-tree", "-z", "--name-only", "--messages", ours, theirs, ok=(0, 1)
        )
        fields = done.stdout.split(b"\0")
        tree = Oid(fields[0].decode())
        if done.returncode == 0:
            return MergedTree(tree=tree)
        end_of_paths = fields.index(b"", 1) if b"" in fields[1:] else len(fields)
        paths = tuple(dict.fromkeys(_decode(raw) for raw in fields[1:end_of_paths]))
        return MergeConflict(paths=paths, messages=_merge_messages(fields[end_of_paths + 1 :]))

    def take_objects(self, tips: Iterable[Oid], source: Path, *, known: Iterable[Oid]) -> None:
        """Copy what hangs on these tips and on nothing `known` (what refs of ours name) from the object folder `source`: read as objects alone, each
        checked and named anew from its content, nothing written unless all it needs is there. GitError otherwise."""
        wanted = "".join((*(f"{oid}\n" for oid in tips), *(f"^{oid}\n" for oid in known)))
        lending = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": _as_alternate(source)}
        with tempfile.TemporaryFile() as pack:
            self._run(
                "pack-objects",
                "--revs",
                "--stdout",
                "--quiet",
                stdin=wanted.encode(),
                sink=pack.fileno(),
                environment=lending,
            )
            pack.seek(0)
            self._run("unpack-objects", "--strict", "-q", source=pack.fileno())

    # ------------------------------------------------------------------ moving refs

    def update_refs(self, commands: Sequence[str], *, message: str) -> bool:
        """One ref transaction (`update REF NEW OLD`, `create REF NEW`, `delete REF OLD`, `verify REF OLD`).
        All or nothing; False when git refused it because a ref was not what we said. Whatever else is in the way (a full
        disk, an object that is gone, a lock that nobody holds) raises: trying again would not help."""
        self._object_folders.sync()  # no ref before what it points to
        lines = ["start", *commands, "prepare", "commit"]
        done = self._run(
            "update-ref",
            "--no-deref",  # a ref that an agent made a symbolic one must not lead us to the user's branch
            "--create-reflog",
            "-m",
            message,
            "--stdin",
            stdin=os.fsencode("\n".join(lines) + "\n"),
            ok=(0, 1, 128),
        )
        if done.returncode == 0:  # git syncs files and never folders (reliability R2)
            names = (self.git_dir / line.split(" ")[1] for line in commands)
            sync_names(names, below=self.git_dir)
        else:
            story = os.fsdecode(done.stderr)
            self._refuse_locked([line.split(" ")[1] for line in commands], story)
            if "cannot lock ref" not in story or "Unable to create" in story:
                raise GitError(("update-ref",), done.returncode, story)
        return done.returncode == 0

    def _refuse_locked(self, names: Sequence[str], story: str) -> None:
        """Raise when a ref did not move because of a lock file: git has waited for it, so most likely nobody holds it."""
        for name in (*names, "packed-refs"):
            lock = self.git_dir / f"{name}.lock"
            if str(lock) in story and lock.exists():
                raise SurroundingsError(
                    f"'{name}' is locked by '{lock}'",
                    hint="if no git is at work here, one was killed and left it: remove the file, then 'git waves run'",
                )

    def make_durable(self, base: Oid, tip: Oid) -> None:
        """Bring everything that `tip` has and `base` has not to the disk itself: whoever wrote it may not have done so."""
        listed = self._text("rev-list", "--objects", "--no-object-names", tip, f"^{base}")
        objects = self.git_dir / "objects"
        for oid in listed.split():
            sync_path(objects / oid[:2] / oid[2:])
        sync_recent_files(objects / "pack")
        self._object_folders.sync()

    def try_refs(
        self, commands: Sequence[str], *, environment: Mapping[str, str] | None = None
    ) -> HookVerdict:
        """Ask the repository's own reference-transaction hook about a transaction, which is aborted in any case."""
        lines = ["start", *commands, "prepare", "abort"]
        done = self._run(
            "update-ref",
            "--stdin",
            stdin=os.fsencode("\n".join(lines) + "\n"),
            ok=(0, 1, 128),
            environment=environment,
            hooks=True,
        )
        return HookVerdict(
            accepts=done.returncode == 0, message=done.stderr.decode(errors="backslashreplace")
        )

    def try_hook(
        self, name: str, *, index: Path, environment: Mapping[str, str] | None = None
    ) -> HookVerdict:
        """Run the repository's own hook of that name as a commit of `index` would."""
        done = self._run(
            "hook",
            "run",
            name,
            ok=(*range(256), -9, -13, -15),
            environment={**(environment or {}), "GIT_INDEX_FILE": str(index)},
            hooks=True,
        )
        return HookVerdict(
            accepts=done.returncode == 0, message=done.stderr.decode(errors="backslashreplace")
        )

    # ------------------------------------------------------------------ trees and work folders

    def read_tree(self, tree: Oid, *, index: Path) -> None:
        """Fill an index file of our own from a tree, without touching any folder."""
        self._run("read-tree", tree, environment={"GIT_INDEX_FILE": str(index)})

    def put_into_index(self, path: RepoPath, blob: Oid, *, index: Path) -> Oid:
        """Add a plain file to an index file of our own; the tree that index then holds, written as objects."""
        environment = {"GIT_INDEX_FILE": str(index)}
        self._run("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", environment=environment)
        return Oid(self._run("write-tree", environment=environment).stdout.decode().strip())

    def tree_of_files(self, files: Mapping[RepoPath, tuple[str, Oid]], *, index: Path) -> Oid:
        """The tree of these files, each with its mode and blob; `index` is a file of ours that is written anew."""
        index.unlink(missing_ok=True)
        environment = {"GIT_INDEX_FILE": str(index)}
        lines = (f"{mode} {blob}\t{path}\0" for path, (mode, blob) in files.items())
        self._run(
            "update-index", "-z", "--index-info", stdin=os.fsencode("".join(lines)), environment=environment
        )
        return Oid(self._run("write-tree", environment=environment).stdout.decode().strip())

    def apply_patch(self, tree: Oid, patch: bytes, *, index: Path) -> Oid:
        """The tree with a patch applied, written as objects. `index` is a file of our own. GitError says what does not fit."""
        environment = {"GIT_INDEX_FILE": str(index)}
        self._run("read-tree", tree, environment=environment)
        self._run("apply", "--cached", "--whitespace=nowarn", "-", stdin=patch, environment=environment)
        return Oid(self._run("write-tree", environment=environment).stdout.decode().strip())

    def tree_with(self, tree: Oid, changes: Iterable[Change], *, index: Path) -> Oid:
        """The tree with each change taken back (its path as it was in `old`), written as objects. `index` is a file of our
        own."""
        environment = {"GIT_INDEX_FILE": str(index)}
        self._run("read-tree", tree, environment=environment)
        # What was added goes first (its old mode is all zeros): a file may have taken the place of a folder.
        back = sorted(changes, key=lambda change: change.old_mode)
        lines = "".join(f"{change.old_mode} {change.old}\t{change.path}\0" for change in back)
        self._run("update-index", "-z", "--index-info", stdin=os.fsencode(lines), environment=environment)
        return Oid(self._run("write-tree", environment=environment).stdout.decode().strip())

    def uncommitted_paths(self) -> tuple[RepoPath, ...]:
        """Paths of the work tree that HEAD does not hold as they are, untracked ones too, ignored ones aside. No filter that
        the repository configures is run: this only looks, so files behind one may seem changed."""
        names = self._run("config", "-z", "--name-only", "--get-regexp", r"^filter\..", ok=(0, 1)).stdout
        drivers = {name.rpartition(".")[0] for name in os.fsdecode(names).split("\0")[:-1]}
        unfiltered = [
            word
            for driver in sorted(drivers)
            for setting in ("clean=", "process=", "required=false")
            for word in ("-c", f"{driver}.{setting}")
        ]
        found = [
            *self._run(
                *unfiltered, "ls-files", "-z", "--modified", "--others", "--exclude-standard"
            ).stdout.split(b"\0"),
            *self._run(
                "diff-index", "-z", "--cached", "--name-only", "--no-renames", "HEAD", "--"
            ).stdout.split(b"\0"),
        ]
        return tuple(sorted({_decode(raw) for raw in found if raw}))

    def commit_time(self, commit: Oid) -> int:
        """When a commit was made, in seconds since 1970, as its committer's clock said."""
        return int(self._text("rev-list", "--max-count=1", "--timestamp", commit).split(" ")[0])

    def dirty_paths(self) -> tuple[RepoPath, ...]:
        """Paths of the work tree that differ from its index or are not in it; ignored ones aside."""
        done = self._run("ls-files", "-z", "--modified", "--others", "--exclude-standard")
        return tuple(dict.fromkeys(_decode(raw) for raw in done.stdout.split(b"\0") if raw))

    def write_work_tree(self, folder: Path, *, index: Path, without: Sequence[RepoPath] = ()) -> Oid:
        """The tree of everything in `folder` that is not ignored, written as objects; of what lies at the paths `without`,
        what `index` holds.

        `index` is ours and is updated. Neither the folder's own `.git`, index nor configuration is read: what an agent
        could write decides nothing (reliability R5). A folder that is a repository of its own becomes a gitlink. GitError
        when a file cannot be read: better no tree than one that lacks something.
        """
        placed = Git(self.git_dir, work_tree=folder)
        environment = {"GIT_INDEX_FILE": str(index)}
        # The user's own checkout may be sparse, which is no affair of this folder; in a sparse index, what is there all the
        # same counts.
        adding = ("-c", "core.sparseCheckout=true", "-c", "index.sparse=false", "add", "--sparse", "--all")
        if without:
            # Git dies of paths behind a link, which it would not add, and refuses to leave out what it ignores anyway.
            there = [path for path in without if not _is_behind_link(folder, path)]
            ignored = {one.removeprefix("./") for one in placed._check_ignore(there)}
            left_out = [f":(top,exclude,literal){path}" for path in there if path not in ignored]
            magic = {**environment, "GIT_LITERAL_PATHSPECS": "0"}
            placed._run(*adding, "--", ".", *left_out, environment=magic)
        else:
            placed._run(*adding, ".", environment=environment)
        return Oid(placed._run("write-tree", environment=environment).stdout.decode().strip())

    def reset_hard(self, commit: Oid, *, cone: Sequence[str] | None = None) -> None:
        """Make index and files of this worktree equal to `commit`: all files, or those of the folders `cone` and those beside the
        way there. Only for a folder no agent has worked in yet."""
        if cone is None:  # a new worktree is as sparse as the one it was made from
            self._run("-c", "core.sparseCheckout=false", "reset", "--hard", "--quiet", commit)
            return
        folders = b"".join(os.fsencode(_as_cone(folder)) + b"\n" for folder in cone)
        self._run("sparse-checkout", "set", "--cone", "--no-sparse-index", "--stdin", stdin=folders)
        self._run("reset", "--hard", "--quiet", commit)

    def identity_problem(self) -> str | None:
        """Why git would refuse to make a commit for lack of a name or address; None when it would not."""
        done = self._run("var", "GIT_COMMITTER_IDENT", ok=(0, 1, 128))
        if done.returncode == 0:
            return None
        return done.stderr.decode(errors="backslashreplace").strip().splitlines()[-1]

    def is_valid_branch(self, name: str) -> bool:
        """Whether git accepts the short branch name."""
        return self._run("check-ref-format", "--branch", name, ok=(0, 1, 128)).returncode == 0

    # ------------------------------------------------------------------ worktrees

    def add_worktree(self, folder: Path, *, branch: str | None, commit: Oid, reason: str) -> None:
        """Register a worktree without filling it. One at a time (git-facts D9); `branch` must exist; None detaches."""
        arguments = ["worktree", "add", "--no-checkout", "--lock", "--reason", reason]
        if branch is None:
            self._run(*arguments, "--detach", str(folder), commit)
        else:
            self._run(*arguments, str(folder), branch)

    def add_checkout(self, folder: Path, *, branch: str) -> None:
        """A worktree for a person, with the files of an existing branch."""
        self._run("worktree", "add", "--quiet", str(folder), branch)

    def remove_worktree(self, folder: Path) -> None:
        """Remove a worktree, locked and dirty as it may be. Only `worktrees.remove` calls this, after its proof."""
        self._run("worktree", "remove", "--force", "--force", str(folder))


def _as_cone(folder: str) -> str:
    """A folder as `sparse-checkout --stdin` reads it: as a C string where it could be something else."""
    return '"' + folder.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _as_alternate(folder: Path) -> str:
    """A path as git reads it from a list of alternates: colons separate, so a path with one is quoted."""
    text = str(folder)
    if ":" not in text and not text.startswith('"'):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _is_behind_link(folder: Path, path: RepoPath) -> bool:
    above = path.split("/")[:-1]
    return any(folder.joinpath(*above[: end + 1]).is_symlink() for end in range(len(above)))


def _by_commit(pieces: Iterable[bytes]) -> Iterator[tuple[RepoPath, ...]]:
    """The paths of each commit from the output of `diff-tree --stdin -z --name-status`."""
    paths: list[RepoPath] | None = None
    is_path = False
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\0")
        for field in os.fsdecode(b"\0".join(whole)).split("\0") if whole else ():
            if is_path and paths is not None:
                paths.append(RepoPath(field))
                is_path = False
            elif len(field) == 1:
                is_path = True
            else:
                if paths is not None:
                    yield tuple(paths)
                paths = []
    if paths is not None:
        yield tuple(paths)


def _merge_messages(fields: Sequence[bytes]) -> tuple[str, ...]:
    """The texts of merge-tree's message section: per message a path count, the paths, a type, a text."""
    texts = []
    position = 0
    while position < len(fields) and fields[position].isdigit():
        position += 1 + int(fields[position])
        texts.append(fields[position + 1].decode(errors="backslashreplace").strip())
        position += 2
    return tuple(texts)
