"""The report as one page for a browser: no script, no network, nothing of others that is more than text.

A policy in the page lets a browser load nothing at all, and take no style but ours, by its digest. Whatever a template
writes goes through `_shown` first: control characters, marks that turn the direction of writing and invisible letters are
made visible, and autoescape makes the rest text.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from git_waves import __version__
from git_waves.core import fold
from git_waves.core.report.model import Report
from git_waves.views import age
from git_waves.views.report import words
from git_waves.views.report.clock import Clock
from git_waves.views.report.decisions import decisions
from git_waves.views.report.needs import draw_needs
from git_waves.views.report.timeline import CHART, draw_timeline
from git_waves.views.safe import clean, shell_word

if TYPE_CHECKING:
    from jinja2 import Environment

STYLE_OF = {
    fold.PENDING: "wait",
    fold.LEASED: "busy",
    fold.RUNNING: "busy",
    fold.PASSED: "busy",
    fold.MERGED: "busy",
    fold.INTEGRATED: "good",
    fold.DONE: "good",
    fold.AWAITING: "odd",
    fold.FAILED: "bad",
    fold.PARKED: "bad",
    fold.BLOCKED: "odd",
    fold.SKIPPED: "odd",
}
"""How a status looks; its word always stands beside it."""
_GLYPHS = {"wait": "\u00b7", "busy": "\u25b8", "good": "\u2713", "bad": "\u2717", "odd": "\u2013"}
_STANDING = {"finished": "good", "running": "busy", "stopping": "busy", "halted": "bad"}


def report_page(report: Report, clock: Clock) -> str:
    """The whole page. The same report always gives the same bytes."""
    graph = draw_needs(report)
    environment = _environment()
    style = environment.get_template("style.css").render(
        nodes=[node.number for node in graph.nodes] if graph is not None else []
    )
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    page = environment.get_template("page.html").render(
        report=report,
        state=report.state,
        overlap=report.overlap,
        style=style,
        policy=f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'",
        timeline=draw_timeline(report, clock),
        graph=graph,
        chart=CHART,
        clock=clock,
        words=words,
        waiting=list(decisions(report)),
        age=age.words,
        shell_word=shell_word,
        style_of=STYLE_OF,
        glyphs=_GLYPHS,
        standing=_STANDING.get(words.word(report), "odd"),
        numbers={task.id: number for number, task in enumerate(report.tasks)},
        short=words.SHORT,
        version=__version__,
    )
    return page.rstrip("\n") + "\n"


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # needed by this form alone

    return Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates"), encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _shown(value: object) -> object:
    """Text of others made inert; our own markup (`safe`) and numbers stay as they are."""
    return clean(value) if type(value) is str else value
