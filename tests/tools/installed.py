"""The real agent programs, as `make test-tools` installs them, and how each is pointed at a model server on loopback."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

FOLDER = Path(
    os.environ.get("WAVES_TOOLS")
    or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "git-waves" / "tools"
)
_BIN = {
    "claude": "npm/node_modules/.bin",
    "codex": "npm/node_modules/.bin",
    "opencode": "npm/node_modules/.bin",
}
_BIN |= {"mini": "mini/bin"}


def environment_for(program: str, home: Path, address: str) -> dict[str, str]:
    """Variables that let the program run and ask the server at `address`; skips the test when it is not installed."""
    folder = FOLDER / _BIN[program]
    if not (folder / program).exists():
        pytest.skip(f"'{program}' is not in '{FOLDER}': make test-tools installs it")
    # Below a temporary folder Codex has no sandbox, and refuses every command.
    codex = FOLDER / "codex-homes" / hashlib.sha256(os.fsencode(home)).hexdigest()[:16]
    codex.mkdir(parents=True, exist_ok=True)
    (codex / "config.toml").write_text(
        'model = "stub"\nmodel_provider = "stub"\n[model_providers.stub]\nname = "stub"\n'
        f'base_url = "{address}/v1"\nwire_api = "responses"\nenv_key = "STUB_KEY"\n'
    )
    config = home / ".config/opencode"
    config.mkdir(parents=True, exist_ok=True)
    (config / "opencode.json").write_text(
        '{"model": "stub/stub", "small_model": "stub/stub", "provider": {"stub": {"npm": "@ai-sdk/openai-compatible",'
        f'"options": {{"baseURL": "{address}/v1", "apiKey": "x"}}, "models": {{"stub": {{"name": "stub"}}}}}}}}}}'
    )
    return {
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "ANTHROPIC_BASE_URL": address,
        "ANTHROPIC_API_KEY": "sk-stub",
        "CLAUDE_CODE_MAX_RETRIES": "0",
        "CODEX_HOME": str(codex),
        "STUB_KEY": "x",
        "OPENAI_API_KEY": "x",
        "OPENAI_API_BASE": f"{address}/v1",
    }
