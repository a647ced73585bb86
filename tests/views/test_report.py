"""The report in its two forms: whole outputs, what is shown where, and that nothing of others is more than text."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from git_waves.adapters import eventlog
from git_waves.core.report.model import Change, Report
from git_waves.views.report import words
from git_waves.views.report.decisions import decisions
from git_waves.views.report.markdown import report_markdown
from git_waves.views.report.needs import MOST_TASKS, draw_needs
from git_waves.views.report.page import report_page
from git_waves.views.report.scale import Scale
from git_waves.views.report.timeline import draw_timeline
from tests.support import scenes
from tests.support.golden import check_golden
from tests.support.reports import PAYLOADS, UTC_CLOCK, crowd, hostile, proving, report_of
from tests.support.scenes import Scene

PLAN = """\
version: 1
name: demo
gates:
  build: make -j4
  tests:
    run: |
      set -e
      make test
    claim: true
tasks:
  - {id: t1, run: x, files: {create: [src/tables.c, tests/tables.c, docs/tables.md]}}
  - {id: t2, run: x, needs: [t1], files: {modify: [src/reader.c]}}
  - {id: t3, run: x, needs: [t1], files: {modify: [src/writer.c]}}
  - {id: t4, run: x, needs: [t1], files: {modify: [src/importer.c], delete: [src/old.c]}}
  - {id: t5, run: x, needs: [t2, t3], files: {create: [src/compact.c]}}
  - {id: t6, run: x, needs: [t4], files: {create: [src/progress.c]}}
  - {id: t7, run: x, needs: [t5, t6], files: {modify: [src/main.c, tests/kunit/Kbuild]}}
