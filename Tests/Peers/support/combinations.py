# SPDX-License-Identifier: MIT
"""Which cases of a test with several parameters run in the default tier.

Where the cases are every combination of the parameters' values, each value has a case there. The other combinations
are slow: `Scripts/test --all` and a named step run them. A table of chosen rows runs whole, and so does a small one.
"""

import math

import pytest

SMALL = 8


def mark_slow(items):
    """Marks the combinations of values that add no value to those before."""
    tests = {}
    for item in items:
        if hasattr(item, "callspec"):
            tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in tests.values():
        for case in further(cases, lambda item: item.callspec.params):
            case.add_marker(pytest.mark.slow)


def further(cases, parameters):
    """The cases that are not needed for each value of each parameter to have one."""
    values = [{(name, repr(value)) for name, value in parameters(case).items()} for case in cases]
    missing = set().union(*values)
    counts = [sum(name == other for other, _ in missing) for name in parameters(cases[0])]
    if len(cases) <= SMALL or len(cases) != math.prod(counts):
        return []
    rest = list(range(len(cases)))
    while missing:
        best = max(rest, key=lambda number: len(values[number] & missing))
        missing -= values[best]
        rest.remove(best)
    return [cases[number] for number in rest]
