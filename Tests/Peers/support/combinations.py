# SPDX-License-Identifier: MIT
"""Which cases of a test with several parameters run in the default tier.

Each value of each parameter has a case there. The other combinations are slow: `Scripts/test --all` and a named step
run them.
"""

import pytest


def mark_slow(items):
    """Marks the combinations of values that add no value to those before."""
    tests = {}
    for item in items:
        if hasattr(item, "callspec"):
            tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in tests.values():
        for item in combinations(cases):
            item.add_marker(pytest.mark.slow)


def combinations(cases):
    """The cases that are not needed for each value of each parameter to have one that is not slow."""
    rest = [item for item in cases if not item.get_closest_marker("slow")]
    missing = set().union(*map(values, rest))
    while missing:
        best = max(rest, key=lambda item: len(values(item) & missing))
        missing -= values(best)
        rest.remove(best)
    return rest


def values(item):
    return {(name, repr(value)) for name, value in item.callspec.params.items()}
