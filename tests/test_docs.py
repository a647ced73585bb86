"""What documents, messages and the man page say is true of the program: links, commands, options, variables, targets."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from git_waves.cli.app import program
from git_waves.core.findings.catalog import CATALOG
from git_waves.core.usage import commands, misuse
from git_waves.views.manual import command_pages, page_name
from tests.soak import disks, kinds, power
from tests.support.source import ROOT, modules

MAN = ROOT / "man" / "git-waves.1"
DOCUMENTS = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
)
_LINK = re.compile(r"(?<!\\)\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.*?) *#*$", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def _place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# ---------------------------------------------------------------------- links


def test_every_link_leads_somewhere() -> None:
    wrong = []
    for document in DOCUMENTS:
        text = _FENCE.sub("", document.read_text(encoding="utf-8"))
        for target in _LINK.findall(text):
            if re.match(r"[a-z][a-z+.-]*:", target):
                continue  # another site's: not ours to promise
            name, _, anchor = target.partition("#")
            file = (document.parent / name).resolve() if name else document
            if not file.exists():
                wrong.append(f"{_place(document)}: '{target}' does not exist")
            elif anchor and anchor not in _anchors(file):
                wrong.append(f"{_place(document)}: '{name}' has no heading '#{anchor}'")
    _none(wrong, "every relative link resolves")


def _anchors(document: Path) -> set[str]:
    """The anchors that code hosts make of headings: lower case, blanks to hyphens, other marks dropped."""
    headings = _HEADING.findall(_FENCE.sub("", document.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


# ---------------------------------------------------------------------- commands and options


def _commands() -> Iterator[tuple[str, Any]]:
    """Every command as people type it after `git waves`, and what parses it."""
    waiting: list[tuple[str, Any]] = [("", typer.main.get_command(program()))]
    while waiting:
        name, command = waiting.pop()
        inner = getattr(command, "commands", None)
        if inner is None:
            yield name, command
        else:
            waiting += [(f"{name} {word}".strip(), one) for word, one in inner.items()]


def _plain(roff: str) -> str:
    """A man page's text without its markup, in one line, so that a phrase is found wherever it was broken."""
    text = re.sub(r'^\.\\".*$', "", roff, flags=re.MULTILINE)
    text = re.sub(r"^\.[A-Z]{1,2}\b *", "", text, flags=re.MULTILINE)
    text = re.sub(r"\\f(?:\[\w*\]|\(..|.)", "", text).replace("\\-", "-").replace("\\&", "")
    return " ".join(text.replace('"', " ").split())


def test_every_command_and_option_is_in_the_man_page() -> None:
    page = _plain(MAN.read_text(encoding="utf-8"))
    wrong = []
    for name, command in _commands():
        if not re.search(rf"\bgit waves {name}\b", page):
            wrong.append(f"git waves {name}")
        for option in command.params:
            long = [word for word in option.opts if word.startswith("--")]
            wrong += [
                f"git waves {name} {word}"
                for word in long
                if not re.search(rf"(?<![\w-]){word}(?![\w-])", page)
            ]
    _none(wrong, "what can be typed is in man/git-waves.1")


_OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")


def test_the_page_of_each_command_explains_its_options_and_no_others() -> None:
    pages = command_pages(MAN.read_text(encoding="utf-8"))
    wrong = []
    for name, usage in commands().items():
        page = pages[page_name(name.split(" ")[0])]
        entries = re.findall(r"^\.TP\n(.*)$", _part(page, "OPTIONS"), re.MULTILINE)
        explained = {word for entry in entries for word in _OPTION.findall(entry)}
        said = explained | set(_OPTION.findall(_part(page, "SYNOPSIS")))
        long = {option for option in usage.options if option.startswith("--")}
        wrong += [f"git waves {name} {option}: not there" for option in sorted(long - said)]
        wrong += [f"git waves {name} {option}: no such option" for option in explained - {*usage.options}]
    _none(
        wrong,
        "in man/git-waves.1, below a command's name, between .RS and .RE, are its options, and only those",
    )


def _part(page: str, name: str) -> str:
    """A section of a page without the marks of fonts."""
    found = re.search(rf"^\.SH {name}\n(.*?)(?=^\.SH |\Z)", page, re.MULTILINE | re.DOTALL)
    return re.sub(r"\\f.", "", found[1]).replace("\\-", "-") if found else ""


