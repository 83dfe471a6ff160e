"""A game as a picture to save: its result, its hero, its luckiest throw and a photo."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.dates import date_format
from accounts.language import rules_language
from campaigns import text as campaign_text
from campaigns.colours import colours_of
from campaigns.engine.report import TAKEN_OUT
from campaigns.games import photos
from campaigns.games.report_text import Namer
from campaigns.models import Game, Photo, Side, Table
from campaigns.table.folded import fold_table
from campaigns.table.luck.tries import luckiest_roll
from campaigns.table.people import NAMED, name_everybody, people_of
from campaigns.table.text import describe
from gangs.pictures import faces
from gangs.pictures.storage import LARGE, file_name
from printing.paper import orders
from printing.pictures import answers
from printing.pictures.gang_link import face_of
from printing.pictures.standings import badge_of
from printing.pictures.values import Block, Face, Named, Notes, Preview, Shape, Spotlight, Versus
from rules.percent import precise_percent


class GameHero(NamedTuple):
    """The member who took most enemies out of action in a game. ``member``: their number."""

    side: Side
    member: int
    out: int


def answer(
    request: HttpRequest, game: Game, sides: Sequence[Side], shape: Shape
) -> HttpResponseBase:
    """Return the picture. The caller checks who may see the game."""
    return answers.answer(request, key(game, sides, shape), lambda: picture_of(game, sides, shape))


def for_message(game: Game, sides: Sequence[Side]) -> bytes:
    """Return the picture that goes with a message. Raises the exceptions of ``queue.ask``."""
    return answers.wait_for(key(game, sides, "wide"), lambda: picture_of(game, sides, "wide"))


def key(game: Game, sides: Sequence[Side], shape: Shape) -> str:
    """Return the key of the picture, without drawing it."""
    table = _table(game)
    shown = [
        (side.name, side.gang_id, side.gang.version, sorted(side.gang.pictures.items()))
        if side.gang is not None
        else (side.name,)
        for side in sides
    ]
    made_from = (game.pk, game.version, game.status, campaign_text.side_names(sides), shown)
    first = photo_of(game)
    at_table = (table.seq, table.changed_at) if table is not None else ()
    campaign = (game.campaign.name, game.campaign.book_version_id, colours_of(game.campaign))
    reader = (shape, rules_language(), settings.SITE_NAME)
    return orders.key(
        "saved picture", "game", made_from, at_table, campaign, reader, first and first.name
    )


def picture_of(game: Game, sides: Sequence[Side], shape: Shape) -> Preview:
    """Return the contents of the picture. Nothing but the sides before the game has a result."""
    book = game.campaign.book
    names = campaign_text.side_names(sides)
    day = date_format(game.played_on, "j F Y")
    scenario = campaign_text.scenario_name(book, game)
    result, first = campaign_text.headline(book, game, sides), photo_of(game)
    if game.status == Game.Status.STRUCK:
        result = _("Undone")
    return Preview(
        title=result or campaign_text.game_title(book, names.values()),
        above=game.campaign.name,
        facts=" · ".join(filter(None, (scenario, day))),
        foot=settings.SITE_NAME,
        emblem=book.look.emblem,
        accent=book.look.accent.dark,
        shape=shape,
        blocks=list(_blocks(game, sides)),
        photo=_file_of(first) if first is not None else "",
    )


def _file_of(photo: Photo) -> str:
    """Return the file of a photo; "" if it is missing or damaged."""
    found = photos.content_of(photo, photos.LARGE)
    return file_name(photo.name, photos.LARGE) if found is not None else ""


def photo_of(game: Game) -> Photo | None:
    """Return the photo in a game's picture: its first."""
    return game.photos.shown().first()


def _blocks(game: Game, sides: Sequence[Side]) -> Iterator[Block]:
    colour, names = colours_of(game.campaign), campaign_text.side_names(sides)
    counts = game.has_result and game.status != Game.Status.STRUCK
    rows = {
        side.pk: Named(
            face=badge_of(side.gang, side.name, colour.get(str(side.gang_id), 0)),
            name=names[side.pk],
            text=campaign_text.side_label(side) if counts else "",
            value=_out(side.parsed_report.taken_out()) if counts else "",
        )
        for side in sides
    }
    winners = [side.pk for side in sides if counts and side.side == Side.Kind.WINNER]
    yield Versus(list(rows.values()), [rows[side] for side in winners])
    if not counts:
        return
    hero, luckiest = find_hero(sides), _luckiest(game)
    note = (_("Luckiest throw"), luckiest) if luckiest else ("", "")
    if hero is not None:
        name = Namer(game.campaign.book, sides).member(hero.side.pk, hero.member)
        named = Named(_portrait(hero, name), name, names[hero.side.pk], _out(hero.out))
        yield Spotlight(_("Hero of the game"), named, note)
    elif luckiest:
        yield Notes([note])


def _out(count: int) -> str:
    """Return the number of enemies taken out, in words; "" for none."""
    if not count:
        return ""
    words = ngettext("%(count)s enemy out of action", "%(count)s enemies out of action", count)
    return words % {"count": count}


def find_hero(sides: Sequence[Side]) -> GameHero | None:
    """Return the hero of a game, one of a winner's if several are equal; None if nobody took an
    enemy out."""
    found = [
        GameHero(side, member, out)
        for side in sides
        for member, out in side.parsed_report.counts.get(TAKEN_OUT, {}).items()
        if out > 0
    ]
    return max(
        found,
        key=lambda one: (one.out, one.side.side == Side.Kind.WINNER, -one.side.pk, -one.member),
        default=None,
    )


def _portrait(hero: GameHero, name: str) -> Face:
    gang = hero.side.gang
    if gang is None:
        return Face(faces.letters(name), faces.COLOURS[0])
    return face_of(
        gang,
        hero.member,
        faces.face_of_member(str(gang.pk), hero.member, name),
        LARGE,
    )


def _table(game: Game) -> Table | None:
    return Table.objects.filter(game=game, seq__gt=0).first()


def _luckiest(game: Game) -> str:
    """Return the luckiest throw at the game's table, with its chance; "" if there is none."""
    table = _table(game)
    found = luckiest_roll(table) if table is not None else None
    if table is None or found is None:
        return ""
    tap, chance = found
    sides = table.sides.select_related("gang__owner").only(*NAMED)
    names = name_everybody(fold_table(table).start.book, people_of(table), sides)
    share = precise_percent(Fraction(chance))
    return _("%(throw)s (chance %(share)s)") % {"throw": describe(tap, names), "share": share}
