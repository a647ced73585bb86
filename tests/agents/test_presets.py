"""How each agent program is started and goes on, who is meant by a name, and what a definition adds."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from git_waves import agents
from git_waves.agents import KNOWN, PRESETS, Briefing, Invocation
from git_waves.agents.usage_mini import MiniReader
from git_waves.core.model import AgentDefinition, AgentSpec, Command, Plan, RepoPath, Task, TaskId
from git_waves.formats.native import reader

RUN = Path("/r/.git/waves/runs/1")
BRIEFING = Briefing(
    prompt=RUN / "prompts/a.1.md",
    words="Do it.\n",
    session="6f0d7f0e-2f43-5d0c-8d5f-0d5a3c1b8a11",
    state=RUN / "agents/a.1",
    writable=(Path("/r/.git/worktrees/a.1"), Path("/r/.git/objects")),
    owned=(RepoPath("src/a.py"), RepoPath("b.py")),
)


def sh(text: str) -> Command:
    return Command(shell=text)


TASK = Task(id=TaskId("a"), prompt="Do it.")
WITH_RUN = Task(id=TaskId("a"), run=sh("make a"))


def plan(agent: AgentSpec | None, *defined: AgentDefinition) -> Plan:
    return Plan(name="p", source="p", agent=agent, agents=defined, tasks=(TASK,))


def started(spec: AgentSpec, *defined: AgentDefinition, **own: Command) -> Invocation | None:
    return agents.invocation(plan(spec, *defined), TASK, BRIEFING, own)


@pytest.mark.parametrize(
    ("name", "start", "resume"),
    [
        (
            "claude",
            "claude -p --output-format stream-json --verbose --session-id SESSION --allowedTools Bash "
            "--permission-mode acceptEdits --model M -x",
            "claude -p --output-format stream-json --verbose --resume SESSION --allowedTools Bash "
            "--permission-mode acceptEdits --model M -x",
        ),
        (
            "codex",
            "codex exec --json --color never -s workspace-write -c sandbox_workspace_write.writable_roots="
            '["/r/.git/worktrees/a.1","/r/.git/objects"] --disable plugins -c check_for_update_on_startup=false '
            "-c analytics.enabled=false -c feedback.enabled=false -m M -x -",
            "codex exec --json --color never -s workspace-write -c sandbox_workspace_write.writable_roots="
            '["/r/.git/worktrees/a.1","/r/.git/objects"] --disable plugins -c check_for_update_on_startup=false '
            "-c analytics.enabled=false -c feedback.enabled=false -m M -x resume SESSION -",
        ),
        (
            "gemini",
            "gemini --approval-mode yolo --skip-trust -o stream-json --session-id SESSION -m M -x",
            "gemini --approval-mode yolo --skip-trust -o stream-json --resume SESSION -m M -x",
        ),
        (
            "opencode",
            "opencode run --format json --auto -m M -x",
            "opencode run --format json --auto --session SESSION -m M -x",
        ),
        (
            "aider",
            "aider --message-file PROMPT --yes-always --no-pretty --no-stream --no-fancy-input "
            "--no-suggest-shell-commands --no-gitignore --no-check-update --analytics-disable "
            "--no-show-release-notes --no-show-model-warnings --map-tokens 0 --git-commit-verify "
            "--chat-history-file STATE/chat.md --input-history-file STATE/input.txt "
            "--llm-history-file STATE/llm.txt --model M -x --file src/a.py --file b.py",
            None,
        ),
        (
            "mini-swe-agent",
            "mini -y --exit-immediately -c mini.yaml -c STATE/task.yaml -o STATE/trajectory.json -m M -x",
            None,
        ),
    ],
)
def test_a_preset_is_started_and_goes_on_like_this(name: str, start: str, resume: str | None) -> None:
    def shown(invocation: Invocation | None) -> str | None:
        if invocation is None:
            return None
        words = " ".join(word.replace(" ", "") for word in invocation.argv)
        for place, short in ((BRIEFING.session, "SESSION"), (str(BRIEFING.state), "STATE")):
            words = words.replace(place, short)
        return words.replace(str(BRIEFING.prompt), "PROMPT")

    spec = AgentSpec(name=name, model="M", args=("-x",))
    begun = started(spec)
    going_on = agents.resumption(plan(spec), TASK, BRIEFING, {})
    assert (shown(begun), shown(going_on)) == (start, resume)
    assert agents.is_resumable(plan(spec), TASK, {}) == (resume is not None)
    assert begun is not None
    takes_stdin = name not in ("aider", "mini-swe-agent")
    assert begun.stdin == (BRIEFING.prompt if takes_stdin else None)
    assert begun.argv[0] == PRESETS[name].program


def test_the_names_that_a_plan_may_use_are_those_of_the_presets() -> None:
    assert reader.PRESETS == KNOWN == {preset.name for preset in PRESETS.values()}


def test_a_prompt_of_any_length_reaches_mini_swe_agent_in_a_file() -> None:
    begun = started(AgentSpec(name="mini-swe-agent"))
    assert begun is not None
    ((path, content),) = begun.files
    assert str(path) in begun.argv
    assert json.loads(content) == {"run": {"task": "Do it.\n"}}


def test_claude_is_told_to_ask_before_each_edit_by_a_file_outside_of_the_worktree() -> None:
    asked = replace(BRIEFING, edit_hook="python guard.py lease agent-hook")
    begun = agents.invocation(plan(AgentSpec(name="claude")), TASK, asked, {})
    assert begun is not None
    ((path, content),) = begun.files
    assert (path.parent, begun.argv[begun.argv.index("--settings") + 1]) == (BRIEFING.state, str(path))
    (rule,) = json.loads(content)["hooks"]["PreToolUse"]
    assert rule["matcher"] == "Write|Edit|MultiEdit|NotebookEdit"
    assert rule["hooks"][0]["command"] == asked.edit_hook


HOOK = "python guard.py 'a \"b\"/lease' agent-hook"


def asking(name: str, *, is_fenced: bool = False) -> Invocation:
    begun = agents.invocation(
        plan(AgentSpec(name=name)), TASK, replace(BRIEFING, edit_hook=HOOK, is_fenced=is_fenced), {}
    )
    assert begun is not None
    return begun


def test_codex_is_told_to_ask_before_each_edit_and_that_this_hook_alone_is_trusted() -> None:
    words = [word for word in asking("codex").argv if word.startswith("hooks.")]
    told = tomllib.loads("\n".join(words))["hooks"]
    assert told["PreToolUse"] == [
        {"matcher": "apply_patch", "hooks": [{"type": "command", "command": HOOK, "timeout": 10}]}
    ]
    ((place, state),) = told["state"].items()
    assert place == "/<session-flags>/config.toml:pre_tool_use:0:0"
    # what Codex 0.171.0 makes of this hook
    assert state == {
        "trusted_hash": "sha256:8eabb592ff4b1a430d5f5b0b493441d05b0bcbdf0f6588439588a82493d59450"
    }


def test_gemini_is_told_to_ask_before_each_edit_by_defaults_that_give_way_to_the_machines_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun = asking("gemini")
    ((path, content),) = begun.files
    assert begun.env["GEMINI_CLI_SYSTEM_DEFAULTS_PATH"] == str(path)
    (rule,) = json.loads(content)["hooks"]["BeforeTool"]
    assert (rule["matcher"], rule["hooks"][0]["command"]) == ("write_file|replace", HOOK)
    monkeypatch.setenv("GEMINI_CLI_SYSTEM_DEFAULTS_PATH", "/etc/ours.json")
    begun = asking("gemini")
    assert (begun.files, "GEMINI_CLI_SYSTEM_DEFAULTS_PATH" in begun.env) == ((), False)


def test_opencode_is_told_to_ask_before_each_edit_by_a_plugin_unless_the_user_has_a_configuration_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun = asking("opencode")
    ((path, content),) = begun.files
    assert json.loads(begun.env["OPENCODE_CONFIG_CONTENT"]) == {"plugin": [path.as_uri()]}
    assert f"const hook = {json.dumps(HOOK)}\n" in content
    monkeypatch.setenv("OPENCODE_CONFIG_CONTENT", "{}")
    begun = asking("opencode")
    assert (begun.files, "OPENCODE_CONFIG_CONTENT" in begun.env) == ((), False)


@pytest.mark.parametrize(
    ("name", "folder", "variable", "own"),
    [("codex", ".codex", "CODEX_HOME", "codex"), ("gemini", ".gemini", "GEMINI_CLI_HOME", ".gemini")],
)
def test_behind_the_fence_a_program_that_writes_beside_its_settings_has_a_home_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, folder: str, variable: str, own: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv(variable, raising=False)
    users = tmp_path / folder
    users.mkdir()
    for one in ("settings", "auth.json", "tmp", "state_5.sqlite", "state_5.sqlite-wal"):
        (users / one).touch()
    begun = asking(name, is_fenced=True)
    assert begun.homes == ((BRIEFING.state / own, (users / "auth.json", users / "settings")),)
    assert (BRIEFING.state / own).is_relative_to(begun.env[variable])
    assert not asking(name).homes


def test_an_opencode_attempt_has_a_database_of_its_own() -> None:
    begun = started(AgentSpec(name="opencode", env=(("OPENCODE_DISABLE_SHARE", ""), ("A", "b"))))
    assert begun is not None
    assert begun.env["OPENCODE_DB"] == str(RUN / "agents/a.1/opencode.db")
    assert (begun.env["A"], begun.env["OPENCODE_DISABLE_SHARE"]) == ("b", ""), "the plan's word is the last"


def test_a_definition_of_the_plan_comes_before_the_users_and_these_before_presets() -> None:
    mine, theirs = sh("mine"), AgentSpec(command=Command(argv=("theirs",)))
    claude = AgentSpec(name="claude")
    assert started(claude, claude=mine) == Invocation(argv=("/bin/sh", "-c", "mine"), stdin=BRIEFING.prompt)
    defined = AgentDefinition(name="claude", spec=theirs)
    assert started(claude, defined, claude=mine) == Invocation(argv=("theirs",), stdin=BRIEFING.prompt)
    assert started(AgentSpec(name="nobody")) is None


def test_a_definition_may_be_a_preset_with_options_and_where_it_is_named_more_are_added() -> None:
    small = AgentDefinition(
        name="small", spec=AgentSpec(name="codex", model="m1", args=("-a",), env=(("A", "1"), ("B", "1")))
    )
    begun = started(AgentSpec(name="small", args=("-b",), env=(("B", "2"),)), small)
    assert begun is not None
    assert begun.argv[-5:] == ("-m", "m1", "-a", "-b", "-")
    assert begun.env == {"A": "1", "B": "2"}
    again = AgentDefinition(name="codex", spec=AgentSpec(name="codex", model="m2"))
    renamed = started(AgentSpec(name="codex"), again)
    assert renamed is not None and "m2" in renamed.argv, "a definition may bear a preset's name"


def test_a_task_with_a_command_of_its_own_has_no_agent() -> None:
    claude = plan(AgentSpec(name="claude"))
    assert agents.invocation(claude, WITH_RUN, BRIEFING, {}) == Invocation(
        argv=("/bin/sh", "-c", "make a"), stdin=None
    )
    assert agents.resumption(claude, WITH_RUN, BRIEFING, {}) is None
    assert agents.preset_of(claude, WITH_RUN, {}) is None


def test_a_command_says_whose_output_it_writes() -> None:
    wrapper = AgentSpec(command=sh("x"), reads="mini-swe-agent")
    assert isinstance(agents.reader_of(plan(wrapper), TASK, {}), MiniReader)
    assert agents.preset_of(plan(AgentSpec(command=sh("x"))), TASK, {}) is None


def test_mini_swe_agents_cost_is_that_of_all_steps_so_far() -> None:
    mini = MiniReader()
    lines = ("mini-swe-agent (step 1, $0.00):", "x", "mini-swe-agent (step 2, $0.25):", "step 3, $9.00")
    assert [told.cost for line in lines if (told := mini.read(line)) is not None] == [0, 0.25]
