"""Words about crews: candidates, mercenaries, and the comparison of the sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.language import rules_language
from accounts.models import User
from campaigns.engine import mercenaries, underdog
from campaigns.engine.crew import Chance, CrewCandidate, Whom, hired_key, worth_of
from campaigns.engine.mercenaries import Mercenary
from campaigns.models import Game, Side
from campaigns.table.crews import hiring
from campaigns.table.crews.preparing import Preparation, homes_of, may_prepare, prepare_crew
from campaigns.text import sheet_address, side_names
from common.errors import Refusal
from gangs.cards.render import render_member
from gangs.cards.values import Card
from gangs.engine.computed import ComputedGang
from gangs.engine.roster import HiredHand, Roster, name_or_rank
from gangs.text.formats import (
    localize,
    money_unit,
    rank_name,
    say_amount,
    shown_name,
    with_unit,
)
from rules.book.model import Book
from rules.book.season import Award
from rules.engine.costing import Points, whole


@dataclass(frozen=True)
class HireLine:
    """A mercenary on offer, or ``hired``. ``whom``: the gang that they left, and their key there;
    ``refusal``: the reason why this side cannot hire them."""

    whom: Whom
    name: str
    home: str
    price: str
    way: str = ""
    card: Card | None = None
    hired: HiredHand | None = None
    refusal: Refusal | None = None

    @property
    def key(self) -> str:
        """The key of the mercenary."""
        return hired_key(*self.whom)


@dataclass(frozen=True)
class VersusLine:
    """One side of a planned game against the others. ``now``: its preparation; ``crew``: number and
    worth; ``behind``: distance to the strongest, with more than two gangs; ``due``: bonuses for the
    underdog; ``url``: the page that prepares it; ``sheet``: that of the gang. Both are "" for
    readers who may not open them."""

    side: Side
    name: str
    now: Preparation
    rating: str
    behind: str
    crew: str
    due: tuple[str, ...]
    url: str
    sheet: str


@dataclass(frozen=True)
class Versus:
    """The comparison of the sides of a planned game. ``rating_name``: "" in a game without ratings;
    ``has_dues``: the game has bonuses for underdogs; ``is_together``: all are on one side."""

    lines: tuple[VersusLine, ...]
    rating_name: str
    differences: tuple[str, ...]
    has_dues: bool
    is_together: bool = False

    @property
    def is_due(self) -> bool:
        """Whether a side gets a bonus as underdog."""
        return any(line.due for line in self.lines)


def chance_terms(chance: Chance) -> str:
    """Return the purpose of dice before the game, and the results that keep a member out."""
    return _("%(condition)s · %(dice)s, cannot play on %(totals)s") % {
        "condition": localize(chance.condition.name),
        "dice": chance.dice.upper(),
        "totals": ", ".join(map(str, chance.absent)),
    }


def crew_words(book: Book, crew: Sequence[CrewCandidate]) -> str:
    """Return the number of figures, and their worth in games with ratings."""
    size = ngettext("%(count)s figure", "%(count)s figures", len(crew)) % {"count": len(crew)}
    return " · ".join(filter(None, (size, rating_words(book, worth_of(crew)))))


def rating_words(book: Book, points: Points) -> str:
    """Return a rating with its unit, "" in a game without ratings."""
    return with_unit(points, localize(book.rating.unit)) if book.rating else ""


def candidate_label(book: Book, candidate: CrewCandidate) -> tuple[str, str]:
    """Return a candidate's name, and their rank, worth and hire."""
    member = candidate.member
    name = shown_name(book, member)
    parts = [rank_name(book, member) if member.name else "", rating_words(book, candidate.own)]
    if candidate.hired:
        parts.append(_("hired for this game"))
    for absence in candidate.brought:
        name_of_it = localize(absence.condition.name)
        parts.append(
            _("%(condition)s: tick to bring into this scenario") % {"condition": name_of_it}
        )
    return name, " · ".join(filter(None, parts))


def hire_lines(
    side: Side, sides: Sequence[Side], pool: Sequence[Mercenary]
) -> tuple[list[HireLine], list[HireLine]]:
    """Return the side's hired hands for its game, and the others on offer. Reads the gangs."""
    gang = side.gang
    assert gang is not None
    book, roster, game, unit = gang.book, gang.roster, side.game, money_unit(gang.book)
    names = {str(other.gang_id): other.name for other in sides}
    others = hiring.find_taken(game, sides, side)
    by_whom = {mercenary.whom: mercenary for mercenary in pool}
    hired_lines = []
    for hire in hiring.find_hired(gang, game):
        whom, price = (hire.gang, hire.member), with_unit(hire.paid, unit)
        known = by_whom.pop(whom, None)
        if known is not None:
            hired_lines.append(_hire_line(book, known, price, hired=hire))
        else:
            name = localize(name_or_rank(book, hire.name, hire.rank))
            hired_lines.append(HireLine(whom, name, names.get(hire.gang, ""), price, hired=hire))
    offers = []
    for mercenary in by_whom.values():
        refusal = mercenaries.why_not(book, roster, str(game.pk), mercenary, others)
        price = with_unit(mercenaries.work_out_pay(book, roster, mercenary), unit)
        offers.append(_hire_line(book, mercenary, price, refusal=refusal))
    return hired_lines, offers


