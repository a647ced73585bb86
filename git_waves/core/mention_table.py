"""The rules of `mentions`, each chosen by what it finds in real plans; docs/findings.md has how often they are right."""

from __future__ import annotations

import re

from git_waves.core.mention_rules import CODE, COMMANDS, PROSE, Rule, Thing, anywhere, command, said

# Up to the end of one command.
_WITHIN = r"[^\n;&|`]"

# ---------------------------------------------------------------------- databases

_ENGINES = "psql|createdb|dropdb|pg_dump|pg_restore|pg_ctl|mysql|mysqldump|mariadb|mongosh|mongo|mongorestore|redis-cli|cqlsh"
_SCHEMES = "postgres postgresql mysql mariadb mongodb redis amqp mssql"
_URL = r"\b(postgres(?:ql)?|mysql|mariadb|mongodb|redis|amqp|mssql)(?:\+\w+)?://"
_MIGRATIONS = "|".join(
    (
        r"alembic (?:upgrade|downgrade|stamp)",
        r"(?:python3? )?(?:\./)?manage\.py (?:migrate|flush|loaddata)",
        r"(?:bin/)?(?:rails|rake) db:\w+",
        r"prisma (?:migrate|db) \w+",
        r"knex migrate\S*",
        r"sequelize(?:-cli)? db:\w+",
        r"typeorm \S*migration:\w+",
        r"drizzle-kit (?:push|migrate|drop)",
        r"flyway (?:migrate|clean)",
        r"liquibase update",
        r"(?:diesel|sqlx) (?:migration|migrate|database) \w+",
        r"dbmate (?:up|down|drop|migrate)",
        r"mix ecto\.\w+",
        r"php artisan migrate\S*",
        r"supabase (?:db (?:push|reset|start)|migration (?:up|repair|squash))",
        r"(?:npm|pnpm|yarn|bun) (?:run )?(?:db:|migrat)\S+",
    )
)
# A connection that goes nowhere, or to a database of the test's own.
_OWN_DATABASE = re.compile(
    r"in[- ]memory|:memory:|testcontainer|pglite|rusqlite|//(?:u|user|username|test|t|x|foo):|example\.com"
    r"|^\s*(?:export\s+|Environment=)?\w+=\S*\s*$",  # a line of a file of settings
    re.IGNORECASE | re.MULTILINE,
)
_DATABASE = (
    command(
        Thing.DATABASE,
        "{}",
        "psql createdb dropdb pg mysql mysqldump mariadb mongosh mongo mongorestore redis cqlsh",
        rf"({_ENGINES})[ \t]+[^\s`]",
    ),
    command(
        Thing.DATABASE,
        "migrations",
        "migrate migration migrations db prisma flyway liquibase ecto alembic dbmate drizzle manage sqlx diesel supabase",
        rf"(?:{_MIGRATIONS})",
    ),
    anywhere(Thing.DATABASE, "{}", _SCHEMES, rf"{_URL}[^\s'\"`)]{{3,}}", unless=_OWN_DATABASE),
    anywhere(
        Thing.DATABASE,
        "{}",
        _SCHEMES,
        r"\b(postgres(?:ql)?|mysql|mariadb|mongodb)(?:\+\w+)?://(?:[^\s'\"`@/]{0,60}@)?(?:localhost|127\.0\.0\.1)\b",
        where=CODE,
        unless=_OWN_DATABASE,
    ),
    anywhere(
        Thing.DATABASE,
        "DATABASE_URL",
        "database",
        r"\$\{?DATABASE_URL\b|\bDATABASE_URL=(?!\"?'?sqlite)\S",
        unless=_OWN_DATABASE,
    ),
    anywhere(
        Thing.DATABASE,
        "migrations",
        "alembic prisma rails manage knex",
        r"(?<![-\w./`])(?:alembic (?:upgrade|downgrade)|prisma (?:migrate|db) (?:dev|push|deploy|reset)|rails db:\w+"
        r"|manage\.py migrate|knex migrate)",
        where=PROSE,
    ),
    said(
        Thing.DATABASE,
        "migrations",
        "migration migrations",
        r"\b(?:run|re-run|rerun|apply|execute|roll back|rollback)\s+"
        r"(?:the\s+|all\s+|any\s+|new\s+|pending\s+|database\s+|db\s+|schema\s+){0,3}migrations?\b"
        r"(?!\s+(?:test|script|file|module|function|code))",
        unless=_OWN_DATABASE,
    ),
    said(
        Thing.DATABASE,
        "database",
        "database db postgres mysql",
        r"\b(?:against|into|from|on|migrate|seed|reset|drop|truncate)\s+(?:the|a)\s+"
        r"(?:live|dev|development|staging|production|prod|shared|local|real)\s+(?:database|db|postgres|mysql)\b",
        unless=_OWN_DATABASE,
    ),
)

# ---------------------------------------------------------------------- what belongs to the user

