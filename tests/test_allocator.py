"""What a worker has freed goes back to the system."""

from __future__ import annotations

import json
import platform
import subprocess
import sys

# Large pieces, freed by many threads: what a worker's requests do. The first is the largest, after
# which glibc would keep the others.
PROGRAM = """
import json, sys, threading
from skirmish.allocator import hold_back
held = sys.argv[1] == "held" and hold_back()

def read():
    together.wait()
    for size in (8 << 20, *[1 << 20] * 20):
        pieces = [bytes(size // 64) for _ in range(64)]
        keep.append(bytes(2000))
        del pieces
    together.wait()

together = threading.Barrier(12)
keep = []
threads = [threading.Thread(target=read) for _ in range(12)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
with open("/proc/self/status") as status:
    now = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
print(json.dumps([held, now / 1024]))
"""


def memory(how: str) -> tuple[bool, float]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, how], stdout=subprocess.PIPE, check=True, timeout=120
    )
    held, megabytes = json.loads(done.stdout)
    return held, megabytes


def test_little_is_kept() -> None:
    """By glibc, that is: other libraries are not told, and say so."""
    held, little = memory("held")
    _free, much = memory("free")
    assert held == (platform.libc_ver()[0] == "glibc")
    assert not held or much - little > 5
