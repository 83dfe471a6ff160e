"""The chronicle in words, in the reader's language: plain for a feed, with links for a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from django.urls import reverse
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from campaigns.chronicle import Line, Value
from gangs.wording import money_unit, spoken, with_unit
from rules.book import Book
from rules.costing import Points
from rules.vocabulary import Text


def plain(book: Book, line: Line) -> str:
    """A line of the chronicle as a sentence."""
    said = {name: _said(book, value) for name, value in line.values.items()}
    return _SENTENCES[line.kind](line, said) % said


def linked(book: Book, campaign: object, line: Line) -> SafeString:
    """A line of the chronicle as a sentence whose people lead to what they lived through, and whose
    games to what is told of them."""
    said = {name: conditional_escape(_said(book, value)) for name, value in line.values.items()}
    careers = {"who": (line.gang, line.member), "hand": line.slayer or ("", 0)}
    for name, (gang, member) in careers.items():
        if gang and member and name in said:
            url = reverse("campaigns:career", args=[campaign, gang, member])
            said[name] = format_html('<a href="{}">{}</a>', url, said[name])
    sentence = _SENTENCES[line.kind](line, said)
    told = mark_safe(sentence % said)  # noqa: S308 (every value is escaped above)
    if line.kind in ("won", "level", "taken_back"):
        url = reverse("campaigns:game", args=[line.game])
        return format_html('<a href="{}">{}</a>', url, told)
    return told


def _said(book: Book, value: Value) -> str:
    if isinstance(value, tuple):
        return listed([spoken(part) for part in value])
    if isinstance(value, str | Text):
        return spoken(value)
    return _money(book, value)


def _money(book: Book, amount: Points) -> str:
    return with_unit(amount, money_unit(book))


def listed(names: Sequence[str]) -> str:
    """Names one after the other, as one says them."""
    if len(names) < 2:
        return "".join(names)
    return _("%(names)s and %(last)s") % {"names": ", ".join(names[:-1]), "last": names[-1]}


Said = Mapping[str, str]


def _won(line: Line, said: Said) -> str:
    if not line.values["others"]:
        return _("%(winners)s won: %(result)s.")
    if said["scenario"]:
        return _("%(winners)s beat %(others)s in “%(scenario)s”: %(result)s.")
    return _("%(winners)s beat %(others)s: %(result)s.")


def _level(line: Line, said: Said) -> str:
    if said["scenario"]:
        return _("%(others)s met in “%(scenario)s”: %(result)s.")
    return _("%(others)s met: %(result)s.")


def _taken_back(line: Line, said: Said) -> str:
    if said["by"] and said["why"]:
        return _("%(by)s took the game %(title)s back: “%(why)s”")
    if said["by"]:
        return _("%(by)s took the game %(title)s back.")
    return _("The game %(title)s was taken back.")


def _died(line: Line, said: Said) -> str:
    if said["hand"]:
        return _("%(who)s (%(gang)s) was killed by %(hand)s (%(hand_gang)s).")
    if said["others"]:
        return _("%(who)s (%(gang)s) died in the game against %(others)s.")
    return _("%(who)s (%(gang)s) died.")


def _honoured(line: Line, said: Said) -> str:
    return _("%(who)s (%(gang)s) leaves the field for good, and full of glory: %(what)s.")


def _left(line: Line, said: Said) -> str:
    return _("%(who)s left %(gang)s: %(what)s.")


def _dismissed(line: Line, said: Said) -> str:
    return _("%(gang)s dismissed %(who)s.")


def _promoted(line: Line, said: Said) -> str:
    return _("%(who)s (%(gang)s) rose to %(what)s.")


def _succeeded(line: Line, said: Said) -> str:
    return _("%(who)s (%(gang)s) took over: %(what)s.")


def _hurt(line: Line, said: Said) -> str:
    if said["hand"]:
        return _("%(who)s (%(gang)s) will remember %(hand)s (%(hand_gang)s) for long: %(what)s.")
    return _("%(who)s (%(gang)s) will remember the day for long: %(what)s.")


def _captured(line: Line, said: Said) -> str:
    if said["captor"]:
        return _("%(who)s (%(gang)s) fell into the hands of %(captor)s.")
    if said["others"]:
        return _("%(who)s (%(gang)s) fell into the hands of %(others)s.")
    return _("%(who)s (%(gang)s) was captured.")


def _freed(line: Line, said: Said) -> str:
    if line.values["amount"]:
        return _("%(gang)s bought %(who)s free for %(amount)s.")
    return _("%(who)s came back to %(gang)s.")


def _joined(line: Line, said: Said) -> str:
    if said["owner"]:
        return _("%(gang)s (%(owner)s) joined the campaign.")
    return _("%(gang)s joined the campaign.")


def _withdrew(line: Line, said: Said) -> str:
    return _("%(gang)s left the campaign.")


def _bargain(line: Line, said: Said) -> str:
    if said["payer"]:
        return _(
            "%(giver)s and %(taker)s came to terms: %(freed)s came free, and %(payer)s paid"
            " %(ransom)s."
        )
    return _("%(giver)s and %(taker)s came to terms: %(freed)s came free.")


def _corrected(line: Line, said: Said) -> str:
    if not said["by"]:
        return _("The history of %(gang)s was corrected.")
    if said["why"]:
        return _("%(by)s corrected the history of %(gang)s: “%(why)s”")
    return _("%(by)s corrected the history of %(gang)s.")


_SENTENCES: dict[str, Callable[[Line, Said], str]] = {
    "won": _won,
    "level": _level,
    "taken_back": _taken_back,
    "died": _died,
    "honoured": _honoured,
    "left": _left,
    "dismissed": _dismissed,
    "promoted": _promoted,
    "succeeded": _succeeded,
    "hurt": _hurt,
    "captured": _captured,
    "freed": _freed,
    "joined": _joined,
    "withdrew": _withdrew,
    "bargain": _bargain,
    "corrected": _corrected,
}
