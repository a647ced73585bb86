"""The starting plan that `git waves init` writes: small enough to run, with the rest of the format in comments."""

from __future__ import annotations

import json
from collections.abc import Sequence

from git_waves.core.proposals import Proposal

_TEXT = """\
# A plan for git-waves: tasks for agents that work at once in this repository.
# Look at it with `git waves plan`, run it with `git waves run`. Every key is in `man 5 git-waves-plan`.

version: 1
name: {name}
base: {base}            # where the work starts from
# scheduler: dag-parallel  # sequential, dag-parallel or ready-set; chosen from the plan when absent
max_parallel: 4
# on_failure: halt         # or fail-dependents

# Who does a task that has a prompt: the name of an agent, or a command of yours that reads $WAVES_PROMPT_FILE.
# agent: {agent}

# Run in every new worktree. A text goes to the shell, a list is executed as it is.
# setup:
{setup}

# What is not a file and cannot be shared: tasks that name the same one never run together.
# resources: [database]

# Groups are barriers: all of one is merged and gated before the next starts. Without them, needs decide alone.
# groups: [parts, wiring]

# Must pass on the merged result at each barrier. Replace this one by your build and your tests.
gates:
  no-conflict-markers: "! git grep -nE '^(<{{7}}|>{{7}}) '"
{gates}
tasks:
  - id: first
    title: The first task
    # needs: [other]           # tasks that must be merged before this one starts
    # group: parts
    files:                     # every path it touches: files, folders (dir/) and globs (src/**/*.py)
      create: [notes/first.txt]
      # modify: [src/app.py]
      # delete: [src/old/]
    # prompt: |                # what the agent is told; instead of run
    #   Write notes/first.txt.
    run: mkdir -p notes && echo first > notes/first.txt
    verify: test -s notes/first.txt
    # budget: {{wall_clock: 30m, quiet: 5m, tokens: 200k, cost: 2.50}}

  - id: second
    title: A task that touches other files, so it runs beside the first
    files:
      create: [notes/second.txt]
    run: mkdir -p notes && echo second > notes/second.txt
    verify: test -s notes/second.txt
"""


_AGENT = '{run: my-agent --prompt-file "$WAVES_PROMPT_FILE"}'
_SETUP = (Proposal(command="npm ci", reason="for example"),)


def starting_plan(
    *,
    base: str,
    name: str,
    agents: Sequence[str] = (),
    gates: Sequence[Proposal] = (),
    setup: Sequence[Proposal] = (),
) -> str:
    """The text of a new plan named `name` (a plan name) for work that starts from the branch or revision `base`.

    `agents` are the names of those that are installed; with them and the proposals it has more remarks, and none of them
    in force.
    """
    others = f"; so is {', '.join(agents[1:])}" if len(agents) > 1 else ""
    return _TEXT.format(
        base=_scalar(base),
        name=_scalar(name),
        agent=f"{agents[0]}   # it is installed here{others}" if agents else _AGENT,
        setup="\n".join(f"#   - {_scalar(one.command)}   # {one.reason}" for one in setup or _SETUP),
        gates="".join(f"  # {one.name}: {_scalar(one.command)}   # {one.reason}\n" for one in gates),
    )


def _scalar(text: str) -> str:
    """`text` as it may stand in YAML: in quotes unless it is plain beyond doubt."""
    is_plain = text.replace("/", "").replace("-", "").replace(" ", "").isalnum() and text[-1:] != " "
    return text if is_plain and text != "null" else json.dumps(text)
