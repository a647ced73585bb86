"""What scheduler files plainly write, file by file; and everything that is not certain, about which nothing is said."""

from __future__ import annotations

import pytest

from git_waves.core.model import RepoPath
from git_waves.core.scheduled import is_scheduler_file, scheduled_writes

WORKFLOW = """\
name: prices
on:
  workflow_dispatch:
  schedule:
    - cron: '0 3 * * *'  # at night
jobs:
  fetch:
    steps:
      - uses: actions/checkout@v4
      # > commented/out.json
      - run: python tools/fetch.py > data/prices.json
      - run: |
          jq . < data/raw.json | tee -a "data/log of days.txt"
          ./tool -o data/out.json 2> errors.txt
          ./tool --output=data/more.json > /dev/null 2>&1
          git add data/prices.json site/
          git commit -m 'prices' && git push
"""


def written(name: str, text: str, **others: str) -> list[str]:
    files = {RepoPath(name): text, **{RepoPath(other): more for other, more in others.items()}}
    return [one.path for one in scheduled_writes(files)]


def test_a_scheduled_workflow_that_commits() -> None:
    found = list(scheduled_writes({RepoPath(".github/workflows/x.yml"): WORKFLOW}))
    assert [(one.line, one.path) for one in found] == [
        (11, "data/prices.json"),
        (13, "data/log of days.txt"),
        (14, "data/out.json"),
        (15, "data/more.json"),
        (16, "data/prices.json"),
        (16, "site/"),
    ]
    assert {one.when for one in found} == {"cron '0 3 * * *'"}
    assert not any(one.is_proposal for one in found)


def test_a_workflow_without_a_clock_or_without_a_commit_writes_nothing_of_ours() -> None:
    name = ".github/workflows/x.yml"
    assert written(name, WORKFLOW.replace("- cron:", "- when:")) == []
    assert written(name, WORKFLOW.replace("git commit", "git status").replace("git push", "true")) == []


def test_the_paths_that_committing_actions_are_given() -> None:
    text = (
        "on: {schedule: [{cron: x}]}\n  - cron: '@daily'\n"
        "- uses: stefanzweifel/git-auto-commit-action@v5\n  with:\n    file_pattern: 'docs/a.md' stats/*.svg\n"
    )
    assert written(".github/workflows/x.yaml", text) == ["docs/a.md", "stats/*.svg"]


@pytest.mark.parametrize(
    "line",
    [
        "python tools/fetch.py",
        "cat < data/in.json",
        "cp $SOURCE > $TARGET",
        "make > ${OUT}/x",
        "git add -A",
        "git add .",
        "echo done 2>&1",
        "test 3 -gt 2",
        "if a => b",
    ],
)
def test_what_is_not_certain_is_not_told(line: str) -> None:
    text = f"on:\n  schedule:\n    - cron: '1 * * * *'\n- run: {line}\n- run: git push\n"
    assert written(".github/workflows/x.yml", text) == []


def test_a_crontab_names_its_time() -> None:
    text = (
        "# m h dom mon dow command\nMAILTO=me\n"
        "15 4 * * 1-5 cd /srv && ./report > reports/daily.md\n"
        "@hourly ./sync >> data/sync.log\n"
        "not a line > of/it\n"
    )
    found = list(scheduled_writes({RepoPath("ops/crontab"): text}))
    assert [(one.line, one.path, one.when) for one in found] == [
        (3, "reports/daily.md", "cron '15 4 * * 1-5'"),
        (4, "data/sync.log", "cron '@hourly'"),
    ]


def test_a_timer_is_read_with_its_service() -> None:
    timer = "[Timer]\nOnCalendar=daily\nUnit=other.service\n"
    service = "[Service]\nExecStart=/bin/sh -c './r > out/r.json'\nStandardOutput=append:out/r.log\n"
    found = list(scheduled_writes({RepoPath("ops/r.timer"): timer, RepoPath("ops/other.service"): service}))
    assert [(one.source, one.line, one.path) for one in found] == [
        ("ops/other.service", 2, "out/r.json"),
        ("ops/other.service", 3, "out/r.log"),
    ]
    assert found[0].when == "'OnCalendar=daily' of 'ops/r.timer'"
    assert written("ops/r.timer", timer) == []
    assert written("ops/r.service", service) == []


