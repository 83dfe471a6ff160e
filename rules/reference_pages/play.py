"""Texts to look up during a game: references, phases and tracks, scenarios, deployments, words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from common.text import fold_letters
from rules.book import reference
from rules.book.annotations import marker
from rules.book.evening import Alarm, Track
from rules.book.fates import TableRow
from rules.book.labels import Values
from rules.book.model import Rules
from rules.book.outfits import NonPlayer
from rules.book.reference import Deployment, Scenario, Zone
from rules.book.rolls import AMOUNT, Modifier, State
from rules.book.schema import Item, Tag, Trait
from rules.book.vocabulary import Formula, Row
from rules.engine.evening import is_by_turn
from rules.engine.reference_odds import Added, WorkedOut, drawn_modifiers, work_out_cells
from rules.percent import chance, percent
from rules.reference_pages.pieces import (
    ColumnHead,
    Diagram,
    Link,
    PageCell,
    PageLine,
    PageTable,
    Piece,
    Section,
    Shape,
    fact,
    section,
)
from rules.reference_pages.words import BookWording

# The chapters of references, in the order of need: the turn first.
CHAPTERS: dict[str, Promise] = {
    "turn": gettext_lazy("The turn"),
    "actions": gettext_lazy("Actions and movement"),
    "shooting": gettext_lazy("Shooting"),
    "fighting": gettext_lazy("Fighting"),
    "wounds": gettext_lazy("Wounds"),
    "morale": gettext_lazy("Morale"),
    "setup": gettext_lazy("Before the game"),
    "other": gettext_lazy("Other"),
}
# Shapes that widen with the table; a circle stays round.
BROADENED = ("box", "triangle")
CLOSE = 9  # the smallest distance at which letters do not overlap
ZONES: dict[str, Promise] = {
    "box": gettext_lazy(
        "%(who)s: a box %(width)s wide and %(height)s deep, %(x)s from the left and"
        " %(y)s from the top, in hundredths of the table"
    ),
    "triangle": gettext_lazy(
        "%(who)s: a triangle in %(corner)s, %(width)s along the width and %(height)s along the"
        " depth, in hundredths of the table"
    ),
    "circle": gettext_lazy(
        "%(who)s: a circle %(width)s across, its centre %(x)s from the left and %(y)s from"
        " the top, in hundredths of the table"
    ),
    "cross": gettext_lazy(
        "%(who)s: a place %(x)s from the left and %(y)s from the top, in hundredths of the table"
    ),
}
# The corners for triangles, by whether they are on the right, and at the bottom.
CORNERS: dict[tuple[bool, bool], Promise] = {
    (False, False): gettext_lazy("the upper left corner"),
    (True, False): gettext_lazy("the upper right corner"),
    (False, True): gettext_lazy("the lower left corner"),
    (True, True): gettext_lazy("the lower right corner"),
}
# The sides of zones: a letter and a name for the diagram.
SIDES: dict[str, tuple[str, Promise]] = {
    "first": ("A", gettext_lazy("first side")),
    "second": ("B", gettext_lazy("second side")),
    "third": ("C", gettext_lazy("third side")),
    "fourth": ("D", gettext_lazy("fourth side")),
    "objective": ("★", gettext_lazy("objective")),
    "forbidden": ("✕", gettext_lazy("no-go zone")),
}


def play(words: BookWording, rules: Rules | None = None) -> Iterator[Section]:
    """The references, chapter by chapter, then all that is recorded at the table. ``rules``: those
    in force, for the references' modifiers."""
    for chapter, title in CHAPTERS.items():
        rows = [row for row in words.book.references if row.chapter == chapter]
        # Players look for a list of steps in order first.
        rows.sort(key=lambda row: not row.numbered)
        pieces = (reference_piece(words, row, rules) for row in rows)
        yield from section(f"chapter-{chapter}", str(title), pieces)
    yield from _evening(words)


