# SPDX-License-Identifier: MIT
"""The tool's behaviour when its output cannot be written, and its error messages."""

import json
import os
import stat
import subprocess

import pytest

from few_threads import THREADS, with_few_threads
from people import ADA
from secret_items import group_collection, store_item, search
from sso_cache import DONE, STORAGE_OR_NETWORK, USAGE
from unified_cache import CLIENT, signed_in

# A command line of every command that prints, except `run`, whose command prints.
COMMANDS = [
    "groups", "groups --json", "partners --all", "partners --all --json",
    "accounts", "accounts --json", "export --format msal", "export --format adal-python",
    "export --format adal-objc", f"token --client-id {CLIENT} --account {ADA.identifier} --scope mail.read",
    "import --format msal CACHE", "watch", "watch --json", "doctor", "doctor --json",
    "secret get --service imap", "secret list", "secret remove --service imap", "secret set --service imap",
    f"sign-out --account {ADA.identifier} --everywhere --yes", "group create", "group lock", "group unlock",
    "group move", "group copy --from GROUP --to GROUP.copy", "group copy --from GROUP --to GROUP.copy --json",
    "group reset --yes", "group delete --yes", "apps list", "apps init com.contoso.mail --directory DIR",
    "grant com.fabrikam.App com.contoso.shared", "grants", "grants --json", "revoke com.fabrikam.App",
    "agent status", "agent status --json",
    "damaged list", "damaged export ID", "damaged remove ID --yes",
    "--version", "--help", "token --help", "--generate-completion-script bash", "--experimental-dump-help",
]


def leaves(command, words=()):
    below = [c for c in command.get("subcommands", []) if c["commandName"] != "help" and c["shouldDisplay"]]
    if not below:
        return [" ".join(words)]
    return [leaf for c in below for leaf in leaves(c, (*words, c["commandName"]))]


@pytest.mark.parametrize("command", ["groups --json", "accounts --json", "doctor --json", "secret get --service imap"])
def test_what_glib_tells_developers_is_not_in_the_output(line, command):
    environment = os.environ | {"G_MESSAGES_DEBUG": "all"}
    done = subprocess.run(line(command), env=environment, capture_output=True, timeout=60)
    assert done.returncode == DONE and b"DEBUG" in done.stderr, done
    assert b"DEBUG" not in done.stdout
    if "--json" in command:
        json.loads(done.stdout)


def test_every_command_is_in_the_table(tool):
    shown = json.loads(subprocess.check_output([tool, "--experimental-dump-help"]))["command"]
    named = {leaf for leaf in leaves(shown) if any(line.startswith(leaf) for line in COMMANDS)}
    assert set(leaves(shown)) - named == {"run"}


@pytest.fixture
def line(sso, bus, tmp_path):
    """The arguments of a line of the table, in a group with a signed-in user."""
    sso.take(signed_in()[0])
    sso.run("secret set", "--service", "imap", stdin=b"s3cr3t")
    (tmp_path / "cache.json").write_text(json.dumps(signed_in()[0]))

    def line(text):
        words = text.replace("CACHE", str(tmp_path / "cache.json")).replace("DIR", str(tmp_path)).replace("GROUP", sso.group).split()
        if text.startswith("group reset"):
            sso.do("group lock")
            for key in search(bus, kind="group-key", group=sso.group):
                key.delete()
        if "ID" in words:
            store_item(bus, group_collection(bus, sso.group), b"hello", "credentials", sso.group)
            [item] = sso.do("damaged")["damaged"]
            words[words.index("ID")] = item["id"]
        others = ("groups", "partners", "apps", "grant", "revoke", "agent", "-", "token --help", "group copy")
        takes_group = not text.startswith(others)
        return [sso.tool, *words, *([f"--group={sso.group}"] if takes_group else [])]

    return line


@pytest.mark.parametrize("redirection", [">/dev/full", ">&-", ">/dev/full 3>&1"])
@pytest.mark.parametrize("command", COMMANDS)
def test_output_that_cannot_be_written_is_an_error(line, command, redirection):
    shell = ["bash", "-c", f'exec "$@" {redirection}', "bash", *line(command)]
    done = subprocess.run(shell, input=b"s3cr3t", stderr=subprocess.PIPE, timeout=30)
    stderr = done.stderr.decode()
    assert done.returncode == STORAGE_OR_NETWORK, stderr
    assert "can't be written" in stderr
    if "--json" in command:
        assert json.loads(stderr.splitlines()[-1])["error"]["code"] == "storageFailed"


