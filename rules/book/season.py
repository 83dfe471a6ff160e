"""The vocabulary for campaigns: results, awards, promotions, and the post-game.

The post-game is a script: a list of steps that the application plays in order. The outcomes for
members are in ``rules.book.fates``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Literal

from pydantic import Field

from common.wording.sentences import Label, pgettext
from common.wording.sentences import gettext_noop as _
from rules.book.advancement import Advancement, AdvancementRow
from rules.book.amounts import Each
from rules.book.fates import Fate
from rules.book.holdings import Haul, Upkeep, Yield
from rules.book.labels import Table, Values
from rules.book.vocabulary import (
    Amount,
    ByKey,
    ConditionKey,
    CountKey,
    CurrencyKey,
    DepartureKey,
    Frozen,
    InCurrency,
    MarkKey,
    NumberSettingKey,
    Of,
    Price,
    RankKey,
    RisenProfile,
    Row,
    ScenarioKey,
    Selector,
    SettingKey,
    TableKey,
    Text,
    TrackKey,
    TraitKey,
)

# The result of a game for one side.
SideKind = Literal["winner", "loser", "level"]


class Reward(Frozen):
    """An amount of another currency than money that each side gets for a result."""

    currency: Annotated[CurrencyKey, _("Currency")]
    winner: Annotated[Price, _("For the winner")] = 0
    loser: Annotated[Price, _("For the loser")] = 0
    each: Annotated[Price, _("For each")] = 0

    def of(self, side: SideKind) -> int:
        """The amount for one side."""
        return {"winner": self.winner, "loser": self.loser, "level": self.each}[side]


class Sides(Frozen):
    """The fewest and the most gangs in a game; without ``maximum``, any number."""

    minimum: Annotated[int, Field(ge=1, le=20), _("At least")]
    maximum: Annotated[Annotated[int, Field(ge=1, le=20)] | None, _("At most")] = None


class Play(Frozen):
    """The gangs that play a game, and against whom.

    ``against``: each other, or the ``book``: then all gangs of a game are one side, against the
    scenario and its non-players, and have one result together. ``sides``: by default, two gangs or
    more against each other, and one or more against the book.
    """

    editing = Table(_("Who plays"))
    against: Annotated[
        Literal["each-other", "book"],
        _("Against"),
        Values(**{"each-other": _("each other"), "book": _("the book, all on one side")}),
    ] = "each-other"
    sides: Annotated[Sides | None, _("Gangs in a game")] = None

    @property
    def is_together(self) -> bool:
        """Whether all gangs of a game are on one side."""
        return self.against == "book"

    @property
    def is_in_groups(self) -> bool:
        """Whether games are made by groups, not by pairs: there is no pairing, and no league."""
        return self.is_together or self.fewest > 2

    @property
    def fewest(self) -> int:
        """The fewest gangs in a game."""
        if self.sides is not None:
            return self.sides.minimum
        return 1 if self.is_together else 2

    @property
    def most(self) -> int | None:
        """The most gangs in a game; None for any number."""
        return self.sides.maximum if self.sides is not None else None

    def title(self, names: Iterable[str]) -> str:
        """The name of a game as it is stored (``name_game``)."""
        return name_game(names, is_together=self.is_together)


def name_game(names: Iterable[str], *, is_together: bool) -> str:
    """The name of a game as it is stored, alike in all languages. ``names``: of its gangs."""
    return (", " if is_together else " – ").join(names)


USUAL_PLAY = Play()
# The result of every gang of a game against the book, by the kind of its result.
TOGETHER: Mapping[str, SideKind] = {"won": "winner", "lost": "loser", "level": "level"}


class ResultType(Row):
    """A way a game can end, and the money that each side gets for it.

    ``decided``: somebody won (``winner`` and ``loser``); ``level``: all sides are equal (``each``);
    ``open``: the players agree on every amount. Against the book, all gangs have ``won`` (each gets
    ``winner``), have ``lost`` (``loser``), or it is ``level``: a game can have several degrees of
    each. ``rewards``: what they get of other currencies. ``points``: those in the standings for
    winner, loser, and each side of a level game. ``lost``: the name of the result for the loser.
    ``none_left``: the losers have nobody left to fight, so that a report of members who are still
    fit must be confirmed. ``captures``: the most holdings of the losers that the winner takes; they
    change hands in the step for holdings.
    """

    editing = Table(_("Results of a game"), _("Add a result"))
    kind: Annotated[
        Literal["decided", "level", "open", "won", "lost"],
        _("Kind"),
        Values(
            decided=_("somebody wins"),
            level=_("a level game"),
            open=_("as agreed"),
            won=_("all win, against the book"),
            lost=_("all lose, against the book"),
        ),
    ]
    text: Annotated[Text, _("Text")]
    winner: Annotated[Price, _("Money for the winner")] = 0
    loser: Annotated[Price, _("Money for the loser")] = 0
    each: Annotated[Price, _("Money for each")] = 0
    rewards: Annotated[tuple[Reward, ...], _("Other rewards")] = ()
    points: Annotated[tuple[int, int, int], _("Points")] = (0, 0, 0)
    none_left: Annotated[bool, _("The losers have nobody left to fight")] = False
    captures: Annotated[
        Annotated[int, Field(ge=0, le=20)], _("Holdings that the winner captures, at most")
    ] = 0
    lost: Annotated[Text | None, _("What it means for the loser")] = None

    def name_for(self, side: SideKind) -> Text | Label:
        """The name of the result for a side."""
        if side != "loser" or self.kind == "lost":
            return self.name
        return self.lost or _("Defeat")


class Unfought(Row):
    """The pay for a game that nobody fought, or for a draw that no row of ``results`` describes.

    Without a row, the side that came has won, and nobody gets anything else. ``how``: how the game
    ended; ``winner``: money for the side that came; ``loser``: for the side that did not, or
    conceded; ``each``: for each side if nobody won. ``rewards``: what they get of other currencies,
    likewise. ``points``: those in the standings, in that
    order; if all are 0, the winner gets those of a win. ``loss``: the side that did not come has
    lost; ``draw``: a game that nobody won is drawn.
    """

    editing = Table(_("Games without a battle"), _("Add a game without a battle"), removable=True)
    how: Annotated[
        Literal["no-show", "walk-over", "conceded", "abandoned", "recorded"],
        _("How it ended"),
        Values(
            **{
                "no-show": _("a side did not come"),
                "walk-over": _("a side could not play"),
                "conceded": _("a side conceded"),
                "abandoned": _("it was abandoned"),
                "recorded": _("a draw, fought"),
            }
        ),
    ]
    text: Annotated[Text, _("Text")]
    winner: Annotated[Price, _("Money for the winner")] = 0
    loser: Annotated[Price, _("Money for the loser")] = 0
    each: Annotated[Price, _("Money for each")] = 0
    rewards: Annotated[tuple[Reward, ...], _("Other currencies")] = ()
    points: Annotated[tuple[int, int, int], _("Points")] = (0, 0, 0)
    loss: Annotated[bool, _("A defeat for the side that did not come")] = False
    draw: Annotated[bool, _("A draw if nobody won")] = False


class Mark(Row):
    """A way in which a member may end a game; with ``dies`` they are dead without a roll. ``of``:
    the members for whom it is possible. ``stands``: the member is not down (they fled, or are owed
    wages): no enemy gets the credit, and only a fate that names the mark says what follows.
    """

    editing = Table(_("How members end a game"), _("Add a way to end a game"))
    text: Annotated[Text, _("Text")]
    of: Of = Selector()
    dies: Annotated[bool, _("Dead without a roll")] = False
    stands: Annotated[bool, _("The member is not down")] = False


class Tally(Row):
    """Something counted after a game, per member or per gang, with the money it brings.

    The members' tally ``taken_out`` (enemies put out of action) is counted in every game; a
    rulebook that declares it gives it a name, money or awards. If members have tallies with
    ``takes_out``, one for each kind of enemy, it is their sum. ``times``: the setting whose number
    the money is multiplied by; ``currency``: it is in this one, not in money; ``points``: those in
    the standings.

    ``by``: the step by which a tap at the table moves it.

    ``of`` and ``marks`` say which enemies it counts: those picked who ended the game with one of
    these marks (any if none). The report fills it in from them; a gang's tally without ``marks`` is
    not about enemies. ``whose``: the members of the gang that it is counted for. ``scenarios``: it
    is counted only after a game of one of these, or of an unknown scenario.
    """

    editing = Table(_("Tallies after a game"), _("Add a tally"))
    per: Annotated[
        Literal["member", "gang"], _("Counted per"), Values(member=_("member"), gang=_("gang"))
    ]
    text: Annotated[Text, _("Text")]
    maximum: Annotated[int, _("Maximum")] = 99
    by: Annotated[int, Field(ge=1, le=999), _("A tap at the table counts")] = 1
    money: Annotated[Price, _("Money")] = 0
    currency: InCurrency = None
    times: Annotated[NumberSettingKey | None, _("Times this option")] = None
    points: Annotated[int, _("Points")] = 0
    takes_out: Annotated[bool, _("Counts enemies taken out of action")] = False
    scenarios: Annotated[tuple[ScenarioKey, ...], _("Only in these scenarios")] = ()
    whose: Of = Selector()
    of: Annotated[Selector, _("Which enemies it counts")] = Selector()
    marks: Annotated[tuple[MarkKey, ...], _("Only enemies who ended the game as")] = ()


class Award(Row):
    """Experience after a game, for every member that took part and lives.

    ``everyone``: also for those who did not take part. It is given once, or per point of the tally
    ``each`` (``taken_out``: per enemy taken out); only to the ``sides`` named (all if none); with
    ``underdog`` only if an opponent's rating was at least that many per cent of the gang's own,
    with ``underdog_by`` only if it was higher by at least that number. ``of``: the members who earn
    it; ``not_marks``: not those who ended the game with one of these marks; ``most``: the most in
    one game.
    """

    editing = Table(_("Experience awards"), _("Add an award"), removable=True)
    amount: Annotated[int, _("Amount")] = 1
    each: Annotated[CountKey | None, _("For each")] = None
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
    """Money, or another ``currency``, for a game against a gang of a higher rating: one for every
    ``step`` of the difference to the highest rating, at most ``most``."""

    editing = Table(_("Money for underdogs"), _("Add money for underdogs"), removable=True)
    step: Annotated[int, Field(gt=0), _("One for every")]
    most: Annotated[Price, _("At most")]
    currency: InCurrency = None


class Growth(Frozen):
    """One characteristic point for every ``experience`` earned. ``ceiling``: the setting with the
    most experience that a member may earn (0: no ceiling)."""

    editing = Table(_("Growth by experience"))
    experience: Annotated[int, Field(gt=0), _("Experience")]
    ceiling: Annotated[NumberSettingKey | None, _("Option that holds the most experience")] = None


class Departure(Row):
    """A way to leave a gang for good, other than death. ``for_hire``: the member can be hired
    afterwards, for one game at a time, at the price of their worth."""

    editing = Table(_("Ways to leave"), _("Add a way to leave"))
    text: Annotated[Text, _("Text")]
    for_hire: Annotated[bool, _("Can be hired again")] = False


class Promotion(Row):
    """A member of rank ``start``, if ``of`` picks them, becomes one of rank ``to``; without ``to``
    they leave, by ``departure``.

    ``trigger``: for members whom the player chooses, or only with ``experience`` earned at this
    rank, or with the ``full`` experience of the rank, or as an ``advance``. ``below``: only while
    the gang has fewer than this many of the new rank; with ``displaces`` one of those may make room
    instead, and leaves by ``departure``: the player sends them away, or rolls ``dice``, and the
    candidate leaves on the higher half. ``required``: it is not optional. ``keeps_price``: their
    worth and points stay those of the old rank; ``profile``: their values afterwards; ``restarts``:
    their experience at the new rank begins at 0.
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
        _("How it comes about"),
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
    dice: Annotated[
        Annotated[str, Field(pattern=r"^[1-9]\d?d[1-9]\d?$")] | None, _("Dice to roll for it")
    ] = None


