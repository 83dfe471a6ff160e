"""Pages of the dice of a game or a table: their seeds and everybody's luck."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crispy_forms.layout import Field, Layout
from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts.http import Request
from campaigns.access import game_or_404, may_act_for, open_to_spectators
from campaigns.models import LONGEST_WORD, Game, Side, Table, TableSide
from campaigns.statistics.luck import GameLuck, Tries, tries_of
from campaigns.table.access import seat_or_404
from campaigns.table.board import Board, load
from campaigns.table.luck import checking, text, undone
from campaigns.table.luck.checking import PlaceThrows
from campaigns.table.luck.tries import luck_of, read_luck, tries_at
from campaigns.table.pages import table_page
from campaigns.text import game_title, side_names, throw_lines
from common.forms import INVALID, OK, NameField, helper, number, require_safe_or_post


class WordForm(forms.Form):
    """A side's word for its dice. ``side``: its key on the page; ``name``: its name."""

    word = NameField(max_length=LONGEST_WORD, required=False)

    def __init__(
        self, side: int, name: str, word: str, data: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(data, initial={"word": word}, auto_id=f"id_{side}_%s")
        self.fields["word"].label = _("Word of %(name)s") % {"name": name}
        self.helper = helper()
        self.helper.layout = Layout(Field("word", wrapper_class="mb-0 flex-grow-1"))


@dataclass(frozen=True)
class Word:
    """A side's word on the page. ``form``: for readers who may choose it."""

    side: int
    name: str
    word: str
    form: WordForm | None


@open_to_spectators
@require_safe_or_post
def game_throws(request: Request, game_id: uuid.UUID) -> HttpResponse:
    """Show the dice of a game: at its table, before it and after it. POST chooses a side's word."""
    game, sides = game_or_404(request, game_id)
    mine = {side.pk for side in sides if may_act_for(side, request.user)}
    form = None
    if request.method == "POST":
        chosen = number(request.POST.get("side"))
        side = next((side for side in sides if side.pk == chosen and side.pk in mine), None)
        if side is None:
            raise Http404
        form = WordForm(side.pk, side_names(sides)[side.pk], side.word, request.POST)
        if form.is_valid():
            _choose(game, side, form.cleaned_data["word"])
            messages.success(request, _("It counts from the next roll."))
            return redirect("campaigns:game-throws", game.pk)
    names = side_names(sides)
    words = [
        _word(side.pk, names[side.pk], side.word, side.pk in mine, form, request.POST)
        for side in sides
    ]
    throws = list(game.throws.select_related("taken_back_by").order_by("pk"))
    taken_back = undone.find_throws(throws)
    lines = [(line.throw, line.what) for line in throw_lines(game.campaign.book, throws, sides)]
    found = [checking.check_side(side, names[side.pk], lines, taken_back) for side in sides]
    planned = checking.list_planned(lines, taken_back)
    table = Table.objects.filter(game=game).first()
    if table is not None:
        found.insert(0, checking.check_table(load(seat_or_404(request, table.pk))))
    luck = read_luck(game) if game.luck_at else luck_of(game)
    context = {
        "subject": game.campaign,
        "title": game_title(game.campaign.book, names.values()),
        "crumbs": [
            (game.campaign.get_absolute_url(), game.campaign.name),
            (game.get_absolute_url(), _("The game")),
        ],
        "luck": text.game_lines(luck, [names[side.pk] for side in sides]),
        "planned": planned,
    }
    return _page(request, found, words, form, context)


def _choose(game: Game, side: Side, word: str) -> None:
    """Store a side's word, for its own dice and at the table."""
    with transaction.atomic():
        Side.objects.filter(pk=side.pk).update(word=word)
        if side.gang_id is not None:
            TableSide.objects.filter(table__game=game, gang=side.gang_id).update(word=word)


@login_not_required
@require_safe_or_post
def table_throws(request: HttpRequest, table_id: uuid.UUID) -> HttpResponse:
    """Show the dice of a table without a campaign; a game's page shows its own table's dice. POST
    chooses a side's word.
    """
    seat = seat_or_404(request, table_id)
    if seat.table.game_id is not None:
        return redirect("campaigns:game-throws", seat.table.game_id)
    board = load(seat)
    # People who came by the link may tap for any side, and so choose any word.
    mine = frozenset(board.gangs) & board.mine or frozenset(board.gangs)
    form = None
    if request.method == "POST":
        chosen = number(request.POST.get("side"))
        if chosen is None or chosen not in mine:
            raise Http404
        form = WordForm(chosen, board.names.sides[chosen], "", request.POST)
        if form.is_valid():
            rows = TableSide.objects.filter(table=seat.table.pk, number=chosen)
            rows.update(word=form.cleaned_data["word"])
            messages.success(request, _("It counts from the next roll."))
            return redirect("campaigns:table-throws", seat.table.pk)
    rows = TableSide.objects.filter(table=seat.table.pk).order_by("number")
    words = [
        _word(side, board.names.sides[side], word, side in mine, form, request.POST)
        for side, word in rows.values_list("number", "word")
    ]
    context = {
        "subject": seat,
        "title": table_page.title(board),
        "crumbs": [(seat.table.get_absolute_url(), _("The table"))],
        "luck": _luck_alone(board),
    }
    return _page(request, [checking.check_table(board)], words, form, context)


def _luck_alone(board: Board) -> list[text.LuckLine]:
    """Return everybody's luck at a table without a campaign."""
    places = {side: place for place, side in enumerate(sorted(board.gangs))}
    found = tries_of(
        (places[side], "attempt", source, chance, came)
        for side, source, chance, came in tries_at(board.table)
        if side in places
    )
    tries = tuple(
        Tries(side=side, what=what, source=source, chances=chances, came=came)
        for (side, what, source), (chances, came) in sorted(found.items())
    )
    return text.game_lines(GameLuck(tries=tries), [board.names.sides[side] for side in places])


def _word(
    side: int,
    name: str,
    word: str,
    is_mine: bool,
    sent: WordForm | None,
    data: Mapping[str, Any],
) -> Word:
    if not is_mine:
        return Word(side, name, word, None)
    is_this = sent is not None and number(data.get("side")) == side
    return Word(side, name, word, sent if is_this else WordForm(side, name, word))


def _page(
    request: HttpRequest,
    places: Sequence[PlaceThrows],
    words: Sequence[Word],
    sent: WordForm | None,
    context: Mapping[str, Any],
) -> HttpResponse:
    status = OK if sent is None else INVALID
    shown = {
        **context,
        "places": places,
        "words": words,
        "for_script": checking.for_script(places),
        "taken_back": undone.summary(
            [
                *(one for place in places for one in place.undone),
                *(one.undone for one in context.get("planned", ())),
            ]
        ),
        "here": request.path,
    }
    return render(request, "campaigns/table/luck/throws.html", shown, status=status)
