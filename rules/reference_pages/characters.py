"""The chapter on characters: characteristics, ranks and origins with their profiles, traits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from common.units import add_unit
from rules.book.schema import Belonging, Characteristic, Origin, Profession, Rank, Trait
from rules.engine.costing import price
from rules.engine.figure import Figure
from rules.engine.profiles import profile
from rules.reference_pages.pieces import (
    ColumnHead,
    Fact,
    PageCell,
    PageLine,
    PageTable,
    Piece,
    Section,
    fact,
    section,
)
from rules.reference_pages.words import BookWording

NONE = "–"
UNBOUNDED = 99  # A number’s maximum if the game sets none.


def characters(words: BookWording) -> Iterator[Section]:
    """The sections of the chapter on characters."""
    book = words.book
    pieces = (_characteristic(words, row) for row in book.characteristics)
    yield from section("characteristics", _("Characteristics"), pieces, brief=True)
    ranks = tuple(_rank(words, row) for row in book.ranks)
    yield Section("ranks", _("Ranks"), grid=_profiles(words), pieces=ranks)
    origins = (_origin(words, row) for row in book.origins)
    text = _("Each with its profile for every rank.")
    yield from section("origins", _("Origins"), origins, text)
    professions = (_profession(words, row) for row in book.professions)
    name = words.translated(book.profession_name) or _("Professions")
    yield from section("professions", name, professions, brief=True)
    yield from _traits(words)


def _characteristic(words: BookWording, row: Characteristic) -> Piece:
    facts: list[Fact] = []
    match row.kind:
        case "number":
            bare = row.model_copy(update={"unit": ""})
            if row.maximum < UNBOUNDED:
                ends = (words.value(bare, end).text for end in (row.minimum, row.maximum))
                bounds = " – ".join(ends)
                facts += fact(_("From – to"), bounds)
            for one in row.maxima:
                most = words.value(bare, one.maximum).text
                whom = words.whom(one.of) or _("Everybody")
                facts += fact(_("Advances at most to"), f"{most}: {whom}")
            if row.worst is not None and row.worst < row.minimum:
                facts += fact(_("Conditions may bring it down to"), str(row.worst))
            if row.start is not None:
                facts += fact(_("At first"), words.value(row, row.start).text)
            facts += fact(_("Raised with"), _("points") if row.bought_with_points else None)
            facts += fact(_("Better"), _("when low") if row.better == "low" else None)
        case "pool":
            explained = _("4k2 means: roll four dice, keep the two best and add them up.")
            facts += [*fact(_("How to read it"), explained), *fact(_("At first"), row.start)]
        case "pair":
            facts += fact(_("How to read it"), " / ".join(map(words.translated, row.parts)))
            falling = _("never above the first") if row.falling else None
            facts += fact(_("The second number"), falling)
        case "track":
            boxes = [
                f"{box.letter} = {words.translated(box.name)}" + (" ▣" if box.marked else "")
                for box in row.boxes
            ]
            facts += fact(_("Boxes"), *boxes)
        case "die":
            facts += fact(_("Sizes"), ", ".join(row.sizes).upper())
        case "word":
            names = {word.key: words.translated(word.name) for word in row.words}
            facts += fact(_("Words"), *names.values())
            facts += fact(_("At first"), names.get(row.start or ""))
    return words.piece("characteristic", row, [words.translated(row.short)], facts)


def _rank(words: BookWording, row: Rank) -> Piece:
    book, squad = words.book, row.squad
    facts = [*fact(_("Also costs"), words.costs(row.costs))]
    facts += fact(_("Points to assign"), row.points)
    if row.maximum_traits is not None and book.traits:
        label = _("%(traits)s at most") % {"traits": words.traits_name}
        facts += fact(label, str(row.maximum_traits))
    links = (words.link("trait", book.trait[key]) for key in dict.fromkeys(row.traits))
    facts += fact(words.traits_name, *links)
    if row.profession == "required":
        facts += fact(words.translated(book.profession_name) or _("Profession"), _("one"))
    if book.origins and book.keeps_origin(row.key):
        facts += fact(_("Origin"), _("the gang’s"))
    facts += fact(_("Experience at most"), row.experience)
    facts += fact(_("Experience at the start"), row.starts_with)
    if squad is not None:
        sizes = dict.fromkeys([str(squad.minimum), str(squad.maximum)])
        name = words.translated(book.squad_name) or _("Squad")
        facts += fact(_("%(squad)s of") % {"squad": name}, " – ".join(sizes))
        if squad.together:
            facts += fact(name, _("recruited, equipped and taught together"))
    if row.belongs_to is not None:
        facts += _belonging(words, row.belongs_to)
    rolled = (
        f"{words.translated(book.characteristic[key].name)} {dice.upper()}"
        for key, dice in row.rolled.items()
    )
    facts += fact(_("Rolled when they join after a game"), *rolled)
    if row.worth and book.rating is not None:
        worth = add_unit(str(row.worth), words.translated(book.rating.unit))
        facts += fact(words.translated(book.rating.name), worth)
    chips = [_("commands") if row.leads else "", "" if row.recruited else _("cannot be recruited")]
    return words.piece("rank", row, chips, facts)


def _belonging(words: BookWording, row: Belonging) -> Iterator[Fact]:
    """The members whom those of a rank belong to, and on which terms."""
    yield from fact(_("Belongs to"), words.whom(row.owners) or _("any other member"))
    yield from fact(_("Of one owner at most"), row.most)
    if row.moves:
        yield from fact(_("Later"), _("can be handed to another owner"))
    copied = (words.translated(words.book.characteristic[key].name) for key in row.copies)
    yield from fact(_("Starts with their owner’s"), *copied)


def _profiles(words: BookWording, origin: Origin | None = None) -> PageTable:
    """One line for each rank: its price, and the profile of a new member."""
    book = words.book
    # Characteristics that only items have get no column.
    had = {key for rank in book.ranks for key in rank.values}
    rows = [row for row in book.usual.characteristics if row.start is not None or row.key in had]
    columns = [_column(words, row) for row in rows]
    if book.money is not None:
        columns.insert(0, ColumnHead(words.translated(book.money.name)))
    lines = []
    for rank in book.ranks:
        key = origin.key if origin else None
        figure = Figure(rank=rank.key, worth_rank=rank.key, base_rank=rank.key, origin=key)
        scores = profile(book.usual, figure).scores
        house = rank.values if rank.is_house else rank.house
        cells = []
        if book.money is not None:
            cells.append(PageCell(words.money(price(book.usual, figure).total)))
        for row in rows:
            score = scores.get(row.key)
            cell = words.value(row, score.value) if score else PageCell(NONE)
            cells.append(replace(cell, house=origin is None and row.key in house))
        lines.append(PageLine(words.translated(rank.name), tuple(cells), row=f"rank-{rank.key}"))
    return PageTable(_("Rank"), tuple(columns), tuple(lines))


def _column(words: BookWording, row: Characteristic) -> ColumnHead:
    under = " / ".join(map(words.translated, row.parts)) if row.kind == "pair" else ""
    return ColumnHead(words.translated(row.short), words.translated(row.name), under)


def _origin(words: BookWording, row: Origin) -> Piece:
    facts = fact(_("Changes"), *words.effects(row.effects))
    return words.piece("origin", row, (), facts, grid=_profiles(words, row))


def _profession(words: BookWording, row: Profession) -> Piece:
    facts = [
        *fact(_("If they lead"), words.translated(row.leads_text)),
        *fact(_("Changes"), *words.effects(row.effects)),
        *fact(_("Open to"), words.named(words.book.rank, row.ranks)),
        *fact(_("Levels allowed above their own"), row.level_allowance),
    ]
    return words.piece("profession", row, (), facts)


def _traits(words: BookWording) -> Iterator[Section]:
    """One section, or one for each family of traits."""
    name = words.translated(words.book.traits_name) or _("Traits and skills")
    families: dict[str, list[Trait]] = {}
    for row in words.book.traits:
        families.setdefault(words.translated(row.family), []).append(row)
    for number, (family, rows) in enumerate(families.items()):
        anchor = f"traits-{number}" if number else "traits"
        pieces = (_trait(words, row) for row in rows)
        yield from section(anchor, family or name, pieces, brief=True)


def _times_at_most(most: int) -> str:
    return ngettext("%(count)s time at most", "%(count)s times at most", most) % {"count": most}


def _experience_price(row: Trait) -> str:
    """The experience that a trait costs; "" if none."""
    if not row.dearer:
        return str(row.experience or "")
    values = {"price": row.experience, "dearer": row.dearer}
    return _("%(price)s, then %(dearer)s more each time") % values


def _trait(words: BookWording, row: Trait) -> Piece:
    book = words.book
    chip = words.money(row.price) if row.price else ""
    if row.gained_at:
        short = words.translated(book.characteristic[row.gained_at.characteristic].short)
        chip = _("automatic at %(value)s") % {"value": f"{short} {row.gained_at.value}"}
    elif not row.sold:
        chip = _("not for sale")
    facts = [
        *fact(_("Also costs"), words.costs(row.costs)),
        *fact(_("Needs"), *(words.link("trait", book.trait[key]) for key in row.requires)),
        *fact(_("Not together with"), words.named(book.trait, words.excluded(book.traits, row))),
        *fact(_("Open to"), words.named(book.rank, row.ranks)),
        *fact(_("For sale only with"), words.only_when(row.sold_when)),
        *fact(_("Value"), words.power(row)),
        *fact(_("Table"), words.link("item", book.item[row.item]) if row.item else None),
        *fact(_("Changes"), *words.effects(row.effects)),
        *fact(_("Levels allowed above their own"), row.level_allowance),
        *fact(_("Number of traits"), "" if row.counted else _("does not count")),
        *fact(_("How often"), _times_at_most(row.most) if row.most > 1 else ""),
        *fact(words.translated(book.experience_word), _experience_price(row)),
    ]
    if row.worth and book.rating is not None:
        facts += fact(words.translated(book.rating.name), f"{row.worth:+d}")
    return words.piece("trait", row, [chip], facts)
