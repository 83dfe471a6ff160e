"""The scenario of a game on paper: what it is about, who is what, and where everybody starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from campaigns import text as campaign_text
from campaigns.crews.text import Versus
from campaigns.models import Game, Side
from rules.book.reference import Deployment, Scenario
from rules.reference_pages.pieces import Diagram
from rules.reference_pages.play import diagram
from rules.reference_pages.words import Words

# What stands for signs that the fonts of prints lack.
LETTERS = {"★": "*", "✕": "×"}


@dataclass(frozen=True)
class Place:
    """A deployment: its text, and its diagram if it has one."""

    key: str
    name: str
    text: str
    diagram: Diagram | None
    house: bool


@dataclass(frozen=True)
class Role:
    """A role of the scenario, and whose it is: "" while nobody has it."""

    name: str
    whose: str


@dataclass(frozen=True)
class ScenarioPage:
    """What a game is about.

    ``name`` is empty while nobody has chosen among ``choices``; ``chosen``: the deployments are the
    scenario's own, and not all that the game knows; ``against``: how the sides compare, as
    ``campaigns.crews.text`` says it.
    """

    name: str
    text: str
    victory: str
    length: str
    house: bool
    house_victory: bool
    roles: tuple[Role, ...]
    places: tuple[Place, ...]
    chosen: bool
    choices: tuple[str, ...]
    against: Versus

    @property
    def marks_house(self) -> bool:
        """Whether anything on it is a house value."""
        return self.house or self.house_victory or any(place.house for place in self.places)


def scenario_page(
    game: Game, sides: Sequence[Side], against: Versus, language: str
) -> ScenarioPage:
    """The page on the game's scenario."""
    book = game.campaign.book
    words = Words(book, language)
    row = book.scenario.get(game.scenario)
    hit = campaign_text.rolled_row(book, game)
    text = words.said(row.text) if row else words.said(hit.text) if hit else ""
    return ScenarioPage(
        name=campaign_text.scenario_name(book, game),
        text=text,
        victory=words.said(row.victory) if row else "",
        length=words.said(row.length) if row else "",
        house=row is not None and row.is_house,
        house_victory=row is not None and (row.is_house or "victory" in row.house),
        roles=_roles(words, row, sides),
        places=tuple(_place(words, place) for place in _starts(game, row, len(sides))),
        chosen=bool(row and row.deployments),
        choices=tuple(
            words.said(one.name) for one in book.in_force(book.scenarios, game.campaign.settings)
        ),
        against=against,
    )


def _roles(words: Words, row: Scenario | None, sides: Sequence[Side]) -> tuple[Role, ...]:
    return tuple(
        Role(words.said(role.name), ", ".join(side.name for side in sides if side.role == role.key))
        for role in (row.roles if row else ())
    )


def _starts(game: Game, row: Scenario | None, count: int) -> list[Deployment]:
    """Where so many gangs may start: as the scenario says, or in any way that the game knows."""
    book = game.campaign.book
    known = book.in_force(book.deployments, game.campaign.settings)
    named = row.deployments if row else ()
    meant = [place for place in known if not named or place.key in named]
    fitting = [place for place in meant if _gangs(place) in (0, count)]
    return fitting or meant


def _gangs(place: Deployment) -> int:
    """How many gangs a deployment has room for; 0 if its diagram does not say."""
    return len({zone.side for zone in place.zones} - {"objective", "forbidden"})


def _place(words: Words, row: Deployment) -> Place:
    drawn = _printable(diagram(words, row)) if row.zones else None
    source = words.source(row)
    return Place(row.key, words.said(row.name), words.said(row.text), drawn, source.any_house)


def _printable(drawn: Diagram) -> Diagram:
    """The diagram in letters that the fonts of prints have."""
    shapes = (
        replace(shape, letter=LETTERS.get(shape.letter, shape.letter)) for shape in drawn.shapes
    )
    return replace(drawn, shapes=tuple(shapes))
