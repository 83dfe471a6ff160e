"""Campaigns: the list, one campaign, starting, joining, its settings."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import Request
from accounts.models import User
from campaigns import joining
from campaigns.forms import CampaignForm, JoinForm
from campaigns.models import Campaign, Game, Membership, Side
from campaigns.standings import Row, columns, standings
from campaigns.telling import GameLine, game_line, is_open, records
from campaigns.wording import refusal_sentence
from gangs.access import INVITATION
from gangs.forms import seen
from gangs.ledger import Stale
from gangs.models import Gang
from gangs.refusal import Refusal
from gangs.wording import spoken
from rules.library import newest_books
from rules.season import Measure
from rules.variants.store import offered_to

# How many games a campaign's page shows unless one asks for all of them.
NEWEST = 20


def campaign_or_404(request: Request, campaign: uuid.UUID) -> Campaign:
    """The campaign, if the user may see it."""
    visible = Campaign.objects.visible_to(request.user).with_newest()
    return get_object_or_404(visible, pk=campaign)


def organised_or_404(request: Request, campaign: uuid.UUID) -> Campaign:
    """The campaign, if the user runs it."""
    return get_object_or_404(Campaign.objects.organised_by(request.user), pk=campaign)


@require_safe
def campaigns(request: Request) -> HttpResponse:
    """My campaigns: those I run and those my gangs play in."""
    visible = Campaign.objects.visible_to(request.user).with_seats()
    rows = [
        {"campaign": campaign, "book": campaign.book, "mine": campaign.is_run_by(request.user)}
        for campaign in visible.order_by("archived_at", "-created_at")[:200]
    ]
    return render(request, "campaigns/list.html", {"rows": rows})


@require_safe
def choose_book(request: Request) -> HttpResponse:
    """Which game is the campaign for?"""
    context = {"books": newest_books(), "own": offered_to(request.user)}
    return render(request, "campaigns/choose_book.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: Request, slug: str) -> HttpResponse:
    """Start a campaign: with the newest version of a game, or with a variant of one's own."""
    digest = request.GET.get("version", "")
    books = offered_to(request.user) if digest else newest_books()
    books = [pair for pair in books if pair[0].slug == slug]
    found = next((pair for pair in books if digest in ("", pair[0].pk)), None)
    if found is None:
        raise Http404
    version, book = found
    form = CampaignForm(book, {}, request.POST if request.method == "POST" else None)
    if form.is_valid():
        campaign = joining.start(
            name=form.cleaned_data["name"],
            version=version,
            settings=form.chosen_settings(),
            notes=form.cleaned_data["notes"],
            organiser=request.user,
            token=form.cleaned_data["token"],
        )
        return redirect(campaign)
    context = {"book": book, "form": form}
    return render(request, "campaigns/new.html", context, status=422 if form.is_bound else 200)


@require_safe
def campaign(request: Request, campaign: uuid.UUID) -> HttpResponse:
    """A campaign: standings, gangs, games, and what waits for whom."""
    shown = campaign_or_404(request, campaign)
    book = shown.book
    gangs = playing(shown)
    games = games_of(shown, gangs)
    most = len(games) if "all" in request.GET else NEWEST
    lines, duties = game_lines(shown, games, request.user, most)
    by_key = {str(gang.pk): gang for gang in gangs}
    rows = standings(book, shown.settings, records(gangs, games))
    shown_columns = columns(book)
    played = {side.gang_id for sides in games.values() for side in sides}
    context = {
        "campaign": shown,
        "book": book,
        "organises": shown.is_run_by(request.user),
        "rows": [(row, by_key[row.gang], cells(row, shown_columns)) for row in rows],
        "columns": shown_columns,
        "played": played,
        "lines": lines,
        "older": len(games) > len(lines) and len(games),
        "duties": duties,
        "settings_told": settings_told(shown),
        "measures": book.campaign.standings,
    }
    return render(request, "campaigns/campaign.html", context)


def games_of(campaign: Campaign, gangs: Sequence[Gang]) -> dict[Game, list[Side]]:
    """The campaign's games, newest first, with their sides. Their gangs are those in the campaign,
    which are loaded already: nobody leaves who has a game."""
    games: dict[object, Game] = {game.pk: game for game in campaign.games.defer("note")}
    known = {gang.pk: gang for gang in gangs}
    by_game: dict[Game, list[Side]] = {game: [] for game in games.values()}
    sides = Side.objects.with_standing().filter(game__campaign=campaign)
    for side in sides.defer("draft", "comment"):
        side.game = games[side.game_id]
        side.gang = known.get(side.gang_id) if side.gang_id else None
        by_game[side.game].append(side)
    return by_game


def game_lines(
    campaign: Campaign, games: Mapping[Game, Sequence[Side]], user: User, most: int
) -> tuple[list[GameLine], list[GameLine]]:
    """The newest games, and all that wait for the user, however old."""
    base = reverse("campaigns:list")
    lines, duties = [], []
    for number, (game, sides) in enumerate(games.items()):
        if number < most or is_open(game, sides):
            line = game_line(campaign.book, game, sides, user, f"{base}games/{game.pk}/")
            if number < most:
                lines.append(line)
            if line.is_mine:
                duties.append(line)
    return lines, duties


def cells(row: Row, measures: list[Measure]) -> list[str]:
    """A line of the standings, measure by measure; wins with draws and losses beside them."""
    record = f"{row.won}–{row.level}–{row.lost}"
    return [record if key == "wins" else number_format(row.value(key)) for key in measures]


def playing(campaign: Campaign) -> list[Gang]:
    """The gangs of a campaign, with their owners, without their snapshots."""
    gangs = Gang.objects.filter(memberships__campaign=campaign).select_related("owner")
    return list(gangs.defer("snapshot").order_by("memberships__joined_at"))


