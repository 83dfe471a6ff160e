"""A worker's freed memory goes back to the system."""

from __future__ import annotations

import json
import platform
import subprocess
import sys

# Large pieces, freed by many threads, like a worker's requests. The largest comes first: after it,
# glibc would keep the others.
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


def test_allocator_returns_freed_memory_to_the_system() -> None:
    """With glibc only: with other libraries nothing is set, and the function returns False."""
    held, little = memory("held")
    _free, much = memory("free")
    assert held == (platform.libc_ver()[0] == "glibc")
    assert not held or much - little > 5
