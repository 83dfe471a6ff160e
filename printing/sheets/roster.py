"""Print a gang's roster sheet: everything that players look up at the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from gangs.cards.groups import gather_cards
from gangs.cards.item_tables import ItemKit, keep_looked_up, named_kits
from gangs.cards.render import render
from gangs.cards.sheet import (
    campaigns,
    legend,
    ranks,
    shows_house,
    sum_up,
)
from gangs.cards.values import ItemLine, Page
from gangs.engine.computed import ComputedGang
from gangs.models import Gang, GangView
from gangs.pictures import storage as pictures
from printing.members.drawings import qr_code
from printing.members.pack import Fighter, fighter_of, in_large_print
from printing.members.sheet import LOW, NAME_ROOM, PICTURE, BlockEntry, member_entry
from printing.members.values import PaperMember, paper_member
from printing.members.words import words_of
from printing.paper import orders
from printing.paper.orders import HEIGHTS, Order, Paper
from printing.paper.page import page_rules
from printing.press.jobs import Job, picture_address
from printing.sheets.endings import Ending, choose_ending, foot
from rules.book.look import Look, mix
from rules.book.model import Book
from typesetting.letters import LARGE, LARGE_LABEL
from typesetting.measuring import Run, lines_height
from typesetting.passages import Passage

# Millimetres inside the margins and a block's padding; between two blocks side by side, with their
# padding; above and below the text of a page. The other sizes are those of print/sheet.css.
ROOM: dict[Paper, float] = {"a4": 184, "letter": 189.9}
GUTTER = 3.9
MARGINS = 24.0
HEAD, LEAST_HEAD = 22.5, 23.5
LINK, AS_OF = 2.9, 3.8
MOST_ERRORS = 6
# The illustrated sheet: the share of the accent in the ground behind a name.
TINT = 0.1


@dataclass(frozen=True)
class SheetOrder(Order):
    """Options of a sheet. ``place``: shows the gang up to this place in the ledger, None for all of
    it; ``as_of``: the date of that place, in words; ``sums``: adds the sums of everybody's worth.
    """

    place: int | None = None
    as_of: str = ""
    sums: bool = False


def key(gang: Gang, order: SheetOrder) -> str:
    """Return the key of a printed sheet, without drawing it.

    A gang's version identifies its roster at every place in its ledger, and a version of its book
    never changes.
    """
    names = pictures.picture_names(gang) if order.illustrated else ()
    return orders.key("sheet", gang.pk, gang.version, gang.book_version_id, names, order)


def job(gang: GangView, order: SheetOrder) -> Job:
    """Return the sheet for the press."""
    computed = ComputedGang.of(gang.book, gang.roster)
    files: dict[int | None, str] = {}
    if order.illustrated:
        whom = [None, *(member.id for member in computed.roster.members)]
        files = pictures.files_of(gang, whom)
    html = markup(computed, order, campaigns=campaigns(gang), pictures=files)
    return Job(html, pictures=tuple(files.values()))


def markup(
    computed: ComputedGang,
    order: SheetOrder,
    *,
    campaigns: Sequence[str] = (),
    pictures: Mapping[int | None, str] | None = None,
) -> str:
    """Return the gang as HTML for the printer. ``pictures``: members' by their numbers, the gang's
    badge by None.
    """
    page = render(computed, order.language)
    errors = [line for line in page.findings if line.severity == "error"][:MOST_ERRORS]
    pictures = pictures or {}
    members = [
        paper_member(computed, group, order.language) for group in gather_cards(computed, page)
    ]
    entries = list(_entries(members, page, computed.book, order, pictures))
    context = {
        "page": page,
        "roster": computed.roster,
        "book": computed.book,
        "order": order,
        "title": f"{computed.book.title.translated(order.language)} · {computed.book.edition}",
        "sums": list(_sums(page)) if order.sums else [],
        "campaigns": ", ".join(campaigns),
        "legend": legend(computed.book, order.language),
        "ranks": ranks(computed, order.language),
        "gains": _gains(members),
        "errors": errors,
        "more_errors": max(0, page.errors - MOST_ERRORS),
        "house": shows_house(computed.book, page),
        "code": qr_code(order.link, _("This sheet on the web")) if order.link else "",
        "badge": picture_address(pictures[None]) if None in pictures else "",
    }
    if order.plain:
        fighters = [_in_large_print(entry) for entry in entries]
        context |= {
            "fighters": in_large_print(fighters).laid,
            "foot": foot(context),
            "measures": page_rules(
                order, computed.book.look, body=f"{LARGE}pt", label=f"{LARGE_LABEL}pt"
            ),
        }
    else:
        down = HEIGHTS[order.paper] - MARGINS
        ending = choose_ending(context, entries, ROOM[order.paper], GUTTER, down, _head(order))
        context |= {
            "lines": ending.arrangement.lines,
            "foot": ending.foot,
            "notes": ending.notes,
            "measures": _measures(order, ending, computed.book.look),
        }
    return render_to_string("printing/sheets/roster.html", context)


def _entries(
    members: Iterable[PaperMember],
    page: Page,
    book: Book,
    order: Order,
    pictures: Mapping[int | None, str],
) -> Iterator[BlockEntry]:
    """Yield every member, then the stash and the items that everybody has."""

    def kits(items: Sequence[ItemLine]) -> list[ItemKit]:
        return named_kits(keep_looked_up(book, items, short_in=order.language))

    for member in members:
        picture = pictures.get(member.card.id, "")
        yield member_entry(
            member, kits(member.card.usable), picture_address(picture) if picture else ""
        )
    for name, items in ((_("Stash"), page.stash), (_("Everybody has"), page.innate)):
        if items:
            yield BlockEntry(name, kits(items))


def _sums(page: Page) -> Iterator[tuple[str, str]]:
    """Yield the sums of every member's worth, and of the gang's."""
    for card in page.cards:
        if worth := sum_up(card.receipt, card.rating, page.rating_unit):
            yield card.shown_name, worth
    if worth := sum_up(page.receipt, page.rating, page.rating_unit):
        yield page.rating_name, worth


def _in_large_print(entry: BlockEntry) -> Fighter:
    """Return an entry with everything in one column. The parts of a characteristic are given in
    words.
    """
    member = entry.member
    if member is None:
        return Fighter(entry.name, kits=tuple(entry.kits))
    card = member.card
    told = [(stat.short, stat.parts) for stat in card.stats if stat.parts]
    words = [Passage("note", (Run(f"{label} ", "title"), Run(parts))) for label, parts in told]
    words += [passage for passage in words_of(card) if passage.kind != "note"]
    words.append(Passage("note", (Run(entry.note),)))
    standing = " · ".join(filter(None, (card.placed, member.worth)))
    return fighter_of(member, entry.kits, words, standing=standing, stats=member.stats)


def _gains(members: Iterable[PaperMember]) -> list[tuple[bool, str, str]]:
    """Return the gains on all ladders: whether each is a promotion, its name, and the experience it
    takes.
    """
    places: dict[tuple[bool, str], set[int]] = {}
    for member in members:
        for rung in member.ladder.rungs if member.ladder else ():
            places.setdefault((rung.rises, rung.gain), set()).add(rung.at)
    return [(rises, gain, ", ".join(map(str, sorted(at)))) for (rises, gain), at in places.items()]


def _head(order: SheetOrder) -> float:
    """Return the height of the band across the top."""
    return max(LEAST_HEAD, HEAD + LINK * bool(order.link) + AS_OF * bool(order.as_of))


def _measures(order: Order, ending: Ending, look: Look) -> SafeString:
    """Return the style rules that differ from sheet to sheet."""
    arrangement = ending.arrangement
    wide, narrow, letters = arrangement.wide, arrangement.narrow, arrangement.letters
    rules: list[str] = [
        page_rules(
            order,
            look,
            tint=mix(look.accent.light, "#ffffff", TINT),
            body=f"{letters.body}pt",
            label=f"{letters.label}pt",
            name=f"{letters.name}pt",
            narrow=f"{letters.narrow_name}pt",
            value=f"{letters.value}pt",
            worth=f"{letters.worth}pt",
            note=f"{letters.note}pt",
            half=f"{narrow.room:.1f}mm",
            high=f"{narrow.life_height if narrow.life_height > LOW else 0:.1f}mm",
            notes=f"{ending.notes:.1f}mm",
        )
    ]
    for name, measure in (("wide", wide), ("half", narrow)):
        who = NAME_ROOM - 2 if measure.beside else measure.room - measure.corner
        rules.append(
            f".{name} {{ --tab: {measure.statlines.tab}mm; --names: {measure.stops.name_width}mm;"
            f" --corner: {measure.corner}mm; --who: {who:.1f}mm }}"
        )
        rules += [
            f".{name} .v{kind} {{ tab-size: {tab}mm }}"
            for kind, tab in enumerate(measure.stops.tabs.values())
        ]
    if wide.beside:
        worth = lines_height(1, letters.worth) + 1
        least = max(letters.statline + 1.8, wide.life_height + (worth if wide.worth else 0))
        rules.append(
            f".wide .stats {{ position: absolute; top: 1.6mm;"
            f" inset-inline-start: {NAME_ROOM + 2}mm;"
            f" width: {wide.room - NAME_ROOM - wide.corner:.1f}mm }}"
            f" .wide .card {{ min-height: {least:.1f}mm }}"
            f" .wide.faced .card {{ min-height: {max(least, PICTURE - 1):.1f}mm }}"
        )
    return SafeString(" ".join(rules))