def test_a_folder_that_is_not_there_is_named_with_what_mends_it(tool, tmp_path):
    command = [tool, "apps", "init", "com.contoso.mail", "--directory", tmp_path / "absent"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert done.returncode == STORAGE_OR_NETWORK and f"{tmp_path}/absent" in done.stderr, done
    assert done.stderr.endswith("Name a folder that is there and that you may write to.\n"), done


# The commands that print what may hold tokens.
EXPORTS = ["export --format msal", "damaged export ID"]


@pytest.mark.parametrize("command", EXPORTS)
def test_an_export_is_a_file_that_only_the_user_can_read(line, tmp_path, command):
    export, file = line(command), tmp_path / "exported"
    done = subprocess.run([*export, "--output", file], capture_output=True, timeout=30)
    assert (done.returncode, done.stdout) == (DONE, b"")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_bytes() == subprocess.check_output(export, timeout=30)


@pytest.mark.parametrize("command", EXPORTS)
def test_a_hyphen_for_the_file_is_standard_output(line, tmp_path, command):
    export = line(command)
    done = subprocess.run([*export, "--output", "-"], capture_output=True, timeout=30, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (DONE, subprocess.check_output(export, timeout=30))
    assert not (tmp_path / "-").exists()


def test_json_needs_another_file_than_standard_output(line, tmp_path):
    export = [*line("export --format adal-objc"), "--json", "--output", "-"]
    done = subprocess.run(export, capture_output=True, timeout=30, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (USAGE, b"")


@pytest.mark.parametrize("command", ["export --format adal-objc", "damaged export ID"])
def test_json_is_asked_for_with_a_file_for_what_is_no_json(line, tmp_path, command):
    export, file = line(command), tmp_path / "exported"
    done = subprocess.run([*export, "--json"], capture_output=True, timeout=30)
    assert (done.returncode, done.stdout) == (USAGE, b"")
    assert "--json needs --output" in json.loads(done.stderr)["error"]["detail"]
    done = subprocess.run([*export, "--json", "--output", file], capture_output=True, timeout=30)
    assert done.returncode == DONE and json.loads(done.stdout) == {"output": str(file)}
    assert file.read_bytes() == subprocess.check_output(export, timeout=30)


@pytest.mark.parametrize("command", EXPORTS)
@pytest.mark.parametrize("kind", ["file", "link", "link to nothing", "directory"])
def test_an_export_replaces_no_file_and_follows_no_link(line, tmp_path, kind, command):
    other, file = tmp_path / "other", tmp_path / "exported"
    if kind == "file":
        file.write_text("kept")
    elif kind == "directory":
        file.mkdir()
    else:
        file.symlink_to(other)
        if kind == "link":
            other.write_text("kept")
    done = subprocess.run([*line(command), "--output", file], capture_output=True, timeout=30)
    assert (done.returncode, done.stdout) == (USAGE, b"")
    assert not other.exists() or other.read_text() == "kept"
    assert kind != "file" or file.read_text() == "kept"


@pytest.mark.parametrize("command", EXPORTS)
def test_an_export_that_cannot_be_written_leaves_no_file(line, tmp_path, command):
    export = line(command)
    for file, limit in ((tmp_path / "missing/exported", "unlimited"), (tmp_path / "exported", "0")):
        limited = ["bash", "-c", 'ulimit -f "$0"; trap "" XFSZ; exec "$@"', limit, *export, "--output", file]
        done = subprocess.run(limited, capture_output=True, text=True, timeout=30)
        assert done.returncode == STORAGE_OR_NETWORK and not file.exists()
        remedy = done.stderr.splitlines()[-1]
        assert remedy in (
            "Name a new file in a folder that is there and that you may write to.", "Write it to a place with room for it.")


@pytest.mark.parametrize("command", EXPORTS)
def test_an_export_into_a_file_without_a_name_is_a_mistake_of_the_command_line(line, command):
    done = subprocess.run([*line(command), "--output", ""], capture_output=True, text=True, timeout=30)
    assert done.returncode == USAGE and "Name the file of --output." in done.stderr


@pytest.mark.parametrize("typed, meant", [
    ("acounts", "accounts"), ("signout", "sign-out"), ("doktor", "doctor"), ("exprot", "export"),
    ("group crate", "create"), ("secret lst", "list"),
])
def test_a_misspelt_command_gets_a_suggestion(sso, typed, meant):
    done = subprocess.run([sso.tool, *typed.split()], capture_output=True, text=True)
    assert done.returncode == USAGE and f"Did you mean '{meant}'?" in done.stderr


def test_a_word_unlike_any_command_gets_no_suggestion(sso):
    done = subprocess.run([sso.tool, "frobnicate"], capture_output=True, text=True)
    assert done.returncode == USAGE and "Did you mean" not in done.stderr


@pytest.mark.parametrize("command", [
    "token --client-id C --account A", "sign-out", "secret set", "group reset", "import --format msal",
])
def test_a_usage_error_shows_the_usage_of_its_command(sso, command):
    done = subprocess.run([sso.tool, *command.split()], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    words = [word for word in command.split("--")[0].split()]
    assert done.returncode == USAGE
    assert f"sage: sso-cache {' '.join(words)}" in done.stderr.replace("USAGE", "Usage")


def test_the_version_is_printed(sso):
    done = subprocess.run([sso.tool, "--version"], capture_output=True, text=True)
    assert done.returncode == DONE and done.stdout.strip()


def test_a_missing_input_is_not_reported_as_a_damaged_store(sso, tmp_path):
    outcome = sso.run("import", "--format", "msal", tmp_path / "missing.json")
    assert outcome.status == USAGE and "No such file" in outcome.stderr and "doctor" not in outcome.stderr


# Arguments that are not valid text.


def test_an_argument_that_is_no_utf_8_is_refused_before_any_operation(sso):
    command = [os.fsencode(word) for word in sso.arguments("secret set", "--service", "imap", "--account")]
    for account in (b"j\xf6rg", b"j\xe4rg"):
        done = subprocess.run([*command, account], input=b"s3cr3t", capture_output=True, timeout=30)
        assert done.returncode == USAGE and b"not UTF-8" in done.stderr
    assert sso.do("secret list")["secrets"] == []


@pytest.mark.parametrize("command", [["accounts"], ["sign-out", "--whole-group", "--yes"]])
def test_without_proc_the_tool_exits_with_an_error_only(sso, command):
    hidden = ["bwrap", "--dev-bind", "/", "/", "--tmpfs", "/proc", *sso.arguments(*command)]
    done = subprocess.run(hidden, capture_output=True, text=True, timeout=30)
    assert done.returncode == STORAGE_OR_NETWORK and "/proc" in done.stderr and done.stdout == ""


# No process of this number has a thread, so that the whole limit is the tool's.
NOBODYS_USER = "61234"


@pytest.mark.parametrize("threads", [1, 2, 3, 4, 6, 8, 12, 15, 16, 17, 20])
@pytest.mark.parametrize("command", [["accounts"], ["doctor"], ["groups"]], ids=lambda command: command[0])
def test_few_threads_are_an_error_and_cause_no_hang(sso, command, threads):
    root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    rights = "+dac_override,+dac_read_search"  # The tool may be in a folder of another user.
    user = ["setpriv", f"--reuid={NOBODYS_USER}", "--clear-groups", f"--inh-caps={rights}", f"--ambient-caps={rights}"]
    limited = ["bash", "-c", f'ulimit -u {threads}; exec "$@"', "bash", *sso.arguments(*command)]
    done = subprocess.run([*root, *user, *limited], capture_output=True, text=True, timeout=30)
    if threads <= THREADS:
        assert done.returncode == STORAGE_OR_NETWORK and f"Fewer than {THREADS} threads" in done.stderr, done
    else:
        # The session's bus refuses another user.
        assert done.returncode not in (STORAGE_OR_NETWORK, -5) and "threads" not in done.stderr, done


@pytest.mark.parametrize("command", [["accounts"], ["doctor"], ["export", "--format", "msal"]], ids=lambda command: command[0])
def test_the_threads_without_which_it_does_not_run_are_sufficient(sso, few_threads, command):
    sso.take(signed_in()[0])
    done = subprocess.run(
        with_few_threads(sso.arguments(*command)), env=sso.environment | few_threads, capture_output=True, text=True,
        timeout=30)
    assert done.returncode == DONE, done


@pytest.mark.parametrize("number", [4, 6, 8, 11, 16])
@pytest.mark.parametrize("kind", ["-n", "-Sn"], ids=["hard", "soft"])
def test_few_open_files_are_sufficient_or_an_error_and_cause_no_crash(sso, kind, number):
    limited = ["bash", "-c", f'ulimit {kind} {number}; exec "$@"', "bash", *sso.arguments("accounts")]
    done = subprocess.run(limited, capture_output=True, text=True, timeout=30)
    assert done.returncode == (STORAGE_OR_NETWORK if kind == "-n" else DONE), done
    assert kind == "-Sn" or "Raise the limit with ulimit -n 1024" in done.stderr


@pytest.mark.parametrize("kind", ["-v", "-d"])
@pytest.mark.parametrize("megabytes", [100, 300, 700, 2047, 2048])
def test_little_memory_is_sufficient_or_an_error_and_causes_no_hang(sso, kind, megabytes):
    sso.take(signed_in()[0])
    limited = ["bash", "-c", f'ulimit {kind} {megabytes * 1024}; exec "$@"', "bash", *sso.arguments("accounts")]
    done = subprocess.run(limited, capture_output=True, text=True, timeout=15)
    assert done.returncode == (DONE if megabytes >= 2048 else STORAGE_OR_NETWORK), done
    assert megabytes >= 2048 or "Raise the limits with ulimit" in done.stderr