class Succession(Row):
    """While no member is picked by ``post``, a member picked by ``among`` takes the place for free.

    ``by``: the order of preference: the highest ``rank``, the most ``experience``; of equals the
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
    """Limits on new members between two games.

    ``cap`` names a setting whose choices are among: ``none``, ``session`` (each time, the number of
    members at the founding), ``size`` (never more members than at the founding), ``total`` (that
    number over the whole campaign). ``quotas``: by rank.
    """

    editing = Table(_("Recruiting between games"))
    cap: Annotated[SettingKey | None, _("Option that says how many may join")] = None
    quotas: Annotated[tuple[Quota, ...], _("How many of which ranks")] = ()


class PostgameStep(Row):
    """One step of the post-game, in order."""

    editing = Table(_("Steps after a game"), _("Add a step"), removable=True, ordered=True)
    text: Annotated[Text, _("Text")]


class FatesStep(PostgameStep):
    """The fates of marked members: the dead leave, the others roll on ``table``.

    If any of ``fates`` is for a member and their mark, the first one counts instead. ``of``: the
    members that the step is about.
    """

    kind: Annotated[Literal["fates"], Values(fates=_("Injuries"))]
    of: Of = Selector()
    table: Annotated[TableKey | None, _("Dice table")] = None
    fates: Annotated[tuple[Fate, ...], _("What happens to whom")] = ()


class RollsStep(PostgameStep):
    """The gang rolls on ``table``, as often as ``times`` says: for each thing that ``each`` counts,
    if it is there. Outcomes about members fall to members that the outcome picks.

    ``sides``: only the winner, the loser or each side of a level game rolls (all if none).
    """

    kind: Annotated[Literal["rolls"], Values(rolls=_("The gang rolls"))]
    table: Annotated[TableKey, _("Dice table")]
    times: Annotated[Amount, _("How many rolls")] = "1"
    each: Annotated[Each | None, _("For each")] = None
    sides: Annotated[
        tuple[Literal["winner", "loser", "level"], ...],
        _("Only for"),
        Values(winner=_("the winner"), loser=_("the loser"), level=_("a level game")),
    ] = ()


class ExperienceStep(PostgameStep):
    """Members get their awards. ``most``: no member gets more experience than that from all awards
    of one game."""

    kind: Annotated[Literal["experience"], Values(experience=_("Experience"))]
    most: Annotated[Annotated[int, Field(gt=0)] | None, _("At most, from one game")] = None


class IncomeStep(PostgameStep):
    """The money of the result and of the gang's tallies comes in."""

    kind: Annotated[Literal["income"], Values(income=_("Income"))]


