# SPDX-License-Identifier: MIT
"""The recipes of the page "Headless machines", verbatim."""

import json
import os
import re
import shlex
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest

from headless import KEY, LIMIT_SECONDS, Headless, until
from repository import ROOT

PAGE = ROOT / "Sources/SecretStoreCache/Documentation.docc/HeadlessMachines.md"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def block(language, holding):
    [found] = [text for text in blocks(language) if holding in text]
    return found


def steps(text):
    """The commands in the steps of a workflow."""
    found = re.findall(r"^- run: (?:\|\n((?:    .*\n)+)|(.*)\n)", text, re.MULTILINE)
    return [re.sub(r"^ {4}", "", many, flags=re.MULTILINE) or one for many, one in found]


@pytest.fixture
def machine(tool):
    """A headless machine with the programs that the recipes run."""
    machine = Headless(tool)
    programs = machine.home / "bin"
    programs.mkdir()
    (programs / "sso-cache").symlink_to(tool)
    scripts = {
        "pass": f'test "$*" = "show keyring" && printf "%s\\n" "{KEY}"',
        "contoso-sync": "exec sso-cache secret set --service sync --account contoso </etc/hostname",
        "make": 'test "$*" = test && test -z "$KEYRING_KEY" && sso-cache secret list --json && contoso-sync >&2',
    }
    for name, script in scripts.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    machine.environment |= {"PATH": f"{programs}:/usr/bin:/bin", "RUNNER_TEMP": str(machine.temporary)}
    yield machine
    machine.remove()


def run(machine, script, shell="bash", **settings):
    settings = {"env": machine.environment, "cwd": machine.home, "stdin": subprocess.DEVNULL} | settings
    done = subprocess.run(
        [shell, "-e", "-c", script], capture_output=True, text=True, timeout=LIMIT_SECONDS, **settings)
    assert done.returncode == 0, done
    return done.stdout


def test_a_password_manager_supplies_the_key(machine):
    recipe = block("sh", "pass show keyring | sso-cache run")
    for shell in ("sh", "bash", "zsh", "fish"):
        if shell == "fish":
            recipe = recipe.replace("\n", "")
        done = subprocess.run(
            [shell, "-c", recipe], capture_output=True, text=True, env=machine.environment, cwd=machine.home,
            stdin=subprocess.DEVNULL, timeout=LIMIT_SECONDS)
        assert (done.returncode, done.stdout) == (0, "Nobody is signed in to com.microsoft.adalcache.\n"), done


def test_a_systemd_service_runs(machine):
    unit = block("ini", "[Service]")
    line = re.search(r"^ExecStart=(.*)$", unit, re.MULTILINE)[1]
    name = re.search(r"^LoadCredentialEncrypted=([^:]*):", unit, re.MULTILINE)[1]
    line = line.replace("/var/lib/contoso", str(machine.home / "state"))
    with tempfile.TemporaryDirectory(dir="/dev/shm") as credentials:
        Path(credentials, name).write_text(KEY)
        Path(credentials, name).chmod(0o400)
        service = machine.environment | {"CREDENTIALS_DIRECTORY": credentials}
        assert run(machine, line, env=service) == "Stored.\n"
        again = line.replace("contoso-sync", "sso-cache secret list --json")
        assert [item["account"] for item in json.loads(run(machine, again, env=service))["secrets"]] == ["contoso"]


def test_a_container_whose_first_process_is_the_run_works(machine):
    docker = block("dockerfile", "ENTRYPOINT")
    entry = json.loads(re.search(r"^ENTRYPOINT (.*)$", docker, re.MULTILINE)[1])
    command = json.loads(re.search(r"^CMD (.*)$", docker, re.MULTILINE)[1])
    entry = [argument.replace("/keyring", str(machine.home / "volume")) for argument in entry]
    (machine.home / "volume/lost+found").mkdir(parents=True)
    container = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
    container += [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    pipe = "pass show keyring | "
    assert run(machine, pipe + shlex.join([*container, *entry, *command])) == "Stored.\n"
    # The run adopts an orphan, and the signal of docker stop ends the command.
    script = "(sh -c 'exit 3' & echo $! >orphan); trap 'exit 7' TERM; echo ready; while :; do sleep 0.02; done"
    process = subprocess.Popen(
        ["bash", "-c", f"{pipe} exec {shlex.join([*container, *entry, 'sh', '-c', script])}"],
        env=machine.environment, cwd=machine.home, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    [first] = [
        pid for pid in machine.processes("sso-cache")
        if Path(f"/proc/{pid}/status").read_text().split("NSpid:")[1].split("\n")[0].split()[-1] == "1"
    ]
    orphan = (machine.home / "orphan").read_text().strip()
    until(lambda: not Path(f"/proc/{first}/root/proc/{orphan}").exists())
    os.kill(first, signal.SIGTERM)
    process.stdout.close()
    assert process.wait(timeout=LIMIT_SECONDS) == 7
    until(lambda: not machine.processes())


def test_a_job_with_a_generated_key_runs(machine):
    _, recipe = steps(block("yaml", "openssl rand"))
    assert json.loads(run(machine, recipe).split("\nStored", 1)[0]) == {"secrets": []}


def test_a_job_keeps_its_keyring_and_hides_the_key(machine):
    [recipe] = steps(block("yaml", "actions/cache"))
    job = machine.environment | {"KEYRING_KEY": KEY}
    assert json.loads(run(machine, recipe, env=job)) == {"secrets": []}
    assert [item["service"] for item in json.loads(run(machine, recipe, env=job))["secrets"]] == ["sync"]
