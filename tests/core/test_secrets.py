"""What looks like a key is taken out of text, whatever it is dressed in, and nothing else is."""

from __future__ import annotations

import pytest

from git_waves.core.secrets import redact, redacted

# In pieces, so that nobody who looks for keys in repositories takes these for one.
GITHUB = "gh" + "p_0123456789abcdefghijABCDEFGHIJ012345"
AWS = "AK" + "IAIOSFODNN7EXAMPLE"
JWT = "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0.abc-_1"
MODEL = "sk" + "-ant-api03-abcdefghijklmnop1234"
PEM = "-----BEGIN RSA PRIVATE " + "KEY-----"
PEM_END = "-----END RSA PRIVATE " + "KEY-----"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"{AWS} x", "[redacted] x"),
        (f"remote: {GITHUB}.", "remote: [redacted]."),
        (f"key {MODEL}", "key [redacted]"),
        (f"Cookie: id={JWT}; path=/", "Cookie: id=[redacted]; path=/"),
        (
            "export AWS_SECRET_ACCESS_KEY=wJalrXUtn/K7MDENG+x done",
            "export AWS_SECRET_ACCESS_KEY=[redacted] done",
        ),
        ("DB_PASSWORD = 'hunter2!' # old", "DB_PASSWORD = [redacted] # old"),
        ('password="correct horse battery" x', "password=[redacted] x"),
        ("password: hunter2xyz9", "password: [redacted]"),
        ('{"api_key": "abcd1234efgh"}', '{"api_key": "[redacted]"}'),
        ("clone https://bob:pw12@example.com/x", "clone https://bob:[redacted]@example.com/x"),
        ("Authorization: Basic Ym9iOnB3MTIz", "Authorization: Basic [redacted]"),
        ("-H 'Bearer abcdefgh12345678'", "-H 'Bearer [redacted]'"),
        (f"{PEM}\nMIIE\n{PEM_END}\nrest", "[redacted]\nrest"),
        (f"{PEM}\nMIIE, and then the log ends", "[redacted]"),
        (f"QmFzZTY0QmFzZTY0\nQmFzZTY0=\n{PEM_END}\nrest", "[redacted]\nrest"),
    ],
)
def test_what_looks_like_a_key_is_taken_out(text: str, shown: str) -> None:
    assert redact(text) == shown


def test_a_key_does_not_hide_in_colours() -> None:
    assert redact(f"{GITHUB[:2]}\x1b[31m{GITHUB[2:]}\x1b[0m") == "[redacted]"


@pytest.mark.parametrize(
    "text",
    [
        "Reset password: flow for users",
        "token=$TOKEN and password=${PASSWORD} and secret=<secret>",
        "max_tokens=4096, tokens = 5, token_count=12345",
        "the task-runner-1234567890123456 and a sk-my-long-class-name-here",
        "1f0e9d8c7b6a5f4e3d2c1b0a9f8e7d6c5b4a3f2e",
        "refs/waves/archive/20261130-090000-aaaa/t1/1",
        "def token(self): return self.tokens[0]",
        "\x1b[31mred\x1b[0m",
    ],
)
def test_what_does_not_is_left_letter_for_letter(text: str) -> None:
    assert redact(text) == text


def test_every_text_of_a_value_is_looked_at() -> None:
    value = {"task": "t1", "paths": [AWS, {"deep": f"token={MODEL}"}], "n": 3, "none": None}
    assert redacted(value) == {
        "task": "t1",
        "paths": ["[redacted]", {"deep": "token=[redacted]"}],
        "n": 3,
        "none": None,
    }
