"""The page in a real browser: it loads nothing, runs nothing, fits a phone, and can be read in the dark and on paper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from git_waves.core.report.model import Report
from git_waves.views.report.page import report_page
from tests.support import browser, scenes
from tests.support.reports import PAYLOADS, UTC_CLOCK, crowd, hostile, report_of

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        browser.program() is None,
        reason="there is no Chromium on this machine; on Debian: apt-get install chromium",
    ),
]

PHONE = 375  # pixels; and there are narrower ones
NARROW = 320


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Browser]:
    """One browser for all of these tests; each page is a tab of its own."""
    with browser.browser(tmp_path_factory.mktemp("profile")) as started:
        yield started


def _night(folder: Path) -> Report:
    scene = scenes.morning(folder)
    scene.write_log("t4.1.log", b"moving the importer over\nKbuild lists the old one\n")
    scene.ask("t4", "tests/kunit/Kbuild", owner="t7", reason="the old importer is listed there")
    scene.warn("a warning")
    scene.halt("parked", "task 't4' parked at ownership", hint="git waves show t4")
    return report_of(scene)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The pages of a night, of a crowd and of hostile texts, as files."""
    folder = tmp_path_factory.mktemp("pages")
    reports = {
        "night": _night(folder / "a"),
        "crowd": report_of(crowd(folder / "b")),
        "hostile": report_of(hostile(folder / "c")),
    }
    found = {}
    for name, report in reports.items():
        found[name] = folder / f"{name}.html"
        found[name].write_text(report_page(report, UTC_CLOCK), encoding="utf-8")
    return found


# ---------------------------------------------------------------------- nothing is loaded, nothing runs


@pytest.mark.parametrize("name", ["night", "crowd", "hostile"])
def test_nothing_leaves_the_page_and_nothing_is_complained_about(
    chromium: browser.Browser, pages: dict[str, Path], name: str
) -> None:
    page = chromium.open(pages[name])
    asked = [event["request"]["url"] for event in page.happened("Network.requestWillBeSent")]
    assert asked == [pages[name].as_uri()]
    assert page.happened("Log.entryAdded") == [], "a policy that had to step in says so here"
    assert page.evaluate("document.styleSheets.length") == 1


def test_hostile_texts_run_nothing(chromium: browser.Browser, pages: dict[str, Path]) -> None:
    page = chromium.open(pages["hostile"])
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    page.evaluate("document.querySelectorAll('a, summary').forEach(one => one.focus())")
    page.evaluate(
        "document.querySelectorAll('a').forEach(one => one.dispatchEvent(new MouseEvent('click', {bubbles: true})))"
    )
    assert page.evaluate("document.documentElement.dataset.hit || null") is None
    assert page.evaluate("document.scripts.length + document.images.length + frames.length") == 0
    assert page.happened("Page.javascriptDialogOpening") == []
    assert PAYLOADS[0] in page.evaluate("document.body.textContent")


def test_the_same_texts_do_run_where_they_are_more_than_text(
    chromium: browser.Browser, tmp_path: Path
) -> None:
    """Or the test above could not fail."""
    body = "".join(text for text in PAYLOADS[:2])
    bare = tmp_path / "bare.html"
    bare.write_text(f"<!doctype html><body>{body}", encoding="utf-8")
    assert chromium.open(bare).evaluate("document.documentElement.dataset.hit || null") is not None


def test_even_if_something_slipped_through_the_policy_would_hold_it(
    chromium: browser.Browser, pages: dict[str, Path], tmp_path: Path
) -> None:
    page = pages["night"].read_text(encoding="utf-8")
    holed = tmp_path / "holed.html"
    holed.write_text(
        page.replace('<main id="main">', f'<main id="main">{PAYLOADS[0]}{PAYLOADS[1]}'), encoding="utf-8"
    )
    opened = chromium.open(holed)
    assert opened.evaluate("document.documentElement.dataset.hit || null") is None
    assert opened.happened("Log.entryAdded"), "the browser says that it held something back"


# ---------------------------------------------------------------------- every screen, and paper


@pytest.mark.parametrize("name", ["night", "crowd", "hostile"])
@pytest.mark.parametrize("width", [NARROW, PHONE, 768, 1200])
def test_the_page_never_scrolls_sideways(
    chromium: browser.Browser, pages: dict[str, Path], name: str, width: int
) -> None:
    page = chromium.open(pages[name], width=width, height=740)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("innerWidth") == width, "nor was it zoomed out to fit"


