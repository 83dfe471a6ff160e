"""The pages of a yearbook about single gangs: their story, games and members."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.utils.formats import number_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.dates import date_format
from campaigns.statistics.chronicle import scenario
from campaigns.statistics.season_facts import Season, SeasonGame, SeasonGang, SeasonSide
from campaigns.statistics.standings import Row
from campaigns.text import list_names
from gangs.engine.own_items import extend_book
from gangs.engine.roster import Member, Roster
from gangs.engine.timeline import Moment, Person
from gangs.text.formats import (
    count_names,
    fate_name,
    localize,
    outcome_name,
    rating_unit,
    shown_name,
    with_unit,
)
from rules.book.model import Book
from rules.book.vocabulary import Row as RulebookRow
from rules.book.vocabulary import name_of
from rules.engine.costing import Points

# The games and members that fit one page.
ON_ONE_PAGE = 60
# How many of the most dangerous members a gang's page names.
FEARED = 3


@dataclass(frozen=True)
class PlayedGame:
    """A game of the gang. ``after``: the gang's state then, None if its post-game is still to be
    played.
    """

    game: SeasonGame
    against: str
    scenario: str
    outcome: str
    after: Moment | None


@dataclass(frozen=True)
class MemberLine:
    """A member in short: rank and profession (``about``), record (``figures``), and traits, items
    and conditions (``things``).
    """

    name: str
    about: str
    figures: str
    things: str


@dataclass(frozen=True)
class GangPage:
    """A gang's page in a yearbook. ``row``: its line of the standings; ``gone``: former members,
    with their fates.
    """

    gang: SeasonGang
    row: Row
    about: str
    story: Sequence[str]
    games: Sequence[PlayedGame]
    members: Sequence[MemberLine]
    gone: Sequence[str]

    @property
    def short(self) -> bool:
        """Whether the gang fits one page."""
        return len(self.games) + len(self.members) <= ON_ONE_PAGE


def gang_pages(
    season: Season,
    standings: Iterable[Row],
    rosters: Mapping[str, Roster],
) -> Iterator[GangPage]:
    """Yield a page for every gang that still exists, in the order of the standings."""
    played: dict[str, list[tuple[SeasonGame, SeasonSide]]] = {}
    for game, side in season.sides():
        played.setdefault(side.gang, []).append((game, side))
    for row in standings:
        if row.gang not in season.gang:
            continue
        gang, roster, games = season.gang[row.gang], rosters[row.gang], played.get(row.gang, [])
        book = extend_book(season.book, roster)
        yield GangPage(
            gang=gang,
            about=_about(gang),
            row=row,
            story=list(_story(season, row, gang, games)),
            games=[_played(season, gang, game, side) for game, side in games],
            members=[_member_line(book, member) for member in roster.members],
            gone=[
                _("%(name)s (%(fate)s)")
                % {
                    "name": shown_name(book, departed.member),
                    "fate": fate_name(departed.fate, book),
                }
                for departed in roster.departed
            ],
        )


def _about(gang: SeasonGang) -> str:
    """Return the gang's owner, and the day it left or retired."""
    parts = [_("led by %(owner)s") % {"owner": gang.owner}] if gang.owner else []
    if gang.left_at is not None:
        parts.append(_("left on %(day)s") % {"day": _day(localtime(gang.left_at).date())})
    elif gang.retired_at is not None:
        day = _day(localtime(gang.retired_at).date())
        parts.append(_("retired on %(day)s") % {"day": day})
    return " · ".join(parts)


def _story(
    season: Season, row: Row, gang: SeasonGang, played: Sequence[tuple[SeasonGame, SeasonSide]]
) -> Iterator[str]:
    """Yield its time in the campaign in a few sentences."""
    joined = _day(localtime(gang.joined_at).date())
    if not played:
        yield _("Joined on %(day)s and has not played yet.") % {"day": joined}
        return
    yield _("Joined on %(day)s.") % {"day": joined}
    moments = season.moments(gang)
    if season.book.rating is not None and moments:
        first = played[0][1].rating
        yield _("It started its first game with %(first)s and finished the last with %(last)s.") % {
            "first": _worth(season, first), "last": _worth(season, moments[-1].rating)
        }  # fmt: skip
    met = Counter(
        other.who for game, side in played for other in game.sides if other.who != side.who
    )
    if met and season.book.who_plays.is_together:
        who, times = met.most_common(1)[0]
        yield ngettext(
            "It played with %(name)s once.",
            "It played with %(name)s most often: %(count)s times.",
            times,
        ) % {"name": season.names[who], "count": times}
    elif met:
        who, times = met.most_common(1)[0]
        yield ngettext(
            "It met %(name)s once.", "It met %(name)s most often: %(count)s times.", times
        ) % {"name": season.names[who], "count": times}
    feared = sorted(gang.timeline.people, key=lambda person: -person.taken_out)[:FEARED]
    if names := [_deadly(season.book, person) for person in feared if person.taken_out]:
        yield _("Its most dangerous: %(names)s.") % {"names": list_names(names)}
    dead = sum(row.kind == "died" and row.game in season.game for row in gang.timeline.events)
    if dead:
        yield ngettext(
            "It buried %(count)s of its own.", "It buried %(count)s of its own.", dead
        ) % {"count": dead}


def _deadly(book: Book, person: Person) -> str:
    name = person.name or localize(name_of(book.rank, person.rank))
    return f"{name} ({person.taken_out})"


def _played(season: Season, gang: SeasonGang, game: SeasonGame, side: SeasonSide) -> PlayedGame:
    others = list_names([season.names[other.who] for other in game.sides if other.who != side.who])
    if others and game.together:
        others = _("with %(names)s") % {"names": others}
    return PlayedGame(
        game,
        against=others,
        scenario=localize(scenario(season.book, game)),
        outcome=outcome_name(season.book, game.result, side.kind),
        after=next((moment for moment in gang.timeline.moments if moment.game == game.id), None),
    )


def _member_line(book: Book, member: Member) -> MemberLine:
    rank = localize(name_of(book.rank, member.rank))
    profession = localize(name_of(book.profession, member.profession)) if member.profession else ""
    parts = [
        _names(book.trait, member.traits),
        _names(book.item, [owned.key for owned in member.items]),
        _names(book.condition, [affliction.condition for affliction in member.afflictions]),
    ]
    return MemberLine(
        name=shown_name(book, member),
        about=" · ".join(filter(None, (rank if member.name else "", profession))),
        figures=", ".join(_figures(book, member)),
        things=" · ".join(filter(None, parts)),
    )


def _figures(book: Book, member: Member) -> Iterator[str]:
    """Yield a member's numbers that are not zero."""
    if member.games:
        yield ngettext("%(count)s game", "%(count)s games", member.games) % {"count": member.games}
    if member.taken_out:
        yield ngettext("%(count)s out", "%(count)s out", member.taken_out) % {
            "count": member.taken_out
        }
    if member.experience:
        # The number stays on the line of its name.
        name = localize(book.experience_word)
        yield f"{name}\N{NO-BREAK SPACE}{number_format(member.experience)}"


def _names(rows: Mapping[str, RulebookRow], keys: Iterable[str]) -> str:
    """Join the names of these keys, with equal ones counted."""
    return ", ".join(count_names(localize(name_of(rows, key)) for key in keys))


def _worth(season: Season, rating: Points) -> str:
    return with_unit(rating, rating_unit(season.book))


def _day(day: date) -> str:
    return date_format(day, "j N Y")
