"""The press's process: started when something is printed, replaced when it fails or grows old."""

from __future__ import annotations

import logging
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import IO

from django.conf import settings

from printing.press import NO_PICTURES, Job

logger = logging.getLogger(__name__)

# Seconds that one print may take. Sixty members take six on a slow machine.
LONGEST_PRINT = 120
# Prints after which the process is replaced, so that it never grows for long.
MOST_PRINTS = 300


class Failed(Exception):
    """The press could not print a job."""


class Died(Failed):
    """Presses died while they printed a job, which may be the machine's fault as well as the
    job's: it is worth another try later."""

    WORDS = "every press that took it died"

    def __init__(self) -> None:
        super().__init__(self.WORDS)


class Worker:
    """One process, for one thread to use. ``longest``: seconds that one of its prints may take,
    LONGEST_PRINT unless said."""

    def __init__(self, longest: float | None = None) -> None:
        self._longest = longest
        self._process: subprocess.Popen[bytes] | None = None
        self._prints = 0

    def print(
        self,
        job: Job,
        pictures: Mapping[str, bytes] = NO_PICTURES,
        on_pages: Callable[[int], None] = lambda _pages: None,
    ) -> bytes:
        """Return the job as a PDF; if the press dies meanwhile, another tries once more.

        ``pictures``: those that it shows, by their names. ``on_pages``: called with how many pages
        are set. Raises Died if the second press dies, too, and Failed for anything else.
        """
        try:
            answer = self._try(job, pictures, on_pages)
        except Died:
            logger.warning("A press died while it printed: another tries once more")
            on_pages(0)
            answer = self._try(job, pictures, on_pages)
        if isinstance(answer, str):
            raise Failed(answer)
        return answer

    def _try(
        self, job: Job, pictures: Mapping[str, bytes], on_pages: Callable[[int], None]
    ) -> bytes | str:
        """Return what the press answers. Raises Died if it dies by itself, Failed if it is ended
        because it takes too long or is not needed any more."""
        process = self._started()
        assert process.stdin is not None and process.stdout is not None
        late = threading.Event()

        def give_up() -> None:
            late.set()
            process.kill()

        deadline = threading.Timer(self._longest or LONGEST_PRINT, give_up)
        deadline.start()
        try:
            pickle.dump((job, dict(pictures)), process.stdin)
            process.stdin.flush()
            answer = self._answer(process.stdout, on_pages)
        except (OSError, EOFError, pickle.UnpicklingError, ValueError) as error:
            ended = process is not self._process
            self.stop()
            if late.is_set():
                raise Failed("it takes too long") from error
            if ended:
                raise Failed("the press was ended") from error
            raise Died from error
        finally:
            deadline.cancel()
        self._prints += 1
        if self._prints >= MOST_PRINTS:
            self.stop()
        return answer

    def _answer(self, results: IO[bytes], on_pages: Callable[[int], None]) -> bytes | str:
        """What the press answers in the end; until then it tells how far it is."""
        while True:
            answer: bytes | str | int = pickle.load(results)  # noqa: S301 - Our own process.
            if not isinstance(answer, int):
                return answer
            on_pages(answer)

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
                [sys.executable, "-m", "printing.press"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=settings.BASE_DIR,
            )
        return self._process
