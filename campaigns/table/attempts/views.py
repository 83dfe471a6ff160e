"""Pages of a figure at the table, of an attempt and of its dice."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import Request, actor
from campaigns.access import open_to_spectators
from campaigns.models import Table, TableEntry, TableSide, TableThrow
from campaigns.refusals import refusal_sentence
from campaigns.seeds import Dice, count_dice, next_dice
from campaigns.table import storage
from campaigns.table.access import player_seat_or_404, seat_or_404
from campaigns.table.attempts.actions import begin_attempt, find_options, pay_action
from campaigns.table.attempts.answers import (
    OpenRoll,
    Place,
    answer_place,
    count_declined,
    count_roll,
    sign_answer,
)
from campaigns.table.attempts.attempt import Attempt, side_of
from campaigns.table.attempts.dice_lines import DiceWords
from campaigns.table.attempts.effects import bring_dice, sort_taps
from campaigns.table.attempts.entering import say_outcome
from campaigns.table.attempts.forms import (
    ACTION,
    AGAIN,
    ALARM,
    AT,
    BY,
    AttemptForm,
    NobodyHere,
    OutcomeForm,
    read_form,
)
from campaigns.table.attempts.offline import list_attempts
from campaigns.table.attempts.pages import (
    asked_state,
    attacks_context,
    dice_context,
    dice_state,
    figure_context,
    form_address,
    form_context,
)
from campaigns.table.attempts.roll import (
    IMPOSSIBLE,
    Offer,
    PendingRoll,
    find_offers,
    find_roll,
    find_undecided,
    is_undone,
    keep_dice,
    play_faces,
    replay,
    spend,
    spent_in_with,
    take_faces,
    throw,
    throw_more,
)
from campaigns.table.attempts.text import TypedDice, type_dice
from campaigns.table.board import Board, load
from campaigns.table.pages.waiting import describe_new_turn, rolls_for_all
from campaigns.table.state import Due
from campaigns.table.storage import lock_row
from campaigns.table.taps import AnyTap, Counted, Declined, Rolled
from common import waiting
from common.errors import Refusal
from common.forms import INVALID, OK, number, require_safe_or_post
from gangs.text.formats import localize
from rules.engine.playing import Played, take_choices

# The buttons of an attempt's form that record something.
ROLLING = ("throw", "tell", "say")

# Shared by all views here.


def act_of(request: HttpRequest, board: Board) -> uuid.UUID:
    """Return the act of a form: the same form sent twice is one act."""
    return uuid.uuid5(board.table.pk, f"act {request.POST.get('token', '')}")


def seen_place(request: HttpRequest) -> Place:
    """Return the place after all that the page had seen."""
    return Place(number(request.POST.get("after")) or 0, number(request.POST.get("turn")) or 1)


def last_place(board: Board) -> Place:
    """Return the place after all taps of the board, whatever the page had seen."""
    return Place(board.log[-1].seq if board.log else 0, board.now.turn)


def say(
    request: HttpRequest,
    board: Board,
    taps: Sequence[AnyTap],
    act: uuid.UUID,
    place: Place | None = None,
    seen: int = 0,
) -> None:
    """Put taps into the log, by default at the place that the page had seen. ``seen``: the number
    of taps of the act that the form had seen. Raises Refusal."""
    place = place or seen_place(request)
    if taps:
        storage.say(
            board.table,
            actor(request),
            board.seat.device,
            taps,
            act=act,
            after=place.after,
            turn=place.turn,
            at=place.at,
            seen=seen,
        )


def find_new_turn(request: HttpRequest, board: Board) -> str:
    """Return the sentence for a press of a page from an ended turn, "" for others."""
    return describe_new_turn(seen_place(request).turn, board.now.turn)


def to_dice(board: Board, act: uuid.UUID, part: str = "") -> HttpResponse:
    """Redirect to the dice of an attempt, or to a part of their page."""
    return redirect(reverse("campaigns:table-dice", args=[board.table.pk, act]) + part)


@contextmanager
def draw_dice(table: Table, act: uuid.UUID, seen: int) -> Iterator[Dice | None]:
    """Yield the dice for an act's next throw, None if the log has more taps of the act than
    ``seen``.

    Dice and taps are written in one transaction. Raises Refusal if the table is deleted.
    """
    with transaction.atomic():
        locked = lock_row(table)
        told = TableEntry.objects.filter(table=table.pk, act=act).count()
        if told > seen:
            yield None
            return
        sides = TableSide.objects.filter(table=table.pk).order_by("number")
        dice = next_dice(locked, sides.values_list("word", flat=True))
        yield dice
        if dice.fallen:
            TableThrow.objects.create(table=table, act=act, dice=dice.fallen, **dice.columns)
            Table.objects.filter(pk=table.pk).update(**count_dice(locked, dice))


# A figure.


@open_to_spectators
@require_safe_or_post
def figure(request: Request, table_id: uuid.UUID, figure: str) -> HttpResponse:
    """Show a figure with its items and options; ``?part=attacks``: only links to its attacks, for
    the table's page. POST does an action without dice."""
    if request.method == "POST":
        return _act(request, load(player_seat_or_404(request, table_id)), figure)
    board = load(seat_or_404(request, table_id))
    if figure not in board.now.figures:
        raise Http404
    if request.GET.get("part") == "attacks":
        context = attacks_context(board, figure) if board.seat.taps else {}
        return render(request, "campaigns/table/attempts/_attacks.html", context)
    return render(request, "campaigns/table/attempts/figure.html", figure_context(board, figure))


