"""What a rulebook may say about playing on: results, awards, and the post-game.

The post-game is a script: a list of steps that the application plays in order. What befalls a
member on the way is in ``rules.book.fates``.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from rules.book.fates import Fate
from rules.book.labels import Table, Values, pgettext
from rules.book.labels import gettext_noop as _
from rules.book.vocabulary import (
    ByKey,
    ConditionKey,
    DepartureKey,
    Frozen,
    MarkKey,
    NumberSettingKey,
    Of,
    Price,
    RankKey,
    Row,
    ScenarioKey,
    Selector,
    SettingKey,
    TableKey,
    TallyKey,
    Text,
    TraitKey,
    TraitTag,
)

# How a side comes out of a game.
SideKind = Literal["winner", "loser", "level"]


class ResultType(Row):
    """A way a game can end, and the money that each side gets for it.

    ``decided``: somebody won (``winner`` and ``loser``); ``level``: all fare alike (``each``);
    ``open``: the players agree on every amount. ``points``: what it counts in the standings for
    winner, loser, and each side of a level game. ``lost``: its name for whoever lost.
    ``none_left``: the losers have nobody left to fight, so that who reports it of somebody who is
    fit is asked once more.
    """

    editing = Table(_("Results of a game"), _("Add a result"))
    kind: Annotated[
        Literal["decided", "level", "open"],
        _("Kind"),
        Values(decided=_("somebody wins"), level=_("a level game"), open=_("as agreed")),
    ]
    text: Annotated[Text, _("Text")]
    winner: Annotated[Price, _("Money for the winner")] = 0
    loser: Annotated[Price, _("Money for the loser")] = 0
    each: Annotated[Price, _("Money for each")] = 0
    points: Annotated[tuple[int, int, int], _("Points")] = (0, 0, 0)
    none_left: Annotated[bool, _("The losers have nobody left to fight")] = False
    lost: Annotated[Text, _("What it means for the loser")] = Text(en="Defeat", fr="Défaite")

    def for_side(self, side: SideKind) -> Text:
        """What the game ended in for this side: a victory is the other side's defeat."""
        return self.lost if side == "loser" else self.name


class Mark(Row):
    """How a member may have ended a game; with ``dies`` they are dead without a roll. ``of``: who
    may end so."""

    editing = Table(_("How members end a game"), _("Add a way to end a game"))
    text: Annotated[Text, _("Text")]
    of: Of = Selector()
    dies: Annotated[bool, _("Dead without a roll")] = False


class Tally(Row):
    """Something counted after a game, per member or per gang, with the money it brings.

    The members' tally ``taken_out`` (enemies put out of action) is counted in every game; a
    rulebook that declares it gives it a name, money or awards. Where members' tallies with
    ``takes_out`` tell the sorts of enemies apart, it is their sum instead. ``times``: the money is
    multiplied by the number that this setting holds; ``points``: what it counts in the standings.

    ``of`` and ``marks`` say which enemies it counts: those picked, who ended the game so (all if
    none). From them the report fills it in; a gang's tally without ``marks`` is not about enemies.
    ``whose``: which of one's own members it is asked of.
    ``scenarios``: it is asked only after a game of one of these, or of none that is known.
    """

    editing = Table(_("Tallies after a game"), _("Add a tally"))
    per: Annotated[
        Literal["member", "gang"], _("Counted per"), Values(member=_("member"), gang=_("gang"))
    ]
    text: Annotated[Text, _("Text")]
    maximum: Annotated[int, _("Maximum")] = 99
    money: Annotated[Price, _("Money")] = 0
    times: Annotated[NumberSettingKey | None, _("Times")] = None
    points: Annotated[int, _("Points")] = 0
    takes_out: Annotated[bool, _("Counts enemies taken out of action")] = False
    scenarios: Annotated[tuple[ScenarioKey, ...], _("Only in these scenarios")] = ()
    whose: Of = Selector()
    of: Annotated[Selector, _("Which enemies it counts")] = Selector()
    marks: Annotated[tuple[MarkKey, ...], _("Only enemies who ended the game as")] = ()


class Award(Row):
    """Experience after a game, for every member that took part and lives.

    ``everyone``: also for those who did not take part. It is given once, or per point of the tally
    ``each``; only to the ``sides`` named (all if none); with ``underdog`` only if an opponent's
    rating was at least that many per cent of one's own, with ``underdog_by`` only if it was at
    least so much higher. ``of``: who earns it; ``not_marks``: not who ended the game so;
    ``most``: no more than this in one game.
    """

    editing = Table(_("Experience awards"), _("Add an award"), removable=True)
    amount: Annotated[int, _("Amount")] = 1
    each: Annotated[TallyKey | None, _("For each")] = None
    sides: Annotated[
        tuple[Literal["winner", "loser", "level"], ...],
        _("Only for"),
        Values(winner=_("the winner"), loser=_("the loser"), level=_("a level game")),
    ] = ()
    underdog: Annotated[
        int | None, _("Only if an opponent’s rating is at least this percentage of your own")
    ] = None
    underdog_by: Annotated[int | None, _("Only if an opponent’s rating is higher by at least")] = (
        None
    )
    everyone: Annotated[bool, _("Also for those who did not play")] = False
    of: Of = Selector()
    not_marks: Annotated[tuple[MarkKey, ...], _("Not for those who ended the game as")] = ()
    most: Annotated[int | None, _("At most")] = None


