# SPDX-License-Identifier: MIT
"""Declarations of apps in .desktop files, through the tool: real files of real users in real folders, in
the desktop's order and with its permissions.

Tests depend on the files' owners. If the tests run as root, the tool runs as another user; otherwise sudo
creates root's files.
"""

import json
import os
import plistlib
import subprocess
import tempfile
from pathlib import Path

import pytest

from people import ADA
from repository import ROOT
from sso_cache import DONE, LIMIT_SECONDS, STORAGE_OR_NETWORK, USAGE
from unified_cache import CLIENT, signed_in

MAIL, CALENDAR, SPY = "com.contoso.mail", "com.contoso.calendar", "com.contoso.spy"

# Two users other than root. The first runs the tool.
USER, OTHER_USER = (65534, 65533) if os.geteuid() == 0 else (os.geteuid(), 65533)


def as_root(*command):
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
    subprocess.run([*prefix, *map(str, command)], check=True, timeout=LIMIT_SECONDS)


def as_user(*command):
    """The command as the user. It keeps only root's right to read, since the tool may be built in a folder
    that other users cannot read."""
    if os.geteuid() != 0:
        return list(command)
    return [
        "setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--inh-caps=-all,+dac_read_search",
        "--ambient-caps=+dac_read_search", "--bounding-set=-all,+dac_read_search", *command,
    ]


def desktop_file(publisher=None, groups=(), schemes=(), **keys):
    lines = {"Type": "Application", "Name": "App", "Exec": "true %u"} | keys
    if publisher is not None:
        lines["X-KeychainPublisher"] = publisher
    if groups:
        lines["X-KeychainAccessGroups"] = "".join(f"{group};" for group in groups)
    if schemes:
        lines["MimeType"] = "".join(f"x-scheme-handler/{scheme};" for scheme in schemes)
    return "[Desktop Entry]\n" + "".join(f"{key}={value}\n" for key, value in lines.items())


class Desktop:
    """Folders of manifests: the user's home, and two system-wide ones in order of precedence."""

    def __init__(self, tool, folder):
        self._tool = tool
        self.home, self.local, self.shared = (folder / name for name in ("home", "local", "shared"))
        as_root("install", "-d", "-m", "755", "-o", "root", "-g", "root", folder)
        for base, owner in ((self.home, USER), (self.local, "root"), (self.shared, "root")):
            for place in (base, base / "applications"):
                as_root("install", "-d", "-m", "755", "-o", owner, "-g", owner, place)

    def add(self, base, app, text, owner=None, mode="644"):
        """Installs a manifest, which is the user's in the home and root's elsewhere."""
        owner = owner if owner is not None else USER if base == self.home else "root"
        path = base / "applications" / f"{app}.desktop"
        with tempfile.NamedTemporaryFile() as file:
            file.write(text if isinstance(text, bytes) else text.encode())
            file.flush()
            as_root("install", "-D", "-m", mode, "-o", owner, "-g", owner, file.name, path)
        return path

    def index(self, base):
        """Updates the desktop's database of a folder."""
        as_root("update-desktop-database", base / "applications")

    def run(self, *arguments):
        environment = os.environ | {
            "XDG_DATA_HOME": str(self.home), "XDG_DATA_DIRS": f"{self.local}:{self.shared}",
            "XDG_CONFIG_HOME": str(self.home / "config"), "HOME": str(self.home),
        }
        return subprocess.run(
            as_user(self._tool, "apps", *arguments), capture_output=True, text=True, env=environment,
            timeout=LIMIT_SECONDS,
        )

    @property
    def apps(self):
        """The tool's list, by path."""
        outcome = self.run("--json")
        assert (outcome.returncode, outcome.stderr) == (DONE, "")
        return {app["path"]: app for app in json.loads(outcome.stdout)["apps"]}