def reference_piece(
    words: BookWording, row: reference.Reference, rules: Rules | None = None
) -> Piece:
    """A reference table, or a list of steps. ``rules``: the rules in force; without them, modifiers
    that depend on options say so.
    """
    name = words.translated(row.name)
    if not row.columns:
        steps = tuple(words.translated(line.name) for line in row.lines)
        return words.piece("reference", row, steps=steps, numbered=row.numbered)
    worked = zip(row.lines, work_out_cells(words.book, row), strict=True)
    lines = [_reference_line(words, line, figures) for line, figures in worked]
    if row.modifiers is not None:
        place = len(lines) if row.modifiers.after is None else row.modifiers.after
        lines[place:place] = _modifier_lines(words, row, row.modifiers, rules)
    columns = tuple(ColumnHead(words.translated(column)) for column in row.columns)
    grid = PageTable(words.translated(row.corner), columns, tuple(lines), name)
    return words.piece("reference", row, numbered=row.numbered, grid=grid)


def _reference_line(
    words: BookWording, line: reference.ReferenceLine, figures: Sequence[WorkedOut | None]
) -> PageLine:
    """A line with its text, and the numbers computed for some of its cells."""
    written = line.cells or ("",) * len(figures)
    cells = (
        PageCell(words.translated(cell) if found is None else figure(words, found))
        for cell, found in zip(written, figures, strict=True)
    )
    return PageLine(words.translated(line.name), tuple(cells))


def figure(words: BookWording, found: WorkedOut) -> str:
    """A number that was worked out: a chance in whole per cent, an average to one place, or the
    amount of a modifier."""
    if isinstance(found, Added):
        return "–" if found.amount is None else amount_shown(words, found.modifier, found.amount)
    if not found.average:
        return chance(found.value) if found.exact else percent(found.value)
    number = number_format(round(float(found.value), 1), decimal_pos=1)
    return f"{number}{words.translated(found.unit)}"


def _modifier_lines(
    words: BookWording,
    row: reference.Reference,
    drawn: reference.DrawnModifiers,
    rules: Rules | None,
) -> Iterator[PageLine]:
    """The lines of a table that are modifiers."""
    for modifier in drawn_modifiers(words.book, row, rules):
        parts = {
            "who": words.translated(modifier.who) or "–",
            "amount": amount_shown(words, modifier, modifier.amount),
            "note": words.translated(modifier.note) or "–",
        }
        cells = tuple(PageCell(parts[column]) for column in drawn.columns)
        when = {} if rules else modifier.when
        open_to = {key: values for key, values in when.items() if key not in row.when}
        yield PageLine(words.translated(modifier.name), cells, terms=words.terms(open_to))


def amount_shown(words: BookWording, modifier: Modifier, amount: Formula) -> str:
    """A modifier's amount as tables show it: a number with its sign, or its own words."""
    if modifier.shown is not None:
        return words.translated(modifier.shown).replace(AMOUNT, str(amount))
    return f"{amount:+d}" if isinstance(amount, int) and amount else str(amount)


def _evening(words: BookWording) -> Iterator[Section]:
    """The phases of a turn, tracks, alarms and states, which references do not have."""
    book = words.book
    yield from section("evening", _("At the table"), _turn(words))
    tracks = (_track(words, row) for row in book.tracks)
    yield from section("tracks", _("Trackers"), tracks, brief=True)
    alarms = (_alarm(words, row) for row in book.alarms)
    yield from section("alarms", _("Reminders"), alarms, brief=True)
    states = (_state(words, row) for row in book.states)
    yield from section("states", _("States"), states, brief=True)


def _turn(words: BookWording) -> Iterator[Piece]:
    """The phases with their rolls. Their texts are left out if a reference lists the steps of the
    turn, so that no page says them twice."""
    book = words.book
    listed = any(row.chapter == "turn" and row.numbered for row in book.references)
    name = _("Phases of a turn")
    text = words.translated(book.activation.text) if book.activation is not None else ""
    lines = tuple(
        words.line(
            row,
            PageCell(words.named(book.roll, row.rolls) or "–"),
            anchor=f"phase-{row.key}",
            detail="" if listed else words.translated(row.text),
        )
        for row in book.phases
    )
    if lines or text:
        grid = PageTable("", (ColumnHead(_("Thrown")),), lines, name) if lines else None
        yield Piece("phases", name, text, grid=grid)


def _track(words: BookWording, row: Track) -> Piece:
    facts = [
        *fact(_("Counted per"), _label(row, "per")),
        *fact(_("In every turn"), _label(row, "each_turn")),
    ]
    return words.piece("track", row, [_("lasts after the game") if row.lasts else ""], facts)


