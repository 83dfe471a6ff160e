"""Draw the preview of a campaign's spectator link for chats: its name, its game, its size, and the
badges of its gangs.
"""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from accounts.language import rules_language
from campaigns.access import playing
from campaigns.models import Campaign
from campaigns.text import campaign_summary
from gangs.pictures import faces, storage
from printing.paper import orders
from printing.pictures import answers
from printing.pictures.gang_link import face_of
from printing.pictures.values import MOST_FACES, Preview


@login_not_required
@require_safe
def picture(request: HttpRequest, key: str) -> HttpResponseBase:
    """Return the picture, to any reader with the link."""
    campaign = get_object_or_404(Campaign.objects.shown(), watch_key=key)
    gangs, facts = playing(campaign), campaign_summary(campaign)
    shown = [(gang.pk, gang.name, storage.name_of(gang, None)) for gang in gangs[:MOST_FACES]]
    known_by = orders.key(
        *("preview", "campaign", campaign.pk, campaign.name, facts, shown),
        *(campaign.book_version_id, rules_language(), settings.SITE_NAME),
    )

    def tell() -> Preview:
        book = campaign.book
        return Preview(
            title=campaign.name,
            above=book.title.translated(rules_language()),
            facts=facts,
            foot=settings.SITE_NAME,
            emblem=book.look.emblem,
            accent=book.look.accent.dark,
            faces=[
                face_of(gang, None, faces.face_of_gang(str(gang.pk), gang.name))
                for gang in gangs[:MOST_FACES]
            ],
        )

    return answers.answer(request, known_by, tell)
