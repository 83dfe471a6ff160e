"""Contexts of the pages of a figure, of an attempt and of its dice."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.language import rules_language
from campaigns.table.attempts.actions import Deed, RollOption, find_options
from campaigns.table.attempts.attempt import Who
from campaigns.table.attempts.forms import AttemptForm, OutcomeForm
from campaigns.table.attempts.roll import (
    Offer,
    PendingRoll,
    find_offers,
    foresee_offers,
    try_faces,
)
from campaigns.table.attempts.text import TypedDice, dice_lines, is_news
from campaigns.table.board import Board
from campaigns.table.pages import lines, table_page, waiting
from campaigns.table.text import describe
from gangs.cards.render import bearer_of, item_line, render_member
from gangs.cards.values import Card, ItemLine
from gangs.engine.computed import ComputedGang
from gangs.text.formats import localize
from rules.engine.odds import HOPELESS
from rules.odds.chances import Patience
from rules.odds.results import Result, ScoreDifference, result, with_spends


def home_of(board: Board, who: Who) -> str:
    """Return the address of a figure's page, or of the table for a side."""
    if isinstance(who, str):
        return reverse("campaigns:table-figure", args=[board.table.pk, who])
    return board.table.get_absolute_url()


def base_context(board: Board) -> dict[str, Any]:
    """Return the context that all these pages share."""
    return {
        "table": board.table,
        "book": board.book,
        "seat": board.seat,
        "now": board.now,
        "token": uuid.uuid4(),
        "title": table_page.title(board),
    }


# A figure.


@dataclass(frozen=True)
class RollLink:
    """A roll that may be made. ``query``: the parameters of its form's address."""

    roll: str
    name: str
    query: str


@dataclass(frozen=True)
class DeedLine:
    """An action that may be done. ``weapons``: its objects, if it throws no dice."""

    key: str
    name: str
    text: str
    cost: int
    affordable: bool
    repeated: bool
    throws: tuple[RollLink, ...]
    weapons: tuple[tuple[str, str], ...]


def figure_context(board: Board, figure: str) -> dict[str, Any]:
    """Return the context of a figure's page. Raises KeyError for no figure of this table."""
    person, found = board.names.people[figure], find_options(board.start, board.now, figure)
    home, member = person.home, person.member
    computed = ComputedGang.of(board.book, home, member)
    card = render_member(computed, member, rules_language())
    return {
        **base_context(board),
        "card": card,
        "figure": lines.figure(board, figure),
        "weapons": _weapons(computed, card, board, figure),
        "dues": waiting.dues(board, found.due),
        "follow_ups": waiting.follow_ups(board, found.follow_ups),
        "deeds": [_deed(board, figure, deed) for deed in found.deeds],
        "others": [_roll(board, figure, throw) for throw in found.others],
        "left": next((deed.left for deed in found.deeds), None),
    }


def _weapons(
    computed: ComputedGang, card: Card, board: Board, figure: str
) -> list[tuple[ItemLine, bool, list[str]]]:
    """Return a figure's items, each with whether it is lost and with its states."""
    now, member = board.now.figures[figure], board.names.people[figure].member
    bearer = bearer_of(computed, member)
    innate = [row for row in board.rules.items if row.innate]
    own = [item_line(computed, row.key, rules_language(), bearer=bearer) for row in innate]
    left = dict(now.lost)
    found = []
    for line in (*card.usable, *own):
        lost = left.get(line.key, 0) > 0
        if lost:
            left[line.key] -= 1
        states = [board.names.state(key) for key in now.item_states.get(line.key, ())]
        found.append((line, lost, states))
    return found


def _deed(board: Board, figure: str, deed: Deed) -> DeedLine:
    row = deed.action
    more = {"action": row.key} | ({"free": 1} if deed.repeated else {})
    return DeedLine(
        key=row.key,
        name=localize(row.name),
        text=localize(row.text) if row.text else "",
        cost=deed.cost,
        affordable=deed.affordable,
        repeated=deed.repeated,
        throws=tuple(_roll(board, figure, throw, **more) for throw in deed.throws),
        weapons=tuple((use.key, localize(use.name)) for use in deed.weapons),
    )


