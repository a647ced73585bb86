"""Everything that can be wrong with a native plan: each alone, with its line and the way out, and twenty at once."""

from __future__ import annotations

import pytest

from git_waves.core.paths import PathProblem, parse_pattern
from tests.formats.shown import DATA, read, refused, same_as_file

HEAD = "version: 1\n"
TASK = "tasks:\n- id: a\n"  # lines 2 and 3; a task's own lines start at 4


def task(lines: str) -> str:
    """The problems of a plan of one task `a` with more lines, without the exit code, which must be 1."""
    return measured(HEAD + TASK + "".join(f"  {line}\n" for line in lines.splitlines()))


def top(lines: str) -> str:
    """The problems of a plan with more top-level lines, which start at line 4."""
    return measured(HEAD + TASK + lines + "\n")


def measured(text: str) -> str:
    """The problems of a plan that could be read and is wrong."""
    shown, _, code = refused(text).rpartition("\n")
    assert code == "exit 1"
    return shown


def problem(line: int, message: str, hint: str = "") -> str:
    return f"plan.yaml:{line}: {message}" + (f"\n  hint: {hint}" if hint else "")


def bad_path(line: int, path: str, owner: str) -> str:
    """What `core.paths` has to say about a path, on the line of the claim."""
    with pytest.raises(PathProblem) as caught:
        parse_pattern(path)
    return problem(line, f"{caught.value.message} ({owner})", caught.value.hint)


