"""What the repository says about a plan: every finding that rests on its tree, its rules, its schedulers, its habits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from git_waves.core.basetree import LINK, SUBMODULE, BaseTree
from git_waves.core.cochange import Habit
from git_waves.core.findings import check_plan, exit_code
from git_waves.core.model import Background, Finding, Level, Oid, Plan, RepoPath, Task
from git_waves.core.ownership import build_manifest
from git_waves.core.paths import parse_pattern
from git_waves.core.repository import History, IgnoreRule, RepositoryFacts
from git_waves.core.schedule import build_schedule
from git_waves.core.scheduled import ScheduledWrite
from tests.core.plans import plan, sh, task

TREE = ("Makefile", "core/io.c", "core/io.h", "core/port.c", "docs/guide.md", "tests/kunit/Kbuild")


def repository(
    *paths: str,
    links: Iterable[str] = (),
    submodules: Iterable[str] = (),
    programs: Iterable[str] = (),
    ignored: Mapping[str, str] | None = None,
    habits: Iterable[tuple[str, str, int, int]] = (),
    scheduled: Iterable[ScheduledWrite] = (),
    generated: Mapping[str, str] | None = None,
    lfs: Iterable[str] = (),
    has_lfs: bool = True,
    missing_base: str | None = None,
    gaps: Iterable[tuple[str, str]] = (),
) -> RepositoryFacts:
    """A repository whose `main` holds these paths (or a usual few); `ignored` maps a path to the rule."""
    modes = dict.fromkeys(map(RepoPath, paths or TREE), "100644")
    modes.update(dict.fromkeys(map(RepoPath, links), LINK))
    modes.update(dict.fromkeys(map(RepoPath, submodules), SUBMODULE))
    modes.update(dict.fromkeys(map(RepoPath, programs), "100755"))
    found = tuple(Habit(RepoPath(file), RepoPath(other), k, n) for file, other, k, n in habits)
    return RepositoryFacts(
        base=Oid("1" * 40),
        base_name="main",
        missing_base=missing_base,
        tree=BaseTree(modes=modes),
        ignored={
            RepoPath(path): IgnoreRule(source=".gitignore", line=3, pattern=rule)
            for path, rule in (ignored or {}).items()
        },
        generated={RepoPath(path): name for path, name in (generated or {}).items()},
        lfs=frozenset(map(RepoPath, lfs)),
        has_lfs=has_lfs,
        scheduled=tuple(scheduled),
        history=History(commits=100, limit=5000, habits=found),
        gaps=tuple(gaps),
    )


def findings(some: Plan, facts: RepositoryFacts) -> tuple[Finding, ...]:
    """Those that the repository adds."""
    manifest = build_manifest(some)
    schedule = build_schedule(some, manifest=manifest)
    found = check_plan(some, manifest, schedule, repository=facts)
    return tuple(one for one in found if one.code.startswith("W8"))


def told(some: Plan, facts: RepositoryFacts) -> list[str]:
    return [f"{one.code} {one.level}: {one.message}" for one in findings(some, facts)]


def only(some: Plan, facts: RepositoryFacts) -> Finding:
    (found,) = findings(some, facts)
    return found


def test_a_plan_that_fits_its_repository_is_told_nothing() -> None:
    some = plan(
        task("a", create=["core/new.c", "new/"], modify=["core/io.c", "docs/*.md"], delete=["core/port.c"]),
        task("b", "core/io.h", "core/other.h", "lib/"),
    )
    assert findings(some, repository()) == ()


def test_without_a_repository_nothing_is_said_about_it() -> None:
    some = plan(task("a", modify=["nowhere.c"]))
    manifest = build_manifest(some)
    assert check_plan(some, manifest, build_schedule(some, manifest=manifest)) == ()


# ---------------------------------------------------------------------- W801, W812


def test_a_base_that_does_not_exist_is_told_and_head_stands_in() -> None:
    found = only(plan(task("a", "x")), repository(missing_base="trunk"))
    assert found == Finding(
        code="W801",
        level=Level.WARNING,
        message="the base 'trunk' is no commit of this repository; the plan was held against 'main'",
        hint="'git branch --all' lists what there is",
    )


def test_what_could_not_be_looked_at_is_no_silence() -> None:
    facts = repository(gaps=[("the history", "git diff-tree failed (128): no such tree")])
    assert told(plan(task("a", "x")), facts) == [
        "W812 note: the history could not be looked at: git diff-tree failed (128): no such tree"
    ]


# ---------------------------------------------------------------------- W802


def test_a_path_to_be_changed_that_is_nowhere_names_its_namesakes() -> None:
    found = only(plan(task("a", modify=["src/io.c"], line=7)), repository())
    assert found == Finding(
        code="W802",
        level=Level.WARNING,
        message="'src/io.c' is to be changed and is not in 'main', and no task creates it",
        line=7,
        tasks=found.tasks,
        paths=(RepoPath("src/io.c"),),
        evidence=("task 'a' modifies 'src/io.c' (line 7)", "elsewhere by that name: 'core/io.c'"),
        hint="correct the path, or say 'create'",
    )


@pytest.mark.parametrize(
    ("path", "words"),
    [("lib/", "holds nothing in"), ("core/*.rs", "matches nothing in"), ("core/io.rs", "is not in")],
)
def test_folders_and_globs_that_match_nothing(path: str, words: str) -> None:
    (line,) = told(plan(task("a", delete=[path])), repository())
    assert line == f"W802 warning: '{path}' is to be changed and {words} 'main', and no task creates it"


@pytest.mark.parametrize(
    "maker",
    [
        task("m", create=["gen/x.c"]),
        task("m", create=["gen/"]),
        task("m", create=["gen/*.c"]),
        task("m", "gen/x.c"),
        task("m", inferred=["gen/x.c"]),
    ],
    ids=["file", "folder", "glob", "plain entry", "guess"],
)
def test_what_another_task_may_create_is_not_missing(maker: Task) -> None:
    some = plan(maker, task("a", modify=["gen/x.c"], needs=["m"]), task("b", modify=["gen/"], needs=["a"]))
    assert findings(some, repository()) == ()


def test_a_plain_entry_may_be_new_unless_it_is_surely_written_from_the_wrong_folder() -> None:
    facts = repository("web/src/app.ts", "web/src/api/user.ts", "README.md")
    some = plan(task("a", "src/app.ts"), task("b", "src/api/new.ts"), task("c", "app.ts"))
    found = only(some, facts)
    assert found.message == "'src/app.ts' is not in 'main', but 'web/src/app.ts' is"
    assert found.hint == "paths are written from the top of the repository: 'web/src/app.ts'"


def test_a_new_folder_of_the_plan_is_not_taken_for_a_wrong_one() -> None:
    facts = repository("web/src/app.ts")
    assert findings(plan(task("a", "src/app.ts"), task("b", create=["src/other.ts"])), facts) == ()


def test_many_missing_paths_are_one_mistake() -> None:
    some = plan(*(task(f"t{n}", modify=[f"gone/{n}.c"], line=n) for n in range(1, 8)))
    found = only(some, repository())
    assert found.message == "7 paths to be changed match nothing in 'main'"
    assert (found.line, len(found.tasks), len(found.paths)) == (1, 7, 7)
    assert found.evidence[:2] == (
        "task 't1' modifies 'gone/1.c' (line 1)",
        "task 't2' modifies 'gone/2.c' (line 2)",
    )


def test_one_missing_path_of_many_tasks_is_told_once() -> None:
    some = plan(*(task(f"t{n}", modify=["gone.c"], needs=[f"t{n - 1}"] if n else []) for n in range(12)))
    assert len(only(some, repository()).tasks) == 12


def test_done_tasks_are_not_looked_at() -> None:
    assert findings(plan(task("a", modify=["gone.c"], is_done=True), task("b", "x")), repository()) == ()


# ---------------------------------------------------------------------- W803


def test_a_path_to_be_created_that_is_there() -> None:
    found = only(plan(task("a", create=["core/io.c"], line=4)), repository())
    assert (found.level, found.message) == (
        Level.WARNING,
        "'core/io.c' is to be created, and is in 'main' already",
    )
    assert found.evidence == ("task 'a' creates 'core/io.c' (line 4)",)


def test_what_a_task_deletes_another_may_create_anew() -> None:
    some = plan(task("a", delete=["core/"]), task("b", create=["core/io.c"], needs=["a"]))
    assert findings(some, repository()) == ()


def test_a_plan_that_was_run_before_is_told_so_in_one_sentence() -> None:
    done = [f"src/{n}.c" for n in range(6)]
    some = plan(*(task(f"t{n}", create=[path]) for n, path in enumerate(done)))
    assert only(some, repository(*done)).message == (
        "6 paths to be created are in 'main' already; was the plan run before?"
    )


# ---------------------------------------------------------------------- W804


def test_a_path_in_another_case_is_a_violation_because_the_merge_refuses_it() -> None:
    found = only(plan(task("a", modify=["core/IO.c"])), repository())
    assert (found.code, found.level) == ("W804", Level.VIOLATION)
    assert found.message == (
        "'core/IO.c' differs only in case or normalisation from 'core/io.c', which is in 'main'; "
        "the merge refuses such a pair"
    )
    assert found.hint == "write 'core/io.c', or let the task delete 'core/io.c'"


def test_a_folder_in_another_case_collides_for_all_that_lies_in_it() -> None:
    found = only(plan(task("a", create=["Core/sub/new.c"])), repository())
    assert found.hint == "write 'core/sub/new.c', or let the task delete 'core'"
    assert exit_code([found]) == 1


def test_letters_composed_in_two_ways_are_the_same_name() -> None:
    facts = repository("docs/cafe\u0301.md")
    assert told(plan(task("a", "docs/caf\u00e9.md")), facts)[0].startswith("W804 violation")


def test_a_rename_that_only_changes_case_is_fine_when_the_old_name_goes() -> None:
    some = plan(task("a", create=["core/IO.c"], delete=["core/io.c"]))
    assert findings(some, repository()) == ()


def test_two_spellings_that_are_both_there_are_nobodys_mistake() -> None:
    facts = repository("net/xt_MARK.h", "net/xt_mark.h")
    assert findings(plan(task("a", modify=["net/xt_MARK.h", "net/xt_mark.h"])), facts) == ()


def test_a_guess_never_stops_a_run() -> None:
    assert [one.level for one in findings(plan(task("a", inferred=["Core/io.c"])), repository())] == [
        Level.WARNING
    ]


# ---------------------------------------------------------------------- W805, W806


@pytest.mark.parametrize(
    ("claimed", "thing"),
    [
        ("vendor/lib/x.c", "'vendor/lib', which is a submodule in 'main'"),
        ("vendor/lib/", "'vendor/lib', which is a submodule in 'main'"),
        ("link/x.c", "'link', which is a symbolic link in 'main'"),
        ("Makefile/x", "'Makefile', which is a file in 'main'"),
    ],
)
def test_nothing_can_lie_below_what_is_no_folder(claimed: str, thing: str) -> None:
    facts = repository(*TREE, links=["link"], submodules=["vendor/lib"])
    (line,) = told(plan(task("a", claimed)), facts)
    assert line == f"W805 violation: '{claimed}' would lie below {thing}"


def test_what_is_taken_away_makes_room() -> None:
    facts = repository(*TREE, submodules=["vendor/lib"])
    some = plan(task("a", delete=["vendor/lib"]), task("b", create=["vendor/lib/x.c"], needs=["a"]))
    assert [one.code for one in findings(some, facts)] == ["W809"]


def test_a_folder_without_its_slash_owns_nothing() -> None:
    found = only(plan(task("a", "core")), repository())
    assert (
        found.message
        == "'core' is a folder in 'main', and is claimed as a file; nothing in it may be changed"
    )
    assert found.hint == "write 'core/'"


# ---------------------------------------------------------------------- W807 to W809


def test_an_ignored_path_is_told_with_the_rule() -> None:
    found = only(
        plan(task("a", create=["dist/app.js"], line=5)), repository(ignored={"dist/app.js": "dist/"})
    )
    assert found.message == "'dist/app.js' is ignored by git, so what a task writes there is not committed"
    assert found.evidence == (
        "task 'a' creates 'dist/app.js' (line 5)",
        "'.gitignore' line 3 says 'dist/'",
    )


def test_an_ignored_path_that_is_to_be_changed_is_not_also_missing() -> None:
    found = findings(plan(task("a", modify=[".env"])), repository(ignored={".env": ".env"}))
    assert [one.code for one in found] == ["W807"]


def test_an_ignored_folder_is_told_as_the_plan_writes_it() -> None:
    found = only(plan(task("a", "dist/")), repository(ignored={"dist/": "dist/"}))
    assert found.paths == ("dist/",)


def test_generated_paths_are_one_note() -> None:
    facts = repository(generated={"core/io.c": "linguist-generated", "core/io.h": "gitlab-generated"})
    found = only(plan(task("a", modify=["core/io.c", "core/io.h"])), facts)
    assert (found.level, found.message) == (
        Level.NOTE,
        "2 claimed paths are marked as generated; the generator may write over them",
    )
    assert found.evidence == (
        "'core/io.c' has the attribute 'linguist-generated'",
        "'core/io.h' has the attribute 'gitlab-generated'",
    )


def test_submodules_and_lfs_are_a_note_and_a_warning_where_lfs_is_not_set_up() -> None:
    some = plan(task("a", modify=["vendor/lib", "art/logo.psd"]))
    facts = {"submodules": ["vendor/lib"], "lfs": ["art/logo.psd"]}
    paths = (*TREE, "art/logo.psd")
    found = only(some, repository(*paths, **facts))  # type: ignore[arg-type]  # a test's keywords
    assert (found.level, found.message) == (Level.NOTE, "2 claimed paths are no plain files")
    assert found.evidence == (
        "'vendor/lib' is a submodule, which is empty in a new worktree",
        "'art/logo.psd' is kept in LFS, replaced as a whole and never merged",
    )
    found = only(some, repository(*paths, has_lfs=False, **facts))  # type: ignore[arg-type]  # as above
    assert found.level is Level.WARNING
    assert found.evidence[1].endswith("git-lfs is not set up here, so its content itself would be committed")


# ---------------------------------------------------------------------- W810

CRON = ScheduledWrite(
    source=RepoPath(".github/workflows/prices.yml"), line=12, path="data/prices.json", when="cron '0 3 * * *'"
)


def test_a_scheduler_that_writes_a_claimed_path_is_told_with_its_line_and_time() -> None:
    some = plan(task("a", modify=["data/prices.json"], line=9))
    found = only(some, repository("data/prices.json", scheduled=[CRON]))
    assert found == Finding(
        code="W810",
        level=Level.WARNING,
        message="'.github/workflows/prices.yml' writes 'data/prices.json' by the clock, and the plan does not say so",
        line=9,
        tasks=found.tasks,
        paths=(RepoPath("data/prices.json"),),
        evidence=(
            "task 'a' modifies 'data/prices.json'; '.github/workflows/prices.yml' (line 12) changes "
            "'data/prices.json', cron '0 3 * * *'",
        ),
        hint="stop it while the plan runs, or name it under 'background'",
    )


def test_a_scheduler_that_writes_elsewhere_or_that_the_plan_names_is_none_of_our_business() -> None:
    some = plan(task("a", modify=["core/io.c"]))
    assert findings(some, repository(*TREE, scheduled=[CRON])) == ()
    writer = Background(name="prices", writes=(parse_pattern("data/"),), quiesce=sh("true"))
    some = plan(task("a", modify=["data/prices.json"]), background=(writer,))
    assert findings(some, repository("data/prices.json", scheduled=[CRON])) == ()


def test_a_bot_that_only_proposes_is_a_note() -> None:
    bot = ScheduledWrite(
        source=RepoPath("renovate.json"),
        line=0,
        path="**/package.json",
        when="on a schedule",
        is_proposal=True,
    )
    found = only(
        plan(task("a", modify=["web/package.json"])), repository("web/package.json", scheduled=[bot])
    )
    assert (found.level, found.message) == (
        Level.NOTE,
        "'renovate.json' opens pull requests that change 'web/package.json', and the plan does not say so",
    )


def test_a_scheduled_path_outside_the_repository_is_passed_over() -> None:
    elsewhere = ScheduledWrite(source=RepoPath("crontab"), line=1, path="/var/log/x", when="cron '@daily'")
    assert findings(plan(task("a", "core/io.c")), repository(*TREE, scheduled=[elsewhere])) == ()


# ---------------------------------------------------------------------- W811

KBUILD = ("core/io.c", "tests/kunit/Kbuild", 23, 25)


def test_a_companion_that_belongs_to_nobody_is_told_in_counts() -> None:
    found = only(plan(task("io", modify=["core/io.c"], line=6)), repository(habits=[KBUILD]))
    assert found == Finding(
        code="W811",
        level=Level.WARNING,
        message="in 23 of 25 commits that touch 'core/io.c', 'tests/kunit/Kbuild' changes too; "
        "it belongs to no task",
        line=6,
        tasks=found.tasks,
        paths=(RepoPath("tests/kunit/Kbuild"), RepoPath("core/io.c")),
        evidence=("task 'io' modifies 'core/io.c' (line 6)",),
        hint="let one of the tasks claim 'tests/kunit/Kbuild', or a last task that needs them",
    )


def test_a_companion_of_several_files_is_told_once() -> None:
    some = plan(task("io", modify=["core/io.c"]), task("port", "core/port.c"))
    facts = repository(habits=[KBUILD, ("core/port.c", "tests/kunit/Kbuild", 11, 12)])
    found = only(some, facts)
    assert found.message == (
        "'tests/kunit/Kbuild' nearly always changes with 2 claimed files; it belongs to no task"
    )
    assert found.evidence == (
        "in 23 of 25 commits that touch 'core/io.c', 'tests/kunit/Kbuild' changes too",
        "in 11 of 12 commits that touch 'core/port.c', 'tests/kunit/Kbuild' changes too",
    )


def test_a_companion_of_a_task_that_runs_beside_names_its_owner() -> None:
    some = plan(task("io", modify=["core/io.c"]), task("build", "tests/kunit/"))
    found = only(some, repository(habits=[KBUILD]))
    assert found.message.endswith("; it belongs to task 'build'")
    assert found.hint == "let task 'build' come after task 'io', or give the file to the task that changes it"


@pytest.mark.parametrize(
    "some",
    [
        plan(task("io", modify=["core/io.c", "tests/kunit/Kbuild"])),
        plan(task("io", modify=["core/io.c"], needs=[]), task("wire", "tests/kunit/Kbuild", needs=["io"])),
        plan(task("io", modify=["core/io.c"], needs=["pre"]), task("pre", "tests/kunit/Kbuild")),
        plan(task("io", "core/")),
        plan(task("io", create=["core/new.c"])),
        plan(task("io", inferred=["core/io.c"])),
        plan(
            task("io", modify=["core/io.c"]),
            background=(Background(name="gen", writes=(parse_pattern("tests/**"),), quiesce=sh("true")),),
        ),
    ],
    ids=["owned", "wired last", "made before", "folder", "other file", "guess", "background"],
)
def test_a_companion_that_somebody_thought_of_is_not_told(some: Plan) -> None:
    assert findings(some, repository(habits=[KBUILD])) == ()


def test_a_companion_that_is_gone_and_the_plan_itself_are_none() -> None:
    some = plan(task("io", modify=["core/io.c"]))
    habits = [("core/io.c", "core/gone.c", 25, 25), ("core/io.c", "plan.yaml", 25, 25)]
    assert findings(some, repository(*TREE, "plan.yaml", habits=habits)) == ()


# ---------------------------------------------------------------------- programs of the repository


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("./agent.sh", "'agent.sh' is no file in 'main', where the work starts from"),
        ("tools/agent.sh --quiet < x", "'tools/agent.sh' is no file in 'main', where the work starts from"),
        ("# ours\n./core/io.c", "'core/io.c' is not executable in 'main', where the work starts from"),
    ],
)
def test_a_program_that_no_worktree_will_have_stops_the_plan(command: str, message: str) -> None:
    some = plan(task("a", "a.txt", run=sh(command)), task("b", "b.txt", run=sh(command)))
    finding = only(some, repository("core/io.c"))
    assert (finding.code, finding.level, finding.message) == ("W813", Level.VIOLATION, message)
    assert finding.tasks == ("a", "b")


@pytest.mark.parametrize(
    "command",
    [
        "agent.sh",
        "/opt/agent.sh",
        "../agent.sh",
        "tools/../../x",
        "test -x ./a || ./b",
        "linked/agent.sh",
        "cd x && ./b",
        "~/agent.sh",
        "$HOME/agent",
        "run/me",
    ],
)
def test_a_program_that_may_be_there_is_nobodys_trouble(command: str) -> None:
    base = repository("Makefile", links=["linked"], programs=["run/me"])
    assert findings(plan(task("a", "Makefile", run=sh(command))), base) == ()


def test_what_a_set_up_an_include_or_a_task_may_bring_is_not_missed() -> None:
    command = sh("./agent.sh")
    assert findings(plan(task("a", "Makefile", run=command), setup=(sh("make agent"),)), repository()) == ()
    assert findings(plan(task("a", "agent.sh", run=command)), repository("x", "agent.sh")) == ()
    assert findings(plan(task("a", "x", run=command)), repository("x", ".worktreeinclude")) == ()
