"""A club's own rules for its standings; whatever they leave out is as the rulebook says."""

from __future__ import annotations

from typing import Annotated, Literal, Self, get_args

from pydantic import Field, model_validator

from rules.book.model import Book
from rules.book.season import Measure, SideKind
from rules.book.vocabulary import Frozen, Key

# The rules by which tables are counted. 1: those of earlier releases, which had no rules of their
# own for games without a battle and for byes; what began, or ended, by them keeps them.
Edition = Literal[1, 2]
NOW: Edition = 2

# A criterion of the ranking: a measure of their games, or a comparison with the other gangs.
Criterion = Measure | Literal["head_to_head", "strength", "lots"]
Column = Measure | Literal["played", "bonus", "strength"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
CRITERIA: tuple[Criterion, ...] = (*MEASURES, "head_to_head", "strength", "lots")
COLUMNS: tuple[Column, ...] = ("played", *MEASURES, "bonus", "strength")

MOST_POINTS = 999
Worth = Annotated[int, Field(ge=-MOST_POINTS, le=MOST_POINTS)]
# Points for the winner, for the loser, and for each side of a level game.
ResultPoints = tuple[Worth, Worth, Worth]
SIDES: tuple[SideKind, ...] = get_args(SideKind)


def _left_out(value: object) -> bool:
    return not value


class StandingsRules(Frozen):
    """The club's rules. ``ranking``: the criteria, the first before the second; ``columns``: the
    shown ones; ``points``: those of each result, by its key; ``seed``: draws the lots. Each is
    empty where the rulebook's rules are in force. ``edition``: 1 in a season that ended by them."""

    ranking: Annotated[
        tuple[Criterion, ...], Field(max_length=len(CRITERIA), exclude_if=_left_out)
    ] = ()
    columns: Annotated[
        tuple[Column, ...], Field(max_length=len(COLUMNS), exclude_if=_left_out)
    ] = ()
    points: Annotated[dict[Key, ResultPoints], Field(max_length=300, exclude_if=_left_out)] = {}
    seed: Annotated[str, Field(pattern=r"^([0-9a-f]{32})?$", exclude_if=_left_out)] = ""

    edition: Edition = NOW

    @model_validator(mode="after")
    def _check_once(self) -> Self:
        for named in (self.ranking, self.columns):
            if len(set(named)) < len(named):
                raise ValueError("names something twice")
        if "lots" in self.ranking and not self.seed:
            raise ValueError("lots need a seed")
        return self

    def ranking_of(self, book: Book) -> tuple[Criterion, ...]:
        """The criteria in force."""
        return self.ranking or book.campaign.standings

    def columns_of(self, book: Book) -> tuple[Column, ...]:
        """The columns in force, those that gangs are ranked by first: they are always shown."""
        ranked = self.ranking_of(book)
        chosen = {*ranked, *(self.columns or usual_columns(book))}
        order = sorted(COLUMNS, key=lambda column: _place(ranked, column))
        return tuple(column for column in order if column in chosen)

    def points_of(self, book: Book, result: str) -> ResultPoints:
        """The points that a result brings; none for a result that the rulebook no longer has."""
        if result in self.points:
            return self.points[result]
        row = book.campaign.result.get(result)
        return (0, 0, 0) if row is None else row.points


def _place(ranked: tuple[Criterion, ...], column: Column) -> int:
    return [*ranked, column].index(column)


def usual_columns(book: Book) -> list[Measure]:
    """The measures that the game uses."""
    optional = {"money": book.money, "rating": book.rating, "points": book.campaign.points_name}
    unknown = {key for key, name in optional.items() if name is None}
    return [key for key in MEASURES if key not in unknown]


def possible_criteria(book: Book) -> list[Criterion]:
    """The criteria that a club of this game can choose: every game can count points."""
    return [key for key in CRITERIA if key == "points" or key not in _missing(book)]


def possible_columns(book: Book) -> list[Column]:
    """The columns that a club of this game can choose."""
    return [key for key in COLUMNS if key == "points" or key not in _missing(book)]


def _missing(book: Book) -> set[str]:
    """The criteria that the game does not have: measures, and, against the book, opponents."""
    compared = {"head_to_head", "strength"} if book.who_plays.is_together else set[str]()
    return compared | {key for key in MEASURES if key not in usual_columns(book)}


# The rulebook's own rules.
BY_THE_BOOK = StandingsRules()
