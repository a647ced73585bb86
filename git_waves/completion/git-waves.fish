# Completion of git-waves for fish. In ~/.config/fish/config.fish: git waves completion fish | source

function __git_waves_words
    set -l words (commandline -opc) (commandline -ct)
    set -l start (contains -i -- waves $words)
    or set start 1
    git-waves complete -- $words[(math $start + 1)..-1] 2>/dev/null
end
# File names only where nothing better is known, like the plan's.
function __git_waves_knows
    count (__git_waves_words) >/dev/null
end
complete -c git -n '__fish_seen_subcommand_from waves; and __git_waves_knows' -f -a '(__git_waves_words)'
complete -c git -n __fish_use_subcommand -a waves -d 'Run several coding agents at once'
complete -c git-waves -n __git_waves_knows -f -a '(__git_waves_words)'