@login_not_required
@require_safe
def attempts_beforehand(request: HttpRequest, table_id: uuid.UUID, figure: str) -> HttpResponse:
    """Return a figure's attempts for a phone that goes offline."""
    board = load(player_seat_or_404(request, table_id))
    if figure not in board.now.figures:
        raise Http404
    return JsonResponse({"attempts": list_attempts(board, figure)})


def _act(request: HttpRequest, board: Board, figure: str) -> HttpResponse:
    action, _space, item = request.POST.get("do", "").partition(" ")
    known = figure in board.now.figures and action in board.book.action
    if not known:
        raise Http404
    if notice := find_new_turn(request, board):
        messages.warning(request, notice)
        return _after_act(request, board, figure)
    deeds = find_options(board.start, board.now, figure).deeds
    deed = next((deed for deed in deeds if deed.action.key == action), None)
    if deed is None:
        messages.error(request, _("That is not possible now."))
        return redirect("campaigns:table-figure", board.table.pk, figure)
    if deed.caution is not None and request.GET.get(AGAIN) != deed.caution.key:
        # The page did not show it: another phone was quicker.
        messages.warning(request, localize(deed.caution.text))
        return redirect("campaigns:table-figure", board.table.pk, figure)
    taps = pay_action(board.start, board.now, Attempt(figure, item=item or None, action=action))
    try:
        say(request, board, taps, act_of(request, board))
    except Refusal as refusal:
        messages.error(request, refusal_sentence(refusal))
    return _after_act(request, board, figure)


def _after_act(request: HttpRequest, board: Board, figure: str) -> HttpResponse:
    """Redirect to the page on which an action was offered."""
    roll = request.GET.get("roll", "")
    if roll in board.book.roll:
        # The action was offered on an attempt, which goes on.
        chosen = {key: request.POST[key] for key in (AT, ACTION) if key in request.POST}
        address = reverse("campaigns:table-attempt", args=[board.table.pk, roll])
        return redirect(f"{address}?{urlencode({BY: figure, **chosen})}")
    return redirect("campaigns:table-figure", board.table.pk, figure)


# An attempt.


@login_not_required
@require_safe_or_post
def attempt(request: HttpRequest, table_id: uuid.UUID, roll: str) -> HttpResponse:
    """Show an attempt's form with its odds. POST throws its dice, or takes typed dice or an
    outcome."""
    board = load(player_seat_or_404(request, table_id))
    if known := waiting.nothing_new(request, asked_state(board)):
        return known
    try:
        data = request.POST if request.method == "POST" else request.GET
        form = read_form(data, board.start, board.now, board.names, roll)
    except NobodyHere:
        raise Http404 from None
    if request.method != "POST":
        return _form_page(request, board, form)
    act = act_of(request, board)
    if any(one.act == act for one in board.log):
        return to_dice(board, act)
    if not form.valid or not form.usable:
        return _form_page(request, board, form)
    how = request.POST.get("how", "")
    if form.rebound and how in ROLLING:
        # The player has not seen the choices and the odds of this target yet.
        return _form_page(request, board, form, notice=_("The choices have changed: check them."))
    if form.asks_first and how in ROLLING:
        return _form_page(request, board, form)
    try:
        if how in ROLLING and (notice := find_new_turn(request, board)):
            return _show_again(request, board, form, notice)
        match how:
            case "throw":
                with draw_dice(board.table, act, seen=0) as dice:
                    if dice is not None:
                        played = throw(form.asked, dice)
                        _keep(request, board, form, act, played, thrown=True)
                return to_dice(board, act)
            case "tell":
                return _tell(request, board, form, act)
            case "say":
                return _settle(request, board, form, act)
    except IMPOSSIBLE:
        # A roll in an unforeseen situation, or dice that the form did not ask for.
        messages.error(request, _("This roll cannot be made here: enter the result."))
        return _form_page(request, board, form)
    except Refusal as refusal:
        messages.error(request, refusal_sentence(refusal))
        return _form_page(request, board, form)
    return redirect(f"{form_address(board, form)}?{urlencode(form.query)}")


