"""A gang or one of its members as a text to send."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gangs.cards.values import Card, Page, count_equal
from gangs.text.formats import with_unit
from gangs.text.passages import Link, Passage, TextLine, Title


def gang_text(page: Page, game: str, address: str = "") -> list[Passage]:
    """Return a gang: its worth, each member with values, abilities and items, and its stash.

    ``game``: the name of its game; ``address``: of its shared sheet, "" if it is not shared.
    """
    found: list[Passage] = [Title(page.name), TextLine(_worth(page, game))]
    for card in page.cards:
        found += [*_member(card, page, level=2)]
    if page.stash:
        found.append(Title(_("Stash"), 2))
        found.append(TextLine(", ".join(item.name for item in count_equal(page.stash))))
    if page.holdings:
        names = ", ".join(holding.name for holding in page.holdings)
        found.append(Title(_("Holdings"), 2))
        found.append(TextLine(names))
    return [*found, Link(address)] if address else found


def member_text(card: Card, page: Page, address: str = "") -> list[Passage]:
    """Return one member, with the gang's name. ``address``: as for ``gang_text``."""
    found = [*_member(card, page, level=1), TextLine(page.name)]
    return [*found, Link(address)] if address else found


def _worth(page: Page, game: str) -> str:
    size = ngettext("%(count)s figure", "%(count)s figures", page.size) % {"count": page.size}
    rating = with_unit(page.rating, page.rating_unit) if page.rating_name else ""
    left = ""
    if page.left is not None:
        label = _("Treasury") if page.playing else _("Left")
        left = f"{label} {with_unit(page.left, page.money_unit)}"
    purses = [f"{purse.name} {with_unit(purse.amount, purse.unit)}" for purse in page.purses]
    return " · ".join(filter(None, (game, page.origin, rating, left, *purses, size)))


def _member(card: Card, page: Page, level: int) -> list[Passage]:
    """Return a member's lines. A line without content is left out."""
    worth = [with_unit(card.cost, page.money_unit)] if card.cost is not None else []
    worth += [with_unit(one.amount, one.unit) for one in card.costs]
    worth += [with_unit(card.rating, page.rating_unit)] if page.rating_name else []
    values = "  ".join(f"{stat.short} {stat.value}" for stat in card.stats)
    # Rules of a rank or a profession have its name, which the first line says.
    said = {"", *card.placed.split(" · ")}
    abilities = dict.fromkeys(text.name for text in card.abilities if text.name not in said)
    lines = [
        " · ".join(filter(None, (card.placed, *worth))),
        values,
        ", ".join(abilities),
        ", ".join(item.name for item in card.kit),
        ", ".join(ailment.name for ailment in card.afflictions),
        card.learned if card.experience or page.playing else "",
    ]
    return [Title(card.shown_name, level), *(TextLine(line) for line in lines if line)]
