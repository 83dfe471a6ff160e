"""The server under attack: started as ``script/server`` starts it, in a folder of its own."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import django

from tests.hostile import measuring

if TYPE_CHECKING:
    from tests.hostile.elsewhere import Elsewhere

ROOT = Path(__file__).parent.parent.parent
# Only ends a start that hangs, on any machine.
PATIENCE = 300
RECORD = re.compile(r"^(?=\[?\d{4}-\d\d-\d\d[ T]|\{)", re.M)
FATAL = re.compile(
    r"Traceback \(most recent call last\)|Exception ignored|Segmentation fault"
    r"|Worker \(pid:\d+\) (was sent|exited)|WORKER TIMEOUT|failed to boot"
)
# A line of our code in a thread's stack.
OURS = re.compile(rf'File "{re.escape(str(ROOT))}/((?!\.venv)[^"]+)", line (\d+) in (\S+)')
KNOWN = re.compile(
    r"django\.security|Forbidden|Internal Server Error|Bad Request|Service Unavailable", re.I
)


def _program(pid: int | str) -> bytes:
    """Return a process's command line; "" if it has ended."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def _family(pid: int) -> list[int]:
    """Return a process and all its descendants."""
    found = [pid]
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += _family(int(child))
    return found


def _ticks(pid: int) -> int:
    """Return the processor time of a process in clock ticks; 0 if it has ended."""
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])
    return 0


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


class Site:
    """A running server; this process reads its database, too."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="skirmish-hostile-")
        self.port = free_port()
        for name in ("DEBUG", "SITE_URL", "ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "EMAIL_HOST"):
            os.environ.pop(name, None)
        os.environ |= {
            "DATA_DIR": self.folder.name,
            "SECRET_KEY": "a-key-for-the-hostile-only-" + "x" * 40,
            "HTTPS": "0",
            "HOST": "127.0.0.1",
            "PORT": str(self.port),
            "DEMO": "0",
            # Every request comes from another address, or the limits would end the attack.
            "TRUSTED_PROXIES": "1",
            "GUNICORN_CMD_ARGS": f"--config {ROOT / 'tests' / 'hostile' / 'measuring.py'}",
            "DJANGO_SETTINGS_MODULE": "skirmish.settings",
        }
        self.log = Path(self.folder.name) / "server.log"
        self.server: subprocess.Popen[bytes] | None = None
        self.elsewhere: Elsewhere | None = None

    def start(self) -> None:
        """Start the server and wait until it answers. Raises RuntimeError if it does not."""
        django.setup()
        # Lines that this process logs itself, when it makes a world, do not matter.
        logging.disable(logging.WARNING)
        if self.elsewhere is None:
            from tests.hostile.elsewhere import Elsewhere

            self.elsewhere = Elsewhere(Path(self.folder.name))
        with self.log.open("ab") as log:
            self.server = subprocess.Popen(
                ["script/server"], cwd=ROOT, stdout=log, stderr=log, start_new_session=True
            )
        end = time.monotonic() + PATIENCE
        while not self.answers():
            if time.monotonic() > end or self.server.poll() is not None:
                raise RuntimeError(f"The server did not start:\n{self.log.read_text()[-4000:]}")
            time.sleep(0.2)

    def answers(self) -> bool:
        """Whether the server accepts connections."""
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 5):
            return True
        return False

    def workers(self) -> list[int]:
        """Return the processes that answer: forks of the first, and no other programs that it
        started.
        """
        assert self.server is not None
        first = self.server.pid
        listed = Path(f"/proc/{first}/task/{first}/children").read_text()
        return [int(pid) for pid in listed.split() if _program(pid) == _program(first)]

    def failures(self) -> list[str]:
        """Return the failures in the log that no answer reported. A request that Django itself
        considers an attack is refused, which is not a failure.
        """
        records = RECORD.split(self.log.read_text(errors="replace"))
        return [
            record[-4000:]
            for record in records
            if FATAL.search(record) and not KNOWN.search(record.partition("\n")[0])
        ]

    def computed(self) -> float:
        """Return the seconds of processor time that all of the server's processes have used so
        far.
        """
        assert self.server is not None
        ticks = sum(_ticks(pid) for pid in _family(self.server.pid))
        return ticks / os.sysconf("SC_CLK_TCK")

    def busy_in(self) -> str:
        """Return the place in our code where the workers' busiest thread is, the innermost
        first.
        """
        before = len(self.log.read_text(errors="replace"))
        for pid in self.workers():
            os.kill(pid, measuring.TELL)
        time.sleep(1)
        told = self.log.read_text(errors="replace")[before:]
        frames = [
            OURS.findall(thread) for thread in told.split("\n\n") if OURS.search(thread) is not None
        ]
        longest = max(frames, key=len, default=[])
        return " < ".join(f"{path}:{line} {name}" for path, line, name in longest[:3])

    def restart(self) -> None:
        """End a server even if it hangs, and start it again on the same data. It gets another port,
        since processes that the first has started may listen a moment longer.
        """
        self._end(patience=1)
        self.port = free_port()
        os.environ["PORT"] = str(self.port)
        self.start()

    def stop(self) -> None:
        """Stop the server and delete its folder."""
        from django.db import connections

        connections.close_all()
        self._end(patience=20)
        if self.elsewhere is not None:
            self.elsewhere.stop()
        self.folder.cleanup()

    def _end(self, patience: float) -> None:
        if self.server is not None and self.server.poll() is None:
            self.server.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.server.wait(patience)
            # All processes that it started are in its session.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.server.pid, signal.SIGKILL)
            self.server.wait()