def test_dependabot_changes_what_its_ecosystems_keep() -> None:
    text = (
        "version: 2\nupdates:\n"
        "  - package-ecosystem: npm\n    directory: /web\n    schedule:\n      interval: weekly\n"
        '  - package-ecosystem: "github-actions"\n    directory: "/"\n'
        "  - package-ecosystem: unheard-of\n"
    )
    found = list(scheduled_writes({RepoPath(".github/dependabot.yml"): text}))
    assert all(one.is_proposal for one in found)
    assert ("web/package.json", "weekly", 3) in [(one.path, one.when, one.line) for one in found]
    assert (".github/workflows/*.yml", "on a schedule", 7) in [
        (one.path, one.when, one.line) for one in found
    ]


def test_renovate_looks_everywhere() -> None:
    assert "**/package.json" in written(".github/renovate.json5", "{}")


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        (".github/workflows/ci.yml", True),
        (".gitea/workflows/ci.yaml", True),
        ("sub/.github/workflows/ci.yml", False),
        ("crontab", True),
        ("etc/cron.d/backup", True),
        ("deploy/backup.cron", True),
        ("ops/x.timer", True),
        ("renovate.json", True),
        (".renovaterc", True),
        (".github/dependabot.yml", True),
        ("src/cron.py", False),
        ("package.json", False),
    ],
)
def test_scheduler_files_are_known_by_name(name: str, is_one: bool) -> None:
    assert is_scheduler_file(name) is is_one


@pytest.mark.parametrize(
    "trigger",
    [
        "on: {schedule: [{cron: '0 3 * * *'}]}",
        "on:\n  schedule: [{cron: '0 3 * * *'}]",
        "'on':\n  schedule:\n  - {cron: \"0 3 * * *\"}",
        "on:\n  schedule:\n    - 'cron': 0 3 * * *  # at night",
    ],
)
def test_a_clock_is_read_in_every_way_that_yaml_writes_it(trigger: str) -> None:
    text = f"{trigger}\njobs:\n  a:\n    steps:\n      - run: date > a.txt && git -c user.name=x commit -am n && git push\n"
    (found,) = scheduled_writes({RepoPath(".github/workflows/nightly.yml"): text})
    assert (found.path, found.when) == ("a.txt", "cron '0 3 * * *'")


def test_a_clock_in_a_comment_is_none() -> None:
    text = WORKFLOW.replace("- cron:", "# - cron:")
    assert written(".github/workflows/x.yml", text) == []


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("cp build/new.json data/prices.json", ["data/prices.json"]),
        ("mv new.json data/prices.json", ["new.json", "data/prices.json"]),
        ("git rm old.txt", ["old.txt"]),
        ("git commit -m 'the prices' -- data/prices.json", ["data/prices.json"]),
        ("cp -r $NEW $OLD", []),
        ("git commit -am nightly", []),
    ],
)
def test_what_copies_moves_and_commits_write(command: str, paths: list[str]) -> None:
    text = f"on: {{schedule: [{{cron: '@daily'}}]}}\n  - run: {command}\n  - run: git push\n"
    assert written(".github/workflows/x.yml", text) == paths


def test_a_gitlab_job_for_schedules_that_pushes() -> None:
    text = (
        "build:\n  script:\n    - make > log.txt\n    - git push\n"
        'nightly:\n  rules:\n    - if: $CI_PIPELINE_SOURCE == "schedule"\n'
        "  script:\n    - ./fetch > data.json\n    - git commit -am n && git push\n"
        "old:\n  only:\n    - schedules\n  script: date > day.txt; git push\n"
        "other:\n  except:\n    - schedules\n  script: date > never.txt; git push\n"
    )
    found = list(scheduled_writes({RepoPath(".gitlab-ci.yml"): text}))
    assert [(one.line, one.path, one.when) for one in found] == [
        (9, "data.json", "in a scheduled pipeline"),
        (14, "day.txt", "in a scheduled pipeline"),
    ]


def test_a_cron_job_of_a_cluster_that_pushes() -> None:
    job = "kind: CronJob\nspec:\n  schedule: '0 3 * * *'\n  args: [sh, -c, 'git clone x .; date > day.txt; git push']\n"
    text = f"kind: Deployment\nargs: [sh, -c, 'date > other.txt; git push']\n---\n{job}"
    assert is_scheduler_file("deploy/jobs.yaml")
    assert is_scheduler_file("nightly-cronjob.yml")
    (found,) = scheduled_writes({RepoPath("deploy/jobs.yaml"): text})
    assert (found.line, found.path, found.when) == (7, "day.txt", "cron '0 3 * * *'")
    assert written("deploy/jobs.yaml", job.replace("git push", "true")) == []
