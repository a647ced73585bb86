"""Which files are known as places to register in, and which remedy fits them."""

from __future__ import annotations

import pytest

from git_waves.core.registration import Remedy, registration_of

WIRING, FRAGMENTS = Remedy.WIRING, Remedy.FRAGMENTS


@pytest.mark.parametrize(
    ("path", "kind", "remedy"),
    [
        ("tests/kunit/Kbuild", "makefiles", FRAGMENTS),
        ("Makefile", "makefiles", FRAGMENTS),
        ("rules/common.mk", "makefiles", FRAGMENTS),
        ("drivers/net/Kconfig", "Kconfig files", FRAGMENTS),
        ("CMakeLists.txt", "CMake files", FRAGMENTS),
        ("src/meson.build", "Meson files", WIRING),
        ("pkg/BUILD.bazel", "Bazel packages", FRAGMENTS),
        ("Documentation/xcvr/index.rst", "documentation indexes", FRAGMENTS),
        ("docs/SUMMARY.md", "documentation indexes", WIRING),
        ("src/net/mod.rs", "Rust modules", WIRING),
        ("src/lib.rs", "Rust modules", WIRING),
        ("app/models/__init__.py", "Python packages", WIRING),
        ("tests/conftest.py", "pytest settings", FRAGMENTS),
        ("src/components/index.ts", "module indexes", WIRING),
        ("package.json", "npm manifests", WIRING),
        ("web/package-lock.json", "npm manifests", WIRING),
        ("pnpm-lock.yaml", "npm manifests", WIRING),
        ("requirements-dev.txt", "Python manifests", WIRING),
        ("uv.lock", "Python manifests", WIRING),
        ("Cargo.lock", "Cargo manifests", WIRING),
        ("go.sum", "Go manifests", WIRING),
        (".github/workflows/ci.yml", "GitHub workflows", FRAGMENTS),
        (".gitlab-ci.yml", "CI pipelines", FRAGMENTS),
        (".circleci/config.yml", "CI pipelines", WIRING),
        ("deploy/nginx.conf", "server settings", FRAGMENTS),
        (".gitignore", "git's own lists", FRAGMENTS),
        ("CHANGELOG.md", "changelogs", FRAGMENTS),
        ("shop/urls.py", "routes", WIRING),
        ("docker-compose.yml", "container files", WIRING),
        (".github/CODEOWNERS", "code owners", WIRING),
    ],
)
def test_common_registration_files_are_known(path: str, kind: str, remedy: Remedy) -> None:
    found = registration_of(path)
    assert found is not None
    assert (found.kind, found.remedy) == (kind, remedy)


@pytest.mark.parametrize(
    "path",
    [
        "core/io.c",
        "src/KbuildTools.py",
        "Makefile/notes",
        "my__init__.py",
        "index.rst/",
        "docs/",
        "docs/*.md",
        "workflows/ci.yml",
        ".github/workflows/sub/ci.yml",
        "app/[id]/page.tsx",
        "",
    ],
)
def test_other_files_are_not(path: str) -> None:
    assert registration_of(path) is None


def test_the_reason_reads_on_behind_because() -> None:
    for path in ("Kbuild", "Kconfig", "package.json", "mod.rs", "__init__.py", ".gitignore", "CODEOWNERS"):
        found = registration_of(path)
        assert found is not None
        assert not found.why.endswith(".")
        assert "  " not in found.why
