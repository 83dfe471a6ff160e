"""Contexts of the pages of a figure, of an attempt and of its dice."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.language import rules_language
from campaigns.table.attempts.actions import (
    Deed,
    Options,
    RollOption,
    attacks_first,
    find_options,
    is_attack,
)
from campaigns.table.attempts.answers import OpenRoll, describe_choice, join_sides, list_own
from campaigns.table.attempts.attempt import Who, side_of
from campaigns.table.attempts.dice_lines import DiceWords
from campaigns.table.attempts.forms import AttemptForm, OutcomeForm
from campaigns.table.attempts.roll import (
    Offer,
    PendingRoll,
    foresee_offers,
    try_faces,
)
from campaigns.table.attempts.text import (
    TypedDice,
    describe_free_end,
    describe_outcome,
    is_news,
)
from campaigns.table.board import Board
from campaigns.table.pages import lines, table_page, waiting
from campaigns.table.pages.waiting import ChoiceLine
from campaigns.table.taps import Dealt, Rolled
from campaigns.table.text import describe
from common.units import add_unit
from common.waiting import state as digest
from gangs.cards.render import bearer_of, item_line, render_member
from gangs.cards.values import Card, ItemLine, count_equal
from gangs.engine.computed import ComputedGang
from gangs.text.formats import localize
from rules.book.rolls import Roll
from rules.engine.expressions import Names as Values
from rules.engine.odds import HOPELESS
from rules.odds.chances import Patience, Question, loops_of
from rules.odds.explaining import Watch
from rules.odds.results import Result, ScoreDifference, name_round, result, with_spends

# Milliseconds between two requests for news of open dice.
DICE_PAUSE = 2_000


def home_of(board: Board, who: Who) -> str:
    """Return the address of a figure's page, or of the table for a side."""
    if isinstance(who, str):
        return reverse("campaigns:table-figure", args=[board.table.pk, who])
    return board.table.get_absolute_url()