"""


@pytest.fixture
def night(tmp_path: Path) -> Scene:
    """A run that halted in the night, with something to say for nearly every section."""
    scene = scenes.morning(tmp_path)
    scene.write_log(
        "t4.1.log", b"moving the importer over\n\x1b[33mwarning:\x1b[0m Kbuild lists the old one\n"
    )
    scene.ask("t4", "tests/kunit/Kbuild", owner="t7", reason="the old importer is listed there")
    scene.fall("t3", "agent", "the agent ended with exit code 1", hint="git waves log t3")
    scene.halt("parked", "tasks 't3', 't4' did not get through", hint="git waves status")
    scene.wait(hours=6, minutes=12)
    scene.retry("t4", grant=("tests/kunit/Kbuild",))
    scene.resume()
    scene.climb("t4", attempt=2, paths=("src/importer.c", "tests/kunit/Kbuild"))
    scene.warn("'.git/config' was changed while 't4' ran; it steers git in the whole repository")
    scene.remove("t4", archive=f"refs/waves/archive/{scene.run_dir.run}/t4/1")
    scene.halt(
        "failed", "task 't3' failed at agent: the agent ended with exit code 1", hint="git waves log t3"
    )
    return scene


def report(scene: Scene) -> Report:
    """The report of the night."""
    archives = (f"refs/waves/archive/{scene.run_dir.run}/t4/1",)
    return report_of(scene, PLAN, archives=archives, change=Change(commits=2, files=2))


def page_of(found: Report) -> str:
    """The page, which must come out the same every time."""
    page = report_page(found, UTC_CLOCK)
    assert page == report_page(found, UTC_CLOCK)
    return page


# ---------------------------------------------------------------------- whole outputs


def test_the_markdown_of_a_night(night: Scene) -> None:
    check_golden("report/night.md", report_markdown(report(night), UTC_CLOCK))


def test_the_page_of_a_night(night: Scene) -> None:
    page = page_of(report(night))
    style = _Page.of(page).style
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in page, "the policy allows this style and no other"
    check_golden("report/night.html", page.replace(style, "...").replace(digest, "..."))


def test_the_markdown_of_a_finished_run(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.begin({"1": [["t1"], ["t2"]]}, needs={"t2": ["t1"]})
    scene.climb("t1", paths=("a.c",))
    scene.merge("t1")
    scene.publish("1")
    scene.skip("t2", "somebody else does it")
    scene.finish()
    check_golden("report/finished.md", report_markdown(report_of(scene), UTC_CLOCK))


def test_gates_tell_what_they_were_asked_for_and_what_that_proves(tmp_path: Path) -> None:
    found = report_of(proving(tmp_path))
    check_golden("report/proving.md", report_markdown(found, UTC_CLOCK))
    page = page_of(found)
    for words_of_it in (
        "flaky, accepted",
        "tolerated",
        "blind",
        "proved",
        "inapplicable",
        "run 3 times",
        "gone again",
    ):
        assert words_of_it in page


def test_a_run_that_has_just_begun_can_be_told(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.begin({"1": [["t1"]]})
    found = report_of(scene, is_running=True)
    text = report_markdown(found, UTC_CLOCK)
    assert "**Still running.** 0 of 1 task is integrated; 1 pending." in text
    assert "## Timeline" not in text
    assert "No attempt has run yet." in page_of(found)


@pytest.mark.parametrize(
    ("kind", "headline"),
    [
        ("gate", "Halted: a gate is red."),
        ("refs", "Halted: somebody else moved its refs."),
    ],
)
def test_the_headline_says_why_it_halted(tmp_path: Path, kind: str, headline: str) -> None:
    scene = Scene(tmp_path)
    scene.begin({"1": [["t1"]]}, gates=("tests",))
    scene.climb("t1")
    scene.merge("t1")
    scene.gate("1", "tests", reason="it ended with exit code 1")
    scene.write_log("gate.1.tests.log", b"one test failed\n")
    scene.halt("gate" if kind == "gate" else "refs", "the reason", hint="git waves log gate:tests")
    found = report_of(scene)
    assert words.headline(found) == headline
    (decision,) = decisions(found)
    commands = [step.command for step in decision.steps]
    if kind == "gate":
        assert commands == ["git waves log gate:tests", "git waves run"]
        assert decision.excerpt is not None
        assert decision.excerpt.lines == ("one test failed",)
    else:
        assert commands == ["git waves run --restore", "git waves run --accept"]


def test_a_command_to_type_keeps_its_quotes(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.begin({"1": [["t1"]]}, source="plans/my plan.yaml")
    scene.halt("gate", "gate 'tests' is red")
    (decision,) = decisions(report_of(scene))
    assert [step.command for step in decision.steps] == ["git waves run 'plans/my plan.yaml'"]


def test_a_limit_that_is_reached_is_answered_with_another(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.begin({"1": [["t1"]]})
    scene.add(
        eventlog.RunHalted(
            kind="budget", reason="the run has used $2.60 of $2.50", hint="git waves run --budget cost=MORE"
        )
    )
    found = report_of(scene)
    assert words.headline(found) == "Halted: its limit is reached."
    (decision,) = decisions(found)
    assert [step.command for step in decision.steps] == ["git waves run --budget cost=MORE"]


def test_a_writer_that_is_still_stopped_waits_for_somebody(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.begin({"1": [["t1"]]})
    scene.add(eventlog.BackgroundQuiesced(name="sync", resume="systemctl start sync"))
    assert not list(decisions(report_of(scene, is_running=True))), "until the run ends it is as it should be"
    (decision,) = decisions(report_of(scene))
    assert decision.happened == "background writer 'sync' is still stopped"
    commands = [step.command for step in decision.steps]
    assert commands == ["git waves stop --plan demo", "systemctl start sync"]
    scene.add(eventlog.BackgroundRestored(name="sync", command="systemctl start sync"))
    assert not list(decisions(report_of(scene)))


def test_what_was_used_is_shown_where_an_agent_told_it(night: Scene) -> None:
    assert "used" not in report_markdown(report(night), UTC_CLOCK).split("## Timeline")[0]
    night.add(eventlog.SpendingNoted(task="t4", attempt=1, tokens=90_000, cost=0.5, source="usage file"))
    night.add(eventlog.SpendingNoted(task="t4", attempt=2, tokens=123_000, cost=0.75, source="usage file"))
    found = report(night)
    assert "| 213k tokens, $1.25 |" in report_markdown(found, UTC_CLOCK)
    figures = {figure.label: figure.value for figure in words.figures(found)}
    assert (figures["tokens"], figures["by the agents' own account"]) == ("213k", "$1.25")
    assert "213k tokens, $1.25" in page_of(found)


# ---------------------------------------------------------------------- drawings


def test_rests_are_drawn_short_and_order_is_kept(night: Scene) -> None:
    found = report(night)
    scale = Scale(found)
    (rest,) = scale.rests
    assert rest.seconds == 6 * 3600 + 12 * 60
    assert scale.place(rest.end) - scale.place(rest.begin) < 0.04
    moments = sorted(span for one in found.sessions for span in (one.span.begin, one.span.end))
    places = [scale.place(moment) for moment in moments]
    assert places == sorted(places)
    assert (places[0], round(places[-1], 6)) == (0, 1)


def test_a_need_that_follows_from_others_is_not_drawn(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.begin({"1": [["t1"]], "2": [["t2"]], "3": [["t3"]]}, needs={"t2": ["t1"], "t3": ["t1", "t2"]})
    graph = draw_needs(report_of(scene))
    assert graph is not None
    assert [(edge.on, edge.task) for edge in graph.edges] == [(0, 1), (1, 2)]
    assert graph.hidden == 1


def test_a_crowd_stays_inside_the_drawing_and_nobody_stands_on_anybody(tmp_path: Path) -> None:
    found = report_of(crowd(tmp_path))
    graph = draw_needs(found)
    assert graph is not None
    assert len(graph.nodes) == 120
    assert all(node.x >= 0 and node.x + node.width <= 1000 for node in graph.nodes)
    assert max(node.y + node.height for node in graph.nodes) <= graph.height
    rows: dict[float, list[tuple[float, float]]] = {}
    for node in graph.nodes:
        rows.setdefault(node.y, []).append((node.x, node.x + node.width))
    for row in rows.values():
        ends = sorted(row)
        assert all(one[1] < other[0] for one, other in pairwise(ends))
    place = {node.number: node.y for node in graph.nodes}
    assert all(place[edge.on] < place[edge.task] for edge in graph.edges), "needs point up"


def test_too_many_tasks_are_not_drawn_and_without_needs_there_is_no_graph(tmp_path: Path) -> None:
    many = Scene(tmp_path / "many")
    names = [f"t{number}" for number in range(MOST_TASKS + 1)]
    many.begin({"1": [names]}, needs={names[1]: [names[0]]})
    assert draw_needs(report_of(many)) is None
    lone = Scene(tmp_path / "lone")
    lone.begin({"1": [["t1", "t2"]]})
    found = report_of(lone)
    assert draw_needs(found) is None
    assert 'id="needs"' not in page_of(found)


def test_every_bar_lies_on_the_line(tmp_path: Path) -> None:
    timeline = draw_timeline(report_of(crowd(tmp_path)), UTC_CLOCK)
    bars = [bar for track in timeline.tracks for row in track.rows for bar in row.bars]
    assert len(bars) > 300
    for bar in bars:
        at, width = (float(text.removesuffix("%")) for text in (bar.at, bar.width))
        assert at >= 0, bar
        assert width > 0, bar
        assert at + width <= 100, bar


# ---------------------------------------------------------------------- nothing of others is more than text


class _Page(HTMLParser):
    """What a browser would make of a page: its tags with their attributes, its texts, its style."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.style = ""
        self._open = ""

    @classmethod
    def of(cls, page: str) -> _Page:
        """A page, read."""
        found = cls()
        found.feed(page)
        found.close()
        return found

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self._open = tag
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """Note that it is over."""
        self._open = self._open if self._open != tag else ""

    def handle_data(self, data: str) -> None:
        """Note a text."""
        if self._open == "style":
            self.style += data
        else:
            self.text += data