KEYS = (
    "known keys: version, name, base, scheduler, max_parallel, on_failure, on_red, agent, attempts, fallback, agents, commit, setup, include, sparse, "
    "resources, background, gates, review, stages, groups, tasks, expect, budget, require_review, sandbox"
)
LETTERS = "letters, digits, '.', '_' and '-', at most 64, a letter or digit first"
SLUG = "lower-case letters, digits and '-', at most 40, and a letter or digit first"
BRANCH = "no '..' in it, no '.' or '.lock' at its end"
NO_TASKS = "add tasks under 'tasks:', or start from what git waves init writes"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("version: 1", problem(1, "the plan has no tasks", NO_TASKS)),
        ("version: 1\ntasks: []", problem(2, "the plan has no tasks", NO_TASKS)),
        ("version: 1\ntasks:", problem(2, "'tasks' has no value", "write a value, or take the line out")),
        ("version: 1\ntasks: {a: {}}", problem(2, "the plan has no tasks; 'tasks' is a mapping", NO_TASKS)),
        ("version: 1\ntasks: all", problem(2, "the plan has no tasks; 'tasks' is text", NO_TASKS)),
        (
            "version: 1\nscheduler: fast\ntasks: []",
            problem(2, "unknown scheduler 'fast'", "known: sequential, dag-parallel, ready-set")
            + "\n"
            + problem(3, "the plan has no tasks", NO_TASKS),
        ),
        ("tasks: " + "[" * 30, problem(1, "nested deeper than 16 levels", "a plan needs at most 5")),
    ],
)
def test_a_plan_without_tasks_or_that_is_no_yaml_could_not_be_measured(text: str, expected: str) -> None:
    shown, _, code = refused(text + "\n").rpartition("\n")
    assert shown == expected
    assert code == "exit 2"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("nam: x", problem(4, "unknown key 'nam'", "did you mean 'name'?")),
        ("colour: red", problem(4, "unknown key 'colour'", KEYS)),
        ("waves: [a]", problem(4, "unknown key 'waves'", "did you mean 'groups'?")),
        ("name: My Plan", problem(4, "plan name 'My Plan' is not usable", SLUG)),
        ("name: archive", problem(4, "plan name 'archive' is taken by git-waves itself", "choose another name")),
        ("name: [a]", problem(4, "'name' must be text, not a list")),
        ("base: --all", problem(4, "'base' is no branch or revision: '--all'", "base: main")),
        ("base: a b", problem(4, "'base' is no branch or revision: 'a b'", "base: main")),
        ("scheduler: parallel", problem(4, "unknown scheduler 'parallel'", "known: sequential, dag-parallel, ready-set")),
        ("on_failure: retry", problem(4, "unknown on_failure 'retry'", "known: halt, fail-dependents")),
        ("commit: never", problem(4, "unknown commit 'never'", "known: auto, agent")),
        ("max_parallel: 0", problem(4, "'max_parallel' must be a whole number of at least 1, not '0'")),
        ("max_parallel: -1", problem(4, "'max_parallel' must be a whole number of at least 1, not '-1'")),
        ("max_parallel: 2.5", problem(4, "'max_parallel' must be a whole number of at least 1, not '2.5'")),
        ("max_parallel: many", problem(4, "'max_parallel' must be a whole number of at least 1, not 'many'")),
        ("agent: gpt", problem(4, "unknown agent 'gpt'", "known: claude, codex, or agent: {run: COMMAND}")),
        ("agent: {cmd: x}", problem(4, "unknown key 'cmd' in 'agent'", "did you mean 'run'?") + "\n" + problem(4, "the agent of the plan says neither 'run' nor 'use'", "write 'run: COMMAND' or 'use: AGENT'")),
        ("agent: [x]", problem(4, "'agent' must be an agent's name, or a mapping with 'run' or 'use', not a list")),
        ("agent: {run: ' '}", problem(4, "'run' of the agent of the plan is an empty command", "write the command, or take it out")),
        ("setup: {run: make, a: b}", problem(4, "unknown key 'a' in 'setup'", "known keys: run, timeout")),
        ("setup: {timeout: 5m}", problem(4, "'setup' has no 'run'", "add a line 'run: ...'")),
        ("setup: {run: make, timeout: soon}", problem(4, "'timeout' of 'setup' is no duration: 'soon'", "write 90, 90s, 15m or 1.5h")),
        ("include: [{cop: .env}]", problem(4, "unknown key 'cop' in include entry 1", "did you mean 'copy'?")),
        ("include:\n- {copy: a, link: b}", problem(5, "an entry of 'include' has exactly one of 'copy', 'link' and 'template'", "write one of them: {copy: .env}")),
        ("include: [{copy: a, to: b}]", problem(4, "'to' goes with 'template', not with 'copy'")),
        ("include: ['!x']", problem(4, "'copy' is no pattern: '!x'", "write a line as in a .gitignore: .env, /config/*.local, node_modules/")),
        ("include: [{template: a/, to: b}]", problem(4, "'template' is no file: 'a/'", "with 'to', a template is one file")),
        ("include: [[a]]", problem(4, "include entry 1 must be a pattern, or a mapping of copy, link or template to one, not a list")),
        ("setup:\n- npm ci\n- ''", problem(6, "an entry of 'setup' is an empty command", "write the command, or take it out")),
        ("setup: [npm, ci]", problem(4, "'setup' is a list of commands, and this one reads like the words of a single command", "one command is [[npm, ci]] or a text; several are one text each")),
        ("budget: 5", problem(4, "'budget' must be a mapping, not text")),
        ("budget: {wall_clock: soon}", problem(4, "'wall_clock' of the plan is no duration: 'soon'", "write 90, 90s, 15m or 1.5h")),
        ("budget: {tokens: -5}", problem(4, "'tokens' of the plan is no count: '-5'", "write 200000, 200k or 1.5M")),
        ("expect: {}", problem(4, "'expect' has no 'shared_paths'", "add a line 'shared_paths: ...'")),
        ("expect: {shared_paths: some}", problem(4, "'shared_paths' must be a list of paths or a whole number, not 'some'")),
        ("expect: {shared_paths: [../x, a, a]}", problem(4, "'shared_paths' names 'a' twice", "keep one of the two") + "\n" + bad_path(4, "../x", "'shared_paths'")),
        ("<<: {a: b}", problem(4, "merge keys ('<<') are not used in a plan", "write the keys out")),
        ("name: a\nname: b", problem(5, "'name' is given twice, first on line 4", "keep one of the two")),
    ],
)  # fmt: skip
def test_a_wrong_key_of_the_plan_is_told_with_its_line(lines: str, expected: str) -> None:
    assert top(lines) == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("groups: a", problem(4, "'groups' must be a list, not text", "write [a]")),
        ("groups: [a, A]", problem(4, "group 'A' differs from 'a' on line 4 only in case", "some file systems take them for one: rename one")),
        ("groups:\n- a\n- {name: a}", problem(6, "group 'a' is there twice, first on line 5", "rename one of them")),
        ("groups: [{title: x}]", problem(4, "group 1 has no 'name'", "add a line 'name: ...'")),
        ("groups: [[a]]", problem(4, "group 1 must be a name, or a mapping of name and title, not a list")),
        ("groups: ['a b']", problem(4, "group 'a b' has a name that cannot be used", LETTERS)),
        ("gates: {unit: {groups: [x], run: make}}", problem(4, "gate 'unit' names group 'x', which the plan does not have", "add it under 'groups:'")),
        ("groups: [api]\ngates: {unit: {groups: [app], run: make}}", problem(5, "gate 'unit' names group 'app', which the plan does not have", "groups: api")),
        ("groups: [front]\ngates: {unit: {groups: [frond], run: make}}", problem(5, "gate 'unit' names group 'frond', which the plan does not have", "did you mean 'front'?")),
        ("gates: {unit: {timeout: 1d, run: make}}", problem(4, "'timeout' of gate 'unit' is no duration: '1d'", "write 90, 90s, 15m or 1.5h")),
        ("gates: {unit: {claim: yes, run: make}}", problem(4, "'claim' of gate 'unit' must be true or false, not 'yes'")),
        ("gates: {a: {claim: true, run: x}, b: {claim: true, run: y}}", problem(4, "gate 'b' is a second claim", "one gate carries the plan")),
        ("gates: {unit: {}}", problem(4, "gate 'unit' has no 'run'", "add a line 'run: ...'")),
        ("gates: {unit: {run: make, retries: 10}}", problem(4, "'retries' of gate 'unit' must be a whole number from 0 to 9, not '10'")),
        ("gates: {unit: {run: make, retries: -1, flaky: accept}}", problem(4, "'retries' of gate 'unit' must be a whole number from 0 to 9, not '-1'")),
        ("gates: {unit: {run: make, flaky: maybe}}", problem(4, "unknown flaky 'maybe'", "known: halt, accept")),
        ("gates: {unit: {run: make, flaky: accept}}", problem(4, "gate 'unit' accepts to be flaky and is never run again", "add 'retries: 2': without a second run nobody sees that it is")),
        ("gates:\n  unit:\n    run: make\n    control: [sh, '-c']\n    baseline: skip", problem(8, "gate 'unit' has a 'control' and skips its baseline", "a control says something only about a gate that is green without it: take 'baseline: skip' out")),
        ("gates: {unit: {run: make, control: ''}}", problem(4, "'control' of gate 'unit' is an empty command", "write the command, or take it out")),
        ("gates: {unit: {run: make, control: {patch: /tmp/x}}}", bad_path(4, "/tmp/x", "the control of gate 'unit'")),
        ("gates: {unit: {run: make, control: {patch: x/}}}", problem(4, "'x/' is a folder, not a file (the control of gate 'unit')", "name the files one by one")),
        ("gates: {unit: {run: make, control: {diff: x}}}", problem(4, "'control' of gate 'unit' has no 'patch'", "add a line 'patch: ...'") + "\n" + problem(4, "unknown key 'diff' in 'control' of gate 'unit'", "known keys: patch")),
        ("gates: {unit: {run: make, guards: []}}", problem(4, "'guards' of gate 'unit' is empty", "name the files, or take the key out")),
        ("gates: {unit: {run: make, guards: [a, a]}}", problem(4, "'guards' of gate 'unit' names 'a' twice", "keep one of the two")),
        ("gates: {unit: {run: make, guards: [../a]}}", bad_path(4, "../a", "'guards' of gate 'unit'")),
        ("gates: {unit: {run: make, baseline: never}}", problem(4, "unknown baseline 'never'", "known: report, require, tolerate, skip")),
        ("gates: {unit: {run: make, baseline: tolerate}}", problem(4, "gate 'unit' tolerates failures and does not say how to know them", "add 'failures: REGEX' for the lines that name one failure each, such as '^FAILED (.+)'")),
        ("gates: {unit: {run: make, failures: '(x'}}", problem(4, "'failures' of gate 'unit' is no regular expression: missing ), unterminated subpattern at position 0", "it is a regular expression of Python, for one line of output: '^FAILED (.+)'")),
        ("gates: {unit: {run: make, failures: 'x*'}}", problem(4, "'failures' of gate 'unit' matches an empty line", "it must match only lines that name a failure")),
        ("gates: {unit: []}", problem(4, "gate 'unit' is an empty command", "write the command, or take it out")),
        ("gates: {unit: [[make]]}", problem(4, "gate 'unit' must be text, not a list")),
        ("gates: {run: {run: {a: b}}}", problem(4, "'run' of gate 'run' must be a command: a text for the shell, or a list that is executed as it is, not a mapping")),
        (
            "gates: [make]",
            problem(4, "'gates' must be a mapping, not a list", "write gates: {NAME: {run: COMMAND}}"),
        ),
        ("gates: {-x: make}", problem(4, "gate '-x' has a name that cannot be used", LETTERS)),
        ("gates: {Review: make}", problem(4, "the gate name 'Review' is taken by git-waves itself", "choose another name; the integration review stands under 'review:'")),
        ("sandbox: jail", problem(4, "unknown sandbox 'jail'", "known: none, landlock, bwrap")),
        ("sandbox: {use: jail}", problem(4, "unknown use 'jail'", "known: none, landlock, bwrap")),
        ("sandbox: {use: bwrap, writes: [a]}", problem(4, "'a' under 'writes' of the sandbox of the plan is no whole path", "begin it with '/' or '~/', without '..'")),
        ("on_red: stop", problem(4, "unknown on_red 'stop'", "known: halt, keep-green")),
        ("review: {run: x, claim: true}", problem(4, "unknown key 'claim' in 'review'", "known keys: run, timeout")),
        ("review: {timeout: 5m}", problem(4, "'review' has no 'run'", "add a line 'run: ...'")),
        ("review: ''", problem(4, "'review' is an empty command", "write the command, or take it out")),
        ("review: [sh, [x]]", problem(4, "an entry of 'review' must be text, not a list")),
        ("review: {run: [sh, [x]], timeout: soon}", problem(4, "an entry of 'run' of 'review' must be text, not a list") + "\n" + problem(4, "'timeout' of the review is no duration: 'soon'", "write 90, 90s, 15m or 1.5h")),
        ("stages: {verify: x}", problem(4, "the stage name 'verify' is taken by git-waves itself", "choose another name")),
        ("stages: {Verify-2: x}", problem(4, "the stage name 'Verify-2' is taken by git-waves itself", "choose another name")),
        ("stages: {a.b: x}", problem(4, "stage 'a.b' has a '.' in its name", "write '-' instead")),
        ("stages: {risk: {run: x, tasks: [b]}}", problem(4, "stage 'risk' names task 'b', which the plan does not have", "tasks: a")),
        ("stages: {risk: {run: x, tasks: [a, a]}}", problem(4, "'tasks' of stage 'risk' names 'a' twice", "keep one of the two")),
        ("stages: {risk: {tasks: [a]}}", problem(4, "stage 'risk' has no 'run'", "add a line 'run: ...'")),
        ("stages: {risk: [[x]]}", problem(4, "stage 'risk' must be text, not a list")),
        ("stages: {risk: {run: x, groups: [a]}}", problem(4, "unknown key 'groups' in stage 'risk'", "known keys: run, timeout, tasks")),
        (
            "stages: [risk]",
            problem(4, "'stages' must be a mapping, not a list", "write stages: {NAME: {run: COMMAND}}"),
        ),
        ("resources: {db: {capacity: 0}}", problem(4, "'capacity' of resource 'db' must be a whole number of at least 1, not '0'")),
        ("resources: {db: {scope: planet}}", problem(4, "unknown scope 'planet'", "known: run, machine")),
        ("resources: {db: 2}", problem(4, "resource 'db' must be a mapping, not text")),
        ("resources: [db, db]", problem(4, "resource 'db' is there twice, first on line 4", "rename one of them")),
        ("resources: db", problem(4, "'resources' must be a list of names, or a mapping of name to capacity, scope and kind, not text")),
        ("background: [{name: cron}]", problem(4, "background writer 'cron' says neither 'quiesce' nor 'gate'", "write 'quiesce: COMMAND' to stop it, or 'gate: NAME' to check after it")),
        ("background: [{name: cron, gate: x}]", problem(4, "background writer 'cron' names gate 'x', which the plan does not have", "add it under 'gates:'")),
        ("gates: {x: make}\nbackground: [{name: cron, gate: x, resume: go}]", problem(5, "background writer 'cron' has a 'resume' and nothing that stops it", "add 'quiesce: COMMAND'")),
        ("background: [{name: c, quiesce: x, writes: [/var/log]}]", bad_path(4, "/var/log", "background writer 'c'")),
        ("background: [{name: c, quiesce: x}, {name: c, quiesce: y}]", problem(4, "background writer 'c' is there twice, first on line 4", "rename one of them")),
    ],
)  # fmt: skip
def test_a_wrong_group_gate_resource_or_writer_is_told_with_its_line(lines: str, expected: str) -> None:
    assert top(lines) == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("depends_on: [b]", problem(4, "unknown key 'depends_on' in task 'a'", "did you mean 'needs'?")),
        ("promt: x", problem(4, "unknown key 'promt' in task 'a'", "did you mean 'prompt'?")),
        ("needs: b", problem(4, "'needs' of task 'a' must be a list, not text", "write [b]")),
        ("needs:\n- a", problem(5, "task 'a' needs itself", "remove the entry")),
        ("needs: [b]", problem(4, "task 'a' needs 'b', which is no task of this plan", "tasks: a")),
        ("needs: [A]", problem(4, "task 'a' needs 'A', which is no task of this plan", "did you mean 'a'?")),
        ("needs: [[a]]", problem(4, "an entry of 'needs' of task 'a' must be text, not a list")),
        ("needs: [~]", problem(4, "an entry of a list is empty", "write a value, or take the line out")),
        ("group: g", problem(4, "task 'a' names group 'g', which the plan does not have", "add it under 'groups:'")),
        ("resources: [db]", problem(4, "task 'a' names resource 'db', which the plan does not have", "add it under 'resources:'")),
        ("files: src", problem(4, "'files' of task 'a' must be a list of paths, or a mapping of create, modify, delete, edit and inferred, not text")),
        ("files: {add: [x]}", problem(4, "unknown key 'add' in 'files' of task 'a'", "known keys: create, modify, delete, edit, inferred")),
        ("files: {create: x}", problem(4, "'create' of task 'a' must be a list, not text", "write [x]")),
        ("files:\n- ok\n- ../up", bad_path(6, "../up", "task 'a'")),
        ("files:\n  create:\n  - ok\n  delete: [/etc/passwd]", bad_path(7, "/etc/passwd", "task 'a'")),
        ("files: [x/.git/config]", bad_path(4, "x/.git/config", "task 'a'")),
        ("files: ['']", bad_path(4, "", "task 'a'")),
        ("files:\n- x\n- y\n- x", problem(7, "'files' of task 'a' names 'x' twice", "keep one of the two")),
        ("files: {create: [x], delete: [x]}", problem(4, "'files' of task 'a' names 'x' twice", "keep one of the two")),
        ("run: x\nprompt: y", problem(5, "task 'a' has both 'run' and 'prompt'", "a task is done by its command or by an agent: keep one of the two")),
        ("prompt: ' '", problem(4, "the prompt of task 'a' is empty", "write it, or take the line out")),
        ("prompt:", problem(4, "'prompt' has no value", "write a value, or take the line out")),
        ("run: []", problem(4, "'run' of task 'a' is an empty command", "write the command, or take it out")),
        ("run: [sh, [x]]", problem(4, "an entry of 'run' of task 'a' must be text, not a list")),
        ("run: {sh: x}", problem(4, "'run' of task 'a' must be a command: a text for the shell, or a list that is executed as it is, not a mapping")),
        ("agent: copilot", problem(4, "unknown agent 'copilot'", "known: claude, codex, or agent: {run: COMMAND}")),
        ("verify: [pytest, -q]", problem(4, "'verify' of task 'a' is a list of commands, and '-q' is no command", "one command is [[pytest, -q]] or a text; several are one text each")),
        ("verify:\n- make\n- lint", problem(5, "'verify' of task 'a' is a list of commands, and this one reads like the words of a single command", "one command is [[make, lint]] or a text; several are one text each")),
        ("verify: [[]]", problem(4, "an entry of 'verify' of task 'a' is an empty command", "write the command, or take it out")),
        ("verify: [{a: b}]", problem(4, "an entry of 'verify' of task 'a' must be a command: a text for the shell, or a list that is executed as it is, not a mapping")),
        ("budget: {wall_clock: 0}", problem(4, "'wall_clock' of task 'a' is no duration: '0'", "write 90, 90s, 15m or 1.5h")),
        ("budget:\n  quiet: 5 m", problem(5, "'quiet' of task 'a' is no duration: '5 m'", "write 90, 90s, 15m or 1.5h")),
        ("budget: {cost: -1}", problem(4, "'cost' of task 'a' is no amount: '-1'", "write US dollars: 2 or 2.50")),
        ("budget: {cost: 0.0}", problem(4, "'cost' of task 'a' is no amount: '0.0'", "write US dollars: 2 or 2.50")),
        ("agent: {run: x, resume: ' '}", problem(4, "'resume' of the agent of task 'a' is an empty command", "write the command, or take it out")),
        ("agent: {resume: x}", problem(4, "the agent of task 'a' says neither 'run' nor 'use'", "write 'run: COMMAND' or 'use: AGENT'")),
        ("agent: {run: x, use: claude}", problem(4, "the agent of task 'a' says both 'run' and 'use'", "one of them does the task")),
        ("agent: {use: claude, resume: x}", problem(4, "'resume' of the agent of task 'a' belongs to 'run'")),
        ("agent: {run: x, model: y}", problem(4, "'model' of the agent of task 'a' belongs to 'use'")),
        ("agent: {run: x, reads: y}", problem(4, "no preset is 'y'", "known: aider, claude, codex, gemini, mini-swe-agent, opencode")),
        ("agent: {run: x, env: {A-B: y}}", problem(4, "'A-B' in 'env' of the agent of task 'a' is no variable's name")),
        ("agent: {run: x, env: {WAVES_TASK: y}}", problem(4, "'WAVES_TASK' in 'env' of the agent of task 'a' is one of git-waves' own")),
        ("budget: {tokens: lots}", problem(4, "'tokens' of task 'a' is no count: 'lots'", "write 200000, 200k or 1.5M")),
        ("budget: {time: 5}", problem(4, "unknown key 'time' in 'budget' of task 'a'", "known keys: wall_clock, quiet, tokens, cost")),
        ("handoff: [out/]", problem(4, "'out/' is a folder, not a file (task 'a')", "name the files one by one")),
        ("handoff: ['*.md']", problem(4, "'*.md' is a glob, not a file (task 'a')", "name the files one by one")),
        ("handoff: [../x]", bad_path(4, "../x", "task 'a'")),
        ("attempts: 0", problem(4, "'attempts' of task 'a' must be a whole number of at least 1, not '0'")),
        ("attempts: 10", problem(4, "'attempts' of task 'a' is 10: without a person at most 9 are made")),
        ("fallback: [nobody]", problem(4, "unknown agent 'nobody'", "known: claude, codex, or agent: {run: COMMAND}")),
        ("fallback: [{run: x, runs: y}]", problem(4, "unknown key 'runs' in 'fallback' of task 'a'", "did you mean 'run'?")),
        ("attended: yes", problem(4, "'attended' of task 'a' must be true or false, not 'yes'")),
        ("allow_empty: 1", problem(4, "'allow_empty' of task 'a' must be true or false, not '1'")),
        ("commit: me", problem(4, "unknown commit 'me'", "known: auto, agent")),
        ("estimate: long", problem(4, "'estimate' of task 'a' is no duration: 'long'", "write 90, 90s, 15m or 1.5h")),
        ("id: b", problem(4, "'id' is given twice, first on line 3", "keep one of the two")),
    ],
)  # fmt: skip
def test_a_wrong_key_of_a_task_is_told_with_its_line(lines: str, expected: str) -> None:
    assert task(lines) == expected


