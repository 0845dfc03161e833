# SPDX-License-Identifier: MIT
"""Set-ups in which silent sign-in fails, with the result that doctor must report and the remedy for each.

Each is created in a new healthy session. By default the remedy is executed verbatim in a shell.
"""

import errno
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import secretstorage
from jeepney.wrappers import DBusErrorResponse

from agent_client import suspend
from desktop_session import PASSWORD, SUDO
from keyrings import LOGIN, Keyrings
from mock_broker import MockBroker
from people import ADA, GRACE
from repository import ROOT, SCRIPTS
from sandboxes import flatpak
from secret_items import group_collection, group_collections, store_item, search
from terminal import Terminal
from unified_cache import access_token, cache_of, signed_in

GROUP = "com.contoso.shared"
MAIL = "com.contoso.mail"
IN_GROUP = f"--group={GROUP}"

# A user other than the one who runs the tests.
OTHER_USER = 65533


def literally(session, remedy):
    session.follow(remedy)


@dataclass(frozen=True)
class Setup:
    """One way to break a session."""

    make: Callable
    check: str
    # A regular expression that the remedy must match.
    remedy: str
    status: str = "error"
    exit_status: int = 0
    follow: Callable = literally
    options: tuple = ()
    # Whether an account is signed in to the group before it breaks.
    signed_in: bool = True
    # Whether the account is still there after the repair.
    keeps_account: bool = True
    # What the cause must contain.
    detail: str = ""


def change_owner(path):
    """Gives a file or folder to another user."""
    subprocess.run([*SUDO, "chown", f"{OTHER_USER}:{OTHER_USER}", path], check=True)


def grouped(name):
    return f"{name}:{GROUP}"


FIX = rf"sso-cache doctor --fix --group {GROUP}"
SPACED_PASSWORD = b" te st "
OTHER_DATA_HOME = r"If these are the right ones, and not those in \S+/keyrings, remove XDG_DATA_HOME .*"
LINKED = r"Bring back \S+/mounted/\S+\.keyring, as by mounting its disk, then mend .*"


def typing_the_password(session, remedy):
    session.follow(remedy, typed=PASSWORD + b"\n")
    # The command ends a moment before the daemon accepts calls.
    wait_until(lambda: login_is_open(session))