def _alarm(words: BookWording, row: Alarm) -> Piece:
    facts = [
        *fact(_("Who"), _label(row, "asks")),
        *fact(_("When"), words.named(words.book.phase, [row.phase or ""])),
        *fact(_("Thrown"), words.named(words.book.roll, [row.roll or ""])),
    ]
    return words.piece("alarm", row, (), facts)


def _state(words: BookWording, row: State) -> Piece:
    marks = words.book.campaign.mark
    facts = [
        *fact(_("Of"), "" if row.of == "figure" else _label(row, "of")),
        *fact(_("Until"), _label(row, "lasts")),
        *fact(_("Changes"), *words.effects(row.effects)),
        *fact(_("At the end of the game"), words.named(marks, [row.mark or ""])),
    ]
    return words.piece("state", row, [_("does not act") if row.stops else ""], facts)


def _label(row: Row, name: str) -> str:
    """The label of a field's value."""
    values = marker(type(row).model_fields[name], Values)
    assert values is not None
    return _(str(values.labels[getattr(row, name)]))


def scenarios(words: BookWording) -> Iterator[Section]:
    """Scenarios, and the starting places of the gangs."""
    book = words.book
    yield from section(
        "scenarios", _("Scenarios"), (_scenario(words, row) for row in book.scenarios)
    )
    places = (_deployment(words, row) for row in book.deployments)
    yield from section("deployments", _("Deployments"), places, brief=True)


def _deployment(words: BookWording, row: Deployment) -> Piece:
    return words.piece("deployment", row, diagram=diagram(words, row) if row.zones else None)


def _scenario(words: BookWording, row: Scenario) -> Piece:
    places = words.book.deployment
    starts = [words.link("deployment", places[key]) for key in row.deployments]
    if not starts and places:
        starts = [Link(_("any"), "scenarios/#deployments")]
    rolled_on = [
        words.link("table", table)
        for table in words.book.tables
        if any(inner.scenario == row.key for inner in table.rows)
    ]
    brought = [words.link("condition", words.book.condition[one.condition]) for one in row.brings]
    facts = [
        *fact(_("Sides"), ", ".join(words.translated(role.name) for role in row.roles)),
        *fact(_("Non-players"), ", ".join(_nonplayer(words, one) for one in row.nonplayers)),
        *fact(_("Members who may play although they are away"), *brought),
        *fact(_("Length"), words.translated(row.length)),
        *fact(_("Deployment"), *starts),
        *fact(_("Victory"), words.translated(row.victory)),
        *fact(_("Rolled on"), *rolled_on),
        *fact(_("Leads to"), *_leads(words, row)),
    ]
    return words.piece("scenario", row, (), facts)


def _leads(words: BookWording, row: Scenario) -> Iterator[Link]:
    """Yield links to the scenarios that a scenario leads to or opens."""
    keys = [key for one in row.leads for key in (one.leads_to, *one.opens)]
    for key in dict.fromkeys(filter(None, keys)):
        yield words.link("scenario", words.book.scenario[key])


def _nonplayer(words: BookWording, one: NonPlayer) -> str:
    name = words.translated(one.name)
    if one.arrives is not None:
        name = _("%(name)s (later)") % {"name": name}
    if one.behaves is not None:
        name += f" ({words.named(words.book.roll, [one.behaves])})"
    if is_by_turn(one):
        return name + " \N{MULTIPLICATION SIGN} " + _("by the turn")
    if not isinstance(one.number, int):
        return name + " \N{MULTIPLICATION SIGN} " + _("by the gangs")
    return name if one.number == 1 else f"{name} \N{MULTIPLICATION SIGN} {one.number}"


def deployments_for(rules: Rules, scenario: Scenario | None, sides: int) -> list[Deployment]:
    """The deployments that the scenario allows and that have room for this number of gangs."""
    named = scenario.deployments if scenario else ()
    meant = [place for place in rules.deployments if not named or place.key in named]
    return [place for place in meant if _gangs(place) in (0, sides)] or meant


def starting_places(
    words: BookWording, rules: Rules, scenario: Scenario | None, sides: int
) -> tuple[Piece, ...]:
    """The pieces of ``deployments_for``, each with its diagram if it has zones."""
    listed = deployments_for(rules, scenario, sides)
    return tuple(_deployment(words, place) for place in listed)


