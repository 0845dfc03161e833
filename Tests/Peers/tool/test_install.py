# SPDX-License-Identifier: MIT
"""The files installed with the tool: manual pages and completions, generated from its commands."""

import json
import os
import re
import subprocess

import pytest

from repository import ROOT
from terminal import Terminal

pytestmark = pytest.mark.everything

INSTALL = ROOT / "Scripts/install"


def run(*arguments, **settings):
    settings = {"check": True, "timeout": 60} | settings
    return subprocess.run(list(map(str, arguments)), capture_output=True, text=True, **settings)


@pytest.fixture(scope="module")
def installed(tool, tmp_path_factory):
    """The directory into which a package installs the tool."""
    directory = tmp_path_factory.mktemp("package")
    environment = os.environ | {"DESTDIR": str(directory), "SSC_TOOL": tool}
    run(INSTALL, "--prefix", "/usr", env=environment)
    return directory / "usr"


@pytest.fixture(scope="module")
def commands(tool):
    """Every visible command, by its words."""
    found = {}

    def walk(words, command):
        if not command.get("shouldDisplay", True) or command["commandName"] == "help":
            return
        words = (*words, command["commandName"])
        found[words] = command
        for below in command.get("subcommands", []):
            walk(words, below)

    walk((), json.loads(run(tool, "--experimental-dump-help").stdout)["command"])
    return found


def environment(installed, home):
    return {
        "HOME": str(home), "PATH": f"{installed}/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TERM": "xterm",
        "XDG_DATA_DIRS": f"{installed}/share:/usr/share", "XDG_CONFIG_HOME": str(home),
    }


def files(directory):
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*") if not path.is_dir())


