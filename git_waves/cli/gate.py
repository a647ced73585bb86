"""`git waves gate`."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from git_waves import gating
from git_waves.adapters import terminal
from git_waves.cli import here
from git_waves.core.gatewords import Verdict
from git_waves.errors import OK, UNMEASURED, VIOLATION
from git_waves.gating import Tried
from git_waves.views.gate_text import gate_text


def gate(
    group: Annotated[
        str, typer.Argument(metavar="GROUP", help="The group whose barrier it is.", show_default=False)
    ],
    spec: here.PlanSpec = None,
    prove: Annotated[
        bool, typer.Option("--prove", help="Make the tree wrong on purpose: every gate must go red.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The same for programs.")] = False,
) -> int:
    """Run the gates of a barrier by hand, or prove that they can fail. Nothing is recorded, no ref moves.

    Exit codes: 0 all green or all proved, 1 one is red or blind, 2 one could not be measured or proved.
    """
    tried = gating.try_gates(here.repository(), spec, group, is_proof=prove)
    found = _plain(tried)
    terminal.write(json.dumps(found, indent=2) + "\n" if as_json else gate_text(found, paint=here.paint()))
    return _code(tried, is_proof=prove)


def _plain(tried: Tried) -> dict[str, Any]:
    return {
        "group": tried.group,
        "place": tried.place,
        "commit": tried.commit,
        "results": [result.model_dump(mode="json", exclude={"event"}) for result in tried.results],
        "unproved": list(tried.unproved),
    }


def _code(tried: Tried, *, is_proof: bool) -> int:
    if not is_proof:
        return OK if all(result.passed for result in tried.results) else VIOLATION
    verdicts = {result.verdict for result in tried.results}
    if Verdict.BLIND in verdicts:
        return VIOLATION
    is_open = Verdict.UNMEASURED in verdicts or bool(tried.unproved) or Verdict.PROVED not in verdicts
    return UNMEASURED if is_open else OK
