"""The press's process: started when something is printed, replaced when it fails or grows old."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from contextlib import suppress

from django.conf import settings

from gangs.printing.press import Job

# Seconds that one print may take. Sixty members take six on a slow machine.
LONGEST_PRINT = 120
# Prints after which the process is replaced, so that it never grows for long.
MOST_PRINTS = 300


class Failed(Exception):
    """The press could not print a job."""


class Worker:
    """One process, for one thread to use."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._prints = 0

    def print(self, job: Job) -> bytes:
        """The job as a PDF. Raises Failed."""
        process = self._started()
        assert process.stdin is not None and process.stdout is not None
        deadline = threading.Timer(LONGEST_PRINT, process.kill)
        deadline.start()
        try:
            pickle.dump(job, process.stdin)
            process.stdin.flush()
            answer: bytes | str = pickle.load(process.stdout)  # noqa: S301 - Our own process.
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            self.stop()
            raise Failed("the press stopped") from error
        finally:
            deadline.cancel()
        self._prints += 1
        if self._prints >= MOST_PRINTS:
            self.stop()
        if isinstance(answer, str):
            raise Failed(answer)
        return answer

    def stop(self) -> None:
        """End the process, if there is one; the next print starts another."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()
        process.wait()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.stop()
            self._prints = 0
            self._process = subprocess.Popen(
                [sys.executable, "-m", "gangs.printing.press"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=settings.BASE_DIR,
            )
        return self._process
