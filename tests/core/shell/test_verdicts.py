"""One right verdict for each command: those that print and pass are told with the word that does it, good ones stay quiet."""

from __future__ import annotations

import pytest

from git_waves.core.shell.flow import LossKind
from git_waves.core.shell.habit import Strength
from git_waves.core.shell.judge import ending_of, ending_of_words

FINE = r"""
make test
cargo test --workspace
npm test -- --ci
set -e; make lint; make test
set -eu; npm ci; npm test
set -euo pipefail; pytest | tee log
set -o errexit; make; make test
make lint && make test
make test && echo passed
cd web && npm ci && npm test
pytest -q > log 2>&1
pytest >/dev/null 2>&1
pytest 2>/dev/null
pytest | grep -q ' passed'
pytest > log; grep -q ' passed' log
pytest || exit 1
pytest || { echo 'tests failed' >&2; exit 1; }
pytest || (cat log; false)
pytest; exit $?
pytest; rc=$?; echo "pytest said $rc"; exit $rc
pytest; test $? -eq 0
pytest | tee log; test ${PIPESTATUS[0]} -eq 0
failed=0; for f in *.sh; do shellcheck "$f" || failed=1; done; exit $failed
for f in *.sh; do shellcheck "$f" || exit 1; done
set -e; for f in *.sh; do shellcheck "$f"; done
if pytest; then echo ok; else exit 1; fi
if ! pytest; then exit 1; fi
if [ -f package.json ]; then npm test; fi
case $TARGET in linux) make linux;; *) exit 1;; esac
! grep -rq 'TODO' src
! grep -rc 'TODO' src
! git grep -nE '^(<{7}|>{7}) '
grep -q 'version = "2"' pyproject.toml
grep -n 'Danger Zone' docs/profile.md
grep -c x f || exit 1
grep -cq x f
test "$(grep -c '^## ' README.md)" -eq 5
test -z "$(git status --porcelain)"
test -z "$(gofmt -l .)"
test "$(git diff --name-only)"
[ $(ls | wc -l) -gt 3 ]
[ "$VERSION" ]
test -s dist/app.js
[ -n "$VERSION" ]
[ "$(cat VERSION)" = 2.0 ]
[ "$a" = "$b" ]
[[ -n $VERSION ]]
f=dist/app.js; [ -f $f ]
[ -d $HOME/x ]
ls dist/app.js
find src -name '*.orig' | grep -q .
find . -name '*.py' -exec python -m pyflakes {} +
git diff --exit-code
git diff --quiet -- schema.json
git diff --check
git ls-files --error-unmatch src/a.py
git log --oneline | grep -q fix
curl -fsS http://localhost:8000/health
curl -s http://localhost:8000/health | grep -q ok
black --check .
ruff check .
cargo fmt --check
cargo fmt -- --check
prettier -c src
pytest -c pytest.ini
make -j4 -C build check
make -f ninja.mk test
sort -c names.txt
awk '/bad/ {exit 1}' log
npm start & sleep 2; curl -fsS localhost:3000
make test & pid=$!; wait $pid
docker rm -f db || true; make test
rm -rf build; make test
mkdir -p out; cp a out; make test
. venv/bin/activate; pytest
export CI=1; make test
echo starting; make test
sh -c 'make test'
bash -o pipefail -c 'pytest | tail -20'
bash -euo pipefail -c 'pytest | tail -20'
timeout 600 uv run pytest -x
trap 'rm -f tmp' EXIT; make test
check() { pytest; }; check
out=$(pytest)
while ! curl -sf localhost; do sleep 1; done
until pg_isready; do sleep 1; done
python -c 'import app; assert app.ok'
sh check.sh
false
exit 1
$CHECK
eval "$CHECK"
for f in a b; do test -s $f || exit 1; done
[ -f x ] || exit 1; make test
test "$(grep -qc x FILE)"
test "$(grep -c x FILE > out)"
test "$(grep x FILE)"
test "$(command -v make)"
make test || rc=$?; [ ! $rc ]
if [ -f x ]; then rc=$?; fi; [ $rc ]
pytest; rc=$?; [ $rc -eq 0 ]
rc=$?; rc=$(cat code); [ "$rc" ]
set -e; make; rc=$?; read -r rc < code; [ "$rc" ]
set -e; rc=$?; unset rc; make test; [ $rc ]
(rc=$?); [ "$rc" ]
out=$(pytest); grep -q passed <<< "$out"
[ -f .env ] && . ./.env; make test
exec make test
cat <<'EOF' > expected; diff expected actual
a | b; c &
EOF
""".strip().split("\n")