def test_every_command_that_a_text_tells_people_to_type_exists() -> None:
    known = {name for name, _ in _commands()} | {"help"}
    known |= {name.split()[0] for name in known}
    wrong = [
        f"{where}: 'git waves {word}'"
        for where, text in (*_document_texts(), *_source_texts())
        for word in re.findall(r"(?<![\w-])git waves ([a-z][a-z-]*)", text)
        if word not in known
    ]
    _none(wrong, "hints and documents only name commands that there are")


def test_every_command_line_that_a_document_shows_would_be_taken() -> None:
    wrong = []
    for document in DOCUMENTS:
        for block in re.findall(
            r"^```(?:sh|console|text|)\n(.*?)^```",
            document.read_text(encoding="utf-8"),
            re.MULTILINE | re.DOTALL,
        ):
            for line in re.findall(r"^(?:\$ )?(git waves .*)$", block, re.MULTILINE):
                found = misuse(
                    tuple(shlex.split(line.partition("  #")[0].partition(" > ")[0], comments=True))
                )
                wrong += [f"{_place(document)}: {line}: {found.message}"] if found is not None else []
    _none(wrong, "what documents show can be typed")


def _document_texts() -> Iterator[tuple[str, str]]:
    """Code in documents: fenced blocks, and what stands between backquotes."""
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        code = [*_FENCE.findall(text), *re.findall(r"`[^`\n]+`", _FENCE.sub("", text))]
        yield _place(document), "\n".join(code)
    yield _place(MAN), _plain(MAN.read_text(encoding="utf-8"))


def _source_texts() -> Iterator[tuple[str, str]]:
    """Texts of the program that are no docstrings."""
    for module in modules("git_waves", "hooks"):
        tree = module.tree()
        docstrings = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                yield f"{module.place}:{node.lineno}", node.value


# ---------------------------------------------------------------------- variables and findings

INTERNAL_VARIABLES = {"WAVES_COOKIE"}  # how a supervisor knows what it left behind; nobody else's business
_VARIABLE = re.compile(r"WAVES_[A-Z]+(?:_[A-Z]+)*")


def test_the_man_page_and_the_code_agree_on_the_variables_of_a_task() -> None:
    code = {text for _, text in _source_texts() if _VARIABLE.fullmatch(text)} - INTERNAL_VARIABLES
    page = set(re.findall(rf"(?<!GIT_)\b{_VARIABLE.pattern}\b", _plain(MAN.read_text(encoding="utf-8"))))
    assert code == page


def test_the_page_of_the_environment_has_every_variable_and_no_other() -> None:
    code = {text for _, text in _source_texts() if _VARIABLE.fullmatch(text)}
    page = (ROOT / "docs" / "environment.md").read_text(encoding="utf-8")
    assert code == set(re.findall(rf"`({_VARIABLE.pattern})`", page))


_CODE = re.compile(r"W\d{3}")


def test_every_finding_is_explained_and_nothing_else_is() -> None:
    findings = {
        node.value
        for module in modules("git_waves/core/findings")
        if module.path.name != "catalog.py"
        for node in ast.walk(module.tree())
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _CODE.fullmatch(node.value)
    }
    assert findings == set(CATALOG)


def test_every_code_that_a_text_names_is_a_finding() -> None:
    texts = [*_document_texts(), *_source_texts()]
    wrong = [
        f"{where}: '{code}'"
        for where, text in texts
        for code in re.findall(rf"\b{_CODE.pattern}\b", text)
        if code not in CATALOG
    ]
    _none(wrong, "documents and messages only name findings that there are")


# ---------------------------------------------------------------------- the map of the house


def test_the_map_of_the_house_names_every_room() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms = {path.name + "/" for path in (ROOT / "git_waves").iterdir() if (path / "__init__.py").is_file()}
    rooms |= {path.name for path in (ROOT / "git_waves").glob("[!_]*.py")}
    named = set(re.findall(r"`([a-z_]+(?:\.py|/))`", text))
    _none(
        sorted(rooms - named), "docs/architecture.md says what every room and every module at the top knows"
    )
    _none(
        sorted(name for name in named if not _is_there(name)), "docs/architecture.md names only what there is"
    )


