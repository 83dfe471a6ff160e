"""How far a backup is: its process writes lines, which the process that started it reads."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import IO, Self

# Bytes at the end of the lines so far, among which is the last one.
TAIL = 4_000


class Stage(StrEnum):
    """The parts of a backup, in their order."""

    COPY = "copy"
    PROOF = "proof"
    PICTURES = "pictures"
    CHECK = "check"
    KEEP = "keep"


LINE = re.compile(rf"({'|'.join(Stage)}) (\d{{1,12}})/(\d{{1,12}})")


@dataclass(frozen=True)
class Progress:
    """A stage, and how many of its gangs or pictures are done; 0 of 0 where nothing is counted."""

    stage: Stage
    done: int = 0
    total: int = 0

    def __str__(self) -> str:
        return f"{self.stage} {self.done}/{self.total}"

    @property
    def left(self) -> int:
        """The number of things still to be done in this stage."""
        return max(self.total - self.done, 0)

    @classmethod
    def parse(cls, line: str) -> Self | None:
        """Return the progress in a line; None for any other line."""
        found = LINE.fullmatch(line.strip())
        return found and cls(Stage(found[1]), int(found[2]), int(found[3]))


type Report = Callable[[Progress], object]


def ignore(progress: Progress) -> None:
    """Report to nobody."""


def read_last(lines: IO[bytes]) -> Progress | None:
    """Return the progress that a process has written last to this file; None if there is none."""
    # Both processes share the position in the file: do not move it.
    begin = max(os.fstat(lines.fileno()).st_size - TAIL, 0)
    told = os.pread(lines.fileno(), TAIL, begin).decode(errors="replace")
    found = [Progress.parse(line) for line in told.splitlines()]
    return next((one for one in reversed(found) if one is not None), None)