def base_context(board: Board) -> dict[str, Any]:
    """Return the context that all these pages share. ``waits``: the state of the page for others'
    news: only the choices that wait for the reader, who may be filling in a form."""
    asked = list_own(board)
    return {
        "asked": asked,
        "waits": asked_state(board, asked),
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
class ItemTrouble:
    """A state of a figure's item. ``cure``: the action that ends it, as the form sends it, "" if
    there is none now; ``how``: its name; ``cost``: None where the game counts no points;
    ``again``, ``confirm``: as in ``DeedLine``."""

    item: str
    state: str
    cure: str = ""
    how: str = ""
    cost: int | None = None
    is_affordable: bool = True
    confirm: str = ""
    again: str = ""


@dataclass(frozen=True)
class DeedLine:
    """An action that may be done. ``weapons``: its objects, if it throws no dice; ``again``: the
    key of the caution about it; ``confirm``: the words of the button that does it all the same."""

    key: str
    name: str
    text: str
    cost: int
    is_affordable: bool
    is_repeated: bool
    throws: tuple[RollLink, ...]
    weapons: tuple[tuple[str, str], ...]
    confirm: str = ""
    again: str = ""


def figure_context(board: Board, figure: str) -> dict[str, Any]:
    """Return the context of a figure's page. Raises KeyError for no figure of this table."""
    person, found = board.names.people[figure], find_options(board.start, board.now, figure)
    home, member = person.home, person.member
    computed = ComputedGang.of(board.book, home, member)
    card = render_member(computed, member, rules_language())
    return {
        **base_context(board),
        # Phones keep this page.
        "waits": "",
        "card": card,
        "figure": lines.figure(board, figure),
        "weapons": _weapons(computed, card, board, figure),
        "troubles": _troubles(board, figure, found),
        "dues": waiting.dues(board, found.due, figure),
        "follow_ups": waiting.follow_ups(board, found.follow_ups),
        "deeds": [_deed(board, figure, deed) for deed in attacks_first(found.deeds)],
        "cautions": dict.fromkeys(localize(one.caution.text) for one in found.deeds if one.caution),
        "others": [_roll(board, figure, throw) for throw in found.others],
        "has_actions": bool(board.book.actions),
        "stopped": ", ".join(map(board.names.state, found.stopped)),
        "left": _left(board, found.deeds),
    }


def attacks_context(board: Board, figure: str) -> dict[str, Any]:
    """Return the context of a figure's attacks on the table's page: each roll that it can pay for,
    once; without actions, each roll."""
    found: dict[str, RollLink] = {}
    options = find_options(board.start, board.now, figure)
    for loose in () if board.book.actions else filter(is_attack, options.others):
        found[loose.roll.key] = _roll(board, figure, loose)
    for deed in options.deeds:
        if deed.affordable:
            line = _deed(board, figure, deed)
            for throw, link in zip(deed.throws, line.throws, strict=True):
                if is_attack(throw):
                    found.setdefault(link.roll, link)
    return {"table": board.table, "who": board.names.who(figure), "attacks": [*found.values()]}


def _left(board: Board, deeds: Sequence[Deed]) -> str:
    """Return the number of points left to pay actions, with the name of the points; "" where the
    game counts none."""
    left = next((deed.left for deed in deeds), None)
    if left is None:
        return ""
    activation = board.book.activation
    if activation is not None and activation.track:
        values = {"what": board.names.track(activation.track), "left": left}
        return _("%(what)s: %(left)s left") % values
    return ngettext("%(count)s action left", "%(count)s actions left", left) % {"count": left}


def _weapons(
    computed: ComputedGang, card: Card, board: Board, figure: str
) -> list[tuple[ItemLine, bool, list[str]]]:
    """Return a figure's items, each with whether it is lost and with its states; equal ones are in
    one line."""
    now, member = board.now.figures[figure], board.names.people[figure].member
    bearer = bearer_of(computed, member)
    innate = [row for row in board.rules.items if row.innate]
    own = [item_line(computed, row, rules_language(), bearer=bearer) for row in innate]
    left = dict(now.lost)
    found = []
    for line in (*card.usable, *own):
        lost = left.get(line.at_table, 0) > 0
        if lost:
            left[line.at_table] -= 1
        states = [board.names.state(key) for key in now.item_states.get(line.at_table, ())]
        found.append((line, lost, states))
    alike: dict[tuple[str, bool, tuple[str, ...]], list[ItemLine]] = {}
    for line, lost, states in found:
        alike.setdefault((line.at_table, lost, tuple(states)), []).append(line)
    return [
        (line, lost, list(states))
        for (_key, lost, states), lines in alike.items()
        for line in count_equal(lines)
    ]


def _troubles(board: Board, who: Who, found: Options | None = None) -> list[ItemTrouble]:
    """Return the states of a figure's items, each with the action that ends it. ``found``: the
    options of the figure, if they are known."""
    states = board.now.figures[who].item_states if isinstance(who, str) else {}
    troubles = [(item, state) for item, some in states.items() for state in some]
    if not troubles:
        return []
    deeds = (found or find_options(board.start, board.now, who)).deeds
    return [_trouble(board, who, item, state, deeds) for item, state in troubles]


def _trouble(board: Board, who: Who, item: str, state: str, deeds: Sequence[Deed]) -> ItemTrouble:
    names = board.names.item(who, item), board.names.state(state)
    for deed in deeds:
        ends = any(
            effect.kind == "ends" and effect.whom == "item" and effect.state == state
            for effect in deed.action.effects
        )
        if ends and any(use.item.key == item for use in deed.weapons):
            cost = None if deed.left is None else deed.cost
            cure, how = f"{deed.action.key} {item}", localize(deed.action.name)
            return ItemTrouble(*names, cure, how, cost, deed.affordable, *_caution(deed))
    return ItemTrouble(*names)


def _deed(board: Board, figure: str, deed: Deed) -> DeedLine:
    row = deed.action
    more = {"action": row.key} | ({"free": 1} if deed.repeated else {})
    confirm, again = _caution(deed)
    return DeedLine(
        key=row.key,
        name=localize(row.name),
        text=localize(row.text) if row.text else "",
        cost=deed.cost,
        is_affordable=deed.affordable,
        is_repeated=deed.repeated,
        throws=tuple(_roll(board, figure, throw, **more) for throw in deed.throws),
        weapons=tuple((use.key, localize(use.name)) for use in deed.weapons),
        confirm=confirm,
        again=again,
    )


def _caution(deed: Deed) -> tuple[str, str]:
    """Return the words of the button that does an action all the same, and the key of the caution
    about it; "" without one."""
    return (localize(deed.caution.name), deed.caution.key) if deed.caution else ("", "")


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
    *,
    notice: str = "",
) -> dict[str, Any]:
    """Return the context of an attempt's form. ``typed``: the dice to type next; ``claim``: an
    outcome without dice that is not complete; ``notice``: why the dice wait. An action that is
    called like its roll is not named."""
    found, spends, problem = _odds(board, form)
    by = form.attempt.by
    shared = base_context(board)
    action = localize(form.action.name) if form.action else ""
    return {
        **shared,
        # A page with half-typed dice is not replaced.
        "waits": "" if typed or claim else shared["waits"],
        "form": form,
        "who": board.names.who(by),
        "home": home_of(board, by),
        "address": form_address(board, form),
        "odds": found,
        "spends": spends,
        "problem": problem,
        "notice": notice,
        "shows_odds": shows_odds(board),
        "troubles": _troubles(board, by),
        "action": action if action != localize(form.roll.name) else "",
        "typed": typed or TypedDice(),
        "claim": claim or OutcomeForm(form.asked, None),
        "asks_more": typed is not None,
    }


