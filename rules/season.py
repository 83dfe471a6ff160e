"""What a rulebook may say about playing on: dice tables, scenarios, results, the post-game.

The post-game is a script: a list of steps that the application plays in order.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from rules.vocabulary import Effect, Frozen, Key, Line, Price, Row, Text


class Condition(Row):
    """Something lasting that befalls a member.

    ``games``: for how many games it lasts (0: until something ends it); ``absent``: the member
    cannot play meanwhile.
    """

    text: Text
    effects: tuple[Effect, ...] = ()
    games: int = 0
    absent: bool = False


class Dies(Frozen):
    """The member is dead; what he carried is gone with him."""

    kind: Literal["dies"]


class Suffers(Frozen):
    """The member gets a condition."""

    kind: Literal["suffers"]
    condition: Key


class LosesItem(Frozen):
    """The member loses one item of the groups named, chosen by a die."""

    kind: Literal["loses_item"]
    groups: tuple[Key, ...]


class Learns(Frozen):
    """The member earns experience: a number, or dice to roll ("1d3")."""

    kind: Literal["learns"]
    amount: Annotated[str, Field(pattern=r"^(\d+|\d+d\d+)$")]


class RollsOn(Frozen):
    """Another table is rolled on."""

    kind: Literal["rolls_on"]
    table: Key


Outcome = Annotated[Dies | Suffers | LosesItem | Learns | RollsOn, Field(discriminator="kind")]


class TableRow(Frozen):
    """The row for every total from ``low`` to ``high``."""

    low: int
    high: int
    name: Text
    text: Text | None = None
    outcomes: tuple[Outcome, ...] = ()
    scenario: Key | None = None
    source: Line


class DiceTable(Row):
    """A table to roll on: ``dice`` are summed ("2d6") and the row that holds the total applies."""

    dice: Annotated[str, Field(pattern=r"^[1-9]\d?d[1-9]\d?$")]
    rows: Annotated[tuple[TableRow, ...], Field(min_length=1)]


class Scenario(Row):
    """What a game is about: who must do what, and when it ends."""

    text: Text
    victory: Text


class Deployment(Row):
    """Where the gangs start."""

    text: Text


class ResultType(Row):
    """A way a game can end, and the money that each side gets for it.

    ``decided``: somebody won (``winner`` and ``loser``); ``level``: all fare alike (``each``);
    ``open``: the players agree on every amount.
    """

    kind: Literal["decided", "level", "open"]
    text: Text
    winner: Price = 0
    loser: Price = 0
    each: Price = 0


class Mark(Row):
    """How a member may have ended a game; with ``dies`` he is dead without a roll."""

    text: Text
    dies: bool = False


class Tally(Row):
    """Something counted after a game, per member or per gang, with the money it brings.

    The members' tally ``taken_out`` (enemies put out of action) is counted in every game; a
    rulebook that declares it gives it a name, money or awards.
    """

    per: Literal["member", "gang"]
    text: Text
    maximum: int = 99
    money: Price = 0


class Award(Row):
    """Experience after a game, for every member that took part and lives.

    ``everyone``: also for those who did not take part. It is given once, or per point of the tally
    ``each``; only to the ``sides`` named (all if none); with ``underdog`` only if an opponent's
    rating was at least that many per cent of one's own.
    """

    amount: int = 1
    each: Key | None = None
    sides: tuple[Literal["winner", "loser", "level"], ...] = ()
    underdog: int | None = None
    everyone: bool = False


class Growth(Frozen):
    """One characteristic point for every ``experience`` earned. ``ceiling``: the setting that
    holds the most experience a member may earn (0: no ceiling)."""

    experience: Annotated[int, Field(gt=0)]
    ceiling: Key | None = None


class Promotion(Row):
    """A member of rank ``start`` becomes one of rank ``to``.

    ``below``: only while the gang has fewer than this many of the new rank; ``keeps_price``: what
    he is worth, and his points, stay those of the old rank.
    """

    start: Key
    to: Key
    price: Price = 0
    below: int
    keeps_price: bool = False


class Recruiting(Frozen):
    """How many may join between two games.

    ``cap`` names a setting whose choices are among: ``none``, ``session`` (as many as the first
    gang had, each time), ``size`` (never more members than the first gang had), ``total`` (as
    many as the first gang had, over the whole campaign).
    """

    cap: Key


class Step(Row):
    """One step of the post-game, in order."""

    text: Text


class FatesStep(Step):
    """What became of those who were marked: the dead leave, the others roll on ``table``."""

    kind: Literal["fates"]
    table: Key | None = None


class ExperienceStep(Step):
    """The awards are given out."""

    kind: Literal["experience"]


class IncomeStep(Step):
    """The money of the result and of the gang's tallies comes in."""

    kind: Literal["income"]


class CaptivesStep(Step):
    """Each member held under ``condition`` is bought free for what he is worth, lost, or stays."""

    kind: Literal["captives"]
    condition: Key


class PromotionsStep(Step):
    """Members may be promoted."""

    kind: Literal["promotions"]


class RecruitsStep(Step):
    """New members may be hired, under the cap and for money from the treasury."""

    kind: Literal["recruits"]


AnyStep = Annotated[
    FatesStep | ExperienceStep | IncomeStep | CaptivesStep | PromotionsStep | RecruitsStep,
    Field(discriminator="kind"),
]
Measure = Literal["wins", "money", "rating", "taken_out"]


class Campaign(Frozen):
    """The layer between games. ``standings``: what gangs are ranked by, most telling first."""

    text: Text
    scenario_table: Key | None = None
    results: Annotated[tuple[ResultType, ...], Field(min_length=1)]
    marks: tuple[Mark, ...] = ()
    tallies: tuple[Tally, ...] = ()
    awards: tuple[Award, ...] = ()
    growth: Growth | None = None
    promotions: tuple[Promotion, ...] = ()
    recruiting: Recruiting | None = None
    standings: Annotated[tuple[Measure, ...], Field(min_length=1)]
    steps: tuple[AnyStep, ...]
