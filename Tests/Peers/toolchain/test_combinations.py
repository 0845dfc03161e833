# SPDX-License-Identifier: MIT
"""Which cases of a test with several parameters are left to the slow tests."""

from itertools import product

from combinations import further


def cases(names, rows):
    return [dict(zip(names, row)) for row in rows]


def left_out(names, rows):
    return further(cases(names, rows), lambda case: case)


def test_of_every_combination_each_value_keeps_a_case():
    tables = (range(4), "abc", (True, False))
    out = left_out(("number", "letter", "flag"), product(*tables))
    kept = [case for case in cases(("number", "letter", "flag"), product(*tables)) if case not in out]
    assert len(kept) == 4
    assert [{case[name] for case in kept} for name in kept[0]] == [set(table) for table in tables]


def test_a_table_of_chosen_rows_is_kept_whole():
    rows = [*product("abc", "xyz")]
    assert left_out(("one", "other"), rows[1:]) == left_out(("one", "other"), [*rows, ("d", "x")]) == []


def test_a_small_table_is_kept_whole():
    assert left_out(("one", "other"), product("ab", "wxyz")) == left_out(("one",), [(n,) for n in range(50)]) == []
