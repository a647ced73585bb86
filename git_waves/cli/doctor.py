"""`git waves doctor`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from git_waves import doctoring
from git_waves.adapters import terminal
from git_waves.cli import here
from git_waves.core.health import is_well
from git_waves.errors import OK, VIOLATION
from git_waves.views.doctor_text import doctor_json, doctor_text


def doctor(as_json: Annotated[bool, typer.Option("--json", help="One JSON value.")] = False) -> int:
    """Say what is wrong on this machine and in this repository, and how to mend it.

    It only looks, and executes nothing of the repository. Exit codes: 0 no problem, 1 a problem.
    """
    checks = doctoring.examine(Path.cwd())
    if as_json:
        terminal.write(json.dumps(doctor_json(checks), indent=2) + "\n")
    else:
        terminal.write(doctor_text(checks, paint=here.paint()))
    return OK if is_well(checks) else VIOLATION
