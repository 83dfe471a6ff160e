"""The dice of an attempt: as they lie, what is spent on them, and what they bring."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from accounts.http import Request
from campaigns.access import open_to_spectators
from campaigns.refusals import refusal_sentence
from campaigns.table.access import player_seat_or_404, seat_or_404
from campaigns.table.attempts import outcomes
from campaigns.table.attempts import roll as spending
from campaigns.table.attempts.responses import common, home, say, to_dice
from campaigns.table.attempts.roll import Lying, Offer
from campaigns.table.attempts.telling import Telling, tell
from campaigns.table.attempts.text import dice_lines, is_news
from campaigns.table.board import Board, load
from campaigns.table.drawing import drawing
from campaigns.table.pages import waiting
from campaigns.table.pages.lines import anchor as figure_anchor
from campaigns.table.taps import AnyTap, Counted
from campaigns.table.text import describe
from common.errors import Refusal
from common.forms import number, require_safe_or_post
from gangs.text.formats import localized
from rules.engine.playing import Played


@open_to_spectators
@require_safe_or_post
def dice(request: Request, table_id: uuid.UUID, act: uuid.UUID) -> HttpResponse:
    """The dice of an attempt and what came of them. POST spends something on them, or lets them
    count as they lie."""
    seat = (player_seat_or_404 if request.method == "POST" else seat_or_404)(request, table_id)
    board = load(seat)
    lying = spending.find(board.start, board.now, board.log, act)
    if lying is None:
        raise Http404
    if request.method != "POST":
        return _page(request, board, act, lying)
    if lying.settled or number(request.POST.get("seen")) != lying.seen:
        # Somebody else was quicker: here is what they did.
        return to_dice(board, act)
    try:
        return _go_on(request, board, act, lying)
    except spending.IMPOSSIBLE:
        messages.error(request, _("These dice cannot be rolled here: count them as they are."))
        return to_dice(board, act)
    except Refusal as refusal:
        messages.error(request, refusal_sentence(refusal))
        return to_dice(board, act)


def _go_on(request: HttpRequest, board: Board, act: uuid.UUID, lying: Lying) -> HttpResponse:
    """Let the dice count, or spend something on them. Raises Refusal."""
    asked, key = lying.attempt.asked(board.start, lying.before), request.POST.get("spend", "")
    if not key:
        say(
            request,
            board,
            _counted(board, lying, spending.lying_dice(asked, lying.rolled)),
            act,
            lying.seen,
        )
        return to_dice(board, act)
    offered = spending.offers(board.start, board.now, board.log, lying)
    offer = next((one for one in offered if one.spend.key == key), None)
    if offer is None:
        return to_dice(board, act)
    if lying.rolled.thrown:
        with drawing(board.table, act, lying.seen) as dice:
            if dice is not None:
                played = spending.spent(asked, lying.rolled, key, spending.thrown_by(dice))
                say(request, board, _spent(board, lying, offer, played), act, lying.seen)
    else:
        telling = tell(
            request.POST,
            asked,
            lambda faces: spending.spent(asked, lying.rolled, key, spending.more_faces(faces)),
        )
        if isinstance(telling, Telling):
            return _page(request, board, act, lying, offer, telling)
        say(request, board, _spent(board, lying, offer, telling), act, lying.seen)
    return to_dice(board, act)


def _counted(
    board: Board, lying: Lying, played: Played, spent: tuple[str, ...] | None = None
) -> list[AnyTap]:
    """The taps of dice that count as they lie now."""
    made, rolled = lying.attempt, lying.rolled
    spent = rolled.spent if spent is None else spent
    last = outcomes.rolled_tap(made, played, thrown=rolled.thrown, spent=spent, lies=False)
    return [last, *outcomes.comes_of(board.start, lying.before, made, played)]


def _spent(board: Board, lying: Lying, offer: Offer, played: Played) -> list[AnyTap]:
    """The taps of something that is spent, and of what dice bring if nothing more can be."""
    costs: list[AnyTap] = []
    if offer.spend.track is not None:
        costs.append(Counted(figure=offer.payer, track=offer.spend.track, by=-1))
    spent = (*lying.rolled.spent, offer.spend.key)
    thrown = lying.rolled.thrown
    lies = outcomes.rolled_tap(lying.attempt, played, thrown=thrown, spent=spent, lies=True)
    there = lying.with_dice(lies)
    if spending.offers(board.start, board.now, board.log, there, offer):
        return [*costs, lies]
    return [*costs, *_counted(board, lying, played, spent)]


def _page(
    request: HttpRequest,
    board: Board,
    act: uuid.UUID,
    lying: Lying,
    spending_now: Offer | None = None,
    telling: Telling | None = None,
) -> HttpResponse:
    made, rolled, names = lying.attempt, lying.rolled, board.names
    asked = made.asked(board.start, lying.before)
    dice = spending.dice_of(asked, rolled) if rolled.faces else None
    offered = []
    if board.seat.taps and not lying.settled:
        offered = spending.offers(board.start, board.now, board.log, lying)
    numbers = {row.of: row for row in asked.roll.numbers}
    context = {
        **common(board),
        "act": act,
        "lying": lying,
        "roll": localized(asked.roll.name),
        "who": names.who(made.act.by),
        "at": "" if made.act.at is None else names.who(made.act.at),
        "weapon": localized(asked.use.name) if asked.use else "",
        "dice": dice_lines(asked, dice.throws if dice else ()),
        "outcome": names.outcome(made.roll, rolled.outcome) if rolled.outcome else "",
        "numbers": [
            (localized(numbers[key].name), value, localized(numbers[key].unit or ""))
            for key, value in rolled.numbers.items()
            if key in numbers
        ],
        "brought": [
            describe(one.tap, names)
            for one in board.log
            if one.act == act and one.key not in board.now.struck and is_news(one.tap, lying.before)
        ],
        "offers": [
            (offer, localized(offer.spend.name), names.who(offer.payer)) for offer in offered
        ],
        "spending": spending_now,
        "telling": telling,
        "follow_ups": waiting.follow_ups(
            board, [one for one in board.now.follow_ups if one.act == act]
        ),
        "dues": waiting.dues(board, [one for one in board.now.due if one not in lying.before.due]),
        "home": home(board, made.act.by),
        "anchor": f"#{figure_anchor(made.act.by)}" if isinstance(made.act.by, str) else "",
    }
    return render(request, "campaigns/table/attempts/dice.html", context)
