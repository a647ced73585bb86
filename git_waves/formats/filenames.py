"""Which words of a plan are names of files: by their endings, by names that have none, and what only reads like one."""

from __future__ import annotations

# A longer list would take more words of prose for files.
_ENDINGS_TEXT = """
astro avsc bash bat bicep c cc cfg cjs clj cmake cpp cs csproj css csv cts cue cxx dart db dhall edn ejs el eex erb ex exs
fs fsi fsproj gd go gql gradle graphql groovy h hbs hcl heex hpp hrl hs htm html http ini ipynb j2 java jinja jl js json
json5 jsonc jsonl jsx kdl kt kts less lock lua m md mdc mdx mjs ml mli mm mod mts nim nix patch php plist pl pm po prisma
proto ps1 pug py pyi pyx r rb rs rst sass sbt scala scm scss sh sln snap sol sql sum svelte svg swift tcl templ tex tf tfvars
tmpl toml ts tsx txt vb vue wasm wgsl xaml xcconfig xml yaml yml zig zsh
"""
_NAMES_TEXT = """
.dockerignore .editorconfig .env .eslintrc .gitattributes .gitignore .npmrc .nvmrc .prettierrc Brewfile CODEOWNERS
Dockerfile GNUmakefile Gemfile Jenkinsfile Justfile Kbuild Kconfig LICENSE Makefile Procfile Rakefile Vagrantfile justfile
"""
_LIBRARIES_TEXT = """
alpine.js angular.js backbone.js chart.js d3.js deno.js discord.js ember.js express.js moment.js next.js node.js nuxt.js
p5.js react.js require.js socket.io three.js vue.js
"""
_ENDINGS = frozenset(_ENDINGS_TEXT.split())
_NAMES = frozenset(_NAMES_TEXT.split())
_LIBRARIES = frozenset(_LIBRARIES_TEXT.split())
PLAIN_NAMES = tuple(sorted(name for name in _NAMES if "." not in name))
"""Files whose names have no ending and no dot."""


def is_known_name(name: str) -> bool:
    """Whether a name without an ending is known to be a file's: `Makefile`, `.gitignore`."""
    return name in _NAMES or name.startswith(".env.")


def reads_like_a_path(text: str) -> bool:
    """Whether a word of prose is the name of a file or folder: a known ending, a known name, or a folder with a `/`."""
    if "/" in text.strip("/") and text.endswith("/"):
        return True
    name = text.rpartition("/")[2]
    if is_known_name(name):
        return True
    stem, dot, ending = name.rpartition(".")
    return bool(dot and stem) and ending.lower() in _ENDINGS


def reads_like_a_library(text: str) -> bool:
    """`Node.js`, `Polkadot.js`: names of libraries that read like files."""
    return text.lower() in _LIBRARIES or (text.endswith(".js") and "/" not in text and text[0].isupper())
