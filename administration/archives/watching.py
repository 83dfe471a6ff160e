"""A shell that acts when the process that started it ends, even if that is killed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

# The shell's input closes when the process that started it ends.
WAIT = "trap '' HUP INT TERM; read -r _; "


@contextmanager
def when_ended(act: str, argument: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a shell that carries out ``act`` when this process or the context ends, unless the
    shell is killed before. ``argument``: its $1. Raises OSError."""
    with subprocess.Popen(
        ["sh", "-c", WAIT + act, "sh", argument],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # The shell must find its programs even if this process has no PATH.
        env={"PATH": f"{os.environ.get('PATH', '')}{os.pathsep}{os.defpath}"},
        # Ctrl-C must end this process but not the shell.
        start_new_session=True,
    ) as shell:
        yield shell
