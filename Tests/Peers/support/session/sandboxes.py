# SPDX-License-Identifier: MIT
"""Sandboxes like Flatpak's, made with bubblewrap, which Flatpak itself uses."""

import os
from pathlib import Path


def flatpak(metadata, locks=None):
    """The prefix of a command line that runs in a Flatpak with this metadata file, with the given lock
    folder mounted."""
    prefix = ["bwrap", "--proc", "/proc", "--dev", "/dev"]
    for folder in Path("/").iterdir():
        if folder.name in ("proc", "dev"):
            continue
        if folder.is_symlink():
            prefix += ["--symlink", os.readlink(folder), str(folder)]
        elif folder.is_dir():
            prefix += ["--bind", str(folder), str(folder)]
    if locks:
        prefix += ["--bind", str(locks), str(locks)]
    return [*prefix, "--ro-bind", str(metadata), "/.flatpak-info"]