@pytest.fixture
def desktop(tool):
    folder = Path(tempfile.mkdtemp(dir="/tmp", prefix="ssc-apps."))
    yield Desktop(tool, folder)
    as_root("rm", "-rf", folder)


def rules(app):
    return [problem["rule"] for problem in app["problems"]]


def refusals(app):
    return [problem["rule"] for problem in app["problems"] if problem["refused"]]


# Lists.


def test_apps_prints_an_apps_declarations(desktop):
    path = desktop.add(
        desktop.shared, MAIL,
        desktop_file("contoso", ["com.contoso.shared", "com.contoso.archive"], [f"msauth.{MAIL}", "mailto"]),
    )
    desktop.index(desktop.shared)
    assert desktop.apps == {
        str(path): {
            "id": MAIL, "path": str(path), "installed_for": "everybody", "publisher": "contoso",
            "groups": ["com.contoso.shared", "com.contoso.archive"], "redirect_schemes": [f"msauth.{MAIL}"],
            "counts": True, "problems": [],
        }
    }


def test_apps_prints_a_table_and_the_problems_as_text(desktop):
    assert "No app declares a group" in desktop.run().stdout
    path = desktop.add(desktop.home, MAIL, desktop_file("contoso", ["com.contoso.shared"]), mode="666")
    outcome = desktop.run("list")
    table = outcome.stdout.splitlines()
    assert outcome.returncode == DONE
    assert table[0].split() == ["APP", "PUBLISHER", "GROUPS", "SCHEMES", "FOR", "STATE"]
    assert table[1].split() == [MAIL, "contoso", "com.contoso.shared", "-", "you", "refused"]
    assert table[3] == f"{path}:" and "refused:" in table[4] and "may have written" in table[4]


def test_apps_without_group_declarations_are_not_listed(desktop):
    desktop.add(desktop.shared, "org.example.clock", desktop_file(schemes=["mailto", "org.example.clock"]))
    desktop.add(desktop.shared, "org.example.broken", "nonsense")
    assert desktop.apps == {}


def test_a_file_writes_no_control_characters_to_the_terminal(desktop):
    desktop.add(
        desktop.home, "com.evil\x1b]0;x\x07", desktop_file("con\x1b[31mtoso", ["a\u202eb"], ["msauth.\x1b[2J"])
    )
    desktop.add(desktop.home, "line\nbreak", desktop_file("contoso"))
    outcome = desktop.run()
    assert outcome.returncode == DONE
    assert not set(outcome.stdout) & set("\x1b\x07\u202e\r")
    assert sum("refused" in line.split()[-1:] for line in outcome.stdout.splitlines()) == 2


def test_a_hundred_apps_are_listed(desktop):
    bulk = desktop.shared / "applications"
    with tempfile.TemporaryDirectory() as source:
        for number in range(100):
            text = desktop_file("contoso", [f"com.contoso.g{number}"])
            (Path(source) / f"com.contoso.app{number}.desktop").write_text(text)
        as_root("cp", *sorted(Path(source).iterdir()), bulk)
    apps = desktop.apps
    assert len(apps) == 100 and all(app["counts"] for app in apps.values())


# Owners of manifests.


def test_a_manifest_in_the_home_grants_what_it_states(desktop):
    path = desktop.add(desktop.home, MAIL, desktop_file("contoso", ["com.contoso.shared"]))
    app = desktop.apps[str(path)]
    assert (app["installed_for"], app["counts"], app["problems"]) == ("user", True, [])


@pytest.mark.parametrize("place", ["home", "shared"])
@pytest.mark.parametrize("mode", ["666", "664", "646", "777"])
def test_a_manifest_writable_by_others_is_refused(desktop, place, mode):
    path = desktop.add(
        getattr(desktop, place), MAIL, desktop_file("contoso", ["com.contoso.shared"]), mode=mode
    )
    app = desktop.apps[str(path)]
    assert not app["counts"] and refusals(app) == ["writableByOthers"]


