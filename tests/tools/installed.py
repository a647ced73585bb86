"""The real agent programs, as `make test-tools` installs them, and how each is pointed at a model server on loopback."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

FOLDER = Path(
    os.environ.get("WAVES_TOOLS")
    or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "git-waves" / "tools"
)
_BIN = dict.fromkeys(("claude", "codex", "gemini", "opencode"), "npm/node_modules/.bin")
_BIN |= {"mini": "mini/bin", "aider": "aider/bin"}


def environment_for(program: str, home: Path, address: str) -> dict[str, str]:
    """Variables that let the program run and ask the server at `address`; skips the test when it is not installed."""
    folder = FOLDER / _BIN[program]
    if not (folder / program).exists():
        pytest.skip(f"'{program}' is not in '{FOLDER}': make test-tools installs it")
    codex = home / ".codex"
    codex.mkdir(parents=True, exist_ok=True)
    (codex / "config.toml").write_text(
        'model = "stub"\nmodel_provider = "stub"\n[model_providers.stub]\nname = "stub"\n'
        f'base_url = "{address}/v1"\nwire_api = "responses"\nenv_key = "STUB_KEY"\n'
    )
    gemini = home / ".gemini"
    gemini.mkdir(exist_ok=True)
    (gemini / "settings.json").write_text('{"security": {"auth": {"selectedType": "gemini-api-key"}}}')
    config = home / ".config/opencode"
    config.mkdir(parents=True, exist_ok=True)
    (config / ".gitignore").write_text(
        "node_modules\n"
    )  # opencode leaves one, and behind bubblewrap ends without
    (config / "opencode.json").write_text(
        '{"model": "stub/stub", "small_model": "stub/stub", "provider": {"stub": {"npm": "@ai-sdk/openai-compatible",'
        f'"options": {{"baseURL": "{address}/v1", "apiKey": "x"}}, "models": {{"stub": {{"name": "stub"}}}}}}}}}}'
    )
    return {
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "ANTHROPIC_BASE_URL": address,
        "ANTHROPIC_API_KEY": "sk-stub",
        "CLAUDE_CODE_MAX_RETRIES": "0",
        "GOOGLE_GEMINI_BASE_URL": address,
        "GEMINI_API_KEY": "x",
        "STUB_KEY": "x",
        "OPENAI_API_KEY": "x",
        "OPENAI_API_BASE": f"{address}/v1",
    }
