# SPDX-License-Identifier: MIT
"""Set-ups in which silent sign-in fails, what doctor has to say of each, and what mends it.

Each is made in a session of its own that is well until then. By default the remedy is carried out
literally, in a shell.
"""

import errno
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import secretstorage
from jeepney.wrappers import DBusErrorResponse

from desktop_session import PASSWORD
from sandboxes import flatpak
from secret_items import group_collection, group_collections, plant, search
from unified_cache import access_token, cache_of, signed_in

GROUP = "com.contoso.shared"
MAIL = "com.contoso.mail"
IN_GROUP = f"--group={GROUP}"

# A user who is not the one that the tests run as.
STRANGER = 65533


def literally(session, remedy):
    session.follow(remedy)


@dataclass(frozen=True)
class Setup:
    """One way to break a session."""

    make: Callable
    check: str
    # What the remedy has to be, as a regular expression.
    remedy: str
    status: str = "error"
    exit_status: int = 0
    follow: Callable = literally
    options: tuple = ()
    # Whether somebody is signed in to the group before.
    signed_in: bool = True
    # Whether the account is still there once it is mended.
    keeps_account: bool = True


def give_away(path):
    """Makes a file or folder another user's."""
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
    subprocess.run([*prefix, "chown", f"{STRANGER}:{STRANGER}", path], check=True)


def grouped(name):
    return f"{name}:{GROUP}"


FIX = rf"sso-cache doctor --fix --group {GROUP}"


def typing_the_password(session, remedy):
    session.follow(remedy, typed=PASSWORD + b"\n")
    # The command ends a moment before the daemon can be called.
    wait_until(lambda: login_is_open(session))


