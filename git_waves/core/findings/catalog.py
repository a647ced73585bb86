"""What each finding means and what to do about it, for `git waves explain CODE`."""

from __future__ import annotations

from git_waves.core.findings.catalog_hidden import HIDDEN
from git_waves.core.findings.explanation import Explanation

_SHOWN = {
    "W101": Explanation(
        "tasks collide at a path and nothing orders them",
        "Two or more tasks claim the same path, or one claims a folder or a glob that holds what another claims, and "
        "neither needs the other. Run together they would edit each other's work, so the schedule puts each of them in "
        "a group of its own; the message says how many. It is a warning only when one of the claims was guessed from "
        "prose.",
        "Order the tasks with 'needs', merge them into one, give each its own files, or declare the path under "
        "'expect.shared_paths' when the queue is what you want.",
    ),
    "W102": Explanation(
        "two names that some file systems take for one",
        "The paths differ only in case or in how accented letters are composed. Git keeps both, but a checkout on "
        "macOS or Windows holds only one of them, and one task's work disappears there.",
        "Spell the path as the repository does, or rename one of the two.",
    ),
    "W103": Explanation(
        "a shared path was declared and not found",
        "'expect.shared_paths' says which paths, or how many, several tasks claim on purpose. Tasks that should claim "
        "them were not found, so part of the plan was probably never read: a wrong heading, a file left out, a typing "
        "error.",
        "Look for the tasks that should claim the path. When they are gone for good, correct the declaration.",
    ),
    "W104": Explanation(
        "a declared shared path makes a queue",
        "Several tasks claim the path, nothing orders them, and 'expect.shared_paths' says that this is meant. They "
        "run one after the other; the note says what that costs.",
        "Nothing, when the cost is worth it. Otherwise let one last task write the path for all.",
    ),
    "W201": Explanation(
        "a group is not as parallel as it claims",
        "The author put the tasks into one group, which says that they may run together, but they share a path or hold "
        "a resource that cannot be shared. They run in rounds inside the group.",
        "Give each task its own files, order the tasks with 'needs', or put them in separate groups.",
    ),
    "W202": Explanation(
        "tasks of one group need each other",
        "A group is what may run together. Needs between its tasks split it into rounds that run one after the other, "
        "with no gate between them.",
        "Give each round its own group, or leave the groups out: they are derived from needs and files.",
    ),
    "W203": Explanation(
        "a barrier that separates nothing",
        "No task of the later group needs a task of the one before it, and they share no file and no resource. The "
        "barrier between the two only makes the plan longer.",
        "Put the tasks in one group. If something has to wait that files do not show, write it down with 'needs'.",
    ),
    "W204": Explanation(
        "a group is wider than what may run at once",
        "More tasks of the group could run together than 'max_parallel' (or '--max') allows. The others wait for a "
        "free slot.",
        "Nothing, or raise the number. 3 to 6 agents at once is what machines and people usually bear.",
    ),
    "W205": Explanation(
        "a task needs one of a later group",
        "Groups run in the order the plan lists them, so the task can never run where the author put it. The schedule "
        "moves it behind what it needs.",
        "Move the task to a later group, or drop the need if it is wrong.",
    ),
    "W206": Explanation(
        "a gate that never runs",
        "The gate names groups, and none of them holds a task. It would be silent, and silence is no success. Derived "
        "groups are named by number, and their number changes with the plan.",
        "Name groups that exist, or leave 'groups' out to run the gate at every barrier.",
    ),
    "W301": Explanation(
        "a need that follows from files",
        "One task creates a path and another modifies or deletes it, so the second needs the first. The plan does not "
        "say so; the need was added, and the schedule respects it.",
        "Add it to the task's 'needs', so that people who read the plan see it too.",
    ),
    "W302": Explanation(
        "files ask for the opposite order",
        "A task modifies or deletes a path that another creates, but the needs or groups of the plan put it before its "
        "creator. It would find nothing to modify.",
        "Turn the order round, or let one task both create and change the path.",
    ),
    "W401": Explanation(
        "one path or resource makes the plan longer",
        "Several tasks share it and queue for it, one after the other. The numbers are not estimates: the plan was "
        "scheduled once as it is, and once with the path taken out of the tasks that share it and given to one last task "
        "that needs them all. Usually it is a place where every task registers its part: a build file, an index, a list "
        "of routes. It is a warning when a quarter of the tasks share it (setting 'waves.sharedThreshold'), else a note.",
        "Hoist it: 'git waves plan --hoist PATH' prints the plan with that last task. Where the tool that reads the file "
        "takes in a whole folder, let each task add a fragment, a file of its own, instead. A task that must see the "
        "registration before the last task writes it has to keep its claim.",
    ),
    "W402": Explanation(
        "registration files make the plan longer together",
        "Each of these files alone would leave the plan as long as the others make it; without all of them it is "
        "shorter. The numbers come from scheduling the plan again, as for a single path.",
        "Hoist them together: '--hoist' may be given several times, and one last task then writes them all.",
    ),
    "W403": Explanation(
        "not every shared path was tried",
        "Many paths are shared, and each choice means scheduling the whole plan again, so only those with the longest "
        "queues were tried.",
        "Mend what the findings name first, then look again.",
    ),
    "W404": Explanation(
        "nothing runs beside anything (REVISE)",
        "The plan takes as many steps as it has tasks, and not because they need each other: they share paths or "
        "resources, or stand in groups of their own. Several agents would be no quicker than one.",
        "Take apart what the tasks share: hoist registration files, give each task its own files, put independent tasks "
        "in one group. If they really must queue, say so with 'needs'.",
    ),
    "W405": Explanation(
        "tasks that are really one",
        "They claim mostly the same files, nothing else orders them, and so one would redo what the other did, from a "
        "plan written before it.",
        "Merge them into one task, or say with 'needs' which comes first.",
    ),
    "W501": Explanation(
        "a program is missing",
        "The plan names it in a command, and it is not on this machine. Every task that needs it would fail. Only "
        "commands whose first program is certain are looked at.",
        "Install the program, or correct the command.",
    ),
    "W601": Explanation(
        "a task claims no files",
        "A task owns what it claims and nothing else. Without a claim every change it makes is foreign and is refused.",
        "Give the task its 'files': what it creates, modifies and deletes.",
    ),
    "W602": Explanation(
        "no task claims any file",
        "Collisions are found by comparing what tasks claim. With no claims at all nothing was measured, which is not "
        "the same as nothing being wrong.",
        "Give the tasks their 'files'.",
    ),
    "W603": Explanation(
        "a task that nobody is told to do",
        "It has no command, and neither the task nor the plan names an agent that reads its prompt, if it has one. The "
        "plan can be analysed, but a run refuses to start it.",
        "Say what to do with 'prompt' or 'run', and who reads prompts with 'agent': for the whole plan, or for the task.",
    ),
    "W604": Explanation(
        "nothing proves the work",
        "The plan has no gate and these tasks have no 'verify'. What they produce is merged when it is committed, "
        "whether it works or not.",
        "Add a gate that builds and tests the whole, and 'verify' where a task has a test of its own.",
    ),
    "W605": Explanation(
        "the plan has no tasks",
        "The file was read and holds no task, so there was nothing to measure. That is probably not the plan you meant.",
        "Add tasks, or name another file.",
    ),
    "W801": Explanation(
        "the base is no commit of this repository",
        "The plan names a branch or a revision that does not exist here. 'git waves run' would refuse it. Whatever the "
        "repository says about the plan was asked of HEAD instead.",
        "Correct 'base', or fetch the branch it names.",
    ),
    "W802": Explanation(
        "what is to be changed is not there",
        "A task modifies or deletes a path, and nothing in the tree that the plan starts from has that name or matches "
        "it, nor does any task create it. A plain entry is told only when it is surely written from the wrong folder. "
        "Usually it is a typing error, a file that moved, or another repository.",
        "Correct the path. If the task makes it, put it under 'create'.",
    ),
    "W803": Explanation(
        "what is to be created is there already",
        "The tree that the plan starts from holds a file of that name, and no task deletes it. An agent that was told to "
        "make a new file may write over the old one. When nearly all of them are there, the plan was run before.",
        "Put the path under 'modify', or choose another name.",
    ),
    "W804": Explanation(
        "a path that the repository spells differently",
        "The tree holds a file or a folder whose name differs only in case or in how accented letters are composed. The "
        "task would own a name that nobody uses, and the merge refuses to put the second beside the first, because "
        "checkouts on macOS and Windows hold only one of them.",
        "Spell the path as the repository does. To rename it, let the task delete the old one.",
    ),
    "W805": Explanation(
        "a path below something that is no folder",
        "A file, a symbolic link or a submodule stands where the path needs a folder, and no task deletes it. No commit "
        "of this repository can hold both, so nothing the task writes there can be merged. What lies behind a link is "
        "owned where it really is; what lies in a submodule belongs to another repository.",
        "Claim the real path. For a submodule, plan the work in its own repository, and claim the submodule itself to "
        "move it to another commit.",
    ),
    "W806": Explanation(
        "a folder, claimed as a file",
        "The path is a folder in the tree, and the plan names it without a slash at its end. Such a claim is about a file "
        "of that name, so the task may change nothing inside.",
        "Write the slash: 'src/parts/'.",
    ),
    "W807": Explanation(
        "git ignores what a task claims",
        "An ignore rule covers the path and nothing at it is tracked. What the task writes there is left out when its "
        "work is committed, and never reaches the other tasks.",
        "Claim what the path is made from, take the rule away before the run, or hand the file on with 'handoff', which "
        "does not go through git.",
    ),
    "W808": Explanation(
        "a generated file is claimed",
        "The repository's attributes mark the path as generated. What an agent writes into it by hand is lost when the "
        "generator runs again, and two tasks that generate it anew conflict.",
        "Let the task change the source and run the generator, or let one last task generate it for all.",
    ),
    "W809": Explanation(
        "a submodule, or a file kept in LFS, is claimed",
        "Neither is a plain file. A new worktree has the submodule's folder empty until something fills it, and only the "
        "commit it points to can be changed. A file in LFS is replaced as a whole: two changes to it always conflict. "
        "Where git-lfs is not set up, the content itself would be committed in its place.",
        "Fill the submodule in 'setup', and give such a file to one task.",
    ),
    "W810": Explanation(
        "a scheduler writes what a task claims",
        "A crontab, a timer, a scheduled workflow or pipeline, or a CronJob in the repository plainly writes the path, or a bot opens pull "
        "requests that change it. It may do so while the plan runs, and then the integration branch no longer fits. Only "
        "what the file says itself is told, not what a script does that it starts.",
        "Stop it while the plan runs, or name it under 'background' with what stops it or the gate that notices.",
    ),
    "W811": Explanation(
        "a file that nearly always changes too",
        "In at least nine of ten commits that touch a claimed file, this one changed as well: a build file, a list, a "
        "test, a change log. No task owns it, or one that runs beside. Of each file the newest 50 commits count, and at "
        "least 10 are needed; merges and commits of more than 30 files do not count. The agent will probably want to "
        "touch it and be refused.",
        "Let the task claim it as well, or let one last task write it for all. When history misleads, nothing has to be "
        "done. 'waves.historyLimit' says how many commits are read (5000); 0 reads none.",
    ),
    "W812": Explanation(
        "something of the repository could not be looked at",
        "Git could not answer, so nothing was found there, which is not the same as nothing being wrong. A partial clone "
        "without trees has no history to read, and reading a plan fetches nothing.",
        "Look at what git says. To leave history out on purpose, say --no-history.",
    ),
    "W813": Explanation(
        "a program of the repository cannot be started",
        "A command starts a path inside the repository in a fresh worktree, and the commit that the work starts from has no "
        "such file, or has it without the executable bit; no task claims it and nothing in the plan brings it. What lies "
        "uncommitted in your checkout is not in the worktrees of tasks. Every task that needs it would fail.",
        "Commit the file, with 'git update-index --chmod=+x' where the bit is missing, or name the program by its absolute "
        "path.",
    ),
}
CATALOG = dict(sorted((_SHOWN | HIDDEN).items()))
"""Every code a finding can have; codes are never reused."""


def explain(code: str) -> Explanation | None:
    """The explanation of a code, whatever its case; None when there is no such finding."""
    return CATALOG.get(code.upper())
