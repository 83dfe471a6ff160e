"""The preview of a stage's link for chats: its table, its ladder or its bracket."""

from __future__ import annotations

from typing import NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _

from accounts.language import rules_language
from campaigns.colours import colours_of
from campaigns.league import pages
from campaigns.league.loading import LoadedStage
from campaigns.models import Stage
from printing.paper import orders
from printing.pictures import answers
from printing.pictures.standings import badge_of
from printing.pictures.values import Block, Notes, Placed, Preview, Ranking


class Placing(NamedTuple):
    """A gang's place in a stage, in words. ``gang``: its key."""

    place: str
    gang: str
    name: str
    cells: tuple[str, ...] = ()


def answer(request: HttpRequest, loaded: LoadedStage) -> HttpResponseBase:
    """Return the picture. The caller checks who may see the stage."""
    stage, campaign = loaded.stage, loaded.stage.campaign
    badges = [sorted(gang.pictures.items()) for gang in loaded.gangs.values()]
    words = (campaign.name, stage.name, pages.describe_stage(loaded), _placings(loaded))
    made_from = (stage.pk, words, _fixtures(loaded), badges, colours_of(campaign))
    known_by = (campaign.book_version_id, rules_language(), settings.SITE_NAME)
    key = orders.key("preview", "stage", *made_from, *known_by)
    return answers.answer(request, key, lambda: picture_of(loaded))


def picture_of(loaded: LoadedStage) -> Preview:
    """Return the contents of the picture."""
    campaign = loaded.stage.campaign
    book = campaign.book
    return Preview(
        title=loaded.stage.name,
        above=campaign.name,
        facts=pages.describe_stage(loaded),
        foot=settings.SITE_NAME,
        emblem=book.look.emblem,
        accent=book.look.accent.dark,
        blocks=[_block(loaded)],
    )


def _block(loaded: LoadedStage) -> Block:
    if loaded.stage.format == Stage.Format.KNOCK_OUT:
        return Notes(_fixtures(loaded))
    colour = colours_of(loaded.stage.campaign)
    rows = [
        Placed(
            one.place,
            badge_of(loaded.gangs.get(one.gang), one.name, colour.get(one.gang, 0)),
            one.name,
            one.cells,
        )
        for one in _placings(loaded)
    ]
    has_table = loaded.stage.format != Stage.Format.LADDER
    return Ranking([_("W–D–L"), _("Points")] if has_table else [], rows)


def _placings(loaded: LoadedStage) -> list[Placing]:
    """Return the gangs in their order."""
    if loaded.stage.format == Stage.Format.LADDER:
        return [
            Placing(str(place), key, loaded.names[key])
            for place, key in enumerate(loaded.ladder, start=1)
        ]
    return [
        Placing(
            str(line.place),
            line.gang,
            loaded.names[line.gang],
            (f"{line.won}–{line.level}–{line.lost}", str(line.points)),
        )
        for line in loaded.table
        if not line.has_left or line.played
    ]


def _fixtures(loaded: LoadedStage) -> list[tuple[str, str]]:
    """Return the fixtures of a bracket, the newest round first, each round under its name."""
    if loaded.stage.format != Stage.Format.KNOCK_OUT:
        return []
    blocks = [pages.round_block(loaded, one) for one in reversed(loaded.rounds)]
    return [
        (block.title if number == 0 else "", " · ".join(filter(None, (line.title, line.state))))
        for block in blocks
        for number, line in enumerate(block.lines)
    ]
