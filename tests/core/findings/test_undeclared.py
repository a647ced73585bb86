"""What texts make use of outside the repository: what counts, what does not, and when it matters."""

from __future__ import annotations

import pytest

from git_waves.core.mentions import Thing, mentions_in_commands, mentions_in_prompt
from git_waves.core.model import Command, Resource
from tests.core.findings.told import findings, told
from tests.core.plans import plan, sh, task

ASKED_FOR = [
    ("Run the migrations, then the tests.", Thing.DATABASE, "migrations"),
    ("Apply all pending migrations.", Thing.DATABASE, "migrations"),
    ("Seed the staging database with the fixtures.", Thing.DATABASE, "database"),
    ("Then run `alembic upgrade head`.", Thing.DATABASE, "migrations"),
    ("1. `psql ledger -f schema.sql`", Thing.DATABASE, "psql"),
    ("```bash\n$ redis-cli flushall\n```", Thing.DATABASE, "redis-cli"),
    ('```python\nclient = Client("mongodb://localhost:27017")\n```', Thing.DATABASE, "mongodb"),
    ("```sh\npg_dump $DATABASE_URL\n```", Thing.DATABASE, "pg_dump"),
    ("```sh\ngit config --global user.name x\n```", Thing.USER, "git config --global"),
    ("Install it with `npm install -g .`", Thing.USER, "global npm packages"),
    ("- `pip install --user tox`", Thing.USER, "the user's python packages"),
    ("```sh\nsystemctl --user restart agent\n```", Thing.USER, "services of the user"),
    ("```sh\ncrontab -r\n```", Thing.USER, "crontab"),
    ("```sh\nbrew install jq\n```", Thing.USER, "system packages"),
    ("```sh\necho x >> ~/.bashrc\n```", Thing.USER, "~/.bashrc"),
    ("```sh\ncp a.db ~/.app/a.db\n```", Thing.USER, "~/.app/a.db"),
    ("Write the token to `~/.netrc`.", Thing.USER, "~/.netrc"),
    ("Run `pnpm dev` and open http://localhost:3000", Thing.PORT, "port 3000"),
    ("```sh\ncurl -f http://127.0.0.1:8080/health\n```", Thing.PORT, "port 8080"),
    ("Run `vite --port 5173`", Thing.PORT, "port 5173"),
    ("Start the server on port 8000 and log in.", Thing.PORT, "port 8000"),
    ("```sh\ncurl --unix-socket /var/run/docker.sock x\n```", Thing.SOCKET, "/var/run/docker.sock"),
    ("Start it: `docker compose up -d`", Thing.CONTAINER, "docker"),
    ("```sh\nkubectl apply -f k8s/\n```", Thing.CONTAINER, "kubernetes"),
    ("Then `gh pr create --fill`", Thing.SERVICE, "github"),
    ('```sh\ncurl -H "Authorization: Bearer $OPENAI_API_KEY" x\n```', Thing.SERVICE, "OPENAI_API_KEY"),
    ("The suite needs a valid STRIPE_SECRET_KEY.", Thing.SERVICE, "STRIPE_SECRET_KEY"),
    ("```sh\ncurl https://api.stripe.com/v1/charges\n```", Thing.SERVICE, "api.stripe.com"),
    ("```sh\nterraform apply\n```", Thing.SERVICE, "cloud resources"),
    ("```sh\nnpm publish\n```", Thing.SERVICE, "a package registry"),
]

