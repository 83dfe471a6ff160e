"""What another version of the rules would change for a gang, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gangs.findings import Finding
from gangs.remarks import FindingLine, line
from gangs.upgrade_changes import Amount, Changes, Shift, Shown
from gangs.upgrading import Loss
from gangs.wording import language, spoken
from rules.book import Book
from rules.vocabulary import Text

# What is told at most where a whole page would be too much.
MOST_TOLD = 12


@dataclass(frozen=True)
class ShiftLine:
    """One value before and after, in words."""

    what: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.what} {self.before} → {self.after}"


@dataclass(frozen=True)
class MemberLines:
    """What changes for one member: values, and sentences."""

    name: str
    shifts: tuple[ShiftLine, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Told:
    """Everything that changes for a gang. ``come`` and ``go``: findings."""

    shifts: tuple[ShiftLine, ...]
    sentences: tuple[str, ...]
    members: tuple[MemberLines, ...]
    come: tuple[FindingLine, ...]
    go: tuple[FindingLine, ...]

    def __bool__(self) -> bool:
        return any((self.shifts, self.sentences, self.members, self.come, self.go))


def told(changes: Changes, book: Book) -> Told:
    """``changes`` in words. ``book``: the one that would be gone over to."""
    sentences = list(_losses(changes.losses))
    if changes.reads:
        names = ", ".join(spoken(name) for name in changes.reads)
        sentences.append(_("Not what it was: %(things)s.") % {"things": names})
    members = []
    for member in changes.members:
        own = list(_losses(member.losses))
        if member.leaves:
            own.insert(0, _("Leaves the gang: there is no such rank any more."))
        shifts = tuple(_shift(shift, book) for shift in member.shifts)
        members.append(MemberLines(spoken(member.name), shifts, tuple(own)))
    return Told(
        shifts=tuple(_shift(shift, book) for shift in (*changes.shifts, *changes.settings)),
        sentences=tuple(sentences),
        members=tuple(members),
        come=_findings(changes.come),
        go=_findings(changes.go),
    )


def summary(told: Told) -> tuple[str, ...]:
    """The same in a few plain sentences."""
    lines = [str(shift) for shift in told.shifts]
    lines += told.sentences
    for member in told.members:
        parts = (*map(str, member.shifts), *member.sentences)
        lines.append(_("%(name)s: %(what)s") % {"name": member.name, "what": " · ".join(parts)})
    lines += [finding.text for finding in told.come]
    lines += [_("No longer said: %(finding)s") % {"finding": one.text} for one in told.go]
    if len(lines) <= MOST_TOLD:
        return tuple(lines)
    left = len(lines) - MOST_TOLD
    more = ngettext("… and %(count)s more.", "… and %(count)s more.", left) % {"count": left}
    return (*lines[:MOST_TOLD], more)


def _losses(losses: Iterable[Loss]) -> Iterable[str]:
    names = [spoken(loss.name) for loss in losses]
    if names:
        yield _("No longer in the rules: %(things)s.") % {"things": ", ".join(names)}


def _findings(found: Iterable[Finding]) -> tuple[FindingLine, ...]:
    return tuple(line(finding, language()) for finding in found)


def _shift(shift: Shift, book: Book) -> ShiftLine:
    return ShiftLine(_what(shift.what, book), _value(shift.before), _value(shift.after))


def _what(what: Amount | Text, book: Book) -> str:
    match what:
        case "rating":
            return spoken(book.rating.name) if book.rating else _("Rating")
        case "price":
            return _("Price")
        case "budget":
            return _("Budget")
        case "left":
            return _("Left to spend")
    return spoken(what)


def _value(value: Shown) -> str:
    if value is None:
        return "–"
    return number_format(value) if isinstance(value, int | float) else spoken(value)
