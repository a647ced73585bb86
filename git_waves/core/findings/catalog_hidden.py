"""The explanations of what files cannot show: orders in sentences, things outside, checks that prove nothing."""

from __future__ import annotations

from git_waves.core.findings.explanation import Explanation

HIDDEN = {
    "W303": Explanation(
        "a sentence asks for an order that the plan does not give",
        "The text of a task names another one and says that it comes before or after ('after task 7', 'depends on t3', "
        "'the before-picture for task 9', 'created in task 2'), and neither needs nor groups order the two. They may run "
        "at once, or the other way round. Only sentences that name a task count; 'independent of task 2' and 'if task 3 "
        "lands first' say nothing.",
        "Add the need. 'git waves plan --promote' writes all of these into the plan. When the sentence does not mean an "
        "order, reword it.",
    ),
    "W304": Explanation(
        "a sentence and the plan contradict each other",
        "The text of a task says that it comes after another one, and the needs or groups put it before, or the numbers "
        "of the two do and nothing else orders them. One of the two is wrong. It is a violation when the sentence says "
        "outright what the plan turns round ('depends on task 9', and 9 needs it).",
        "Find out which is right. Turn the need round or add it, or correct the text, which agents read too.",
    ),
    "W502": Explanation(
        "git-waves has no such command, option or argument",
        "A command of the plan calls git-waves itself in a way that it would refuse, so the command can only fail.",
        "Correct it; 'git waves COMMAND -h' shows what there is.",
    ),
    "W701": Explanation(
        "a database is used and not declared",
        "The text of a task runs a client, a migration, or connects somewhere, and the task holds no resource that could "
        "stand for a database. Tasks with disjoint files still meet there: two migrations at once, a table dropped under "
        "a running test. It is a warning when two such tasks may run together, else a note.",
        "Declare it under 'resources', and name it in the 'resources' of each task that uses it; those never run "
        "together. 'scope: machine' keeps other runs away too. Or give each task a database of its own.",
    ),
    "W702": Explanation(
        "what belongs to the user is changed and not declared",
        "A task changes something outside the repository that every program of this user shares: files under the home "
        "folder, global settings of git, globally installed packages, services, cron tables. A worktree does not keep "
        "two tasks apart there, and nothing takes the change back.",
        "Let the task set HOME or a prefix of its own, or declare a resource with 'scope: machine' and let each task that "
        "changes it hold it.",
    ),
    "W703": Explanation(
        "a fixed port or socket is used and not declared",
        "Only one program can listen on a port or a socket. A task that starts a server there fails when another does so "
        "at the same time, or worse, its tests talk to the other one's server.",
        "Let the system choose a free port, or declare the port under 'resources' and let the tasks hold it.",
    ),
    "W704": Explanation(
        "containers are started and not declared",
        "Names of containers, networks, volumes and clusters are shared by the whole machine. Two tasks that bring up the "
        "same set get in each other's way, and one that takes it down takes it from the other.",
        "Give each task a project name of its own ('docker compose -p'), or declare a resource and let the tasks hold it.",
    ),
    "W705": Explanation(
        "a service of somebody else is used and not declared",
        "A task talks to a service outside this machine, or needs a key for one. Such services have quotas, and what is "
        "changed there is not undone when a task is thrown away.",
        "Declare a resource, with a 'capacity' when several may use it at once, and let the tasks hold it. In tests, use a "
        "stand-in.",
    ),
    "W706": Explanation(
        "a resource that no task holds",
        "It is declared under 'resources', and no task names it, so it keeps nothing apart. Usually the tasks that use it "
        "were forgotten.",
        "Name it in the 'resources' of the tasks that use it, or take it out.",
    ),
    "W711": Explanation(
        "something in the background writes what a task owns",
        "A 'background' entry writes a path that a task claims, and the plan does not say how to stop it. Its writes land "
        "under the task's feet or on top of its work, and no gate tells the two apart.",
        "Say how to stop it with 'quiesce' (and 'resume'), or take the path out of the task.",
    ),
    "W712": Explanation(
        "a background writer relies on a gate that does not exist",
        "The entry says that a gate notices its writes, and the plan has no gate of that name, so nothing does.",
        "Name a gate of the plan, add the gate, or say how to stop the writer with 'quiesce'.",
    ),
    "W713": Explanation(
        "two tasks hand on the same file to one that needs both",
        "Files that are handed on lie in the worktrees of dependents at the same path, so of two with one name only one could. "
        "When one of the two tasks comes after the other, its file is the one that is given; here nothing orders them.",
        "Let each of them hand on a file of its own name, or order the two with 'needs'.",
    ),
    "W714": Explanation(
        "a file is handed on and claimed",
        "What is handed on is never merged, and what a task claims is. A file cannot be both: those who need the task would "
        "find it in their base and be given it once more.",
        "Take it out of 'handoff' when it belongs to the work: dependents see what is merged. Else hand on a file under a "
        "name that no task claims, and that no claimed folder or glob holds.",
    ),
    "W715": Explanation(
        "a file is handed on to nobody",
        "Files that are handed on go to the tasks that need the one that makes them, directly and not through a third. No "
        "task needs this one.",
        "Name it in the 'needs' of the tasks that read the file, or take 'handoff' out.",
    ),
    "W716": Explanation(
        "a file is handed on that is in the repository",
        "The base has a file or folder at that path already, or a file where the path needs a folder. What is handed on "
        "would look like a change to it, in the worktree that makes it and in those that are given it.",
        "Hand on a file of another name, which git does not know; an ignored one is fine.",
    ),
    "W901": Explanation(
        "a gate that cannot fail",
        "Whatever the work is like, the command ends with 0, or it fails only for reasons that have nothing to do with "
        "the work. The message names the word that makes it so: '|| true', a last 'echo', a pipeline whose last command "
        "always passes, 'grep -c', which prints a number that nobody compares, an option that runs no test. Such a gate "
        "lets everything through, and everybody believes that it was checked.",
        "Let the exit code of the check be the exit code of the gate. Keep output with '> FILE' instead of '| tee FILE', "
        "or run it as: bash -o pipefail -c '...'.",
    ),
    "W902": Explanation(
        "a verify command that cannot fail",
        "The same as W901 for the 'verify' of a task: it prints and passes. It is a note when another verify command of "
        "the task can fail.",
        "Let the exit code of the check be the exit code of the command, or take the command out.",
    ),
    "W903": Explanation(
        "a check whose failure changes nothing",
        "The command as a whole can fail, but one of the checks in it may fail and nobody notices: commands behind each "
        "other without 'set -e', a check before '|| true' or at the left of a pipe, in the background, in a condition, or "
        "in all but the last round of a loop. 'set -e' does not look at what stands left of '&&' or behind '!'.",
        "Join the commands with '&&', or begin with 'set -e' and put each check on a line of its own.",
    ),
    "W904": Explanation(
        "a test that an empty variable passes",
        "An unquoted variable that is empty leaves no word behind. '[ -s $file ]' becomes '[ -s ]', which asks whether "
        "the text '-s' is empty, and it is not: the test passes and has looked at nothing.",
        'Put the variable in quotes: [ -s "$file" ].',
    ),
    "W905": Explanation(
        "a check that runs backwards",
        "'!' turns the answer of a test run round: the command passes when the tests fail, and fails when they pass.",
        "Take the '!' away. A test that has to fail belongs into the test suite, as an expected failure.",
    ),
    "W906": Explanation(
        "a command that could not be judged",
        "It cannot be read as shell, or it is too long, so nothing is known about how it may end. That is not the same as "
        "nothing being wrong.",
        "See what 'sh -n' says about it. Put a long check into a script of the repository.",
    ),
}
"""Codes and their explanations; part of the catalog."""