def test_the_map_of_the_house_names_every_ref() -> None:
    (refs,) = (module for module in modules() if module.name == "git_waves.refs")
    described = re.findall(r"^(refs/\S+?)[/…,]*(?:\s|$)", ast.get_docstring(refs.tree()) or "", re.MULTILINE)
    assert len(described) >= 6, "the docstring of refs.py lists the refs of a run"
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    missing = [ref for ref in described if f"`{ref}" not in text]
    _none(missing, "docs/architecture.md names every ref that refs.py describes")


def _is_there(name: str) -> bool:
    return any(
        (folder / name).exists()
        for folder in (ROOT, ROOT / "git_waves", ROOT / "git_waves" / "adapters", ROOT / "hooks")
    )


# ---------------------------------------------------------------------- faults

FAULTS = ROOT / "docs" / "faults.md"


def test_every_test_that_shows_a_fault_exists() -> None:
    tests = {
        node.name
        for module in modules("tests")
        for node in ast.walk(module.tree())
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }
    named = set(re.findall(r"`(test_\w+)`", FAULTS.read_text(encoding="utf-8")))
    assert len(named) > 200, "the list of faults names the tests that show them"
    _none(sorted(named - tests), "docs/faults.md names only tests that there are")


def test_every_kind_of_scenario_is_named_where_it_shows_a_fault() -> None:
    lists = re.findall(r"\b[Ss]oak: ([a-z0-9, \n]+)", FAULTS.read_text(encoding="utf-8"))
    named = {" ".join(kind.split()) for names in lists for kind in names.split(",")}
    there = {*kinds.KINDS, *power.KINDS, *disks.KINDS}
    assert named == there


def test_every_fault_has_its_number_and_what_shows_it_or_why_nothing_does() -> None:
    text = FAULTS.read_text(encoding="utf-8").partition("## The coordinator")[2]
    faults = re.findall(r"^(\d+)\. (.*?)(?=^\d+\. |^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert [int(number) for number, _ in faults] == list(range(1, len(faults) + 1))
    assert len(faults) > 90
    told = re.compile(r"Shown\s+by\s+`test_|[Ss]oak: |Not shown: ")
    wrong = [f"{number}. {words[:60]}" for number, words in faults if not told.search(words)]
    _none(wrong, "each fault is shown, or it is said why not")


# ---------------------------------------------------------------------- make


def test_every_make_target_that_a_document_names_exists() -> None:
    targets = set(
        re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    )
    wrong = [
        f"{where}: 'make {target}'"
        for where, text in _document_texts()
        if where != _place(MAN)
        for target in re.findall(r"\bmake ([a-z][a-z-]*)", text)
        if target not in targets
    ]
    _none(wrong, "documents only name targets that the Makefile has")


@pytest.mark.parametrize("command", ["make test", "make demo"])
def test_the_readme_and_ci_say_how_to_test(command: str) -> None:
    assert command in (ROOT / "README.md").read_text(encoding="utf-8")
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_ci_runs_what_developers_run() -> None:
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("make ") and "--version" not in line] == [
        "make check",
        "make demo",
    ]


# ---------------------------------------------------------------------- this machine, and registries

# In pieces, or this file would name what it looks for.
_REGISTRIES = [
    ".".join(words)
    for words in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("crates", "io"),
        ("rubygems", "org"),
        ("proxy", "golang", "org"),
    )
]
_HERE = [
    "/".join(words)
    for words in (("", "work", "main"), ("..", "shared"), ("", "opt", "pypi"), ("", "root", ""))
]
_FOLDERS = (".ci", "bench", "demo", "docs", "git_waves", "hooks", "man", "tests", "tools")


def test_no_file_names_a_registry_or_this_machine() -> None:
    files = [path for path in ROOT.iterdir() if path.is_file()]
    files = [path for path in files if path.name != ".git"]  # a file, in a linked worktree
    files += [path for folder in _FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    wrong = [
        f"{_place(path)}: '{name}'"
        for path in files
        if "__pycache__" not in path.parts
        for name in (*_REGISTRIES, *_HERE)
        if name in path.read_text(encoding="utf-8", errors="replace")
    ]
    _none(wrong, "the project does not know which registry or which machine it is on")


def _none(wrong: Iterable[str], rule: str) -> None:
    found = list(dict.fromkeys(wrong))
    assert not found, "\n".join([rule + ", but:", *(f"  {line}" for line in found)])