@pytest.mark.parametrize(
    ("identity", "expected"),
    [
        ("a b", problem(3, "task 'a b' has a name that cannot be used", LETTERS)),
        ("-x", problem(3, "task '-x' has a name that cannot be used", LETTERS)),
        ("../x", problem(3, "task '../x' has a name that cannot be used", LETTERS)),
        ("é", problem(3, "task 'é' has a name that cannot be used", LETTERS)),
        ("''", problem(3, "task '' has a name that cannot be used", LETTERS)),
        ("x" * 65, problem(3, f"task '{'x' * 57}...' has a name that cannot be used", LETTERS)),
        ('"a\\nb"', problem(3, "task 'a b' has a name that cannot be used", LETTERS)),
        ("a.lock", problem(3, "task 'a.lock' cannot be part of a branch name", BRANCH)),
        ("a.LOCK", problem(3, "task 'a.LOCK' cannot be part of a branch name", BRANCH)),
        ("a.", problem(3, "task 'a.' cannot be part of a branch name", BRANCH)),
        ("a..b", problem(3, "task 'a..b' cannot be part of a branch name", BRANCH)),
        ("integration", problem(3, "the id 'integration' is taken by git-waves itself", "choose another id")),
        ("Gate", problem(3, "the id 'Gate' is taken by git-waves itself", "choose another id")),
        ("null", problem(3, "'id' has no value", "write a value, or take the line out")),
    ],
)
def test_an_id_that_is_no_branch_name_is_told(identity: str, expected: str) -> None:
    assert measured(f"version: 1\ntasks:\n- id: {identity}\n") == expected


