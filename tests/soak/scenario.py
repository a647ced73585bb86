"""One scenario: a script, hurt at one step of one of its commands (or at several), brought to its end by a person who
types what the hints say, and judged."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from git_waves.core import fold
from git_waves.errors import BUG, UNMEASURED
from tests.soak import invariants
from tests.soak.invariants import OTHER_ENDS, USER_CHANGED, Broken
from tests.soak.scripts import Script, Step
from tests.soak.strike import Deed, Strike
from tests.soak.world import Done, World
from tests.support.digest import digest_of_users_things

TRIES = 8  # of one step, by a person who follows the hints


@dataclass(frozen=True, slots=True, kw_only=True)
class Hurt:
    """Something that happens to the script's command number `at`, at its step `number`: `deed` in the command itself,
    `beside` in the parent while the command is stopped, `after` when the command has ended."""

    at: int
    number: int
    deed: Deed
    beside: Callable[[World], None] | None = None
    after: Callable[[World], None] | None = None
    lasts: bool = False  # the deed is done at every later step too
    is_users: bool = False  # the user changes things of their own meanwhile


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """Where a script ends: the tree of the integration ref, and how each task stands."""

    tree: str
    statuses: Mapping[str, str]


@dataclass(slots=True)
class Account:
    """What one scenario came to. `steps` counts each command's steps when nothing happened."""

    broken: list[Broken] = field(default_factory=list)
    met: int = 0
    asked: int = 0  # how often the run asked a person for more than the script says
    steps: list[int] = field(default_factory=list)
    story: str = ""


def end_of(world: World) -> End:
    """Where the run of the world stands now."""
    tree = world.git("rev-parse", "--verify", "-q", f"{invariants.INTEGRATION}^{{tree}}", exit=None)
    state = fold.fold(world.events())
    return End(tree=tree, statuses={task.id: task.status for task in state.tasks.values()})


def undisturbed(world: World, script: Script) -> tuple[End, Account]:
    """The measure: the same script with nothing happening, its steps counted."""
    account = Account()
    _go_through(world, script, (), account)
    end = end_of(world)
    account.broken += judge(world, script, end, end)
    return end, account


def suffer(world: World, script: Script, hurts: tuple[Hurt, ...], end: End) -> Account:
    """Go through the script with these things happening, and judge."""
    account = Account()
    _go_through(world, script, hurts, account)
    account.broken += judge(world, script, end, end_of(world))
    account.story = world.output.read_text(errors="replace")
    return account


def walk(
    world: World,
    script: Script,
    account: Account,
    *,
    until: int,
    watch: Strike | None = None,
    on_stop: Callable[[World], None] | None = None,
) -> None:
    """Go through the script undisturbed up to its step `until`; with `watch`, that one too, counted and stopped by it."""
    for step in script.steps[:until]:
        _undisturbed_step(world, script, step, account)
    if watch is not None and on_stop is not None:
        world.waves(*script.steps[until].words, before=watch.arm, on_stop=lambda: on_stop(world))


def take_up(world: World, script: Script, at: int, end: End, *, may_leave: bool = False) -> Account:
    """Go on with the script from its step `at`, which was cut off on its way, and judge. With `may_leave`, folders that
    were removed may be back."""
    account = Account(met=1)
    for number, step in enumerate(script.steps[at:]):
        _undisturbed_step(world, script, step, account, may_be_taken_in=number == 0)
    account.broken += judge(world, script, end, end_of(world), may_leave=may_leave)
    account.story = world.output.read_text(errors="replace")
    return account


def _undisturbed_step(
    world: World, script: Script, step: Step, account: Account, *, may_be_taken_in: bool = False
) -> None:
    if step.act is not None:
        step.act(world)
        return
    before = digest_of_users_things(world.user)
    _bring_to_its_end(world, script, step, [], account, may_be_taken_in=may_be_taken_in)
    changed = _difference(before, digest_of_users_things(world.user))
    if changed:
        account.broken.append((USER_CHANGED, f"{changed} by 'git waves {' '.join(step.words)}'"))