def wait_until(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end, "it did not come to be"
        time.sleep(0.01)


def ask_bus(session, method):
    return session.run("dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus",
                       "/org/freedesktop/DBus", f"org.freedesktop.DBus.{method}").stdout


def process_of(session, name):
    """The process that owns a name on the bus."""
    reply = session.run("dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus",
                        "/org/freedesktop/DBus", "org.freedesktop.DBus.GetConnectionUnixProcessID", f"string:{name}")
    return int(reply.stdout.split()[-1])


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


def empty_bus_address(session):
    session.environment["DBUS_SESSION_BUS_ADDRESS"] = ""


def in_a_user_namespace(session):
    session.prefix = ["unshare", "--user"]


def outside_of_the_namespace(session, remedy):
    session.prefix = []


def no_provider(session):
    session.keyring("stop")


def no_provider_after_a_run(session):
    """A shell that has the variables of an ended `sso-cache run`, as one of tmux."""
    session.keyring("stop")
    gone = str(session.folder / "gone")
    session.environment |= {"SSO_CACHE_KEYRING": gone, "GNOME_KEYRING_CONTROL": gone}


def no_provider_beside_settings_of_keepassxc(session):
    """Settings of a KeePassXC that was tried once."""
    session.keyring("stop")
    settings = Path(session.environment["XDG_CONFIG_HOME"]) / "keepassxc/keepassxc.ini"
    settings.parent.mkdir(parents=True)
    settings.write_text("[FdoSecrets]\nEnabled=true\n")


def by_its_second_command(session, remedy):
    typing_the_password(session, remedy.partition(f" {GROUP}: ")[2])


def keepassxc_beside_the_files(session):
    """Another provider than the one that has the groups, as KeePassXC is one since the user turned that on."""
    session.keyring("stop")
    session.environment["SSC_PROVIDER"] = "keepassxc"
    session.keyring("start")


def with_gnome_keyring_again(session, remedy):
    session.keyring("stop")
    session.environment.pop("SSC_PROVIDER")
    session.keyring("start")


def provider_that_hangs(session):
    session.keyring("stop")
    (session.folder / "services/org.freedesktop.secrets.service").write_text(
        "[D-BUS Service]\nName=org.freedesktop.secrets\nExec=/bin/sleep 30\n")
    ask_bus(session, "ReloadConfig")


def fifo_among_the_keyrings(session):
    """The daemon opens each keyring's file when the folder has changed."""
    time.sleep(1.2)
    os.mkfifo(keyring_file(session, "other"))
    accounts = subprocess.run(
        [session.programs / "sso-cache", "accounts", IN_GROUP], env=session.environment, capture_output=True, timeout=60)
    assert accounts.returncode == 75


def fifo_before_the_login(session):
    """The daemon that the login starts waits before it has its name on the bus."""
    session.keyring("stop")
    os.mkfifo(keyring_file(session, "old"))


def then_with_a_login(session, remedy):
    command, _, rest = remedy.partition(", then ")
    assert rest == "run sso-cache doctor again."
    session.follow(command)
    session.keyring("start")


def stopped_daemon(session):
    session.keyring("freeze")


AGENT = "org.secretstorecache.Agent1"


def agents_program(session, path):
    """Has D-Bus start the agent from a program."""
    (session.folder / f"services/{AGENT}.service").write_text(f"[D-BUS Service]\nName={AGENT}\nExec={path}\n")
    ask_bus(session, "ReloadConfig")


def agent_removed(session):
    os.kill(process_of(session, AGENT), signal.SIGTERM)
    wait_until(lambda: AGENT.encode() not in ask_bus(session, "ListNames"))
    agents_program(session, session.folder / "gone/secret-store-agent")


def as_the_installation_does(session, remedy):
    agents_program(session, Path(os.environ["SSC_TOOL"]).resolve().with_name("secret-store-agent"))


def agent_stopped(session):
    suspend(process_of(session, AGENT))


def grants_open_to_all(session):
    session.sso("grant", "com.fabrikam.notes", GROUP)
    (Path(session.environment["XDG_CONFIG_HOME"]) / "secretstorecache").chmod(0o777)


def grants_closed(path):
    def make(session):
        session.prefix = AS_A_USER
        session.sso("grant", "com.fabrikam.notes", GROUP)
        (Path(session.environment["XDG_CONFIG_HOME"]) / path).chmod(0)

    return make


def grants_folder_of_another(session):
    session.sso("grant", "com.fabrikam.notes", GROUP)
    folder = Path(session.environment["XDG_CONFIG_HOME"]) / "secretstorecache"
    folder.chmod(0o700)
    change_owner(folder)
    session.prefix = AS_A_USER


def by_its_last_command(session, remedy):
    session.follow(remedy.rpartition(": ")[2])
    assert session.run("sso-cache", "grants", "--json").stdout.count(GROUP.encode()) == 1


def with_roots_last_command(session, remedy):
    """The remedy's command, by root."""
    subprocess.run(["sh", "-c", remedy.rpartition(": sudo ")[2]], check=True)
    assert session.run("sso-cache", "grants", "--json").stdout.count(GROUP.encode()) == 1


def hung_broker(session):
    broker = MockBroker(session.environment)
    broker.reply("getLinuxBrokerVersion", "hang")


def stopped_bus(session):
    os.kill(session.bus_process, signal.SIGSTOP)


def with_a_working_bus(session, remedy):
    # Does what a new login does, as far as these tests need it.
    os.kill(session.bus_process, signal.SIGCONT)


def access_refused(session):
    session.set_policy(refused=True)


def allowed_again(session, remedy):
    session.set_policy(refused=False)


def denied(interface, member, check, exit_status=74, detail=None):
    """A bus that denies a call, or with no member every call, of an interface of the Secret Service's."""
    call = re.escape(f"{interface}.{member}") if member else re.escape(f"{interface}.") + r"\w+"

    def make(session):
        session.set_policy(True, interface, member)

    return Setup(
        make, check, r"Find the rule that denies it, .*", exit_status=exit_status,
        follow=allowed_again, detail=detail or rf"does not allow the call {call}\.")


def another_service_name(session):
    session.environment["SECRET_SERVICE_BUS_NAME"] = "org.example.secrets"


def without_the_variable(session, remedy):
    del session.environment["SECRET_SERVICE_BUS_NAME"]


def shell_with_mounts_of_its_own(session):
    """As an app has them whose unit says ProtectHome=tmpfs, and its daemon has not."""
    options = f"mode=700,uid={os.getuid()},gid={os.getgid()}"
    session.prefix = session.with_mounts(f"mount -t tmpfs -o {options} none {session.data}/keyrings")


def outside_of_the_mounts(session, remedy):
    session.prefix = []


def plain_provider(session):
    session.keyring("stop")
    ready = session.folder / "ready"
    program = Path(__file__).with_name("plain_provider.py")
    session.plain = session.start(sys.executable, program, ready)
    wait_until(ready.exists)


def with_a_real_provider(session, remedy):
    session.plain.kill()
    session.plain.wait()
    session.keyring("start")


def no_secret_service(session):
    """Gives the name of the Secret Service to a program that knows none of its calls."""
    session.keyring("stop")
    program = Path(__file__).with_name("no_secret_service.py")
    session.start(sys.executable, program, stdout=subprocess.PIPE).stdout.readline()


def no_login_keyring(session):
    session.keyring("stop")
    for file in (session.data / "keyrings").iterdir():
        file.unlink()
    start_without_login(session)


def start_without_login(session):
    session.start("gnome-keyring-daemon", "--foreground", "--components=secrets",
                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: b"org.freedesktop.secrets" in ask_bus(session, "ListNames"))


def dangling_default(session):
    session.keyring("stop")
    (session.data / "keyrings/default").write_text("gone")
    session.keyring("start")


def login_locked(session):
    session.keyring("restart", "--locked")
    session.show_display()


def with_a_person(session, remedy):
    (session.folder / "person").write_bytes(b"password " + PASSWORD + b"\n")
    session.follow(remedy)


def after_a_login(session, remedy):
    assert "Sign in to the desktop" in remedy
    session.keyring("restart")


def over_ssh(session):
    login_locked(session)
    session.hide_display()


def in_a_shell_of_an_ended_desktop(session):
    """As tmux keeps one, with the variables of the session in which it was started."""
    over_ssh(session)
    session.environment |= {"DISPLAY": ":61", "WAYLAND_DISPLAY": "wayland-61"}


def over_ssh_with_another_data_home(session):
    """As where only ~/.bashrc, or a snap's terminal, sets XDG_DATA_HOME."""
    over_ssh(session)
    session.environment["XDG_DATA_HOME"] = str(session.folder / "home/xdg")


def killed_beside_another_data_home(session):
    """The next daemon is to open the keyrings in ~/.local/share all the same."""
    session.keyring("stop")
    session.environment["XDG_DATA_HOME"] = str(session.folder / "home/it's")


def without_descriptors_beside_another_home(session):
    daemon_without_descriptors(session)
    session.environment |= {"HOME": str(session.folder / "other home"), "XDG_DATA_HOME": str(session.folder / "xdg")}


def other_login_in_the_shells_folder(session):
    """As where D-Bus starts the daemon without the variables of the login."""
    keyrings = session.folder / "home/xdg/keyrings"
    shutil.copytree(session.data / "keyrings", keyrings)
    session.environment["XDG_DATA_HOME"] = str(session.folder / "home/xdg")


def without_the_others(session, remedy):
    session.follow("mv {0} {0}.aside".format(re.search(r"move (\S+) away", remedy)[1]))


def data_home_changed_with_the_group(session):
    data_home_changed(session)
    session.sign_in(signed_in(person=GRACE)[0], IN_GROUP)


def over_ssh_with_spaces(session):
    with session.bus() as bus:
        Keyrings(bus).change(LOGIN, PASSWORD.decode(), SPACED_PASSWORD.decode())
    over_ssh(session)


def over_ssh_with_a_line_feed(session):
    """As after `echo test | gnome-keyring-daemon --unlock` has made the login keyring."""
    with session.bus() as bus:
        Keyrings(bus).change(LOGIN, PASSWORD.decode(), PASSWORD.decode() + "\n")
    over_ssh(session)


def control_socket_gone(session):
    over_ssh(session)
    shutil.rmtree(session.runtime / "keyring")


def keyrings_closed(session):
    (session.data / "keyrings").chmod(0)


def folder_above_keyrings_closed(session):
    session.prefix = AS_A_USER
    session.data.chmod(0)


def folder_above_keyrings_of_another(session):
    """The nearest folder that can be reached: what is in it can't be."""
    session.prefix = AS_A_USER
    folder = session.data.parent
    folder.chmod(0o700)
    change_owner(folder)


def keyrings_of_another(session):
    session.prefix = AS_A_USER
    (session.data / "keyrings").chmod(0o700)
    change_owner(session.data / "keyrings")


def keyrings_on_a_lost_disk(session):
    session.keyring("stop")
    (session.data / "keyrings").rename(session.folder / "disk")
    (session.data / "keyrings").symlink_to(session.folder / "mounted/keyrings")
    start_without_login(session)


def folder_above_keyrings_on_a_lost_disk(session):
    session.keyring("stop")
    session.data.rename(session.folder / "disk")
    session.data.symlink_to(session.folder / "mounted/share")
    start_without_login(session)


def with_the_disk(session, remedy):
    target = Path(remedy.split()[2].rstrip(","))
    assert target.parent == session.folder / "mounted"
    target.parent.mkdir()
    (session.folder / "disk").rename(target)
    after_the_other_login(session)


def keyrings_deleted(session):
    """Deletes the folder of keyrings, whose files the daemon knows: it looks when the folder's time has changed."""
    os.utime(session.data / "keyrings", (0, 0))
    session.sso("accounts", IN_GROUP)
    shutil.rmtree((session.data / "keyrings").rename(session.folder / "deleted"))


def restored_login(session):
    session.keyring("stop")
    keyring_file(session, "login").rename(session.folder / "backup")
    start_without_login(session)
    (session.folder / "backup").rename(keyring_file(session, "login"))


def restored_in_the_first_session(session):
    """Copies a backup into the session of a new home, whose login keyring has the same password."""
    session.keyring("stop")
    (session.data / "keyrings").rename(session.folder / "backup")
    session.keyring("start")
    # The daemon sees a change of the folder by its time, in seconds.
    time.sleep(1.2)
    for file in (session.folder / "backup").iterdir():
        shutil.copyfile(file, session.data / "keyrings" / file.name)
    time.sleep(1.2)


def login_restored_over_the_daemons(session):
    """Copies the login keyring of a backup over the one of a new home, whose folder does not change by that."""
    session.keyring("stop")
    (session.data / "keyrings").rename(session.folder / "backup")
    session.keyring("start")
    time.sleep(1.2)
    shutil.copyfile(session.folder / "backup/login.keyring", keyring_file(session, "login"))


def with_the_rest_of_the_backup(session, remedy):
    assert keyring_file(session, "login").read_bytes() == (session.folder / "backup/login.keyring").read_bytes()
    session.keyring("stop")
    shutil.copytree(session.folder / "backup", session.data / "keyrings", dirs_exist_ok=True)
    session.keyring("start")


def in_a_new_session(session, remedy):
    assert remedy == "Mend what else sso-cache doctor names, then log out and in again."
    session.keyring("restart")


def earlier_login(session):
    """Creates a new login keyring beside the one that holds the groups' passwords."""
    session.keyring("stop")
    login = keyring_file(session, "login")
    login.rename(login.with_name("login_1.keyring"))
    session.keyring("start")
    session.show_display()


def by_the_earlier_password(session, remedy):
    (session.folder / "person").write_bytes(b"password " + PASSWORD + b"\n")
    session.follow(remedy)
    session.sso("doctor", "--fix", "--yes", IN_GROUP)
    session.keyring("restart")


def login_deleted(session):
    with session.bus() as bus:
        login_collection(bus).delete()


def with_a_new_login(session, remedy):
    (session.folder / "person").write_bytes(b"password " + PASSWORD + b"\n")
    session.follow(remedy)
    session.sso("doctor", "--fix", "--yes")
    session.keyring("restart")


def login_deleted_and_unwritable(close):
    """Deletes the login keyring's file in a folder into which the daemon can write nothing more."""
    def make(session):
        folder = session.data / "keyrings"
        session.hide_display()
        # The daemon looks at the folder when the folder's time has changed, in seconds.
        os.utime(folder, (0, 0))
        session.sso("accounts", IN_GROUP)
        keyring_file(session, "login").unlink()
        close(session)
        terminal = Terminal(["sso-cache", "group", "unlock", "--prompt"], session.environment)
        for question in ("that of your login: ", "Once more: "):
            terminal.enters(question, PASSWORD.decode() + "\n")
        status, screen = terminal.end()
        assert status == 74 and "can't write the login keyring" in screen, screen
        assert not keyring_file(session, "login").exists()
        assert "don't log out before" in session.doctor().checks["login"]["detail"]

    return make


def attribute_closes(session):
    subprocess.run([*SUDO, "chattr", "+i", session.data / "keyrings"], check=True)


def mode_closes(session):
    (session.data / "keyrings").chmod(0o500)


def then_with_a_new_login(follow):
    def new_login(session, remedy):
        follow(session, remedy)
        at_a_terminal(session, session.doctor().failing_checks["login"]["remedy"])

    return new_login


def and_after_a_login(session, remedy):
    session.follow(remedy)
    assert session.doctor().failing_checks == {}
    session.keyring("restart")


def login_deleted_over_ssh(session):
    login_deleted(session)
    session.hide_display()


def at_a_terminal(session, remedy):
    answering(session, remedy, "that of your login: ", "Once more: ")
    session.sso("doctor", "--fix", "--yes")
    session.keyring("restart")


def answering(session, remedy, *questions, password=PASSWORD):
    terminal = Terminal(["bash", "-c", remedy], session.environment)
    for question in questions:
        terminal.enters(question, password.decode() + "\n")
    status, screen = terminal.end()
    assert status == 0, screen


def at_a_terminal_with_the_password(session, remedy):
    answering(session, remedy, "Password of the login keyring: ")


def at_a_terminal_with_the_spaces(session, remedy):
    answering(session, remedy, "Password of the login keyring: ", password=SPACED_PASSWORD)


def keyrings_is_a_file(session):
    session.keyring("stop")
    keyrings = session.data / "keyrings"
    login = keyring_file(session, "login").read_bytes()
    keyrings.rename(session.folder / "aside")
    keyrings.write_bytes(login)
    start_without_login(session)


def keyrings_is_a_link_to_itself(session):
    session.keyring("stop")
    keyrings = session.data / "keyrings"
    keyrings.rename(session.folder / "aside")
    keyrings.symlink_to(keyrings.name)
    start_without_login(session)


def folder_above_keyrings_is_a_file(session):
    session.keyring("stop")
    session.data.rename(session.folder / "aside")
    session.data.write_text("")
    start_without_login(session)


def with_the_folder(session, remedy):
    session.follow(remedy.partition(", ")[0])
    (session.folder / "aside").rename(remedy.split()[1])
    session.end_last()
    session.keyring("start")


def by_a_login(session, remedy):
    assert remedy == "Mend what else sso-cache doctor names, then log out and in again."
    after_the_other_login(session)


def after_the_other_login(session):
    session.end_last()
    start_as_a_user(session)


def recreated_and_restored(session, remedy):
    """Restores the file after the group was created again."""
    session.follow(remedy)
    session.sign_in(signed_in(person=GRACE)[0], IN_GROUP)
    by_a_backup()(session, str(keyring_file(session)))


def data_home_changed(session):
    """Gives the next login another XDG_DATA_HOME."""
    session.keyring("stop")
    folder = session.folder / "home/xdg"
    folder.mkdir(mode=0o700)
    session.environment["XDG_DATA_HOME"] = str(folder)
    session.keyring("start")


def without_data_home(session, remedy):
    session.keyring("stop")
    session.environment["XDG_DATA_HOME"] = str(session.data)
    session.keyring("start")


def keyrings_of_an_earlier_version_hidden(session):
    session.keyring("stop")
    earlier = Path(session.environment["HOME"], ".gnome2/keyrings")
    earlier.parent.mkdir(mode=0o700)
    (session.data / "keyrings").rename(earlier)
    (session.data / "keyrings").mkdir(mode=0o700)
    session.keyring("start")


def keyrings_of_data_home_deleted(session):
    """The login and the shell have XDG_DATA_HOME, as since a move to another disk."""
    session.keyring("stop")
    data = session.folder / "home/xdg"
    shutil.copytree(session.data / "keyrings", data / "keyrings")
    keyring_file(session).unlink()
    session.environment["XDG_DATA_HOME"] = str(data)
    session.keyring("start")
    assert session.doctor().status == "ok", "the old login keyring is no reason to leave the present keyrings"
    session.keyring("stop")
    shutil.rmtree(data / "keyrings")
    start_without_login(session)


def typing_the_password_and_signing_in(session, remedy):
    typing_the_password(session, remedy)
    assert (session.folder / "home/xdg/keyrings/login.keyring").exists()
    by_signing_in(session, remedy)


def without_the_folder_that_hides_them(session, remedy):
    session.follow(remedy.partition(", ")[0])
    session.keyring("restart")


def daemon_without_descriptors(session):
    process = process_of(session, SECRETS)
    limit = len(os.listdir(f"/proc/{process}/fd"))
    subprocess.run(["prlimit", f"--pid={process}", f"--nofile={limit}:{limit}"], check=True)


def immutable(name):
    def make(session):
        subprocess.run([*SUDO, "chattr", "+i", keyring_file(session, name)], check=True)

    return make


def by_a_new_login(session, remedy):
    session.keyring("restart")


def keyrings_mounted_over(session):
    """The daemon has read the files, and looks at the folder again when its time, in seconds, has changed."""
    time.sleep(1.2)
    session.keyring("restart")
    session.sso("accounts", IN_GROUP)
    time.sleep(1.2)
    session.mount_empty(session.data / "keyrings")
    time.sleep(1.2)


def by_unmounting(session, remedy):
    command = re.search(r": (sudo umount \S+), then log out and in again\.", remedy)[1]
    assert command == f"sudo umount {session.data}/keyrings"
    session.unmount_last()
    session.keyring("restart")


def daemon_with_mounts_of_its_own(*mount):
    """As a service has them whose unit says ProtectHome=tmpfs or ReadOnlyPaths=."""
    def make(session):
        session.keyring("stop")
        folder = session.data / "keyrings"
        steps = " && ".join(f"mount {step.format(folder=folder)}" for step in mount)
        session.run(*session.with_mounts(steps), SCRIPTS / "keyring-control", "start", timeout=200)

    return make


def file_mounted(name):
    """As a container has a single file from outside."""
    def make(session):
        session.mount_file(keyring_file(session, name))

    return make


def by_unmounting_the_file(session, remedy):
    session.follow(remedy)
    session.forget_mount()


def others_keyring_closed(session):
    with session.bus() as bus:
        Keyrings(bus).make("com.example.other", "other")
    session.keyring("stop")
    keyring_file(session, "com.example.other").chmod(0)
    start_as_a_user(session)


def links_left_by_the_daemon(session):
    for number in range(3):
        keyring_file(session).with_suffix(f".keyring.temp-{number}").symlink_to(keyring_file(session))


def given_to_another_user(name):
    """After the login, as a backup that is put back by root's hand. A user's daemon can make no link to it."""
    def make(session):
        again_as_a_user(session)
        of_another_user(keyring_file(session, name))

    return make


def locks_closed(pattern):
    """Closes the folder for lock files, or what is in it, by an attribute."""
    def make(session):
        folder = session.runtime / "secret-store-cache"
        subprocess.run([*SUDO, "chattr", "+i", *(folder.glob(pattern) if pattern else [folder])], check=True)

    return make


def a_link(name):
    """Moves a keyring's file to another folder, as one that is synchronized, with a link in its place."""
    def make(session):
        session.keyring("stop")
        file = keyring_file(session, name)
        shutil.move(file, session.folder / "elsewhere.keyring")
        file.symlink_to(session.folder / "elsewhere.keyring")
        session.keyring("start")

    return make


def almost_full_disk(session):
    full_disk(session)
    filler = session.data / "keyrings/filler"
    os.truncate(filler, filler.stat().st_size - 8192)


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
    change_owner(lock_folder(session))


def runtime_not_set(session):
    session.environment.pop("XDG_RUNTIME_DIR")


def runtime_relative(session):
    session.environment["XDG_RUNTIME_DIR"] = session.runtime.name
    session.prefix = ["env", f"--chdir={session.folder}"]


def runtime_of_another_login(session):
    folder = session.folder / "theirs"
    folder.mkdir()
    change_owner(folder)
    session.environment["XDG_RUNTIME_DIR"] = str(folder)


def in_own_directory(session, remedy):
    assert not list((session.folder / "theirs").iterdir()), "something was made in it"
    session.follow(remedy)


def runtime_other_than_the_buss(session):
    folder = session.folder / "own"
    folder.mkdir(mode=0o700)
    session.environment["XDG_RUNTIME_DIR"] = str(folder)


def runtime_that_others_can_write_to(session):
    session.runtime.chmod(0o777)


def runtime_of_the_kernel(session):
    session.environment["XDG_RUNTIME_DIR"] = "/proc/self"


def without_the_logins_directory(session):
    """Hides /run/user of the machine that runs the tests."""
    session.prefix = ["bwrap", "--dev-bind", "/", "/", "--tmpfs", "/run"]


def runtime_and_state_that_cannot_be_made(session):
    runtime_not_set(session)
    without_the_logins_directory(session)
    session.environment["XDG_STATE_HOME"] = "/proc"


def on_a_disk_without_locks(session, folder):
    library = session.folder / "no_locks.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, ROOT / "Tests/Peers/support/no_locks.c"], check=True)
    session.environment |= {"LD_PRELOAD": str(library), "WITHOUT_LOCKS": str(folder)}


def runtime_without_locks(session):
    runtime_other_than_the_buss(session)
    on_a_disk_without_locks(session, session.environment["XDG_RUNTIME_DIR"])


def state_without_locks(session):
    """As over SSH to a machine of a cluster, with the home on a network disk."""
    runtime_not_set(session)
    without_the_logins_directory(session)
    session.environment["XDG_STATE_HOME"] = str(session.folder / "state")
    on_a_disk_without_locks(session, session.folder / "state")


def mounted_read_only(folder_of):
    """Mounts a folder for reading only, for all programs of the session."""
    def mount(session):
        session.mount_read_only(folder_of(session))
        session.prefix = in_control_group(session, "user-1000.slice/session-2.scope")

    return mount


def in_control_group(session, path):
    """Has a program be in a session or a service of systemd's, whatever the tests are started by."""
    (session.folder / "cgroup").write_text(f"0::/user.slice/{path}\n")
    return ["bwrap", "--dev-bind", "/", "/", "--ro-bind", session.folder / "cgroup", "/proc/self/cgroup"]


def of_a_service(folder_of):
    """A service of systemd's whose unit has ProtectSystem=strict."""
    def protect(session):
        folder = folder_of(session)
        group = in_control_group(session, "user-1000.slice/user@1000.service/app.slice/contoso.service")
        session.prefix = [*group, "--ro-bind", folder, folder]

    return protect


def by_the_unit(session, remedy):
    """As systemd mounts what the unit names."""
    path = re.search(r"ReadWritePaths=(\S+)", remedy)[1]
    session.prefix += ["--bind", path, path]


def runtime_folder(session):
    return session.runtime


def data_folder(session):
    return session.data


def runtime_of_all_users(session):
    session.environment["XDG_RUNTIME_DIR"] = str(session.folder / "shared")
    (session.folder / "shared").mkdir()
    (session.folder / "shared").chmod(0o1777)


def bus_of_another_user(session):
    path = session.folder / "theirs"
    socket_at(path).close()
    change_owner(path)
    session.environment["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={path}"


def own_bus_in_a_folder_of_another(session):
    session.prefix = AS_A_USER
    session.runtime.chmod(0o700)
    change_owner(session.runtime)


def bus_in_a_folder_of_another_user(session):
    """A bus that no program of the user's has."""
    session.prefix = AS_A_USER
    folder = session.folder / "theirs"
    folder.mkdir(mode=0o700)
    socket_at(folder / "bus").close()
    change_owner(folder)
    session.environment["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={folder}/bus"


def by_sudo(make):
    """Makes what `sudo -E` leads to: the environment of one user and the rights of another."""

    def made(session):
        make(session)
        session.environment["SUDO_UID"] = str(OTHER_USER)

    return made


def as_session_owner(session, remedy):
    """Runs doctor as the user who owns the session."""
    assert remedy == "Run it without sudo."
    session.environment.pop("SUDO_UID")
    session.environment["XDG_RUNTIME_DIR"] = str(session.runtime)
    session.environment["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={session.runtime}/bus"


def dead_bus_of_the_runtime_directory(session):
    no_bus(session)
    socket_at(session.folder / "bus").close()


def socket_at(path):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    return listener


def lock_file(session):
    return next(file for file in sorted(lock_folder(session).iterdir()) if file.name.startswith("write-"))


def lock_file_is(make):
    """Replaces a lock file that apps have used."""

    def made(session):
        file = lock_file(session)
        file.unlink()
        make(file)

    return made


def two_lock_files_are_links(session):
    for _ in range(2):
        file = next(file for file in lock_folder(session).glob("*.lock") if not file.is_symlink())
        file.unlink()
        file.symlink_to("/dev/null")


def lock_file_of_another(session):
    change_owner(lock_file(session))


def hold_a_lock(session, then):
    """Starts an app that takes a write lock and does something else before it releases the lock."""
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


def child_of_an_ended_writer(session):
    """The kernel goes on naming the process that took the lock. Another process has the file open and no lock."""
    lock = lock_folder(session) / f"write-{'0' * 64}.lock"
    code = f"import time; f = open({str(lock)!r}, 'w'); print(flush=True); time.sleep(600)"
    session.start(sys.executable, "-c", code, stdout=subprocess.PIPE).stdout.readline()
    hold_a_lock(session, "os.fork() and os._exit(0); time.sleep(600)").wait()


def traced_writer(session):
    child = hold_a_lock(session, "time.sleep(600)")
    attach = 16
    code = f"import ctypes, os, time; libc = ctypes.CDLL(None); libc.ptrace({attach}, {child.pid}, None, None);"
    debugger = session.start(sys.executable, "-c", f"{code} os.waitpid({child.pid}, 0); print(flush=True);"
                             " time.sleep(600)", stdout=subprocess.PIPE)
    debugger.stdout.readline()


def by_ending_the_debugger(session, remedy):
    """The writer goes on, and still holds the lock."""
    session.follow(remedy)
    session.follow(session.doctor().failing_checks["leases"]["remedy"])


# The clock.


def clock_says(date):
    def make(session):
        session.prefix = ["faketime", "-f", f"@{date} 12:00:00"]

    return make


def clock_corrected(session, remedy):
    assert remedy == "sudo timedatectl set-ntp true"
    session.prefix = []


def signed_in_while_the_clock_was_ahead(session):
    session.prefix = ["faketime", "-f", "+4y"]
    session.sign_in(cache_of(access_token("mail.read", age=-4 * 365 * 86_400)), IN_GROUP)
    session.prefix = []


def signed_in_again(session, remedy):
    """The clock is right: the remedy's second sentence is followed."""
    session.sign_in(signed_in()[0], IN_GROUP)


# A Flatpak without Flatpak: its sandbox and its bus proxy are separate programs.


SECRETS = "org.freedesktop.secrets"
LOCKS = "xdg-run/secret-store-cache:create"


def in_a_flatpak(session, permissions, folders=LOCKS):
    """Runs doctor as Flatpak runs an app that has these permissions for names on the session bus, and for
    folders."""
    metadata = session.folder / "flatpak-info"
    metadata.write_text(
        f"[Application]\nname={MAIL}\n[Context]\nfilesystems={folders};\n"
        + "[Session Bus Policy]\n" + "".join(f"{name}={right}\n" for name, right in permissions.items()))
    proxy = session.folder / f"proxy-{time.monotonic_ns()}"
    rules = [f"--{right}={name}" for name, right in permissions.items()]
    session.start(
        "xdg-dbus-proxy", session.environment["DBUS_SESSION_BUS_ADDRESS"], proxy, "--filter", *rules)
    wait_until(proxy.exists)
    session.prefix = [
        *flatpak(metadata, lock_folder(session) if folders == LOCKS else None),
        "--setenv", "DBUS_SESSION_BUS_ADDRESS", f"unix:path={proxy}"]


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


def key_without_attributes(session):
    with session.bus() as bus:
        [key] = search(bus, kind="group-key", group=GROUP)
        key.set_attributes({})


def key_without_attributes_after_a_login(session):
    key_without_attributes(session)
    session.keyring("restart")


def key_without_publisher(session):
    with session.bus() as bus:
        [key] = search(bus, kind="group-key", group=GROUP)
        attributes = key.get_attributes()
        attributes.pop("publisher")
        key.set_attributes(attributes)
    session.keyring("restart")


def renamed(session, name="Work"):
    with session.bus() as bus:
        group_collection(bus, GROUP).set_label(name)
    session.keyring("restart")


def key_without_attributes_and_renamed(session):
    key_without_attributes(session)
    renamed(session)


def key_lost_and_renamed(session):
    keep_login(session)
    delete_key(session)
    renamed(session)


def put_back_after_its_deletion(session):
    """As a person does who deleted the keyring in Passwords and Keys and has its file."""
    content = keyring_file(session).read_bytes()
    with session.bus() as bus:
        group_collection(bus, GROUP).delete()
    time.sleep(1.2)
    keyring_file(session).write_bytes(content)
    time.sleep(1.2)


def former_keyring_with_others_items(session):
    """As after a repair of a lost password that came back with a backup."""
    with session.bus() as bus:
        group_collection(bus, GROUP).create_item("Note", {"note": "1"}, b"milk")
        [key] = search(bus, kind="group-key", group=GROUP)
        saved = key.get_label(), key.get_attributes(), key.get_secret()
        key.delete()
    session.sso("doctor", "--fix", "--yes")
    with session.bus() as bus:
        login_collection(bus).create_item(*saved)


def without_that_keyring(session, remedy):
    with session.bus() as bus:
        [former] = [each for each in group_collections(bus, GROUP)
                    if [item.get_label() for item in each.get_all_items()] == ["Note"]]
        former.delete()


def closed_login_and_a_publishers_group(session):
    session.sign_in(signed_in()[0], IN_GROUP, "--publisher=contoso")
    damaged(closed, "login")(session)


def login_copied_beside(session):
    file = keyring_file(session, "login")
    shutil.copy(file, file.with_name("login.sync-conflict-20261129.keyring"))


def by_its_command(session, remedy):
    session.follow(remedy.rpartition(": ")[2])


UNMOUNTED = (r"cp --preserve=mode (\S+\.keyring) (\1\.aside) && sudo umount \1 && mv \1 \1\.hidden\.aside"
             r" && mv \2 \1")
COPY = r"If \S+\.keyring is the right one: mv (\S+-20261129\.keyring) \1\.aside"


def moved_into_a_locked_keyring(session):
    """As after a person has moved the items into a keyring of their own in Passwords and Keys."""
    with session.bus() as bus:
        own = Keyrings(bus).make("Private", SPACED_PASSWORD.decode())
        for item in list(group_collection(bus, GROUP).get_all_items()):
            if item.get_attributes()["kind"] != "group":
                copy_item(item, own)
                item.delete()
        own.lock()
    assert ADA.username.encode() not in session.sso("accounts", IN_GROUP).stdout


def by_unlocking_that_keyring(session, remedy):
    """It shows what to save, and afterwards nobody needs that keyring."""
    with session.bus() as bus:
        [path] = [each.collection_path for each in secretstorage.get_all_collections(bus)
                  if each.get_label() == "Private"]
        Keyrings(bus).open(path, SPACED_PASSWORD.decode())
    check = session.doctor().failing_checks[grouped("group-collection")]
    assert "nowhere else" in check["detail"] and "sign in again" in check["remedy"]
    by_signing_in(session, remedy)
    with session.bus() as bus:
        secretstorage.Collection(bus, path).delete()


def replaced_by_another_publishers(session):
    session.sign_in(signed_in(person=GRACE)[0], IN_GROUP, "--publisher=contoso")
    session.keyring("stop")
    keyring_file(session).rename(session.folder / "backup")
    keyring_file(session, f"{GROUP}_1").rename(keyring_file(session))
    session.keyring("start")


def with_the_file_under_another_name(session, remedy):
    (session.folder / "backup").rename(keyring_file(session, "back"))
    session.keyring("restart")
    assert GRACE.username.encode() in session.sso("accounts", IN_GROUP, "--publisher=contoso").stdout


def without_password(session):
    """As after a person has given the keyring an empty password in Passwords and Keys."""
    with session.bus() as bus:
        [key] = search(bus, kind="group-key", group=GROUP)
        keyring = group_collection(bus, GROUP).collection_path
        Keyrings(bus).change(keyring, key.get_secret().decode(), "")


def empty_and_without_password(session):
    session.sso("group", "create", IN_GROUP)
    without_password(session)


def without_password_after_a_login(session):
    without_password(session)
    session.keyring("restart")


def without_password_and_saved_since(session):
    without_password(session)
    session.sign_in(signed_in(person=GRACE)[0], IN_GROUP)
    session.keyring("restart")


def by_the_repair(session, remedy):
    """After a login, too, and without the file that every program can read."""
    session.follow(remedy.rpartition(": ")[2])
    session.keyring("restart")
    if GRACE.username.encode() in session.sso("accounts", IN_GROUP).stdout:
        session.sso("sign-out", "--account", GRACE.username, "--everywhere", "--yes", IN_GROUP)
    files = list(keyring_file(session).parent.glob("*.keyring"))
    assert len(files) == 2 and all(file.read_bytes().startswith(b"GnomeKeyring") for file in files)


def key_lost_and_locked(session):
    keep_login(session)
    lock_group(session)
    delete_key(session)


def keep_login(session):
    (session.folder / "backup").write_bytes(keyring_file(session, "login").read_bytes())


def wrong_key(session):
    keep_login(session)
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


# Files that the daemon can't read, and a backup that the user has.


def keyring_file(session, name=GROUP):
    return session.data / f"keyrings/{name}.keyring"


def damaged(change, name=GROUP):
    """Damages a file while nobody is logged in to the desktop."""

    def make(session):
        file = keyring_file(session, name)
        session.keyring("stop")
        (session.folder / "backup").write_bytes(file.read_bytes())
        change(file)
        start_as_a_user(session)

    return make


# Without root's rights to read every file, and to make links to it.
AS_A_USER = ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner", "--inh-caps=-all"]


def start_as_a_user(session):
    """Starts the daemon as a user's, and runs doctor so."""
    session.prefix = AS_A_USER
    session.run(*session.prefix, SCRIPTS / "keyring-control", "start", timeout=200)


def emptied(file):
    file.write_bytes(b"")


def linked_to_a_lost_disk(file):
    file.unlink()
    file.symlink_to(file.parents[2] / "mounted" / file.name)


def linked_relatively(file):
    """As programs that keep settings elsewhere make links."""
    file.unlink()
    file.symlink_to(f"../../mounted/{file.name}")


def with_the_files_disk(session, remedy):
    target = Path(remedy.split()[2].rstrip(","))
    target.parent.mkdir()
    (session.folder / "backup").rename(target)
    again_as_a_user(session)
    session.follow(session.doctor().failing_checks["round-trip"]["remedy"])


def replaced_by_login(file):
    shutil.copyfile(file.with_name("login.keyring"), file)


def exchanged_with_login(session):
    """After the login, which can't open what it finds in the place of the login keyring."""
    file, login = keyring_file(session), keyring_file(session, "login")
    session.keyring("stop")
    login.rename(file.with_name("aside"))
    file.rename(login)
    file.with_name("aside").rename(file)
    session.keyring("start", "--locked")


def by_exchanging(session, remedy):
    command, then = remedy.split(", then ", 1)
    assert "log out and in again" in then
    session.run("bash", "-c", command)
    session.keyring("restart")


def cut_short(file):
    file.write_bytes(file.read_bytes()[:len(file.read_bytes()) // 2])


def beside_anothers_item(make):
    """The keyring has another program's item, too."""

    def made(session):
        with session.bus() as bus:
            group_collection(bus, GROUP).create_item("Note", {"note": "1"}, b"milk")
        make(session)

    return made


def one_bit_changed(file):
    content = bytearray(file.read_bytes())
    content[-20] ^= 4
    file.write_bytes(content)


def of_another_version(file):
    """The first number of the version stands behind the format's name, of 16 bytes."""
    file.write_bytes(file.read_bytes()[:16] + b"\1" + file.read_bytes()[17:])


def overwritten(file):
    file.write_bytes(os.urandom(300))


def closed(file):
    file.chmod(0)


def of_another_user(file):
    file.chmod(0o600)
    change_owner(file)


def as_root(session, remedy):
    by_its_mode(session, remedy.removeprefix("sudo "))


def link_to_a_file_of_another_user(file):
    of_another_user(file)
    file.symlink_to(file.rename(file.with_suffix(".other")))


def a_socket(file):
    file.unlink()
    socket_at(file).close()


def a_folder(file):
    file.unlink()
    file.mkdir()


def aside_and_by_a_backup(session, remedy):
    session.follow(remedy.partition(", ")[0])
    by_a_backup()(session, remedy)


def again_as_a_user(session):
    session.keyring("stop")
    start_as_a_user(session)


def by_its_mode(session, remedy):
    command, _, rest = remedy.partition(", then ")
    assert rest == "mend what else sso-cache doctor names, and log out and in again."
    session.follow(command)
    again_as_a_user(session)


def by_a_backup(name=GROUP):
    def follow(session, remedy):
        assert str(keyring_file(session, name)) in remedy
        keyring_file(session, name).write_bytes((session.folder / "backup").read_bytes())
        again_as_a_user(session)

    return follow


def by_a_backup_beside(session, remedy):
    """The backup of the login keyring, and what opens it; the test types its password as a person does."""
    source, target = re.search(r"copy a backup of (\S+) to (\S+),", remedy).groups()
    assert source == str(keyring_file(session, "login"))
    Path(target).write_bytes((session.folder / "backup").read_bytes())
    again_as_a_user(session)
    with session.bus() as bus:
        Keyrings(bus).open("/org/freedesktop/secrets/collection/login_2dbackup", PASSWORD.decode())
    session.follow(re.search(r"and then (sso-cache doctor --fix [^.]*\S+)\. Where", remedy)[1] + " --yes")
    session.keyring("restart")


def copy_item(item, collection, secret=None):
    return collection.create_item(
        item.get_label(), item.get_attributes(), item.get_secret() if secret is None else secret,
        content_type="application/json",
    )


def second_collection(session, between=lambda: None):
    """The leftovers of two apps that created the group at once: two collections, each with a marker and items."""
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
    """The marker and the records of a shared group, which are still in the common collection."""
    with session.bus() as bus:
        for item in list(group_collection(bus, GROUP).get_all_items()):
            kind = item.get_attributes()["kind"]
            secret = item.get_secret().replace(b'"dedicated"', b'"shared"') if kind == "group" else None
            copy_item(item, login_collection(bus), secret)
            if kind == "credentials":
                item.delete()


def empty_items(session):
    with session.bus() as bus:
        store_item(bus, group_collection(bus, GROUP), b"", "credentials", GROUP, client_id="none")


def duplicates(session):
    with session.bus() as bus:
        [item] = search(bus, kind="credentials", group=GROUP)
        older = item.get_secret().replace(b'"revision":1', b'"revision":0')
        assert older != item.get_secret()
        copy_item(item, group_collection(bus, GROUP), older)


def unreadable_item(session):
    with session.bus() as bus:
        store_item(bus, group_collection(bus, GROUP), b"nonsense", "credentials", GROUP, client_id="other")


def expired_sign_in(session):
    cache = cache_of(access_token("mail.read", age=7200))
    cache["RefreshToken"] = {}
    session.sign_in(cache, IN_GROUP)


def attribute_changed(name, value):
    def make(session):
        with session.bus() as bus:
            [item] = search(bus, kind="credentials", group=GROUP)
            attributes = item.get_attributes() | {name: value}
            item.set_attributes({name: value for name, value in attributes.items() if value is not None})

    return make


publisher_dropped = attribute_changed("publisher", None)


def publisher_dropped_before_a_sign_in(session):
    publisher_dropped(session)
    session.sign_in(signed_in()[0], IN_GROUP)


def signed_in_again_and_deleted(session, remedy):
    by_signing_in(session, remedy)
    with session.bus() as bus:
        [lost] = [item for item in search(bus, group=GROUP) if "publisher" not in item.get_attributes()]
        lost.delete()


def by_signing_in(session, remedy):
    session.sign_in(signed_in()[0], IN_GROUP)


# What apps declare.


def manifest(**keys):
    lines = {
        "Type": "Application", "Name": "Mail", "Exec": "true %u",
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
    change_owner(install(session, manifest()))


def folder_of_another(session):
    change_owner(install(session, manifest()).parent)


def manifest_open_to_all(session):
    install(session, manifest()).chmod(0o666)


def manifest_closed(session):
    session.prefix = AS_A_USER
    install(session, manifest()).chmod(0)


def folder_closed(session):
    session.prefix = AS_A_USER
    install(session, manifest()).parent.chmod(0)


def manifest_in_utf16(session):
    path = install(session, manifest())
    path.write_bytes(path.read_text().encode("utf-16"))


def manifest_of(content):
    """As a crash leaves a file that was just written."""

    def make(session):
        install(session, manifest()).write_bytes(content)

    return make


def installed_again(session, remedy):
    install(session, manifest())


def folder_open_to_all(session):
    install(session, manifest()).parent.chmod(0o777)


PROVENANCE = rf"Find out who wrote it, by ls -ld \S+ and dpkg -S \S+/{MAIL}\.desktop; remove it if .*"


def as_its_maker_installs_it(session, remedy):
    """Removes the file; somebody who knows its content installs it again."""
    folder = session.data / "applications"
    shutil.rmtree(folder)
    install(session, manifest())


def claimed_publisher(session):
    publisher = {"X-KeychainPublisher": "contoso"}
    install(session, manifest(**publisher), session.folder / "share")
    path = session.data / "applications/com.contoso.calendar.desktop"
    path.parent.mkdir(parents=True)
    path.write_text(manifest(Name="Calendar", **publisher))


def removed(session, remedy):
    (session.data / "applications/com.contoso.calendar.desktop").unlink()


def malformed_manifest(session):
    install(session, manifest(**{"X-KeychainAccessGroups": "com/contoso;"}))


def corrected(session, remedy):
    assert f"applications/{MAIL}.desktop" in remedy
    install(session, manifest())


def folder_of_manifests_is_a_file(session):
    (session.data / "applications").write_text("")


def shared_folder_of_manifests_is_a_file(session):
    """Its name needs quotes in a shell, and whoever may read it."""
    folder = session.folder / "it's shared"
    folder.mkdir()
    (folder / "applications").write_text("")
    (folder / "applications").chmod(0o755)
    session.environment["XDG_DATA_DIRS"] = str(folder)


def keys_in_another_section(session):
    install(session, manifest().replace("X-Keychain", "[Desktop Action new]\nX-Keychain", 1))


def keys_in_another_case(session):
    install(session, manifest().replace("X-Keychain", "X-KeyChain"))


def with_the_groups_where_they_count(session, remedy):
    """The app is in the group again, which is what the keys are for."""
    assert f"applications/{MAIL}.desktop" in remedy
    apps = json.loads(session.sso("apps", "--json").stdout)["apps"]
    assert [app["groups"] for app in apps] == [[]]
    install(session, manifest())
    apps = json.loads(session.sso("apps", "--json").stdout)["apps"]
    assert [app["groups"] for app in apps] == [[GROUP]]


def key_misspelt(session):
    install(session, manifest().replace("X-KeychainAccessGroups", "X-KeychainAccessGroup", 1))


def copy_without_the_groups(session):
    """A copy that an editor of menus made, of a file that nobody trusts less."""
    local, share = session.folder / "local", session.folder / "share"
    session.environment["XDG_DATA_DIRS"] = f"{local}:{share}"
    install(session, manifest(), share)
    install(session, manifest().replace(f"X-KeychainAccessGroups={GROUP};\n", ""), local)


def without_the_copy(session, remedy):
    Path(re.search(r"wrote, (\S+) or", remedy)[1]).unlink()
    apps = json.loads(session.sso("apps", "--json").stdout)["apps"]
    assert [app["groups"] for app in apps if app["counts"]] == [[GROUP]]


def unregistered_scheme(session):
    install(session, manifest(MimeType=f"x-scheme-handler/msauth.{MAIL};"))


def database_is_a_folder(session):
    unregistered_scheme(session)
    (session.data / "applications/mimeinfo.cache").mkdir()


def applications_read_only(session):
    unregistered_scheme(session)
    session.prefix = AS_A_USER
    (session.data / "applications").chmod(0o555)


def missing_program(session):
    path = install(session, manifest(MimeType=f"x-scheme-handler/msauth.{MAIL};", Exec="contoso-mail %u"))
    session.run("update-desktop-database", path.parent)


def program_that_is_not_installed(session):
    """Desktops show and open no app whose TryExec names a missing program."""
    keys = {"MimeType": f"x-scheme-handler/msauth.{MAIL};", "TryExec": "contoso-mail"}
    session.run("update-desktop-database", install(session, manifest(**keys)).parent)


def with_the_program(session, remedy):
    program = session.programs / "contoso-mail"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)


def broken_link(session):
    link = session.data / "applications/com.example.game.desktop"
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(session.folder / "gone.desktop")


def group_without_the_publisher(session):
    session.sign_in(signed_in()[0], IN_GROUP)
    install(session, manifest(**{"X-KeychainPublisher": "contoso"}))


def secrets_without_the_publisher(session):
    """What an app has stored before it got a publisher; its sign-ins have been copied."""
    for options in ((), ("--publisher=contoso",)):
        session.sign_in(signed_in()[0], IN_GROUP, *options)
    session.sso("secret", "set", IN_GROUP, "--service=imap", "--account=ada", stdin=b"s3cr3t")
    install(session, manifest(**{"X-KeychainPublisher": "contoso"}))


def copied(session, remedy):
    session.follow(re.search("sso-cache group copy[^;]*", remedy)[0])
    named = "--publisher=contoso", "--service=imap", "--account=ada"
    assert session.sso("secret", "get", IN_GROUP, *named).stdout == b"s3cr3t"


def scheme_file_is_a_fifo(path_of):
    """Replaces a file of the desktop's database of schemes."""

    def make(session):
        unregistered_scheme(session)
        session.run("update-desktop-database", session.data / "applications")
        path = path_of(session)
        path.unlink(missing_ok=True)
        os.mkfifo(path)

    return make


def choose(session, section, app):
    """Writes an app into the desktop's list, for the scheme of the other."""
    path = Path(session.environment["XDG_CONFIG_HOME"]) / "mimeapps.list"
    text = path.read_text() if path.exists() else ""
    path.write_text(f"{text}[{section}]\nx-scheme-handler/msauth.{MAIL}={app}.desktop;\n")


def scheme_excluded(session):
    unregistered_scheme(session)
    session.run("update-desktop-database", session.data / "applications")
    choose(session, "Removed Associations", MAIL)


def scheme_of_another_app(session):
    unregistered_scheme(session)
    text = manifest(MimeType=f"x-scheme-handler/msauth.{MAIL};").replace("X-Keychain", "X-Other")
    (session.data / "applications/org.example.other.desktop").write_text(text)
    session.run("update-desktop-database", session.data / "applications")
    choose(session, "Default Applications", "org.example.other")


DESKTOPS_LIST = "gnome-mimeapps.list"


def scheme_of_another_app_by_the_desktops_list(session):
    """The list of the desktop comes before the user's own, into which xdg-mime writes."""
    scheme_of_another_app(session)
    lists = Path(session.environment["XDG_CONFIG_HOME"])
    (lists / "mimeapps.list").rename(lists / DESKTOPS_LIST)
    choose(session, "Default Applications", MAIL)
    session.environment["XDG_CURRENT_DESKTOP"] = "ubuntu:GNOME"


def with_the_app_in_the_desktops_list(session, remedy):
    path = Path(re.search(rf"in the line \S+ of (\S+/{DESKTOPS_LIST})\.", remedy)[1])
    path.write_text(path.read_text().replace("org.example.other", MAIL))
    with_the_scheme_for_one(session, remedy)


def as_xdg_mime_does(session, remedy):
    """xdg-utils need not be installed for the tests."""
    (Path(session.environment["XDG_CONFIG_HOME"]) / "mimeapps.list").unlink()
    choose(session, "Default Applications", MAIL)


def as_xdg_mime_does_beside_the_excluded(session, remedy):
    choose(session, "Default Applications", MAIL)


def with_the_scheme_for_one(session, remedy):
    as_xdg_mime_does(session, remedy)
    check = session.doctor().checks[f"scheme:{MAIL}"]
    assert re.fullmatch(
        rf"Remove x-scheme-handler/msauth\.{MAIL}, which .*, from MimeType of org\.example\.other\.desktop\.",
        check["remedy"]), check
    (session.data / "applications/org.example.other.desktop").unlink()
    session.run("update-desktop-database", session.data / "applications")


def registered_again(session, remedy):
    session.follow(remedy)
    session.run("update-desktop-database", session.data / "applications")


def no_url_argument(session):
    unregistered_scheme(session)
    path = install(session, manifest(MimeType=f"x-scheme-handler/msauth.{MAIL};", Exec="true"))
    session.run("update-desktop-database", path.parent)


def with_url_argument(session, remedy):
    assert "Exec" in remedy
    install(session, manifest(MimeType=f"x-scheme-handler/msauth.{MAIL};"))


def another_bus(session):
    """Starts a bus of the user's, as dbus-run-session does; returns its address."""
    bus = session.start(
        "dbus-daemon", f"--config-file={session.folder}/bus.conf", "--nofork", "--print-address=1",
        f"--address=unix:tmpdir={session.folder}", stdout=subprocess.PIPE)
    return bus.stdout.readline().decode().strip()


def on_another_bus(session):
    session.environment["DBUS_SESSION_BUS_ADDRESS"] = another_bus(session)


def second_daemon(session):
    """A second login of the user, with its own bus and daemon over the same home; returns the bus's address."""
    address = another_bus(session)
    runtime = session.folder / "second"
    runtime.mkdir(mode=0o700)
    daemon = session.start(
        "env", f"DBUS_SESSION_BUS_ADDRESS={address}", f"XDG_RUNTIME_DIR={runtime}",
        "gnome-keyring-daemon", "--foreground", "--components=secrets", "--unlock",
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    daemon.stdin.write(PASSWORD)
    daemon.stdin.close()
    wait_until(lambda: Path(f"/proc/{daemon.pid}/comm").read_text().strip() == "gnome-keyring-d")
    session.second = daemon
    return address


def on_the_second_daemons_bus(session):
    session.environment["DBUS_SESSION_BUS_ADDRESS"] = second_daemon(session)


def with_one_daemon(session, remedy):
    """The process stays a child of the test until somebody waits for it."""
    session.follow(remedy)
    session.second.wait(timeout=30)


PASSWORD_COMMAND = r"bash -c 'IFS= read .* \| gnome-keyring-daemon --unlock --components=secrets'"
NEW_DAEMON = r"bash -c 'IFS= read .* \| gnome-keyring-daemon --replace --unlock --components=secrets'"
UNLOCK = rf"sso-cache group unlock --prompt --group {GROUP}"
LOST_PASSWORD = (
    rf"If you know its password, run sso-cache group unlock --prompt --group {GROUP}; or copy a backup of "
    rf"\S+/login\.keyring to \S+/login-backup\.keyring, .* sso-cache group reset --group {GROUP}, which .*")
CHOICE = rf"xdg-mime default {MAIL}\.desktop x-scheme-handler/msauth\.{MAIL}"
DESKTOPS_BUS = r"export DBUS_SESSION_BUS_ADDRESS=unix:path=\S+/run/bus"
ENDED_DAEMON = r"kill (\d+) && timeout 10 tail -f --pid=\1 /dev/null; " + PASSWORD_COMMAND
PERSON = "person"
KEEPASSXC = "keepassxc"
IN_THE_UNIT = (r"Add ReadWritePaths=(\S+/run)(?:/secret-store-cache)? to the section \[Service\] of contoso\.service, and start it again; .*: "
               r"sudo mount -o remount,rw \1(/secret-store-cache)?")
DIRECTORY_OF_THE_BUS = r"export XDG_RUNTIME_DIR=\S+/run"

MOUNTS = r"Take these mounts out of its service, .*"

SETUPS = {
    "no bus": Setup(
        no_bus, "bus", r"Start it in a desktop session.* sso-cache run -- COMMAND", exit_status=69,
        follow=as_a_headless_session, keeps_account=False),
    "a dead bus": Setup(
        dead_bus, "bus", r"export DBUS_SESSION_BUS_ADDRESS=unix:path=\S+/run/bus", exit_status=69),
    "an empty address of the bus": Setup(
        empty_bus_address, "bus", r"export DBUS_SESSION_BUS_ADDRESS=unix:path=\S+/run/bus", exit_status=69),
    "a user namespace that does not know the user": Setup(
        in_a_user_namespace, "bus", r"Run it outside of that user namespace\.", exit_status=69,
        follow=outside_of_the_namespace),
    "no provider": Setup(
        no_provider, "activation", PASSWORD_COMMAND, exit_status=69, follow=typing_the_password),
    "no provider, and another XDG_DATA_HOME in the shell": Setup(
        killed_beside_another_data_home, "activation", "env -u XDG_DATA_HOME " + PASSWORD_COMMAND, exit_status=69,
        follow=typing_the_password),
    "no provider, in a shell of an ended sso-cache run": Setup(
        no_provider_after_a_run, "activation", PASSWORD_COMMAND, exit_status=69, follow=typing_the_password),
    "no provider, and settings of KeePassXC": Setup(
        no_provider_beside_settings_of_keepassxc, "activation",
        rf"If you have moved your groups to KeePassXC, .* such as {GROUP}: {PASSWORD_COMMAND}", exit_status=69,
        follow=by_its_second_command),
    "another provider than the one that has the groups": Setup(
        keepassxc_beside_the_files, "login",
        r"To use them, turn off Secret Service Integration in KeePassXC's settings, then log out and in again; or, .*",
        status="warning", follow=with_gnome_keyring_again, options=(KEEPASSXC,)),
    "a provider that hangs when D-Bus starts it": Setup(
        provider_that_hangs, "provider", PASSWORD_COMMAND, exit_status=69, follow=typing_the_password),
    "keyrings deleted where XDG_DATA_HOME leads, beside an old login keyring": Setup(
        keyrings_of_data_home_deleted, "login", NEW_DAEMON, exit_status=69,
        follow=typing_the_password_and_signing_in),
    "a FIFO for which the daemon waits": Setup(
        fifo_among_the_keyrings, "provider", r"mv (\S+/other\.keyring) \1\.aside && : <>\1\.aside", exit_status=75),
    "a FIFO that keeps the daemon from starting": Setup(
        fifo_before_the_login, "activation",
        r"mv (\S+/old\.keyring) \1\.aside && : <>\1\.aside, then run sso-cache doctor again\.", exit_status=69,
        follow=then_with_a_login),
    "a stopped daemon": Setup(stopped_daemon, "provider", r"kill -CONT \d+", exit_status=75),
    "an agent whose program is missing": Setup(
        agent_removed, "agent", r"Install SecretStoreCache with Scripts/install\.", status="warning",
        follow=as_the_installation_does),
    "a stopped agent": Setup(agent_stopped, "agent", r"kill -CONT \d+", status="warning"),
    "grants in a folder that others can write to": Setup(
        grants_open_to_all, "agent", r"Look who .*: chmod go-w \S+/secretstorecache", status="warning",
        follow=by_its_last_command),
    "grants in a file that its mode closes": Setup(
        grants_closed("secretstorecache/grants"), "agent", r"chmod u\+rw \S+/secretstorecache/grants",
        status="warning"),
    "grants in a folder that its mode closes": Setup(
        grants_closed("secretstorecache"), "agent", r"chmod u\+rwx \S+/secretstorecache", status="warning"),
    "grants in a closed folder of another user, as sudo makes one": Setup(
        grants_folder_of_another, "agent",
        r"If the grants there shall count: sudo chown -h \$\(id -u\) \S+/secretstorecache", status="warning",
        follow=with_roots_last_command),
    "a hung broker": Setup(hung_broker, "broker", r"kill \d+", status="warning"),
    "a stopped bus": Setup(
        stopped_bus, "bus", r"Restart the session bus: log out and in again\.", exit_status=75, follow=with_a_working_bus),
    "a second daemon over the same keyrings": Setup(
        second_daemon, "second-daemon", r"kill \d+", status="warning", follow=with_one_daemon),
    "a bus without a Secret Service beside the desktop's": Setup(
        on_another_bus, "activation", DESKTOPS_BUS, exit_status=69),
    "a second daemon on a bus beside the desktop's": Setup(
        on_the_second_daemons_bus, "second-daemon", r"kill \d+ && " + DESKTOPS_BUS, status="warning",
        follow=with_one_daemon),
    "a variable that names another Secret Service": Setup(
        another_service_name, "bus", r"unset SECRET_SERVICE_BUS_NAME", exit_status=69, follow=without_the_variable),
    "a doctor by sudo, without the variables of the session": Setup(
        by_sudo(no_bus), "bus", r"Run it without sudo\.", exit_status=69, follow=as_session_owner),
    "a shell with mounts of its own": Setup(
        shell_with_mounts_of_its_own, "login", r"Run it outside of the service or namespace with these mounts\.",
        status="warning", follow=outside_of_the_mounts),
    "a bus that refuses access": Setup(
        access_refused, "provider", r"Allow it org\.freedesktop\.secrets in the policy .*", exit_status=69,
        follow=allowed_again),
    "a bus that denies gnome-keyring's own interface": denied(
        "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface", "", grouped("group-lock")),
    "a bus that denies a session": denied(
        "org.freedesktop.Secret.Service", "OpenSession", "encryption", exit_status=69,
        detail=r"The bus does not let this program talk to the Secret Service\."),
    "a bus that denies searches": denied("org.freedesktop.Secret.Service", "SearchItems", "groups"),
    "a bus that denies aliases": denied("org.freedesktop.Secret.Service", "ReadAlias", "login"),
    "a bus that denies the making of items": denied(
        "org.freedesktop.Secret.Collection", "CreateItem", "round-trip"),
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
    "a program that has the name of the Secret Service and is none": Setup(
        no_secret_service, "encryption", ENDED_DAEMON, exit_status=69, follow=typing_the_password),
    "no login keyring": Setup(
        no_login_keyring, "login", NEW_DAEMON,
        exit_status=69, follow=typing_the_password, signed_in=False, keeps_account=False),
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
    "a locked login keyring over SSH": Setup(
        over_ssh, "login", UNLOCK, exit_status=75, follow=at_a_terminal_with_the_password),
    "a locked login keyring over SSH whose password begins and ends with a space": Setup(
        over_ssh_with_spaces, "login", UNLOCK, exit_status=75, follow=at_a_terminal_with_the_spaces),
    "a locked login keyring over SSH whose password ends with a line feed": Setup(
        over_ssh_with_a_line_feed, "login", UNLOCK, exit_status=75, follow=at_a_terminal_with_the_password),
    "a locked login keyring over SSH, and another XDG_DATA_HOME in the shell": Setup(
        over_ssh_with_another_data_home, "login", UNLOCK, exit_status=75, follow=at_a_terminal_with_the_password),
    "a locked login keyring of a daemon without its control socket": Setup(
        control_socket_gone, "login", UNLOCK, exit_status=75, follow=at_a_terminal_with_the_password),
    "a locked login keyring in a shell of a desktop session that has ended": Setup(
        in_a_shell_of_an_ended_desktop, "login", UNLOCK, exit_status=75, follow=at_a_terminal_with_the_password),
    "a locked group over SSH": Setup(
        over_ssh, grouped("group-lock"), UNLOCK, exit_status=75, follow=at_a_terminal_with_the_password),
    "a folder of keyrings that nobody may look into": Setup(
        keyrings_closed, "login", r"chmod 700 \S+/keyrings, then mend .*", exit_status=74, follow=by_its_mode),
    "a folder above the keyrings that nobody may enter": Setup(
        folder_above_keyrings_closed, "login", r"chmod u\+rwx \S+/share, then mend .*", exit_status=74,
        follow=by_its_mode),
    "a folder above the keyrings of another user": Setup(
        folder_above_keyrings_of_another, "login", r"sudo chown -h \$\(id -u\) \S+/\.local, then mend .*",
        exit_status=74, follow=as_root, detail=rf"The folder \S+/\.local is there, and it belongs to {OTHER_USER}, "),
    "a folder of keyrings of another user": Setup(
        keyrings_of_another, "login", r"sudo chown -h \$\(id -u\) \S+/keyrings, then mend .*",
        exit_status=74, follow=as_root,
        detail=rf"The folder of keyrings \S+/keyrings is there, and it belongs to {OTHER_USER}, "),
    "a folder of keyrings on a disk that is not there": Setup(
        keyrings_on_a_lost_disk, "login", r"Bring back \S+, as by mounting its disk, then mend .*", exit_status=74,
        follow=with_the_disk),
    "a folder above the keyrings on a disk that is not there": Setup(
        folder_above_keyrings_on_a_lost_disk, "login", r"Bring back \S+/share, as by mounting its disk, then mend .*",
        exit_status=74, follow=with_the_disk),
    "a file in the place of a folder above the keyrings": Setup(
        folder_above_keyrings_is_a_file, "login", r"mv (\S+/share) \1\.aside, put the folder back .*", exit_status=74,
        follow=with_the_folder),
    "a folder of keyrings that was deleted while the group is open": Setup(
        keyrings_deleted, "login", NEW_DAEMON, exit_status=69, follow=typing_the_password, keeps_account=False),
    "a login keyring that is a link to a disk that is not there": Setup(
        damaged(linked_to_a_lost_disk, "login"), "login", LINKED, exit_status=74, follow=with_the_files_disk),
    "a login keyring that is a relative link to nowhere": Setup(
        damaged(linked_relatively, "login"), "login", LINKED, exit_status=74, follow=with_the_files_disk),
    "a group's keyring that is a link to a disk that is not there": Setup(
        damaged(linked_to_a_lost_disk), grouped("group-lock"), LINKED, exit_status=74, follow=with_the_files_disk),
    "a login keyring that the daemon has not read": Setup(
        restored_login, "login", r"Mend what else .* log out and in again\.", exit_status=74, follow=by_a_login),
    "a backup that was copied into the first session of a new home": Setup(
        restored_in_the_first_session, "groups", r"Mend what else .* log out and in again\.", exit_status=74,
        follow=in_a_new_session),
    "a login keyring's backup that was copied over the daemon's own": Setup(
        login_restored_over_the_daemons, "round-trip", r"Before anything is saved, log out and in again: .*",
        exit_status=74, follow=with_the_rest_of_the_backup),
    "a login keyring that was deleted while the group is open": Setup(
        login_deleted, "login", r"sso-cache group unlock --prompt", exit_status=69, follow=with_a_new_login,
        options=(PERSON,)),
    "a login keyring that was deleted, over SSH": Setup(
        login_deleted_over_ssh, "login", r"sso-cache group unlock --prompt", exit_status=69, follow=at_a_terminal),
    "a login keyring that was deleted, and a full disk": Setup(
        login_deleted_and_unwritable(full_disk), "login", r"Free some space on the disk of \S+",
        exit_status=74, follow=then_with_a_new_login(with_space), options=("small disk",)),
    "a login keyring that was deleted, and a folder that its attribute closes": Setup(
        login_deleted_and_unwritable(attribute_closes), "login", r"sudo chattr -ia \S+/keyrings",
        exit_status=74, follow=then_with_a_new_login(literally)),
    "a folder of keyrings that its attribute closes": Setup(
        attribute_closes, "round-trip", r"sudo chattr -ia \S+/keyrings", exit_status=74),
    "a login keyring that is a link": Setup(
        a_link("login"), "round-trip", r"test -L (\S+/login\.keyring) && cp --remove-destination --preserve=mode \S+ \1",
        exit_status=74, follow=and_after_a_login),
    "a group's keyring that is a link": Setup(
        a_link(GROUP), "round-trip", rf"test -L (\S+/{GROUP}\.keyring) && cp --remove-destination --preserve=mode \S+ \1",
        exit_status=74, follow=and_after_a_login),
    "a file in the place of the folder of keyrings": Setup(
        keyrings_is_a_file, "login", r"mv (\S+/keyrings) \1\.aside, put the folder back .*", exit_status=74,
        follow=with_the_folder),
    "a folder of keyrings that is a link to itself": Setup(
        keyrings_is_a_link_to_itself, "login", r"mv (\S+/keyrings) \1\.aside, put the folder back .*", exit_status=74,
        follow=with_the_folder),
    "a group whose password is in an earlier login keyring": Setup(
        earlier_login, grouped("group-lock"), rf"sso-cache group unlock --prompt --group {GROUP}", exit_status=75,
        follow=by_the_earlier_password, options=(PERSON,)),
    "a group's keyring that was moved away": Setup(
        damaged(Path.unlink), grouped("group-collection"), rf"sso-cache group create --group {GROUP}",
        status="warning", follow=recreated_and_restored),
    "a disk with less space than a save needs": Setup(
        almost_full_disk, "round-trip", r"Free some space on the disk of \S+", exit_status=74, follow=with_space,
        options=("small disk",)),
    "a full disk": Setup(
        full_disk, "round-trip", r"Free some space on the disk of \S+", exit_status=74, follow=with_space,
        options=("small disk",)),
    "a daemon that may open no more files": Setup(
        daemon_without_descriptors, "round-trip", ENDED_DAEMON, exit_status=74, follow=typing_the_password),
    "a daemon that may open no more files, and another HOME and XDG_DATA_HOME in the shell": Setup(
        without_descriptors_beside_another_home, "round-trip",
        ENDED_DAEMON.replace("bash", r"env XDG_DATA_HOME=\S+/share HOME=\S+/home bash", 1), exit_status=74,
        follow=typing_the_password),
    "a login keyring's file that its attribute closes": Setup(
        immutable("login"), "round-trip", r"sudo chattr -ia \S+/login\.keyring", exit_status=74),
    "a collection's file that its attribute closes": Setup(
        immutable(GROUP), "round-trip", rf"sudo chattr -ia \S+/{GROUP}\.keyring", exit_status=74),
    "a login keyring's file that was given to another user": Setup(
        given_to_another_user("login"), "round-trip", r"sudo chown -h \$\(id -u\) \S+/login\.keyring", exit_status=74,
        detail=rf"/login\.keyring belongs to {OTHER_USER}: the keyring daemon can't save it"),
    "a collection's file that was given to another user": Setup(
        given_to_another_user(GROUP), "round-trip", rf"sudo chown -h \$\(id -u\) \S+/{GROUP}\.keyring", exit_status=74,
        detail=rf"/{GROUP}\.keyring belongs to {OTHER_USER}: the keyring daemon can't save it"),
    "a disk that was mounted over the keyrings": Setup(
        keyrings_mounted_over, "login", r"If there were keyrings before it was mounted: sudo umount .*", exit_status=69,
        follow=by_unmounting, detail="something is mounted at"),
    "a daemon that has an empty disk at the keyrings": Setup(
        daemon_with_mounts_of_its_own(
            f"-t tmpfs -o mode=700,uid={os.getuid()} none {{folder}}"), "login", MOUNTS, exit_status=74,
        follow=by_a_new_login, detail=r"The keyring daemon, process \d+, has another folder than you at \S+/keyrings"),
    "a daemon that can read the keyrings only": Setup(
        daemon_with_mounts_of_its_own("--bind {folder} {folder}", "-o remount,bind,ro {folder}"), "login", MOUNTS,
        exit_status=74, follow=by_a_new_login,
        detail=r"The keyring daemon, process \d+, can't write to \S+/keyrings, which you can"),
    "another program's keyring that its mode closes": Setup(
        others_keyring_closed, "groups", r"chmod 600 \S+/com\.example\.other\.keyring, then .*", status="warning",
        follow=by_its_mode),
    "links that the daemon has left": Setup(
        links_left_by_the_daemon, "round-trip", r"find \S+/keyrings -maxdepth 1 -type l -name '\S+' -delete",
        status="warning", detail="has 3 links"),
    "another XDG_DATA_HOME since the last login": Setup(
        data_home_changed, "login", OTHER_DATA_HOME, status="warning", follow=without_data_home),
    "another XDG_DATA_HOME since the last login, and keyrings of the same names": Setup(
        data_home_changed_with_the_group, "login", OTHER_DATA_HOME, status="warning",
        follow=without_data_home),
    "another login keyring where the shell's XDG_DATA_HOME leads": Setup(
        other_login_in_the_shells_folder, "login", r"If these are the right ones, .* move \S+/xdg/keyrings away\.",
        status="warning", follow=without_the_others),
    "keyrings of an earlier version that a new folder hides": Setup(
        keyrings_of_an_earlier_version_hidden, "login",
        r"mv (\S+/share/keyrings) \1\.aside, then log out and in again; or, .* move \S+/\.gnome2/keyrings away\.",
        status="warning", follow=without_the_folder_that_hides_them),
    "a file where the lock files should be": Setup(
        runtime_file, "runtime-directory", r"rm \S+/secret-store-cache", exit_status=74),
    "a folder for lock files that its attribute closes": Setup(
        locks_closed(""), "runtime-directory", r"sudo chattr -ia \S+/secret-store-cache", exit_status=74),
    "lock files that their attribute closes": Setup(
        locks_closed("*.lock"), "runtime-directory", r"(sudo chattr -ia \S+\.lock( && |$))+", exit_status=74),
    "lock files that others can write to": Setup(
        runtime_open_to_all, "runtime-directory", r"chmod 700 \S+/secret-store-cache", exit_status=74),
    "lock files of another user": Setup(
        runtime_of_another, "runtime-directory", r"mv (\S+/secret-store-cache) \1\.aside", exit_status=74),
    "a runtime directory that is read-only": Setup(
        mounted_read_only(runtime_folder), "runtime-directory", r"sudo mount -o remount,rw \S+/run", status="warning"),
    "a folder for lock files that is read-only": Setup(
        mounted_read_only(lock_folder), "runtime-directory", r"sudo mount -o remount,rw \S+/run/secret-store-cache",
        status="warning"),
    "a service to which the runtime directory is read-only": Setup(
        of_a_service(runtime_folder), "runtime-directory", IN_THE_UNIT, status="warning", follow=by_the_unit),
    "a service to which the folder for lock files is read-only": Setup(
        of_a_service(lock_folder), "runtime-directory", IN_THE_UNIT, status="warning", follow=by_the_unit),
    "keyrings on a disk that is read-only": Setup(
        mounted_read_only(data_folder), "round-trip", r"sudo mount -o remount,rw \S+/share", exit_status=74),
    "a runtime directory that all users share": Setup(
        runtime_of_all_users, "runtime-directory", DIRECTORY_OF_THE_BUS, status="warning"),
    "a runtime directory of another user": Setup(
        runtime_of_another_login, "runtime-directory", DIRECTORY_OF_THE_BUS, exit_status=74,
        follow=in_own_directory),
    "a runtime directory of another user, by sudo": Setup(
        by_sudo(runtime_of_another_login), "runtime-directory", r"Run it without sudo\.", exit_status=74,
        follow=as_session_owner),
    "a bus of another user": Setup(
        bus_of_another_user, "bus", r"export DBUS_SESSION_BUS_ADDRESS=unix:path=\S+/run/bus", exit_status=69),
    "the user's bus in a folder of another user": Setup(
        own_bus_in_a_folder_of_another, "bus", rf"sudo chown -h {os.geteuid()} \S+/run", exit_status=69,
        detail=rf"The folder \S+/run of the session bus belongs to another user, {OTHER_USER}, "),
    "another user's bus in that user's folder": Setup(
        bus_in_a_folder_of_another_user, "bus", r"export DBUS_SESSION_BUS_ADDRESS=unix:path=\S+/run/bus",
        exit_status=69, detail=rf"The session bus \S+ is that of another user, {OTHER_USER}, "),
    "a bus of another user, by sudo": Setup(
        by_sudo(bus_of_another_user), "bus", r"Run it without sudo\.", exit_status=69, follow=as_session_owner),
    "a dead bus in the runtime directory": Setup(
        dead_bus_of_the_runtime_directory, "bus", r"Start it in a desktop session.* sso-cache run -- COMMAND",
        exit_status=69, follow=as_a_headless_session, keeps_account=False),
    "a lock file that is a directory": Setup(
        lock_file_is(Path.mkdir), "runtime-directory", r"mv (\S+/write-\S+) \1\.aside", exit_status=74),
    "a lock file that is a FIFO": Setup(
        lock_file_is(os.mkfifo), "runtime-directory", r"mv (\S+/write-\S+) \1\.aside", exit_status=74),
    "a lock file that is a link": Setup(
        lock_file_is(lambda file: file.symlink_to("/dev/null")), "runtime-directory",
        r"mv (\S+/write-\S+) \1\.aside", exit_status=74),
    "two lock files that are links": Setup(
        two_lock_files_are_links, "runtime-directory", r"mv (\S+\.lock) \1\.aside && mv (\S+\.lock) \2\.aside",
        exit_status=74),
    "a lock file of another user": Setup(
        lock_file_of_another, "runtime-directory", r"mv (\S+/write-\S+) \1\.aside", exit_status=74),
    "no runtime directory": Setup(
        runtime_not_set, "runtime-directory", DIRECTORY_OF_THE_BUS, status="warning"),
    "a runtime directory that is a relative path": Setup(
        runtime_relative, "runtime-directory", DIRECTORY_OF_THE_BUS, status="warning"),
    "a runtime directory other than that of the bus": Setup(
        runtime_other_than_the_buss, "runtime-directory", DIRECTORY_OF_THE_BUS, status="warning"),
    "a runtime directory that others can write to": Setup(
        runtime_that_others_can_write_to, "runtime-directory", r"chmod 700 \S+/run", status="warning"),
    "a runtime directory on a disk without locks": Setup(
        runtime_without_locks, "runtime-directory", DIRECTORY_OF_THE_BUS, exit_status=74),
    "no runtime directory and a home on a disk without locks": Setup(
        state_without_locks, "runtime-directory", DIRECTORY_OF_THE_BUS, exit_status=74),
    "a runtime directory in which nobody can make a folder": Setup(
        runtime_of_the_kernel, "runtime-directory", DIRECTORY_OF_THE_BUS, exit_status=74),
    "no runtime directory and no home in which a folder can be made": Setup(
        runtime_and_state_that_cannot_be_made, "runtime-directory", DIRECTORY_OF_THE_BUS, exit_status=74),
    "a stopped app that holds a lock": Setup(stopped_writer, "leases", r"kill -CONT \d+", status="warning"),
    "an app that hangs and holds a lock": Setup(hanging_writer, "leases", r"kill \d+", status="warning"),
    "a lock that the child of an ended app holds": Setup(
        child_of_an_ended_writer, "leases", r"kill \d+", status="warning"),
    "an app in a debugger that holds a lock": Setup(
        traced_writer, "leases", r"kill \d+", status="warning", follow=by_ending_the_debugger, detail="is stopped"),
    "a clock in 2035": Setup(
        clock_says("2035-01-01"), "clock", r"sudo timedatectl set-ntp true", exit_status=1, follow=clock_corrected),
    "a clock in 2000": Setup(
        clock_says("2000-01-01"), "clock", r"sudo timedatectl set-ntp true", exit_status=1, follow=clock_corrected),
    "a sign-in that was stored while the clock was ahead": Setup(
        signed_in_while_the_clock_was_ahead, "clock",
        r"If the date is wrong: sudo timedatectl set-ntp true; if it is right, sign in with .*", exit_status=1,
        follow=signed_in_again,
        detail=rf"The clock says \S+: it is behind, or was ahead when a token of {GROUP} was stored, 14\d\d days"),
    "a lost password of a locked group": Setup(
        key_lost_and_locked, grouped("group-lock"), LOST_PASSWORD,
        exit_status=78, follow=by_a_backup_beside),
    "a lost password of an open group": Setup(delete_key, grouped("group-key"), FIX, exit_status=78),
    "a group's password that has lost its attributes": Setup(
        key_without_attributes, grouped("group-key"), FIX, exit_status=78, follow=by_the_repair,
        detail="has lost attributes"),
    "a group's password that has lost its attributes, after a login": Setup(
        key_without_attributes_after_a_login, grouped("group-key"), FIX, exit_status=78, follow=by_the_repair,
        detail="has lost attributes"),
    "a group's password without its publisher, after a login": Setup(
        key_without_publisher, grouped("group-key"), FIX, exit_status=78, follow=by_the_repair,
        detail="has lost attributes"),
    "a renamed keyring whose password has lost its attributes, after a login": Setup(
        key_without_attributes_and_renamed, grouped("group-key"), FIX, exit_status=78, follow=by_the_repair),
    "a lost password of a renamed keyring, after a login": Setup(
        key_lost_and_renamed, grouped("group-lock"),
        rf"{LOST_PASSWORD.partition(', .*')[0]}, .* Where there is neither, move \S+ to another folder, .*", exit_status=78,
        follow=by_a_backup_beside),
    "a group's keyring that was deleted and whose file was put back": Setup(
        put_back_after_its_deletion, grouped("group-collection"), r"Mend what else .* log out and in again\.",
        exit_status=74, follow=in_a_new_session),
    "a former keyring of the group with others' items": Setup(
        former_keyring_with_others_items, grouped("group-collection"),
        r"Save those that are needed elsewhere before you log out, then delete that keyring in Passwords and Keys\.",
        status="warning", follow=without_that_keyring, detail=rf"Its former keyring, \S+/{GROUP}\.keyring, has items of"),
    "a closed login keyring beside a publisher's group": Setup(
        closed_login_and_a_publishers_group, "login", r"chmod 600 \S+/login\.keyring, then mend .*", exit_status=74,
        follow=by_its_mode),
    "a login keyring's file at which something is mounted": Setup(
        file_mounted("login"), "round-trip", UNMOUNTED, exit_status=74, follow=by_unmounting_the_file),
    "a group's file at which something is mounted": Setup(
        file_mounted(GROUP), "round-trip", UNMOUNTED, exit_status=74, follow=by_unmounting_the_file),
    "a copy of the login keyring, as by a program that synchronizes folders": Setup(
        login_copied_beside, "groups", COPY, status="warning", follow=by_its_command),
    "items in somebody's own locked keyring": Setup(
        moved_into_a_locked_keyring, grouped("group-collection"),
        r"If you or a program of yours moved them there, unlock that keyring in Passwords and Keys; then run .*",
        status="warning", follow=by_unlocking_that_keyring,
        detail=r"The keyring Private, which is locked .*, has 1 item "),
    "a group's file that is gone, with another publisher's of that name in its place": Setup(
        replaced_by_another_publishers, grouped("group-collection"),
        r"If you have the file of its keyring, put it back, and log out and in again; else sign in again\.",
        status="warning", follow=with_the_file_under_another_name),
    "a group's keyring with an empty password": Setup(
        without_password, grouped("group-collection"), FIX, exit_status=78, follow=by_the_repair,
        detail="Its file is not encrypted"),
    "a group's keyring with an empty password, after a login": Setup(
        without_password_after_a_login, grouped("group-lock"), rf"If it is yours, .*: {FIX}", exit_status=78,
        follow=by_the_repair, detail=rf"the keyring file \S+/{GROUP}\.keyring, which is not encrypted"),
    "an empty group's keyring with an empty password": Setup(
        empty_and_without_password, grouped("group-collection"), FIX, exit_status=78, follow=by_the_repair,
        signed_in=False, keeps_account=False, detail=rf"{GROUP}\.keyring is not encrypted"),
    "a group's keyring with an empty password, and a sign-in since": Setup(
        without_password_and_saved_since, grouped("group-lock"), rf"If it is yours, .*: {FIX}", exit_status=78,
        follow=by_the_repair, detail=rf"items of it, which are not read: \S+/{GROUP}\.keyring, which is not encrypted"),
    "a wrong password of a group": Setup(
        wrong_key, grouped("group-lock"), LOST_PASSWORD,
        exit_status=78, follow=by_a_backup_beside),
    "a collection's file that its mode closes": Setup(
        damaged(closed), grouped("group-lock"), rf"chmod 600 \S+/{GROUP}\.keyring, then mend .*", exit_status=74,
        follow=by_its_mode),
    "a collection's file of another user": Setup(
        damaged(of_another_user), grouped("group-lock"), rf"sudo chown -h \$\(id -u\) \S+/{GROUP}\.keyring, then mend .*",
        exit_status=74, follow=as_root),
    "an empty file of a collection": Setup(
        damaged(emptied), grouped("group-lock"), rf"Put a backup of \S+/{GROUP}\.keyring in its place, .*",
        exit_status=74, follow=by_a_backup()),
    "a collection's file that was cut short": Setup(
        damaged(cut_short), grouped("group-lock"), rf"Put a backup of \S+/{GROUP}\.keyring in its place, .*",
        exit_status=74, follow=by_a_backup()),
    "a socket in the place of a collection's file": Setup(
        damaged(a_socket), grouped("group-lock"),
        rf"mv (\S+/{GROUP}\.keyring) \1\.aside, put a backup of \1 in its place, then mend .*", exit_status=74,
        follow=aside_and_by_a_backup, detail="it is no regular file"),
    "a folder in the place of a collection's file": Setup(
        damaged(a_folder), grouped("group-lock"),
        rf"mv (\S+/{GROUP}\.keyring) \1\.aside, put a backup of \1 in its place, then mend .*", exit_status=74,
        follow=aside_and_by_a_backup, detail="it is no regular file"),
    "a collection's file of another version": Setup(
        damaged(of_another_version), grouped("group-lock"),
        rf"Put a backup of (\S+/{GROUP}\.keyring) in its place, or install the gnome-keyring that wrote it, then .*",
        exit_status=74, follow=by_a_backup()),
    "a login keyring's file of another version": Setup(
        damaged(of_another_version, "login"), "login",
        r"Put a backup of (\S+/login\.keyring) in its place, or install the gnome-keyring that wrote it, then .*",
        exit_status=74, follow=by_a_backup("login")),
    "a collection's file in which one bit changed": Setup(
        damaged(one_bit_changed), grouped("group-lock"),
        rf"{LOST_PASSWORD} If the file is damaged: put a backup of \S+/{GROUP}\.keyring in its place, .*", exit_status=78,
        follow=by_a_backup()),
    "a collection's file in which one bit changed, with another program's item": Setup(
        beside_anothers_item(damaged(one_bit_changed)), grouped("group-lock"),
        rf".* Where there is neither, move (\S+/{GROUP}\.keyring) to another .* If the file is damaged: put a backup of \1 in .*",
        exit_status=78, follow=by_a_backup()),
    "another keyring's file in the place of a collection's": Setup(
        damaged(replaced_by_login), grouped("group-lock"), rf"Put a backup of \S+/{GROUP}\.keyring in its place, .*",
        exit_status=74, follow=by_a_backup()),
    "a login keyring's file that its mode closes": Setup(
        damaged(closed, "login"), "login", r"chmod 600 \S+/login\.keyring, then mend .*", exit_status=74,
        follow=by_its_mode),
    "an empty file of the login keyring": Setup(
        damaged(emptied, "login"), "login", r"Put a backup of \S+/login\.keyring in its place, .*", exit_status=74,
        follow=by_a_backup("login")),
    "a login keyring's file that was exchanged with a group's": Setup(
        exchanged_with_login, "login",
        rf"mv (\S+/login\.keyring) (\1\.aside) && mv (\S+/{GROUP}\.keyring) \1 && mv \2 \3, then mend .*",
        exit_status=74, follow=by_exchanging, detail=rf"has the keyring {GROUP}, and \S+ has another one"),
    "a login keyring's file that was overwritten": Setup(
        damaged(overwritten, "login"), "login", r"Put a backup of \S+/login\.keyring in its place, .*",
        exit_status=74, follow=by_a_backup("login")),
    "a lost marker": Setup(delete_marker, grouped("group-marker"), FIX, exit_status=65),
    "a marker that can't be read": Setup(corrupt_marker, grouped("group-marker"), FIX, exit_status=65),
    "an emptied collection": Setup(
        empty_collection, grouped("group-marker"), FIX, status="warning", keeps_account=False),
    "a deleted collection": Setup(
        delete_collection, grouped("group-collection"), rf"sso-cache group create --group {GROUP}",
        status="warning", keeps_account=False),
    "two collections for one group": Setup(second_collection, grouped("group-marker"), FIX, exit_status=65),
    "a move that did not come to its end": Setup(
        unfinished_move, grouped("group-collection"), FIX, status="warning"),
    "empty items": Setup(empty_items, grouped("group-entries"), FIX, status="warning"),
    "items that are there twice": Setup(duplicates, grouped("group-duplicates"), FIX, status="warning"),
    "an item that can't be read": Setup(
        unreadable_item, grouped("group-entries"), FIX, exit_status=65),
    "an item without its kind": Setup(
        attribute_changed("kind", None), grouped("group-entries"), FIX, status="warning"),
    "an item with another kind": Setup(
        attribute_changed("kind", "sign-in"), grouped("group-entries"), FIX, status="warning"),
    "an item with another client": Setup(
        attribute_changed("client_id", "other"), grouped("group-entries"), FIX, status="warning"),
    "an item without its account": Setup(
        attribute_changed("home_account_id", None), grouped("group-entries"), FIX, status="warning"),
    "an item without its publisher": Setup(
        publisher_dropped, grouped("group-entries"), FIX, status="warning"),
    "an item without its publisher beside a later sign-in": Setup(
        publisher_dropped_before_a_sign_in, grouped("group-entries"),
        rf"Sign in with one of the group's apps\. Then delete the items in the keyring {GROUP} that have another group or"
        r" publisher, or none, .*",
        status="warning", follow=signed_in_again_and_deleted),
    "an expired sign-in": Setup(
        expired_sign_in, grouped("group-tokens"), r"Sign in with one of the group's apps\.", status="warning",
        follow=by_signing_in, signed_in=False),
    "a manifest of another user": Setup(
        manifest_of_another, f"manifest:{MAIL}", PROVENANCE, exit_status=77, follow=as_its_maker_installs_it),
    "a manifest that its mode closes": Setup(
        manifest_closed, f"manifest:{MAIL}", rf"chmod u\+rw \S+/{MAIL}\.desktop", exit_status=77),
    "a folder of manifests that its mode closes": Setup(
        folder_closed, "manifest", r"chmod u\+rwx \S+/applications", status="warning"),
    "a file in the place of the folder of manifests": Setup(
        folder_of_manifests_is_a_file, "manifest", r"mv (\S+/applications) \1\.aside", status="warning",
        detail=r"\S+/applications is no folder"),
    "a file that may be read and run in the place of a folder of manifests": Setup(
        shared_folder_of_manifests_is_a_file, "manifest",
        r"mv '\S+ shared/applications' '\S+ shared/applications\.aside'", status="warning", detail="is no folder"),
    "a manifest with the groups in another section": Setup(
        keys_in_another_section, f"manifest:{MAIL}", rf"Correct \S+/{MAIL}\.desktop; .*", status="warning",
        follow=with_the_groups_where_they_count,
        detail=rf"/{MAIL}\.desktop: .*X-KeychainAccessGroups in the section \[Desktop Action new\]"),
    "a manifest with the groups' key in another case": Setup(
        keys_in_another_case, f"manifest:{MAIL}", rf"Correct \S+/{MAIL}\.desktop; .*", status="warning",
        follow=with_the_groups_where_they_count,
        detail=rf"/{MAIL}\.desktop: .*X-KeyChainAccessGroups in the section \[Desktop Entry\]"),
    "a manifest with the groups' key misspelt": Setup(
        key_misspelt, f"manifest:{MAIL}", rf"Correct \S+/{MAIL}\.desktop; .*", status="warning",
        follow=with_the_groups_where_they_count,
        detail=rf"/{MAIL}\.desktop: .*X-KeychainAccessGroup in the section \[Desktop Entry\]"),
    "a manifest behind a copy without the groups": Setup(
        copy_without_the_groups, f"manifest:{MAIL}",
        rf"Find out which of the two .* wrote, \S+/local/\S+/{MAIL}\.desktop or \S+/share/\S+, and remove the other one\.",
        exit_status=77, follow=without_the_copy),
    "a manifest in UTF-16": Setup(
        manifest_in_utf16, f"manifest:{MAIL}", rf"Correct \S+/{MAIL}\.desktop; .*", exit_status=77, follow=corrected),
    "an empty manifest": Setup(
        manifest_of(b""), f"manifest:{MAIL}", r"Install its app again; or mv .*", status="warning",
        follow=installed_again),
    "a manifest of zero bytes": Setup(
        manifest_of(bytes(4096)), f"manifest:{MAIL}", r"Install its app again; or mv .*", status="warning",
        follow=installed_again, detail="as a crash leaves"),
    "manifests in a folder of another user": Setup(
        folder_of_another, f"manifest:{MAIL}", PROVENANCE, exit_status=77, follow=as_its_maker_installs_it),
    "a manifest that others can write to": Setup(
        manifest_open_to_all, f"manifest:{MAIL}", PROVENANCE, exit_status=77, follow=as_its_maker_installs_it),
    "a folder of manifests that others can write to": Setup(
        folder_open_to_all, f"manifest:{MAIL}", PROVENANCE, exit_status=77, follow=as_its_maker_installs_it),
    "a manifest in the home that claims an installed app's publisher": Setup(
        claimed_publisher, "manifest:com.contoso.calendar", PROVENANCE.replace(MAIL, "com.contoso.calendar"),
        exit_status=77, follow=removed, signed_in=False, keeps_account=False),
    "a malformed manifest": Setup(
        malformed_manifest, f"manifest:{MAIL}", rf"Correct \S+/{MAIL}\.desktop; .*", exit_status=77,
        follow=corrected),
    "a broken link among other apps' manifests": Setup(
        broken_link, "manifest:com.example.game", r"rm \S+/com\.example\.game\.desktop", status="warning"),
    "a group of the app's that has no publisher": Setup(
        group_without_the_publisher, f"manifest:{MAIL}",
        rf"sso-cache group copy --from {GROUP} --to {GROUP} --to-publisher contoso",
        status="warning", signed_in=False),
    "secrets of the app's in a group that has no publisher": Setup(
        secrets_without_the_publisher, f"manifest:{MAIL}",
        rf"If the app stored .* copy it: sso-cache group copy --from {GROUP} --to {GROUP} --to-publisher contoso; .*",
        status="warning", signed_in=False, follow=copied),
    "a scheme that is not registered": Setup(
        unregistered_scheme, f"scheme:{MAIL}", r"update-desktop-database \S+/applications", status="warning"),
    "a folder in the place of the database of schemes": Setup(
        database_is_a_folder, f"scheme:{MAIL}",
        r"mv (\S+/mimeinfo\.cache) \1\.aside && update-desktop-database \S+/applications", status="warning"),
    "a folder of manifests in which no database can be made": Setup(
        applications_read_only, f"scheme:{MAIL}",
        r"chmod u\+rwx (\S+/applications) && update-desktop-database \1", status="warning"),
    "a scheme of a program that is missing": Setup(
        missing_program, f"scheme:{MAIL}", rf"Correct Exec in \S+/{MAIL}\.desktop\.", status="warning",
        follow=with_url_argument),
    "a scheme of an app whose program is not installed": Setup(
        program_that_is_not_installed, f"scheme:{MAIL}",
        rf"Install contoso-mail, or correct TryExec in \S+/{MAIL}\.desktop\.", status="warning",
        follow=with_the_program, detail="contoso-mail, which TryExec names, is not there"),
    "a scheme that the desktop's own list gives to another app": Setup(
        scheme_of_another_app_by_the_desktops_list, f"scheme:{MAIL}",
        rf"Name {MAIL}\.desktop first in the line .*",
        status="warning", follow=with_the_app_in_the_desktops_list,
        detail=rf"URLs with org\.example\.other, as \S+/{DESKTOPS_LIST} says"),
    "a scheme that the user's list of apps excludes": Setup(
        scheme_excluded, f"scheme:{MAIL}", CHOICE, status="warning", follow=as_xdg_mime_does_beside_the_excluded),
    "a scheme that another app has registered and opens": Setup(
        scheme_of_another_app, f"scheme:{MAIL}", CHOICE, status="warning", follow=with_the_scheme_for_one),
    "a list of the desktop's apps that is a FIFO": Setup(
        scheme_file_is_a_fifo(lambda session: Path(session.environment["XDG_CONFIG_HOME"]) / "mimeapps.list"),
        f"scheme:{MAIL}", r"mv (\S+/mimeapps\.list) \1\.aside", status="warning"),
    "a database of the desktop's schemes that is a FIFO": Setup(
        scheme_file_is_a_fifo(lambda session: session.data / "applications/mimeinfo.cache"),
        f"scheme:{MAIL}", r"mv (\S+/mimeinfo\.cache) \1\.aside", status="warning", follow=registered_again),
    "an app's file that is a FIFO": Setup(
        scheme_file_is_a_fifo(lambda session: session.data / "applications/com.example.game.desktop"),
        "manifest:com.example.game", r"mv (\S+/com\.example\.game\.desktop) \1\.aside", status="warning"),
    "a program that takes no URL": Setup(
        no_url_argument, f"scheme:{MAIL}", r"Put %u .*", status="warning", follow=with_url_argument),
}
