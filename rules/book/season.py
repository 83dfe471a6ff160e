"""What a rulebook may say about playing on: results, awards, and the post-game.

The post-game is a script: a list of steps that the application plays in order. What befalls a
member on the way is in ``rules.fates``.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from rules.fates import Fate
from rules.vocabulary import Frozen, Key, Price, Row, Selector, Text

# How a side comes out of a game.
SideKind = Literal["winner", "loser", "level"]


class ResultType(Row):
    """A way a game can end, and the money that each side gets for it.

    ``decided``: somebody won (``winner`` and ``loser``); ``level``: all fare alike (``each``);
    ``open``: the players agree on every amount. ``points``: what it counts in the standings for
    winner, loser, and each side of a level game. ``lost``: its name for whoever lost.
    """

    kind: Literal["decided", "level", "open"]
    text: Text
    winner: Price = 0
    loser: Price = 0
    each: Price = 0
    points: tuple[int, int, int] = (0, 0, 0)
    lost: Text = Text(en="Defeat", fr="Défaite")

    def for_side(self, side: SideKind) -> Text:
        """What the game ended in for this side: a victory is the other side's defeat."""
        return self.lost if side == "loser" else self.name


class Mark(Row):
    """How a member may have ended a game; with ``dies`` he is dead without a roll."""

    text: Text
    dies: bool = False


class Tally(Row):
    """Something counted after a game, per member or per gang, with the money it brings.

    The members' tally ``taken_out`` (enemies put out of action) is counted in every game; a
    rulebook that declares it gives it a name, money or awards. Where members' tallies with
    ``takes_out`` tell the sorts of enemies apart, it is their sum instead. ``times``: the money is
    multiplied by the number that this setting holds; ``points``: what it counts in the standings.

    ``of`` and ``marks`` say which enemies it counts: those picked, who ended the game so (all if
    none). From them the report fills it in; a gang's tally without ``marks`` is not about enemies.
    ``scenarios``: it is asked only after a game of one of these, or of none that is known.
    """

    per: Literal["member", "gang"]
    text: Text
    maximum: int = 99
    money: Price = 0
    times: Key | None = None
    points: int = 0
    takes_out: bool = False
    scenarios: tuple[Key, ...] = ()
    of: Selector = Selector()
    marks: tuple[Key, ...] = ()


class Award(Row):
    """Experience after a game, for every member that took part and lives.

    ``everyone``: also for those who did not take part. It is given once, or per point of the tally
    ``each``; only to the ``sides`` named (all if none); with ``underdog`` only if an opponent's
    rating was at least that many per cent of one's own, with ``underdog_by`` only if it was at
    least so much higher. ``of``: who earns it; ``not_marks``: not who ended the game so;
    ``most``: no more than this in one game.
    """

    amount: int = 1
    each: Key | None = None
    sides: tuple[Literal["winner", "loser", "level"], ...] = ()
    underdog: int | None = None
    underdog_by: int | None = None
    everyone: bool = False
    of: Selector = Selector()
    not_marks: tuple[Key, ...] = ()
    most: int | None = None


class UnderdogMoney(Row):
    """Money for having met a gang of a higher rating: one for every ``step`` of the difference to
    the highest of them, at most ``most``."""

    step: Annotated[int, Field(gt=0)]
    most: Price


class Growth(Frozen):
    """One characteristic point for every ``experience`` earned. ``ceiling``: the setting that
    holds the most experience a member may earn (0: no ceiling)."""

    experience: Annotated[int, Field(gt=0)]
    ceiling: Key | None = None


class Advancement(Frozen):
    """An advance for every ``experience`` earned, taken one after the other.

    ``cycle``: what the first, second... advance is, over and over: a ``trait`` of those with one of
    ``trait_tags`` (all if none), or a ``rank`` by a promotion with the trigger ``advance``. Where a
    rank is not to be had, it is a trait. ``of``: whose advances there are.
    """

    experience: Annotated[int, Field(gt=0)]
    of: Selector = Selector()
    cycle: Annotated[tuple[Literal["trait", "rank"], ...], Field(min_length=1)] = ("trait",)
    trait_tags: tuple[Key, ...] = ()


class Departure(Row):
    """A way to leave a gang for good, other than death. ``for_hire``: he can be hired afterwards,
    for one game at a time, for what he is worth."""

    text: Text
    for_hire: bool = False


# After a rise: the new rank's profile, the old one, or the better value of each characteristic.
RisenProfile = Literal["new", "kept", "best"]