def _roll(board: Board, who: Who, throw: RollOption, **more: str | int) -> RollLink:
    query = urlencode({"by": who, **more})
    return RollLink(throw.roll.key, localize(throw.roll.name), query)


# An attempt.


def form_address(board: Board, form: AttemptForm) -> str:
    """Return the address of an attempt's form."""
    return reverse("campaigns:table-attempt", args=[board.table.pk, form.roll.key])


def form_context(
    board: Board,
    form: AttemptForm,
    typed: TypedDice | None = None,
    claim: OutcomeForm | None = None,
) -> dict[str, Any]:
    """Return the context of an attempt's form. ``typed``: the dice to type next; ``claim``: the
    form of an outcome without dice that needs more."""
    found, spends, problem = _odds(board, form)
    by = form.attempt.by
    return {
        **base_context(board),
        "form": form,
        "who": board.names.who(by),
        "home": home_of(board, by),
        "address": form_address(board, form),
        "odds": found,
        "spends": spends,
        "problem": problem,
        "shows_odds": shows_odds(board),
        "action": localize(form.action.name) if form.action else "",
        "typed": typed or TypedDice(),
        "claim": claim or OutcomeForm(form.asked, None),
        "asks_more": typed is not None or claim is not None,
    }


def _odds(board: Board, form: AttemptForm) -> tuple[Result | None, list[ScoreDifference], str]:
    """Return the odds, the differences that spending makes, and the reason if there are none."""
    if not form.valid:
        return None, [], _("Correct the marked fields.")
    if not form.usable:
        return (
            None,
            [],
            _("This roll is not possible like this: choose another weapon, target or state."),
        )
    if not shows_odds(board):
        return None, [], ""
    rows = [offer.spend for offer in foresee_offers(board.folded, form.attempt)]
    try:
        spends = [*with_spends(form.asked, rows)]
        return result(form.asked, form.compared, Patience()), spends, ""
    except HOPELESS:
        return None, [], _("These odds cannot be worked out.")


def shows_odds(board: Board) -> bool:
    """Whether the campaign shows odds at its tables."""
    game = board.table.game
    return game is None or game.campaign.odds_at_table


# Its dice.


def dice_context(
    board: Board,
    act: uuid.UUID,
    pending: PendingRoll,
    spending: Offer | None = None,
    typed: TypedDice | None = None,
) -> dict[str, Any]:
    """Return the context of an act's dice. ``spending``: the offer that is being used on them, with
    its ``typed`` dice."""
    made, rolled, names = pending.attempt, pending.rolled, board.names
    before = pending.before
    asked = made.question(board.start, before)
    dice = try_faces(asked, rolled) if rolled.faces else None
    offered = []
    if board.seat.taps and not pending.settled:
        offered = find_offers(board.folded, pending)
    numbers = {row.of: row for row in asked.roll.numbers}
    return {
        **base_context(board),
        "act": act,
        "pending": pending,
        "roll": localize(asked.roll.name),
        "who": names.who(made.by),
        "at": "" if made.at is None else names.who(made.at),
        "weapon": localize(asked.use.name) if asked.use else "",
        "dice": dice_lines(asked, dice.throws if dice else ()),
        "outcome": names.outcome(made.roll, rolled.outcome) if rolled.outcome else "",
        "numbers": [
            (localize(numbers[key].name), value, localize(numbers[key].unit or ""))
            for key, value in rolled.numbers.items()
            if key in numbers
        ],
        "brought": [
            describe(one.tap, names)
            for one in board.log
            if one.act == act
            and one.key not in board.now.struck
            and is_news(one.tap, pending.before)
        ],
        "offers": [
            (offer, localize(offer.spend.name), names.who(offer.payer)) for offer in offered
        ],
        "spending": spending,
        "typed": typed,
        "follow_ups": waiting.follow_ups(
            board, [one for one in board.now.follow_ups if one.act == act]
        ),
        "dues": waiting.dues(board, [one for one in board.now.due if one not in before.due]),
        "home": home_of(board, made.by),
        "anchor": f"#{lines.anchor(made.by)}" if isinstance(made.by, str) else "",
    }
