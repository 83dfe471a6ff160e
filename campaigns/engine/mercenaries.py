"""Mercenaries: members who left a gang of the campaign and can be hired for a game."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from campaigns.engine.crew import Whom, hired_key
from common.errors import Refusal
from gangs.engine.entries import Hired
from gangs.engine.errors import too_dear
from gangs.engine.roster import Member, Roster
from gangs.engine.valuation import hire_price
from rules.book.model import Book
from rules.book.season import Departure
from rules.engine.costing import Points, whole


@dataclass(frozen=True)
class Mercenary:
    """Somebody for hire. ``home``: the roster of ``gang``, which they left; ``price``: for one
    game."""

    gang: str
    home: Roster
    member: Member
    way: Departure
    price: Points

    @property
    def whom(self) -> Whom:
        """The gang that they left, and their id in it."""
        return self.gang, self.member.id

    @property
    def key(self) -> str:
        """Their key among the candidates for a crew."""
        return hired_key(*self.whom)


def pool(book: Book, homes: Iterable[tuple[str, Roster]]) -> tuple[Mercenary, ...]:
    """Everybody who left one of these gangs for hire and is free to play."""
    ways = book.campaign.departure
    return tuple(
        Mercenary(gang, home, departed.member, ways[departed.fate], price)
        for gang, home in homes
        for departed in home.departed
        if (price := hire_price(book, home, departed)) is not None
        and not _is_held(book, departed.member)
    )


def _is_held(book: Book, member: Member) -> bool:
    """Whether something without an end keeps them away, such as a captor. Absences that last for
    a number of games have passed since they left."""
    return not all(ailment.games_left for ailment in member.absences(book))


def work_out_pay(book: Book, roster: Roster, mercenary: Mercenary) -> Points:
    """The gang's price for them: 0 if the settings leave money out."""
    return mercenary.price if book.under(roster.settings).pays else 0


def why_not(
    book: Book, roster: Roster, game: str, mercenary: Mercenary, taken: Collection[Whom]
) -> Refusal | None:
    """Why the gang cannot hire them for the game; None if it can. ``taken``: the mercenaries of
    the game's other sides."""
    hands = [hired for hired in roster.hired if hired.game == game]
    if mercenary.whom in taken or mercenary.whom in {(hired.gang, hired.member) for hired in hands}:
        return Refusal("hired_already")
    if len(hands) >= book.campaign.hires:
        return Refusal("hires_full", maximum=book.campaign.hires)
    price = work_out_pay(book, roster, mercenary)
    if price and not roster.playing:
        return Refusal("hires_later")
    missing = whole(price - roster.treasury)
    if price and missing > 0:
        return too_dear(book, missing)
    return None


def hire(
    book: Book, roster: Roster, game: str, mercenary: Mercenary, taken: Collection[Whom]
) -> Hired:
    """The entry that hires them for the game. Raises Refusal, as ``why_not`` does."""
    refusal = why_not(book, roster, game, mercenary, taken)
    if refusal is not None:
        raise refusal
    return Hired(
        game=game,
        gang=mercenary.gang,
        member=mercenary.member.id,
        name=mercenary.member.name,
        rank=mercenary.member.rank,
        paid=work_out_pay(book, roster, mercenary),
    )
