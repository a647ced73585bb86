"""Gates and verify commands in a plan: levels, words, and what is told once."""

from __future__ import annotations

from dataclasses import replace

from git_waves.core.findings import exit_code
from git_waves.core.model import Command, Gate, Plan
from git_waves.core.shell.reader import MAX_LENGTH
from tests.core.findings.told import findings, told
from tests.core.plans import plan, sh, task


def gated(text: str) -> Plan:
    return replace(plan(task("a", "a")), gates=(Gate(name="unit", command=sh(text), line=4),))


def verified(*texts: str) -> Plan:
    return plan(task("a", "a", line=6, verify=tuple(map(sh, texts))))


def test_a_gate_that_cannot_fail_is_a_violation_with_the_word_that_does_it() -> None:
    (found,) = findings(gated("make test || true"), "W9")
    assert (found.code, found.level, found.line) == ("W901", "violation", 4)
    assert found.message == "gate 'unit' cannot fail: '|| true' makes it pass when 'make test' fails"
    assert found.evidence == ("make test || true",)
    assert found.hint == "take '|| true' away"
    assert exit_code([found]) == 1


def test_a_gate_that_only_shows_proves_little() -> None:
    assert told(gated("grep -c TODO src"), "W9") == [
        "W901 violation: gate 'unit' proves little: 'grep -c' prints a number that nothing compares, "
        "and one match is enough to pass"
    ]


def test_a_gate_that_loses_a_failure_is_a_violation() -> None:
    (found,) = findings(gated("make lint\nmake unit\nmake e2e"), "W9")
    assert (found.code, found.level) == ("W903", "violation")
    assert found.message == (
        "gate 'unit' loses a failure: the exit code of 'make unit' is lost: only that of the last command counts"
    )
    assert found.evidence == (
        "make lint make unit make e2e",
        "the exit code of 'make lint' is lost: only that of the last command counts",
    )
    assert told(gated("cd web\nmake test"), "W9") == [
        "W903 warning: gate 'unit' loses a failure: when 'cd web' fails, what comes after it runs in the wrong place"
    ]


def test_an_empty_variable_and_a_turned_check_are_told() -> None:
    assert told(gated("[ -s $REPORT ]"), "W9") == [
        "W904 warning: gate 'unit' may pass for nothing: '[ -s $REPORT ]' passes when REPORT is empty, "
        "because nothing is left to ask about"
    ]
    assert told(gated("! pytest"), "W9") == [
        "W905 violation: gate 'unit' runs backwards: '! pytest' passes when the tests fail"
    ]


def test_a_verify_that_cannot_fail_is_a_warning_and_beside_a_good_one_a_note() -> None:
    assert told(verified("echo done"), "W9") == [
        "W902 warning: verify of task 'a' cannot fail: 'echo' prints and passes"
    ]
    assert told(verified("echo done", "make test"), "W9") == [
        "W902 note: verify of task 'a' cannot fail: 'echo' prints and passes"
    ]
    assert told(verified("make lint; make test"), "W9")[0].startswith(
        "W903 warning: verify of task 'a' loses"
    )
    assert told(verified("cd web; make test"), "W9")[0].startswith("W903 note: ")


def test_the_same_words_in_many_tasks_are_one_finding() -> None:
    some = plan(*(task(f"t{n}", f"f{n}", line=n + 1, verify=(sh("npm test | tail -5"),)) for n in range(12)))
    (found,) = findings(some, "W9")
    assert found.message.startswith("verify of 12 tasks cannot fail: a pipeline ends like its last command")
    assert (found.line, len(found.tasks)) == (1, 12)
    assert found.evidence == ("npm test | tail -5", "'t0', 't1', 't2' and 9 more")


def test_finished_tasks_prove_nothing_any_more() -> None:
    assert told(plan(task("a", "a", verify=(sh("true"),), is_done=True)), "W9") == []


def test_a_list_of_words_is_judged_without_a_shell() -> None:
    some = plan(task("a", "a", verify=(Command(argv=("bash", "-c", "make || true")),)))
    assert told(some, "W9") == [
        "W902 warning: verify of task 'a' cannot fail: '|| true' makes it pass when 'make' fails"
    ]


def test_what_cannot_be_read_is_said_once() -> None:
    some = replace(verified("echo 'open", "make; " * MAX_LENGTH), gates=gated("if true").gates)
    (found,) = findings(some, "W9")
    assert (found.code, found.level, found.message) == ("W906", "note", "3 commands could not be judged")
    assert found.evidence == (
        "gate 'unit' (line 4)",
        "verify of task 'a' (line 6)",
        "verify of task 'a' (line 6)",
    )


def test_there_is_an_end_to_what_is_read() -> None:
    some = plan(
        *(task(f"t{n}", f"f{n}", verify=(sh(f"make {n} '" + "x" * 50_000 + "'"),)) for n in range(12)),
        task("last", "x", verify=(sh("true"),)),
    )
    assert told(some, "W9") == [
        "W902 warning: verify of task 'last' cannot fail: 'true' always passes",
        "W906 note: 5 commands could not be judged",
    ]