class Promotion(Row):
    """A member of rank ``start``, if ``of`` picks him, becomes one of rank ``to``; without ``to``
    he leaves, by ``departure``.

    ``trigger``: for those whom the player chooses, or only with ``experience`` earned at this
    rank, or with the ``full`` experience of the rank, or as an ``advance``. ``below``: only while
    the gang has fewer than this many of the new rank; with ``displaces`` one of those may make
    room instead, and leaves by ``departure``: the player sends him away, or rolls ``dice``, whose
    higher half means that the one who would rise leaves. ``required``: it is no choice.
    ``keeps_price``: what he is worth, and his points, stay those of the old rank; ``profile``: the
    values that he has from then on; ``restarts``: his experience at the new rank begins at 0.
    """

    start: Key
    of: Selector = Selector()
    to: Key | None = None
    price: Price = 0
    below: int = 1000
    keeps_price: bool = False
    trigger: Literal["choice", "experience", "full", "advance"] = "choice"
    experience: int = 0
    required: bool = False
    profile: RisenProfile = "new"
    restarts: bool = False
    displaces: bool = False
    departure: Key | None = None
    dice: Annotated[str, Field(pattern=r"^[1-9]\d?d[1-9]\d?$")] | None = None


class Succession(Row):
    """While nobody is one of ``post``, one of those ``among`` takes the place for nothing.

    ``by``: who of them comes first: the highest ``rank``, the most ``experience``; of equals the
    player chooses. He gets the rank ``to`` or the ``trait``; the rest is as for a promotion.
    """

    post: Selector
    among: Selector = Selector()
    by: tuple[Literal["rank", "experience"], ...] = ()
    to: Key | None = None
    trait: Key | None = None
    keeps_price: bool = False
    profile: RisenProfile = "new"
    restarts: bool = False


class Quota(Frozen):
    """No more than ``most`` members of these ranks may join between two games."""

    ranks: tuple[Key, ...]
    most: Annotated[int, Field(ge=0)]


class Recruiting(Frozen):
    """How many may join between two games.

    ``cap`` names a setting whose choices are among: ``none``, ``session`` (as many as the first
    gang had, each time), ``size`` (never more members than the first gang had), ``total`` (as
    many as the first gang had, over the whole campaign). ``quotas``: by rank.
    """

    cap: Key | None = None
    quotas: tuple[Quota, ...] = ()


class Step(Row):
    """One step of the post-game, in order."""

    text: Text


class FatesStep(Step):
    """What became of those who were marked: the dead leave, the others roll on ``table``.

    Where ``fates`` has something for a member's rank and mark, that counts instead. ``of``: whom
    the step is about.
    """

    kind: Literal["fates"]
    of: Selector = Selector()
    table: Key | None = None
    fates: tuple[Fate, ...] = ()


class ExperienceStep(Step):
    """The awards are given out."""

    kind: Literal["experience"]


class IncomeStep(Step):
    """The money of the result and of the gang's tallies comes in."""

    kind: Literal["income"]


class CaptivesStep(Step):
    """Each member held under ``condition`` is bought free, lost, or stays.

    ``ransom``: what he is ``worth``, or a sum ``agreed`` on by the players; ``none`` where no gang
    holds him, and he is freed in a game or not at all. ``rescue``: his own gang may say that he was
    freed in a game.
    """

    kind: Literal["captives"]
    condition: Key
    ransom: Literal["worth", "agreed", "none"] = "worth"
    rescue: bool = True


class AdvancesStep(Step):
    """Who has earned advances takes them."""

    kind: Literal["advances"]


class SuccessionStep(Step):
    """Posts that nobody holds are filled."""

    kind: Literal["succession"]


class PromotionsStep(Step):
    """Members may be promoted."""

    kind: Literal["promotions"]


class RecruitsStep(Step):
    """New members may be hired, under the cap and for money from the treasury."""

    kind: Literal["recruits"]


AnyStep = Annotated[
    FatesStep
    | ExperienceStep
    | AdvancesStep
    | IncomeStep
    | CaptivesStep
    | PromotionsStep
    | SuccessionStep
    | RecruitsStep,
    Field(discriminator="kind"),
]
Measure = Literal["wins", "money", "rating", "taken_out", "points"]


class Campaign(Frozen):
    """The layer between games. ``standings``: what gangs are ranked by, most telling first;
    ``points_name``: what the points of results and tallies are called, where they count;
    ``hires``: how many of those who left for hire a gang may have in one game."""

    text: Text
    scenario_table: Key | None = None
    results: Annotated[tuple[ResultType, ...], Field(min_length=1)]
    marks: tuple[Mark, ...] = ()
    tallies: tuple[Tally, ...] = ()
    awards: tuple[Award, ...] = ()
    growth: Growth | None = None
    advancement: Advancement | None = None
    underdog: tuple[UnderdogMoney, ...] = ()
    promotions: tuple[Promotion, ...] = ()
    successions: tuple[Succession, ...] = ()
    departures: tuple[Departure, ...] = ()
    recruiting: Recruiting | None = None
    hires: Annotated[int, Field(ge=0, le=20)] = 1
    points_name: Text | None = None
    standings: Annotated[tuple[Measure, ...], Field(min_length=1)]
    steps: tuple[AnyStep, ...]

    def outcome(self, result: str, side: SideKind) -> Text | str:
        """What a game with this result ended in for a side; the key if the rulebook no longer has
        such a result."""
        row = next((row for row in self.results if row.key == result), None)
        return row.for_side(side) if row else result
