"""Changes for a gang under another version of the rules, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.language import rules_language
from gangs.cards.finding_lines import FindingLine, line
from gangs.engine.differences import Amount, Changes, Shift, Value
from gangs.engine.validation import Finding
from gangs.engine.version_change import Loss
from gangs.text.formats import localize
from rules.book.model import Book
from rules.book.vocabulary import Text

WHAT: dict[Amount, Promise] = {
    "rating": gettext_lazy("Rating"),
    "price": gettext_lazy("Price"),
    "budget": gettext_lazy("Budget"),
    "left": gettext_lazy("Left to spend"),
    "treasury": gettext_lazy("Treasury"),
    "size": gettext_lazy("Figures"),
    "games": gettext_lazy("Games"),
    "taken_out": gettext_lazy("Took out"),
    "experience": gettext_lazy("Experience"),
    "name": gettext_lazy("Name"),
    "rank": gettext_lazy("Rank"),
    "profession": gettext_lazy("Profession"),
    "origin": gettext_lazy("Origin"),
    "squad": gettext_lazy("Squad"),
    "owner": gettext_lazy("Belongs to"),
}
# The most lines of a summary.
MOST_LINES = 12


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
    """Changes of one member: values, and sentences. ``rank``: "" where the page does not show it,
    or where it is their name."""

    name: str
    shifts: tuple[ShiftLine, ...]
    sentences: tuple[str, ...]
    rank: str = ""


@dataclass(frozen=True)
class Differences:
    """Everything that changes for a gang. ``come`` and ``go``: findings."""

    shifts: tuple[ShiftLine, ...]
    sentences: tuple[str, ...]
    members: tuple[MemberLines, ...]
    come: tuple[FindingLine, ...] = ()
    go: tuple[FindingLine, ...] = ()

    def __bool__(self) -> bool:
        return any(vars(self).values())


def describe(changes: Changes, book: Book) -> Differences:
    """Describe ``changes``. ``book``: the new rulebook."""
    sentences = list(_losses(changes.losses))
    if changes.reads:
        names = ", ".join(localize(name) for name in changes.reads)
        sentences.append(_("Changed: %(things)s.") % {"things": names})
    members = []
    for member in changes.members:
        own = list(_losses(member.losses))
        if member.leaves:
            own.insert(0, _("Leaves the gang: there is no such rank any more."))
        shifts = shift_lines(member.shifts, book)
        members.append(MemberLines(localize(member.name), shifts, tuple(own)))
    return Differences(
        shifts=shift_lines(changes.shifts, book),
        sentences=tuple(sentences),
        members=tuple(members),
        come=_findings(changes.come),
        go=_findings(changes.go),
    )


def summary(differences: Differences) -> tuple[str, ...]:
    """The same in a few plain sentences."""
    lines = [str(shift) for shift in differences.shifts]
    lines += differences.sentences
    for member in differences.members:
        parts = (*map(str, member.shifts), *member.sentences)
        lines.append(_("%(name)s: %(what)s") % {"name": member.name, "what": " · ".join(parts)})
    lines += [line.text for line in differences.come]
    lines += [_("Resolved: %(finding)s") % {"finding": line.text} for line in differences.go]
    if len(lines) <= MOST_LINES:
        return tuple(lines)
    left = len(lines) - MOST_LINES
    more = ngettext("… and %(count)s more.", "… and %(count)s more.", left) % {"count": left}
    return (*lines[:MOST_LINES], more)


def _losses(losses: Iterable[Loss]) -> Iterable[str]:
    names = [localize(loss.name) for loss in losses]
    if names:
        yield _("No longer in the rules: %(things)s.") % {"things": ", ".join(names)}


def _findings(found: Iterable[Finding]) -> tuple[FindingLine, ...]:
    return tuple(line(finding, rules_language()) for finding in found)


def shift_lines(shifts: Iterable[Shift], book: Book) -> tuple[ShiftLine, ...]:
    """Values before and after, in words."""
    return tuple(
        ShiftLine(_what(shift.what, book), _value(shift.before), _value(shift.after))
        for shift in shifts
    )


def _what(what: Amount | Text, book: Book) -> str:
    if isinstance(what, Text):
        return localize(what)
    if what == "rating" and book.rating is not None:
        return localize(book.rating.name)
    if what == "squad" and book.squad_name is not None:
        return localize(book.squad_name)
    return str(WHAT[what])


def _value(value: Value) -> str:
    if value is None:
        return "–"
    return number_format(value) if isinstance(value, int | float) else localize(value)