def _hire_line(
    book: Book,
    mercenary: Mercenary,
    price: str,
    *,
    hired: HiredHand | None = None,
    refusal: Refusal | None = None,
) -> HireLine:
    home, member, way = mercenary.home, mercenary.member, localize(mercenary.way.name)
    card = render_member(ComputedGang.of(book, home, member), member, rules_language())
    return HireLine(mercenary.whom, card.shown_name, home.name, price, way, card, hired, refusal)


def versus(
    game: Game,
    sides: Sequence[Side],
    user: User | None,
    homes: Mapping[str, Roster] | None = None,
) -> Versus:
    """Compare the sides: ratings, crews, and bonuses for underdogs.

    Reads the sides' gangs. One query for the former gangs of hired hands, if there are any and the
    caller does not pass ``homes``.
    """
    rules = game.campaign.rules
    book = rules.book
    living = [side for side in sides if side.gang is not None]
    ratings = {side.pk: side.gang.rating for side in sides if side.gang is not None}
    if homes is None:
        homes = homes_of(living, game)
    is_together = book.who_plays.is_together
    due = underdog.dues(rules, ratings) if book.rating and not is_together else {}
    names = side_names(sides)
    lines = tuple(
        _versus_line(book, side, names[side.pk], homes, due.get(side.pk), user) for side in living
    )
    return Versus(
        lines=lines,
        rating_name=localize(book.rating.name) if book.rating else "",
        differences=() if is_together else _differences(book, lines),
        is_together=is_together,
        has_dues=bool(due) and underdog.is_known(rules),
    )


def _versus_line(
    book: Book,
    side: Side,
    name: str,
    homes: Mapping[str, Roster],
    due: underdog.Dues | None,
    user: User | None,
) -> VersusLine:
    assert side.gang is not None
    now = prepare_crew(side, homes)
    mine = user is not None and user.is_authenticated and may_prepare(side, user)
    return VersusLine(
        side=side,
        name=name,
        now=now,
        rating=rating_words(book, side.gang.rating),
        behind=rating_words(book, due.behind) if due and due.behind and due.sides > 2 else "",
        crew=crew_words(book, now.crew),
        due=tuple(_due_words(book, due)) if due else (),
        url=reverse("campaigns:prepare", args=[side.game_id, side.pk]) if mine else "",
        sheet=sheet_address(side.gang, user) if user is not None else "",
    )


def _differences(book: Book, lines: Sequence[VersusLine]) -> tuple[str, ...]:
    """Return the difference between two gangs, and between their crews if that differs; nothing for
    more than two, or in games without ratings."""
    if book.rating is None or len(lines) != 2:
        return ()
    rating, other_rating = (line.side.gang.rating if line.side.gang else 0 for line in lines)
    crew, other_crew = (worth_of(line.now.crew) for line in lines)
    apart, crews_apart = whole(rating - other_rating), whole(crew - other_crew)
    names = [line.name for line in lines]
    if apart:
        sentence = _("%(stronger)s is worth %(points)s more than %(weaker)s.")
        sentences = [sentence % _compared(book, names, apart)]
    else:
        sentences = [_("Both gangs are worth the same.")]
    if crews_apart and crews_apart != apart:
        sentence = _("Tonight’s stronger crew: %(stronger)s (%(points)s more).")
        sentences.append(sentence % _compared(book, names, crews_apart))
    elif not crews_apart and apart:
        sentences.append(_("Tonight’s crews are worth the same."))
    return tuple(sentences)


def _compared(book: Book, names: Sequence[str], apart: Points) -> dict[str, str]:
    """Return the values of a sentence about two sides; the first is ``apart`` points stronger."""
    stronger, weaker = names if apart > 0 else reversed(names)
    return {"stronger": stronger, "weaker": weaker, "points": rating_words(book, abs(apart))}


def _due_words(book: Book, due: underdog.Dues) -> list[str]:
    money = [
        f"{localize(row.name)}: {say_amount(book, amount, row.currency)}"
        for row, amount in due.money
    ]
    return money + [_award_words(book, award) for award in due.awards]


def _award_words(book: Book, award: Award) -> str:
    values = {
        "award": localize(award.name),
        "experience": localize(book.experience_word),
        "amount": str(award.amount),
    }
    ranks = [localize(book.rank[key].name) for key in award.of.ranks if key in book.rank]
    if ranks:
        values["ranks"] = ", ".join(ranks)
        return _("%(award)s: %(experience)s +%(amount)s (%(ranks)s)") % values
    return _("%(award)s: %(experience)s +%(amount)s") % values
