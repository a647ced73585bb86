# Completion of git-waves for zsh, behind its own for git. In ~/.zshrc, after compinit: eval "$(git waves completion zsh)"

_git-waves () {
    local -a found
    found=(${(f)"$(git-waves complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    if (( $#found )); then
        compadd -- $found
    else
        _files
    fi
}
zstyle ':completion:*:*:git:*' user-commands waves:'run several coding agents at once'
compdef _git-waves git-waves