ONLY_TALK = [
    "Write the migration `migrations/004_orders.sql`.",
    "Add tests for the migration script.",
    "The tests run migrations on an in-memory database.",
    "Document how `psql` is used.",
    "Validate `DATABASE_URL` and `STRIPE_SECRET_KEY` in `src/config.ts`.",
    "The file is ready for `supabase db push`.",
    "CORS allows http://localhost:3000",
    "Allowed origins: `http://localhost:5173`",
    '```python\nBASE = "http://localhost:8000"\n```',
    "```env\nDATABASE_URL=postgres://app@localhost/app\n```",
    "```sh\nDATABASE_URL=postgres://app@localhost/app\n```",
    "```sh\nDATABASE_URL=postgres://u:p@localhost/db pytest tests/test_config.py\n```",
    "```sh\nSTRIPE_API_KEY=test pytest\n```",
    "The CLI reads ~/.config/app/settings.toml.",
    "Do not write to ~/.gitconfig.",
    "```sh\ncat ~/.gitconfig\ngit config --global --get user.name\ncrontab -l\n```",
    "```sh\ncp ~/.app/a.db fixtures/a.db\n```",
    "```sh\ndocker compose config\ndocker --version\n```",
    "```sh\nnpm publish --dry-run\n```",
    "```sh\ncargo install --root .tools just\n```",
    "```python\nsubprocess.run(['docker', 'run', image])\n```",
    "Explain when to use `docker run` and when not to.",
    "Use `localhost` and the port of `$PORT`.",
    "```sh\nvite --port 0\nvite --port $PORT\n```",
    "Rename the GitHub token helper.",
    "This is important: support the report, import, export and transport.",
]


@pytest.mark.parametrize(("text", "thing", "key"), ASKED_FOR)
def test_what_a_prompt_asks_for_is_found(text: str, thing: Thing, key: str) -> None:
    assert (thing, key) in {(mention.thing, mention.key) for mention in mentions_in_prompt(text)}


@pytest.mark.parametrize("text", ONLY_TALK)
def test_what_a_prompt_only_talks_about_is_not(text: str) -> None:
    assert list(mentions_in_prompt(text)) == []


def test_the_line_of_a_mention_is_its_own() -> None:
    text = "Do it.\n\n```sh\nmake\n$ psql ledger\n```\n\nThen open http://localhost:80/\nand `crontab -r`.\n"
    assert [(mention.key, mention.line) for mention in mentions_in_prompt(text)] == [
        ("psql", 4),
        ("port 80", 7),
        ("crontab", 8),
    ]


def test_tasks_that_may_run_together_are_a_warning_and_others_a_note() -> None:
    first = task("a", "a", prompt="Run the migrations.", run=None, prompt_line=7)
    together = plan(first, task("b", "b", run=sh("psql ledger < b.sql")))
    (found,) = findings(together, "W70")
    assert (found.code, found.level, found.line, found.tasks) == ("W701", "warning", 7, ("a", "b"))
    assert found.message == "2 tasks use a database and may run together, and no resource says so"
    assert found.evidence == (
        "prompt of task 'a' says 'Run the migrations' (line 7)",
        "run of task 'b' says 'psql ledger'",
    )
    assert found.hint == (
        "declare 'database' under 'resources', and give 'a' and 'b' 'resources: [database]'"
    )
    ordered = plan(first, task("b", "b", run=sh("psql ledger < b.sql"), needs=["a"]))
    assert told(ordered, "W70") == ["W701 note: 2 tasks use a database, and no resource says so"]
    assert told(plan(first), "W70") == ["W701 note: task 'a' uses a database, and no resource says so"]


def test_a_task_that_holds_the_thing_has_said_so_and_one_beside_it_has_not() -> None:
    some = plan(
        task("a", "a", run=sh("psql ledger"), resources=("ledger-db",)),
        task("b", "b", run=sh("psql ledger")),
        resources={"ledger-db": 1},
    )
    (found,) = findings(some, "W70")
    assert (found.level, found.tasks) == ("warning", ("b",))
    assert (
        found.message == "task 'b' uses a database, as others do that hold 'ledger-db', and does not say so"
    )
    assert found.hint == "give 'b' 'resources: [ledger-db]'"


