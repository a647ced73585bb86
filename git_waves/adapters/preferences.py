"""How a person likes answers to look: `color.waves`, `color.ui`, and `advice.waves*`, the way git reads them.

`status` asks too, so nothing is imported that costs (docs/decisions, quick path). Git is asked, the one who knows all its
files and what `git -c` said, but only where some file speaks of such a thing at all: to start it costs a status a tenth.
"""

from __future__ import annotations

import os

from git_waves.adapters import glance

_ASKED = r"^(color\.(waves|ui|pager)|advice\.waves.*)$"
_SIGNS = (b"[color", b"[advice", b"[include")
_SYSTEM_FILES = ("/etc/gitconfig", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig")
_FALSE = frozenset({"false", "no", "off", "0", ""})


class Preferences:
    """Settings by their names in lower case; `colour` is `always`, `never` or `auto`."""

    __slots__ = ("_settings",)

    def __init__(self, settings: dict[str, str]) -> None:
        self._settings = settings

    @property
    def is_always_coloured(self) -> bool:
        """Whether colour is wanted whoever reads; `NO_COLOR` only yields to the setting that is ours alone."""
        own = self._settings.get("color.waves")
        return own == "always" or (own is None and self._is_everything_coloured())

    def _is_everything_coloured(self) -> bool:
        return self._settings.get("color.ui") == "always" and not os.environ.get("NO_COLOR")

    @property
    def is_never_coloured(self) -> bool:
        """Whether colour is not even wanted at a terminal."""
        own = self._settings.get("color.waves", self._settings.get("color.ui", "auto"))
        return own == "never" or own.lower() in _FALSE

    @property
    def is_pager_coloured(self) -> bool:
        """Whether the pager can show colours."""
        return self._settings.get("color.pager", "true").lower() not in _FALSE

    @property
    def silenced(self) -> frozenset[str]:
        """The advice that is not wanted, by the name behind `advice.waves`, in lower case."""
        return frozenset(
            key[len("advice.waves") :]
            for key, value in self._settings.items()
            if key.startswith("advice.waves") and value.lower() in _FALSE
        )


def read() -> Preferences:
    """What is set for who types here."""
    return Preferences(_ask_git() if _may_be_set() else {})


def _may_be_set() -> bool:
    """Whether it is worth the while to ask git: some setting that was given, or some file, may speak of such things."""
    if "GIT_CONFIG_PARAMETERS" in os.environ or "GIT_CONFIG_COUNT" in os.environ:
        return True
    return any(_speaks(path) for path in _files())


def _files() -> list[str]:
    home, settings = os.environ.get("HOME", ""), os.environ.get("XDG_CONFIG_HOME", "")
    common_dir = glance.find_common_dir(os.getcwd())
    files = [os.path.join(common_dir, name) for name in ("config", "config.worktree")] if common_dir else []
    if "GIT_CONFIG_GLOBAL" in os.environ:
        files.append(os.environ["GIT_CONFIG_GLOBAL"])
    else:
        files += [os.path.join(home, ".gitconfig"), os.path.join(settings or f"{home}/.config", "git/config")]
    if os.environ.get("GIT_CONFIG_NOSYSTEM", "").lower() in _FALSE:
        files += [os.environ["GIT_CONFIG_SYSTEM"]] if "GIT_CONFIG_SYSTEM" in os.environ else _SYSTEM_FILES
    return files


def _speaks(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            content = file.read().lower()
    except OSError:
        return False
    return any(sign in content for sign in _SIGNS)


def _ask_git() -> dict[str, str]:
    """The settings, the last one of a key wins; none when git cannot say, which others will complain of."""
    told, tell = os.pipe()
    quiet = (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)
    argv = ["git", "config", "-z", "--get-regexp", _ASKED]
    try:
        pid = os.posix_spawnp("git", argv, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, tell, 1), quiet])
    except OSError:
        os.close(told)
        return {}
    finally:
        os.close(tell)
    with open(told, "rb") as pipe:
        said = os.fsdecode(pipe.read())
    os.waitpid(pid, 0)
    pairs = (entry.partition("\n") for entry in said.split("\0")[:-1])
    return {key: value if mark else "true" for key, mark, value in pairs}
