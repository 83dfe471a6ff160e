"""The printed sheet of a gang: roster into HTML, HTML into a PDF that is made only once."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import version
from typing import Any, Literal

import segno
from django.conf import settings
from django.template.loader import render_to_string
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from gangs import printing
from gangs.cards import AmountLine, Card, ItemLine, Page, Stat, Words, draw
from gangs.columns import NOTHING, Kit, Row, Statlines, Stops, kits, width
from gangs.models import Gang
from gangs.scene import Scene
from rules.book import Book
from rules.costing import Points
from rules.schema import Characteristic, Origin, Rank

Paper = Literal["a4", "letter"]

# Millimetres inside the margins and a block's padding; the sizes are print.css's, in points.
ROOM: dict[Paper, float] = {"a4": 182, "letter": 188}
LABEL_SIZE = 7.5
VALUE_SIZE = 11
ITEM_SIZE = 8
MOST_BOXES = 60
MOST_ERRORS = 6
BOXES_A_ROW = 10
MOST_EXPERIENCE = 60


@dataclass(frozen=True)
class Order:
    """How a sheet is wanted. ``link``: the address of the shared sheet, "" if it is not shared;
    ``plain``: tables for screen readers instead of lines with tab stops. ``place``: up to where in
    the ledger the gang is told, None for all of it; ``as_of``: when that was, in words."""

    language: str
    paper: Paper = "a4"
    plain: bool = False
    link: str = ""
    place: int | None = None
    as_of: str = ""


def key(gang: Gang, order: Order) -> str:
    """What identifies a printed sheet: everything that shows on it, known without drawing it.

    A gang's version tells its roster, as of every place in its ledger, and the version of its book
    never changes.
    """
    parts = [gang.pk, gang.version, gang.book_version_id, order, _workshop()]
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def printed(gang: Gang, order: Order, stood: Callable[[], Gang] | None = None) -> bytes:
    """The sheet as a PDF, from the shelf if it was printed before. Raises printing.Busy.

    ``stood``: finds the gang as it stood at the place of the ``order``, if it names one.
    """
    name = key(gang, order)
    found = printing.kept(name)
    if found is None:
        with printing.printer():
            # Whoever held the printer before may have made just this sheet.
            found = printing.kept(name)
            if found is None:
                drawn = stood() if stood is not None else gang
                found = printing.pdf(html(drawn, order), tagged=order.plain)
                printing.keep(name, found)
    return found


def html(gang: Gang, order: Order) -> str:
    """The sheet as HTML for the printer."""
    scene = Scene.of(gang.book, gang.roster)
    return markup(scene, order, campaigns=campaigns(gang))


def campaigns(gang: Gang) -> list[str]:
    """The names of the campaigns that the gang is in."""
    known = gang.roster.campaigns
    if not known:
        return []
    joined = gang.entries.live().filter(kind="joined")
    return [entry.data["name"] for entry in joined if entry.data["campaign"] in known]


def _workshop() -> str:
    # While somebody works on the project, a sheet must follow every change of a template.
    return _fingerprint.__wrapped__() if settings.DEBUG else _fingerprint()


@cache
def _fingerprint() -> str:
    """What sheets are made with: our code, templates, styles and translations, and the printer."""
    made_with = hashlib.sha256(version("weasyprint").encode())
    base = settings.BASE_DIR
    files = [*base.glob("gangs/*.py"), *base.glob("rules/*.py"), printing.stylesheet()]
    files += [*base.glob("templates/gangs/*.html"), *base.glob("locale/*/LC_MESSAGES/*.mo")]
    for file in sorted(files):
        made_with.update(file.read_bytes())
    return made_with.hexdigest()


# The markup -----------------------------------------------------------------------------------


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


def markup(scene: Scene, order: Order, *, campaigns: Sequence[str] = ()) -> str:
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
    by_member = [_kits(card.items) for card in page.cards]
    stash, innate = _kits(page.stash), _kits(page.innate)
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
            "measures": _measures(order.paper, stops, lines, corner),
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
            "code": _code(order.link, _("This sheet on the web")) if order.link else "",
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


def reading(gang: Gang, language: str) -> dict[str, Any]:
    """What the page to be read shows, drawn once for as long as the gang stays as it is."""
    read = _read.__wrapped__ if settings.DEBUG else _read
    return read(gang.pk, gang.book_version_id, gang.snapshot, language)


@lru_cache(maxsize=64)
def _read(gang: uuid.UUID, version: int, snapshot: str, language: str) -> dict[str, Any]:
    # A snapshot tells the whole roster; the names of its campaigns never change.
    found = Gang(pk=gang, book_version_id=version, snapshot=snapshot)
    scene = Scene.of(found.book, found.roster)
    page = draw(scene, language)
    context = {
        "page": page,
        "members": [
            (card, told_items(card.items), summed(card.receipt, card.rating, page.rating_unit))
            for card in page.cards
        ],
        "stash": told_items(page.stash),
        "innate": told_items(page.innate),
        "legend": legend(scene.book, language),
        "ranks": ranks(scene, language),
        "house": shows_house(scene.book, page),
    }
    return {
        "book": scene.book,
        "campaigns": ", ".join(campaigns(found)),
        "members": render_to_string("gangs/_sheet_members.html", context),
        "side": render_to_string("gangs/_sheet_side.html", context),
    }


def told_items(items: Sequence[ItemLine]) -> list[tuple[ItemLine, str]]:
    """Items, equal ones counted, each with all its columns in one line."""
    told = []
    for kit in _kits(items):
        for item, values in kit.rows:
            pairs = zip(kit.columns, values, strict=True)
            said = [f"{column} {value}" for column, value in pairs if value != NOTHING]
            told.append((item, " · ".join(said)))
    return told


def _kits(items: Sequence[ItemLine]) -> list[Kit]:
    return kits(items, level=_("Level"), hands=_("Hands"))


def summed(lines: Sequence[AmountLine], total: Points, unit: str) -> str:
    """A receipt as one line, "Leader 100 + Knife 3 = 103 XP"; "" if there is nothing to add up."""
    parts = [f"{line.name} {number_format(line.amount)}" for line in lines if line.amount]
    return " + ".join(parts) + f" = {number_format(total)} {unit}" if len(parts) > 1 else ""


def legend(book: Book, language: str) -> list[tuple[str, str, bool]]:
    """What the characteristics' labels stand for: label, name, and whether it is a house value."""
    return [
        (row.short.said(language), _meaning(row, language), row.is_house)
        for row in book.characteristics
    ]