def _show_again(request: HttpRequest, board: Board, form: AttemptForm, notice: str) -> HttpResponse:
    """Show the form again with everything that the player has entered, and with a notice."""
    how = request.POST["how"]
    typed = _read_typed(request, board, form, again=True) if how == "tell" else None
    claim = OutcomeForm(form.asked, request.POST) if how == "say" else None
    shown = typed if isinstance(typed, TypedDice) else None
    return _form_page(request, board, form, typed=shown, claim=claim, notice=notice)


def _read_typed(
    request: HttpRequest, board: Board, form: AttemptForm, *, again: bool = False
) -> TypedDice | Played:
    """Return the typed dice; ``again``: as for ``type_dice``."""
    return type_dice(
        request.POST,
        DiceWords(form.asked, board.names, form.attempt),
        lambda faces, kept, watch: play_faces(form.asked, faces, kept=kept, asks=True, watch=watch),
        again=again,
    )


def _tell(request: HttpRequest, board: Board, form: AttemptForm, act: uuid.UUID) -> HttpResponse:
    """Take one more typed throw; the last one goes into the log."""
    typed = _read_typed(request, board, form)
    if isinstance(typed, TypedDice):
        return _form_page(request, board, form, typed=typed)
    _keep(request, board, form, act, typed, thrown=False)
    return to_dice(board, act)


def _keep(
    request: HttpRequest,
    board: Board,
    form: AttemptForm,
    act: uuid.UUID,
    played: Played,
    *,
    thrown: bool,
    place: Place | None = None,
) -> None:
    """Log dice before anybody sees them, with their effects if nobody may spend anything on them.
    ``place``: as for ``say``."""
    made, now = form.attempt, board.now
    rolled = keep_dice(made, played, thrown=thrown, is_open=True)
    taps = begin_attempt(board.start, now, made)
    there = PendingRoll(made, now, rolled, is_settled=False, seen=0)
    if find_undecided(board.folded, there, find_offers(board.folded, there)):
        taps = [*taps, rolled]
    else:
        settled = keep_dice(made, played, thrown=thrown, is_open=False)
        taps = sort_taps([*taps, settled, *bring_dice(board.start, now, made, played)])
    say(request, board, taps, act, place)


def _settle(request: HttpRequest, board: Board, form: AttemptForm, act: uuid.UUID) -> HttpResponse:
    """Take an outcome without dice; show the form again if the outcome needs more."""
    claim = OutcomeForm(form.asked, request.POST)
    if not claim.complete:
        return _form_page(request, board, form, claim=claim)
    start, now, made = board.start, board.now, form.attempt
    said = say_outcome(start, now, made, claim.outcome, claim.numbers, claim.happened)
    say(request, board, sort_taps([*begin_attempt(start, now, made), *said]), act)
    return to_dice(board, act)


def _form_page(
    request: HttpRequest,
    board: Board,
    form: AttemptForm,
    *,
    typed: TypedDice | None = None,
    claim: OutcomeForm | None = None,
    notice: str = "",
) -> HttpResponse:
    part = "#attempt" if getattr(request, "htmx", False) else ""
    template = f"campaigns/table/attempts/attempt.html{part}"
    status = OK if form.valid and not notice else INVALID
    context = form_context(board, form, typed, claim, notice=notice)
    return render(request, template, context, status=status)


# Due tests of several figures.


