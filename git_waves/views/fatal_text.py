"""How an error reads: `fatal:` or one line a problem, then `hint:` with the way out. Imports nothing."""

from __future__ import annotations

from git_waves.errors import PlanError, WavesError
from git_waves.views.safe import clean

_HINT = "hint: "


def error_text(error: WavesError, *, has_hints: bool = True) -> str:
    """The lines of an error, ending with a newline; every problem of a plan, not only the first. Without `has_hints`, only
    what is wrong."""
    if isinstance(error, PlanError):
        return plan_error_text(error, has_hints=has_hints)
    lines = [
        f"fatal: {clean(line)}" if n == 0 else f"       {clean(line)}" for n, line in _numbered(error.message)
    ]
    if error.hint and has_hints:
        lines += [_HINT + clean(line) for _n, line in _numbered(error.hint)]
    return "\n".join(lines) + "\n"


def plan_error_text(error: PlanError, *, has_hints: bool = True) -> str:
    """`source:line: problem` for each, its hint below (told once when the next has the same), and how many there are."""
    lines = []
    source = clean(error.source)
    for problem, following in zip(error.problems, (*error.problems[1:], None), strict=True):
        where = f"{source}:{problem.line}" if problem.line else source
        lines.append(f"{where}: {clean(problem.message)}")
        if has_hints and problem.hint and (following is None or following.hint != problem.hint):
            lines.append(_HINT + clean(problem.hint))
    if len(error.problems) == 1 and not error.problems[0].line:
        lines[0] = f"fatal: {lines[0]}"
    elif len(error.problems) != 1:
        lines.append(f"fatal: {clean(error.message)}")
    if error.hint and has_hints:
        lines.append(_HINT + clean(error.hint))
    return "\n".join(lines) + "\n"


def bug_text(error: Exception, path: str) -> str:
    """What a person reads when we are wrong; `path` is where the traceback lies, empty when it was printed or lost."""
    what = clean(f"{type(error).__name__}: {error}") if str(error) else type(error).__name__
    hint = f"the whole story is in '{clean(path)}'; please report it" if path else "please report it"
    again = "" if path else ", with what GIT_WAVES_DEBUG=1 prints"
    return f"fatal: git-waves has a bug: {what}\n{_HINT}{hint}{again}\n"


def _numbered(text: str) -> list[tuple[int, str]]:
    return list(enumerate(text.split("\n")))