def _meaning(row: Characteristic, language: str) -> str:
    """A characteristic's name, with what its two numbers or its sorts of boxes are."""
    name = row.name.said(language)
    if row.kind == "pair":
        return f"{name} ({' / '.join(part.said(language) for part in row.parts)})"
    if row.kind == "track" and len(row.boxes) > 1:
        inside = _("%(box)s with a mark inside")
        sorts = [
            inside % {"box": box.name.said(language)} if box.marked else box.name.said(language)
            for box in row.boxes
        ]
        return f"{name} ({', '.join(sorts)})"
    return name


def ranks(scene: Scene, language: str) -> list[Words]:
    """What the ranks of the members do, and what their origins bring them."""
    figures = scene.figures.values()
    present = {figure.rank for figure in figures}, {figure.origin for figure in figures}
    rows: list[Rank | Origin] = [row for row in scene.book.ranks if row.key in present[0]]
    rows += [row for row in scene.book.origins if row.key in present[1]]
    return [
        Words(row.key, row.name.said(language), row.text.said(language), row.is_house)
        for row in rows
        if row.text
    ]


def life_label(book: Book, language: str) -> str:
    """The label of the characteristic that is ticked off at the table, "" if there is none."""
    return book.characteristic[book.life].short.said(language) if book.life else ""