@login_not_required
@require_POST
def roll_for_all(request: HttpRequest, table_id: uuid.UUID, alarm: str) -> HttpResponse:
    """Throw the dice of a due alarm for each of its figures, each as an act of its own, in the
    situation in which its form would open."""
    seat = player_seat_or_404(request, table_id)
    board = load(seat)
    row = board.book.alarm.get(alarm)
    if row is None or row.roll is None or not rolls_for_all(board, row):
        raise Http404
    told = []
    for due in [one for one in board.now.due if one.alarm == alarm]:
        act = uuid.uuid5(act_of(request, board), str(due.who))
        try:
            if due in board.now.due and _roll_due(request, board, row.roll, due, act):
                # The dice of one figure may change what the next one needs.
                board = load(seat_or_404(request, table_id))
        except Refusal as refusal:
            messages.error(request, refusal_sentence(refusal))
            break
        told += [
            _("%(name)s: %(value)s")
            % {"name": board.names.who(due.who), "value": _outcome(board, one.tap)}
            for one in board.log
            if one.act == act and isinstance(one.tap, Rolled)
        ]
    if told:
        messages.info(request, " · ".join(told))
    return redirect(board.table)


def _roll_due(request: HttpRequest, board: Board, roll: str, due: Due, act: uuid.UUID) -> bool:
    """Throw the dice of a due roll for one figure. Returns whether they fell. Raises Refusal."""
    data = QueryDict(urlencode({BY: due.who, ALARM: due.alarm}))
    try:
        form = read_form(data, board.start, board.now, board.names, roll)
        if not (form.valid and form.usable):
            return False
        with draw_dice(board.table, act, seen=0) as dice:
            if dice is None:
                return False
            played = throw(form.asked, dice)
            place = last_place(board)
            _keep(request, board, form, act, played, thrown=True, place=place)
    except (NobodyHere, *IMPOSSIBLE):
        # Left for its own form, which says why.
        return False
    return True


def _outcome(board: Board, rolled: Rolled) -> str:
    """Return the outcome of dice in words; open dice still wait for a player."""
    if rolled.open or rolled.outcome is None:
        return _("It does not count yet")
    return board.names.outcome(rolled.roll, rolled.outcome)


# Its dice.


@open_to_spectators
@require_safe_or_post
def dice(request: Request, table_id: uuid.UUID, act: uuid.UUID) -> HttpResponse:
    """Show the dice of an attempt and their effects. POST spends something on them, lets them
    count, or takes that back; ``?back=table``: for the question at the table, which stays there."""
    seat = (player_seat_or_404 if request.method == "POST" else seat_or_404)(request, table_id)
    board = load(seat)
    if known := waiting.nothing_new(request, dice_state(board)):
        return known
    pending = find_roll(board.folded, act)
    if pending is None and is_undone(board.folded, act):
        # Perhaps by somebody else, meanwhile.
        messages.info(request, _("These dice do not count: see the story."))
        return redirect(board.table)
    if pending is None:
        raise Http404
    if request.method != "POST":
        return _dice_page(request, dice_context(board, act, pending))
    # Buttons at the top of the table have it in their address.
    seen = number(request.POST.get("seen") or request.GET.get("seen"))
    try:
        # Otherwise somebody else was quicker: show the new state.
        if not pending.is_settled and seen == pending.seen:
            page = _go_on(request, OpenRoll(board, act, pending))
            if page is not None:
                return page
    except IMPOSSIBLE:
        messages.error(request, _("These dice cannot be rolled here: count them as they are."))
    except Refusal as refusal:
        messages.error(request, refusal_sentence(refusal))
    if request.GET.get("back") == "table":
        return _to_table(board)
    # The player goes on looking at the form, if the dice still wait for others.
    stays = "stand" in request.POST or "again" in request.POST
    return to_dice(board, act, "#spend" if stays else "")


def _to_table(board: Board) -> HttpResponse:
    """Redirect to the reader's own gang at the table."""
    home = board.table.get_absolute_url()
    return redirect(f"{home}#side-{min(board.mine)}" if board.mine else home)


