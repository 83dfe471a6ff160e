"""What publishing a variant would change for the campaigns that its owner runs."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import reverse
from django.utils.translation import ngettext

from accounts.models import User
from campaigns.club.upgrades.whole_campaign import preview
from campaigns.models import Campaign
from gangs.versions.text import describe
from rules.book.model import Book
from rules.hooks import Affected

# Working a gang out twice takes time: of more campaigns than these nobody wants to read at once.
MOST = 20


def affected_campaigns(digests: frozenset[str], book: Book, user: User) -> Iterator[Affected]:
    """Each open campaign of the user's in which a gang would change."""
    campaigns = Campaign.objects.organised_by(user).open().filter(book_version__in=digests)
    for campaign in campaigns[:MOST]:
        changes = preview(campaign, book)
        names = [gang.name for gang, what in changes.items() if describe(what, book)]
        if names:
            count = len(names)
            sentence = ngettext(
                "%(count)s gang changes: %(names)s.", "%(count)s gangs change: %(names)s.", count
            ) % {"count": count, "names": ", ".join(names)}
            url = reverse("campaigns:upgrade", args=[campaign.pk])
            yield Affected(campaign.name, url, (sentence,))
