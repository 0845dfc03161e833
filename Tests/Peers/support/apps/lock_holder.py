# SPDX-License-Identifier: MIT
"""The lock algorithms of the MSALs, each as a process that rewrites a file under its lock.

    lock_holder.py ALGORITHM LOCK FILE ROUNDS

ALGORITHM is dotnet, java, node, go or hold. In each round the program takes the lock, writes half of the file's
content, waits, and writes the whole again: whoever reads the file under the lock never sees a half. `hold` creates the
lock file and keeps it. A line is printed when the first lock is held, and one with the number of rounds at the end.
"""

import fcntl
import os
import sys
import time

PAUSE = 0.05


def dotnet(lock):
    """Extensions.Msal: open or create, flock, compare the inode; the file is removed before the lock is released."""
    for _ in range(600):
        file = os.open(lock, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(file).st_ino == os.stat(lock).st_ino:
                os.write(file, f"{os.getpid()} dotnet".encode())
                return lambda: (os.unlink(lock), os.close(file))
        except (BlockingIOError, FileNotFoundError):
            pass
        os.close(file)
        time.sleep(0.1)
    sys.exit("no lock")


def java(lock):
    """msal4jextensions: create the file, going on if that fails; then an fcntl lock on it."""
    for _ in range(60):
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            break
        except FileExistsError:
            time.sleep(0.1)
    for _ in range(60):
        file = os.open(lock, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lambda: (os.close(file), os.path.exists(lock) and os.unlink(lock))
        except OSError:
            os.close(file)
            time.sleep(0.1)
    sys.exit("no lock")


def node(lock):
    """msal-node-extensions: create the file, and nothing else."""
    for _ in range(100):
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            return lambda: os.unlink(lock)
        except FileExistsError:
            time.sleep(0.05)
    sys.exit("no lock")


def go(lock):
    """azd: flock on a file that is never removed."""
    file = os.open(lock, os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(file, fcntl.LOCK_EX)
    return lambda: os.close(file)


def main(algorithm, lock, path, rounds):
    if algorithm.startswith("hold"):
        take = {"hold-flock": go}.get(algorithm, node)
        take(lock)
        print("held", flush=True)
        time.sleep(60)
        return
    take = {"dotnet": dotnet, "java": java, "node": node, "go": go}[algorithm]
    with open(path, "rb") as file:
        whole = file.read()
    for count in range(int(rounds)):
        release = take(lock)
        with open(path, "wb") as file:
            file.write(whole[: len(whole) // 2])
            file.flush()
            if count == 0:
                print("held", flush=True)
            time.sleep(PAUSE)
            file.seek(0)
            file.write(whole)
        release()
        time.sleep(PAUSE)
    print(rounds, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
