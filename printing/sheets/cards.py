"""Print member cards: one card to cut out for each member, or two to fold if they carry much."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import batched

from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from gangs.cards.groups import gather_cards
from gangs.cards.render import render
from gangs.engine.computed import ComputedGang
from gangs.models import Gang
from gangs.pictures import storage as pictures_storage
from printing.members.card import ABOVE, CardSize, Drawing, Side, format_of
from printing.members.values import paper_member
from printing.paper import orders
from printing.paper.orders import HEIGHTS, WIDTHS, Order
from printing.paper.page import page_rules
from printing.press.jobs import Job
from rules.book.look import mix

MOST_SPARES = 9
# Millimetres: the marks for a ruler: their distance from the cards, their length and width; the
# height of the line to measure by, with its words (its width where it stands upright).
TICK_AWAY, TICK, TICK_WIDE = 1.0, 5.0, 0.2
RULER_HIGH = 8.0
# The share of the game's colour in drawings behind writing.
FAINT = 0.14


@dataclass(frozen=True)
class CardsOrder(Order):
    """Options of a print of cards. ``members``: the members to print, all if empty; ``spares``:
    blank cards.
    """

    size: CardSize = "poker"
    members: tuple[int, ...] = ()
    spares: int = 0


def key(gang: Gang, order: CardsOrder) -> str:
    """Return the key of printed cards, without drawing them."""
    names = pictures_storage.picture_names(gang) if order.illustrated else ()
    return orders.key("cards", gang.pk, gang.version, gang.book_version_id, order, names)


def job(gang: Gang, order: CardsOrder) -> Job:
    """Return the cards for the press."""
    roster = gang.roster
    pictured = roster.members if order.illustrated else ()
    portraits = pictures_storage.files_of(gang, (member.id for member in pictured))
    html = markup(ComputedGang.of(gang.book, roster), order, portraits)
    return Job(html, ("fonts", "cards"), tuple(portraits.values()))


def markup(
    computed: ComputedGang, order: CardsOrder, portraits: Mapping[int | None, str] | None = None
) -> str:
    """Return the cards as HTML for the printer. A gang without members gets blank ones."""
    page = render(computed, order.language)
    size = format_of(order, order.size)
    drawing = Drawing(computed, page, order.language, size, portraits or {})
    chosen = [
        paper_member(computed, group, order.language)
        for group in gather_cards(computed, page, order.members)
    ]
    across = _cuts(WIDTHS[order.paper], size.width, size.across)
    down = _cuts(HEIGHTS[order.paper], size.height, size.down)
    each = size.across * size.down
    spares = order.spares if chosen or order.spares else each
    sides = drawing.sides(chosen, spares)
    places = [(f"{left:.2f}mm", f"{top:.2f}mm") for top in down[:-1] for left in across[:-1]]
    look = computed.book.look
    placed = list(_placed(sides, size.across))
    return render_to_string(
        "printing/sheets/cards.html",
        {
            "order": order,
            "book": computed.book,
            "drawing": drawing,
            "pages": [
                [
                    (place, *laid)
                    for place, laid in zip(places, group, strict=False)
                    if laid is not None
                ]
                for group in batched(placed, each)
            ],
            "folded": any(laid and laid[1] for laid in placed),
            "title": _("%(gang)s: cards") % {"gang": page.name},
            "measures": page_rules(
                order,
                look,
                paper=f"{HEIGHTS[order.paper] - 1}mm",
                width=f"{size.width}mm",
                height=f"{size.height}mm",
                standing=f"{size.standing}pt",
                stamp=f"{size.standing + 1}pt",
                label=f"{size.label}pt",
                value=f"{size.value}pt",
                body=f"{drawing.body}pt",
                portrait=f"{size.portrait}mm",
                aside=f"{drawing.halves.aside:.1f}mm",
                below=f"{ABOVE + drawing.halves.below:.1f}mm",
                above=f"{ABOVE}mm",
                strip=f"{drawing.halves.high:.1f}mm",
                foot=f"{drawing.foot_high:.1f}mm",
            ),
            "emblem": look.emblem if order.illustrated else "",
            "faint": mix(look.accent.light, "#ffffff", FAINT),
            "ticks": list(_ticks(across, down)),
            "ruler": _ruler(across, down),
        },
    )


def _cuts(paper: float, card: float, count: int) -> list[float]:
    """Return where ``count`` cards in the middle of the paper are cut, in millimetres from its
    edge.
    """
    start = (paper - count * card) / 2
    return [start + card * place for place in range(count + 1)]


def _placed(groups: Sequence[Sequence[Side]], across: int) -> Iterator[tuple[Side, bool] | None]:
    """Yield the sides in the order of their places, ``across`` in a row, each with whether it is
    folded onto the next; None for an empty place.

    Two sides of a member are printed side by side. If a row has no room for both, the next member
    who needs only one place fills it.
    """
    waiting = [pair for group in groups for pair in batched(group, 2)]
    column = 0
    while waiting:
        fitting = (at for at, pair in enumerate(waiting) if column + len(pair) <= across)
        at = next(fitting, None)
        if at is None:
            yield None
            column = (column + 1) % across
            continue
        pair = waiting.pop(at)
        for number, side in enumerate(pair, start=1):
            yield side, number < len(pair)
        column = (column + len(pair)) % across


def _ticks(across: Sequence[float], down: Sequence[float]) -> Iterator[tuple[str, ...]]:
    """Yield the marks for a ruler, outside the cards, each with its left, top, width and height."""
    length = min(across[0], down[0], TICK + TICK_AWAY) - TICK_AWAY
    for left in across:
        for top in (down[0] - TICK_AWAY - length, down[-1] + TICK_AWAY):
            yield _millimetres(left - TICK_WIDE / 2, top, TICK_WIDE, length)
    for top in down:
        for left in (across[0] - TICK_AWAY - length, across[-1] + TICK_AWAY):
            yield _millimetres(left, top - TICK_WIDE / 2, length, TICK_WIDE)


def _millimetres(*lengths: float) -> tuple[str, ...]:
    return tuple(f"{length:.2f}mm" for length in lengths)


def _ruler(across: Sequence[float], down: Sequence[float]) -> Mapping[str, str]:
    """Return the line to measure by: below the cards, or beside them if it only fits there."""
    if down[0] >= RULER_HIGH + TICK_AWAY:
        return {
            "left": f"{across[0] + 8:.2f}mm",
            "top": f"{down[-1] + TICK_AWAY:.2f}mm",
            "width": "100mm",
            "box": "50.2 1.6",
            "across": "50.2mm",
            "high": "1.6mm",
            "path": "M.1 0v1.6M.1 .8h50M50.1 0v1.6",
        }
    return {
        "left": f"{across[0] - TICK_AWAY - RULER_HIGH:.2f}mm",
        "top": f"{down[0] + 4:.2f}mm",
        "width": f"{RULER_HIGH}mm",
        "box": "1.6 50.2",
        "across": "1.6mm",
        "high": "50.2mm",
        "path": "M0 .1h1.6M.8 .1v50M0 50.1h1.6",
    }
