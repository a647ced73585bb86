#!/bin/sh
# The one hook of a task worktree, installed under every hook name that is needed (the name is ${0##*/}).
# First the user's own hook of that name, exactly as git would have run it, then our check. An allowed commit starts no
# interpreter: git and grep decide, and only what they cannot prove goes to guard.py, which decides for good and explains.
# `settings.sh` beside this file names the lease and the rest. Nothing is exported before the user's hook has run.

_waves_here=${0%/*}
_waves_hook=${0##*/}
. "$_waves_here/settings.sh"

# Git skips what is not executable, so we do. The canary tests our check, not the user's hooks.
_waves_own=$_waves_user/$_waves_hook
if [ -n "$GIT_WAVES_CANARY" ] || [ -z "$_waves_user" ] || [ ! -f "$_waves_own" ] || [ ! -x "$_waves_own" ]; then
    _waves_own=
fi

_waves_guard() { # the hook's own arguments; standard input is the hook's. Does not return.
    "$_waves_python" -I -S -B "$_waves_here/guard.py" "$_waves_lease" "$_waves_hook" "$@"
    _waves_status=$?
    case $_waves_status in 0 | 1) exit "$_waves_status" ;; esac
    echo "error: refused by git-waves: the ownership guard could not run ($_waves_status)" >&2
    echo "hint: a new worktree is made by: git waves retry TASK" >&2
    exit 1
}

# Succeeds only when every changed path is owned for certain. "$@" is a git command that lists changes. The stranger
# goes through the same pipe and must be all that comes out: so git has listed everything, and grep can do what we ask
# of it (-z is missing in some, and means "compressed" in others). No path starts with two slashes.
_waves_all_owned() {
    _waves_command=$1
    shift
    if [ -f "$_waves_patterns" ]; then
        # With folders and globs the modes matter too: a repository inside the repository needs an exact owner. The
        # patterns let pass every mode but that one, and no path can be taken for a line that starts so.
        _waves_left=$({ git "$_waves_command" --raw --no-abbrev --line-prefix=// "$@" && printf '//stranger\0'; } |
            grep -zavxFf "$_waves_files" | grep -zavxEf "$_waves_patterns")
    else
        _waves_left=$({ git "$_waves_command" --name-only "$@" && printf '//stranger\0'; } |
            grep -zavxFf "$_waves_files")
    fi
    [ "$_waves_left" = //stranger ]
} </dev/null 2>/dev/null

_waves_staged_is_owned() {
    # While a merge is being concluded, what came from the integration ref is staged too: for the guard to tell apart.
    [ ! -f "${GIT_DIR:-.git}/MERGE_HEAD" ] &&
        _waves_all_owned diff-index --cached -r -z --no-renames --ignore-submodules=none --no-relative \
            --ita-invisible-in-index HEAD --
}

_waves_tip_is_owned() { # the new tip of the task's branch
    case $1 in *[!0-9a-f]*) return 1 ;; *[!0]*) ;; *) return 1 ;; esac
    # The best common ancestor with all that is integrated, or was when the task was cut: rounds of a group are cut from
    # a candidate that the integration ref has not reached yet.
    _waves_point=$(git merge-base "$1" "$_waves_integration" "$_waves_base") || return 1
    [ "$_waves_point" = "$_waves_base" ] ||
        git merge-base --is-ancestor "$_waves_base" "$_waves_point" || return 1
    _waves_all_owned diff-tree -r -z --no-renames --ignore-submodules=none --no-relative "$_waves_point" "$1" --
} </dev/null 2>/dev/null

_waves_check_refs() { # lines `OLD NEW REF` on standard input. OLD is often zeros, whatever the ref was.
    _waves_seen=
    while read -r _waves_old _waves_new _waves_ref; do
        _waves_seen="$_waves_seen$_waves_old $_waves_new $_waves_ref
"
        case $_waves_ref in
        "$_waves_branch") _waves_tip_is_owned "$_waves_new" && continue ;;
        refs/worktree/* | refs/bisect/* | refs/rewritten/*) continue ;; # each worktree has its own
        *[!A-Z_]*) ;;
        *) continue ;; # HEAD, ORIG_HEAD and the like; `worktrees/x/HEAD` is not one of them
        esac
        { printf '%s' "$_waves_seen" && cat; } | _waves_guard "$@"
        exit
    done
}

_waves_seal_environment() {
    LC_ALL=C GIT_NO_REPLACE_OBJECTS=1 GIT_OPTIONAL_LOCKS=0
    export LC_ALL GIT_NO_REPLACE_OBJECTS GIT_OPTIONAL_LOCKS
    [ -f "$_waves_lease" ] && return
    [ -d "${_waves_lease%/*}" ] || exit 0 # the worktree is gone; somebody copied its configuration
    echo "error: refused by git-waves: the lease of this worktree is gone ('$_waves_lease')" >&2
    echo "hint: a new worktree is made by: git waves retry TASK" >&2
    exit 1
}

case $_waves_hook in
reference-transaction)
    if [ -n "$_waves_own" ]; then
        _waves_input=$(cat && printf .)
        _waves_input=${_waves_input%.}
        printf '%s' "$_waves_input" 2>/dev/null | "$_waves_own" "$@" || exit
        [ "$1" = prepared ] || exit 0
        _waves_seal_environment
        printf '%s' "$_waves_input" | _waves_check_refs "$@"
    elif [ "$1" = prepared ]; then # every other state, known or not, has nothing to decide
        _waves_seal_environment
        _waves_check_refs "$@"
    fi
    ;;
pre-commit | pre-applypatch)
    [ -z "$_waves_own" ] || "$_waves_own" "$@" || exit
    _waves_seal_environment
    _waves_staged_is_owned || _waves_guard "$@"
    ;;
pre-merge-commit)
    [ -z "$_waves_own" ] || "$_waves_own" "$@" || exit
    _waves_seal_environment
    _waves_guard "$@"
    ;;
pre-push) # refused before the user's hook: git-lfs would upload from there
    _waves_seal_environment
    _waves_guard "$@"
    ;;
*)
    [ -z "$_waves_own" ] || exec "$_waves_own" "$@"
    ;;
esac
