"""Member careers as a campaign shows them, with its games and who took out whom."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import reverse
from django.utils.translation import gettext as _

from campaigns.engine.report import Credit
from campaigns.statistics.chronicle import person_name
from campaigns.statistics.season_facts import Season, SeasonGame
from gangs.snapshots.career import Career, Chapter
from gangs.text.formats import localize

# A chapter, the address of its game ("" if the game is not one of the campaign's), and sentences
# from that game's report.
Line = tuple[Chapter, str, tuple[str, ...]]


def lines(season: Season, gang: str, career: Career) -> list[Line]:
    """Return the chapters of a career, with addresses and sentences for games of the campaign."""
    return [
        (
            chapter,
            reverse("campaigns:game", args=[game.id]) if game else "",
            tuple(_met(season, game, gang, career.member.id)) if game else (),
        )
        for chapter in career.chapters
        for game in [season.game.get(chapter.game)]
    ]


def _met(season: Season, game: SeasonGame, gang: str, member: int) -> Iterator[str]:
    """Yield sentences for this game: enemies the member took out, who took out the member."""
    sides = {side.gang: side for side in game.sides if side.gang}
    for side in sides.values():
        for victim, credit in side.report.credits.items():
            turn = side.report.turns.get(victim)
            if credit == Credit(gang=gang, member=member):
                values = {
                    "name": _name(season, side.gang, victim),
                    "gang": season.called(side),
                    "turn": turn,
                }
                if turn:
                    yield _("Took out %(name)s of %(gang)s in turn %(turn)s.") % values
                else:
                    yield _("Took out %(name)s of %(gang)s.") % values
            elif (side.gang, victim) == (gang, member) and credit.gang in sides:
                name = _name(season, credit.gang, credit.member)
                values = {"name": name, "gang": season.called(sides[credit.gang]), "turn": turn}
                if turn:
                    yield _("Taken out by %(name)s of %(gang)s in turn %(turn)s.") % values
                else:
                    yield _("Taken out by %(name)s of %(gang)s.") % values
    report = sides[gang].report if gang in sides else None
    if report is not None and member in report.turns and member not in report.credits:
        yield _("Out of action in turn %(turn)s.") % {"turn": report.turns[member]}


def _name(season: Season, gang: str, member: int) -> str:
    """Return a member's name for a sentence."""
    return localize(person_name(season, season.gang.get(gang), member)) or _("somebody")
