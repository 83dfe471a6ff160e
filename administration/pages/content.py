"""The administrators' pages of variants, players' own games, games and nights."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from django.db.models import Model
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.template.defaultfilters import date as show_date
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.http import Request
from administration.access import administrators_only
from administration.acts.kinds import Acts
from administration.acts.texts import Subject, hidden_texts, texts_of
from administration.acts.views import history_of
from administration.acts.writing_acts import DRAFT_ACTS, GAME_ACTS, NIGHT_ACTS, VARIANT_ACTS
from campaigns.games import photos
from campaigns.models import Campaign, Game, Night, Photo
from gangs.pictures.views import jpeg_response
from rules.models import BookDraft, BookVersion, Variant

# A fact on a page: its name, its value, and the address that it leads to, or "".
type Fact = tuple[str, str, str]
MOST_LISTED = 200


def show_subject[S: Model](
    request: Request, table: Acts[S], subject: S, facts: list[Fact], **more: object
) -> HttpResponse:
    """Render the page of a subject: its facts, the possible acts and the past ones."""
    context = {
        "name": table.name(subject),
        "sort": table.subject.label,
        "facts": [fact for fact in facts if fact[1]],
        "acts": table.offered(subject, request.user),
        "history": history_of(table.subject, subject.pk),
        **more,
    }
    return render(request, "administration/pages/content.html", context)


def texts_context(subject: Subject) -> dict[str, object]:
    """Return the texts of a subject, shown and hidden, for its page."""
    return {"texts": texts_of(subject), "hidden_texts": hidden_texts(subject)}


@administrators_only
@require_safe
def variant(request: Request, variant: uuid.UUID) -> HttpResponse:
    """Show a variant: its owner and its published versions, and the acts on it."""
    found = get_object_or_404(Variant.objects.select_related("owner", "base"), pk=variant)
    facts = [
        (_("Owner"), str(found.owner), reverse("administration:account", args=[found.owner_id])),
        (_("Rulebook"), found.base.slug, reverse("rules:version", args=[found.base_id])),
        (_("Hidden. Why"), found.hidden_why, ""),
        *_versions(found.states.defer("canonical").order_by("-number")[:MOST_LISTED]),
    ]
    return show_subject(request, VARIANT_ACTS, found, facts)


@administrators_only
@require_safe
def draft(request: Request, draft: uuid.UUID) -> HttpResponse:
    """Show a player's own game: its owner and its published versions, and the acts on it."""
    found = get_object_or_404(BookDraft.objects.select_related("owner").defer("data"), pk=draft)
    facts = [
        (_("Owner"), str(found.owner), reverse("administration:account", args=[found.owner_id])),
        (_("Hidden. Why"), found.hidden_why, ""),
        *_versions(found.states.defer("canonical").order_by("-number")[:MOST_LISTED]),
    ]
    return show_subject(request, DRAFT_ACTS, found, facts)


@administrators_only
@require_safe
def game(request: Request, game: uuid.UUID) -> HttpResponse:
    """Show a game: its note and tales, and the acts on them."""
    games = Game.objects.select_related("campaign", "reported_by")
    found = get_object_or_404(games, pk=game)
    facts = [_campaign(found.campaign), (_("Page"), str(found.played_on), found.get_absolute_url())]
    shown = {**texts_context(found), "photos": found.photos.select_related("by")}
    return show_subject(request, GAME_ACTS, found, facts, **shown)


@administrators_only
@require_safe
def photo(request: Request, game: uuid.UUID, photo: uuid.UUID) -> HttpResponse:
    """Return a photo of a game, shown or hidden, for an administrator's judgement."""
    found = get_object_or_404(Photo, pk=photo, game=game)
    return jpeg_response(request, photos.content_of(found, photos.LARGE), f"{found.name}-large")


@administrators_only
@require_safe
def night(request: Request, night: uuid.UUID) -> HttpResponse:
    """Show a night: its note, and the acts on it."""
    found = get_object_or_404(Night.objects.select_related("campaign"), pk=night)
    day = show_date(timezone.localtime(found.starts_at), "j N Y, H:i")
    facts = [_campaign(found.campaign), (_("Page"), day, found.get_absolute_url())]
    return show_subject(request, NIGHT_ACTS, found, facts, **texts_context(found))


def _campaign(campaign: Campaign) -> Fact:
    return _("Campaign"), campaign.name, reverse("administration:campaign", args=[campaign.pk])


def _versions(states: Iterable[BookVersion]) -> list[Fact]:
    return [
        (
            _("Version %(number)s") % {"number": state.number},
            show_date(timezone.localtime(state.loaded_at), "j N Y, H:i"),
            reverse("rules:version", args=[state.pk]),
        )
        for state in states
    ]
