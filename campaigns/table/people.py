"""The people at a table, read from its rows, and their names."""

from __future__ import annotations

import logging
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count

from django.utils.translation import gettext as _
from pydantic import TypeAdapter, ValidationError

from campaigns.engine.crew import Whom
from campaigns.models import Game, Side, Table, TableSide
from campaigns.table.state import Start, TableFighter, begin
from campaigns.table.taps import NONPLAYERS, Logged, Ordered
from campaigns.text import tell_apart
from gangs.engine.fitting import arm, fit_out
from gangs.engine.keyed import Keyed
from gangs.engine.roster import Member, Roster
from gangs.text.formats import localize, rank_name, shown_name
from rules.book.model import Book, Rules
from rules.book.outfits import NonPlayer
from rules.book.roll_effects import Moves, RollEffect
from rules.book.rolls import Again, Count, Opposed, Step, Sum, ThrowHand, Use
from rules.book.vocabulary import Settings, name_of
from rules.engine.costing import price
from rules.engine.evening import COMPANY, count_most_nonplayers, is_by_turn
from rules.engine.expressions import Names as Values
from rules.engine.expressions import Value
from rules.engine.figure import Figure

logger = logging.getLogger(__name__)

# JSON in a table's rows.
_CREW: TypeAdapter[tuple[int | Whom, ...]] = TypeAdapter(tuple[int | Whom, ...])
_HOMES: TypeAdapter[dict[str, Roster]] = TypeAdapter(dict[str, Roster])
_SETTINGS: TypeAdapter[Settings] = TypeAdapter(Settings)
# The fields of a side that are read for its name.
NAMED = ("number", "name", "gang__owner__username", "gang__owner__stands_for")


def start_of(table: Table) -> Start:
    """Return the table before the first tap. Computed once in a process for the same sides."""
    return _start(Keyed(_key(table), table))


def _key(table: Table) -> tuple[uuid.UUID, int]:
    """Identify a table and its sides. The first tap fixes them; before it, a second gang may take
    its place at a table without a campaign, so the sides are counted: one query."""
    is_fixed = table.seq > 0 or table.game_id is not None
    return table.pk, 0 if is_fixed else table.sides.count()


@lru_cache(maxsize=64)
def _start(table: Keyed[Table]) -> Start:
    found = table.value
    fighters = [one.fighter for one in people_of(found).values()]
    numbers = {side.number: None for side in found.sides.all()}
    # Non-players have no row: the rulebook's version and the scenario of a table never change.
    numbers |= {one.side: None for one in fighters if one.side == NONPLAYERS}
    return begin(found.book.under(settings_of(found)), numbers, fighters, found.scenario)


def settings_of(table: Table) -> Settings:
    """Return the options in force, the rulebook's defaults if the stored ones cannot be read."""
    found = _settings(table)
    return table.book.default_settings() if found is None else found


def _settings(table: Table) -> Settings | None:
    try:
        return _SETTINGS.validate_python(table.settings)
    except ValidationError:
        return None


@dataclass(frozen=True)
class Person:
    """A person at a table: the fighter that taps name, and the member of the gang that they come
    from, as it was when the table was opened. ``row``: of a non-player, who comes from no gang."""

    fighter: TableFighter
    member: Member
    home: Roster
    row: NonPlayer | None = None


def people_of(table: Table) -> dict[str, Person]:
    """Return everybody at a table by key, side by side. Computed once in a process."""
    return _seats(Keyed(_key(table), table)).people


def company_of(table: Table) -> Mapping[str, Value]:
    """Return the values that numbers of non-players read, of the gangs at a table."""
    return _seats(Keyed(_key(table), table)).company


def unreadable(table: Table) -> frozenset[int]:
    """Return the sides without members at the table, because their crew cannot be read."""
    return _seats(Keyed(_key(table), table)).unreadable


def is_left_out(table: Table, log: Sequence[Logged]) -> bool:
    """Whether a part of the stored table cannot be read. ``log``: its whole log."""
    return bool(unreadable(table)) or _settings(table) is None or len(log) < table.seq


@dataclass(frozen=True)
class _Seats:
    people: dict[str, Person]
    unreadable: frozenset[int]
    company: Mapping[str, Value]


