"""The standings as a picture to save, which is also the preview of their link for chats."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from accounts.language import rules_language
from campaigns import text as campaign_text
from campaigns.season.freshness import CampaignState
from campaigns.season.loading import LoadedSeason, load_season
from campaigns.season.standings.text import cells, column_name, describe_counted, rank_gangs
from campaigns.statistics.signs import colours
from campaigns.statistics.standings import columns
from gangs.models import Gang
from gangs.pictures import faces, storage
from printing.paper import orders
from printing.pictures import answers
from printing.pictures.gang_link import face_of
from printing.pictures.values import Face, Placed, Preview, Ranking, Shape


def answer(request: HttpRequest, state: CampaignState, shape: Shape) -> HttpResponseBase:
    """Return the picture of a campaign in this state. The caller checks who may see it."""
    key = orders.key("saved picture", "standings", shape, state, *_reader())
    return answers.answer(request, key, lambda: picture_of(load_season(state.id, state), shape))


def _reader() -> tuple[object, ...]:
    return rules_language(), settings.SITE_NAME


def picture_of(loaded: LoadedSeason, shape: Shape) -> Preview:
    """Return the contents of the picture."""
    season, book = loaded.season, loaded.campaign.book
    shown, colour = columns(season.book, season.table), colours(season)
    names = campaign_text.gang_names(loaded.gangs.values())
    rows = []
    for row in rank_gangs(season):
        gang = loaded.gangs.get(row.gang)
        name = names[gang.pk] if gang is not None else row.name
        face = badge_of(gang, row.name, colour.get(row.gang, 0))
        rows.append(Placed(row.shown_place, face, name, cells(row, shown)))
    return Preview(
        title=loaded.campaign.name,
        above=book.title.translated(rules_language()),
        facts=describe_counted(loaded),
        foot=settings.SITE_NAME,
        emblem=book.look.emblem,
        accent=book.look.accent.dark,
        shape=shape,
        blocks=[Ranking([column_name(book, column)[0] for column in shown], rows)],
    )


def badge_of(gang: Gang | None, name: str, colour: int) -> Face:
    """Return the badge of a gang, or its letters in its colour of the campaign. ``gang``: None if
    it is deleted."""
    letters = faces.Face(faces.letters(gang.name if gang is not None else name), colour, 0)
    if gang is None:
        return Face(letters.letters, faces.COLOURS[colour])
    return face_of(gang, None, letters, storage.LARGE)