# Relative luminance and contrast as the accessibility guidelines define them; a drawing's texts stand on the page, on a band, or
# on the box of their task.
_CONTRAST = """
(() => {
  const pixel = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const colour = text => {
    pixel.clearRect(0, 0, 1, 1);
    pixel.fillStyle = text;
    pixel.fillRect(0, 0, 1, 1);
    return [...pixel.getImageData(0, 0, 1, 1).data];
  };
  const linear = value => value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  const light = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  const contrast = (one, other) => {
    const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
    return (bright + 0.05) / (dark + 0.05);
  };
  const page = colour(getComputedStyle(document.body).backgroundColor);
  const behind = node => {
    for (; node; node = node.parentElement) {
      const found = colour(getComputedStyle(node).backgroundColor);
      if (found[3] === 255) return found;
    }
    return page;
  };
  const poor = new Set();
  const judge = (text, front, back) => {
    const ratio = contrast(front, back);
    if (ratio < 4.5) poor.add(`${ratio.toFixed(2)}: ${text.trim().slice(0, 40)}`);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent, node = walker.currentNode.parentElement;
    if (text.trim() && node.getClientRects().length && !node.closest('svg, .skip'))
      judge(text, colour(getComputedStyle(node).color), behind(node));
  }
  for (const node of document.querySelectorAll('svg text')) {
    const box = node.closest('.node') ? node.closest('.node').querySelector('rect')
      : node.closest('.needs') && document.querySelector('.band');
    const back = box ? colour(getComputedStyle(box).fill) : page;
    judge(node.textContent, colour(getComputedStyle(node).fill), back);
  }
  return [...poor];
})()
"""


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_stands_out_from_what_is_behind_it(
    chromium: browser.Browser, pages: dict[str, Path], dark: bool
) -> None:
    for name in ("night", "crowd"):
        assert chromium.open(pages[name], dark=dark).evaluate(_CONTRAST) == [], "at least 4.5 to 1"


def test_the_dark_page_is_dark_and_the_light_one_light(
    chromium: browser.Browser, pages: dict[str, Path]
) -> None:
    def darkness(page: browser.Page) -> int:
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(map(int, re.findall(r"\d+", colour)[:3]))

    assert darkness(chromium.open(pages["night"], dark=True)) < 120
    assert darkness(chromium.open(pages["night"])) > 700


def test_on_paper_everything_is_dark_on_light_and_the_logs_are_open(
    chromium: browser.Browser, pages: dict[str, Path], tmp_path: Path
) -> None:
    page = chromium.open(pages["night"])
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = false })")
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    page.ask("Emulation.setEmulatedMedia", media="print", features=dark)
    assert page.evaluate(_CONTRAST) == []
    assert page.evaluate("document.querySelector('details pre').getBoundingClientRect().height") > 20
    page.pdf(tmp_path / "page.pdf")
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF-")


# ---------------------------------------------------------------------- for everybody


def test_who_comes_by_keyboard_sees_the_needs_of_a_task(
    chromium: browser.Browser, pages: dict[str, Path]
) -> None:
    page = chromium.open(pages["night"])
    wide = "getComputedStyle(document.querySelector('.edge.e0')).strokeWidth"
    before = page.evaluate(wide)
    page.evaluate("document.querySelector('.node.n0').focus()")
    assert (before, page.evaluate(wide)) == ("1.4px", "2.4px")


def test_headings_tables_and_drawings_have_names(chromium: browser.Browser, pages: dict[str, Path]) -> None:
    page = chromium.open(pages["night"])
    assert page.evaluate("document.documentElement.lang") == "en"
    assert page.evaluate("document.querySelectorAll('h1').length") == 1
    levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3')].map(one => +one.tagName[1])")
    assert all(after <= before + 1 for before, after in pairwise(levels)), levels
    assert page.evaluate("[...document.querySelectorAll('th')].filter(one => !one.scope).length") == 0
    unnamed = "[...document.querySelectorAll('main > * svg:not(svg svg), .progress')].filter(one => !one.ariaLabel && !one.getAttribute('aria-labelledby')).length"
    assert page.evaluate(unnamed) == 0
    named = "[...document.querySelectorAll('[aria-labelledby]')].filter(one => !document.getElementById(one.getAttribute('aria-labelledby'))).length"
    assert page.evaluate(named) == 0
    twice = "(() => { const ids = [...document.querySelectorAll('[id]')].map(one => one.id); return ids.length - new Set(ids).size })()"
    assert page.evaluate(twice) == 0
    broken = "[...document.querySelectorAll('a[href]')].filter(one => !document.querySelector(one.getAttribute('href'))).length"
    assert page.evaluate(broken) == 0