@lru_cache(maxsize=64)
def _seats(table: Keyed[Table]) -> _Seats:
    people: dict[str, Person] = {}
    spoiled, settings, sides = set(), settings_of(table.value), 0
    for side in table.value.sides.all():
        sides += 1
        try:
            found = {person.fighter.key: person for person in _of_side(side)}
            # Members who cannot be made ready to play come from no gang of this game.
            rules = side.view.book.under(settings)
            begin(rules, [side.number], [one.fighter for one in found.values()])
        except (LookupError, ValueError, ArithmeticError, TypeError):
            logger.warning("%s %s: the crew cannot be read", side._meta.label, side.pk)
            spoiled.add(side.number)
        else:
            people |= found
    rules = table.value.book.under(settings)
    # With the fighter's own book, which knows the gang's own items and those fitted to others.
    worths = [
        worth_of(one.fighter.book.under(settings), one.fighter.figure) for one in people.values()
    ]
    company = name_company(rules, sides, worths)
    people |= find_nonplayers(rules, table.value.scenario, company)
    return _Seats(people, frozenset(spoiled), company)


def worth_of(rules: Rules, figure: Figure) -> int:
    """Return the price of a figure, rounded down."""
    return int(price(rules, figure).total)


def name_company(rules: Rules, sides: int, worths: Sequence[int]) -> dict[str, Value]:
    """Return the values that a number of non-players may read, of all gangs that play. ``worths``:
    the price of each of their members in the game."""
    names: dict[str, Value] = dict(zip(COMPANY, (sides, len(worths), sum(worths)), strict=True))
    return names | {f"table.option:{key}:{value}": 1 for key, value in rules.settings.items()}


def find_nonplayers(rules: Rules, scenario: str, company: Values) -> dict[str, Person]:
    """Return the non-players of a scenario by key, in its order. ``company``: as of
    ``name_company``."""
    book, settings = rules.book, rules.settings
    row = book.scenario.get(scenario)
    if row is None or not rules.has(row):
        return {}
    found: dict[str, Person] = {}
    for one in row.nonplayers:
        for _place in range(count_most_nonplayers(one, company)):
            number = len(found) + 1
            member = Member(
                id=number,
                name="",
                rank=one.rank,
                worth_rank=one.rank,
                origin=one.origin,
                squad=one.squad,
                profession=one.profession,
                points=dict(one.points),
                traits=one.traits,
                items=fit_out(book, one.items),
            )
            home = Roster(settings=settings, members=(member,))
            armed, figure = arm(book, home, member)
            fighter = TableFighter(
                armed,
                NONPLAYERS,
                str(number),
                "",
                number,
                figure,
                one.squad,
                one.arrives is not None,
                is_by_turn(one),
            )
            found[fighter.key] = Person(fighter, member, home, one)
    return found


def nonplayers_of(game: Game) -> dict[str, Person]:
    """Return the non-players of a game's scenario by key: those at its table or, if their number
    depends on the gangs and no table is open, those that the members of the sides would meet. At
    most two queries, none if the scenario names their numbers."""
    rules = game.campaign.rules
    scenario = rules.book.scenario.get(game.scenario)
    if scenario is None or all(isinstance(one.number, int) for one in scenario.nonplayers):
        return find_nonplayers(rules, game.scenario, {})
    table = Table.objects.filter(game=game).first()
    if table is not None:
        return {key: one for key, one in people_of(table).items() if one.fighter.side == NONPLAYERS}
    sides = list(game.sides.select_related("gang"))
    worths = []
    for side in sides:
        if side.gang is None:
            continue
        roster, fielded = side.gang.roster, side.parsed_report.fielded
        # Members who played may have left since.
        members = [one for one in roster.everyone() if one.id in fielded] or [
            one for one in roster.members if not roster.absences(rules.book, one, game.scenario)
        ]
        for member in members:
            armed, figure = arm(rules.book, roster, member)
            worths.append(worth_of(armed.under(rules.settings), figure))
    return find_nonplayers(rules, game.scenario, name_company(rules, len(sides), worths))


def name_nonplayers(game: Game) -> dict[int, str]:
    """Return the names of a game's non-players by number. Queries as for ``nonplayers_of``."""
    people = nonplayers_of(game)
    names = name_everybody(game.campaign.book, people).figures
    return {one.fighter.member: names[key] for key, one in people.items()}