def test_ids_are_compared_after_case_folding() -> None:
    assert measured("version: 1\ntasks:\n- id: api\n- id: api\n- id: API\n") == "\n".join(
        [
            problem(4, "task 'api' is there twice, first on line 3", "rename one of them"),
            problem(
                5,
                "task 'API' differs from 'api' on line 3 only in case",
                "some file systems take them for one: rename one",
            ),
        ]
    )


def test_every_circle_of_needs_is_named_in_its_order() -> None:
    text = "version: 1\ntasks:\n" + "".join(
        f"- {{id: {task}, needs: [{needs}]}}\n"
        for task, needs in [("c", "a"), ("a", "b"), ("b", "c"), ("x", "y, c"), ("y", "x"), ("z", "z")]
    )
    assert measured(text) == "\n".join(
        [
            problem(
                3, "needs go in a circle: 'c' needs 'a' needs 'b' needs 'c'", "remove one of these needs"
            ),
            problem(6, "needs go in a circle: 'x' needs 'y' needs 'x'", "remove one of these needs"),
            problem(8, "task 'z' needs itself", "remove the entry"),
        ]
    )


def test_a_circle_of_ten_thousand_is_told_in_one_line() -> None:
    size = 10_000
    text = "version: 1\ntasks:\n" + "".join(
        f"- {{id: t{at}, needs: [t{(at + 1) % size}]}}\n" for at in range(size)
    )
    first = " needs ".join(f"'t{at}'" for at in range(12))
    assert measured(text) == problem(
        3, f"needs go in a circle: {first} needs ... (9988 more) needs 't0'", "remove one of these needs"
    )


