"""Print a gang's roster sheet: everything that players look up at the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from gangs.cards.groups import GroupCard, gather_cards
from gangs.cards.item_tables import keep_looked_up, named_kits
from gangs.cards.render import render
from gangs.cards.sheet import (
    campaigns,
    legend,
    life_label,
    member_worth,
    ranks,
    shows_house,
    sum_up,
)
from gangs.cards.values import Card, Page
from gangs.engine.computed import ComputedGang
from gangs.models import Gang, GangView
from gangs.pictures import storage as pictures
from printing.members.card import words_of
from printing.members.drawings import experience, find_untracked, qr_code
from printing.members.ladder import Ladder, ladder_of
from printing.members.pack import Fighter, in_large_print
from printing.members.sheet import LOW, NAME_ROOM, PICTURE, SIZES, BlockEntry, Letters
from printing.members.stamps import stamp
from printing.members.ticks import find_group_ticks
from printing.paper import orders
from printing.paper.drawings import NO_TRACK, DrawnTrack, life_track
from printing.paper.orders import HEIGHTS, Order, Paper
from printing.paper.page import page_rules
from printing.press.jobs import Job, picture_address
from printing.sheets.endings import Ending, choose_ending, foot
from rules.book.look import Look, mix
from rules.book.model import Book
from typesetting.letters import LARGE, LARGE_LABEL
from typesetting.measuring import Run, lines_height, width
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
    ladders = {
        member.id: ladder
        for member in computed.roster.members
        if computed.earns(member) and (ladder := ladder_of(computed, member, order.language))
    }
    pictures = pictures or {}
    entries = list(_entries(computed, page, order, ladders, pictures))
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
        "gains": _gains(ladders),
        "errors": errors,
        "more_errors": max(0, page.errors - MOST_ERRORS),
        "house": shows_house(computed.book, page),
        "code": qr_code(order.link, _("This sheet on the web")) if order.link else "",
        "badge": picture_address(pictures[None]) if None in pictures else "",
    }
    if order.plain:
        fighters = [_in_large_print(computed.book, entry, order.language) for entry in entries]
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
    computed: ComputedGang,
    page: Page,
    order: Order,
    ladders: Mapping[int, Ladder],
    pictures: Mapping[int | None, str],
) -> Iterator[BlockEntry]:
    """Yield every member, then the stash and the items that everybody has."""
    for group in gather_cards(computed, page):
        member, card = group.member, group.card
        ladder = ladders.get(member.id)
        yield BlockEntry(
            name=card.shown_name,
            standing=card.placed,
            card=card,
            kits=named_kits(keep_looked_up(computed.book, card.usable, short_in=order.language)),
            stats=find_untracked(computed.book, card),
            worth=member_worth(page, card),
            life=NO_TRACK if group.names else _labelled_life(computed.book, card, order.language),
            experience=partial(_track, card, ladder),
            note=_note(computed, group, ladder),
            picture=picture_address(pictures[card.id]) if card.id in pictures else "",
            ticks=find_group_ticks(computed, group, order.language),
            stamp=stamp(card),
            first=computed.book.rank[member.rank].leads,
        )
    for name, items in ((_("Stash"), page.stash), (_("Everybody has"), page.innate)):
        if items:
            yield BlockEntry(
                name,
                "",
                None,
                named_kits(keep_looked_up(computed.book, items, short_in=order.language)),
            )


def _track(card: Card, ladder: Ladder | None, room: float) -> SafeString | str:
    return experience(ladder, room, card.learned).drawing if ladder else ""


def _sums(page: Page) -> Iterator[tuple[str, str]]:
    """Yield the sums of every member's worth, and of the gang's."""
    for card in page.cards:
        if worth := sum_up(card.receipt, card.rating, page.rating_unit):
            yield card.shown_name, worth
    if worth := sum_up(page.receipt, page.rating, page.rating_unit):
        yield page.rating_name, worth


def _note(computed: ComputedGang, group: GroupCard, ladder: Ladder | None) -> str:
    """Return the record and notes of a member, or those that a group shares, in one paragraph."""
    card, fared = group.card, []
    playing = computed.roster.playing and computed.earns(group.member)
    if card.learned and (ladder or card.experience or playing):
        fared.append(card.learned + (f" ({ladder.start} +)" if ladder and ladder.start else ""))
    if computed.roster.playing and not group.names:
        values = {"games": card.games, "taken_out": card.taken_out}
        fared.append(_("Games %(games)s · Took out %(taken_out)s") % values)
    notes = f"{_('Notes')} {card.notes}" if card.notes else ""
    return " · ".join(filter(None, (*fared, notes)))


def _in_large_print(book: Book, entry: BlockEntry, language: str) -> Fighter:
    """Return an entry with everything in one column. The parts of a characteristic are given in
    words.
    """
    card, life = entry.card, life_label(book, language)
    words = []
    if card is not None:
        told = [(stat.short, stat.parts) for stat in card.stats if stat.parts]
        words += [Passage("note", (Run(f"{label} ", "title"), Run(parts))) for label, parts in told]
        words += [passage for passage in words_of(card) if passage.kind != "note"]
        words.append(Passage("note", (Run(entry.note),)))
    return Fighter(
        name=entry.name,
        standing=" · ".join(filter(None, (entry.standing, entry.worth))),
        stamp=entry.stamp,
        stats=entry.stats,
        life=_life(book, card, life) if card and entry.life is not NO_TRACK else NO_TRACK,
        life_label=life,
        ticks=entry.ticks,
        kits=tuple(entry.kits),
        words=tuple(words),
    )


def _life(book: Book, card: Card, label: str) -> DrawnTrack:
    """Return the life to tick: a drawing, or words where a drawing would be too large."""
    if book.life is None or not card.life:
        return NO_TRACK
    return life_track(book, card.life, label) or DrawnTrack(f"____ / {len(card.life)}", 16, 4)


def _labelled_life(book: Book, card: Card, language: str) -> DrawnTrack:
    """Return the life to tick, with its label before it."""
    label = life_label(book, language)
    track = _life(book, card, label)
    if track is NO_TRACK:
        return track
    across = track.across + width(label, Letters(SIZES[0]).worth, "bold") + 1.5
    return replace(track, drawing=format_html("{} {}", label, track.drawing), across=across)


def _gains(ladders: Mapping[int, Ladder]) -> list[tuple[bool, str, str]]:
    """Return the gains on all ladders: whether each is a promotion, its name, and the experience it
    takes.
    """
    places: dict[tuple[bool, str], set[int]] = {}
    for ladder in ladders.values():
        for rung in ladder.rungs:
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
            f".wide .stats {{ position: absolute; top: 1.6mm; left: {NAME_ROOM + 2}mm;"
            f" width: {wide.room - NAME_ROOM - wide.corner:.1f}mm }}"
            f" .wide .card {{ min-height: {least:.1f}mm }}"
            f" .wide.faced .card {{ min-height: {max(least, PICTURE - 1):.1f}mm }}"
        )
    return SafeString(" ".join(rules))