@pytest.mark.parametrize("place", ["home", "shared"])
@pytest.mark.parametrize(
    ("command", "refusal"), [(("chmod", "1777"), "writableByOthers"), (("chown", OTHER_USER), "foreignOwner")])
def test_a_manifest_in_a_folder_writable_by_others_or_of_another_user_is_refused(desktop, place, command, refusal):
    base = getattr(desktop, place)
    path = desktop.add(base, MAIL, desktop_file("contoso", ["com.contoso.shared"]))
    as_root(*command, base / "applications")
    assert refusals(desktop.apps[str(path)]) == [refusal]


@pytest.mark.parametrize("place", ["home", "shared"])
def test_a_manifest_of_another_user_is_refused(desktop, place):
    path = desktop.add(
        getattr(desktop, place), MAIL, desktop_file("contoso", ["com.contoso.shared"]), owner=OTHER_USER
    )
    app = desktop.apps[str(path)]
    assert not app["counts"] and refusals(app) == ["foreignOwner"]


def test_a_manifest_without_claims_only_gets_a_warning(desktop):
    path = desktop.add(desktop.home, MAIL, desktop_file(schemes=[f"msauth.{MAIL}"]), owner=OTHER_USER, mode="666")
    desktop.index(desktop.home)
    app = desktop.apps[str(path)]
    assert app["counts"] and rules(app) == ["writableByOthers", "foreignOwner"] and refusals(app) == []


def test_a_file_of_root_in_the_home_counts_as_the_users(desktop):
    desktop.add(desktop.shared, MAIL, desktop_file("contoso", ["com.contoso.shared"]))
    path = desktop.add(desktop.home, SPY, desktop_file("contoso", ["com.contoso.shared"]), owner="root")
    app = desktop.apps[str(path)]
    assert app["installed_for"] == "user" and refusals(app) == ["foreignPublisher"]


def test_a_link_gets_a_warning_and_counts_as_its_target(desktop):
    real = desktop.add(desktop.shared, "real", desktop_file("contoso", ["com.contoso.shared"]))
    link = desktop.shared / "applications" / f"{MAIL}.desktop"
    as_root("ln", "-s", real, link)
    app = desktop.apps[str(link)]
    assert app["counts"] and app["installed_for"] == "everybody" and rules(app) == ["symbolicLink"]


@pytest.mark.parametrize(
    "owner, refused", [(USER, ["foreignPublisher"]), (OTHER_USER, ["foreignOwner", "foreignPublisher"])]
)
def test_a_system_wide_link_to_a_users_file_counts_as_the_users(desktop, owner, refused):
    desktop.add(desktop.shared, MAIL, desktop_file("contoso", ["com.contoso.shared"]))
    real = desktop.add(desktop.home, "../real", desktop_file("contoso", ["com.contoso.shared"]), owner=owner)
    link = desktop.shared / "applications" / f"{SPY}.desktop"
    as_root("ln", "-s", real, link)
    app = desktop.apps[str(link)]
    assert not app["counts"] and app["installed_for"] == "user"
    assert rules(app) == ["symbolicLink", *refused]


def test_a_users_link_to_an_installed_manifest_grants_no_rights(desktop):
    real = desktop.add(desktop.shared, MAIL, desktop_file("contoso", ["com.contoso.shared"]))
    link = desktop.home / "applications" / f"{SPY}.desktop"
    as_root("ln", "-s", real, link)
    as_root("chown", "-h", USER, link)
    apps = desktop.apps
    assert refusals(apps[str(link)]) == ["foreignPublisher"] and apps[str(real)]["counts"]


# Precedence of manifests.


