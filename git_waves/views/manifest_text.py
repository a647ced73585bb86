"""`git waves plan --manifest`: who owns which path, one claim a line between tabs."""

from __future__ import annotations

from git_waves.core.model import Intent, Origin
from git_waves.core.ownership import OwnershipManifest
from git_waves.views.safe import clean


def manifest_text(manifest: OwnershipManifest) -> str:
    """`task<TAB>create|modify|delete|edit|inferred<TAB>path`, by task and then by path."""
    return "".join(
        f"{claims.task}\t{name}\t{clean(str(pattern))}\n"
        for claims in manifest.tasks
        for name in (*Intent, Origin.INFERRED)
        for pattern in getattr(claims, name)
    )
