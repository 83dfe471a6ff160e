"""Member cards: a member on a card of fixed size to cut out, or on two if they carry much."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import batched
from pathlib import Path

from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from gangs.cards.render import render
from gangs.engine.computed import ComputedGang
from gangs.models import Gang
from gangs.pictures import storage as pictures_storage
from gangs.prints.card_sides import FORMATS, CardSize, Drawing, Format
from printing import orders
from printing.orders import HEIGHTS, WIDTHS, Order
from printing.press import Job
from rules.book.look import mixed

MOST_SPARES = 9
# How much of the game's colour there is in what is drawn behind writing.
FAINT = 0.14


@dataclass(frozen=True)
class CardsOrder(Order):
    """How cards are wanted. ``members``: whose, all if none is named; ``spares``: blank cards."""

    size: CardSize = "poker"
    members: tuple[int, ...] = ()
    spares: int = 0

    @property
    def format(self) -> Format:
        """The size of the cards."""
        return FORMATS[self.size]


def key(gang: Gang, order: CardsOrder) -> str:
    """What identifies printed cards, known without drawing them."""
    shown = pictures_storage.picture_names(gang) if order.illustrated else ()
    return orders.key("cards", gang.pk, gang.version, gang.book_version_id, order, shown)


def job(gang: Gang, order: CardsOrder) -> Job:
    """The cards for the press."""
    roster = gang.roster
    pictured = roster.members if order.illustrated else ()
    portraits = pictures_storage.files_of(gang, (one.id for one in pictured))
    html = markup(ComputedGang.of(gang.book, roster), order, portraits)
    folder = str(pictures_storage.pictures_folder()) if portraits else ""
    return Job(html, styles=("fonts", "cards"), pictures=folder)


def markup(
    computed: ComputedGang, order: CardsOrder, portraits: Mapping[int | None, Path] | None = None
) -> str:
    """The cards as HTML for the printer. Of a gang with nobody in it there are blank ones."""
    page = render(computed, order.language)
    size = order.format
    drawing = Drawing(computed, page, order.language, size, portraits or {})
    chosen = [card for card in page.cards if not order.members or card.id in order.members]
    a_page = size.across * size.down
    spares = order.spares if chosen or order.spares else a_page
    sides = [side for card in chosen for side in drawing.sides(card)]
    sides += [drawing.blank() for _number in range(spares)]
    look = computed.book.look
    return render_to_string(
        "gangs/prints/cards.html",
        {
            "order": order,
            "page": page,
            "pages": list(batched(sides, a_page)),
            "title": _("%(gang)s: cards") % {"gang": page.name},
            "measures": _measures(order, look.accent.light, look.second.light),
            "emblem": look.emblem if order.illustrated else "",
            "faint": mixed(look.accent.light, "#ffffff", FAINT),
            "upright": _to(size.across),
            "level": _to(size.down),
        },
    )


def _measures(order: CardsOrder, accent: str, second: str) -> SafeString:
    """The rules that differ from order to order: the page with its lines to cut along, where the
    cards are on it, and the colours of the game."""
    size = order.format
    wide, high = WIDTHS[order.paper], HEIGHTS[order.paper]
    left = (wide - size.across * size.width) / 2
    top = (high - size.down * size.height) / 2
    cuts = [
        f".x{place} {{ left: {left + size.width * place - 0.05:.2f}mm }}"
        for place in _to(size.across)
    ]
    cuts += [
        f".y{place} {{ top: {top + size.height * place - 0.05:.2f}mm }}" for place in _to(size.down)
    ]
    places = format_html_join(
        " ",
        ".c{} {{ left: {}mm; top: {}mm }}",
        (
            (place, f"{left + column * size.width:.2f}", f"{top + row * size.height:.2f}")
            for place, (row, column) in enumerate(
                (row, column) for row in range(size.down) for column in range(size.across)
            )
        ),
    )
    return format_html(
        "@page {{ size: {}; margin: 0 }} {} .page {{ height: {}mm }} "
        ".card {{ width: {}mm; height: {}mm }} .standing, .corner {{ font-size: {}pt }} "
        ".stats th {{ font-size: {}pt }} .stats td {{ font-size: {}pt }} "
        ".portrait {{ width: {}mm; height: {}mm }} {} "
        ".illustrated .frame {{ border-color: {} }} .illustrated .head {{ background: {} }} "
        ".illustrated .t, .illustrated .label {{ color: {} }} .illustrated .passage.ill, "
        ".illustrated .stats td, .illustrated .stats th {{ border-color: {} }}",
        order.page_size,
        mark_safe(" ".join(cuts)),
        high - 1,
        size.width,
        size.height,
        size.standing,
        size.label,
        size.value,
        size.portrait,
        size.portrait,
        places,
        accent,
        accent,
        accent,
        second,
    )


def _to(count: int) -> range:
    return range(count + 1)
