"""Luck in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.statistics.luck import GameLuck, Luck, Source, What, together
from rules.percent import precise_percent

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

# Smaller chances are shown as less than this.
LEAST = 0.001
SOURCES: Mapping[Source, _StrPromise] = {
    "app": gettext_lazy("rolled here"),
    "table": gettext_lazy("rolled at the table"),
    "phone": gettext_lazy("rolled on a phone, unverified"),
}


@dataclass(frozen=True)
class LuckLine:
    """The luck of a side. ``source``: who threw the dice; ``came``: successes and attempts;
    ``expected``: successes to expect; ``tail``: the chance of such luck; ``share``, ``mark``: came
    and expected on a bar of 100."""

    name: str
    source: str
    came: str
    expected: str
    tail: str
    what: What
    share: int
    mark: int


def luck_line(name: str, what: What, source: Source, found: Luck) -> LuckLine:
    """Return one line in the reader's language."""
    values = {"came": number_format(found.came), "tries": number_format(found.tries)}
    share = precise_percent(Fraction(found.tail)) if found.tail >= LEAST else _("<0.1%%") % ()
    more = _("this many or more: %(share)s") if found.more else _("this few or fewer: %(share)s")
    return LuckLine(
        name=name,
        source=str(SOURCES[source]),
        came=_("%(came)s out of %(tries)s") % values,
        expected=number_format(round(found.expected, 1), decimal_pos=1),
        tail=more % {"share": share},
        what=what,
        share=round(100 * found.came / found.tries),
        mark=round(100 * found.expected / found.tries),
    )


def game_lines(found: GameLuck, names: Sequence[str]) -> list[LuckLine]:
    """Return the luck of a game. ``names``: the names of its sides, in order."""
    return [
        luck_line(names[tries.side], tries.what, tries.source, together([tries]))
        for tries in found.tries
        if tries.side < len(names)
    ]


def in_short(lines: Iterable[LuckLine]) -> list[str]:
    """Return lines as sentences of a chronicle."""
    return [_sentence(line) for line in lines]


def _sentence(line: LuckLine) -> str:
    values = {
        "name": line.name,
        "came": line.came,
        "expected": line.expected,
        "tail": line.tail,
        "source": line.source,
    }
    if line.what == "fate":
        return (
            _("%(name)s: lost for good %(came)s, expected %(expected)s (%(tail)s; %(source)s)")
            % values
        )
    return _("%(name)s: as hoped %(came)s, expected %(expected)s (%(tail)s; %(source)s)") % values