def run_nonplayers(table: Table, sides: Mapping[int, TableSide]) -> frozenset[int]:
    """Return the sides whose players run the non-players: those with the role that the scenario
    names, or the sides in its order where nobody has chosen roles. One query in a campaign."""
    row = table.book.scenario.get(table.scenario)
    run_by = {one.run_by for one in row.nonplayers} if row is not None else set()
    if row is None or not run_by - {None}:
        return frozenset()
    if table.game_id is not None:
        chosen = dict(Side.objects.filter(game=table.game_id).values_list("gang", "role"))
        if any(chosen.values()):
            gangs = {gang for gang, role in chosen.items() if role in run_by and gang is not None}
            return frozenset(number for number, side in sides.items() if side.gang_id in gangs)
    places = {place for place, role in enumerate(row.roles, start=1) if role.key in run_by}
    return frozenset(places & sides.keys())


def read_crew(side: TableSide) -> tuple[int | Whom, ...]:
    """Return the stored crew of a side, empty if it cannot be read."""
    try:
        return _CREW.validate_python(side.crew)
    except ValidationError:
        return ()


def _of_side(side: TableSide) -> Iterator[Person]:
    book, roster = side.view.book, side.view.roster
    homes = _HOMES.validate_python(side.homes)
    members = {member.id: member for member in roster.members}
    hired = 0
    for whom in _CREW.validate_python(side.crew):
        if isinstance(whom, int):
            gang, number, called = str(side.gang_id or ""), whom, str(whom)
            home, member = roster, members.get(whom)
        else:
            hired += 1
            (gang, number), called = whom, f"h{hired}"
            home = homes.get(gang) or Roster()
            left = (one.member for one in home.departed if one.member.id == number)
            member = next(left, None)
        if member is not None:
            own, figure = arm(book, home, member)
            squad = member.squad if isinstance(whom, int) else ""
            fighter = TableFighter(own, side.number, called, gang, number, figure, squad)
            yield Person(fighter, member, home)


def keep_departed(home: Roster, members: set[int]) -> Roster:
    """Return a gang with only those of these members who left it for hire."""
    departed = tuple(one for one in home.departed if one.member.id in members)
    empty = Roster(settings=home.settings, own_items=home.own_items, name=home.name)
    return empty.model_copy(update={"departed": departed})


# Names.


@dataclass(frozen=True)
class Names:
    """The names at one table. ``figures``: by key; ``sides``: by number; ``short``: the names of
    figures below the name of their side, where these are shorter."""

    book: Book
    people: Mapping[str, Person]
    figures: Mapping[str, str]
    sides: Mapping[int, str]
    short: Mapping[str, str] = field(default_factory=dict)

    def who(self, who: str | int) -> str:
        """Return the name of a figure or side, or its key if it is not at this table."""
        if isinstance(who, int):
            return self.sides.get(who, str(who))
        return self.figures.get(who, who)

    def below_side(self, figure: str) -> str:
        """Return the name of a figure on a line below the name of its side."""
        return self.short.get(figure, self.figures[figure])

    def may_arrive(self, figure: str) -> bool:
        """Whether a figure is a non-player who arrives after the beginning."""
        person = self.people.get(figure)
        return person is not None and person.row is not None and person.row.arrives is not None

    def rank(self, figure: str) -> str:
        """Return a figure's rank, "" if it already serves as its name."""
        person = self.people[figure]
        return rank_name(person.fighter.book, person.member) if person.member.name else ""

    def track(self, key: str) -> str:
        """Return the name of a track: life, boxes, a purse."""
        row = self.book.characteristic.get(key)
        if row is not None:
            return localize(row.left or row.name)
        counted = {tick.key: tick.name for tick in self.book.ticks} | {
            track.key: track.name for track in self.book.tracks
        }
        return localize(counted.get(key, key))

    def track_sign(self, key: str) -> str:
        """Return the short name of a track."""
        row = self.book.characteristic.get(key)
        return localize(row.left or row.short) if row is not None else self.track(key)

    def state(self, key: str) -> str:
        """Return the name of a state."""
        return localize(name_of(self.book.state, key))

    def mark(self, key: str) -> str:
        """Return the name of a mark: how a figure has ended the game."""
        return localize(name_of(self.book.campaign.mark, key))

    def tally(self, key: str) -> str:
        """Return the name of a tally."""
        return localize(name_of(self.book.campaign.tally, key))

    def alarm(self, key: str) -> str:
        """Return the name of an alarm."""
        return localize(name_of(self.book.alarm, key))

    def phase(self, key: str) -> str:
        """Return the name of a phase."""
        return localize(name_of(self.book.phase, key))

    def action(self, key: str) -> str:
        """Return the name of an action."""
        return localize(name_of(self.book.action, key))

    def result(self, key: str) -> str:
        """Return the name of a result."""
        return localize(name_of(self.book.campaign.result, key))

    def roll(self, key: str) -> str:
        """Return the name of a roll."""
        return localize(name_of(self.book.roll, key))

    def faces(self, roll: str, faces: Iterable[int]) -> list[str]:
        """Return the faces of dice of a roll as the game shows them: by their signs, if all of its
        dice have the same ones."""
        row = self.book.roll.get(roll)
        hands = {*_find_hands(self.book, row.steps)} if row is not None else {None}
        hand = self.book.hand.get(hands.pop() or "") if len(hands) == 1 else None
        signs = dict(enumerate(hand.faces, start=1)) if hand is not None else {}
        return [localize(signs[face]) if face in signs else str(face) for face in faces]

    def outcome(self, roll: str, key: str) -> str:
        """Return the name of a roll's outcome."""
        row = self.book.roll.get(roll)
        outcomes = row.outcomes if row is not None else ()
        return localize(next((one.name for one in outcomes if one.key == key), key))

    def order(self, tap: Ordered) -> tuple[str, str]:
        """Return the unit of length of an order to move, and its words; "" for what it lacks."""
        roll, action = self.book.roll.get(tap.roll or ""), self.book.action.get(tap.action or "")
        outcomes = roll.outcomes if roll is not None else ()
        outcome = next((one for one in outcomes if one.key == tap.outcome), None)
        effects: tuple[RollEffect, ...] = action.effects if action is not None else ()
        if roll is not None and outcome is not None:
            effects = roll.effects_of(outcome)
        effect = effects[tap.place] if tap.place < len(effects) else None
        if not isinstance(effect, Moves):
            return "", ""
        numbers = roll.numbers if roll is not None else ()
        units = (one.unit for one in numbers if one.of == effect.distance)
        unit = effect.unit or next(units, None)
        return localize(unit) if unit else "", localize(effect.text) if effect.text else ""

    def item(self, figure: str | int | None, key: str) -> str:
        """Return the name of an item; custom items have the names that their gang gave them."""
        person = self.people.get(figure) if isinstance(figure, str) else None
        return localize(name_of((person.fighter.book if person else self.book).item, key))


