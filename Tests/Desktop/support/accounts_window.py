# SPDX-License-Identifier: MIT
"""The window of a person's accounts, and what happens around it."""

import contextlib
import plistlib
import subprocess
import tempfile
import time
from pathlib import Path

from accessibility import Atspi, GLib
from redaction import shown
from repository import SCRIPTS
from sso_cache import DONE, SSOCache, TOKEN_MARK
from people import ADA
from unified_cache import CLIENT, signed_in
from window import Window, wait_for

# What gnome-keyring asks the person by.
PROMPTER = "/usr/libexec/gcr-prompter"
PASSWORD = "test"

MAIL, CALENDAR = "com.contoso.mail", "com.contoso.calendar"
OTHER_CLIENT = "contoso-office"


class AccountsWindow(Window):
    """The window, whose every text is looked at for tokens."""

    def __init__(self, programs, *arguments, **options):
        super().__init__(programs / "sso-cache-accounts", *arguments, **options)

    def elements(self):
        elements = [each for each in super().elements() if each.name and not each.name.startswith(("Gtk", "Adw"))]
        for each in elements:
            # One that goes meanwhile has no description any more.
            with contextlib.suppress(GLib.Error):
                assert not shown(f"{each.name}\n{each.description}", [TOKEN_MARK]), "the window shows a token"
        return elements

    def names(self):
        return [each.name for each in self.elements()]

    def show_page(self, title):
        """Goes to a page by the switch in the header, or at the bottom of a narrow window."""
        self.wait_for(title, "page tab").press()

    def expand(self, account):
        """Expands an account's row by the keyboard: GTK's rows have no action for assistive technologies."""
        wait_for("the window to be active", self.is_active)
        self.wait_for(account, "list item")
        self.tab_to(account)
        self.key("Return")
        self.wait_for("All apps")

    def tab_to(self, start):
        """Presses Tab until what has the focus begins with a text."""
        def focused():
            return next((each.name for each in self.elements() if each.has("FOCUSED")), "")

        for _ in range(30):
            if focused().startswith(start):
                return
            self.key("Tab")
            time.sleep(0.1)
        raise AssertionError(f"Tab does not reach {start}; it is at {focused()!r}")

    def first_row(self):
        """The first row of a list, without a look at those behind it."""
        return first_row(self.pid)

    def agree(self, label):
        """Answers the question of a dialog, whose buttons libadwaita 1.2 names twice."""
        self.wait_for(f"{label} {label}", "push button").press()

    def at_rest(self):
        """Closes the window, and expects that neither GTK nor Swift has complained of anything."""
        def is_closed():
            self.key("ctrl+w")
            time.sleep(0.2)
            return self.process.poll() is not None

        # A dialog that is just going takes the keys.
        wait_for("the window to close", is_closed)
        assert self.process.returncode == 0
        assert self.complaints() == []


@contextlib.contextmanager
def accounts_window(programs, *arguments, **options):
    window = AccountsWindow(programs, *arguments, **options)
    try:
        yield window
        window.at_rest()
    finally:
        window.end()


@contextlib.contextmanager
def person_at_dialogs():
    """The program that shows gnome-keyring's dialogs on this screen."""
    prompter = subprocess.Popen([PROMPTER], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run(["gdbus", "wait", "--session", "--timeout=30", "org.gnome.keyring.SystemPrompter"], check=True)
    try:
        yield
    finally:
        prompter.kill()
        prompter.wait()


def first_row(process_id):
    def search(element):
        if element.get_role_name() == "list item" and element.get_name():
            return element.get_name()
        for index in range(element.get_child_count()):
            child = element.get_child_at_index(index)
            if child and child.get_state_set().contains(Atspi.StateType.VISIBLE) and (found := search(child)):
                return found
        return None

    desktop = Atspi.get_desktop(0)
    for index in range(desktop.get_child_count()):
        app = desktop.get_child_at_index(index)
        if app and app.get_process_id() == process_id:
            app.clear_cache()
            return search(app)
    return None


def dialogs_of_the_keyring(window):
    """The X11 windows of gnome-keyring's dialogs."""
    return window._xdotool("search", "--onlyvisible", "--name", "Unlock|Password|Keyring").split()


def type_password(window, text):
    """Types into gnome-keyring's dialog."""
    dialog = wait_for("the keyring's dialog", lambda: dialogs_of_the_keyring(window))[-1]
    window._xdotool("windowactivate", "--sync", dialog)
    time.sleep(0.5)
    window._xdotool("type", "--delay", "30", text)
    window.key("Return")


def use_as(tool, app, client, username, scope="mail.read"):
    """Gets a token as an app, which is then signed in."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "entitlements.plist")
        file.write_bytes(plistlib.dumps({
            "application-identifier": f"com.contoso.{app}", "com.apple.developer.team-identifier": "com.contoso",
            "keychain-access-groups": [f"com.contoso.{tool.group}"],
        }))
        outcome = SSOCache(tool.tool, tool.group).run(
            "token", "--entitlements", file, "--client-id", client, "--account", username, "--scope", scope, "--json")
        assert outcome.status == DONE, outcome


@contextlib.contextmanager
def other_screen(size):
    """Another screen, for a window of another size; the value of DISPLAY."""
    screen = subprocess.Popen(
        [SCRIPTS / "private-screen", size, "sh", "-c", 'echo "$DISPLAY"; read -r _'], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True)
    try:
        yield screen.stdout.readline().strip()
    finally:
        screen.stdin.close()
        screen.wait(30)


def extents(element):
    """Where an element is in its window: x, y, width and height."""
    place = element._accessible.get_component_iface().get_extents(Atspi.CoordType.WINDOW)
    return place.x, place.y, place.width, place.height


def sign_in(suite, person=ADA, client=CLIENT):
    """Signs a person in, as an app does that wrote a cache of MSAL."""
    suite.take(signed_in(person=person, client=client)[0])


def desktop_file(name, publisher="com.contoso", groups="com.contoso.shared;"):
    return (
        f"[Desktop Entry]\nType=Application\nName={name}\nExec=true %u\n"
        f"X-KeychainPublisher={publisher}\nX-KeychainAccessGroups={groups}\n")
