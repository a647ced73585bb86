"""Blocks of ports: one holder each, the same one for the same name, and only when nobody listens there."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
from collections.abc import Iterator

import pytest

from git_waves.adapters import ports
from git_waves.adapters.ports import FIRST, NoPorts, Ports

held: set[int] = set()


@pytest.fixture(autouse=True)
def nothing_stays_held() -> Iterator[None]:
    yield
    for descriptor in held:
        with contextlib.suppress(OSError):
            os.close(descriptor)
    held.clear()


def lent(name: str, wish: int | None = None) -> Ports:
    found = ports.lend(f"{os.getpid()} {name}", wish=wish)
    assert isinstance(found, Ports), found
    held.add(found.descriptor)
    return found


def test_a_name_has_its_block_again_and_never_one_that_is_held() -> None:
    first = lent("a")
    second = lent("a")
    assert second.first == (first.first - FIRST + 10) % 10_000 + FIRST
    first.release()
    assert lent("a").first == first.first
    assert lent("b").first not in (first.first, second.first)
    assert first.variables["WAVES_PORT"] == str(first.first)
    assert first.variables["WAVES_PORTS"].split() == [str(first.first + step) for step in range(10)]


def test_what_a_task_had_before_comes_first_and_a_wish_for_nonsense_does_not_count() -> None:
    had = lent("a")
    had.release()
    wished = lent("b", wish=had.first)
    assert wished.first == had.first
    for nonsense in (had.first + 1, 10**9, 80):
        assert lent("c", wish=nonsense).first not in (nonsense, had.first)


@pytest.mark.parametrize(("family", "address"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")])
def test_a_block_in_which_somebody_listens_is_passed_over(family: int, address: str) -> None:
    had = lent("a")
    had.release()
    with socket.socket(family, socket.SOCK_STREAM) as other:
        try:
            other.bind((address, had.first + 7))
        except OSError:
            pytest.skip(f"no {address} on this machine")
        other.listen()
        assert lent("a").first != had.first


def test_where_nothing_can_be_bound_it_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENETDOWN, os.strerror(errno.ENETDOWN))

    monkeypatch.setattr(socket.socket, "bind", refuse)
    assert ports.lend("a") == NoPorts("no port can be bound: Network is down")


def test_whoever_inherits_the_socket_holds_the_block() -> None:
    had = lent("a")
    inherited = os.dup(had.descriptor)
    had.release()
    assert lent("a").first != had.first
    os.close(inherited)
    assert lent("a").first == had.first