def _find_hands(book: Book, steps: Iterable[Step]) -> Iterator[str | None]:
    """Yield for each step that throws dice the hand of dice whose faces they have, None for
    numbers."""
    for step in steps:
        if isinstance(step, Count | Sum | ThrowHand):
            yield step.of
        elif isinstance(step, Again | Opposed):
            yield from _find_hands(book, step.steps)
        elif isinstance(step, Use) and step.use in book.procedure:
            yield from _find_hands(book, book.procedure[step.use].steps)


def name_everybody(
    book: Book, people: Mapping[str, Person], sides: Iterable[TableSide] = ()
) -> Names:
    """Return the names at a table. Sides with the same name get their player's, too. Members of a
    side with the same name get numbers; figures of several sides with the same name get their
    gang's, or its player's if the gangs share theirs. ``sides``: with their gangs and owners, at
    least ``NAMED``."""
    rows = {row.number: row for row in sides}
    named = tell_apart({number: (row.name, row.gang) for number, row in rows.items()})
    homes = {
        number: str(row.gang.owner)
        if row.gang is not None and named[number] != row.name
        else row.name
        for number, row in rows.items()
    }
    if any(one.fighter.side == NONPLAYERS for one in people.values()):
        named[NONPLAYERS] = homes[NONPLAYERS] = _("Non-players")
    figures = _name_members(people)
    bearers = Counter(figures.values())
    short = {
        key: name
        for key, name in figures.items()
        if bearers[name] > 1 and people[key].fighter.side in homes
    }
    figures |= {key: f"{name} ({homes[people[key].fighter.side]})" for key, name in short.items()}
    return Names(book, people, figures, named, short)


def _name_members(people: Mapping[str, Person]) -> dict[str, str]:
    """Return the names of people by key, with numbers where a side has the same name twice."""
    plain = {
        key: localize(one.row.name) if one.row else shown_name(one.fighter.book, one.member)
        for key, one in people.items()
    }
    bearers = Counter((people[key].fighter.side, name) for key, name in plain.items())
    numbers: defaultdict[tuple[int, str], count[int]] = defaultdict(lambda: count(1))
    found = {}
    for key, name in plain.items():
        bearer = people[key].fighter.side, name
        if bearers[bearer] > 1:
            values = {"name": name, "number": next(numbers[bearer])}
            name = _("%(name)s %(number)s") % values
        found[key] = name
    return found
