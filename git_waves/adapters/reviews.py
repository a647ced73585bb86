"""Verdicts on plans, kept until somebody deletes them: one file for each content that was reviewed.

<common>/waves/reviews/<plan>/<blob>.json   every verdict on the plan of that blob id, oldest first
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from git_waves.adapters.locks import review_lock
from git_waves.adapters.rundir import make_durable_folder, waves_folder, write_durably
from git_waves.core.model import Oid
from git_waves.core.review import Verdict, Word
from git_waves.errors import SurroundingsError

_VERSION = 1


def verdicts_on(common_dir: Path, plan: str, blob: Oid) -> tuple[Verdict, ...]:
    """Every verdict on this content of the plan, oldest first.

    Raises SurroundingsError when the file is there and cannot be read: a review that is unreadable approves nothing.
    """
    file = _file(common_dir, plan, blob)
    try:
        found: Any = json.loads(file.read_bytes())
        if found["version"] != _VERSION:
            raise SurroundingsError(
                f"the review in '{file}' has version {found['version']}; this git-waves reads version {_VERSION}",
                hint="install a newer git-waves",
            )
        return tuple(
            Verdict(word=Word(one["verdict"]), by=str(one["by"]), note=str(one["note"]), at=str(one["at"]))
            for one in found["verdicts"]
        )
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise SurroundingsError(
            f"the review in '{file}' cannot be read: {error}",
            hint="take the file away and record the verdict again",
        ) from error


def add_verdict(common_dir: Path, plan: str, blob: Oid, verdict: Verdict) -> tuple[Verdict, ...]:
    """Add a verdict, durably and one at a time; all verdicts on this content. Raises as `verdicts_on`."""
    with review_lock(common_dir):
        verdicts = (*verdicts_on(common_dir, plan, blob), verdict)
        file = _file(common_dir, plan, blob)
        make_durable_folder(file.parent)
        value = {
            "version": _VERSION,
            "plan": plan,
            "blob": blob,
            "verdicts": [
                {"verdict": one.word, "by": one.by, "note": one.note, "at": one.at} for one in verdicts
            ],
        }
        write_durably(file, (json.dumps(value, indent=2) + "\n").encode())
    return verdicts


def _file(common_dir: Path, plan: str, blob: Oid) -> Path:
    return waves_folder(common_dir) / "reviews" / plan / f"{blob}.json"
