"""Tasks with fields in bold: ito's waves and checkpoints, and what swarm planners write."""

from __future__ import annotations

import pytest

from tests.formats.readings import claims, needs, reading, told
from tests.formats.shown import refused


def ito(*fields: str, more: str = "") -> str:
    rows = "\n".join(f"- **{field}" for field in fields)
    return f"# Tasks for: 001-01_x\n\n## Wave 1\n\n- **Depends On**: None\n\n### Task 1.1: First\n\n{rows}\n- **Action**: Go.\n{more}"


@pytest.mark.parametrize(
    ("files", "claimed"),
    [
        ("`src/a.rs`, `src/b/**`", "src/a.rs src/b/"),
        ("`crates/cli`, relevant tests", "crates/cli crates/cli/"),
        ("`THIRD_PARTY.md` (or equivalent), `docs/**` (if needed)", "THIRD_PARTY.md docs/"),
        ("(none)", ""),
        ("src/a.rs, src/b.rs", "src/a.rs src/b.rs"),
        ("`src/*.rs`", "src/*.rs"),
    ],
)
def test_all_files_of_a_list_are_claimed(files: str, claimed: str) -> None:
    assert claims(reading(ito(f"Files**: {files}")), "1.1") == claimed


@pytest.mark.parametrize(
    ("verify", "commands"),
    [
        ("`make check`", ["make check"]),
        ("`ito validate x --strict` and `make check`", ["ito validate x --strict", "make check"]),
        ("`cargo test a` or the nearest test", ["cargo test a"]),
        ("(none)", []),
        ("look at it", []),
    ],
)
def test_commands_before_the_first_word_of_prose(verify: str, commands: list[str]) -> None:
    assert [str(one) for one in reading(ito(f"Verify**: {verify}")).plan.tasks[0].verify] == commands


def test_waves_dependencies_and_checkpoints() -> None:
    more = (
        "\n### Task 1.2: Second\n\n- **Dependencies**: Task 1.1\n- **Status**: [x] complete\n"
        "\n## Wave 2: Later\n\n- **Depends On**: Wave 1\n\n### Task 2.1: Third\n\n- **Dependencies**: All Wave 1 tasks\n"
        "\n### Task 2.2: Fourth\n\n- **Dependencies**: All above\n- **Status**: [-] shelved\n"
        "\n### Task 2.3: Fifth\n\n- **Dependencies**: the design\n- **Status**: [>] in-progress\n"
        "\n## Checkpoints\n\n### Checkpoint: Review all!\n\n- **Dependencies**: 2.1\n- **Status**: [ ] pending\n"
    )
    assert told(reading(ito("Dependencies**: None", more=more))) == (
        "plan plan (ito)\n"
        "group 1:3 wave 1\ngroup 2:17 wave 2: Later\n"
        "task 1.1:7 in 1 First\n"
        "task 1.2:12 in 1 needs 1.1 [done] Second\n"
        "task 2.1:21 in 2 needs 1.1 1.2 Third\n"
        "task 2.2:25 in 2 needs 1.1 1.2 2.1 [done] Fourth\n"
        "task 2.3:30 in 2 Fifth\n"
        "task checkpoint-review-all:37 needs 2.1 [attended, may be empty] Review all!\n"
        "passed over 28: 2.2: [-] shelved | the task is shelved; nothing waits for it\n"
        "passed over 32: the design | no task was found in this dependency\n"
    )


def test_a_dependency_on_nothing_there_is_refused_with_its_line() -> None:
    assert refused(ito("Dependencies**: Task 4.2"), path="tasks.md").startswith(
        "tasks.md:9: task '1.1' needs '4.2', which is no task of this plan\n"
    )


def swarm(*fields: str, before: int = 3) -> str:
    tasks = "".join(f"### T{number}: Part\n- **depends_on**: []\n\n" for number in range(1, before + 1))
    return f"# Plan\n\n{tasks}### T9: Last\n" + "\n".join(fields) + "\n"


@pytest.mark.parametrize(
    ("depends", "needed"),
    [
        ("[]", ""),
        ("[T1, T3]", "T1 T3"),
        ("[T1-T3]", "T1 T2 T3"),
        ("[T1\u2013T3]", "T1 T2 T3"),
        ("[`T1`] (only the types of T2)", "T1"),
        ("T2", "T2"),
        ("none", ""),
    ],
)
def test_needs_between_brackets_with_ranges(depends: str, needed: str) -> None:
    assert needs(reading(swarm(f"- **depends_on**: {depends}")))["T9"] == needed


def test_locations_nested_or_beside_and_states() -> None:
    one = reading(
        swarm(
            "- **depends_on**: []",
            "- **location**:",
            "  - `src/a.ts` (new)",
            "  - `src/parts`",
            "- **validation**: Run `npm test`",
            "**status**: \u2705 Done",
            before=0,
        )
    )
    assert told(one) == (
        "plan plan (swarm)\ntask T9:3 [done] Last\n    src/a.ts src/parts src/parts/\n    $ npm test\n"
    )
