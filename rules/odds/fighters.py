"""Whose odds can be asked for: figures of ready-made gangs, and of the reader's own."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.translation import gettext as _

from accounts.language import rules_language
from rules import hooks
from rules.book.model import Book, Sample
from rules.engine.figure import Figure
from rules.hooks import Fighter

HAND = "hand"
Choices = list[tuple[str, str | list[tuple[str, str]]]]


def choices(request: HttpRequest, book: Book, digest: str) -> Choices:
    """Everybody there is to choose, by gang, and first of all a figure made by hand."""
    found: Choices = [(HAND, _("Custom profile"))]
    found += [(name, [*members]) for name, members in hooks.gangs.listed(request, digest)]
    for sample in book.samples:
        members = [
            (
                _key(sample, place),
                f"{member.name}, {book.rank[member.rank].name.translated(rules_language())}",
            )
            for place, member in enumerate(sample.members)
        ]
        found.append((_("%(gang)s (ready-made)") % {"gang": sample.name}, members))
    return found


def find(request: HttpRequest, book: Book, digest: str, key: str) -> Fighter | None:
    """The figure with this key; None if there is none, or none that the reader may see."""
    kind, _dot, rest = key.partition(".")
    if kind != "sample":
        return hooks.gangs.fighter(request, digest, key)
    gang, _dot, place = rest.partition(".")
    for sample in book.samples:
        for number, member in enumerate(sample.members):
            if (gang, place) == (sample.key, str(number)):
                settings = {**book.default_settings(), **sample.settings}
                figure = _figure(book, sample, number)
                return Fighter(key, member.name, sample.name, figure, settings)
    return None


def _key(sample: Sample, place: int) -> str:
    return f"sample.{sample.key}.{place}"


def _figure(book: Book, sample: Sample, place: int) -> Figure:
    member = sample.members[place]
    origin = member.origin
    if origin is None and book.origin_setting is not None:
        origin = str({**book.default_settings(), **sample.settings}[book.origin_setting])
    # Leaders are the first of their profession, then whoever comes first.
    alike = [
        (not book.rank[other.rank].leads, number)
        for number, other in enumerate(sample.members)
        if other.profession is not None and other.profession == member.profession
    ]
    return Figure(
        rank=member.rank,
        worth_rank=member.rank,
        origin=origin if origin in book.origin else None,
        profession=member.profession,
        first=bool(alike) and min(alike)[1] == place,
        points=member.points,
        traits=member.traits,
        items=member.items,
    )