def _odds(board: Board, form: AttemptForm) -> tuple[Result | None, list[ScoreDifference], str]:
    """Return the odds, the differences that spending makes, and the reason if there are none."""
    if not form.valid:
        return None, [], _("Correct the marked fields.")
    if form.free_end is not None:
        return None, [], describe_free_end(form.free_end)
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


@dataclass(frozen=True)
class OfferLine:
    """Something that can be spent on the dice. ``round``: the name of the round in which it counts,
    "" if there is only one; ``is_theirs``: it is the choice of another player."""

    choice: ChoiceLine
    round: str
    is_theirs: bool


def asked_state(board: Board, asked: Sequence[tuple[str, str]] | None = None) -> str:
    """Return the state of a page that only waits for choices of the reader; "" for a spectator."""
    if not board.seat.taps:
        return ""
    return digest(list_own(board) if asked is None else asked)


def dice_state(board: Board) -> str:
    """Return the state of a page with open dice, which changes with every tap."""
    return digest(board.table.seq)


def name_spent(asked: Question, rolled: Rolled, place: int) -> str:
    """Name something that was spent on a roll, with its round, such as "Luck: one die, Shot 2"."""
    key = rolled.spent[place]
    row = asked.book.spend.get(key)
    if row is None:
        return key
    numbers = rolled.spent_in[place] if place < len(rolled.spent_in) else ()
    paths = (zip(loops, numbers, strict=False) for loops in loops_of(asked, row))
    path = tuple(next(paths, ())) if numbers else ()
    return ", ".join(filter(None, (localize(row.name), name_round(asked, path))))


def _find_origins(board: Board, act: uuid.UUID) -> set[uuid.UUID]:
    """Return an act and those that it followed from, of which more may follow."""
    taps = [one.tap for one in board.log if one.act == act]
    return {act, *(tap.act for tap in taps if isinstance(tap, Dealt) and tap.act is not None)}


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
    watch, words = Watch(), DiceWords(asked, names, made)
    dice = try_faces(asked, rolled, watch) if rolled.faces else None
    roll = OpenRoll(board, act, pending)
    # The name of a loop's only round says nothing.
    names_rounds = len(dice.rounds if dice else ()) > 1
    offered = [
        OfferLine(
            describe_choice(roll, offer),
            name_round(asked, offer.path) if names_rounds else "",
            side_of(offer.payer) in roll.others,
        )
        for offer in sorted(roll.offers if board.seat.taps else (), key=lambda offer: offer.path)
        if side_of(offer.payer) in roll.undecided | roll.silent
    ]
    numbers = {row.of: row for row in asked.roll.numbers}
    return {
        **base_context(board),
        "act": act,
        "pending": pending,
        "roll": localize(asked.roll.name),
        "who": names.who(made.by),
        "at": "" if made.at is None else names.who(made.at),
        "weapon": localize(asked.use.name) if asked.use else "",
        "dice": words.lines(watch, dice.throws if dice else ()),
        "outcome": names.outcome(made.roll, rolled.outcome) if rolled.outcome else "",
        "says": _say_outcome(asked.roll, rolled.outcome, dice.names if dice else {}),
        "numbers": [
            (
                localize(numbers[key].name),
                add_unit(str(value), localize(numbers[key].unit or "")),
                words.receipt(watch, key, value),
            )
            for key, value in rolled.numbers.items()
            if key in numbers and (value or not asked.roll.outcomes)
        ],
        "brought": [
            describe(one.tap, names)
            for one in board.log
            if one.act == act
            and one.key not in board.now.struck
            and is_news(one.tap, pending.before)
        ],
        "spent": [name_spent(asked, rolled, place) for place in range(len(rolled.spent))],
        "own_offers": [line for line in offered if not line.is_theirs],
        "others_offers": [line for line in offered if line.is_theirs],
        "stands": join_sides(roll.own) if roll.wait else "",
        "silent": join_sides(roll.silent),
        "silent_names": " · ".join(names.who(side) for side in sorted(roll.silent)),
        "question": roll.question,
        "waits_for": " · ".join(names.who(side) for side in sorted(roll.others)),
        "wait": roll.wait,
        "asked": (),
        "waits": "" if pending.is_settled or typed else dice_state(board),
        "pause": DICE_PAUSE,
        "spending": spending,
        "spending_in": name_round(asked, spending.path) if spending else "",
        "typed": typed,
        "follow_ups": waiting.follow_ups(
            board, [one for one in board.now.follow_ups if one.act in _find_origins(board, act)]
        ),
        "dues": waiting.dues(board, [one for one in board.now.due if one not in before.due]),
        "home": home_of(board, made.by),
        "anchor": f"#{lines.anchor(made.by)}" if isinstance(made.by, str) else "",
    }


def _say_outcome(roll: Roll, key: str | None, names: Values) -> str:
    """Return the text of a roll's outcome, such as what a non-player does; "" without one."""
    found = next((one for one in roll.outcomes if one.key == key), None)
    return "" if found is None else describe_outcome(found, names)