@pytest.mark.parametrize(
    ("name", "kind", "is_declared"),
    [
        ("ledger-db", "", True),
        ("ledger", "database", True),
        ("staging", "", True),  # says nothing, so it may be it
        ("port-3000", "", False),
        ("x", "api", False),
    ],
)
def test_what_a_resource_stands_for_is_told_by_its_name_or_kind(
    name: str, kind: str, is_declared: bool
) -> None:
    some = plan(task("a", "a", run=sh("psql ledger"), resources=(name,)))
    some = some.__class__(
        name="demo", source="p", tasks=some.tasks, resources=(Resource(name=name, kind=kind),)
    )
    assert (told(some, "W70") == []) is is_declared


def test_the_port_of_a_database_is_declared_with_it() -> None:
    some = plan(task("a", "a", run=sh("curl localhost:5432"), resources=("db",)), resources={"db": 1})
    assert told(some, "W70") == []


def test_the_port_of_a_database_is_told_with_the_database() -> None:
    some = plan(task("a", "a", run=sh("psql ledger && curl localhost:5432")))
    assert told(some, "W70") == ["W701 note: task 'a' uses a database, and no resource says so"]
    assert told(plan(task("a", "a", run=sh("curl localhost:5432"))), "W70") == [
        "W703 note: task 'a' uses port 5432, and no resource says so"
    ]


def test_what_the_same_tasks_use_of_one_kind_is_one_finding() -> None:
    busy = sh("crontab -r; git config --global x y; curl localhost:80/x; curl localhost:81/x")
    (port, user) = sorted(findings(plan(task("a", "a", run=busy)), "W70"), key=lambda each: each.message)
    assert user.message == (
        "task 'a' uses what belongs to the user (git config --global, crontab), and no resource says so"
    )
    assert user.evidence == ("run of task 'a' says 'git config --global'", "run of task 'a' says 'crontab'")
    assert port.message == "task 'a' uses port 80 and port 81, and no resource says so"
    apart = plan(task("a", "a", run=sh("crontab -r; npm i -g x")), task("b", "b", run=sh("crontab -r")))
    assert told(apart, "W70") == [
        "W702 warning: 2 tasks use what belongs to the user (crontab) and may run together, and no resource says so",
        "W702 note: task 'a' uses what belongs to the user (global npm packages), and no resource says so",
    ]


def test_each_kind_of_thing_has_its_code() -> None:
    some = plan(
        task("a", "a", run=sh("docker compose up -d; gh pr create; psql x; crontab -r; curl localhost:80/x")),
        task("s", "s", verify=(Command(argv=("curl", "--unix-socket", "/run/x.sock", "x")),)),
    )
    assert told(some, "W70") == [
        "W701 note: task 'a' uses a database, and no resource says so",
        "W702 note: task 'a' uses what belongs to the user (crontab), and no resource says so",
        "W703 note: task 'a' uses port 80, and no resource says so",
        "W703 note: task 's' uses socket '/run/x.sock', and no resource says so",
        "W704 note: task 'a' uses containers, and no resource says so",
        "W705 note: task 'a' uses a service outside (github), and no resource says so",
    ]


def test_what_is_done_uses_nothing() -> None:
    assert told(plan(task("a", "a", run=sh("psql x"), is_done=True)), "W70") == []


@pytest.mark.parametrize(
    "text",
    [
        "`" * 50_000,
        "```sh\n" * 10_000,
        "run " * 30_000,
        "cp ~/" * 20_000,
        "npm install " * 9_000,
        "curl http://localhost:" * 5_000,
        "open " * 9_000 + "localhost:80",
        "localhost:80 open " * 6_000,
        "DATABASE_URL=" * 8_000,
        "A_" * 50_000 + "API_KEY",
        "A=x " * 20_000 + "psql y",
        "write " * 20_000 + "~/.x",
        "postgres://" * 9_000,
        "docker compose " + "-f a.yml " * 10_000,
    ],
    ids=lambda text: text[:12],
)
def test_no_text_takes_long(text: str) -> None:
    list(mentions_in_prompt(text))
    list(mentions_in_commands(text))
