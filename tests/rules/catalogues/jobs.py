"""Work for tests of processes that do a single job."""

from __future__ import annotations

import os
import time
from collections.abc import Callable


def sleep(asked: bytes, report: Callable[[str], None]) -> bytes:
    """Answer too late."""
    time.sleep(60)
    return b""


def list_secrets(asked: bytes, report: Callable[[str], None]) -> bytes:
    """Answer with the names of the environment."""
    return " ".join(os.environ).encode()


def leave(asked: bytes, report: Callable[[str], None]) -> bytes:
    """End without an answer."""
    os._exit(0)


def answer_much(asked: bytes, report: Callable[[str], None]) -> bytes:
    """Answer with as many bytes as the question says."""
    return bytes(int(asked))