def _dice_page(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    return render(request, "campaigns/table/attempts/dice.html", context)


def _go_on(request: HttpRequest, roll: OpenRoll) -> HttpResponse | None:
    """Let the dice count, or spend something on them. Returns the page on which dice are typed,
    None if there is none. Raises Refusal."""
    board, pending, rolled = roll.board, roll.pending, roll.pending.rolled
    asked = pending.attempt.question(board.start, pending.before)
    key = request.POST.get("spend", "")
    if "decline" in request.POST:
        _decline(request, board, _read_sides(request, "decline") - board.now.declined)
        return None
    if "again" in request.POST:
        _ask_again(request, roll, _read_sides(request, "again"))
        return None
    if "stand" in request.POST:
        sides = roll.undecided & _read_sides(request, "stand")
        if roll.undecided != sides:
            # The others still choose.
            passed = rolled.model_copy(update={"passed": (*rolled.passed, *sorted(sides))})
            _answer(request, roll, [passed] if sides else [], min(sides, default=None))
            return None
    if not key:
        counted = count_roll(board, pending, replay(asked, rolled))
        _answer(request, roll, counted, roll.asked_side())
        return None
    offered = find_offers(board.folded, pending)
    offer = next((one for one in offered if one.value == key), None)
    if offer is None:
        return None
    spent, payer = offer.spend.key, side_of(offer.payer)
    if rolled.thrown:
        with draw_dice(board.table, roll.act, pending.seen) as dice:
            if dice is not None:
                played = spend(asked, rolled, spent, throw_more(dice), offer.rounds)
                told = _spend(board, pending, offer, played)
                _answer(request, roll, told, payer)
        return None
    typed = type_dice(
        request.POST,
        DiceWords(asked, board.names, pending.attempt),
        lambda faces, kept, watch: spend(
            asked,
            rolled,
            spent,
            take_faces(faces),
            offer.rounds,
            take_choices(kept, asks=True),
            watch,
        ),
        all_shown=False,
    )
    if isinstance(typed, TypedDice):
        return _dice_page(request, dice_context(board, roll.act, pending, offer, typed))
    _answer(request, roll, _spend(board, pending, offer, typed), payer)
    return None


def _read_sides(request: HttpRequest, name: str) -> frozenset[int]:
    """Return the sides that a button names."""
    found = (number(part) for part in request.POST.get(name, "").split())
    return frozenset(side for side in found if side is not None)


def _decline(request: HttpRequest, board: Board, sides: frozenset[int]) -> None:
    """Note that these sides spend nothing in this turn, and count what waits for nobody else.
    Raises Refusal."""
    taps = [Declined(side=side) for side in sorted(sides & board.now.sides.keys())]
    say(request, board, taps, act_of(request, board), last_place(board))
    count_declined(board.seat, actor(request))


def _ask_again(request: HttpRequest, roll: OpenRoll, sides: frozenset[int]) -> None:
    """Take back that these sides spend nothing, on the dice or in this turn. Raises Refusal."""
    board, rolled = roll.board, roll.pending.rolled
    passed = tuple(side for side in rolled.passed if side not in sides)
    if passed != rolled.passed:
        again, place = rolled.model_copy(update={"passed": passed}), answer_place(board, roll.act)
        say(request, board, [again], roll.act, place, roll.pending.seen)
    taps = [Declined(side=side, holds=False) for side in sorted(sides & board.now.declined)]
    say(request, board, taps, act_of(request, board), last_place(board))


def _answer(request: HttpRequest, roll: OpenRoll, taps: Sequence[AnyTap], side: int | None) -> None:
    """Log the answer to open dice. ``side``: the side whose choice it was. Raises Refusal."""
    board, act = roll.board, roll.act
    signed = sign_answer(roll, taps, side)
    say(request, board, signed, act, answer_place(board, act), roll.pending.seen)


def _spend(board: Board, pending: PendingRoll, offer: Offer, played: Played) -> list[AnyTap]:
    """Return the taps of spending something, with the dice's effects if nothing more can be
    spent."""
    costs: list[AnyTap] = []
    if offer.spend.track is not None:
        by = 1 if offer.spend.raises else -1
        costs.append(Counted(figure=offer.payer, track=offer.spend.track, by=by))
    rolled = keep_dice(
        pending.attempt,
        played,
        thrown=pending.rolled.thrown,
        spent=(*pending.rolled.spent, offer.spend.key),
        spent_in=spent_in_with(pending.rolled, offer.rounds),
        is_open=True,
    )
    # The other sides that spend nothing on these dice still do.
    passed = tuple(side for side in pending.rolled.passed if side != side_of(offer.payer))
    after = pending.with_dice(rolled.model_copy(update={"passed": passed}))
    if find_undecided(board.folded, after, find_offers(board.folded, after, offer)):
        return [*costs, after.rolled]
    return [*costs, *count_roll(board, after, played)]
