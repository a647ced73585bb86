"""Reading shell texts: what is a command, what is a word, and that no text, however odd, brings the reader down."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_waves.core.shell.judge import ending_of
from git_waves.core.shell.reader import MAX_LENGTH, ShellError, read_script
from git_waves.core.shell.syntax import Case, Command, DoubleTest, Function, Group, If, Loop, Simple, Word
from tests.support.properties import examples


def only(text: str) -> Command:
    (chain,) = read_script(text).chains
    assert not chain.rest
    (command,) = chain.first.commands
    return command


def simple(text: str) -> Simple:
    command = only(text)
    assert isinstance(command, Simple)
    return command


def word(text: str) -> Word:
    (found,) = simple(text).words
    return found


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("abc", "abc"),
        ("'a b'", "a b"),
        ('"a b"', "a b"),
        ("a' 'b", "a b"),
        (r"a\ b", "a b"),
        (r'"a\"b\c\$"', r'a"b\c$'),
        ("a\\\nb", "ab"),
        ("''", ""),
        ("$'a b'", "a b"),
        ("a#b", "a#b"),
        ("{a,b}", "{a,b}"),
        ("$", "$"),
        ("~/x", "~/x"),
        ("$x", None),
        ('"$x"', None),
        ("a${x:-b c}d", None),
        ("$(echo a)", None),
        ("`echo a`", None),
        ("$((1 + (2 * 3)))", None),
        ("<(sort a)", None),
    ],
)
def test_a_word_is_taken_out_of_its_quotes(text: str, literal: str | None) -> None:
    assert word(text).literal == literal


@pytest.mark.parametrize(
    ("text", "bare", "reads", "fixed"),
    [
        ("$x", "x", ("x",), ""),
        ("${x}", "x", ("x",), ""),
        ('"$x"', None, ("x",), ""),
        ("$x/a", None, ("x",), "/a"),
        ("${x:-a}", None, ("x",), ""),
        ("${x:-$y}", None, ("x", "y"), ""),
        ("${#x}", None, ("x",), ""),
        ("$?", "?", ("?",), ""),
        ("$1$2", None, ("1", "2"), ""),
        ("$(($? + 1))", None, ("?",), ""),
    ],
)
def test_what_a_word_looks_at_is_known(
    text: str, bare: str | None, reads: tuple[str, ...], fixed: str
) -> None:
    found = word(text)
    assert (found.bare, found.reads, found.fixed) == (bare, reads, fixed)


def test_commands_inside_a_word_are_read_too() -> None:
    (script,) = word('"a $(make; echo "$(pwd)") b"').scripts
    assert [chain.text for chain in script.chains] == ["make", 'echo "$(pwd)"']
    (script,) = word(r"`a \`b\``").scripts
    inner = script.chains[0].first.commands[0]
    assert isinstance(inner, Simple)
    assert inner.words[1].scripts[0].chains[0].text == "b"


def test_a_simple_command_has_assignments_words_and_redirections() -> None:
    found = simple("A=1 B='x y' make -j4 >log 2>&1 <in C=2")
    assert [(each.name, each.value.literal) for each in found.assignments] == [("A", "1"), ("B", "x y")]
    assert [each.literal for each in found.words] == ["make", "-j4", "C=2"]
    assert [(each.operator, each.target.literal) for each in found.redirects] == [
        (">", "log"),
        (">&", "1"),
        ("<", "in"),
    ]
    assert simple("a=(1 $(b) 3)").assignments[0].value.scripts[0].chains[0].text == "b"


def test_lists_pipelines_and_background_are_told_apart() -> None:
    chains = read_script("a | b |& c && ! d || e; f & g\nh # i; j\n\nk").chains
    assert [(chain.text, chain.is_background) for chain in chains] == [
        ("a | b |& c && ! d || e", False),
        ("f", True),
        ("g", False),
        ("h", False),
        ("k", False),
    ]
    assert [command.text for command in chains[0].first.commands] == ["a", "b", "c"]
    assert [(operator, pipeline.is_negated) for operator, pipeline in chains[0].rest] == [
        ("&&", True),
        ("||", False),
    ]


def test_a_here_document_is_no_command() -> None:
    chains = read_script("cat <<EOF | sort <<-'E'\nmake; $(x\nEOF\n\trm\n\tE\nmake test").chains
    assert [chain.text.splitlines()[0] for chain in chains] == ["cat <<EOF | sort <<-'E'", "make test"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("( a; b )", Group),
        ("{ a; b; } > log", Group),
        ("if a; then b; elif c; then d; else e; fi", If),
        ("for x in 1 2; do a; done", Loop),
        ("for x\ndo\na\ndone", Loop),
        ("for ((i = 0; i < 3; i++)); do a; done", Loop),
        ("while a; do b; done < file", Loop),
        ("until a; do b; done", Loop),
        ("case $x in (a|b) c;; *) d; esac", Case),
        ("f() { a; }", Function),
        ("function f { a; }", Function),
        ("function f() ( a )", Function),
        ("[[ $x =~ ^(a|b)$ && -f y ]]", DoubleTest),
        ("(( x > 3 ))", DoubleTest),
        ("((a); b)", Group),
    ],
)
def test_compound_commands_are_read(text: str, kind: type[Command]) -> None:
    assert isinstance(only(text), kind)


def test_keywords_are_only_keywords_where_a_command_begins() -> None:
    assert [each.literal for each in simple("echo if then } done [[").words] == [
        "echo",
        "if",
        "then",
        "}",
        "done",
        "[[",
    ]
    assert simple("iffy").words[0].literal == "iffy"


_SNIPPETS = r"""
a;b
a; b;
a && b || c
a &&
&& a
a ;; b
a | b
a |
a & b
a & ; b
( a )
( a
a )
{ a; }
{ a }
{ a; } b
if a; then b; fi
if a; then b
if a then b; fi
if a; then fi
while a; do b; done
while a; b; done
for x in a b; do c; done
for x in a b do c; done
case x in a) b;; esac
case x in a) b;; c) d; esac
case x in esac
case x a) b;; esac
f() { a; }
echo "a $(b "c $(d)") e"
echo "a
echo 'a
echo $(a
echo `a
echo `a`
echo ${a:-${b}}
echo ${a
echo $((1+2))
echo \
> x
a >
a 2>&1 | b
cat <<EOF
! a
a ! b
then a
done
x=1 y=2
x=1 if a; then b; fi
# only this
a # b ) c
echo } {
""".strip().split("\n")


def test_what_we_read_is_what_a_shell_reads() -> None:
    """A text that a shell refuses may still be read here, but never the other way round."""
    for text in _SNIPPETS:
        accepted = subprocess.run(["sh", "-n", "-c", text], capture_output=True, check=False).returncode == 0
        try:
            read_script(text)
            is_read = True
        except ShellError:
            is_read = False
        assert is_read or not accepted, text
        if text not in ("{ a; } b", "if a; then fi", "a & ; b", "x=1 if a; then b; fi"):
            assert is_read == accepted, text


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000,
        "$(" * 5000,
        "`" * 5001,
        '"$(' * 3000,
        "${a:-" * 5000,
        "{ " * 5000,
        "if " * 5000,
        "! " * 20000 + "a",
        "((" * 20000,
        "((a) ; " * 8000,
        "$((" * 20000,
        "a[" * 20000,
        "a && " * 10000 + "a",
        "a | " * 10000 + "a",
        "a;" * 30000,
        "<<A " * 10000 + "\n" * 10000,
        "f() " * 10000 + "{ a; }",
        "case x in " + "a|" * 20000 + "a) b;; esac",
        "'a'" * 20000,
        "\\\n" * 30000,
        "$'" + "\\'" * 30000,
        "for a in " * 5000,
        "f() { f; f; }; " * 2000 + "f",
        "a" * (MAX_LENGTH + 1),
    ],
    ids=lambda text: text[:8],
)
def test_no_text_takes_long_or_deep(text: str) -> None:
    ending_of(text)


def test_functions_that_call_functions_do_not_multiply() -> None:
    many = "".join(f"f{n}() {{ f{n + 1}; f{n + 1}; }}; " for n in range(60))
    assert ending_of(many + "f0") is not None


_PIECES = st.sampled_from(
    r"""a ~ \n ; & | ( ) {~ ~} $( ` ' " \ $ ${ } <<E > # ! if~ then~ fi do~ done case~ esac ~in~ ;; f()~ [[~ ~]] (( )) x= [~""".replace(
        r"\n", "\n~"
    ).split(" ")
).map(lambda piece: piece.replace("~", " "))


@examples(300)
@given(st.lists(_PIECES, max_size=40).map("".join))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read_script(text)
    except ShellError as error:
        assert str(error)
        assert ending_of(text) is None
    else:
        assert ending_of(text) is not None
