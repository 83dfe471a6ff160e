"""The pages of a yearbook that tell of one gang each: its story, its games, and who is in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from django.utils.formats import date_format, number_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.chronicle import named, scenario
from campaigns.past import Past, PastGame, PastGang, PastSide
from campaigns.standings import Row
from campaigns.telling_chronicle import listed
from gangs.own_items import extended
from gangs.roster import Member, Roster
from gangs.wording import shown_name, spoken, with_unit
from rules.book import Book
from rules.costing import Points
from rules.vocabulary import Row as RulebookRow

# How many of the most dangerous a gang's page names.
FEARED = 3


@dataclass(frozen=True)
class Played:
    """A game of the gang. ``rating`` and ``size``: how the gang stood after it, "" if its post-game
    is still to be played."""

    day: date
    against: str
    scenario: str
    outcome: str
    rating: str
    size: str


@dataclass(frozen=True)
class Someone:
    """A member in short. ``about``: what he is; ``things``: what he can do, carries and suffers."""

    name: str
    about: str
    games: int
    taken_out: int
    experience: int
    things: str


@dataclass(frozen=True)
class GangPage:
    """What a yearbook tells of one gang. ``rated``: what the game calls a gang's worth, "" where
    gangs have none; ``gone``: who is no longer there, with what became of them; ``badge``: where
    the file of its badge lies, "" if it has none."""

    id: str
    name: str
    about: str
    rated: str
    facts: Sequence[tuple[str, str]]
    story: Sequence[str]
    games: Sequence[Played]
    members: Sequence[Someone]
    gone: Sequence[str]
    badge: str = ""

    @property
    def learns(self) -> bool:
        """Whether there is experience to tell of."""
        return any(member.experience for member in self.members)


def gang_pages(
    past: Past,
    standings: Iterable[Row],
    rosters: Mapping[str, Roster],
    badges: Mapping[str, str],
) -> Iterator[GangPage]:
    """A page for every gang that still exists, in the order of the standings."""
    lived: dict[str, list[tuple[PastGame, PastSide]]] = {}
    for game, side in past.sides():
        lived.setdefault(side.gang, []).append((game, side))
    for row in standings:
        gang = past.gang.get(row.gang)
        if gang is not None:
            made = _page(past, row, gang, lived.get(gang.id, []), rosters[gang.id])
            yield replace(made, badge=badges.get(gang.id, ""))


def _page(
    past: Past,
    row: Row,
    gang: PastGang,
    lived: Sequence[tuple[PastGame, PastSide]],
    roster: Roster,
) -> GangPage:
    book = extended(past.book, roster)
    return GangPage(
        id=gang.id,
        name=gang.name,
        about=_about(gang),
        rated=spoken(past.book.rating.name) if past.book.rating else "",
        facts=_facts(past, row, roster),
        story=list(_story(past, row, gang, lived)),
        games=[_played(past, gang, game, side) for game, side in lived],
        members=[_someone(book, member) for member in roster.members],
        gone=[
            _("%(name)s (%(fate)s)")
            % {"name": shown_name(book, one.member), "fate": _fate(book, one.fate)}
            for one in roster.departed
        ],
    )


def _about(gang: PastGang) -> str:
    """Whose it is, and whether it has left."""
    said = [_("led by %(owner)s") % {"owner": gang.owner}] if gang.owner else []
    if gang.left_at is not None:
        said.append(_("left on %(day)s") % {"day": _day(localtime(gang.left_at).date())})
    return " · ".join(said)


def _facts(past: Past, row: Row, roster: Roster) -> list[tuple[str, str]]:
    """The figures under its name."""
    facts = [
        (_("Place"), str(row.place)),
        (_("Won – drawn – lost"), f"{row.won} – {row.level} – {row.lost}"),
    ]
    if past.book.rating is not None:
        facts.append((spoken(past.book.rating.name), _worth(past, row.rating)))
    facts.append((_("Members"), str(len(roster.members))))
    facts.append((_("Enemies out"), str(row.taken_out)))
    return facts


def _story(
    past: Past, row: Row, gang: PastGang, lived: Sequence[tuple[PastGame, PastSide]]
) -> Iterator[str]:
    """Its time in the campaign in a few sentences."""
    joined = _day(localtime(gang.joined_at).date())
    if not lived:
        yield _("Joined on %(day)s and has not played yet.") % {"day": joined}
        return
    yield _("Joined on %(day)s.") % {"day": joined}
    moments = past.moments(gang)
    if past.book.rating is not None and moments:
        first = lived[0][1].rating
        yield _("It went into its first game with %(first)s and came out of the last with"
                " %(last)s.") % {
            "first": _worth(past, first), "last": _worth(past, moments[-1].rating)
        }  # fmt: skip
    met = Counter(
        other.who for game, side in lived for other in game.sides if other.who != side.who
    )
    if met:
        who, times = met.most_common(1)[0]
        yield ngettext(
            "It met %(name)s once.", "It met %(name)s most often: %(count)s times.", times
        ) % {"name": past.names[who], "count": times}
    feared = sorted(gang.story.people, key=lambda one: -one.taken_out)[:FEARED]
    if named_so := [_deadly(past.book, one.name, one.rank, one.taken_out) for one in feared
                    if one.taken_out]:  # fmt: skip
        yield _("Its most dangerous: %(names)s.") % {"names": listed(named_so)}
    dead = sum(one.kind == "died" for one in gang.story.happenings if one.game in past.game)
    if dead:
        yield ngettext(
            "It buried %(count)s of its own.", "It buried %(count)s of its own.", dead
        ) % {"count": dead}


def _deadly(book: Book, name: str, rank: str, number: int) -> str:
    called = name or spoken(named(book.rank, rank))
    return f"{called} ({number})"


def _played(past: Past, gang: PastGang, game: PastGame, side: PastSide) -> Played:
    after = {moment.game: moment for moment in gang.story.moments}.get(game.id)
    return Played(
        day=game.day,
        against=listed([past.names[other.who] for other in game.sides if other.who != side.who]),
        scenario=spoken(scenario(past.book, game)),
        outcome=spoken(past.book.campaign.outcome(game.result, side.kind)),
        rating=number_format(after.rating) if after else "",
        size=str(after.size) if after else "",
    )


def _someone(book: Book, member: Member) -> Someone:
    rank = spoken(named(book.rank, member.rank))
    profession = spoken(named(book.profession, member.profession)) if member.profession else ""
    conditions = [affliction.condition for affliction in member.afflictions]
    parts = [
        _names(book.trait, member.traits),
        _names(book.item, [owned.key for owned in member.items]),
        _names(book.condition, conditions),
    ]
    return Someone(
        name=shown_name(book, member),
        about=" · ".join(filter(None, (rank if member.name else "", profession))),
        games=member.games,
        taken_out=member.taken_out,
        experience=member.experience,
        things=" · ".join(filter(None, parts)),
    )


def _names(rows: Mapping[str, RulebookRow], keys: Iterable[str]) -> str:
    """What these are called, equal ones counted."""
    counted = Counter(spoken(named(rows, key)) for key in keys)
    return ", ".join(
        f"{name}\u00a0× {count}" if count > 1 else name for name, count in counted.items()
    )


def _fate(book: Book, fate: str) -> str:
    if fate == "dead":
        return _("dead")
    if fate == "dismissed":
        return _("dismissed")
    return spoken(named({row.key: row for row in book.campaign.departures}, fate))


def _worth(past: Past, rating: Points) -> str:
    unit = spoken(past.book.rating.unit) if past.book.rating else ""
    return with_unit(rating, unit)


def _day(day: date) -> str:
    return date_format(day, "j N Y")
