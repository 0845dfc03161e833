# SPDX-License-Identifier: MIT
"""A small disk over a folder, and what fills it."""

import errno
import itertools
import os
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def small_disk(folder, options="", megabytes=1):
    """A disk of one megabyte, or some; only root can mount one."""
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
    subprocess.run([*prefix, "mount", "-t", "tmpfs", "-o", f"{options}size={megabytes}m,mode=700,uid={os.geteuid()}", "tmpfs", folder],
                   check=True)
    try:
        yield
    finally:
        subprocess.run([*prefix, "umount", "--lazy", folder], check=True)


@contextmanager
def keyrings_on_small_disk(copies):
    """The folder of the keyrings on a disk of its own, while the daemon runs; `copies` is a folder for copies."""
    keyrings = Path(os.environ["XDG_DATA_HOME"]) / "keyrings"
    before = shutil.copytree(keyrings, copies / "before")
    # It has room for the keyrings of all tests of a session.
    with small_disk(keyrings, megabytes=32):
        shutil.copytree(before, keyrings, dirs_exist_ok=True)
        try:
            yield keyrings
        finally:
            empty(keyrings)
            after = shutil.copytree(keyrings, copies / "after")
    for file in keyrings.iterdir():
        file.unlink()
    shutil.copytree(after, keyrings, dirs_exist_ok=True)


def remount(folder, access):
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
    subprocess.run([*prefix, "mount", "-o", f"remount,{access}", folder], check=True)


def fill(folder, lacks):
    """Leaves a disk without `space`, without `files`, of which it can have no more, or without `write access`."""
    if lacks == "write access":
        return remount(folder, "ro")
    try:
        if lacks == "files":
            for number in itertools.count():
                (folder / f"filler-{number}").touch()
        with open(folder / "filler", "wb", buffering=0) as filler:
            while filler.write(bytes(4096)):
                pass
    except OSError as error:
        assert error.errno == errno.ENOSPC


def empty(folder):
    """Takes away what fills a disk."""
    remount(folder, "rw")
    for filler in folder.glob("filler*"):
        filler.unlink()