def test_a_home_manifest_that_claims_an_installed_apps_publisher_is_refused(desktop):
    installed = desktop.add(desktop.shared, MAIL, desktop_file("contoso", ["com.contoso.shared"]))
    claim = desktop.add(desktop.home, SPY, desktop_file("contoso", ["com.contoso.shared"]))
    other = desktop.add(desktop.home, CALENDAR, desktop_file("fabrikam", ["com.contoso.shared"]))
    apps = desktop.apps
    assert apps[str(installed)]["counts"] and apps[str(other)]["counts"]
    assert not apps[str(claim)]["counts"] and refusals(apps[str(claim)]) == ["foreignPublisher"]
    [problem] = apps[str(claim)]["problems"]
    assert str(installed) in problem["explanation"]


def test_an_installed_manifest_precedes_the_homes(desktop):
    installed = desktop.add(desktop.shared, MAIL, desktop_file("contoso", ["com.contoso.shared"]))
    own = desktop.add(desktop.home, MAIL, desktop_file("contoso", ["com.contoso.shared", "com.contoso.payroll"]))
    apps = desktop.apps
    assert apps[str(installed)]["counts"] and apps[str(installed)]["problems"] == []
    assert not apps[str(own)]["counts"] and refusals(apps[str(own)]) == ["overruled"]


def test_the_desktops_order_decides_between_two_installed_manifests(desktop):
    first = desktop.add(desktop.local, MAIL, desktop_file("contoso", ["one"]))
    second = desktop.add(desktop.shared, MAIL, desktop_file("contoso", ["two"]))
    apps = desktop.apps
    assert apps[str(first)]["counts"] and not apps[str(second)]["counts"]


# Schemes.


def test_a_scheme_that_the_desktop_does_not_open_is_reported_with_the_line_to_add(desktop):
    path = desktop.add(desktop.home, MAIL, desktop_file("contoso", schemes=[f"msauth.{MAIL}"]))
    [problem] = desktop.apps[str(path)]["problems"]
    assert problem["rule"] == "schemeNotOpened" and not problem["refused"]
    assert f"MimeType=x-scheme-handler/msauth.{MAIL};" in problem["explanation"]
    desktop.index(desktop.home)
    assert desktop.apps[str(path)]["problems"] == []


def test_two_apps_with_one_scheme_are_reported_and_the_one_that_is_not_opened(desktop):
    paths = [
        desktop.add(desktop.shared, app, desktop_file("contoso", schemes=["x-msauth-suite"]))
        for app in (MAIL, CALENDAR)
    ]
    desktop.index(desktop.shared)
    apps = desktop.apps
    reported = sorted(rules(apps[str(path)]) for path in paths)
    assert reported == [["sharedScheme"], ["sharedScheme", "schemeNotOpened"]]


# `apps init`.


def test_init_writes_files_with_the_requested_values(tool, sso, tmp_path):
    outcome = subprocess.run(
        [tool, "apps", "init", MAIL, "--publisher", "com.contoso", "--group", "com.contoso.shared", "--group",
         "com.contoso.archive", "--json"],
        cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT_SECONDS,
    )
    assert (outcome.returncode, outcome.stderr) == (DONE, "")
    assert json.loads(outcome.stdout) == {
        "files": [f"./{MAIL}.desktop", "./entitlements.plist"], "redirect_uri": f"msauth.{MAIL}://auth",
        "finish_args": [
            "--talk-name=org.secretstorecache.Agent1", "--add-policy=SecretStoreCache.groups=com.contoso.shared",
            "--add-policy=SecretStoreCache.groups=com.contoso.archive",
            "--add-policy=SecretStoreCache.publisher=com.contoso",
        ],
        "grants": [],
    }
    manifest = tmp_path / f"{MAIL}.desktop"
    subprocess.run(["desktop-file-validate", manifest], check=True, timeout=LIMIT_SECONDS)
    entitlements = plistlib.loads((tmp_path / "entitlements.plist").read_bytes())
    assert entitlements == {
        "com.apple.developer.team-identifier": "com.contoso",
        "application-identifier": f"$(AppIdentifierPrefix){MAIL}",
        "keychain-access-groups": [
            "$(AppIdentifierPrefix)com.contoso.shared", "$(AppIdentifierPrefix)com.contoso.archive",
        ],
    }
    assert len(os.listdir(tmp_path)) == 2 and manifest.stat().st_mode & 0o133 == 0


