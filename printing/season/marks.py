"""Signs of gangs on paper: their colours, or black, and their marks as pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from campaigns.statistics.signs import Sign
from gangs.pictures.faces import COLOURS

BLACK = "#000000"
MARK = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='-6 -6 12 12'%3E"
    "%3Cpath fill='{}' d='M0 0{}'/%3E%3C/svg%3E"
)


@dataclass(frozen=True)
class PrintedSign:
    """A gang's sign in a book."""

    colour: str
    shape: str

    @property
    def image(self) -> str:
        """The mark, for a stylesheet."""
        return f'url("{MARK.format(quote(self.colour), self.shape)}")'


def colours(*, ink: bool) -> Sequence[str]:
    """Return the colours that gangs are drawn in, by the numbers of their colours."""
    return [BLACK] * len(COLOURS) if ink else COLOURS


def print_signs(known_by: Mapping[str, Sign], *, ink: bool) -> dict[str, PrintedSign]:
    """Return the signs of a season in colour, or in black."""
    drawn = colours(ink=ink)
    return {gang: PrintedSign(drawn[sign.colour], sign.shape) for gang, sign in known_by.items()}
