"""How many examples a property is tried with, and whether they are the same each time: one profile for each occasion.

`quick` is what `make test` takes and `full` what CI takes: the same examples on every machine and at every load, so
nothing is refused by luck. `fuzz` (`make fuzz`) looks for new ones, at random and many. `full` stands for the numbers
that the tests name; `pytest --hypothesis-profile=full` chooses.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

_FULL = 100
_OCCASIONS = {"quick": _FULL // 5, "full": _FULL, "fuzz": 20 * _FULL}
_FEWEST = 20


def register_profiles() -> None:
    """Make the profiles known and take the quick one, unless the command line names another."""
    for name, number in _OCCASIONS.items():
        settings.register_profile(
            name,
            max_examples=number,
            # Both said in full: inside CI hypothesis has a profile of its own, from which ours would inherit.
            derandomize=name != "fuzz",
            print_blob=name == "fuzz",
            # A busy machine is no failure.
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
        )
    settings.load_profile("quick")


def examples(number: int) -> settings:
    """Try a property with this many examples when all are tried, and with its share on other occasions."""
    share = number * settings().max_examples // _FULL
    return settings(max_examples=max(share, min(number, _FEWEST)))


def forget_our_constants() -> None:
    """Keep what the program's source says out of the examples.

    hypothesis draws the constants of all loaded modules now and then. Which these are depends on the tests that ran
    before in the same process, and a new number in the code would give every property other examples.
    """
    if hasattr(providers, "_get_local_constants"):  # so since hypothesis 6.131; older ones take none
        providers._get_local_constants = providers.Constants  # type: ignore[attr-defined]  # not theirs to export
