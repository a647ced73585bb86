"""What an agent is told: whole prompts, and which paths of others are near enough to be named."""

from __future__ import annotations

from dataclasses import replace

from git_waves.core.handoff import Received
from git_waves.core.model import Oid, Plan, RepoPath, TaskId
from git_waves.core.neighbours import MOST, neighbours
from git_waves.core.prompt import build_prompt, build_resume_prompt
from git_waves.formats import PlanText, read_plan
from tests.support.golden import check_golden

PLAN = """\
version: 1
name: shop
stages:
  risk: ./risk.sh
tasks:
  - id: cart
    title: Add the cart
    files:
      create: [src/cart.py, tests/test_cart.py]
      modify: [src/shop.py]
      delete: [src/basket.py]
    prompt: |
      Write the cart of docs/cart.md.
      The shape of an order is in src/model/order.py; the routes are none of your business.
    verify:
      - python -m pytest tests/test_cart.py
      - python -m mypy src/cart.py
    handoff: [notes/cart.md]
  - {id: orders, title: Add the orders, files: [src/orders.py, src/model/order.py], prompt: Write the orders.}
  - {id: routes, needs: [cart], files: [src/shop.py, src/http/], prompt: Write the routes.}
  - {id: site, title: The site, files: [site/**/*.html], prompt: Write the pages.}
  - {id: nothing, files: [], prompt: "Say whether it is good.", allow_empty: true, commit: agent}
"""


def a_plan(text: str = PLAN) -> Plan:
    """The plan of that text."""
    return read_plan(
        PlanText(name_hint="shop", source="shop.yaml", data=text.encode()), known_agents=frozenset()
    )


def test_a_whole_prompt() -> None:
    plan = a_plan()
    told = build_prompt(
        plan,
        plan.task(TaskId("cart")),
        granted=(RepoPath("setup.cfg"),),
        received=(
            Received(path=RepoPath("notes/schema.md"), producer=TaskId("schema"), tree=Oid("1" * 40)),
            Received(path=RepoPath("notes/lost.md"), producer=TaskId("schema")),
        ),
        earlier=("attempt 1 failed at verify: 'python -m mypy src/cart.py' ended with exit code 1",),
    )
    check_golden("prompt/cart.md", told)


def test_a_prompt_of_a_task_that_owns_nothing_and_may_change_nothing() -> None:
    plan = replace(a_plan(), stages=())
    check_golden("prompt/nothing.md", build_prompt(plan, plan.task(TaskId("nothing"))))


def test_who_was_interrupted_is_told_so_before_the_same_words() -> None:
    assert build_resume_prompt("# Task a\n").endswith("finish the rest.\n\n# Task a\n")


def near(plan: Plan, task: str, granted: tuple[RepoPath, ...] = ()) -> list[tuple[str, str]]:
    """The paths of others that the task is told of, with whose they are."""
    found = neighbours(plan, plan.task(TaskId(task)), granted)
    return [(str(one.pattern), one.task) for one in found]


def test_what_the_text_names_comes_first_then_what_lies_beside() -> None:
    assert near(a_plan(), "cart") == [
        ("src/model/order.py", "orders"),
        ("src/orders.py", "orders"),
        ("src/http/", "routes"),
    ]


def test_what_is_owned_by_both_or_granted_is_not_named() -> None:
    assert ("src/shop.py", "cart") not in near(a_plan(), "routes")
    assert ("src/orders.py", "orders") not in near(a_plan(), "cart", (RepoPath("src/orders.py"),))


def test_what_is_far_is_not_named() -> None:
    assert near(a_plan(), "site") == []


def test_a_long_list_is_cut_and_counted() -> None:
    tasks = "".join(f"  - {{id: t{n}, files: [src/f{n}.c], prompt: write}}\n" for n in range(MOST + 4))
    plan = a_plan(f"version: 1\nname: many\ntasks:\n{tasks}")
    told = build_prompt(plan, plan.task(TaskId("t0")))
    assert f"- `src/f{MOST}.c`: task t{MOST}\n- and 3 more\n" in told
