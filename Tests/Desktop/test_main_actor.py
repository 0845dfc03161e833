# SPDX-License-Identifier: MIT
"""Swift's main actor in a loop of GLib, as GTK runs it."""

import json
import subprocess

import pytest


@pytest.fixture(scope="module")
def report(programs):
    """What a program with such a loop reports of itself."""
    done = subprocess.run([programs / "gtk-loop-probe"], check=True, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_main_actor_code_runs_on_the_thread_of_the_loop_and_other_code_does_not(report):
    assert report["main"] and report["elsewhere"]


def test_every_task_that_comes_back_to_the_main_actor_goes_on(report):
    assert report["hops"] == 1_000


def test_a_sleeping_task_does_not_wake_the_loop(report):
    assert report["slept"] and report["wakeUpsAsleep"] <= 3


def test_a_handler_of_a_signal_begins_tasks_and_takes_the_text_of_a_signal(report):
    assert report["emissions"] == 3
    assert report["texts"] == ["reload"]
