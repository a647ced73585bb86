"""Our own source as syntax trees: which module imports what, and when; which function calls what. For the rules of the
house, which are about code and not about behaviour."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "git_waves"


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """One imported module, and the `names` taken from it (none when it is imported as a whole). `is_typing`: only a type
    checker sees it; `is_lazy`: it waits until a function is called."""

    target: str
    names: tuple[str, ...] = ()
    line: int
    is_typing: bool
    is_lazy: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call: its last name (`rmtree` of `shutil.rmtree(...)`), all of it, the texts it begins its arguments with, and
    the function it stands in."""

    name: str
    dotted: str
    texts: tuple[str, ...]
    line: int
    function: str


@dataclass(frozen=True)
class Module:
    """One file of source and its dotted name (`git_waves.core.fold`, `hooks.guard`)."""

    path: Path
    name: str

    @property
    def place(self) -> str:
        """The file's name from the root of the checkout."""
        return self.path.relative_to(ROOT).as_posix()

    @property
    def room(self) -> str:
        """`core`, `cli`, … for a module in a room; its own name (`run`, `errors`) for one at the top."""
        parts = self.name.split(".")
        return parts[1] if len(parts) > 1 else ""

    def tree(self) -> ast.Module:
        """The syntax tree."""
        return _parsed(self.path)

    def lines(self) -> int:
        """How many lines the file has."""
        return len(self.path.read_text(encoding="utf-8").splitlines())

    def imports(self) -> Iterator[Import]:
        """Every import, wherever it stands; of ours by the full name of the module that is meant."""
        yield from _imports(self.tree(), is_typing=False, is_lazy=False)

    def calls(self) -> Iterator[Call]:
        """Every call whose callee has a name."""
        yield from _calls(self.tree(), "")

    def at(self, line: int, words: str) -> str:
        """`file:line: words`, as a compiler would say it."""
        return f"{self.place}:{line}: {words}"


@cache
def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def modules(*folders: str) -> tuple[Module, ...]:
    """Every Python file below the folders of the checkout (all of the package when none is named)."""
    found = []
    for folder in folders or (PACKAGE,):
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found.append(Module(path, ".".join(parts[:-1] if parts[-1] == "__init__" else parts)))
    return tuple(found)


def _imports(node: ast.AST, *, is_typing: bool, is_lazy: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            for alias in child.names:
                yield Import(target=alias.name, line=child.lineno, is_typing=is_typing, is_lazy=is_lazy)
        elif isinstance(child, ast.ImportFrom):
            names = tuple(alias.name for alias in child.names)
            for target in _targets(child):
                yield Import(
                    target=target, names=names, line=child.lineno, is_typing=is_typing, is_lazy=is_lazy
                )
        elif isinstance(child, ast.If) and ast.unparse(child.test) in (
            "TYPE_CHECKING",
            "typing.TYPE_CHECKING",
        ):
            for part in child.body:
                yield from _imports(ast.Module([part], []), is_typing=True, is_lazy=is_lazy)
            for part in child.orelse:
                yield from _imports(ast.Module([part], []), is_typing=is_typing, is_lazy=is_lazy)
        else:
            is_function = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            yield from _imports(child, is_typing=is_typing, is_lazy=is_lazy or is_function)


def _targets(node: ast.ImportFrom) -> list[str]:
    """`from git_waves.core import fold` means the module `git_waves.core.fold`; other names stand for their module."""
    base = node.module or ""
    if node.level:
        return [f"a relative import of '{base}'"]
    if base.split(".")[0] != PACKAGE:
        return [base]
    folder = ROOT.joinpath(*base.split("."))
    targets = {
        f"{base}.{alias.name}"
        if (folder / alias.name).is_dir() or (folder / f"{alias.name}.py").is_file()
        else base
        for alias in node.names
    }
    return sorted(targets)


def _calls(node: ast.AST, function: str) -> Iterator[Call]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call) and isinstance(child.func, (ast.Name, ast.Attribute)):
            dotted = ast.unparse(child.func)
            name = child.func.id if isinstance(child.func, ast.Name) else child.func.attr
            yield Call(name=name, dotted=dotted, texts=_texts(child), line=child.lineno, function=function)
        inner = function
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            inner = f"{function}.{child.name}" if function else child.name
        yield from _calls(child, inner)


def _texts(call: ast.Call) -> tuple[str, ...]:
    texts = []
    for argument in call.args:
        if not (isinstance(argument, ast.Constant) and isinstance(argument.value, str)):
            break
        texts.append(argument.value)
    return tuple(texts)
