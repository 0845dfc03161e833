# SPDX-License-Identifier: MIT
"""Grants of groups to sandboxed apps: `grant`, `grants` and `revoke`, in the files of a user and of the administrator."""

import json
import os
import stat
import subprocess

import pytest

from sso_cache import BAD_INPUT, DONE, LIMIT_SECONDS, STORAGE_OR_NETWORK, USAGE, Outcome, check_contract
from terminal import Terminal

APP, OTHER = "com.fabrikam.App", "com.tailspin.App"
GROUP, PUBLISHER = "com.contoso.shared", "com.contoso"
FOREIGN = ("--publisher", PUBLISHER)

# Runs a command with an /etc of its own, whose folder of grants is a copy of $GRANTS and root's.
WITH_ETC = """
mount -t tmpfs none /etc && mkdir -p /etc/secretstorecache && cp -a "$GRANTS" /etc/secretstorecache/grants.d &&
chown -R 0:0 /etc/secretstorecache && exec "$@"
"""


class Home:
    """The configuration folder of a user, and the tool on it."""

    def __init__(self, tool, folder):
        self.tool = tool
        self.folder = folder / "config"
        self.file = self.folder / "secretstorecache/grants"
        self.administrators = folder / "grants.d"
        self.environment = os.environ | {"XDG_CONFIG_HOME": str(self.folder), "GRANTS": str(self.administrators)}

    def write(self, content, mode=0o600):
        self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.file.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.file.chmod(mode)

    def run(self, *arguments):
        command = [self.tool, *map(str, arguments)]
        if self.administrators.exists():
            command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", WITH_ETC, "sh", *command]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS, env=self.environment)
        outcome = Outcome(done.returncode, done.stdout, done.stderr, 0)
        check_contract(arguments[0], "--json" in arguments, outcome)
        return outcome

    def do(self, *arguments):
        outcome = self.run(*arguments, "--json")
        assert (outcome.status, outcome.stderr) == (DONE, ""), outcome
        return outcome.json

    def fail(self, status, *arguments):
        outcome = self.run(*arguments, "--json")
        assert outcome.status == status, outcome
        return json.loads(outcome.stderr)["error"]

    def grants(self):
        listing = self.do("grants")
        assert listing["problems"] == []
        return {(grant["app"], grant["group"], grant["publisher"], grant["source"]) for grant in listing["grants"]}


@pytest.fixture
def home(tool, tmp_path):
    return Home(tool, tmp_path)


def test_a_group_is_granted_listed_and_taken_back(home):
    assert home.do("grants") == {"grants": [], "problems": []}
    granted = {"app": APP, "group": GROUP, "publisher": PUBLISHER}
    assert home.do("grant", APP, GROUP, *FOREIGN) == granted | {"added": True}
    assert home.do("grant", APP, GROUP, *FOREIGN) == granted | {"added": False}
    assert home.do("grant", APP, "com.microsoft.adalcache")["publisher"] == ""
    assert home.do("grants")["grants"][0] == granted | {"source": "user", "path": str(home.file)}
    assert home.grants() == {(APP, GROUP, PUBLISHER, "user"), (APP, "com.microsoft.adalcache", "", "user")}
    assert home.do("revoke", APP, GROUP) == {"revoked": []}
    assert home.do("revoke", APP, GROUP, *FOREIGN) == {"revoked": [{"group": GROUP, "publisher": PUBLISHER}]}
    assert home.do("revoke", APP) == {"revoked": [{"group": "com.microsoft.adalcache", "publisher": ""}]}
    assert home.grants() == set()


def test_the_file_is_the_users_alone(home):
    os.umask(0o022)
    home.do("grant", APP, GROUP, *FOREIGN)
    assert home.file.read_text() == f"[{APP}]\ngroups={PUBLISHER}/{GROUP};\n"
    assert stat.S_IMODE(home.file.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.file.parent.stat().st_mode) == 0o700