def test_a_task_that_is_no_task_does_not_hide_the_others() -> None:
    text = "version: 1\ntasks:\n- nonsense\n- title: no id\n- {id: b, files: [/x], colour: red}\n- [c]\n"
    shown = measured(text).replace("\n  hint", " | hint").splitlines()
    assert [line.split(" | ")[0] for line in shown] == [
        "plan.yaml:3: task 1 must be a mapping, not text",
        "plan.yaml:4: task 2 has no 'id'",
        "plan.yaml:5: unknown key 'colour' in task 'b'",
        "plan.yaml:5: path '/x' is absolute (task 'b')",
        "plan.yaml:6: task 4 must be a mapping, not a list",
    ]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("<map>: 1", problem(4, "unknown key '<map>'", KEYS)),
        ("agent: {run: x, <map>: y}", problem(4, "unknown key '<map>' in 'agent'", "known keys: run, resume, reads, use, model, args, env")),
        ("gates: {<map>: {zz: 1, run: x}}", problem(4, "unknown key 'zz' in gate '<map>'", "known keys: run, groups, timeout, claim, retries, flaky, control, guards, baseline, failures") + "\n" + problem(4, "gate '<map>' has a name that cannot be used", LETTERS)),
        ("resources: {<list>: [x]}", problem(4, "resource '<list>' must be a mapping, not a list")),
        ('"\\e[31mred": 1', problem(4, "unknown key '\\x1b[31mred'", KEYS)),
    ],
)  # fmt: skip
def test_keys_that_look_like_our_own_words_or_like_commands_to_a_terminal_are_only_wrong(
    lines: str, expected: str
) -> None:
    assert top(lines) == expected


