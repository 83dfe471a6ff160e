"""The printed sheet of a gang: everything that is looked up at the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from gangs.cards import Card, Page, Stat, draw
from gangs.columns import Kit, Row, Statlines, Stops, width
from gangs.models import Gang
from gangs.papers.drawings import BOXES_A_ROW, MOST_BOXES, boxes, experience, qr_code
from gangs.printing import orders
from gangs.printing.orders import Order, Paper
from gangs.printing.press import Job
from gangs.scene import Scene
from gangs.sheets import campaigns, legend, life_label, named_kits, ranks, shows_house, summed
from rules.book import Book

# Millimetres inside the margins and a block's padding; the sizes are print/sheet.css's, in points.
ROOM: dict[Paper, float] = {"a4": 182, "letter": 188}
LABEL_SIZE = 7.5
VALUE_SIZE = 11
ITEM_SIZE = 8
MOST_ERRORS = 6


@dataclass(frozen=True)
class SheetOrder(Order):
    """How a sheet is wanted. ``place``: up to where in the ledger the gang is told, None for all of
    it; ``as_of``: when that was, in words."""

    place: int | None = None
    as_of: str = ""


def key(gang: Gang, order: SheetOrder) -> str:
    """What identifies a printed sheet, known without drawing it.

    A gang's version tells its roster, as of every place in its ledger, and the version of its book
    never changes.
    """
    return orders.key("sheet", gang.pk, gang.version, gang.book_version_id, order)


def job(gang: Gang, order: SheetOrder, stood: Callable[[], Gang] | None = None) -> Job:
    """The sheet for the press. ``stood``: finds the gang as it stood at the place of the
    ``order``, if it names one."""
    return Job(html(stood() if stood is not None else gang, order))


def html(gang: Gang, order: SheetOrder) -> str:
    """The sheet as HTML for the press."""
    scene = Scene.of(gang.book, gang.roster)
    return markup(scene, order, campaigns=campaigns(gang))


@dataclass(frozen=True)
class Block:
    """A member on the sheet: his card, with what is set in columns.

    ``standing``: what he is, beside his name; ``boxes``, ``experience``: drawings to tick.
    """

    card: Card
    standing: str
    statlines: list[tuple[str, str]]
    kits: Sequence[Kit]
    rows: Sequence[Row]
    boxes: SafeString | str
    experience: SafeString | str
    amounts: str


def markup(scene: Scene, order: SheetOrder, *, campaigns: Sequence[str] = ()) -> str:
    """The gang as HTML for the printer."""
    page = draw(scene, order.language)
    life = life_label(scene.book, order.language)
    most_life = max((len(card.life) for card in page.cards), default=0)
    corner = _corner(page, life, most_life)
    # More than one row of boxes reaches down beside the characteristics.
    room = ROOM[order.paper] - (corner if most_life > BOXES_A_ROW else 0)
    stats = [_beside(scene.book, card) for card in page.cards]
    advancement = scene.book.campaign.advancement
    step = advancement.experience if advancement else BOXES_A_ROW
    lines = Statlines(stats, room, LABEL_SIZE, VALUE_SIZE)
    by_member = [named_kits(card.items) for card in page.cards]
    stash, innate = named_kits(page.stash), named_kits(page.innate)
    every_kit = [kit for some in [*by_member, stash, innate] for kit in some]
    stops = Stops(every_kit, ROOM[order.paper], ITEM_SIZE)

    errors = [line for line in page.findings if line.severity == "error"]

    def rows(some: Sequence[Kit]) -> list[Row]:
        return [] if order.plain else [row for kit in some for row in stops.rows(kit)]

    return render_to_string(
        "gangs/print.html",
        {
            "page": page,
            "book": scene.book,
            "order": order,
            "title": f"{scene.book.title.said(order.language)} {scene.book.edition}",
            "measures": _measures(order, stops, lines, corner),
            "plain": order.plain,
            "plain_stats": order.plain or not lines.fits,
            "blocks": [
                Block(
                    card=card,
                    standing=_standing(card),
                    statlines=lines.lines(beside),
                    kits=some,
                    rows=rows(some),
                    boxes=boxes(card.life, life),
                    experience=experience(card, step),
                    amounts=summed(card.receipt, card.rating, page.rating_unit),
                )
                for card, some, beside in zip(page.cards, by_member, stats, strict=True)
            ],
            "stash": {"kits": stash, "rows": rows(stash)},
            "innate": {"kits": innate, "rows": rows(innate)},
            "amounts": summed(page.receipt, page.rating, page.rating_unit),
            "campaigns": ", ".join(campaigns),
            "legend": legend(scene.book, order.language),
            "life": life,
            "ranks": ranks(scene, order.language),
            "errors": errors[:MOST_ERRORS],
            "more_errors": max(0, len(errors) - MOST_ERRORS),
            "house": shows_house(scene.book, page),
            "code": qr_code(order.link, _("This sheet on the web")) if order.link else "",
        },
    )


def _standing(card: Card) -> str:
    squad = f"{card.squad_name} {card.squad}" if card.squad else ""
    return " · ".join(filter(None, (card.standing, squad)))


def _beside(book: Book, card: Card) -> tuple[Stat, ...]:
    """The characteristics to be set as values: not the track that is drawn in the corner."""
    drawn = 0 < len(card.life) <= MOST_BOXES
    return tuple(
        stat for stat in card.stats if not (drawn and stat.boxes and stat.key == book.life)
    )


def _corner(page: Page, life: str, most: int) -> float:
    """The width of a block's corner: boxes to tick off, and what the member is worth."""
    worths = [f"{card.rating} {page.rating_unit}" for card in page.cards if page.rating_name]
    worth = max((width(said, 10) for said in worths), default=0)
    boxes = min(most, BOXES_A_ROW) * 4.6 + width(life, 8) + 6 if most else 0
    return round(worth * 1.1 + boxes, 1)


def _measures(order: Order, stops: Stops, lines: Statlines, corner: float) -> SafeString:
    """The rules that differ from sheet to sheet. Written here: a template would put decimal
    commas into them for French readers."""
    return format_html(
        "@page {{ size: {} }} pre {{ tab-size: {}mm }} .v {{ tab-size: {}mm }} "
        ".n {{ width: {}mm }} p.v {{ margin-left: {}mm }} col.v {{ width: {}mm }} "
        ".corner {{ width: {}mm }}",
        order.size,
        lines.tab,
        stops.tab,
        stops.name_width,
        stops.name_width,
        stops.width,
        corner,
    )
