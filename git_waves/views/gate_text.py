"""`git waves gate`: a line for each gate, and what its colour means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from git_waves.core.gatewords import Verdict
from git_waves.views import age
from git_waves.views.paint import PLAIN, Paint
from git_waves.views.safe import clean, quoted

_STYLE = {
    Verdict.PROVED: "good",
    Verdict.BLIND: "bad",
    Verdict.UNMEASURED: "odd",
    Verdict.INAPPLICABLE: "dim",
}


def gate_text(tried: Mapping[str, Any], *, paint: Paint = PLAIN) -> str:
    """The whole answer to `gate_json`'s mapping, ending with a newline."""
    head = f"gates of group {quoted(tried['group'])} on {quoted(tried['place'])} ({tried['commit'][:10]})"
    return "\n".join([paint("bold", head), *_lines(tried, paint)]) + "\n"


def _lines(tried: Mapping[str, Any], paint: Paint) -> Iterator[str]:
    rows = tried["results"]
    wide = max((len(clean(row["gate"])) for row in rows), default=0)
    for row in rows:
        verdict = row["verdict"]
        if verdict is None:
            word, style = ("green", "good") if row["passed"] else ("red", "bad")
        else:
            word, style = verdict, _STYLE[Verdict(verdict)]
        told = clean(row["reason"]) or f"after {age.words(row['seconds'])}"
        yield f"  {clean(row['gate']):<{wide}}  {paint(style, f'{word:<12}')}  {told}".rstrip()
        if row["log"] and word in ("red", Verdict.BLIND, Verdict.UNMEASURED):
            yield f"  {'':<{wide}}  {paint('hint', 'see')} {clean(row['log'])}"
    for name in tried["unproved"]:
        yield f"  {clean(name)} was not proved: give it a 'control', or 'guards' and work that is integrated"