# What makes it pass, and the command.
CANNOT_FAIL = r"""
echo => echo all good
printf => printf 'done\n'
true => true
: => :
exit 0 => exit 0
exit 0 => exit 256
|| true => make test || true
|| : => make test || :
|| exit 0 => pytest || exit 0
|| echo failed => make test || echo failed
|| echo bad => make test && echo good || echo bad
true => make test; true
true => (make test; true)
echo => make test; echo done
echo => pytest; rc=$?; echo "said $rc"
exit 0 => make test; exit 0
| tee log => pytest | tee log
| tail -20 => pytest 2>&1 | tail -20
| cat => make test 2>&1 | cat
| tail => bash -c 'pytest | tail'
|| echo FAIL => pytest; [ $? -eq 0 ] && echo PASS || echo FAIL
& => make test &
wait => make test & wait
&> => pytest &> log
if => if pytest; then echo ok; fi
if => if ! pytest; then echo bad; fi
-n $x => [ -n $x ]
foo => test foo
$? => make test; [ $? ]
"$?" => pytest; test "$?"
$# => [ $# ]
$rc => make test; rc=$?; [ $rc ]
"${rc}" => make test; rc=$?; [ "${rc}" ]
$n => n=$(git status --porcelain | wc -l); test $n
grep -c => test "$(git log --oneline | grep -c fix)"
wc -l => [ $(git status --porcelain | wc -l) ]
"$a"=="b" => [ "$a"=="b" ]
$n=3 => [ $n=3 ]
[[ foo ]] => [[ foo ]]
> 3 => [ $n > 3 ]
1 -eq 1 => [ 1 -eq 1 ]
a = a => test a = a
test -n done => test -n done
ls => ls
ls => ls -la
wc => ls | wc -l
git status => git status --porcelain
find -exec ... \; => find . -name '*.py' -exec python -m pyflakes {} \;
make -i => make -i test
exit 0 => trap 'exit 0' EXIT; make test
echo => echo $(pytest)
echo => out=$(pytest); echo "$out"
x=1 => x=1
> out.txt => > out.txt
|| true => check() { pytest || true; }; check
|| true => eval "pytest || true"
check => check() { pytest; }
! => ! false
sleep => sleep 5
set => set -e
: => while read -r f; do :; done < files
""".strip().split("\n")

PROVES_LITTLE = r"""
grep -c => grep -c TODO README.md
grep -c => test "$(grep -c x FILE)"
grep -ic => [ $(grep -ic x FILE) ]
grep -c => test "$(grep -c x FILE || true)"
wc -l => test "$(wc -l < FILE)"
$n => n=$(grep -c x FILE); test "$n"
grep -c => grep -c a x && grep -c b y
grep -c => rg --count TODO src
grep -c => git grep -c TODO
cat => cat report.txt
head => head -5 report.txt
git diff => git diff
git diff => git diff --stat main
git log => git log -1
find => find src -name '*.orig'
pytest --collect-only => pytest --collect-only -q
pytest --co => timeout 60 uv run pytest --co
pytest --collect-only => python -m pytest --collect-only
make -n => make -n test
make -n => make -kn test
curl => curl -s http://localhost:8000/health
gofmt => gofmt -l .
--exit-zero => ruff check --exit-zero .
black => black .
prettier => npx prettier --write src
cargo fmt => cargo fmt
node --version => node --version
terraform fmt => terraform fmt
tool --version => npm install -g .; tool --version
| tail -5 => cd web && npm test 2>&1 | tail -5
rm => make test; rm -f log
cd => make test; cd ..
mkdir => mkdir -p out
""".strip().split("\n")

LOSES = r"""
; => make lint; make test
; => npm ci; npm test
; => [ -d node_modules ] || npm ci; npm test
; => test -f a; test -f b
; => { make lint; make test; } || exit 1
set -e => set -e; ! grep -q x f; make
set -e => set -e; make lint && make test; make e2e
|| true => npm run lint || true; npm test
| tail -5 => cargo test 2>&1 | tail -5 && cargo clippy
& => make lint & make test
for => for f in *.sh; do shellcheck $f; done
while => while read -r f; do grep -q x "$f"; done < files
if => if pytest; then make docs; fi
if => if pytest; then echo ok; else echo bad; fi; make lint
; => ! grep -q TODO src; make test
""".strip().split("\n")


def _cases(rows: list[str]) -> list[tuple[str, str]]:
    return [(row.partition(" => ")[2], row.partition(" => ")[0]) for row in rows]


def _lines(rows: list[str]) -> list[str]:
    """The rows, with a here-document put together again."""
    start = next(at for at, row in enumerate(rows) if "<<'EOF'" in row)
    return [*rows[:start], "\n".join(rows[start : start + 3])]


