# Completion of git-waves for bash, behind git's own. In ~/.bashrc: eval "$(git waves completion bash)"

_git_waves () {
    local i start=${cword:-0} IFS=$'\n'
    for ((i = 0; i < cword; i++)); do
        case "${words[i]}" in
        waves | git-waves | */git-waves)
            start=$((i + 1))
            break
            ;;
        esac
    done
    # git's completion adds no space behind a word by itself.
    COMPREPLY=($(git-waves complete -- "${words[@]:start:cword - start + 1}" 2>/dev/null | sed '/=$/!s/$/ /'))
}

_git_waves_alone () {
    local words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
    _git_waves
}
complete -o bashdefault -o default -o nospace -F _git_waves_alone git-waves
