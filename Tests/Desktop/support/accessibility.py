# SPDX-License-Identifier: MIT
"""What a window shows and offers, as a screen reader has it: the tree of AT-SPI."""

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

# A window that hangs is an error, and soon.
Atspi.set_timeout(3_000, 3_000)


class Element:
    """An element of a window: its role and name, and what can be done with it."""

    def __init__(self, accessible):
        self._accessible = accessible
        self.role = accessible.get_role_name()
        self.name = accessible.get_name() or ""

    def __repr__(self):
        return f"{self.role} {self.name!r}"

    @property
    def description(self):
        return self._accessible.get_description() or ""

    def has(self, state):
        return self._accessible.get_state_set().contains(getattr(Atspi.StateType, state))

    def horizontal_extents(self):
        """Where the element begins in its window, and its width, in pixels."""
        extents = self._accessible.get_component_iface().get_extents(Atspi.CoordType.WINDOW)
        return extents.x, extents.width

    @property
    def can_be_pressed(self):
        actions = self._accessible.get_action_iface()
        return bool(actions and actions.get_n_actions() and self.has("SENSITIVE"))

    def press(self):
        """Does what a click or the Enter key does."""
        assert self._accessible.get_action_iface().do_action(0), f"{self} refuses its action"


def elements(process_id):
    """The elements that a process shows now, parents first; an element that goes meanwhile is left out.

    GTK 4.8 calls a widget visible that no page of a stack shows, and a screen reader reads it: a program hides what it
    does not show."""
    found = []
    desktop = Atspi.get_desktop(0)
    desktop.clear_cache()
    for index in range(desktop.get_child_count()):
        try:
            app = desktop.get_child_at_index(index)
            if app and app.get_process_id() == process_id:
                app.clear_cache()
                _add_children(app, found)
        except GLib.Error:
            continue
    return found


def _add_children(parent, found):
    for index in range(parent.get_child_count()):
        try:
            child = parent.get_child_at_index(index)
            if child is None or not child.get_state_set().contains(Atspi.StateType.VISIBLE):
                continue
            found.append(Element(child))
            _add_children(child, found)
        except GLib.Error:
            continue