def test_what_a_person_reads(home):
    sentence = f"use the group {GROUP} of the publisher {PUBLISHER}"
    assert home.run("grants").stdout == "No group is granted to an app.\n"
    assert home.run("grant", APP, GROUP, *FOREIGN).stdout == f"{APP} may now {sentence}.\n"
    assert home.run("grant", APP, GROUP, *FOREIGN).stdout == f"{APP} may already {sentence}.\n"
    assert home.run("grants").stdout == f"APP\tGROUP\tPUBLISHER\tGRANTED BY\n{APP}\t{GROUP}\t{PUBLISHER}\tyou\n"
    assert home.run("revoke", APP).stdout == f"{APP} may no longer {sentence} by a grant.\n"
    assert home.run("revoke", APP).stdout == "There is no such grant; nothing to do.\n"


def test_a_narrow_terminal_shows_names_whole(home):
    home.do("grant", APP, GROUP, *FOREIGN)
    terminal = Terminal([home.tool, "grants"], home.environment, columns=30)
    status, screen = terminal.end()
    assert status == DONE and all(name in screen for name in (APP, GROUP, PUBLISHER))


@pytest.mark.parametrize("arguments", [
    ("grant", "", GROUP), ("grant", "a b", GROUP), ("grant", APP, "a/b"), ("grant", APP, ""), ("grant", APP, "."),
    ("grant", APP, GROUP, "--publisher", ""), ("grant", APP, GROUP, "--publisher", "a;b"),
    ("grant", "[x]", GROUP), ("grant", APP, "a\nb"), ("grant", APP, "a" * 201), ("grant", APP), ("grant",),
    ("revoke",), ("revoke", "a b"), ("revoke", APP, "a/b"), ("revoke", APP, "--publisher", "contoso"),
    ("grants", "x"),
])
def test_a_malformed_name_changes_nothing(home, arguments):
    home.do("grant", APP, GROUP)
    before = home.file.read_bytes()
    assert home.fail(USAGE, *arguments)["code"] == "invalidArgument"
    assert home.file.read_bytes() == before


def test_grants_that_are_made_and_taken_back_at_once_are_all_kept(home):
    home.do("grant", OTHER, "first")
    lines = [["grant", f"com.x.A{number % 5}", f"g{number}"] for number in range(20)] + [["revoke", OTHER, "first"]]
    running = [subprocess.Popen([home.tool, *line], stdout=subprocess.DEVNULL, env=home.environment) for line in lines]
    assert [process.wait(LIMIT_SECONDS * 2) for process in running] == [DONE] * len(lines)
    assert home.grants() == {(f"com.x.A{number % 5}", f"g{number}", "", "user") for number in range(20)}


def test_problems_are_shown_and_the_other_lines_count(home):
    home.write(f"[{APP}]\ngroups=a;x/y/z;\n\x1b[31mevil\n[com.y]\ngroups=b;\n")
    listing = home.do("grants")
    assert [grant["group"] for grant in listing["grants"]] == ["a", "b"]
    assert [(problem["path"], problem["line"]) for problem in listing["problems"]] == [
        (str(home.file), 2), (str(home.file), 3)]
    text = home.run("grants").stdout
    assert f"{home.file}, line 2:\n  refused: " in text and "\x1b" not in text


@pytest.mark.parametrize("kind", ["link", "pipe", "large", "binary", "writable"])
def test_a_bad_file_grants_nothing_and_is_left_alone(home, tmp_path, kind):
    text = f"[{APP}]\ngroups=a;\n"
    home.write(text, 0o666 if kind == "writable" else 0o600)
    if kind in ("link", "pipe"):
        home.file.unlink()
    if kind == "link":
        (tmp_path / "elsewhere").write_text(text)
        home.file.symlink_to(tmp_path / "elsewhere")
    elif kind == "pipe":
        os.mkfifo(home.file)
    elif kind == "large":
        home.write(text + "#" * 2_000_000)
    elif kind == "binary":
        home.write(text.encode() + b"\0\xff")
    listing = home.do("grants")
    assert listing["grants"] == [] and [problem["line"] for problem in listing["problems"]] == [None]
    for line in (["grant", APP, "b"], ["revoke", APP]):
        error = home.fail(BAD_INPUT, *line)
        assert error["code"] == "invalidFile" and str(home.file) in error["detail"]
    assert home.do("grants") == listing