def settings_told(campaign: Campaign) -> list[tuple[str, str]]:
    """The campaign's options in words."""
    told = []
    for setting in campaign.book.settings:
        value = campaign.settings.get(setting.key, setting.default)
        words = str(value)
        if setting.kind == "choice":
            names = {choice.key: spoken(choice.name) for choice in setting.choices}
            words = names.get(str(value), words)
        told.append((spoken(setting.name), words))
    return told


@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: Request, campaign: uuid.UUID) -> HttpResponse:
    """Name, notes, and the options as long as nobody has joined."""
    shown = organised_or_404(request, campaign)
    form, fixed = _settings_form(request, shown)
    status, error = 422 if form.is_bound else 200, ""
    if form.is_valid():
        try:
            joining.change(
                shown,
                name=form.cleaned_data["name"],
                notes=form.cleaned_data["notes"],
                settings=form.chosen_settings(),
                seen=seen(request.POST, "seen"),
            )
        except Stale:
            status = 409
            error = _(
                "These settings were changed, or a gang joined, in the meantime. What you typed is"
                " not saved yet: compare it with the campaign’s page, then save again."
            )
            shown.refresh_from_db()
            form, fixed = _settings_form(request, shown)
        else:
            return redirect(shown)
    context = {"campaign": shown, "book": shown.book, "form": form, "fixed": fixed, "error": error}
    return render(request, "campaigns/settings.html", context, status=status)


def _settings_form(request: Request, campaign: Campaign) -> tuple[CampaignForm, bool]:
    """The form, and whether the options are fixed."""
    fixed = campaign.memberships.exists()
    initial = {"name": campaign.name, "notes": campaign.notes}
    data = request.POST if request.method == "POST" else None
    form = CampaignForm(campaign.book, campaign.settings, data, initial=initial, fixed=fixed)
    return form, fixed


@require_POST
def archive(request: Request, campaign: uuid.UUID) -> HttpResponse:
    """Close the campaign, or open it again: the button says which."""
    shown = organised_or_404(request, campaign)
    try:
        (joining.reopen if "back" in request.POST else joining.archive)(shown)
    except Refusal as refusal:
        messages.error(request, refusal_sentence(refusal))
        return redirect("campaigns:settings", shown.pk)
    return redirect(shown)


@require_POST
def renew_invitation(request: Request, campaign: uuid.UUID) -> HttpResponse:
    """Make another link; the old one stops working."""
    shown = organised_or_404(request, campaign)
    joining.renew_invitation(shown)
    messages.success(request, _("Here is a new link. The old one leads nowhere now."))
    return redirect(shown)


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: Request, key: str) -> HttpResponse:
    """What an invitation leads to: choose the gang that joins. A visitor is told what it is."""
    shown = get_object_or_404(Campaign, invite_key=key)
    request.session[INVITATION] = request.path
    if not request.user.is_authenticated:
        if request.method == "POST":
            return redirect_to_login(request.path)
        return render(request, "campaigns/invited.html", {"campaign": shown, "book": shown.book})
    fit, unfit = candidates(request, shown)
    form = JoinForm(fit, request.POST if request.method == "POST" else None)
    status = 422 if form.is_bound else 200
    if form.is_valid():
        gang = form.cleaned_data["gang"]
        try:
            seen_gang = seen(request.POST, f"seen-{gang.pk}")
            joining.join(shown, gang, actor=request.user, seen=seen_gang)
        except Refusal as refusal:
            form.add_error("gang", refusal_sentence(refusal))
        except Stale:
            fit, unfit = candidates(request, shown)
            form.add_error("gang", _("This gang has just changed elsewhere. Try again."))
            status = 409
        else:
            request.session.pop(INVITATION, None)
            messages.success(request, _("%(gang)s is in. Good luck!") % {"gang": gang.name})
            return redirect(shown)
    context = {"campaign": shown, "book": shown.book, "form": form, "fit": fit, "unfit": unfit}
    return render(request, "campaigns/join.html", context, status=status)


def candidates(
    request: Request, campaign: Campaign
) -> tuple[list[Gang], Sequence[tuple[Gang, str]]]:
    """The user's gangs of this game: those that can join, and the others, each with the reason."""
    same_game = Gang.objects.owned_by(request.user).active()
    same_game = same_game.filter(book_version__slug=campaign.book_version.slug)
    fit, unfit = [], []
    gangs = same_game.select_related("book_version").prefetch_related("memberships__campaign")
    for gang in gangs.defer("book_version__canonical").order_by("-changed_at")[:100]:
        refusal = joining.why_not(campaign, gang)
        if refusal is None:
            fit.append(gang)
        else:
            unfit.append((gang, refusal_sentence(refusal)))
    return fit, unfit


@require_POST
def leave(request: Request, campaign: uuid.UUID, gang: uuid.UUID) -> HttpResponse:
    """Take a gang that has not played out of the campaign: its owner's or the organiser's act."""
    shown = campaign_or_404(request, campaign)
    membership = get_object_or_404(
        Membership.objects.select_related("gang"), campaign=shown, gang=gang
    )
    if not shown.is_run_by(request.user) and membership.gang.owner_id != request.user.pk:
        raise Http404
    values: dict[str, Any] = {"gang": membership.gang.name}
    try:
        joining.leave(shown, membership.gang, actor=request.user)
    except Refusal as refusal:
        messages.error(request, refusal_sentence(refusal))
    except Stale:
        messages.error(request, _("%(gang)s has just changed elsewhere. Try again.") % values)
    else:
        messages.success(request, _("%(gang)s has left the campaign.") % values)
    still = Campaign.objects.visible_to(request.user).filter(pk=shown.pk).exists()
    return redirect(shown) if still else redirect("campaigns:list")
