"""Plans that others wrote for other tools, from `import` over `plan` to a finished integration branch.

The plans are unchanged copies (tests/data/formats/*/ORIGIN.md). A script does what each task asks for, from files that lie
ready; programs that are not here (pnpm, node, cargo) are stood in for by ones that pass, everything else in the plans'
own `verify` is real.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.digest import digest_of_users_things
from tests.support.repo import RepoBuilder

DATA = Path(__file__).parent.parent / "data/formats"
UI = "packages/webview-ui/src"

GSD = {
    "01-01": {
        f"{UI}/lib/types/schema.ts": "export type ModelNodeType = 1;\n",
        f"{UI}/components/ModelNode.tsx": "NodeProps<ModelNodeType>\nexport const ModelNode = memo(\n",
        f"{UI}/components/EnumNode.tsx": "NodeProps<EnumNodeType>\nexport const EnumNode = memo(\n",
        f"{UI}/lib/types/messages.ts": "export type ExtensionMessage = 1;\n",
    },
    "01-02": {
        f"{UI}/components/edges/RelationEdge.tsx": "export const RelationEdge = memo(function RelationEdge\n",
        f"{UI}/lib/contexts/filter.tsx": "useMemo\nvalue={contextValue}\n",
        f"{UI}/lib/contexts/settings.tsx": "useMemo\nvalue={contextValue}\n",
        f"{UI}/lib/hooks/useGraph.ts": "layoutRequestIdRef // Monotonic request counter, silently\n"
        "// eslint-disable-next-line react-hooks/exhaustive-deps\n",
    },
    "01-03": {
        f"{UI}/lib/utils/screenshot.ts": "export const shot = 1;\n",
        f"{UI}/lib/utils/screnshot.ts": "",
        f"{UI}/components/SchemaVisualizer.tsx": "import { shot } from '../lib/utils/screenshot'; // lib/utils/screenshot\n",
    },
}
MASTERPLAN = {
    "1": {"src/greet.mjs": "export const greet = (n) => `Hello, ${n}!`;\n"},
    "2": {"src/farewell.mjs": "export const farewell = (n) => `Goodbye, ${n}.`;\n"},
    "3": {"src/index.mjs": "import './greet.mjs';\nimport './farewell.mjs';\n"},
}
SUPERPOWERS = {
    "1": {"Cargo.toml": "[dependencies]\nlettre = '1'\n"},
    "2": {
        "src/cli.rs": "Verify\n",
        "src/main.rs": "mod verify;\n",
        "src/verify.rs": "pub fn verify() {}\n",
    },
    "3": {"src/verify.rs": "pub fn verify() { smtp() }\n"},
    "4": {"src/main.rs": "mod verify; // agent-info\n", "Cargo.toml": "[package]\nversion = '2'\n"},
}
AGENT = """agent: {run: 'cp -R "$READY/$WAVES_TASK/." . && find . -name "*.ts" -empty -delete'}"""


@pytest.mark.long  # three whole runs
@pytest.mark.parametrize(
    ("source", "before", "ready", "left"),
    [
        ("gsd/01-foundation", {f"{UI}/lib/utils/screnshot.ts": "export const shot = 0;\n"}, GSD, ()),
        ("masterplan/2026-05-29-v8-dogfood/plan.index.json", {}, MASTERPLAN, ()),
        (
            "superpowers/2026-04-03-email-verify.md",
            {"Cargo.toml": "[package]\n", "src/cli.rs": "\n", "src/main.rs": "\n"},
            SUPERPOWERS,
            ("5",),
        ),
    ],
    ids=["gsd", "masterplan", "superpowers"],
)
def test_a_plan_of_another_tool_is_carried_out_to_its_end(
    source: str,
    before: Mapping[str, str],
    ready: Mapping[str, Mapping[str, str]],
    left: tuple[str, ...],
    repo: RepoBuilder,
    tmp_path: Path,
) -> None:
    theirs = f"theirs/{Path(source).name}"
    (repo.folder / "theirs").mkdir()
    copy = shutil.copytree if (DATA / source).is_dir() else shutil.copy
    copy(DATA / source, repo.folder / theirs)
    for task, files in ready.items():
        for name, content in files.items():
            path = tmp_path / "ready" / task / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("pnpm", "node", "cargo"):
        (tools / name).write_text('#!/bin/sh\ncase $* in *agent-info) echo "{}";; esac\n')
        (tools / name).chmod(0o755)
    repo.environment["PATH"] = f"{tools}{os.pathsep}{repo.environment['PATH']}"
    repo.environment["READY"] = str(tmp_path / "ready")
    base = repo.commit({"README.md": "x\n", **before})

    repo.waves("import", theirs, "--name", "theirs", "--output", ".waves/plan.yaml")
    plan = repo.folder / ".waves/plan.yaml"
    written = plan.read_text().replace("version: 1\n", f"version: 1\n{AGENT}\n", 1)
    plan.write_text(
        written.replace("inferred: [src/verify.rs]", "create: [src/verify.rs]")
    )  # a guess that was right
    repo.commit({})
    users = digest_of_users_things(repo)
    repo.waves("plan")
    if left:  # a task that claims no file, so that nothing of it can be merged
        repo.waves("run", exit=1)
        for task in left:
            repo.waves("skip", task, "--reason", "nothing to write")
    repo.waves("run")

    integration = "refs/waves/integration/theirs"
    merged = repo.git(
        "log",
        "--first-parent",
        "--format=%(trailers:key=Waves-Task,valueonly,separator=)",
        f"main..{integration}",
    )
    assert sorted(merged.split()) == sorted(ready)
    assert digest_of_users_things(repo) == users
    changed = set(repo.git("diff", "--name-only", "--no-renames", base, integration).splitlines())
    assert changed - {".waves/plan.yaml"} == {name for files in ready.values() for name in files}
