"""A real browser without a window: Chromium spoken to over two pipes, as its own tools do, so that nothing else is needed.

Pages are asked questions in the browser's debugging language, which works where a page itself may run no script.
"""

from __future__ import annotations

import base64
import fcntl
import itertools
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
_PATIENCE = 60.0  # seconds for one answer; a busy machine is slow
_OPTIONS = (
    "--headless",
    "--disable-gpu",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--remote-debugging-pipe",
)

_CONNECT = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


def program() -> str | None:
    """The browser of this machine; None when there is none."""
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


class Browser:
    """A browser at work. Every page it opens is a tab of its own."""

    def __init__(self, process: subprocess.Popen[bytes], to_it: int, from_it: int) -> None:
        self._process = process
        self._to_it = to_it
        self._from_it = from_it
        self._numbers = itertools.count(1)
        self._held = b""
        self.events: list[dict[str, Any]] = []

    def ask(self, method: str, session: str = "", **parameters: Any) -> dict[str, Any]:
        """Call a method of the debugging protocol and return its result; AssertionError when it is refused."""
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._to_it, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def _next(self) -> dict[str, Any]:
        deadline = time.monotonic() + _PATIENCE
        while b"\0" not in self._held:
            piece = os.read(self._from_it, 1 << 20)
            assert piece and time.monotonic() < deadline, "the browser says nothing any more"
            self._held += piece
        line, _, self._held = self._held.partition(b"\0")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def wait_for(self, event: str, session: str) -> dict[str, Any]:
        """The next event of that name on that page."""
        while True:
            for place, seen in enumerate(self.events):
                if seen.get("method") == event and seen.get("sessionId") == session:
                    del self.events[place]
                    parameters: dict[str, Any] = seen["params"]
                    return parameters
            self.events.append(self._next())

    def open(self, file: Path, *, width: int = 1200, height: int = 900, dark: bool = False) -> Page:
        """Open a file as somebody would who clicks on it, on a screen of that size and taste."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        for domain in ("Page", "Network", "Log", "Runtime"):
            page.ask(f"{domain}.enable")
        page.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        scheme = "dark" if dark else "light"
        page.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        page.ask("Page.navigate", url=file.as_uri())
        self.wait_for("Page.loadEventFired", session)
        return page


class Page:
    """An open page."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser = browser
        self._session = session

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the debugging protocol on this page."""
        return self._browser.ask(method, self._session, **parameters)

    def evaluate(self, expression: str) -> Any:
        """What an expression of JavaScript gives; it is the browser's tool that asks, not the page."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def happened(self, event: str) -> list[dict[str, Any]]:
        """Every event of that name so far on this page."""
        self.evaluate(
            "new Promise(done => setTimeout(done, 50))"
        )  # what is on its way arrives before the answer
        return [
            seen["params"]
            for seen in self._browser.events
            if seen.get("method") == event and seen.get("sessionId") == self._session
        ]

    def screenshot(self, file: Path) -> None:
        """A picture of the whole page, as PNG."""
        shot = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(shot["data"]))

    def pdf(self, file: Path) -> None:
        """The page as it would be printed."""
        file.write_bytes(base64.b64decode(self.ask("Page.printToPDF", printBackground=False)["data"]))


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """A browser with a fresh profile in `folder`; it is ended with the block."""
    found = program()
    assert found is not None, "there is no Chromium on this machine"
    read_commands, to_it = os.pipe()
    from_it, write_answers = os.pipe()
    sandbox = ("--no-sandbox",) if os.geteuid() == 0 else ()

    # The browser takes commands from descriptor 3 and answers on 4; those two may be in use here.
    commands, answers = (fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (read_commands, write_answers))
    process = subprocess.Popen(
        [
            *(sys.executable, "-c", _CONNECT, str(commands), str(answers)),
            *(found, *_OPTIONS, *sandbox, f"--user-data-dir={folder}", "about:blank"),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(commands, answers),
    )
    for end in (read_commands, write_answers, commands, answers):
        os.close(end)
    try:
        yield Browser(process, to_it, from_it)
    finally:
        os.close(to_it)  # which tells it to go
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.close(from_it)
