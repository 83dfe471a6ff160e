"""Member cards: a member on a card of fixed size to cut out, or on two if they carry much."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import batched

from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from gangs.cards.render import render
from gangs.engine.computed import ComputedGang
from gangs.models import Gang
from gangs.pictures import storage as pictures_storage
from gangs.prints.card_sides import FORMATS, CardSize, Drawing
from printing import orders
from printing.orders import HEIGHTS, WIDTHS, Order
from printing.press import Job
from rules.book.look import mixed
from rules.prints.page import page_rules

MOST_SPARES = 9
# How much of the game's colour there is in what is drawn behind writing.
FAINT = 0.14


@dataclass(frozen=True)
class CardsOrder(Order):
    """How cards are wanted. ``members``: whose, all if none is named; ``spares``: blank cards."""

    size: CardSize = "poker"
    members: tuple[int, ...] = ()
    spares: int = 0


def key(gang: Gang, order: CardsOrder) -> str:
    """What identifies printed cards, known without drawing them."""
    names = pictures_storage.picture_names(gang) if order.illustrated else ()
    return orders.key("cards", gang.pk, gang.version, gang.book_version_id, order, names)


def job(gang: Gang, order: CardsOrder) -> Job:
    """The cards for the press."""
    roster = gang.roster
    pictured = roster.members if order.illustrated else ()
    portraits = pictures_storage.files_of(gang, (member.id for member in pictured))
    html = markup(ComputedGang.of(gang.book, roster), order, portraits)
    return Job(html, ("fonts", "cards"), tuple(portraits.values()))


def markup(
    computed: ComputedGang, order: CardsOrder, portraits: Mapping[int | None, str] | None = None
) -> str:
    """The cards as HTML for the printer. Of a gang with nobody in it there are blank ones."""
    page = render(computed, order.language)
    size = FORMATS[order.size]
    drawing = Drawing(computed, page, order.language, size, portraits or {})
    chosen = [card for card in page.cards if not order.members or card.id in order.members]
    across = _cuts(WIDTHS[order.paper], size.width, size.across)
    down = _cuts(HEIGHTS[order.paper], size.height, size.down)
    places = [(f"{left:.2f}mm", f"{top:.2f}mm") for top in down[:-1] for left in across[:-1]]
    spares = order.spares if chosen or order.spares else len(places)
    sides = [side for card in chosen for side in drawing.sides(card)]
    sides += [drawing.blank() for _number in range(spares)]
    look = computed.book.look
    return render_to_string(
        "gangs/prints/cards.html",
        {
            "order": order,
            "drawing": drawing,
            "pages": [
                list(zip(places, group, strict=False)) for group in batched(sides, len(places))
            ],
            "title": _("%(gang)s: cards") % {"gang": page.name},
            "measures": page_rules(
                order,
                look,
                paper=f"{HEIGHTS[order.paper] - 1}mm",
                width=f"{size.width}mm",
                height=f"{size.height}mm",
                standing=f"{size.standing}pt",
                label=f"{size.label}pt",
                value=f"{size.value}pt",
                portrait=f"{size.portrait}mm",
            ),
            "emblem": look.emblem if order.illustrated else "",
            "faint": mixed(look.accent.light, "#ffffff", FAINT),
            # In the middle of a line of a tenth of a millimetre.
            "upright": [f"{left - 0.05:.2f}mm" for left in across],
            "level": [f"{top - 0.05:.2f}mm" for top in down],
        },
    )


def _cuts(paper: float, card: float, count: int) -> list[float]:
    """Where so many cards in the middle of the paper are cut: millimetres from its edge."""
    start = (paper - count * card) / 2
    return [start + card * place for place in range(count + 1)]
