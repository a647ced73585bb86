"""Where `git waves` begins, and the one place where an error is printed and becomes an exit code."""

from __future__ import annotations

import os
import sys

from git_waves import quick
from git_waves.adapters import preferences
from git_waves.adapters.terminal import ReaderLeftError
from git_waves.errors import BUG, INTERRUPTED, SurroundingsError, UsageError, WavesError, machine_error
from git_waves.views.fatal_text import bug_text, error_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

BROKEN_PIPE = 141  # what a shell reports for a program ended by SIGPIPE: the reader has seen enough


def main(words: Sequence[str] | None = None) -> int:
    """Run the command that was typed and return its exit code; nothing that goes wrong escapes."""
    if words is None and sys.getfilesystemencoding() != "utf-8":
        # A locale of another encoding would read git's paths otherwise than the plan and the guard, which read UTF-8.
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])
    try:
        code = _run(sys.argv[1:] if words is None else list(words))
        sys.stdout.flush()
        if words is None and "git_waves.cli.app" not in sys.modules:
            os._exit(
                code
            )  # the quick path holds nothing; taking the interpreter down would cost a tenth of it
    except WavesError as error:
        code = error.exit_code
        _complain(error_text(error, has_hints=_has_hints()))
    except KeyboardInterrupt:
        code = INTERRUPTED
    except (ReaderLeftError, BrokenPipeError):
        # Python flushes standard output once more on its way out, which must not complain either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = BROKEN_PIPE
    except Exception as error:  # the last resort: our own bugs, told in words
        trouble = machine_error(error, os.curdir) if isinstance(error, OSError) else None
        code = BUG if trouble is None else trouble.exit_code
        _complain(_bug(error) if trouble is None else error_text(trouble, has_hints=_has_hints()))
    return code


def _run(words: list[str]) -> int:
    while len(words) > 1 and words[0] == "-C":
        _change_folder(words[1])
        words = words[2:]
    _stand_somewhere()
    code = quick.answer(words)
    if code is not None:
        return code
    from git_waves.cli.app import run

    return run(words)


def _stand_somewhere() -> None:
    try:
        os.getcwd()
    except OSError as error:
        raise SurroundingsError(
            f"the current folder is gone: {error.strerror}", hint="go to one that is there: cd"
        ) from error


def _change_folder(path: str) -> None:
    try:
        os.chdir(path)
    except OSError as error:
        raise UsageError(f"cannot change to '{path}': {error.strerror}") from error


def _has_hints() -> bool:
    """Whether hints below errors are wanted; where the folder is gone, they are."""
    try:
        return preferences.read().silenced.isdisjoint(("error", ""))
    except OSError:
        return True


def _complain(text: str) -> None:
    try:
        sys.stdout.flush()
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        return  # nobody listens any more; the exit code still says it


def _bug(error: Exception) -> str:
    """Words for a bug; its traceback goes to a file in the repository, or to the terminal when that is asked for."""
    import traceback

    story = "".join(traceback.format_exception(error))
    if os.environ.get("GIT_WAVES_DEBUG"):
        return story + bug_text(error, "")
    return bug_text(error, _write_down(story))


def _write_down(story: str) -> str:
    """Keep the traceback where only its owner can read it; the empty text when there is no place for it."""
    from git_waves.adapters import glance

    common_dir = glance.find_common_dir(os.getcwd())
    if common_dir is None:
        return ""
    path = os.path.join(common_dir, "waves", "crash.txt")
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        descriptor = os.open(
            path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
        )
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(story)
    except OSError:
        return ""
    return path