def test_init_without_a_group_lists_the_default_group(tool, tmp_path):
    subprocess.run([tool, "apps", "init", MAIL], cwd=tmp_path, check=True, capture_output=True, timeout=LIMIT_SECONDS)
    assert "X-KeychainAccessGroups=com.microsoft.adalcache;\n" in (tmp_path / f"{MAIL}.desktop").read_text()
    entitlements = plistlib.loads((tmp_path / "entitlements.plist").read_bytes())
    assert entitlements["keychain-access-groups"] == ["$(AppIdentifierPrefix)com.microsoft.adalcache"]


@pytest.mark.parametrize("options, grants", [
    ([], [f"sso-cache grant {MAIL} com.microsoft.adalcache"]),
    (["--group", "com.contoso.shared"], []),
    (["--group", "com.fabrikam.shared"], [f"sso-cache grant {MAIL} com.fabrikam.shared"]),
    (["--publisher", "com.contoso", "--group", "com.microsoft.adalcache"], []),
    (["--publisher", "contoso", "--group", "com.contoso.shared"],
     [f"sso-cache grant {MAIL} com.contoso.shared --publisher contoso"]),
])
def test_init_says_which_groups_a_sandboxed_app_needs_a_grant_for(tool, tmp_path, options, grants):
    command = [tool, "apps", "init", MAIL, *options]
    outcome = subprocess.run([*command, "--json"], cwd=tmp_path, capture_output=True, timeout=LIMIT_SECONDS)
    assert json.loads(outcome.stdout)["grants"] == grants
    for name in os.listdir(tmp_path):
        os.unlink(tmp_path / name)
    outcome = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT_SECONDS)
    assert all(grant in outcome.stdout for grant in grants)
    assert ("grants them" in outcome.stdout) == bool(grants)


def test_a_manifest_written_by_init_is_effective_where_it_is_installed(desktop, tool, tmp_path):
    subprocess.run(
        [tool, "apps", "init", MAIL, "--publisher", "contoso", "--group", "com.contoso.shared",
         "--directory", tmp_path],
        check=True, capture_output=True, timeout=LIMIT_SECONDS,
    )
    text = (tmp_path / f"{MAIL}.desktop").read_text().replace(f"Exec={MAIL}", "Exec=true")
    path = desktop.add(desktop.home, MAIL, text)
    desktop.index(desktop.home)
    app = desktop.apps[str(path)]
    assert app["counts"] and app["problems"] == []
    assert (app["publisher"], app["groups"]) == ("contoso", ["com.contoso.shared"])


def test_every_command_accepts_inits_property_list(sso, tmp_path):
    cache, token = signed_in()
    sso.take(cache, "--publisher", "contoso")
    outcome = subprocess.run(
        [sso.tool, "apps", "init", MAIL, "--publisher", "contoso", "--group", sso.group, "--directory", tmp_path],
        capture_output=True, timeout=LIMIT_SECONDS,
    )
    assert outcome.returncode == DONE
    app = sso.with_options("--entitlements", str(tmp_path / "entitlements.plist"))
    assert app.token(CLIENT, ADA.username, "mail.read")["access_token"] == token


@pytest.mark.parametrize("there", [f"{MAIL}.desktop", "entitlements.plist"])
@pytest.mark.parametrize("kind", ["file", "link", "folder"])
def test_init_overwrites_no_file_and_then_writes_none(tool, tmp_path, there, kind):
    target = tmp_path / "target"
    target.write_text("precious")
    place = tmp_path / "place"
    place.mkdir()
    if kind == "file":
        (place / there).write_text("precious")
    elif kind == "link":
        (place / there).symlink_to(target)
    else:
        (place / there).mkdir()
    outcome = subprocess.run(
        [tool, "apps", "init", MAIL, "--directory", place, "--json"], capture_output=True, text=True,
        timeout=LIMIT_SECONDS,
    )
    assert (outcome.returncode, outcome.stdout) == (USAGE, "")
    assert json.loads(outcome.stderr)["error"]["code"] == "invalidArgument"
    assert os.listdir(place) == [there] and target.read_text() == "precious"
    if kind == "file":
        assert (place / there).read_text() == "precious"


