# SPDX-License-Identifier: MIT
"""A disk that does not answer, as that of a server that is gone: a real file system of which nobody serves a call.

    python3 silent_disk.py FOLDER

Mounts it over a folder, says so, and takes it away at the end of its input. Only root can mount one.
"""

import ctypes
import os
import subprocess
import sys
from contextlib import contextmanager

MNT_DETACH = 2


@contextmanager
def silent_disk(folder):
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
    command = [*prefix, sys.executable, __file__, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as mounted:
        assert mounted.stdout.readline() == b"mounted\n"
        try:
            yield
        finally:
            mounted.stdin.close()
            assert mounted.wait(30) == 0


def main(folder):
    library = ctypes.CDLL(None, use_errno=True)
    server = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    options = f"fd={server},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()},allow_other"
    path = os.fsencode(folder)
    if library.mount(b"silent", path, b"fuse", 0, options.encode()) != 0:
        raise OSError(ctypes.get_errno(), "mount")
    print("mounted", flush=True)
    sys.stdin.read()
    library.umount2(path, MNT_DETACH)
    # The calls that wait end now.
    os.close(server)


if __name__ == "__main__":
    main(sys.argv[1])
