"""What looks like a key, a token or a password in text of others, taken out before anybody else reads the text.

By its looks alone: the prefixes that services give their keys, and what stands behind a word such as `password=`. It is a
net and no wall: what looks like nothing in particular passes through, so logs stay readable by their user only (faults 36).
"""

from __future__ import annotations

import re
from typing import Any

from git_waves.core.dress import undressed

REDACTED = "[redacted]"

# Keys that say what they are. A dash or an underscore before them would make another word of them.
_KEYS = r"""
-----BEGIN[ ][A-Z ]*PRIVATE[ ]KEY-----.*?(?:-----END[ ][A-Z ]*PRIVATE[ ]KEY-----|\Z)
| \A[A-Za-z0-9+/=\s]{16,}-----END[ ][A-Z ]*PRIVATE[ ]KEY-----
| (?<![A-Za-z0-9_-]) (?:
    A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Z0-9])
  | gh[pousr]_[A-Za-z0-9]{20,}
  | github_pat_[A-Za-z0-9_]{20,}
  | gl(?:pat|ptt|rt|dt|soat|cbt)-[A-Za-z0-9_-]{16,}
  | xox[abeoprs]-[A-Za-z0-9-]{10,}
  | xapp-[A-Za-z0-9-]{10,}
  | sk-(?=[A-Za-z0-9_-]*[0-9])[A-Za-z0-9_-]{16,}
  | [rsp]k_(?:live|test)_[A-Za-z0-9]{10,}
  | whsec_[A-Za-z0-9+/=]{16,}
  | AIza[A-Za-z0-9_-]{30,}
  | ya29\.[A-Za-z0-9_-]{20,}
  | npm_[A-Za-z0-9]{30,}
  | pypi-[A-Za-z0-9_-]{30,}
  | hf_[A-Za-z0-9]{30,}
  | dop_v1_[a-f0-9]{40,}
  | SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}
  | eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*
  )
| (?<=hooks\.slack\.com/services/)[A-Za-z0-9/]{16,}
"""
# What stands behind a word for a secret. With `=` whatever follows is one, but for small numbers; behind a colon, where prose
# would stand, only what holds letters and digits. A variable (`$TOKEN`, `{token}`, `<token>`) is a name and no secret.
_WORD = (
    r"(?:api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|client[_-]?secret|auth[_-]?token|secret|token(?!s)"
    r"|passw(?:or)?d|passphrase|credentials?)[A-Za-z0-9_-]{0,24}"
)
_NO_NAME = r"(?![$<>{}(\[|&*%])"
_BEHIND = rf"""
(?P<word> {_WORD}["']?[ ]?=[ ]?)
    (?: "{_NO_NAME}[^"\n]{{4,}}"? | '{_NO_NAME}[^'\n]{{4,}}'? | {_NO_NAME}(?![0-9]{{1,7}}\b)[^\s"'`,;&|]{{4,}} )
| (?P<said> {_WORD}["']?:[ ]{{0,2}}["']?)
    {_NO_NAME}(?=[^\s"',;]*[0-9])(?=[^\s"',;]*[A-Za-z])[^\s"'`,;&|]{{8,}}
| (?P<bearer> \bbearer[ ]{{1,2}} ) [A-Za-z0-9._~+/=-]{{16,}}
| (?P<basic> \bauthorization["']?:[ ]{{0,2}}["']?[A-Za-z]{{1,10}}[ ] ) [A-Za-z0-9._~+/=-]{{8,}}
| (?P<user> ://[^\s/:@]{{0,64}}: ) [^\s/@]+(?=@)
"""
_LOOKS = re.compile(_KEYS, re.VERBOSE | re.DOTALL)
_TOLD = re.compile(_BEHIND, re.VERBOSE | re.IGNORECASE)


def redact(text: str) -> str:
    """`text` with `[redacted]` in the place of every secret that is found, in whatever dress it comes; else as it is."""
    bare = undressed(text)
    if _LOOKS.search(bare) is None and _TOLD.search(bare) is None:
        return text
    return _TOLD.sub(lambda found: f"{found[found.lastgroup or 0]}{REDACTED}", _LOOKS.sub(REDACTED, bare))


def redacted(value: Any) -> Any:
    """A value of JSON's with every text in it redacted; names of keys stay."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {key: redacted(entry) for key, entry in value.items()}
    return [redacted(entry) for entry in value] if isinstance(value, list) else value
