#!/bin/sh
# Tries everything that a fenced task must not be able to do, one line each, and says which of it worked.
# ESCAPE_* name the victims; what is done last is what an honest task does.
main=$ESCAPE_MAIN other=$ESCAPE_OTHER sibling=$ESCAPE_SIBLING run=$ESCAPE_RUN
everybodys=$main/.git
cd "$WAVES_WORKTREE" || exit 9
echo seed > seed

try() { # a name, and a command for a shell of its own
    name=$1
    shift
    if sh -c "$*" > /dev/null 2>&1; then echo "LEAK $name"; else echo "refused $name"; fi
}

try sibling-write "echo x > '$sibling/evil'"
try sibling-index "echo x >> '$everybodys/worktrees/sib.1/index'"
try sibling-lease "echo x >> '$everybodys/worktrees/sib.1/waves-lease.json'"
try checkout-write "echo x > '$main/evil'"
try checkout-truncate ": > '$main/base.txt'"
try checkout-truncate-call "truncate -s 0 '$main/base.txt'"
try checkout-remove "rm -f '$main/base.txt' && ! test -e '$main/base.txt'"
try rename-out "mv seed '$main/evil' || { cp seed again; mv again '$main/evil'; }"
try rename-in "mv '$main/base.txt' stolen"
try folder-out "mkdir box; mv box '$main/box'"
try home-file "echo '[core] pager = evil' >> \$HOME/.gitconfig"
try home-git "git config --global user.name evil"
try home-folder "mkdir \$HOME/evil"
try config "echo '[core] fsmonitor = evil' >> '$everybodys/config'"
try config-by-git "git --git-dir='$everybodys' config core.pager evil"
try hooks "echo x > '$everybodys/hooks/pre-commit'"
try attributes "echo x > '$everybodys/info/attributes'"
try own-hooks "echo x >> '$run/hooks/esc.1/reference-transaction'"
try own-seal "echo x >> '$run/hooks/esc.1.seal.json'"
try branch-sibling "git --git-dir='$everybodys' update-ref refs/heads/waves/p/sib/1 HEAD~0"
try branch-file "echo 1 > '$everybodys/refs/heads/waves/p/sib/1'"
try branch-own-there "echo 1 > '$everybodys/refs/heads/waves/p/esc/1'"
try branch-main "git --git-dir='$everybodys' update-ref refs/heads/main $(git rev-parse HEAD) && git --git-dir='$everybodys' update-ref -d refs/heads/main"
try integration "git --git-dir='$everybodys' update-ref refs/waves/integration/p HEAD"
try archive "git --git-dir='$everybodys' update-ref refs/waves/archive/r/t/1 HEAD"
try tag "git --git-dir='$everybodys' tag evil HEAD"
try push "git push '$everybodys' HEAD:refs/heads/evil"
try stash "git --git-dir='$everybodys' stash store -m evil HEAD"
try object-new "echo evil | git --git-dir='$everybodys' hash-object -w --stdin"
try object-remove "find '$everybodys/objects' -type f | head -1 | xargs rm -f && ! test -e \$(find '$everybodys/objects' -type f | head -1)x"
try object-damage "f=\$(find '$everybodys/objects' -type f | head -1); : > \"\$f\""
try alternates "echo /evil > '$everybodys/objects/info/alternates'"
try event-log "echo x >> '$run/events.jsonl'"
try job-result "echo x > '$run/jobs/sib.1.agent/exit.json'"
try inbox "echo '{}' > '$run/inbox/1.json'"
try worktree-add "git --git-dir='$everybodys' worktree add --detach '$main/../evil' HEAD"
try worktree-add-own "git worktree add --detach '$main/../evil' HEAD"
try worktree-remove "git --git-dir='$everybodys' worktree remove --force --force '$sibling'"
try worktree-prune "rm -rf '$everybodys/worktrees/sib.1'"
try symlink "ln -sfn '$main/base.txt' link && echo x > link"
try symlink-folder "ln -sfn '$main' links && echo x > links/evil"
try hardlink "ln '$main/base.txt' hard && echo x >> hard"
try child "( echo x > '$main/evil' ) & wait \$!"
try session "setsid sh -c \"echo x > '$main/evil'\""
try python "python3 -c \"open('$main/evil', 'w')\""
try other-tmp "echo x > '$other/evil'"
try var-tmp "echo x > /var/tmp/waves-escaped-\$\$ && rm /var/tmp/waves-escaped-\$\$"
try crontab "command -v crontab && echo '* * * * * true' | crontab -"
try signal "kill -0 $ESCAPE_PID"
try memory "echo x > /proc/$ESCAPE_PID/mem"
if [ "$ESCAPE_KIND" = bwrap ]; then # at no level does Landlock know of these
    try mode "chmod 777 '$main/base.txt'"
    try time "touch -d 2001-01-01 '$main/base.txt'"
    try shared-memory "test -e /dev/shm/waves-escape-probe"
fi
rm -f link links hard box seed stolen again
touch "$TMPDIR/mine" || echo "LACKS a temporary folder"
exit 0