_HOME = r"(?:~|\$HOME|\$\{HOME\})/(\.?[A-Za-z0-9_][\w.-]*(?:/[\w.-]+)?)"
_HOME_WORDS = "~/ home"
_WRITES = r"(?:rm|mkdir|touch|tee|chmod|sed -i|unzip|tar)"
_COPIES = r"(?:cp|mv|ln|rsync|install)"  # what is written stands last
_USER = (
    command(
        Thing.USER,
        "git config --global",
        "global system",
        r"git config (?:--global|--system)(?! --get| -l\b| --list)",
    ),
    command(
        Thing.USER,
        "global npm packages",
        "g global link",
        rf"(?:npm (?:-g|--global)\b|p?npm (?:i|install|add|uninstall|remove|link|update)\b{_WITHIN}{{0,100}}\s"
        r"(?:-g|--global)\b|p?npm link\b|yarn global)",
    ),
    command(
        Thing.USER,
        "the user's python packages",
        "user",
        rf"(?:python3? -m )?pip3? install\b{_WITHIN}{{0,100}}\s--user\b",
    ),
    command(
        Thing.USER,
        "the user's tools",
        "pipx uv",
        r"(?:pipx|uv tool) (?:install|upgrade|inject|uninstall)",
    ),
    command(Thing.USER, "~/.cargo", "cargo", rf"cargo install\s+(?!{_WITHIN}{{0,100}}--root)\S"),
    command(Thing.USER, "~/go", "go", r"go install\s+\S"),
    command(
        Thing.USER,
        "system packages",
        "brew apt dnf yum pacman apk gem choco",
        r"(?:(?:brew|apt|apt-get|dnf|yum|apk|gem|choco)\s+(?:-\S+\s+){0,5}(?:install|upgrade|add|uninstall|remove)\s+\S"
        r"|pacman -S)",
    ),
    command(
        Thing.USER,
        "services of the user",
        "systemctl launchctl brew loginctl",
        r"(?:systemctl\s+(?:--user\s+)?(?:start|stop|restart|reload|enable|disable|mask|daemon-reload)"
        r"|launchctl\s+(?:load|unload|bootstrap|bootout|kickstart|start|stop)|brew services|loginctl enable)",
    ),
    command(Thing.USER, "crontab", "crontab", r"crontab\b(?!\s+-l)"),
    command(
        Thing.USER,
        "settings of the desktop",
        "gsettings defaults",
        r"(?:gsettings set|defaults write)\s",
    ),
    command(
        Thing.USER,
        "toolchains",
        "nvm rustup pyenv",
        r"(?:nvm (?:install|alias)|rustup (?:default|toolchain install|component add|target add)"
        r"|pyenv (?:install|global))\s+\S",
    ),
    command(Thing.USER, "~/{}", _HOME_WORDS, rf"{_WRITES}\b{_WITHIN}{{0,200}}?\s['\"]?{_HOME}"),
    command(
        Thing.USER,
        "~/{}",
        _HOME_WORDS,
        rf"{_COPIES}\b{_WITHIN}{{0,200}}?\s['\"]?{_HOME}[^\s;&|`]{{0,200}}[ \t]*(?=[;&|`#\n]|$)",
    ),
    anywhere(Thing.USER, "~/{}", _HOME_WORDS, rf">\s*['\"]?{_HOME}"),
    said(
        Thing.USER,
        "~/{}",
        _HOME_WORDS,
        r"(?<!not )(?<!never )(?<![-\w])(?:write|edit|append|add|install|copy|symlink|delete|remove|overwrite|modify)\b"
        rf"(?:(?!\.\s)[^\n;`]){{0,60}}?`?{_HOME}",
    ),
)

# ---------------------------------------------------------------------- ports, sockets, containers

