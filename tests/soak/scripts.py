"""What a scenario does: a plan, and the steps of a person who runs it to its end through failure, conflict and red gates.

Each script ends in one tree, whatever happens on the way; that is what makes it a measure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tests.soak.world import World

# The agent: writes half of its work, notes it, may commit it, writes the whole, may commit that.
_WORK = """\
set -e
file=$1 how=$2 name="$WAVES_TASK.$WAVES_ATTEMPT"
case $file in */*) mkdir -p "${file%/*}" ;; esac
echo "half of $name" > "$file"
echo "$file half of $name" >> "$NOTES/half"
if [ "$how" = commits ]; then
    git add "$file"; git commit -qm half; git rev-parse HEAD >> "$NOTES/commits"
fi
if [ "$how" = stumbles ] && [ "$WAVES_ATTEMPT" = 1 ]; then exit 9; fi
if [ "$how" = fails ] && ! [ -e "$NOTES/allowed" ]; then exit 9; fi
if [ "$how" = moves ] && ! [ -e "$NOTES/moved" ]; then
    : > "$NOTES/moved"
    git --git-dir="$(git rev-parse --git-common-dir)" update-ref refs/waves/integration/p refs/heads/side
fi
if [ "$how" = trespasses ]; then echo mine > theirs.txt; fi
echo "$name" >> "$NOTES/whole"
if [ "$how" = breaks ] && ! [ -e "$NOTES/mended" ]; then echo broken > "$file"; exit 0; fi
echo "$WAVES_TASK" > "$file"
if [ "$how" = commits ]; then
    git commit -qam whole; git rev-parse HEAD >> "$NOTES/commits"
fi
"""
_GATE = """\
case $1 in
shut) test -e "$NOTES/open" || exit 1 ;;
sound) if grep -qs broken *.txt || { test -e left.txt && test -e right.txt; }; then exit 1; fi ;;
esac
git write-tree >> "$NOTES/green"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One command, and the exit codes it may end with; or what the person does beside it."""

    words: tuple[str, ...] = ()
    code: int = 0
    act: Callable[[World], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """`files` are committed first; `owned` maps each task to the paths it may change; `prepare` adds what no file can."""

    name: str
    files: Mapping[str, str]
    owned: Mapping[str, tuple[str, ...]]
    steps: tuple[Step, ...]
    prepare: Callable[[World], None] = lambda _: None
    spared: frozenset[str] = (
        frozenset()
    )  # tasks whose work may be in a candidate, and in nothing that is published
    hopeless: frozenset[str] = frozenset()  # tasks that nobody tries again once they failed
    # What a person does of an attended task that begins anew.
    by_hand: Mapping[str, Callable[[World], object]] = field(default_factory=dict)

    def make(self, world: World) -> None:
        """The world as it is before the first step."""
        world.make(self.files)
        (world.home / "work.sh").write_text(_WORK)
        (world.home / "gate.sh").write_text(_GATE)
        self.prepare(world)


def _task(name: str, how: str = "", *, file: str = "", needs: str = "", more: str = "") -> str:
    file = file or f"{name}.txt"
    return (
        f"  - {{id: {name}, needs: [{needs}], files: [{file}]{more},"
        f" run: 'sh \"$HOME/work.sh\" {file} {how or 'writes'}'}}\n"
    )


def _plan(scheduler: str, *tasks: str, gate: str = "free", head: str = "") -> str:
    gates = f"gates: {{door: 'sh \"$HOME/gate.sh\" {gate}'}}\n" if gate else ""
    return (
        f"version: 1\nname: p\nscheduler: {scheduler}\nmax_parallel: 3\n{head}{gates}tasks:\n{''.join(tasks)}"
    )


def _files(plan: str) -> dict[str, str]:
    return {".waves/plan.yaml": plan, "shared.txt": "start\n", "theirs.txt": "theirs\n"}


def _mark(name: str) -> Step:
    return Step(act=lambda world: (world.notes / name).touch())


_RUN, _RUN_AND_FAIL, _RUN_AND_HALT = (
    Step(words=("run",)),
    Step(words=("run",), code=1),
    Step(words=("run",), code=3),
)


def mixed(scheduler: str) -> Script:
    """Two at once, one of them committing by itself; one behind both; one that fails first and is tried again."""
    return Script(
        name=f"mixed {scheduler}",
        files=_files(
            _plan(
                scheduler,
                _task("a"),
                _task("b", "commits"),
                _task("c", needs="a, b", file="deep/c.txt"),
                _task("bad", "fails", needs="a"),
            )
        ),
        owned={"a": ("a.txt",), "b": ("b.txt",), "c": ("deep/c.txt",), "bad": ("bad.txt",)},
        steps=(_RUN_AND_FAIL, _mark("allowed"), Step(words=("retry", "bad")), _RUN),
    )


def conflicting(scheduler: str) -> Script:
    """Somebody moves the integration ref under the run to work that conflicts; a person accepts it, and tries again."""

    def prepare(world: World) -> None:
        world.git("checkout", "-q", "-b", "side")
        world.commit({"shared.txt": "by the user\n"}, message="side")
        world.git("checkout", "-q", "main")

    return Script(
        name=f"conflicting {scheduler}",
        files=_files(
            _plan(scheduler, _task("a", "moves", file="shared.txt"), _task("b", needs="a"), gate="")
        ),
        owned={"a": ("shared.txt",), "b": ("b.txt",)},
        steps=(
            _RUN_AND_HALT,
            Step(words=("run", "--accept"), code=3),
            Step(words=("retry", "a")),
            _RUN,
        ),
        prepare=prepare,
    )


def red(scheduler: str) -> Script:
    """A gate that is red until a person opens the door."""
    return Script(
        name=f"red {scheduler}",
        files=_files(_plan(scheduler, _task("a"), _task("b", "commits"), gate="shut")),
        owned={"a": ("a.txt",), "b": ("b.txt",)},
        steps=(_RUN_AND_HALT, _mark("open"), _RUN),
    )


def trespassing(scheduler: str) -> Script:
    """A task that edits what it does not own, and is given up; and all is tidied."""
    return Script(
        name=f"trespassing {scheduler}",
        files=_files(_plan(scheduler, _task("a", "commits"), _task("t", "trespasses"))),
        owned={"a": ("a.txt",), "t": ("t.txt",)},
        hopeless=frozenset({"t"}),
        steps=(
            _RUN_AND_FAIL,
            Step(words=("skip", "t", "--reason", "it trespasses")),
            _RUN,
            Step(words=("clean", "--archive")),
        ),
    )


def everything(scheduler: str) -> Script:
    """Whatever a plan can ask for: set-up, verify, a stage, files handed on, a writer to be stopped, a gate that is proved by
    a control and by what it guards, an integration review."""
    plan = f"""\
version: 1
name: p
scheduler: {scheduler}
max_parallel: 3
setup: test -s shared.txt
background:
  - name: sync
    writes: [elsewhere.txt]
    quiesce: echo quiesce >> "$NOTES/diary"
    resume: echo resume >> "$NOTES/diary"
gates:
  door:
    run: test -s theirs.txt && test -s a.txt && sh "$HOME/gate.sh" free
    control: rm -f theirs.txt
    guards: [a.txt]
review: grep -q '^diff --git'
stages:
  risk: test -s "$WAVES_DIFF_FILE"
tasks:
  - id: a
    files: [a.txt]
    handoff: [a.notes]
    run: sh "$HOME/work.sh" a.txt writes && echo from-a > a.notes
    verify: test -s a.txt
  - id: c
    needs: [a]
    files: [c.txt]
    run: sh "$HOME/work.sh" c.txt commits && grep -q from-a a.notes
    verify: [test -s c.txt, test -s a.txt]
"""
    return Script(
        name=f"everything {scheduler}",
        files=_files(plan),
        owned={"a": ("a.txt",), "c": ("c.txt",)},
        steps=(_RUN,),
    )


def breaking(scheduler: str) -> Script:
    """Who turns the gate red is found, one alone and one beside another, and taken out; what is left is published."""
    plan = _plan(
        scheduler,
        _task("left"),
        _task("bad", "breaks"),
        _task("right", "writes"),
        _task("later", needs="left"),
        gate="sound",
        head="on_red: keep-green\non_failure: fail-dependents\n",
    )
    return Script(
        name=f"breaking {scheduler}",
        files=_files(plan),
        owned={"left": ("left.txt",), "later": ("later.txt",)},
        spared=frozenset({"bad", "right"}),
        hopeless=frozenset({"bad", "right"}),
        steps=(
            _RUN_AND_HALT,
            Step(words=("skip", "bad", "--reason", "it breaks")),
            Step(words=("skip", "right", "--reason", "it does not fit")),
            _RUN,
            Step(words=("clean", "--archive")),
        ),
    )


def repaired(scheduler: str) -> Script:
    """A red gate halts; the task that broke it is merged already, is tried again, and is whole the second time."""
    plan = _plan(scheduler, _task("a"), _task("b", "breaks"), _task("c"), gate="sound")
    return Script(
        name=f"repaired {scheduler}",
        files=_files(plan),
        owned={"a": ("a.txt",), "b": ("b.txt",), "c": ("c.txt",)},
        steps=(_RUN_AND_HALT, _mark("mended"), Step(words=("retry", "b")), _RUN),
    )


def attended(scheduler: str) -> Script:
    """A person does a task, gets it wrong at first, and an agent goes on from there that the run lets try twice."""
    by_hand = "  - {id: ask, files: [ask.txt], attended: true, verify: grep -q right ask.txt}\n"

    def writes(words: str) -> Callable[[World], None]:
        def act(world: World) -> None:
            newest = max(world.worktrees.glob("p/ask.*"), key=lambda folder: int(folder.suffix[1:]))
            (newest / "ask.txt").write_text(f"{words}\n")

        return act

    return Script(
        name=f"attended {scheduler}",
        files=_files(_plan(scheduler, by_hand, _task("b", "stumbles", needs="ask", more=", attempts: 2"))),
        owned={"ask": ("ask.txt",), "b": ("b.txt",)},
        by_hand={"ask": writes("right")},
        steps=(
            _RUN_AND_HALT,
            Step(act=writes("wrong")),
            Step(words=("done", "ask")),
            _RUN_AND_HALT,
            Step(act=writes("right")),
            Step(words=("done", "ask")),
            _RUN,
        ),
    )


SCHEDULERS = ("sequential", "dag-parallel", "ready-set")
SCRIPTS = (
    *(
        make(scheduler)
        for make in (mixed, conflicting, red, trespassing, everything, attended, repaired)
        for scheduler in SCHEDULERS
    ),
    # With a ready set, whoever is merged last of two that do not fit is the one who broke the gate.
    breaking("sequential"),
    breaking("dag-parallel"),
)
