"""What files cannot show, as a person sees it: found, explained, promoted."""

from __future__ import annotations

from tests.cli.conftest import Waves
from tests.support.repo import RepoBuilder

PLAN = """\
version: 1
name: ledger
resources: [ledger-db]
gates:
  unit: make test || true
tasks:
  - id: "3"
    title: Post entries
    files: [src/post.py]
    prompt: |
      Post the entries of the day.
      Only after task 9, which makes the table.
    verify: test -s src/post.py
  - id: "9"
    title: Make the table
    files: [src/table.py]
    prompt: Run the migrations.
    verify: test -s src/table.py
"""


def test_a_plan_is_told_what_it_hides(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({".waves/plan.yaml": PLAN})
    out = waves("plan", exit=1).out
    assert (
        ".waves/plan.yaml:5: violation: gate 'unit' cannot fail: '|| true' makes it pass when 'make test' fails [W901]\n"
        "    make test || true\n"
        "hint: take '|| true' away\n"
    ) in out
    assert (
        ".waves/plan.yaml:12: warning: task '3' says 'after task 9', but by the numbers it comes before '9', "
        "and no need says otherwise [W304]\n"
        "    Only after task 9, which makes the table.\n"
        "hint: add '9' to the needs of '3', or correct the text; 'git waves plan --promote' does it\n"
    ) in out
    assert ".waves/plan.yaml:17: note: task '9' uses a database, and no resource says so [W701]" in out
    assert ".waves/plan.yaml:3: note: resource 'ledger-db' is declared, and no task holds it [W706]" in out


def test_sentences_become_needs_and_nothing_else_changes(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({".waves/plan.yaml": PLAN})
    typed = waves("plan", "--promote")
    assert typed.out == "wrote 1 need into '.waves/plan.yaml': '3' needs '9'\n"
    written = (repo.folder / ".waves" / "plan.yaml").read_text()
    assert written == PLAN.replace('  - id: "3"\n', '  - id: "3"\n    needs: ["9"]\n')
    assert "W30" not in waves("plan", exit=1).out
    assert waves("plan", "--promote").out == (
        "nothing to promote: every order that a sentence of '.waves/plan.yaml' asks for is in the plan\n"
    )


def test_promoting_goes_with_nothing_else_and_needs_a_file(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({".waves/plan.yaml": PLAN})
    assert waves("plan", "--promote", "--json", exit=2).err == (
        "fatal: --promote changes a plan, and goes with nothing else\nhint: git waves plan --promote\n"
    )
    refused = waves("plan", "--promote", "HEAD:.waves/plan.yaml", exit=2)
    assert "is no file of the work tree, so nothing can be written into it" in refused.err


def test_each_new_code_is_explained(repo: RepoBuilder, waves: Waves) -> None:
    assert repo.folder.is_dir()
    assert waves("explain", "w901").out.startswith("W901: a gate that cannot fail\n")
    every = waves("explain").out.splitlines()
    assert [line[:4] for line in every] == sorted(line[:4] for line in every)
    for code in ("W303", "W502", "W701", "W705", "W711", "W904"):
        assert any(line.startswith(f"{code}  ") for line in every)
