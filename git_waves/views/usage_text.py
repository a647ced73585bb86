"""The short help: what one can type, by what one wants to do. The man page has the rest. Imports nothing."""

from __future__ import annotations

GROUPS = (
    (
        "write and judge a plan",
        (
            ("init", "write a commented starting plan"),
            ("plan", "show groups, ownership and everything wrong with a plan"),
            ("import", "turn plans of other tools into one of ours"),
            ("review", "print a sheet for a second reader, and record the verdict"),
            ("trust", "see what a plan of others would execute, and allow it"),
            ("explain", "say what a finding means and how to mend it"),
            ("guide", "teach how to write a plan that runs in parallel"),
            ("schema", "print the JSON Schema of the plan format, for editors"),
        ),
    ),
    (
        "run it",
        (
            ("run", "start the plan's tasks, or go on where the last run ended"),
            ("stop", "let what is in flight finish, then leave"),
            ("retry", "give a failed or parked task another attempt"),
            ("skip", "go on without a task"),
            ("open", "go into the worktree of a task that waits for a person"),
            ("done", "hand such a task in"),
            ("gate", "run a barrier's gates by hand, or prove that they can fail"),
            ("pull-request", "push what is integrated and open a draft pull request"),
        ),
    ),
    (
        "see it",
        (
            ("status", "show every task, why it waits, and what to type next"),
            ("log", "show what a task or a gate printed"),
            ("show", "show one task: paths, rungs, changes, outcome"),
            ("report", "tell a whole run for the morning, as Markdown or as one page"),
        ),
    ),
    (
        "inside a task's worktree",
        (
            ("owned", "list the paths this task may change"),
            ("request", "ask for a path it does not own"),
            ("agent-hook", "refuse an agent program's edit of a foreign path at once"),
        ),
    ),
    (
        "tidy up",
        (
            ("restore", "bring archived work back, on a branch of its own"),
            ("clean", "remove worktrees and branches that are proved merged"),
            ("hooks", "take back what runs changed in the repository's configuration"),
            ("doctor", "say what is wrong on this machine and here, and how to mend it"),
            ("man", "show the manual of a command, or install it"),
            ("completion", "print a script that completes, for bash, zsh or fish"),
            ("version", "print the version"),
        ),
    ),
)
"""Headings, and under each the commands with one line about them."""


def short_help() -> str:
    """The text of `git waves` and `git waves -h`."""
    lines = ["usage: git waves [-C PATH] [--version] [-h] COMMAND [OPTIONS]", ""]
    for heading, commands in GROUPS:
        lines.append(heading)
        lines += [f"   {name:<14}{about}" for name, about in commands]
        lines.append("")
    lines += [
        "'git waves COMMAND -h' lists the options of a command,",
        "'git waves help COMMAND' opens its manual, 'git waves --help' the whole one,",
        "'man 5 git-waves-plan' that of the plan format",
    ]
    return "\n".join(lines) + "\n"