def shows_house(book: Book, page: Page) -> bool:
    """Whether anything on the sheet is a house value."""
    if any(row.is_house for row in [*book.characteristics, *book.ranks, *book.origins]):
        return True
    for card in page.cards:
        words = [*card.calling, *card.traits, *card.gained, *card.afflictions]
        if any(word.house for word in words) or any(item.house for item in card.items):
            return True
    return any(item.house for item in [*page.stash, *page.innate])


def boxes(life: Sequence[bool], label: str) -> SafeString | str:
    """Squares to tick off, as one drawing; "" where there are none, or too many to draw.

    ``life``: whether each square stands out; those that do have a smaller one inside.
    """
    if not 0 < len(life) <= MOST_BOXES:
        return ""
    rows, rest = divmod(len(life), BOXES_A_ROW)
    height = (rows + bool(rest)) * 46 - 4
    across = min(len(life), BOXES_A_ROW) * 46 - 4
    squares = ""
    for place, marked in enumerate(life):
        x, y = 1 + place % BOXES_A_ROW * 46, 1 + place // BOXES_A_ROW * 46
        squares += f"M{x} {y}h40v40h-40z"
        if marked:
            squares += f"M{x + 9} {y + 9}h22v22h-22z"
    return format_html(
        '<svg viewBox="0 0 {0} {1}" width="{2}mm" height="{3}mm"><title>{5} {6}</title>'
        '<path d="{4}" fill="none" stroke="#000" stroke-width="3"/></svg>',
        across,
        height,
        across / 10,
        height / 10,
        squares,
        label,
        len(life),
    )


def experience(card: Card, step: int) -> SafeString | str:
    """A rank's boxes for experience as one drawing, those earned full, a gap after each ``step``;
    "" where there are none, or too many to draw."""
    most = card.experience_most or 0
    if not 0 < most <= MOST_EXPERIENCE:
        return ""
    squares = {True: "", False: ""}
    for place in range(most):
        x = 1 + place * 24 + place // step * 12
        squares[place < card.experience] += f"M{x} 1h18v18h-18z"
    across = x + 19
    return format_html(
        '<svg viewBox="0 0 {0} 20" width="{1}mm" height="2mm"><title>{2}</title>'
        '<path d="{3}" fill="none" stroke="#000" stroke-width="2"/><path d="{4}"/></svg>',
        across,
        across / 10,
        card.earned,
        squares[False],
        squares[True],
    )


@cache
def _code(link: str, title: str) -> SafeString:
    """The link as a QR code: a drawing, with nothing of the link's own letters in it."""
    code = segno.make(link, error="m", micro=False)
    return mark_safe(code.svg_inline(border=0, omitsize=True, title=title))


def _corner(page: Page, life: str, most: int) -> float:
    """The width of a block's corner: boxes to tick off, and what the member is worth."""
    worths = [f"{card.rating} {page.rating_unit}" for card in page.cards if page.rating_name]
    worth = max((width(said, 10) for said in worths), default=0)
    boxes = min(most, BOXES_A_ROW) * 4.6 + width(life, 8) + 6 if most else 0
    return round(worth * 1.1 + boxes, 1)


def _measures(paper: Paper, stops: Stops, lines: Statlines, corner: float) -> SafeString:
    """The rules that differ from sheet to sheet. Written here: a template would put decimal
    commas into them for French readers."""
    return format_html(
        "@page {{ size: {} }} pre {{ tab-size: {}mm }} .v {{ tab-size: {}mm }} "
        ".n {{ width: {}mm }} p.v {{ margin-left: {}mm }} col.v {{ width: {}mm }} "
        ".corner {{ width: {}mm }}",
        "letter" if paper == "letter" else "A4",
        lines.tab,
        stops.tab,
        stops.name_width,
        stops.name_width,
        stops.width,
        corner,
    )
