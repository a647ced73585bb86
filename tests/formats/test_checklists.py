"""OpenSpec and other lists of checkboxes: one after the other, numbered by their author or by their place."""

from __future__ import annotations

from tests.formats.readings import needs, reading, told


def test_tasks_keep_their_order_across_headings() -> None:
    one = reading(
        "## 1. Contract\n\n- [x] 1.1 Write it\n- [ ] 1.2 Check it\n\n## 2. Code\n\n- [ ] 2.1 Do it\n"
    )
    assert needs(one) == {"1.1": "", "1.2": "1.1", "2.1": "1.2"}
    assert one.plan.groups == (), "a heading claims nothing about what may run together"


def test_tasks_without_numbers_get_them_and_numbers_that_are_there_twice_get_another() -> None:
    one = reading(
        "# Tasks\n\n## First\n\n- [ ] a\n  - [ ] b\n- [ ] 2.1 c\n\n## Second\n\n- [ ] d\n- [ ] 2.1 e\n"
    )
    assert told(one) == (
        "plan plan (openspec)\n"
        "task 1.1:5 a\ntask 1.1.1:6 needs 1.1 b\ntask 2.1:7 needs 1.1.1 c\n"
        "task 2.2:11 needs 2.1 d\ntask 2.1.1:12 needs 2.2 e\n"
        "passed over 12: 2.1 e | the number '2.1' is there twice; this one is called '2.1.1'\n"
    )


def test_a_prompt_has_its_own_lines_its_chapter_and_what_it_is_part_of() -> None:
    text = "## 3. Docs\n\n- [ ] 3.1 Write `docs/a.md`\n\n  with care\n\n  ```\n  - [ ] not a task\n  ```\n  - [ ] 3.1.1 Title\n"
    one = reading(text, path="openspec/changes/shop/tasks.md")
    assert [task.prompt for task in one.plan.tasks] == [
        "3.1 Write `docs/a.md`\n  with care\n  ```\n  - [ ] not a task\n  ```\n\nChapter: 3. Docs\n\n"
        "Read proposal.md, design.md and specs/ in openspec/changes/shop/.",
        "3.1.1 Title\n\nPart of: 3.1 Write `docs/a.md`\n\nChapter: 3. Docs\n\n"
        "Read proposal.md, design.md and specs/ in openspec/changes/shop/.",
    ]
    assert one.plan.name == "shop"


def test_any_nesting_is_read() -> None:
    text = "".join(f"{'  ' * depth}- [ ] t{depth}\n" for depth in range(300))
    one = reading(text)
    assert len(one.plan.tasks) == 300
    assert max(len(task.id) for task in one.plan.tasks) < 64
