# SPDX-License-Identifier: MIT
"""A limit on the threads of a program, which holds for root, too."""

import subprocess

from repository import ROOT

# As many threads beside the first as the tool asks for.
THREADS = 16


def limit_of_threads(folder):
    """Returns the variables under which a program gets THREADS threads beside its first."""
    library = folder / "few_threads.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, ROOT / "Tests/Peers/support/few_threads.c"], check=True)
    return {"LD_PRELOAD": str(library), "THREADS": str(THREADS)}


def with_few_threads(command):
    """Returns a command under a limit of the system at which the tool tries how many threads it gets."""
    return ["bash", "-c", 'ulimit -Su 4096; exec "$@"', "bash", *command]