class HoldingsStep(PostgameStep):
    """Holdings that were captured in the game change hands."""

    kind: Annotated[Literal["holdings"], Values(holdings=_("Holdings"))]


class UpkeepStep(PostgameStep):
    """Upkeep is due: the player pays, or what is not paid for suffers the consequences."""

    kind: Annotated[Literal["upkeep"], Values(upkeep=_("Upkeep"))]


class CaptivesStep(PostgameStep):
    """Each captive, a member with ``condition``, is bought free, lost, or stays.

    ``ransom``: their ``worth``, or a sum ``agreed`` on by the players; ``none`` if no gang holds
    them, so that only a game can free them. ``currency``: the ransom is in this one, not in money.
    ``rescue``: their own gang may report that they were freed in a game.
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
    currency: InCurrency = None
    rescue: Annotated[bool, _("Can be freed in a game")] = True


class SuppliesStep(PostgameStep):
    """For each item with a number of uses, players say how many its bearer used in the game."""

    kind: Annotated[Literal["supplies"], Values(supplies=_("Supplies"))]


class SearchBonus(Frozen):
    """A number added to the dice of a member who searches, if ``of`` picks them."""

    of: Selector = Selector()
    amount: Annotated[int, Field(ge=-20, le=20)]


class TracksStep(PostgameStep):
    """Members keep the number of ``track`` that they had at the end of the game, and then it sinks.

    ``less``: by that much, never below the tracker's minimum; ``of``: for these members, of those
    that ``who`` names. All members who took part keep their number.
    """

    kind: Annotated[Literal["tracks"], Values(tracks=_("Trackers that last"))]
    track: Annotated[TrackKey, _("Tracker")]
    less: Annotated[Amount, _("Sinks by")] = "0"
    of: Of = Selector()
    who: Annotated[
        Literal["everybody", "fielded", "rested"],
        _("For whom it sinks"),
        Values(
            everybody=_("everybody"),
            fielded=_("those who took part"),
            rested=_("those who did not take part"),
        ),
    ] = "everybody"


class SearchStep(PostgameStep):
    """Members who took part may each look for one of the offers that need dice.

    ``of``: the members who may; ``plus``: every number that is added for the searcher.
    """

    kind: Annotated[Literal["search"], Values(search=_("Search for rare items"))]
    of: Of = Selector()
    plus: Annotated[tuple[SearchBonus, ...], _("Added to the dice")] = ()


class AdvancesStep(PostgameStep):
    """Members take the advances that they have earned."""

    kind: Annotated[Literal["advances"], Values(advances=_("Advances"))]


class SuccessionStep(PostgameStep):
    """Vacant posts are filled."""

    kind: Annotated[Literal["succession"], Values(succession=_("Succession"))]


class PromotionsStep(PostgameStep):
    """Members may be promoted."""

    kind: Annotated[Literal["promotions"], Values(promotions=_("Promotions"))]


class RecruitsStep(PostgameStep):
    """New members may be hired, under the cap and for money from the treasury."""

    kind: Annotated[Literal["recruits"], Values(recruits=_("Recruits"))]


AnyStep = Annotated[
    FatesStep
    | RollsStep
    | ExperienceStep
    | SuppliesStep
    | TracksStep
    | SearchStep
    | AdvancesStep
    | IncomeStep
    | CaptivesStep
    | PromotionsStep
    | SuccessionStep
    | RecruitsStep
    | HoldingsStep
    | UpkeepStep,
    Field(discriminator="kind"),
]
Measure = Literal["wins", "money", "rating", "taken_out", "points"]
# Counts of which the best gang or member of a campaign has most.
TrophyCount = Literal[
    "wins",
    "games",
    "points",
    "money",
    "rating",
    "taken_out",
    "graves",
    "member_taken_out",
    "member_games",
    "member_experience",
    "hand",
]


class Trophy(Row):
    """A trophy of a campaign. The best gang or member by ``count`` holds it, several if they are
    equal; with ``hand`` an organiser awards it."""

    editing = Table(_("Trophies"), _("Add a trophy"), removable=True)
    text: Annotated[Text, _("Text")]
    count: Annotated[
        TrophyCount,
        _("For the most"),
        Values(
            wins=_("games won, by a gang"),
            games=_("games, by a gang"),
            points=_("points, of a gang"),
            money=_("money from games, of a gang"),
            rating=_("rating, of a gang"),
            taken_out=_("enemies taken out, by a gang"),
            graves=_("dead, of a gang"),
            member_taken_out=_("enemies taken out, by a member"),
            member_games=_("games, by a member"),
            member_experience=_("experience, of a member"),
            hand=_("awarded by an organiser"),
        ),
    ]


class Campaign(Frozen):
    """The layer between games. ``standings``: the measures that gangs are ranked by, the first
    before the second; a game against the book may have none, and then its gangs have no places;
    ``points_name``: the name of the points that results and tallies bring;
    ``hires``: the most members for hire that a gang may have in one game."""

    editing = Table(_("The campaign"))
    text: Annotated[Text, _("Text")]
    scenario_table: Annotated[TableKey | None, _("Table of scenarios")] = None
    awards: tuple[Award, ...] = ()
    results: Annotated[tuple[ResultType, ...], Field(min_length=1)]
    unfought: tuple[Unfought, ...] = ()
    tallies: tuple[Tally, ...] = ()
    marks: tuple[Mark, ...] = ()
    growth: Growth | None = None
    advancement: Advancement | None = None
    advancements: tuple[AdvancementRow, ...] = ()
    underdog: tuple[UnderdogMoney, ...] = ()
    yields: tuple[Yield, ...] = ()
    hauls: tuple[Haul, ...] = ()
    upkeep: tuple[Upkeep, ...] = ()
    promotions: tuple[Promotion, ...] = ()
    successions: tuple[Succession, ...] = ()
    departures: tuple[Departure, ...] = ()
    recruiting: Recruiting | None = None
    hires: Annotated[int, Field(ge=0, le=20), _("Hired for one game, at most")] = 1
    points_name: Annotated[Text | None, _("What points are called")] = None
    standings: Annotated[tuple[Measure, ...], _("Ranked by")] = ()
    trophies: tuple[Trophy, ...] = ()
    steps: tuple[AnyStep, ...]

    # Rows by key.
    result = ByKey[ResultType]("results")
    mark = ByKey[Mark]("marks")
    tally = ByKey[Tally]("tallies")
    departure = ByKey[Departure]("departures")
    trophy = ByKey[Trophy]("trophies")

    def goes_without_saying(self, result: str) -> bool:
        """Whether a result is the only way to win or, against the book, the only way to win or to
        lose, so that the names of the gangs say it all."""
        row = self.result.get(result)
        if row is None or row.kind not in ("decided", "won", "lost"):
            return False
        return [other.key for other in self.results if other.kind == row.kind] == [result]

    def outcome(self, result: str, side: SideKind) -> Text | str:
        """The name of a result for a side; the key if the rulebook no longer has such a result."""
        return self.result[result].name_for(side) if result in self.result else result