class UnderdogMoney(Row):
    """Money for having met a gang of a higher rating: one for every ``step`` of the difference to
    the highest of them, at most ``most``."""

    editing = Table(_("Money for underdogs"), _("Add money for underdogs"), removable=True)
    step: Annotated[int, Field(gt=0), _("One for every")]
    most: Annotated[Price, _("At most")]


class Growth(Frozen):
    """One characteristic point for every ``experience`` earned. ``ceiling``: the setting that
    holds the most experience a member may earn (0: no ceiling)."""

    editing = Table(_("Growth by experience"))
    experience: Annotated[int, Field(gt=0), _("Experience")]
    ceiling: Annotated[NumberSettingKey | None, _("Option that holds the most experience")] = None


class Advancement(Frozen):
    """An advance for every ``experience`` earned, taken one after the other.

    ``cycle``: what the first, second... advance is, over and over: a ``trait`` of those with one of
    ``trait_tags`` (all if none), or a ``rank`` by a promotion with the trigger ``advance``. Where a
    rank is not to be had, it is a trait. ``of``: whose advances there are.
    """

    editing = Table(_("Advances by experience"))
    experience: Annotated[int, Field(gt=0), _("Experience")]
    of: Of = Selector()
    cycle: Annotated[
        tuple[Literal["trait", "rank"], ...], Field(min_length=1), _("First, second… advance")
    ] = ("trait",)
    trait_tags: Annotated[tuple[TraitTag, ...], _("Traits with the property")] = ()


class Departure(Row):
    """A way to leave a gang for good, other than death. ``for_hire``: they can be hired afterwards,
    for one game at a time, for what they are worth."""

    editing = Table(_("Ways to leave"), _("Add a way to leave"))
    text: Annotated[Text, _("Text")]
    for_hire: Annotated[bool, _("Can be hired again")] = False


# After a rise: the new rank's profile, the old one, or the better value of each characteristic.
RisenProfile = Annotated[
    Literal["new", "kept", "best"],
    Values(new=_("those of the new rank"), kept=_("the old ones"), best=_("the better of both")),
]


class Promotion(Row):
    """A member of rank ``start``, if ``of`` picks them, becomes one of rank ``to``; without ``to``
    they leave, by ``departure``.

    ``trigger``: for those whom the player chooses, or only with ``experience`` earned at this rank,
    or with the ``full`` experience of the rank, or as an ``advance``. ``below``: only while the
    gang has fewer than this many of the new rank; with ``displaces`` one of those may make room
    instead, and leaves by ``departure``: the player sends them away, or rolls ``dice``, whose
    higher half means that the one who would rise leaves. ``required``: it is no choice.
    ``keeps_price``: what they are worth, and their points, stay those of the old rank; ``profile``:
    the values that they have from then on; ``restarts``: their experience at the new rank begins at
    0.
    """

    editing = Table(_("Promotions"), _("Add a promotion"), removable=True)
    start: Annotated[RankKey, _("From rank")]
    of: Of = Selector()
    to: Annotated[RankKey | None, _("To rank")] = None
    price: Annotated[Price, _("Price")] = 0
    below: Annotated[int, _("While there are fewer than")] = 1000
    keeps_price: Annotated[bool, _("Keeps the old price")] = False
    trigger: Annotated[
        Literal["choice", "experience", "full", "advance"],
        _("When"),
        Values(
            choice=_("chosen"),
            experience=_("with experience"),
            full=_("with full experience"),
            advance=_("as an advance"),
        ),
    ] = "choice"
    experience: Annotated[int, _("Experience")] = 0
    required: Annotated[bool, _("Mandatory")] = False
    profile: Annotated[RisenProfile, _("Characteristics afterwards")] = "new"
    restarts: Annotated[bool, _("Experience restarts at 0")] = False
    displaces: Annotated[bool, _("Somebody may have to make room")] = False
    departure: Annotated[DepartureKey | None, _("Way to leave")] = None
    dice: Annotated[Annotated[str, Field(pattern=r"^[1-9]\d?d[1-9]\d?$")] | None, _("Dice")] = None


class Succession(Row):
    """While nobody is one of ``post``, one of those ``among`` takes the place for nothing.

    ``by``: who of them comes first: the highest ``rank``, the most ``experience``; of equals the
    player chooses. They get the rank ``to`` or the ``trait``; the rest is as for a promotion.
    """

    editing = Table(_("Successions"), _("Add a succession"), removable=True)
    post: Annotated[Selector, _("The post")]
    among: Annotated[Selector, _("Among whom")] = Selector()
    by: Annotated[tuple[Literal["rank", "experience"], ...], _("Order of precedence")] = ()
    to: Annotated[RankKey | None, _("To rank")] = None
    trait: Annotated[TraitKey | None, _("Trait")] = None
    keeps_price: Annotated[bool, _("Keeps the old price")] = False
    profile: Annotated[RisenProfile, _("Characteristics afterwards")] = "new"
    restarts: Annotated[bool, _("Experience restarts at 0")] = False


