"""The same check inside hook managers that people have: the pre-commit framework and lefthook (G5).

Neither is a dependency. They are compared when they are installed and `--peers` asks for it, and named when they are not.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from bench.family import Options
from bench.figures import Figure
from bench.scene import git

LIMITS = {"lefthook": 0.5, "pre-commit": 0.2}
"""By program: what our hook may cost in comparison."""

_CHECK = "BENCH_CHECK"  # the environment variable that names the check
_RUN = f"sh -c 'exec \"${_CHECK}\"'"

FILES = {
    ".pre-commit-config.yaml": f"""\
repos:
  - repo: local
    hooks:
      - id: owned
        name: owned
        language: system
        entry: {_RUN}
        always_run: true
        pass_filenames: false
""",
    "lefthook.yml": f"""\
no_auto_install: true
pre-commit:
  commands:
    owned:
      run: {_RUN}
""",
}
"""What both want to find in the repository they work in."""


def hooks(repository: Path, check: Path) -> dict[str, Path]:
    """A folder of hooks for every peer that is installed, each of which runs `check`."""
    os.environ[_CHECK] = str(check)
    for name, content in FILES.items():
        (repository / name).write_text(content)
    found = {}
    for program in LIMITS:
        if shutil.which(program) is not None:
            subprocess.run([program, "install"], cwd=repository, capture_output=True, check=True)
            folder = repository.parent / "hooks" / program
            folder.mkdir(parents=True)
            written = Path(git("rev-parse", "--git-path", "hooks/pre-commit", cwd=repository))
            (repository / written).rename(folder / "pre-commit")
            found[program] = folder
    return found


def absent(options: Options) -> list[Figure]:
    """A line for every peer that was not compared, and why."""
    why = "not asked for: --peers" if not options.has_peers else "not installed"
    return [
        Figure(aim="G5", what=f"allowed commit, against {program}", ours=why, wanted=f"<= {limit:.2f}x")
        for program, limit in LIMITS.items()
        if not options.has_peers or shutil.which(program) is None
    ]