@pytest.fixture
def under_sudo(tmp_path):
    """The environment of a script under sudo, which records the commands to run as the caller."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "sudo").write_text(f'''#!/bin/bash
[[ "$1 $2 $3" == "-H -u #1234" ]] || exit 1
printf '%s\\n' "${{*:6}}" >>{tmp_path}/as-caller
exec "${{@:4}}"
''')
    (programs / "swift").write_text('''#!/bin/bash
[[ $1 == --version ]] || exit 3
echo "Swift version 6.3"
''')
    for program in programs.iterdir():
        program.chmod(0o755)
    return os.environ | {
        "PATH": f"{programs}:{os.environ['PATH']}", "SUDO_UID": "1234", "DESTDIR": str(tmp_path / "package")}


def as_root(*arguments, **settings):
    return run("unshare", "--user", "--map-root-user", *arguments, **settings)


def test_under_sudo_the_tool_runs_as_the_caller(under_sudo, tool, tmp_path):
    as_root(INSTALL, env=under_sudo | {"SSC_TOOL": tool})
    ran = (tmp_path / "as-caller").read_text()
    for shell in ("bash", "zsh", "fish"):
        assert f"{tool} --generate-completion-script {shell}" in ran
    assert f"manual-pages {tool}" in ran
    assert (tmp_path / "package/usr/local/bin/sso-cache").exists()


def test_under_sudo_the_tool_is_built_as_the_caller(under_sudo, tmp_path):
    without_tool = {name: value for name, value in under_sudo.items() if name != "SSC_TOOL"}
    assert as_root(INSTALL, env=without_tool, check=False).returncode == 3
    assert re.search("^swift build .*-c release", (tmp_path / "as-caller").read_text(), re.MULTILINE)
    assert not (tmp_path / "package").exists()


def test_a_package_has_the_tool_its_pages_and_its_completions(installed, commands):
    assert files(installed) == sorted([
        "bin/sso-cache",
        "lib/systemd/user/secret-store-agent.service",
        "libexec/secret-store-agent",
        "libexec/sso-cache-oidc",
        "share/dbus-1/interfaces/org.secretstorecache.Agent1.xml",
        "share/dbus-1/services/org.secretstorecache.Agent1.service",
        *(f"share/man/man1/{'-'.join(words)}.1" for words in commands),
        "share/bash-completion/completions/sso-cache",
        "share/zsh/site-functions/_sso-cache",
        "share/fish/vendor_completions.d/sso-cache.fish",
    ])
    assert os.access(installed / "bin/sso-cache", os.X_OK)
    assert os.access(installed / "libexec/sso-cache-oidc", os.X_OK)
    assert run(installed / "bin/sso-cache", "--help").stdout.startswith("OVERVIEW")


def test_the_tool_states_the_version_of_the_changelog(tool):
    assert run(tool, "--version").stdout == run(ROOT / "Scripts/support/version").stdout


def test_the_bus_starts_the_agent_where_it_is_installed(installed, tool, tmp_path):
    service = (installed / "share/dbus-1/services/org.secretstorecache.Agent1.service").read_text()
    assert "Exec=/usr/libexec/secret-store-agent\nSystemdService=secret-store-agent.service\n" in service
    unit = (installed / "lib/systemd/user/secret-store-agent.service").read_text()
    assert "BusName=org.secretstorecache.Agent1\nExecStart=/usr/libexec/secret-store-agent\n" in unit
    run(INSTALL, "--prefix=/opt", env=os.environ | {"DESTDIR": str(tmp_path), "SSC_TOOL": tool})
    service = (tmp_path / "opt/share/dbus-1/services/org.secretstorecache.Agent1.service").read_text()
    assert "Exec=/opt/libexec/secret-store-agent\n" in service and "Systemd" not in service
    assert not (tmp_path / "opt/lib").exists()


def test_an_uninstall_removes_only_what_was_installed(tool, tmp_path):
    other = tmp_path / "opt/bin/other"
    other.parent.mkdir(parents=True)
    other.touch()
    settings = {"env": os.environ | {"DESTDIR": str(tmp_path), "SSC_TOOL": tool}}
    run(INSTALL, "--prefix=/opt", **settings)
    stale = tmp_path / "opt/share/man/man1/sso-cache-gone.1"
    stale.touch()
    run(INSTALL, "--prefix=/opt", **settings)
    assert not stale.exists()
    run(INSTALL, "--prefix=/opt", "--uninstall", **settings)
    assert files(tmp_path) == ["opt/bin/other"]
    run(INSTALL, "--prefix=/opt", "--uninstall", **settings)


@pytest.mark.parametrize("arguments", [["--prefix"], ["--prefix", "relative"], ["--nonsense"], ["x"]])
def test_an_invalid_install_writes_nothing(tool, tmp_path, arguments):
    settings = {"env": os.environ | {"DESTDIR": str(tmp_path), "SSC_TOOL": tool}, "check": False}
    assert run(INSTALL, *arguments, **settings).returncode != 0
    assert files(tmp_path) == []


# Manual pages.


def test_the_pages_have_no_formatting_errors(installed, tmp_path):
    pages = sorted((installed / "share/man/man1").iterdir())
    lint = run("mandoc", "-Tlint", "-Wstyle", *pages, check=False).stdout.splitlines()
    references = [line for line in lint if "referenced manual not found" in line]
    assert [line for line in lint if line not in references] == []
    for line in references:
        name = re.search(r"Xr (\S+) 1", line)[1]
        assert (installed / f"share/man/man1/{name}.1").exists(), line
    for page in pages:
        shown = run("man", "--warnings", "-E", "UTF-8", "-l", page, env=environment(installed, tmp_path))
        assert shown.stderr == "" and shown.stdout


def test_a_page_has_the_helps_text(installed, commands, tmp_path):
    for words, command in commands.items():
        page = installed / f"share/man/man1/{'-'.join(words)}.1"
        shown = run("mandoc", "-Tutf8", "-Owidth=1000", page).stdout
        shown = re.sub(r".\x08", "", shown)
        text = " ".join(shown.split())
        assert command["abstract"].rstrip(".") in text
        for argument in command.get("arguments", []):
            assert " ".join(argument.get("abstract", "").split()) in text
            for name in argument.get("names", []):
                assert ("--" if name["kind"] == "long" else "-") + name["name"] in text
        for line in examples(command):
            assert " ".join(line.split()) in text


# Help.


def examples(command):
    _, _, text = command.get("discussion", "").partition("Examples:\n")
    return [line for line in text.partition("\n\n")[0].splitlines() if line]


def test_the_help_of_every_command_has_complete_examples(tool, commands):
    for words, command in commands.items():
        assert examples(command), words
        shown = run(tool, "help", *words[1:], env=os.environ | {"COLUMNS": "80"}).stdout.splitlines()
        for line in examples(command):
            assert line in shown, (words, line)
        assert " ".join(words) in " ".join(examples(command))


def test_the_examples_name_existing_commands_and_options(commands):
    for command in commands.values():
        for line in " ".join(examples(command)).replace("\\", "").split("sso-cache ")[1:]:
            words = ["sso-cache", *re.split(r" -- | \| ", line)[0].split()]
            name = max((known for known in commands if list(known) == words[:len(known)]), key=len)
            arguments = commands[name].get("arguments", [])
            options = {f"--{flag['name']}" for argument in arguments for flag in argument.get("names", [])}
            assert {word for word in words if word.startswith("--")} <= options, line
            assert len(name) > 1, line


# Completions.


def test_bash_completes_commands_and_options(installed, tmp_path):
    file = installed / "share/bash-completion/completions/sso-cache"

    def complete(*words):
        line = " ".join(words)
        script = f"""
            source {file}
            COMP_WORDS=({' '.join(f"'{word}'" for word in words)}) COMP_CWORD={len(words) - 1}
            COMP_LINE='{line}' COMP_POINT={len(line)} COMP_TYPE=9
            _sso-cache sso-cache '{words[-1]}' '{words[-2]}'
            printf '%s\\n' "${{COMPREPLY[@]}}"
        """
        done = run("bash", "--norc", "-c", script, env=environment(installed, tmp_path))
        assert done.stderr == ""
        return [word.strip() for word in done.stdout.split()]

    assert complete("sso-cache", "tok") == ["token"]
    assert complete("sso-cache", "run", "--key") == ["--keyring", "--key-fd"]
    assert "keyring-state" not in complete("sso-cache", "")


def test_zsh_completes_commands_and_options(installed, tmp_path):
    (tmp_path / ".zshrc").write_text(
        f"PS1='ready> '; fpath=({installed}/share/zsh/site-functions $fpath)\n"
        "autoload -Uz compinit; compinit -u -D\n")
    terminal = Terminal(["zsh", "-i"], environment(installed, tmp_path), columns=200)
    terminal.shows("ready> ")
    terminal.types("sso-cache tok\t")
    terminal.shows("en")
    terminal.types("--auth\t")
    terminal.shows("ority")
    terminal.types("\x15exit 3\r")
    assert terminal.end()[0] == 3


def test_fish_completes_commands_and_options(installed, tmp_path):
    def complete(line):
        done = run("fish", "-c", f"complete -C '{line}'", env=environment(installed, tmp_path))
        assert done.stderr == ""
        return [word.split("\t")[0] for word in done.stdout.splitlines()]

    assert complete("sso-cache tok") == ["token"]
    assert sorted(complete("sso-cache run --key")) == ["--key-fd", "--keyring"]
    assert "keyring-state" not in complete("sso-cache ")