class Quota(Frozen):
    """No more than ``most`` members of these ranks may join between two games."""

    ranks: tuple[RankKey, ...]
    most: Annotated[int, Field(ge=0)]


class Recruiting(Frozen):
    """How many may join between two games.

    ``cap`` names a setting whose choices are among: ``none``, ``session`` (as many as the first
    gang had, each time), ``size`` (never more members than the first gang had), ``total`` (as
    many as the first gang had, over the whole campaign). ``quotas``: by rank.
    """

    editing = Table(_("Recruiting between games"))
    cap: Annotated[SettingKey | None, _("Option that says how many may join")] = None
    quotas: Annotated[tuple[Quota, ...], _("How many of which ranks")] = ()


class PostgameStep(Row):
    """One step of the post-game, in order."""

    editing = Table(_("Steps after a game"), _("Add a step"), removable=True, ordered=True)
    text: Annotated[Text, _("Text")]


class FatesStep(PostgameStep):
    """What became of those who were marked: the dead leave, the others roll on ``table``.

    Where ``fates`` has something for a member's rank and mark, that counts instead. ``of``: whom
    the step is about.
    """

    kind: Annotated[Literal["fates"], Values(fates=_("Injuries"))]
    of: Of = Selector()
    table: Annotated[TableKey | None, _("Dice table")] = None
    fates: Annotated[tuple[Fate, ...], _("What happens to whom")] = ()


class ExperienceStep(PostgameStep):
    """The awards are given out."""

    kind: Annotated[Literal["experience"], Values(experience=_("Experience"))]


class IncomeStep(PostgameStep):
    """The money of the result and of the gang's tallies comes in."""

    kind: Annotated[Literal["income"], Values(income=_("Income"))]


class CaptivesStep(PostgameStep):
    """Each member held under ``condition`` is bought free, lost, or stays.

    ``ransom``: what they are ``worth``, or a sum ``agreed`` on by the players; ``none`` where no
    gang holds them, and they are freed in a game or not at all. ``rescue``: their own gang may say
    that they were freed in a game.
    """

    kind: Annotated[Literal["captives"], Values(captives=_("Captives"))]
    condition: Annotated[ConditionKey, _("Condition")]
    ransom: Annotated[
        Literal["worth", "agreed", "none"],
        _("Ransom"),
        Values(
            worth=_("what they are worth"),
            agreed=_("a sum agreed on"),
            none=pgettext("no such thing", "none"),
        ),
    ] = "worth"
    rescue: Annotated[bool, _("Can be freed in a game")] = True


class AdvancesStep(PostgameStep):
    """Who has earned advances takes them."""

    kind: Annotated[Literal["advances"], Values(advances=_("Advances"))]


class SuccessionStep(PostgameStep):
    """Posts that nobody holds are filled."""

    kind: Annotated[Literal["succession"], Values(succession=_("Succession"))]


class PromotionsStep(PostgameStep):
    """Members may be promoted."""

    kind: Annotated[Literal["promotions"], Values(promotions=_("Promotions"))]


class RecruitsStep(PostgameStep):
    """New members may be hired, under the cap and for money from the treasury."""

    kind: Annotated[Literal["recruits"], Values(recruits=_("Recruits"))]


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

    editing = Table(_("The campaign"))
    text: Annotated[Text, _("Text")]
    scenario_table: Annotated[TableKey | None, _("Table of scenarios")] = None
    awards: tuple[Award, ...] = ()
    results: Annotated[tuple[ResultType, ...], Field(min_length=1)]
    tallies: tuple[Tally, ...] = ()
    marks: tuple[Mark, ...] = ()
    growth: Growth | None = None
    advancement: Advancement | None = None
    underdog: tuple[UnderdogMoney, ...] = ()
    promotions: tuple[Promotion, ...] = ()
    successions: tuple[Succession, ...] = ()
    departures: tuple[Departure, ...] = ()
    recruiting: Recruiting | None = None
    hires: Annotated[int, Field(ge=0, le=20), _("Hired for one game, at most")] = 1
    points_name: Annotated[Text | None, _("What points are called")] = None
    standings: Annotated[tuple[Measure, ...], Field(min_length=1), _("Ranked by")]
    steps: tuple[AnyStep, ...]

    # Rows by key.
    result = ByKey[ResultType]("results")
    mark = ByKey[Mark]("marks")
    tally = ByKey[Tally]("tallies")
    departure = ByKey[Departure]("departures")

    def goes_without_saying(self, result: str) -> bool:
        """Whether a result says no more than who won: there is no other way to win."""
        decided = [row.key for row in self.results if row.kind == "decided"]
        return decided == [result]

    def outcome(self, result: str, side: SideKind) -> Text | str:
        """What a game with this result ended in for a side; the key if the rulebook no longer has
        such a result."""
        row = self.result.get(result)
        return row.for_side(side) if row else result
