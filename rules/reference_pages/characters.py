"""Who fights: characteristics, ranks, origins with their profiles, traits, professions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.utils.translation import gettext as _

from rules.costing import price
from rules.figure import Figure
from rules.profiles import profile
from rules.reading_room.pieces import Cell, Column, Fact, Grid, Line, Link, Piece, Section
from rules.reading_room.words import Words
from rules.schema import Characteristic, Origin, Profession, Rank, Trait

NONE = "–"
UNBOUNDED = 99  # a number’s maximum where the game sets none


def characters(words: Words) -> Iterator[Section]:
    """The sections of the chapter on characters."""
    book = words.book
    if book.characteristics:
        pieces = tuple(_characteristic(words, row) for row in book.characteristics)
        yield Section("characteristics", _("Characteristics"), pieces=pieces, brief=True)
    ranks = tuple(_rank(words, row) for row in book.ranks)
    yield Section("ranks", _("Ranks"), grid=_profiles(words, book.ranks, None), pieces=ranks)
    if book.origins:
        origins = tuple(_origin(words, row) for row in book.origins)
        text = _("Each with the profile that it gives to every rank.")
        yield Section("origins", _("Origins"), text, origins)
    if book.professions:
        professions = tuple(_profession(words, row) for row in book.professions)
        name = words.said(book.profession_name) if book.profession_name else _("Professions")
        yield Section("professions", name, pieces=professions, brief=True)
    yield from _traits(words)


def fact(label: str, *values: str | Link | None) -> Iterator[Fact]:
    """A fact, if there is anything to say."""
    links = [value if isinstance(value, Link) else Link(value) for value in values if value]
    if links:
        yield Fact(label, tuple(links))


def _characteristic(words: Words, row: Characteristic) -> Piece:
    facts: list[Fact] = []
    chips = (words.said(row.short),)
    match row.kind:
        case "number":
            worst = row.minimum if row.worst is None else row.worst
            if row.maximum < UNBOUNDED:
                facts += fact(_("From – to"), f"{row.minimum} – {row.maximum}")
            if worst < row.minimum:
                facts += fact(_("Conditions may bring it down to"), str(worst))
            if row.start is not None:
                facts += fact(_("At first"), f"{row.start}{row.unit}")
            if row.bought_with_points:
                facts += fact(_("Raised with"), _("points"))
            if row.better == "low":
                facts += fact(_("Better"), _("when low"))
        case "pool":
            told = _("4k2 means: roll four dice, keep the two best and add them up.")
            facts += fact(_("How to read it"), told)
            facts += fact(_("At first"), row.start)
        case "pair":
            first, second = map(words.said, row.parts)
            facts += fact(_("How to read it"), f"{first} / {second}")
            if row.falling:
                told = _("never above the first")
                facts += fact(_("The second number"), told)
        case "track":
            boxes = [
                f"{box.letter} = {words.said(box.name)}" + (" ▣" if box.marked else "")
                for box in row.boxes
            ]
            facts += fact(_("Boxes"), *boxes)
        case "die":
            facts += fact(_("Sizes"), ", ".join(row.sizes).upper())
    return words.piece(
        "characteristic",
        row,
        row.text,
        chips=chips,
        facts=tuple(facts),
    )


def _rank(words: Words, row: Rank) -> Piece:
    book = words.book
    facts: list[Fact] = []
    if row.points:
        facts += fact(_("Points to spread"), str(row.points))
    if row.maximum_traits is not None and book.traits:
        facts += fact(_("Traits at most"), str(row.maximum_traits))
    if row.profession == "required":
        name = words.said(book.profession_name) if book.profession_name else _("Profession")
        facts += fact(name, _("one"))
    if row.experience is not None:
        facts += fact(_("Experience at most"), str(row.experience))
    if row.squad is not None:
        size = (
            str(row.squad.minimum)
            if row.squad.minimum == row.squad.maximum
            else f"{row.squad.minimum} – {row.squad.maximum}"
        )
        facts += fact(_("Squads of"), size)
    if row.worth and book.rating is not None:
        facts += fact(words.said(book.rating.name), f"{row.worth} {words.said(book.rating.unit)}")
    chips = []
    if row.leads:
        chips.append(_("commands"))
    if not row.recruited:
        chips.append(_("cannot be recruited"))
    return words.piece(
        "rank",
        row,
        row.text,
        chips=tuple(chips),
        facts=tuple(facts),
    )


def _profiles(words: Words, ranks: Iterable[Rank], origin: Origin | None) -> Grid:
    """One line for each rank: his price, and his profile before anything happened to him."""
    book = words.book
    settings = book.default_settings()
    shown = [row for row in book.characteristics if _is_shown(words, row)]
    columns = [_column(words, row) for row in shown]
    if book.money is not None:
        columns.insert(0, Column(words.said(book.money.name)))
    lines = []
    for rank in ranks:
        key = origin.key if origin else None
        figure = Figure(rank=rank.key, worth_rank=rank.key, base_rank=rank.key, origin=key)
        scores = profile(book, settings, figure).scores
        cells = [
            words.value(row, scores[row.key].value) if row.key in scores else Cell(NONE)
            for row in shown
        ]
        if book.money is not None:
            cells.insert(0, Cell(words.money(price(book, settings, figure).total)))
        lines.append(Line(words.said(rank.name), tuple(cells)))
    return Grid(_("Rank"), tuple(columns), tuple(lines))


def _is_shown(words: Words, row: Characteristic) -> bool:
    """Whether any rank has a value of it: those that only items bring have no column."""
    in_force = words.book.in_force([row], words.book.default_settings())
    return bool(in_force) and (
        row.start is not None or any(row.key in rank.values for rank in words.book.ranks)
    )


def _column(words: Words, row: Characteristic) -> Column:
    under = " / ".join(map(words.said, row.parts)) if row.kind == "pair" else ""
    return Column(words.said(row.short), words.said(row.name), under)


def _origin(words: Words, row: Origin) -> Piece:
    facts = fact(_("Changes"), *(Link(told) for told in words.effects(row.effects)))
    return words.piece(
        "origin",
        row,
        row.text,
        facts=tuple(facts),
        grid=_profiles(words, words.book.ranks, row),
    )


def _profession(words: Words, row: Profession) -> Piece:
    facts = [
        *fact(_("If he leads"), words.said(row.leads_text)),
        *fact(_("Changes"), *(Link(told) for told in words.effects(row.effects))),
        *fact(_("Open to"), words.named(words.book.rank, row.ranks)),
    ]
    if row.level_allowance:
        facts += fact(_("Levels handled above his own"), str(row.level_allowance))
    return words.piece(
        "profession",
        row,
        row.text,
        facts=tuple(facts),
    )


def _traits(words: Words) -> Iterator[Section]:
    """One section, or one for each family of traits."""
    name = words.said(words.book.traits_name) or _("Traits and skills")
    families: dict[str, list[Trait]] = {}
    for row in words.book.traits:
        families.setdefault(words.said(row.family), []).append(row)
    for number, (family, rows) in enumerate(families.items()):
        anchor = f"traits-{number}" if number else "traits"
        pieces = tuple(_trait(words, row) for row in rows)
        yield Section(anchor, family or name, pieces=pieces, brief=True)


def _trait(words: Words, row: Trait) -> Piece:
    book = words.book
    chips = []
    if row.gained_at:
        threshold = row.gained_at
        short = words.said(book.characteristic[threshold.characteristic].short)
        chips.append(_("comes at %(value)s") % {"value": f"{short} {threshold.value}"})
    elif not row.sold:
        chips.append(_("not for sale"))
    elif row.price:
        chips.append(words.money(row.price))
    needed = [
        Link(words.said(book.trait[key].name), f"characters/#trait-{key}")
        for key in row.requires
        if key in book.trait
    ]
    facts = [
        *fact(_("Needs"), *needed),
        *fact(_("Open to"), words.named(book.rank, row.ranks)),
        *fact(_("For sale only with"), words.only_when(row.sold_when)),
        *fact(_("Changes"), *(Link(told) for told in words.effects(row.effects))),
    ]
    if row.level_allowance:
        facts += fact(_("Levels handled above his own"), str(row.level_allowance))
    if not row.counted:
        facts += fact(_("Number of traits"), _("does not count"))
    if row.worth and book.rating is not None:
        facts += fact(words.said(book.rating.name), f"{row.worth:+d}")
    return words.piece(
        "trait",
        row,
        row.text,
        chips=tuple(chips),
        facts=tuple(facts),
    )
