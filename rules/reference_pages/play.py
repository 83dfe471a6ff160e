"""What is looked up while playing: references, dice tables, scenarios, deployments, words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from rules.book.fates import Condition, DiceTable, TableRow
from rules.book.model import Rules
from rules.book.reference import (
    Deployment,
    DrawnModifiers,
    Reference,
    ReferenceLine,
    Scenario,
    Zone,
)
from rules.book.rolls import AMOUNT, Formula, Modifier
from rules.book.schema import Item, Tag, Trait
from rules.engine.reference_odds import Added, WorkedOut, drawn_modifiers, work_out_cells
from rules.engine.table_odds import Reach, alike, find_reach, rolls_again
from rules.percent import percent, precise_percent
from rules.reference_pages.evening import evening
from rules.reference_pages.outcomes import outcomes
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
from rules.reference_pages.table_chances import reach_in_words, table_chips
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
# A fraction with a larger denominator is not read.
MOST_READABLE = 1_000_000
# Shapes that are as broad as the table makes them; a circle stays round.
BROADENED = ("box", "triangle")
CLOSE = 9  # letters nearer than this would hide each other
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
# Of a triangle, by whether it is on the right, and at the bottom.
CORNERS: dict[tuple[bool, bool], Promise] = {
    (False, False): gettext_lazy("the upper left corner"),
    (True, False): gettext_lazy("the upper right corner"),
    (False, True): gettext_lazy("the lower left corner"),
    (True, True): gettext_lazy("the lower right corner"),
}
# Whose a zone is: its letter in the diagram, and what it is called there.
SIDES: dict[str, tuple[str, Promise]] = {
    "first": ("A", gettext_lazy("first side")),
    "second": ("B", gettext_lazy("second side")),
    "third": ("C", gettext_lazy("third side")),
    "fourth": ("D", gettext_lazy("fourth side")),
    "objective": ("★", gettext_lazy("objective")),
    "forbidden": ("✕", gettext_lazy("no-go zone")),
}


def play(words: BookWording, rules: Rules | None = None) -> Iterator[Section]:
    """The references, chapter by chapter; their modifiers under some ``rules``, if any."""
    for chapter, title in CHAPTERS.items():
        rows = [row for row in words.book.references if row.chapter == chapter]
        # A list of steps in order is what one looks for first.
        rows.sort(key=lambda row: not row.numbered)
        pieces = (reference_piece(words, row, rules) for row in rows)
        yield from section(f"chapter-{chapter}", str(title), pieces)
    yield from evening(words)


def reference_piece(words: BookWording, row: Reference, rules: Rules | None = None) -> Piece:
    """A reference table, or a list of steps, as its page shows it. ``rules``: those in force where
    it is for some options; without any, what hangs on one says so."""
    name = words.translated(row.name)
    grid = None
    if row.columns:
        worked = zip(row.lines, work_out_cells(words.book, row), strict=True)
        lines = [_reference_line(words, line, figures) for line, figures in worked]
        if row.modifiers is not None:
            place = len(lines) if row.modifiers.after is None else row.modifiers.after
            lines[place:place] = _modifier_lines(words, row, row.modifiers, rules)
        columns = tuple(ColumnHead(words.translated(column)) for column in row.columns)
        grid = PageTable(words.translated(row.corner), columns, tuple(lines), name)
    steps = () if row.columns else tuple(words.translated(line.name) for line in row.lines)
    return words.piece("reference", row, steps=steps, numbered=row.numbered, grid=grid)


def _reference_line(
    words: BookWording, line: ReferenceLine, figures: Sequence[WorkedOut | None]
) -> PageLine:
    """A line as it is written, with what is worked out in its place."""
    written = line.cells or ("",) * len(figures)
    cells = (
        PageCell(words.translated(cell) if found is None else figure(words, found))
        for cell, found in zip(written, figures, strict=True)
    )
    return PageLine(words.translated(line.name), tuple(cells))


def figure(words: BookWording, found: WorkedOut) -> str:
    """A number that was worked out: a chance in whole per cent, an average to one place, what a
    modifier adds."""
    if isinstance(found, Added):
        return "–" if found.amount is None else amount_shown(words, found.modifier, found.amount)
    if not found.average:
        return chance(found.value) if found.exact else percent(found.value)
    number = number_format(round(float(found.value), 1), decimal_pos=1)
    return f"{number}{words.translated(found.unit)}"


def _modifier_lines(
    words: BookWording, row: Reference, drawn: DrawnModifiers, rules: Rules | None
) -> Iterator[PageLine]:
    """The lines of a table that are modifiers."""
    for modifier in drawn_modifiers(words.book, row, rules):
        parts = {
            "who": words.translated(modifier.who) or "–",
            "amount": amount_shown(words, modifier, modifier.amount),
            "note": words.translated(modifier.note) or "–",
        }
        cells = (PageCell(parts[column]) for column in drawn.columns)
        open_to = {
            key: values
            for key, values in modifier.when.items()
            if rules is None and key not in row.when
        }
        yield PageLine(words.translated(modifier.name), tuple(cells), terms=words.terms(open_to))


def amount_shown(words: BookWording, modifier: Modifier, amount: Formula) -> str:
    """What a modifier adds as tables show it: a number with its sign, or in its own words."""
    if modifier.shown is not None:
        return words.translated(modifier.shown).replace(AMOUNT, str(amount))
    return f"{amount:+d}" if isinstance(amount, int) and amount else str(amount)


def tables(words: BookWording) -> Iterator[Section]:
    """Dice tables with their chances, and the conditions that they bring."""
    book = words.book
    yield from section("tables", _("Tables"), (_table(words, row) for row in book.tables))
    conditions = (_condition(words, row) for row in book.conditions)
    yield from section("conditions", _("Conditions"), conditions, brief=True)


def chance(share: Fraction) -> str:
    """A chance as a fraction and in per cent; of a fraction too long to read only that."""
    if share.denominator > MOST_READABLE:
        return precise_percent(share)
    return f"{share}\u00a0· {precise_percent(share)}"


def _table(words: BookWording, row: DiceTable) -> Piece:
    # Of rows that are alike: their chance, and how likely somebody is to be gone by them.
    listed = [(rows, share, find_reach(words.book, rows[0].outcomes)) for rows, share in alike(row)]
    shows_gone = any(reach.most for _rows, _share, reach in listed)
    columns = (
        ColumnHead(_("Chance")),
        ColumnHead(_("Result")),
        *((ColumnHead(_("Lost for good")),) if shows_gone else ()),
    )
    lines = tuple(
        _row(words, row, rows, share, reach if shows_gone else None)
        for rows, share, reach in listed
    )
    grid = PageTable(_("Roll"), columns, lines, words.translated(row.name), rolled=True)
    return words.piece("table", row, [row.dice.upper(), *table_chips(words.book, row)], grid=grid)


def rolls(words: BookWording, table: DiceTable, rows: Sequence[TableRow]) -> str:
    """By which rolls these rows of a table are hit: "1, 3, 5–6", or the faces by their names."""
    if table.faces:
        faces = [face for row in rows for face in table.faces[row.low - 1 : row.high]]
        return ", ".join(words.translated(face) for face in faces)
    spans: list[list[int]] = []
    for row in rows:
        if spans and row.low == spans[-1][1] + 1:
            spans[-1][1] = row.high
        else:
            spans.append([row.low, row.high])
    return ", ".join(f"{low}" if low == high else f"{low}–{high}" for low, high in spans)


def _gone(row: TableRow, fatal: Reach) -> str:
    """How likely somebody is to be gone for good by a row; no word where that cannot be."""
    return "–" if rolls_again(row) or not fatal.most else reach_in_words(fatal)


def _row(
    words: BookWording,
    table: DiceTable,
    rows: Sequence[TableRow],
    share: Fraction,
    fatal: Reach | None,
) -> PageLine:
    """A row of a dice table: its own chance, what it brings, and whether one is gone by it."""
    row = rows[0]
    more = outcomes(words, row.outcomes)
    if row.scenario is not None:
        scenario = words.book.scenario[row.scenario]
        name = _("Scenario: %(name)s") % {"name": words.translated(scenario.name)}
        more += (words.link("scenario", scenario, name),)
    result = PageCell(words.translated(row.text), strong=words.translated(row.name), more=more)
    cells = (
        # What is thrown again is never what counts in the end.
        PageCell("–" if rolls_again(row) else chance(share)),
        result,
        *((PageCell(_gone(row, fatal)),) if fatal is not None else ()),
    )
    anchor = f"table-{table.key}-{row.low}"
    source = None if row.source == table.source else words.cited(row.source)
    return PageLine(rolls(words, table, rows), cells, anchor, source=source)


def _condition(words: BookWording, row: Condition) -> Piece:
    facts = [
        *fact(_("Changes"), *words.effects(row.effects)),
        *fact(_("Games it lasts"), row.games),
        *fact(_("Times at most"), row.most),
        *fact(_("Once more instead"), *outcomes(words, row.beyond)),
    ]
    if row.before is not None:
        totals = ", ".join(map(str, row.before.absent))
        sentence = _("%(dice)s: cannot play on %(totals)s")
        values = {"dice": row.before.dice.upper(), "totals": totals}
        facts += fact(_("Before each game"), sentence % values)
    chips = [
        _("cannot play") if row.absent else "",
        _("not counted") if row.uncounted else "",
        _("against one gang") if row.against else "",
    ]
    return words.piece("condition", row, chips, facts)


def scenarios(words: BookWording) -> Iterator[Section]:
    """Scenarios, and where the gangs start."""
    book = words.book
    pieces = (_scenario(words, row) for row in book.scenarios)
    yield from section("scenarios", _("Scenarios"), pieces)
    deployments = (
        words.piece("deployment", row, diagram=diagram(words, row) if row.zones else None)
        for row in book.deployments
    )
    yield from section("deployments", _("Deployments"), deployments, brief=True)


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
    facts = [
        *fact(_("Sides"), ", ".join(words.translated(role.name) for role in row.roles)),
        *fact(_("Length"), words.translated(row.length)),
        *fact(_("Deployment"), *starts),
        *fact(_("Victory"), words.translated(row.victory)),
        *fact(_("Rolled on"), *rolled_on),
    ]
    return words.piece("scenario", row, (), facts)


def deployments_for(rules: Rules, scenario: Scenario | None, sides: int) -> list[Deployment]:
    """Where so many gangs may start: as the scenario says, or in any way that the game knows."""
    named = scenario.deployments if scenario else ()
    meant = [place for place in rules.deployments if not named or place.key in named]
    fitting = [place for place in meant if _gangs(place) in (0, sides)]
    return fitting or meant


def starting_places(
    words: BookWording, rules: Rules, scenario: Scenario | None, sides: int
) -> tuple[Piece, ...]:
    """Where so many gangs may start, each drawn where its places are known."""
    return tuple(
        words.piece("deployment", place, diagram=diagram(words, place) if place.zones else None)
        for place in deployments_for(rules, scenario, sides)
    )


def _gangs(place: Deployment) -> int:
    """How many gangs a deployment has room for; 0 if its diagram does not say."""
    return len({zone.side for zone in place.zones} - {"objective", "forbidden"})


def diagram(words: BookWording, row: Deployment) -> Diagram:
    """A deployment, drawn on a table that is 100 deep."""
    shapes = [_shape(words, zone, row) for zone in row.zones]
    pairs = zip(row.zones, shapes, strict=True)
    description = ". ".join(_zone_text(zone, shape) for zone, shape in pairs)
    wide = round(100 * row.broad, 1)
    table = f"{_length(row, wide)} × {_length(row, 100)}" if row.depth else ""
    return Diagram(wide, 100, _with_letters(shapes), f"{description}.", table)


def _length(row: Deployment, hundredths: float) -> str:
    """So many hundredths of the table's depth in its unit; as per cent where that is not known."""
    if row.depth is None:
        return f"{hundredths:g} %"
    return f"{round(row.depth * hundredths / 100)}{row.unit}"