def wait_until(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end, "it did not come to be"
        time.sleep(0.01)


def ask_bus(session, method):
    return session.run("dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus",
                       "/org/freedesktop/DBus", f"org.freedesktop.DBus.{method}").stdout


def login_is_open(session):
    try:
        with session.bus() as bus:
            return not login_collection(bus).is_locked()
    except (secretstorage.SecretStorageException, DBusErrorResponse):
        return False


# The bus and the provider.


def no_bus(session):
    session.environment.pop("DBUS_SESSION_BUS_ADDRESS")
    session.environment["XDG_RUNTIME_DIR"] = str(session.folder)
    session.folder.chmod(0o700)


def as_a_headless_session(session, remedy):
    command = remedy.rpartition(": ")[2]
    assert command == "sso-cache run -- COMMAND"
    command = command.replace("run", "run --key-fd 0").replace("COMMAND", '"$@"')
    session.prefix = ["sh", "-c", f"printf %s {'0123456789abcdef' * 4} | {command}", "sh"]


def dead_bus(session):
    session.environment["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={session.folder}/none"


def no_provider(session):
    session.keyring("stop")


def stopped_daemon(session):
    session.keyring("freeze")


def stopped_bus(session):
    os.kill(session.bus_process, signal.SIGSTOP)


def with_a_bus_that_answers(session, remedy):
    # What a new login does, as far as it matters here.
    os.kill(session.bus_process, signal.SIGCONT)


def access_refused(session):
    session.set_policy(refused=True)


def allowed_again(session, remedy):
    session.set_policy(refused=False)


def plain_provider(session):
    session.keyring("stop")
    ready = session.folder / "ready"
    program = Path(__file__).parent / "plain_provider.py"
    session.plain = session.start(sys.executable, program, ready)
    wait_until(ready.exists)


def with_a_real_provider(session, remedy):
    session.plain.kill()
    session.plain.wait()
    session.keyring("start")


def no_login_keyring(session):
    session.keyring("stop")
    for file in (session.data / "keyrings").iterdir():
        file.unlink()
    session.start("gnome-keyring-daemon", "--foreground", "--components=secrets",
                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: b"org.freedesktop.secrets" in ask_bus(session, "ListNames"))


def dangling_default(session):
    session.keyring("stop")
    (session.data / "keyrings/default").write_text("gone")
    session.keyring("start")


def login_locked(session):
    session.keyring("restart", "--locked")


def with_a_person(session, remedy):
    (session.folder / "person").write_bytes(b"password " + PASSWORD + b"\n")
    session.follow(remedy)


def after_a_login(session, remedy):
    assert "Sign in to the desktop" in remedy
    session.keyring("restart")


def full_disk(session):
    filler = os.open(session.data / "keyrings/filler", os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        while os.write(filler, bytes(4096)):
            pass
    except OSError as error:
        assert error.errno == errno.ENOSPC
    finally:
        os.close(filler)


def with_space(session, remedy):
    assert str(session.data) in remedy
    (session.data / "keyrings/filler").unlink()


# The runtime directory.


def lock_folder(session):
    return session.runtime / "secret-store-cache"


def runtime_file(session):
    for file in lock_folder(session).iterdir():
        file.unlink()
    lock_folder(session).rmdir()
    lock_folder(session).write_text("")


def runtime_open_to_all(session):
    lock_folder(session).chmod(0o777)


def runtime_of_another(session):
    give_away(lock_folder(session))


def runtime_missing(session):
    session.environment["XDG_RUNTIME_DIR"] = str(session.folder / "missing/run")


def runtime_not_set(session):
    session.environment.pop("XDG_RUNTIME_DIR")


def as_the_login_sets_it(session, remedy):
    # /run/user/… is the login's to make, and root's.
    assert "/run/user/" in remedy or "enable-linger" in remedy
    session.environment["XDG_RUNTIME_DIR"] = str(session.runtime)


def hold_a_lock(session, then):
    """An app that takes a write lock, and does something else before it lets go."""
    lock = lock_folder(session) / f"write-{'0' * 64}.lock"
    code = f"import fcntl, os, time; f = open({str(lock)!r}, 'w'); fcntl.flock(f, 2); print(flush=True); {then}"
    child = session.start(sys.executable, "-c", code, stdout=subprocess.PIPE)
    child.stdout.readline()
    return child


def stopped_writer(session):
    child = hold_a_lock(session, "os.kill(os.getpid(), 19)")
    wait_until(lambda: Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T")


def hanging_writer(session):
    hold_a_lock(session, "time.sleep(600)")


# The clock.


def clock_says(date):
    def make(session):
        session.prefix = ["faketime", "-f", f"@{date} 12:00:00"]

    return make


def set_right(session, remedy):
    assert remedy == "sudo timedatectl set-ntp true"
    session.prefix = []


# A Flatpak, without Flatpak: its sandbox and its proxy of the bus are programs of their own.


SECRETS = "org.freedesktop.secrets"
LOCKS = "xdg-run/secret-store-cache:create"


def in_a_flatpak(session, permissions, folders=LOCKS):
    """Runs doctor as Flatpak runs an app that has these permissions for names on the session bus, and for
    folders."""
    metadata = session.folder / "flatpak-info"
    metadata.write_text(
        f"[Application]\nname={MAIL}\n[Context]\nfilesystems={folders};\n"
        + "[Session Bus Policy]\n" + "".join(f"{name}={right}\n" for name, right in permissions.items()))
    socket = session.folder / f"proxy-{time.monotonic_ns()}"
    rules = [f"--{right}={name}" for name, right in permissions.items()]
    session.start(
        "xdg-dbus-proxy", session.environment["DBUS_SESSION_BUS_ADDRESS"], socket, "--filter", *rules)
    wait_until(socket.exists)
    session.prefix = [*flatpak(metadata), "--setenv", "DBUS_SESSION_BUS_ADDRESS", f"unix:path={socket}"]


def flatpak_without_permission(session):
    in_a_flatpak(session, {})


def as_flatpak_overrides(session, remedy):
    [permission, app] = remedy.split()[-2:]
    assert app == MAIL
    kind, value = permission.split("=", 1)
    name = value if kind == "--talk-name" else SECRETS
    in_a_flatpak(session, {name: "talk"}, value if kind == "--filesystem" else LOCKS)


def flatpak_without_locks(session):
    in_a_flatpak(session, {SECRETS: "talk"}, "home")


# Groups.


def lock_group(session):
    with session.bus() as bus:
        group_collection(bus, GROUP).lock()


def delete_key(session):
    with session.bus() as bus:
        [key] = search(bus, kind="group-key", group=GROUP)
        key.delete()


def key_lost_and_locked(session):
    lock_group(session)
    delete_key(session)


def wrong_key(session):
    with session.bus() as bus:
        [key] = search(bus, kind="group-key", group=GROUP)
        key.set_secret(b"another")
    lock_group(session)


def delete_marker(session):
    with session.bus() as bus:
        [marker] = search(bus, kind="group", group=GROUP)
        marker.delete()


def corrupt_marker(session):
    with session.bus() as bus:
        [marker] = search(bus, kind="group", group=GROUP)
        marker.set_secret(b"nonsense")


def empty_collection(session):
    with session.bus() as bus:
        for item in list(group_collection(bus, GROUP).get_all_items()):
            item.delete()


def delete_collection(session):
    with session.bus() as bus:
        group_collection(bus, GROUP).delete()


def copy_item(item, collection, secret=None):
    return collection.create_item(
        item.get_label(), item.get_attributes(), item.get_secret() if secret is None else secret,
        content_type="application/json",
    )


def second_collection(session, between=lambda: None):
    """What two apps leave that made the group at once: two collections, each with a marker and items."""
    with session.bus() as bus:
        items = list(group_collection(bus, GROUP).get_all_items())
        [key] = search(bus, kind="group-key", group=GROUP)
        saved = [(item.get_label(), item.get_attributes(), item.get_secret()) for item in [key, *items]]
        for item in [key, *items]:
            item.delete()
    session.sso("group", "create", IN_GROUP)
    with session.bus() as bus:
        [empty] = [
            collection for collection in group_collections(bus, GROUP) if not list(collection.get_all_items())
        ]
    between()
    with session.bus() as bus:
        old = secretstorage.Collection(bus, empty.collection_path)
        for collection, item in zip([login_collection(bus)] + [old] * len(items), saved):
            collection.create_item(*item, content_type="application/json")


def login_collection(bus):
    return secretstorage.get_collection_by_alias(bus, "login")


def unfinished_move(session):
    """The marker and the records of a shared group, which lie in the common collection still."""
    with session.bus() as bus:
        for item in list(group_collection(bus, GROUP).get_all_items()):
            kind = item.get_attributes()["kind"]
            secret = item.get_secret().replace(b'"dedicated"', b'"shared"') if kind == "group" else None
            copy_item(item, login_collection(bus), secret)
            if kind == "credentials":
                item.delete()


def empty_items(session):
    with session.bus() as bus:
        plant(bus, group_collection(bus, GROUP), b"", "credentials", GROUP, client_id="none")


def duplicates(session):
    with session.bus() as bus:
        [item] = search(bus, kind="credentials", group=GROUP)
        older = item.get_secret().replace(b'"revision":1', b'"revision":0')
        assert older != item.get_secret()
        copy_item(item, group_collection(bus, GROUP), older)


def unreadable_item(session):
    with session.bus() as bus:
        plant(bus, group_collection(bus, GROUP), b"nonsense", "credentials", GROUP, client_id="other")


def orphaned_family(session):
    cache = cache_of(access_token("mail.read"))
    for entry in [*cache["RefreshToken"].values(), *cache["AppMetadata"].values()]:
        entry["family_id"] = "1"
    session.sign_in(cache, IN_GROUP)
    with session.bus() as bus:
        for item in search(bus, kind="credentials", group=GROUP):
            item.delete()


def expired_sign_in(session):
    cache = cache_of(access_token("mail.read", age=7200))
    cache["RefreshToken"] = {}
    session.sign_in(cache, IN_GROUP)


def by_signing_in(session, remedy):
    session.sign_in(signed_in()[0], IN_GROUP)


# What apps declare.


def manifest(**keys):
    lines = {
        "Type": "Application", "Name": "Mail", "Exec": "true %u", "X-KeychainPublisher": "contoso",
        "X-KeychainAccessGroups": f"{GROUP};",
    } | keys
    return "[Desktop Entry]\n" + "".join(f"{key}={value}\n" for key, value in lines.items())


def install(session, text, folder=None):
    path = (folder or session.data) / f"applications/{MAIL}.desktop"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o644)
    return path


def manifest_of_another(session):
    give_away(install(session, manifest()))


def folder_of_another(session):
    give_away(install(session, manifest()).parent)


def manifest_open_to_all(session):
    install(session, manifest()).chmod(0o666)


def folder_open_to_all(session):
    install(session, manifest()).parent.chmod(0o777)


def malformed_manifest(session):
    install(session, manifest(**{"X-KeychainAccessGroups": "com/contoso;"}))


def corrected(session, remedy):
    assert f"applications/{MAIL}.desktop" in remedy
    install(session, manifest())


def unregistered_scheme(session):
    install(session, manifest(MimeType=f"x-scheme-handler/msauth.{MAIL};"))


def missing_program(session):
    path = install(session, manifest(MimeType=f"x-scheme-handler/msauth.{MAIL};", Exec="contoso-mail %u"))
    session.run("update-desktop-database", path.parent)


def no_url_argument(session):
    unregistered_scheme(session)
    path = install(session, manifest(MimeType=f"x-scheme-handler/msauth.{MAIL};", Exec="true"))
    session.run("update-desktop-database", path.parent)


def with_url_argument(session, remedy):
    assert "Exec" in remedy
    install(session, manifest(MimeType=f"x-scheme-handler/msauth.{MAIL};"))


PASSWORD_COMMAND = r"bash -c 'read .* \| gnome-keyring-daemon --unlock --components=secrets'"
NEW_DAEMON = r"bash -c 'read .* \| gnome-keyring-daemon --replace --unlock --components=secrets'"
PERSON = "person"

SETUPS = {
    "no bus": Setup(
        no_bus, "bus", r"Start it in a desktop session.* sso-cache run -- COMMAND", exit_status=69,
        follow=as_a_headless_session, keeps_account=False),
    "a dead bus": Setup(
        dead_bus, "bus", r"export DBUS_SESSION_BUS_ADDRESS=unix:path=\S+/run/bus", exit_status=69),
    "no provider": Setup(
        no_provider, "activation", PASSWORD_COMMAND, exit_status=69, follow=typing_the_password),
    "a stopped daemon": Setup(stopped_daemon, "provider", r"kill -CONT \d+", exit_status=75),
    "a stopped bus": Setup(
        stopped_bus, "bus", r"Log out, and in again\.", exit_status=75, follow=with_a_bus_that_answers),
    "a bus that refuses access": Setup(
        access_refused, "provider", r"Allow it org\.freedesktop\.secrets in the policy .*", exit_status=69,
        follow=allowed_again),
    "a Flatpak without the permission": Setup(
        flatpak_without_permission, "sandbox",
        rf"flatpak override --user --talk-name=org\.freedesktop\.secrets {MAIL}", exit_status=69,
        follow=as_flatpak_overrides),
    "a Flatpak whose lock files meet nobody's": Setup(
        flatpak_without_locks, "runtime-directory",
        rf"flatpak override --user --filesystem=xdg-run/secret-store-cache:create {MAIL}", status="warning",
        follow=as_flatpak_overrides),
    "a provider of plain sessions": Setup(
        plain_provider, "encryption", r"Let gnome-keyring, KWallet or KeePassXC be .*", exit_status=69,
        follow=with_a_real_provider),
    "no login keyring": Setup(
        no_login_keyring, "login", NEW_DAEMON,
        exit_status=69, follow=typing_the_password, signed_in=False, keeps_account=False),
    "no default collection": Setup(
        no_login_keyring, "default-collection", NEW_DAEMON, exit_status=69, follow=typing_the_password,
        signed_in=False, keeps_account=False),
    "a default collection that is not there": Setup(
        dangling_default, "default-collection", r"dbus-send .* objpath:/org/freedesktop/secrets/collection/login",
        status="warning"),
    "a locked login keyring": Setup(
        login_locked, "login", rf"sso-cache group unlock --prompt --group {GROUP}", exit_status=75,
        follow=with_a_person, options=(PERSON,)),
    "a locked group": Setup(
        login_locked, grouped("group-lock"), rf"sso-cache group unlock --prompt --group {GROUP}", exit_status=75,
        follow=with_a_person, options=(PERSON,)),
    "a locked login keyring without any group": Setup(
        login_locked, "login", r"Sign in to the desktop .*", exit_status=75, follow=after_a_login,
        signed_in=False, keeps_account=False),
    "a full disk": Setup(
        full_disk, "round-trip", r"Free some space on the disk of \S+", exit_status=74, follow=with_space,
        options=("small disk",)),
    "a file where the lock files should be": Setup(
        runtime_file, "runtime-directory", r"rm \S+/secret-store-cache", exit_status=74),
    "lock files that others can write to": Setup(
        runtime_open_to_all, "runtime-directory", r"chmod 700 \S+/secret-store-cache", exit_status=74),
    "lock files of another user": Setup(
        runtime_of_another, "runtime-directory", r"sudo chown -R \d+ \S+/secret-store-cache", exit_status=74),
    "a runtime directory that is missing": Setup(
        runtime_missing, "runtime-directory", r"mkdir -p -m 700 \S+", exit_status=74),
    "no runtime directory": Setup(
        runtime_not_set, "runtime-directory",
        r"export XDG_RUNTIME_DIR=/run/user/\d+|sudo install -d -m 700 -o (\d+) /run/user/\1"
        r"|sudo loginctl enable-linger \d+", status="warning",
        follow=as_the_login_sets_it),
    "a stopped app that holds a lock": Setup(stopped_writer, "leases", r"kill -CONT \d+", status="warning"),
    "an app that hangs and holds a lock": Setup(hanging_writer, "leases", r"kill \d+", status="warning"),
    "a clock in 2035": Setup(
        clock_says("2035-01-01"), "clock", r"sudo timedatectl set-ntp true", exit_status=1, follow=set_right),
    "a clock in 2000": Setup(
        clock_says("2000-01-01"), "clock", r"sudo timedatectl set-ntp true", exit_status=1, follow=set_right),
    "a lost password of a locked group": Setup(
        key_lost_and_locked, grouped("group-lock"), rf"sso-cache group reset --group {GROUP}", exit_status=78,
        keeps_account=False),
    "a lost password of an open group": Setup(delete_key, grouped("group-key"), FIX, exit_status=78),
    "a wrong password of a group": Setup(
        wrong_key, grouped("group-lock"), rf"sso-cache group reset --group {GROUP}", exit_status=78,
        keeps_account=False),
    "a lost marker": Setup(delete_marker, grouped("group-marker"), FIX, exit_status=65),
    "a marker that can't be read": Setup(corrupt_marker, grouped("group-marker"), FIX, exit_status=65),
    "an emptied collection": Setup(
        empty_collection, grouped("group-marker"), FIX, exit_status=65, keeps_account=False),
    "a deleted collection": Setup(
        delete_collection, grouped("group-collection"), rf"sso-cache group create --group {GROUP}",
        status="warning", keeps_account=False),
    "two collections for one group": Setup(second_collection, grouped("group-collection"), FIX, status="warning"),
    "a move that did not come to its end": Setup(
        unfinished_move, grouped("group-collection"), FIX, status="warning"),
    "empty items": Setup(empty_items, grouped("group-entries"), FIX, status="warning"),
    "items that are there twice": Setup(duplicates, grouped("group-duplicates"), FIX, status="warning"),
    "an item that can't be read": Setup(
        unreadable_item, grouped("group-entries"), rf"sso-cache sign-out --whole-group --group {GROUP}",
        status="warning", keeps_account=False),
    "a family's token without an account": Setup(
        orphaned_family, grouped("group-entries"), rf"sso-cache sign-out --whole-group --group {GROUP}",
        status="warning", signed_in=False, keeps_account=False),
    "an expired sign-in": Setup(
        expired_sign_in, grouped("group-tokens"), r"Sign in with one of the group's apps\.", status="warning",
        follow=by_signing_in, signed_in=False),
    "a manifest of another user": Setup(
        manifest_of_another, f"manifest:{MAIL}", rf"sudo chown -h \d+ \S+/{MAIL}\.desktop", exit_status=77),
    "manifests in a folder of another user": Setup(
        folder_of_another, f"manifest:{MAIL}", r"sudo chown -h \d+ \S+/applications", exit_status=77),
    "a manifest that others can write to": Setup(
        manifest_open_to_all, f"manifest:{MAIL}", rf"chmod go-w \S+/{MAIL}\.desktop", exit_status=77),
    "a folder of manifests that others can write to": Setup(
        folder_open_to_all, f"manifest:{MAIL}", r"chmod go-w \S+/applications", exit_status=77),
    "a malformed manifest": Setup(
        malformed_manifest, f"manifest:{MAIL}", rf"Correct \S+/{MAIL}\.desktop; .*", exit_status=77,
        follow=corrected),
    "a scheme that is not registered": Setup(
        unregistered_scheme, f"scheme:{MAIL}", r"update-desktop-database \S+/applications", status="warning"),
    "a scheme of a program that is missing": Setup(
        missing_program, f"scheme:{MAIL}", rf"Correct Exec in \S+/{MAIL}\.desktop\.", status="warning",
        follow=with_url_argument),
    "a program that takes no URL": Setup(
        no_url_argument, f"scheme:{MAIL}", r"Put %u .*", status="warning", follow=with_url_argument),
}
