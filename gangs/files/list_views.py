"""A list of an army builder as a gang: what it would be, and then the gang."""

from __future__ import annotations

import secrets

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts import quotas
from accounts.http import actor
from accounts.language import rules_language
from accounts.models import User
from accounts.quotas import QuotaFull
from common.errors import Refusal
from common.forms import INVALID, OK, require_safe_or_post
from common.turns import BUSY, Busy, importing
from gangs.cards.render import render as render_gang
from gangs.engine.from_roster import Translation, found_from_roster
from gangs.files.forms import ListForm
from gangs.files.lists import (
    Game,
    as_points,
    choose_game,
    describe_members,
    describe_notes,
    describe_rest,
    find_games,
    find_map,
    pack_list,
    unpack_list,
)
from gangs.models import Gang
from gangs.pages import founding
from gangs.text.formats import refusal_sentence
from rules.catalogues.rosters import Roster


def show_list(request: HttpRequest, roster: Roster, owner: User) -> HttpResponse:
    """Answer a list's file with the gang that it would be. Raises BadCatalogue if the list is too
    long for that."""
    text, games = pack_list(roster, owner), find_games(owner)
    game = choose_game(games, roster)
    form = ListForm(games, initial={"name": roster.name, "game": game and game.version.pk})
    made = found_from_roster(game.book, find_map(game), roster) if game else None
    return _page(request, roster, text, form, made, game)


@require_safe_or_post
def import_list(request: HttpRequest) -> HttpResponse:
    """Show the gang again, in another game or under another name, or make it."""
    owner = actor(request)
    assert owner is not None
    if request.method != "POST":
        return redirect("gangs:import")
    if founded := founding.find_founded(request):
        return redirect(founded)
    text = request.POST.get("list", "")
    roster = unpack_list(text, owner)
    if roster is None:
        messages.error(request, _("This page is too old: choose the file again."))
        return redirect("gangs:import")
    games = find_games(owner)
    form = ListForm(games, request.POST)
    if not form.is_valid():
        return _page(request, roster, text, form, None, None, status=INVALID)
    game, name = form.chosen, form.cleaned_data["name"]
    try:
        # One at a time for each account: a long list takes a second.
        with importing.one(owner.pk):
            made = found_from_roster(game.book, find_map(game), roster, name)
    except Busy:
        form.add_error(None, str(BUSY))
        return _page(request, roster, text, form, None, None, status=INVALID)
    # Nobody makes a gang that they have not seen.
    if request.POST.get("act") == "make" and request.POST.get("shown") == game.version.pk:
        try:
            gang = _make(request, owner, game, made)
        except QuotaFull as full:
            form.add_error(None, quotas.describe(full))
            return _page(request, roster, text, form, made, game, status=INVALID)
        except Refusal as refused:
            form.add_error(None, refusal_sentence(refused))
            return _page(request, roster, text, form, made, game, status=INVALID)
        messages.success(request, _("%(name)s imported.") % {"name": gang.name})
        return redirect(gang)
    return _page(request, roster, text, form, made, game)


def _make(request: HttpRequest, owner: User, game: Game, made: Translation) -> Gang:
    """Found the gang once, as one of the owner's imports. Raises QuotaFull."""
    with quotas.turn(owner):
        if founded := founding.find_founded(request):
            return founded
        quotas.use(owner, "imports")
        return founding.found_once(request, game.version, made.entries, guest_key="")


def _page(
    request: HttpRequest,
    roster: Roster,
    text: str,
    form: ListForm,
    made: Translation | None,
    game: Game | None,
    *,
    status: int = OK,
) -> HttpResponse:
    context = {
        "roster": roster,
        "list": text,
        "form": form,
        "game": game,
        "made": made,
        "token": secrets.token_hex(16),
    }
    if made is not None:
        context |= {
            "page": render_gang(made.gang, rules_language()),
            "members": describe_members(made),
            "rest": describe_rest(made),
            "notes": describe_notes(made.notes),
            "total": None if made.total is None else as_points(made.total),
        }
    return render(request, "gangs/files/list.html", context, status=status)