_TAGS = """
html head meta title style body a b header h1 h2 h3 p code svg g defs use marker path rect circle line text ul li dl dt dd div nav
main section article table caption thead tbody tr th td details summary pre span footer br
"""


def test_hostile_texts_are_text_in_the_page(tmp_path: Path) -> None:
    page = page_of(report_of(hostile(tmp_path)))
    found = _Page.of(page)
    assert {tag for tag, _ in found.tags} <= set(_TAGS.split())
    for tag, attributes in found.tags:
        assert not [
            name for name in attributes if name.startswith("on") or name in ("style", "src", "srcdoc")
        ]
        href = attributes.get("href")
        assert href is None or re.fullmatch(r"#[a-z0-9-]+", href), (tag, href)
    assert [dict(attributes).get("http-equiv") for tag, attributes in found.tags if tag == "meta"].count(
        "refresh"
    ) == 0
    assert PAYLOADS[0] in found.text
    assert PAYLOADS[9] in found.text
    assert "\\x1b[31mred\\x1b[0m \\x1b]0;title\\x07" in found.text
    assert "\\u202eright to left\\u202c \\u200bnothing \\x00 \\xff" in found.text
    assert not [letter for letter in page if not letter.isprintable() and letter != "\n"]
    assert "{{ 7 * 7 }}" in found.text


def test_hostile_texts_are_text_in_the_markdown(tmp_path: Path) -> None:
    text = report_markdown(report_of(hostile(tmp_path)), UTC_CLOCK)
    assert not [letter for letter in text if not letter.isprintable() and letter != "\n"]
    html = MarkdownIt("commonmark").enable("table").render(text)
    found = _Page.of(html)
    tags = {tag for tag, _ in found.tags}
    allowed = "h1 h2 h3 p strong code ul li pre table thead tbody tr th td"
    assert tags <= set(allowed.split())
    assert found.tags.count(("h1", {})) == 1
    assert PAYLOADS[0] in found.text


def test_the_page_asks_nothing_of_any_network(night: Scene) -> None:
    page = page_of(report(night))
    assert re.findall(r"(?:https?:|//|url\()[^\s\"']*", page) == ["url(#arrow)"] * page.count("url(#arrow)")
    assert "default-src 'none'" in page
    assert "<script" not in page