def test_names_are_not_called_unknown_when_their_section_lost_an_entry() -> None:
    text = "version: 1\ngroups: [[a], b]\ntasks:\n- {id: x, group: a}\n- {id: y, needs: [*x]}\n"
    assert measured(text) == "\n".join(
        [
            problem(2, "group 1 must be a name, or a mapping of name and title, not a list"),
            problem(
                5,
                "aliases ('*x') are not used in a plan",
                "write the value out; a text that starts with '*' needs quotes",
            ),
        ]
    )


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("", problem(1, "the plan has no 'version'", "write 'version: 1' at its top")),
        ("version: 1.0\n", problem(1, "version '1.0' is no version of this format", "write 'version: 1'")),
        ("version: [1]\n", problem(1, "'version' is a list", "write 'version: 1'")),
    ],
)
def test_a_plan_without_a_usable_version_is_checked_as_version_1(version: str, expected: str) -> None:
    line = 2 + version.count("\n")
    shown = measured(version + "tasks:\n- {id: -x}\n")
    assert shown == expected + "\n" + problem(line, "task '-x' has a name that cannot be used", LETTERS)


def test_a_plan_of_a_newer_version_is_not_judged_by_the_rules_of_this_one() -> None:
    expected = problem(
        1, "the plan has version 2; this git-waves reads version 1", "install a newer git-waves"
    )
    assert measured("version: 2\ncolour: red\ntasks:\n- {id: -x}\n") == expected


def test_twenty_problems_are_told_at_once_in_the_order_of_their_lines() -> None:
    text = (DATA / "twenty-problems.yaml").read_bytes()
    shown = refused(text, path=".waves/twenty-problems.yaml") + "\n"
    same_as_file(shown, DATA / "twenty-problems.txt")
    assert shown.count(".waves/twenty-problems.yaml:") == 20


def test_the_same_slip_in_every_task_is_told_for_every_task() -> None:
    text = "version: 1\ntasks:\n" + "".join(
        f"- {{id: t{at}, need: [t0], group: g, needs: [u{at}]}}\n" for at in range(1_000)
    )
    assert measured(text).count("plan.yaml:") == 3_000


def test_a_plan_with_problems_is_never_returned() -> None:
    assert read("version: 1\ntasks:\n- id: a\n").tasks[0].id == "a"
