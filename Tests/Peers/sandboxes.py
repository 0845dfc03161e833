# SPDX-License-Identifier: MIT
"""Sandboxes as Flatpak makes them, without Flatpak: by bubblewrap, which is what it uses."""

import os
from pathlib import Path


def flatpak(metadata):
    """What to put before a command line so that it runs in a Flatpak with this metadata, a file."""
    prefix = ["bwrap", "--proc", "/proc", "--dev", "/dev"]
    for folder in Path("/").iterdir():
        if folder.name in ("proc", "dev"):
            continue
        if folder.is_symlink():
            prefix += ["--symlink", os.readlink(folder), str(folder)]
        elif folder.is_dir():
            prefix += ["--bind", str(folder), str(folder)]
    return [*prefix, "--ro-bind", str(metadata), "/.flatpak-info"]