def _measure(row: Deployment, shape: Shape) -> str:
    """How large a zone is: how deep, if it reaches from edge to edge."""
    if shape.kind == "cross" or not shape.width:
        return ""
    if shape.kind == "circle":
        return f"Ø {_length(row, shape.width)}"
    sides = [(shape.width, 100 * row.broad), (shape.height, 100.0)]
    told = [_length(row, side) for side, whole in sides if side < whole * 0.99]
    if shape.kind == "triangle" and len(set(told)) == 1:
        return told[0]
    return " × ".join(told)


def _shape(words: BookWording, zone: Zone, row: Deployment) -> Shape:
    broad = row.broad
    letter, name = SIDES[zone.side]
    shape = Shape(
        kind=zone.shape,
        side=zone.side,
        letter=letter,
        x=round(zone.x * broad, 1),
        y=zone.y,
        width=round(zone.width * broad, 1) if zone.shape in BROADENED else zone.width,
        height=zone.height,
        name=words.translated(zone.name) or str(name),
    )
    return replace(shape, measure=_measure(row, shape))


def _with_letters(shapes: list[Shape]) -> tuple[Shape, ...]:
    """The shapes with their letters where no other letter stands; places that are points first."""
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
    """The words of the game, in the order of the reader's alphabet."""
    rows = sorted(words.book.glossary, key=lambda row: words.translated(row.name).casefold())
    pieces = (words.piece("term", row) for row in rows)
    yield from section("glossary", _("Glossary"), pieces, brief=True)
    tags = (_tag(words, row) for row in words.book.tags)
    yield from section("tags", _("Properties"), tags, brief=True)


def _tag(words: BookWording, row: Tag) -> Piece:
    """A property, and everything that has it."""
    book = words.book

    def having(rows: Iterable[Item | Trait | TableRow]) -> str:
        return ", ".join(words.translated(tagged.name) for tagged in rows if row.key in tagged.tags)

    facts = [
        *fact(_("Items"), having(book.items)),
        *fact(words.traits_name, having(book.traits)),
        *fact(_("Results"), having(result for table in book.tables for result in table.rows)),
    ]
    return words.piece("tag", row, (), facts)