def judge(
    world: World, script: Script, wanted: End, got: End, *, may_leave: bool = False
) -> Iterator[Broken]:
    """Everything that is not as it must be, now that the script is through."""
    yield from invariants.rest(world, may_leave=may_leave)
    if got != wanted:
        yield OTHER_ENDS, f"{got} instead of {wanted}"
    yield from invariants.broken_rules(world, script)
    refs, events = world.git("for-each-ref", exit=None), world.events()
    again = world.waves("run")
    if again.code != 0 or world.git("for-each-ref", exit=None) != refs or world.events() != events:
        yield OTHER_ENDS, f"running a finished plan again changed something (exit {again.code})"
    yield from invariants.rest(world, may_leave=may_leave)


def _go_through(world: World, script: Script, hurts: tuple[Hurt, ...], account: Account) -> None:
    for number, step in enumerate(script.steps):
        if step.act is not None:
            step.act(world)
            account.steps.append(0)
            continue
        before = digest_of_users_things(world.user)
        mine = [hurt for hurt in hurts if hurt.at == number]
        _bring_to_its_end(world, script, step, mine, account)
        changed = _difference(before, digest_of_users_things(world.user))
        if changed and not any(hurt.is_users for hurt in mine):
            account.broken.append((USER_CHANGED, f"{changed} by 'git waves {' '.join(step.words)}'"))


def _difference(before: Mapping[str, object], after: Mapping[str, object]) -> str:
    return ", ".join(name for name in before if before[name] != after[name])


def _bring_to_its_end(
    world: World,
    script: Script,
    step: Step,
    hurts: list[Hurt],
    account: Account,
    *,
    may_be_taken_in: bool = False,
) -> None:
    """Type the command until it ends as the script says, hurt each time as long as there are hurts."""
    waiting = list(hurts)
    done = Done(code=0, words="")
    for number in range(TRIES + len(hurts)):
        hurt = waiting.pop(0) if waiting else None
        done = _type(world, step, hurt, account)
        if done.code == step.code and not waiting:
            return
        if "Traceback" in done.words or done.code in (BUG, 99, -99):
            break
        if done.code >= 0 and (number or hurt is None):
            is_again = number > 0 or may_be_taken_in
            if step.words[0] in ("retry", "skip", "done") and done.code == UNMEASURED and is_again:
                return  # it was taken in before the command died
            account.asked += _follow_the_hint(world, script, done)
    account.broken.append(
        (OTHER_ENDS, f"'git waves {' '.join(step.words)}' ends with {done.code} instead of {step.code}")
    )


def _type(world: World, step: Step, hurt: Hurt | None, account: Account) -> Done:
    strike = Strike(world.folder, 0, None)
    if hurt is not None:
        strike = Strike(world.folder, hurt.number, hurt.deed, lasts=hurt.lasts)
    beside = hurt.beside if hurt else None
    done = world.waves(
        *step.words, before=strike.arm, on_stop=(lambda: beside(world)) if beside is not None else None
    )
    if hurt is None:
        account.steps.append(strike.counted())
    else:
        account.met += strike.met() > 0
        if hurt.after is not None:
            hurt.after(world)
    return done


def _follow_the_hint(world: World, script: Script, done: Done) -> int:
    """What a person types in the morning; how many commands that were. Only what the words just shown ask for."""
    if "--restore" in done.words:
        world.waves("run", "--restore")
        return 1
    for command in re.findall(r"hint: .*?(git update-ref refs/\S+ [0-9a-f]+)", done.words):
        world.git(*command.split()[1:])
    for lock in re.findall(r"is locked by '([^']+)'", done.words):
        Path(lock).unlink(missing_ok=True)
    state = fold.fold(world.events())
    stuck = [
        task.id
        for task in state.tasks.values()
        if task.status == fold.PARKED or (task.status == fold.FAILED and task.id not in script.hopeless)
    ]
    asked = sum(world.waves("retry", task).code == 0 for task in stuck)
    for task, act in script.by_hand.items():  # its first attempt was lost, so the person does it once more
        if task in state.tasks and state.tasks[task].status == fold.AWAITING:
            act(world)
            asked += world.waves("done", task).code == 0
    return asked


def fresh(folder: Path, template: World) -> World:
    """A new world like the template, at its own place."""
    world = World(folder)
    world.remove()
    world.copy_from(template)
    return world
