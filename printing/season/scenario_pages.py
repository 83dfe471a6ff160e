"""The scenario of a game on paper: the objectives, the roles, and the deployment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from campaigns import text as campaign_text
from campaigns.models import Game, Side
from campaigns.table.crews.text import Versus
from campaigns.table.people import nonplayers_of
from gangs.cards.render import render_member
from gangs.cards.sheet import life_label
from gangs.engine.computed import ComputedGang
from printing.paper.drawings import NO_TRACK, DrawnTrack, life_track
from rules.book.fates import DiceTable
from rules.book.model import Book
from rules.book.outfits import NonPlayer
from rules.book.reference import Deployment, Scenario
from rules.book.schema import Choice
from rules.book.vocabulary import Text
from rules.engine.evening import is_by_turn
from rules.reference_pages.pieces import Diagram
from rules.reference_pages.play import deployments_for, diagram
from rules.reference_pages.words import BookWording

# Replacements for signs that the fonts of prints lack.
LETTERS = {"★": "*", "✕": "×"}


@dataclass(frozen=True)
class DrawnDeployment:
    """A deployment, and its diagram if it has one."""

    deployment: Deployment
    diagram: Diagram | None
    house: bool


@dataclass(frozen=True)
class Offered:
    """A scenario that may still be chosen, or rolled with the ``dice`` ("2–3"). ``scenario``: the
    rulebook's, None where it has only a row of a table.
    """

    name: Text
    text: Text | None
    scenario: Scenario | None
    dice: str = ""


@dataclass(frozen=True)
class NonPlayers:
    """Alike figures that belong to no gang. ``run_by``: the role of the side that plays them, "" if
    nobody's; ``values``: their profile; ``gear``: items and traits; ``track``: the life of one of
    them to tick off, without a drawing if it cannot be drawn; ``count``: how many they are;
    ``behaviour``: the outcomes of the roll that says what they do, each with its text;
    ``arrives``: they come later; ``is_by_turn``: the turn says how many, ``count`` at most."""

    name: str
    run_by: str
    values: str
    gear: str
    track: DrawnTrack
    count: range
    behaviour: tuple[tuple[str, str], ...] = ()
    arrives: bool = False
    is_by_turn: bool = False


@dataclass(frozen=True)
class ScenarioPage:
    """The contents of the page on a scenario.

    ``name`` is empty while nobody has chosen among ``choices``, by a roll of these ``dice`` where
    the rulebook has a table; ``scenario``: the rulebook's, None where it has only a row of a table;
    ``against``: the comparison of the sides, from ``campaigns.table.crews.text``.
    """

    name: str
    text: Text | str
    scenario: Scenario | None
    sides: Sequence[Side]
    places: tuple[DrawnDeployment, ...]
    choices: tuple[Offered, ...]
    dice: str
    against: Versus
    nonplayers: tuple[NonPlayers, ...] = ()

    @property
    def roles(self) -> list[tuple[Choice, str]]:
        """The roles of the scenario, and the side of each: "" while it is open."""
        names = campaign_text.side_names(self.sides)
        return [
            (role, ", ".join(names[side.pk] for side in self.sides if side.role == role.key))
            for role in (self.scenario.roles if self.scenario else ())
        ]

    @property
    def house_victory(self) -> bool:
        """Whether the victory conditions are a house value."""
        row = self.scenario
        return row is not None and (row.is_house or "victory" in row.house)

    @property
    def marks_house(self) -> bool:
        """Whether the page shows any house value."""
        return self.house_victory or any(place.house for place in self.places)


def scenario_page(
    game: Game, sides: Sequence[Side], against: Versus, language: str
) -> ScenarioPage:
    """Return the page on the game's scenario."""
    book = game.campaign.book
    words = BookWording(book, language)
    row = book.scenario.get(game.scenario)
    known = row or campaign_text.find_rolled_row(book, game)
    return ScenarioPage(
        name=campaign_text.scenario_name(book, game),
        text=(known and known.text) or "",
        scenario=row,
        sides=sides,
        places=tuple(
            _place(words, place) for place in deployments_for(game.campaign.rules, row, len(sides))
        ),
        choices=tuple(_offered(book, game)),
        dice=table.dice.upper() if (table := _table(book)) else "",
        against=against,
        nonplayers=tuple(_nonplayers(game, row, language)) if row else (),
    )


def _nonplayers(game: Game, row: Scenario, language: str) -> Iterator[NonPlayers]:
    rules, people = game.campaign.rules, nonplayers_of(game).values()
    roles = {role.key: role.name.translated(language) for role in row.roles}
    life = life_label(rules.book, language)
    for one in row.nonplayers:
        alike = [person for person in people if person.row is one]
        if not alike:
            continue
        person = alike[0]
        computed = ComputedGang.of(rules.book, person.home, person.member)
        card = render_member(computed, person.member, language)
        track = life_track(rules.book, card.life, life)
        # Boxes already show the number.
        stats = [stat for stat in card.stats if track is None or stat.key != rules.book.life]
        yield NonPlayers(
            name=one.name.translated(language),
            run_by=roles.get(one.run_by or "", ""),
            values=" · ".join(f"{stat.short} {stat.value}" for stat in stats),
            gear=", ".join(item.name for item in card.kit),
            track=track or NO_TRACK,
            count=range(len(alike)),
            behaviour=_behaviour(rules.book, one, language),
            arrives=one.arrives is not None,
            is_by_turn=is_by_turn(one),
        )


def _behaviour(book: Book, one: NonPlayer, language: str) -> tuple[tuple[str, str], ...]:
    roll = book.roll.get(one.behaves or "")
    return tuple(
        (row.name.translated(language), row.text.translated(language) if row.text else "")
        for row in (roll.outcomes if roll else ())
    )


def _table(book: Book) -> DiceTable | None:
    key = book.campaign.scenario_table
    return book.table[key] if key else None


def _offered(book: Book, game: Game) -> Iterator[Offered]:
    """Yield the scenarios to choose or roll: the table's rows, then the scenarios that are not in
    it.
    """
    table, thrown = _table(book), set()
    for row in table.rows if table else ():
        thrown.add(row.scenario)
        scenario = book.scenario.get(row.scenario or "")
        text = scenario.text if scenario else row.text
        dice = f"{row.low}" if row.low == row.high else f"{row.low}–{row.high}"
        yield Offered(row.name, text, scenario, dice)
    for scenario in game.campaign.rules.scenarios:
        if scenario.key not in thrown:
            yield Offered(scenario.name, scenario.text, scenario)


def _place(words: BookWording, row: Deployment) -> DrawnDeployment:
    printable = _printable(diagram(words, row)) if row.zones else None
    return DrawnDeployment(row, printable, words.source(row).any_house)


def _printable(original: Diagram) -> Diagram:
    """Return the diagram in letters that the fonts of prints have."""
    shapes = (
        replace(shape, letter=LETTERS.get(shape.letter, shape.letter)) for shape in original.shapes
    )
    return replace(original, shapes=tuple(shapes))
