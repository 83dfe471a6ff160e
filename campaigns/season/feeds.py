"""The chronicle as a feed: Atom, in one language, with ids that never change."""

from __future__ import annotations

import uuid

from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import gettext as _

from accounts.language import language
from campaigns.models import Campaign
from campaigns.season.chronicle_text import chronicle_lines, plain
from campaigns.statistics.chronicle import Line, newest
from campaigns.statistics.season_facts import Season

# How many lines a feed holds.
MOST_ENTRIES = 50


def atom(campaign: Campaign, season: Season, site: str) -> str:
    """The newest lines of the chronicle, in the reader's language. ``site``: its address."""
    here = reverse("campaigns:feed", args=[campaign.watch_key])
    lines = newest(chronicle_lines(season), MOST_ENTRIES)
    feed = Atom1Feed(
        title=campaign.name,
        link=site + campaign.get_absolute_url(),
        description=_("What happens in the campaign %(name)s") % {"name": campaign.name},
        feed_url=f"{site}{here}?lang={language()}",
        feed_guid=campaign.pk.urn,
        language=language(),
    )
    for line in lines:
        feed.add_item(
            title=plain(season.book, line),
            link=site + address(campaign, line),
            description="",
            unique_id=uuid.uuid5(campaign.pk, line.key).urn,
            pubdate=line.at,
            updateddate=line.at,
        )
    return feed.writeString("utf-8")


def address(campaign: Campaign, line: Line) -> str:
    """Where more is told of a line."""
    if line.game:
        return reverse("campaigns:game", args=[line.game])
    return f"{reverse('campaigns:chronicle', args=[campaign.pk])}?day={line.day}"