def test_a_folder_that_cannot_be_written_is_an_error(home, tmp_path):
    home.folder.write_text("no folder")
    assert home.fail(STORAGE_OR_NETWORK, "grant", APP, GROUP)["code"] == "storageFailed"
    home.folder.unlink()
    home.write(f"[{APP}]\ngroups=a;\n")
    done = subprocess.run(
        ["bash", "-c", 'ulimit -f 0; trap "" XFSZ; exec "$@"', "bash", home.tool, "grant", APP, "b"],
        capture_output=True, env=home.environment, timeout=LIMIT_SECONDS)
    assert done.returncode == STORAGE_OR_NETWORK
    assert home.grants() == {(APP, "a", "", "user")}
    assert sorted(os.listdir(home.file.parent)) == ["grants", "grants.lock"]


@pytest.mark.parametrize("kind", ["link", "writable"])
def test_nothing_is_granted_in_a_folder_whose_grants_do_not_count(home, tmp_path, kind):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    home.folder.mkdir()
    if kind == "link":
        home.file.parent.symlink_to(tmp_path / "elsewhere")
    else:
        home.file.parent.mkdir()
        home.file.parent.chmod(0o775)
    error = home.fail(STORAGE_OR_NETWORK, "grant", APP, GROUP)
    assert error["code"] == "storageFailed" and str(home.file.parent) in error["detail"]
    assert not home.file.exists()


def test_nowhere_to_put_a_grant_is_an_error(home):
    del home.environment["XDG_CONFIG_HOME"]
    home.environment["HOME"] = "relative"
    assert home.do("grants") == {"grants": [], "problems": []}
    assert home.fail(STORAGE_OR_NETWORK, "grant", APP, GROUP)["code"] == "storageFailed"


@pytest.fixture
def administrator(home):
    """The folder of the administrator's grants, where the kernel gives a test an /etc of its own."""
    probe = ["unshare", "--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "none", "/etc"]
    if subprocess.run(probe, capture_output=True).returncode:
        pytest.skip("user namespaces are not permitted")
    home.administrators.mkdir(mode=0o755)
    # Below a root folder whose owner the user namespace does not know, the tool makes no folder.
    home.write("")
    return home.administrators


def test_the_administrators_grants_count_and_only_the_administrator_takes_them_back(home, administrator):
    (administrator / "suite.grants").write_text(f"[{APP}]\ngroups={PUBLISHER}/{GROUP};\n")
    home.do("grant", APP, "mine")
    home.do("grant", APP, GROUP, *FOREIGN)
    assert home.grants() == {
        (APP, "mine", "", "user"), (APP, GROUP, PUBLISHER, "user"), (APP, GROUP, PUBLISHER, "administrator")}
    assert "\tadministrator\n" in home.run("grants").stdout
    path = "/etc/secretstorecache/grants.d/suite.grants"
    error = home.fail(USAGE, "revoke", APP)
    assert error["detail"].startswith(f"Your grants are taken back, but {APP} may still use the group {GROUP}")
    assert path in error["detail"]
    error = home.fail(USAGE, "revoke", APP, GROUP, *FOREIGN)
    assert error["detail"].startswith(f"{APP} may use the group {GROUP}") and path in error["detail"]
    assert home.grants() == {(APP, GROUP, PUBLISHER, "administrator")}
    assert home.do("revoke", APP, "mine") == {"revoked": []}


@pytest.mark.parametrize("mode", [0o666, 0o664])
def test_an_administrators_file_that_others_can_write_to_grants_nothing(home, administrator, mode):
    (administrator / "good.grants").write_text(f"[{APP}]\ngroups=a;\n")
    bad = administrator / "bad.grants"
    bad.write_text(f"[{APP}]\ngroups=b;\n")
    bad.chmod(mode)
    listing = home.do("grants")
    assert [grant["group"] for grant in listing["grants"]] == ["a"]
    assert [problem["path"] for problem in listing["problems"]] == ["/etc/secretstorecache/grants.d/bad.grants"]
