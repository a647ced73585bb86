"""The plan that lost its parallelism: twelve drivers, each with its own files, and one registration file for all."""

from __future__ import annotations

HOT = "tests/kunit/Kbuild"
DRIVERS = (
    "clock", "dma", "gpio", "i2c", "irq", "led", "mmc", "pwm", "rtc", "spi", "uart", "watchdog",
)  # fmt: skip


def kbuild_plan(*, shares: bool = True) -> str:
    """The plan's text; with `shares` every task also modifies the one registration file."""
    lines = ["version: 1", "name: kunit", "agent: {run: cat}", "gates:", "  build: test -d drivers", "tasks:"]
    for driver in DRIVERS:
        modify = f", modify: [{HOT}]" if shares else ""
        lines += [
            f"  - id: {driver}",
            f"    title: Test the {driver} driver with KUnit",
            f"    files: {{create: [drivers/{driver}.c, tests/kunit/{driver}_test.c]{modify}}}",
            f"    prompt: Write the {driver} driver and its KUnit test.",
            f"    verify: test -s tests/kunit/{driver}_test.c",
        ]
    return "\n".join(lines) + "\n"