def _gangs(place: Deployment) -> int:
    """The number of gangs that a deployment has room for; 0 if its diagram does not say."""
    return len({zone.side for zone in place.zones} - {"objective", "forbidden"})


def diagram(words: BookWording, row: Deployment) -> Diagram:
    """The diagram of a deployment, on a table that is 100 deep."""
    shapes = [_shape(words, zone, row) for zone in row.zones]
    pairs = zip(row.zones, shapes, strict=True)
    description = ". ".join(_zone_text(zone, shape) for zone, shape in pairs)
    wide = round(100 * row.broad, 1)
    table = f"{_length(row, wide)} × {_length(row, 100)}" if row.depth else ""
    return Diagram(wide, 100, _with_letters(shapes), f"{description}.", table)


def _length(row: Deployment, hundredths: float) -> str:
    """A length in the table's unit, or in per cent if its depth is unknown."""
    if row.depth is None:
        return f"{hundredths:g} %"
    return f"{round(row.depth * hundredths / 100)}{row.unit}"


def _measure(row: Deployment, shape: Shape) -> str:
    """The size of a zone in words; only its depth, if it reaches from edge to edge."""
    if shape.kind == "cross" or not shape.width:
        return ""
    if shape.kind == "circle":
        return f"Ø {_length(row, shape.width)}"
    sides = [(shape.width, 100 * row.broad), (shape.height, 100.0)]
    lengths = [_length(row, side) for side, whole in sides if side < whole * 0.99]
    if shape.kind == "triangle" and len(set(lengths)) == 1:
        return lengths[0]
    return " × ".join(lengths)


def _shape(words: BookWording, zone: Zone, row: Deployment) -> Shape:
    letter, name = SIDES[zone.side]
    shape = Shape(
        kind=zone.shape,
        side=zone.side,
        letter=letter,
        x=round(zone.x * row.broad, 1),
        y=zone.y,
        width=round(zone.width * row.broad, 1) if zone.shape in BROADENED else zone.width,
        height=zone.height,
        name=words.translated(zone.name) or str(name),
    )
    return replace(shape, measure=_measure(row, shape))


def _with_letters(shapes: list[Shape]) -> tuple[Shape, ...]:
    """The shapes with their letters, placed so that no letter hides another; crosses come first."""
    taken: list[tuple[float, float]] = []
    placed = list(shapes)
    for index, shape in sorted(enumerate(shapes), key=lambda numbered: numbered[1].kind != "cross"):
        free = (spot for spot in shape.spots if all(_apart(spot, other) for other in taken))
        x, y = spot = next(free, shape.spots[0])
        taken.append(spot)
        placed[index] = replace(shape, letter_x=x, letter_y=y)
    return tuple(placed)


def _apart(first: tuple[float, float], second: tuple[float, float]) -> bool:
    return abs(first[0] - second[0]) > CLOSE or abs(first[1] - second[1]) > CLOSE


def _zone_text(zone: Zone, shape: Shape) -> str:
    who = f"{shape.letter}, {shape.name}"
    values = {"who": who, "corner": CORNERS[bool(zone.x), bool(zone.y)]}
    values |= {name: f"{getattr(zone, name):g}" for name in ("x", "y", "width", "height")}
    return str(ZONES[zone.shape]) % values


def glossary(words: BookWording) -> Iterator[Section]:
    """The words of the game in alphabetical order, then its properties."""
    rows = sorted(words.book.glossary, key=lambda row: fold_letters(words.translated(row.name)))
    pieces = (words.piece("term", row) for row in rows)
    yield from section("glossary", _("Glossary"), pieces, brief=True)
    tags = (_tag(words, row) for row in words.book.tags)
    yield from section("tags", _("Properties"), tags, brief=True)


def _tag(words: BookWording, row: Tag) -> Piece:
    """A property, and all that has it."""
    book = words.book

    def having(rows: Iterable[Item | Trait | TableRow]) -> str:
        return ", ".join(words.translated(tagged.name) for tagged in rows if row.key in tagged.tags)

    facts = [
        *fact(_("Items"), having(book.items)),
        *fact(words.traits_name, having(book.traits)),
        *fact(_("Results"), having(result for table in book.tables for result in table.rows)),
    ]
    return words.piece("tag", row, (), facts)