@pytest.mark.parametrize(
    "arguments, status, code",
    [
        (["com/contoso"], USAGE, "invalidArgument"),
        (["../com.contoso"], USAGE, "invalidArgument"),
        (["com..contoso"], USAGE, "invalidArgument"),
        ([""], USAGE, "invalidArgument"),
        ([MAIL, "--publisher", "no spaces"], USAGE, "invalidArgument"),
        ([MAIL, "--group", "com.*"], USAGE, "invalidArgument"),
        ([MAIL, "--group", ""], USAGE, "invalidArgument"),
        ([MAIL, "--scheme", "a b"], USAGE, "invalidRedirectURI"),
        ([MAIL, "--scheme", "http"], USAGE, "invalidRedirectURI"),
        ([MAIL, "--scheme", "file"], USAGE, "invalidRedirectURI"),
        ([MAIL, "--scheme", f"msauth.{CALENDAR}"], USAGE, "invalidRedirectURI"),
        ([MAIL, "--scheme", "x;MimeType=text/html"], USAGE, "invalidRedirectURI"),
        (["org.example.my_app"], USAGE, "invalidRedirectURI"),
        ([MAIL, "--directory", "/proc/nonexistent"], STORAGE_OR_NETWORK, "storageFailed"),
        ([], USAGE, "invalidArgument"),
        ([MAIL, "extra"], USAGE, "invalidArgument"),
    ],
)
def test_init_refuses_invalid_arguments_and_writes_nothing(tool, tmp_path, arguments, status, code):
    outcome = subprocess.run(
        [tool, "apps", "init", *arguments, "--json"], cwd=tmp_path, capture_output=True, text=True,
        timeout=LIMIT_SECONDS,
    )
    assert (outcome.returncode, outcome.stdout) == (status, "")
    assert json.loads(outcome.stderr)["error"]["code"] == code
    assert os.listdir(tmp_path) == []


def test_a_custom_scheme_makes_a_redirect_uri_that_a_broker_accepts(tool, tmp_path):
    outcome = subprocess.run(
        [tool, "apps", "init", MAIL, "--scheme", "X-Suite", "--directory", tmp_path, "--json"],
        capture_output=True, text=True, timeout=LIMIT_SECONDS,
    )
    assert json.loads(outcome.stdout)["redirect_uri"] == f"X-Suite://{MAIL}"
    assert "MimeType=x-scheme-handler/x-suite;\n" in (tmp_path / f"{MAIL}.desktop").read_text()


# The examples.


def test_the_examples_manifests_match_their_property_lists(desktop):
    examples = ROOT / "examples"
    stated = {}
    for file in (examples / "Sources").glob("*/entitlements.plist"):
        entitlements = plistlib.loads(file.read_bytes())
        publisher = entitlements["com.apple.developer.team-identifier"]
        app = entitlements["application-identifier"].removeprefix("$(AppIdentifierPrefix)")
        groups = [name.removeprefix("$(AppIdentifierPrefix)") for name in entitlements["keychain-access-groups"]]
        stated[app] = (publisher, groups)
    for file in (examples / "applications").glob("*.desktop"):
        subprocess.run(["desktop-file-validate", file], check=True, timeout=LIMIT_SECONDS)
        desktop.add(desktop.shared, file.stem, file.read_bytes())
    apps = desktop.apps.values()
    assert {app["id"]: (app["publisher"], app["groups"]) for app in apps} == stated
    assert all(app["counts"] and refusals(app) == [] for app in apps)
