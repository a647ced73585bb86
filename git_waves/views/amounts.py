"""Tokens and money in few letters, the way people say them. Imports nothing that is not free: `status` uses it."""

from __future__ import annotations

from git_waves.views import age


def tokens(number: float) -> str:
    """`820`, `12.3k`, `213k`, `1.2M`; empty for none."""
    if not number:
        return ""
    if number < 1000:
        return str(round(number))
    for unit in ("k", "M", "G"):
        number /= 1000
        if number < 99.95:
            return f"{number:.1f}".removesuffix(".0") + unit
        if number < 999.5 or unit == "G":
            break
    return f"{number:.0f}{unit}"


def money(dollars: float) -> str:
    """`$0.31`, `$12.40`, `$0.0042`; empty for none."""
    if not dollars:
        return ""
    return f"${dollars:.2f}" if dollars >= 0.01 else f"${dollars:.4f}"


def both(
    number: float, dollars: float, most_tokens: float | None = None, most_dollars: float | None = None
) -> str:
    """`213k tokens, $0.31`, or `213k of 2M tokens, $0.31 of $5.00`: what there is of the two; empty when nothing was told."""
    of_tokens = f" of {tokens(most_tokens)}" if most_tokens else ""
    of_dollars = f" of {money(most_dollars)}" if most_dollars else ""
    parts = (
        f"{tokens(number)}{of_tokens} tokens" if number else "",
        money(dollars) + of_dollars if dollars else "",
    )
    return ", ".join(part for part in parts if part)


def limits(budget: dict[str, float | None]) -> str:
    """`wall clock 45m, quiet 10m, 200k tokens, $2.50`; what was lifted is `no limit of ...`."""
    words = []
    for name, unit in (
        ("wall_clock", "wall clock"),
        ("quiet", "quiet"),
        ("tokens", "tokens"),
        ("cost", "cost"),
    ):
        if name not in budget:
            continue
        value = budget[name]
        if value is None:
            words.append(f"no limit of {unit}")
        elif name == "tokens":
            words.append(f"{tokens(value)} tokens")
        else:
            words.append(money(value) if name == "cost" else f"{unit} {age.words(value)}")
    return ", ".join(words)
