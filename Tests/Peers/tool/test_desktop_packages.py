# SPDX-License-Identifier: MIT
"""What a desktop reads of our apps: Flatpak manifests, .desktop files, metainfo and icons.

No Flatpak is built here, because that needs the runtimes of Flathub.
"""

import configparser
import json
import re
import subprocess
import xml.etree.ElementTree as xml

import pytest
import yaml

from repository import ROOT

pytestmark = pytest.mark.everything

AGENT = "--talk-name=org.secretstorecache.Agent1"
GROUPS, PUBLISHER = "--add-policy=SecretStoreCache.groups=", "--add-policy=SecretStoreCache.publisher="
# A folder with manifests, and where what its apps show of themselves is. A window's manifest comes with its package.
SHARES = {ROOT / "examples/flatpak": ROOT / "examples/applications"} | {
    share.with_name("flatpak"): share
    for share in (ROOT / "examples/desktop/share", ROOT / "Desktop/share") if share.exists()}
MANIFESTS = [path for folder in SHARES for path in sorted(folder.glob("*.yml"))]
ENTRIES = [path for share in SHARES.values() for path in sorted(share.rglob("*.desktop"))]

# Fabrikam states what isn't its own, so that the agent refuses it.
FORGERS = ["com.fabrikam.spy"]


def name(path):
    return path.name


def succeeds(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def entry(path):
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read(path)
    return parser["Desktop Entry"]


def initialized(tool, folder, app, publisher, groups):
    """The finish-args that `sso-cache apps init` prints for an app."""
    options = [f"--publisher={publisher}"] if publisher else []
    options += [f"--group={group}" for group in groups]
    done = succeeds(tool, "apps", "init", app, *options, "--directory", folder, "--json")
    return json.loads(done.stdout)["finish_args"]


@pytest.fixture(params=MANIFESTS, ids=name)
def manifest(request, tmp_path):
    """A manifest with its file, as flatpak-builder reads it."""
    # It makes a folder where it runs.
    shown = succeeds("env", "-C", tmp_path, "flatpak-builder", "--show-manifest", request.param)
    assert shown.stderr == ""
    read = yaml.safe_load(request.param.read_text())
    # flatpak-builder leaves out what it does not know.
    assert json.loads(shown.stdout)["finish-args"] == read["finish-args"]
    return request.param, read


def test_a_flatpak_is_built_with_swift_and_named_after_its_app(manifest):
    path, content = manifest
    assert path.stem == content["id"]
    assert content["sdk-extensions"] == ["org.freedesktop.Sdk.Extension.swift6"]
    assert content["sdk"] == content["runtime"].replace("Platform", "Sdk")
    # GNOME 49 is built on 25.08, for which the extension is.
    assert (content["runtime"], content["runtime-version"]) in [
        ("org.freedesktop.Platform", "25.08"), ("org.gnome.Platform", "49")]


def test_a_flatpak_installs_files_that_are_there_and_the_program_that_it_runs(manifest):
    path, content = manifest
    [module] = content["modules"]
    [source] = module["sources"]
    assert (path.parent / source["path"]).resolve() == ROOT
    build, *installs = module["build-commands"]
    package, product = re.fullmatch(
        r"swift build --package-path (\S+) -c release --static-swift-stdlib --product (\S+)", build).groups()
    assert product == content["command"]
    assert re.search(
        rf'\.executable(Target)?\(\s*name: "{product}"', (ROOT / package / "Package.swift").read_text())
    program, *data = installs
    assert program == f"install -D -t /app/bin {package}/.build/release/{product}"
    for command in data:
        file, folder = re.fullmatch(
            r"install -D -m 644 -t /app/share/\S+ (\S+)|cp -r (\S+/share) /app", command).groups()
        assert (ROOT / file).name.startswith(f"{content['id']}.") if file else folder
        assert (ROOT / (file or f"{folder}/applications/{content['id']}.desktop")).is_file()


def test_a_flatpak_may_do_what_apps_init_says(manifest, tool, tmp_path):
    path, content = manifest
    arguments = content["finish-args"]
    groups = [each.removeprefix(GROUPS) for each in arguments if each.startswith(GROUPS)]
    publishers = [each.removeprefix(PUBLISHER) for each in arguments if each.startswith(PUBLISHER)]
    if not groups:
        # It manages every group, past the agent.
        assert AGENT not in arguments and "--talk-name=org.freedesktop.secrets" in arguments
        return
    [publisher] = publishers
    expected = initialized(tool, tmp_path, content["id"], publisher, groups)
    assert [each for each in arguments if each in expected] == expected
    assert not [each for each in arguments if "org.freedesktop.secrets" in each or "session-bus" in each]
    for file in SHARES[path.parent].rglob(f"{content['id']}.desktop"):
        if content["id"] not in FORGERS:
            assert entry(file)["X-KeychainPublisher"] == publisher
            assert entry(file)["X-KeychainAccessGroups"] == "".join(f"{group};" for group in groups)


@pytest.mark.parametrize("path", ENTRIES, ids=name)
def test_a_desktop_file_is_valid(path):
    assert succeeds("desktop-file-validate", path).stdout == ""


def test_a_window_has_metainfo_which_names_its_desktop_file_and_its_icon(manifest):
    path, content = manifest
    files = {file.name: file for file in SHARES[path.parent].rglob(f"{content['id']}.*")}
    if "--socket=wayland" not in content["finish-args"]:
        assert not [file for file in files if not file.endswith(".desktop")]
        return
    app = content["id"]
    succeeds("appstreamcli", "validate", "--no-net", "--pedantic", files[f"{app}.metainfo.xml"])
    component = xml.parse(files[f"{app}.metainfo.xml"]).getroot()
    assert component.find("id").text == app
    assert component.find("launchable").text == f"{app}.desktop"
    assert entry(files[f"{app}.desktop"])["Icon"] == app
    assert xml.parse(files[f"{app}.svg"]).getroot().tag == "{http://www.w3.org/2000/svg}svg"
