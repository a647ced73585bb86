"""What a plan says about the files of its worktrees, as lines of YAML: ignored ones that are brought, and how sparse they are."""

from __future__ import annotations

from collections.abc import Iterator

from git_waves.core.model import Plan
from git_waves.formats.native.scalars import flow, scalar


def worktree_lines(plan: Plan) -> Iterator[str]:
    """The keys `include` and `sparse`, where the plan has them."""
    if plan.include:
        yield "include:"
    for one in plan.include:
        to = f", to: {scalar(one.to)}" if one.to is not None else ""
        yield f"  - {{{one.how}: {scalar(one.pattern)}{to}}}"
    if plan.sparse is not None:
        reads = flow([scalar(str(pattern)) for pattern in plan.sparse])
        yield f"sparse: {reads if plan.sparse else 'true'}"