def test_the_table_is_long_enough_and_no_command_stands_in_it_twice() -> None:
    every = [*FINE, *(row.partition(" => ")[2] for row in (*CANNOT_FAIL, *PROVES_LITTLE, *LOSES))]
    assert len(every) == len(set(every))
    assert len(_lines(FINE)) >= 25
    assert len(every) >= 60


@pytest.mark.parametrize("text", _lines(FINE))
def test_a_command_that_fails_when_the_work_is_bad_is_left_alone(text: str) -> None:
    ending = ending_of(text)
    assert ending is not None, "it is shell"
    assert (ending.strength, ending.losses, ending.backwards) == (Strength.STRONG, (), None), ending


@pytest.mark.parametrize(("text", "word"), _cases(CANNOT_FAIL))
def test_a_command_that_cannot_fail_is_told_with_the_word_that_does_it(text: str, word: str) -> None:
    ending = ending_of(text)
    assert ending is not None
    assert ending.strength is Strength.NONE
    assert ending.cause is not None
    assert word in ending.cause.word
    assert ending.cause.why
    assert ending.cause.hint


@pytest.mark.parametrize(("text", "word"), _cases(PROVES_LITTLE))
def test_a_command_whose_failing_says_nothing_about_the_work_is_told(text: str, word: str) -> None:
    ending = ending_of(text)
    assert ending is not None
    assert ending.strength is Strength.WEAK
    assert ending.cause is not None
    assert word in ending.cause.word


@pytest.mark.parametrize(("text", "word"), _cases(LOSES))
def test_a_failure_that_goes_nowhere_is_told_while_the_rest_still_can_fail(text: str, word: str) -> None:
    ending = ending_of(text)
    assert ending is not None
    assert ending.strength is Strength.STRONG
    assert [(loss.kind, loss.cause.word) for loss in ending.losses] == [(LossKind.PASSED_OVER, word)]


@pytest.mark.parametrize("text", ["", "  \n", "# only a remark", "#!/bin/sh -e\n# later\n"])
def test_an_empty_text_has_no_command(text: str) -> None:
    ending = ending_of(text)
    assert ending is not None
    assert ending.strength is Strength.NONE
    assert ending.cause is not None
    assert ending.cause.why == "it has no command"


def test_an_unquoted_variable_that_may_be_empty_is_told() -> None:
    ending = ending_of("[ -s $REPORT ]")
    assert ending is not None
    (loss,) = ending.losses
    assert (loss.kind, loss.cause.why) == (
        LossKind.EMPTY_VARIABLE,
        "'[ -s $REPORT ]' passes when REPORT is empty, because nothing is left to ask about",
    )
    assert loss.cause.hint == 'put it in quotes: "$REPORT"'


def test_a_folder_that_may_not_be_there_is_the_smallest_loss() -> None:
    ending = ending_of("cd web\nnpm ci\nnpm test")
    assert ending is not None
    assert [(loss.kind, loss.command) for loss in ending.losses] == [
        (LossKind.PASSED_OVER, "npm ci"),
        (LossKind.WRONG_PLACE, "cd web"),
    ]


@pytest.mark.parametrize(
    "text", ["! pytest", "! uv run pytest -x", "make && ! npm test", "! make -C lib check"]
)
def test_tests_behind_an_exclamation_mark_are_told_to_run_backwards(text: str) -> None:
    ending = ending_of(text)
    assert ending is not None
    if text.startswith("! make"):
        assert ending.backwards is None, "only what is surely a test run"
    else:
        assert ending.backwards is not None
        assert "passes when the tests fail" in ending.backwards.why


def test_a_list_of_words_is_judged_as_it_is_executed() -> None:
    assert ending_of_words(["pytest", "-q", "|| true"]).strength is Strength.STRONG, "no shell, no '||'"
    assert ending_of_words(["pytest", "&>", "log"]).strength is Strength.STRONG
    assert ending_of_words(["echo", "ok"]).strength is Strength.NONE
    assert ending_of_words(["bash", "-c", "pytest | tail"]).strength is Strength.NONE
    assert ending_of_words(["bash", "-o", "pipefail", "-c", "pytest | tail"]).strength is Strength.STRONG
    assert ending_of_words(["bash", "-c", "pytest &> log"]).strength is Strength.STRONG, "bash knows '&>'"


@pytest.mark.parametrize(
    "text", ["echo 'open", "if true", "a &&", "x )", "a | | b", "echo $(", "f() {", "case x in"]
)
def test_nothing_is_said_about_what_is_no_shell(text: str) -> None:
    assert ending_of(text) is None


def test_the_words_for_a_pipeline_name_both_ends() -> None:
    ending = ending_of("npm test 2>&1 | tee build.log")
    assert ending is not None
    assert ending.cause is not None
    assert ending.cause.why == (
        "a pipeline ends like its last command, and 'tee build.log' passes whatever 'npm test 2>&1' said"
    )
