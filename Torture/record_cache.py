#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hammers one account with two processes, one of which reads from its record cache.

Run it by Scripts/torture --record-cache. The writer is killed and restarted, and the keyring daemon is
stopped until its saves time out. No read may return data older than the newest save that was acknowledged
before it began.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CONTROL = os.environ.get("SSC_KEYRING_CONTROL", "")


def control(*arguments):
    subprocess.run([CONTROL, *arguments], check=True, timeout=200, stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(prog="Scripts/torture --record-cache", description=__doc__.split("\n")[0])
    parser.add_argument("--reads", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--hammer", required=True)
    options = parser.parse_args()
    if not CONTROL:
        sys.exit("not in a private session; run Scripts/torture --record-cache")
    seed = random.SystemRandom().randrange(1_000_000) if options.seed is None else options.seed
    chance = random.Random(seed)
    directory = Path(tempfile.mkdtemp(prefix="record-cache-"))
    common = ["--group", f"com.contoso.record-cache-{seed}", "--acknowledged", str(directory / "acknowledged")]
    begin = time.monotonic()

    def write():
        return subprocess.Popen([options.hammer, "write", *common])

    writer = write()
    while not (directory / "acknowledged").exists() or (directory / "acknowledged").stat().st_size < 8:
        time.sleep(0.01)
    reader = subprocess.Popen(
        [options.hammer, "read", *common, "--reads", str(options.reads)], stdout=subprocess.PIPE, text=True)
    kills = stops = 0
    while reader.poll() is None:
        time.sleep(chance.uniform(0.2, 1.5))
        if chance.random() < 0.8:
            writer.kill()
            writer.wait()
            kills += 1
            writer = write()
        else:
            control("freeze")
            time.sleep(1.5)
            control("thaw")
            stops += 1
    writer.kill()
    writer.wait()
    reads, stale, failed, values = map(int, reader.stdout.read().split())
    print(
        f"seed {seed}: {reads} reads, {stale} stale, {failed} failed, {values} values seen; {kills} writers killed,"
        f" the daemon stopped {stops} times; {time.monotonic() - begin:.1f} s")
    return 0 if reader.returncode == 0 and stale == 0 and reads == options.reads and values > 10 else 1


if __name__ == "__main__":
    sys.exit(main())