_NUMBER = r"([1-9][0-9]{1,4})\b"
_LOCAL = rf"\b(?:localhost|127\.0\.0\.1):{_NUMBER}"
_LOCAL_WORDS = "localhost 127"
_CLIENTS = "(?:curl|wget|nc|open|xdg-open|ab|hey|wrk|grpcurl|websocat|redis-cli|psql)[ \t]"
_VISITS = "open|navigate|browse|visit|go to|curl|start|launch|run|serve|listening|reach|reaches|reachable|accessible|hit"
_PORT = (
    command(Thing.PORT, "port {}", _LOCAL_WORDS, rf"{_CLIENTS}{_WITHIN}{{0,200}}?{_LOCAL}"),
    anywhere(
        Thing.PORT,
        "port {}",
        "port lsof",
        rf"--port[ =]{_NUMBER}|(?<![\w$])PORT={_NUMBER}|\blsof\s+-\S*i\s*:{_NUMBER}",
    ),
    said(
        Thing.PORT,
        "port {}",
        _LOCAL_WORDS,
        rf"\b(?:{_VISITS})\b[^\n]{{0,80}}?{_LOCAL}",
        unless=re.compile(
            r"\b(?:cors|origins?|redirects?|redirect_uri|allow(?:s|ed)?|defaults?)\b", re.IGNORECASE
        ),
    ),
    said(
        Thing.PORT,
        "port {}",
        "port",
        rf"\b(?:listen|bind|serve|start|run)\b[^\n.;]{{0,40}}?\bon port {_NUMBER}",
    ),
)
_SOCKET = (
    anywhere(
        Thing.SOCKET,
        "{}",
        "sock",
        r"(?<![\w.])((?:/var)?/run/[\w./-]+\.sock|/tmp/[\w./-]+\.sock)\b",
        where=COMMANDS | PROSE,
    ),
)
_CONTAINER = (
    command(
        Thing.CONTAINER,
        "docker",
        "docker podman",
        r"(?:(?:docker|podman) (?:run|start|stop|restart|rm|exec|build|push|kill|system prune|volume|network|swarm|stack)\b"
        r"|(?:docker|podman)[ -]compose\s+(?:-\S+\s+(?:\S+\.ya?ml\s+)?){0,4}(?:up|down|build|run|exec|start|stop|restart|rm|pull|create))\b",
    ),
    command(
        Thing.CONTAINER,
        "kubernetes",
        "kubectl helm minikube kind k3d",
        r"(?:kubectl (?:apply|delete|create|patch|scale|rollout|exec|port-forward)|helm (?:install|upgrade|uninstall)"
        r"|minikube \w+|kind (?:create|delete)|k3d cluster)\b",
    ),
    command(Thing.CONTAINER, "vagrant", "vagrant", r"vagrant (?:up|halt|destroy|provision)"),
)

# ---------------------------------------------------------------------- services of others

_ASKS_FOR_HELP = r"(?!--version|--help|help\b)"
_KEY = (
    r"([A-Z][A-Z0-9]{1,20}(?:_[A-Z0-9]{1,20}){0,4}_"
    r"(?:API_KEY|API_TOKEN|ACCESS_TOKEN|AUTH_TOKEN|BOT_TOKEN|SECRET_KEY|CLIENT_SECRET)|GH_TOKEN|GITHUB_TOKEN|HF_TOKEN)"
)
_KEY_WORDS = "key token secret"
_SERVICE = (
    command(
        Thing.SERVICE,
        "github",
        "gh",
        r"gh (?:(?:pr|issue) (?:create|merge|close|comment|edit)|release (?:create|edit|delete|upload)|workflow run"
        r"|repo (?:create|edit|delete)|secret|label|api)\b",
    ),
    command(Thing.SERVICE, "gitlab", "glab", r"glab (?:mr|issue|release) \w"),
    command(Thing.SERVICE, "aws", "aws", rf"aws {_ASKS_FOR_HELP}[a-z0-9-]+ [a-z-]+"),
    command(Thing.SERVICE, "google cloud", "gcloud gsutil", rf"(?:gcloud|gsutil) {_ASKS_FOR_HELP}[a-z]"),
    command(Thing.SERVICE, "azure", "az", rf"az {_ASKS_FOR_HELP}[a-z]+ [a-z]"),
    command(
        Thing.SERVICE,
        "cloud resources",
        "terraform pulumi",
        r"(?:terraform (?:apply|destroy|import)|pulumi (?:up|destroy))\b",
    ),
    command(
        Thing.SERVICE,
        "a package registry",
        "publish twine gem",
        rf"(?:(?:npm|pnpm|yarn|cargo|poetry|uv) publish|twine upload|gem push)\b(?!{_WITHIN}{{0,200}}--dry-run)",
    ),
    command(
        Thing.SERVICE,
        "hosting",
        "vercel netlify fly flyctl heroku firebase wrangler",
        r"(?:vercel (?:deploy|--prod)|netlify deploy|(?:fly|flyctl) deploy|heroku \w+|firebase deploy"
        r"|wrangler (?:deploy|publish))\b",
    ),
    command(Thing.SERVICE, "stripe", "stripe", r"stripe (?:listen|trigger)\b"),
    anywhere(Thing.SERVICE, "{}", _KEY_WORDS, rf"\$\{{?{_KEY}\b"),
    anywhere(
        Thing.SERVICE,
        "{}",
        _KEY_WORDS,
        r"\b(?:(?:[Rr]equires?|[Nn]eeds?)\s+(?:an?\s+|the\s+|your\s+)?|(?:real|valid|live|working)\s+)"
        rf"`?{_KEY}\b(?!=)",
        where=PROSE,
    ),
    anywhere(
        Thing.SERVICE,
        "{}",
        "openai anthropic github stripe twilio sendgrid telegram cloudflare mistral deepseek amazonaws googleapis slack",
        r"https?://(api\.(?:openai|anthropic|github|stripe|twilio|sendgrid|telegram|cloudflare|mistral|deepseek)\."
        r"(?:com|org|ai)|[a-z0-9.-]{1,80}\.(?:amazonaws|googleapis)\.com|hooks\.slack\.com)\b",
    ),
)

RULES: tuple[Rule, ...] = (*_DATABASE, *_USER, *_PORT, *_SOCKET, *_CONTAINER, *_SERVICE)
"""Every rule."""
