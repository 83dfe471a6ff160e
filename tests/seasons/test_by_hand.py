"""A season added up by hand: money and experience from what was told, thrown and paid.

Nothing here asks the rulebooks or the engine. The numbers are those of the games' own documents,
and of the proposals for what these leave open, written down once more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from campaigns.models import Throw
from rules.engine.costing import Points
from rules.engine.dice import DiceRoll
from tests.random_cases import two_soon
from tests.seasons.playing import Season
from tests.seasons.retelling import Named
from tests.seasons.script import Match, outcome, season
from tests.world.gangs import SLUGS


@dataclass(frozen=True)
class Facts:
    """One side of a game: how it ended and what was told; what was thrown afterwards, as (name,
    what for, sum of the dice); ``before`` and ``after``: the gang in words."""

    result: str
    side: str
    told: Named
    rating: Points
    opponent: Points
    throws: list[tuple[str, str, int]]
    before: dict[str, Any]
    after: dict[str, Any]

    def thrown(self, name: str, table: str) -> list[int]:
        """What the dice showed for somebody."""
        return [total for who, what, total in self.throws if (who, what) == (name, table)]

    def count(self, tally: str, name: str) -> int:
        """How often somebody did something."""
        return self.told.counts.get(tally, {}).get(name, 0)


# Money that a game brings.


def nothing(facts: Facts) -> Points:
    """The game knows no money."""
    return 0


def blackwater_money(facts: Facts) -> Points:
    """Section 6.3: winner 10, loser 5, 5 for each nugget; a draw between the two, 7."""
    reward = {"winner": 10, "loser": 5, "level": 7}[facts.side]
    return reward + 5 * facts.told.tallies.get("nuggets", 0)


def cran_money(facts: Facts) -> Points:
    """Section 4.2, 1 and 2: win 8, draw 6, loss 4, a dollar for each loot token; the underdog has
    half of what the other's infamy is above theirs, rounded down, 5 at most."""
    reward = {"winner": 8, "level": 6, "loser": 4}[facts.side]
    ahead = max(0, facts.opponent - facts.rating)
    return reward + facts.told.tallies.get("loot", 0) + min(5, int(ahead // 2))


def blade_money(facts: Facts) -> Points:
    """Section 4.1: crushing 4 and 1, inglorious 2 and 1, draw 2 each, two defeats 1 each."""
    return {
        ("crushing", "winner"): 4,
        ("crushing", "loser"): 1,
        ("inglorious", "winner"): 2,
        ("inglorious", "loser"): 1,
        ("draw", "level"): 2,
        ("nobody_one", "level"): 1,
    }[facts.result, facts.side]


# Section 4.8: enemy figures out of action, and killed; section 5.7: a band point for each.
VICTORY_POINTS = {
    "chiefs_out": 10,
    "chiefs_killed": 15,
    "lieutenants_out": 8,
    "lieutenants_killed": 10,
    "underlings_out": 5,
    "underlings_killed": 8,
}


def one_for_one_money(facts: Facts) -> Points:
    """Victory points, less the fines of those who were judged: 5.6."""
    return sum(VICTORY_POINTS[tally] * count for tally, count in facts.told.tallies.items())


# Experience that a member has from a game, if they live.


def no_experience(facts: Facts, name: str) -> int:
    """The game knows none."""
    return 0


def blackwater_experience(facts: Facts, name: str) -> int:
    """Section 6.3: 1 for taking part, 1 for each enemy put out, 1 for winning; 11 on the injury
    table 1, 12 a D3. 6.1: 1 for everybody whose opponent has a tenth more fame."""
    gained = int(10 * facts.opponent >= 11 * facts.rating)
    if name in facts.told.fielded:
        gained += 1 + facts.count("taken_out", name) + (facts.side == "winner")
    gained += facts.thrown(name, "injury").count(11)
    return gained + sum(facts.thrown(name, "experience"))


def cran_experience(facts: Facts, name: str) -> int:
    """Section 4.2, 3 and 4: 1 for taking part, 1 for each casualty, 2 at most; the boss 1 for a
    win and 1 against 4 more infamy; 10 on the injury table 1."""
    gained = facts.thrown(name, "injury").count(10)
    if name in facts.told.fielded:
        gained += 1 + min(2, facts.count("taken_out", name))
        if "boss" in facts.before["members"][name]["traits"]:
            gained += (facts.side == "winner") + (facts.opponent - facts.rating >= 4)
    return gained


def zombstone_experience(facts: Facts, name: str) -> int:
    """Section 4: 1 for surviving without fleeing; all but extras 1 for a win, 1 for a supporting
    role and 2 for a star put out; an ace after falling 1."""
    gained = facts.thrown(name, "star_fate").count(6)
    if name in facts.told.fielded:
        gained += facts.told.marks.get(name) != "fled"
        if facts.before["members"][name]["rank"] != "figurant":
            gained += facts.side == "winner"
            gained += facts.count("supporting_out", name) + 2 * facts.count("stars_out", name)
    return gained


def one_for_one_experience(facts: Facts, name: str) -> int:
    """Section 5.1: 1 for surviving, 1 for winning; an underling 1 for a lieutenant and 2 for a
    chief, others 1 for a chief. 5.3: 1 for a 66."""
    gained = facts.thrown(name, "serious_injuries").count(66)
    if name in facts.told.fielded:
        gained += 1 + (facts.side == "winner")
        if facts.before["members"][name]["rank"] == "sous_fifre":
            gained += facts.count("enemy_lieutenants", name) + 2 * facts.count("enemy_chiefs", name)
        else:
            gained += facts.count("enemy_chiefs", name)
    return gained


# Who does not come back, by what was told or thrown.


def blackwater_dead(facts: Facts, name: str) -> bool:
    """Section 6.1: on a 2."""
    return 2 in facts.thrown(name, "injury")


def cran_dead(facts: Facts, name: str) -> bool:
    """Section 4.2, 3: on a 1."""
    return 1 in facts.thrown(name, "injury")


def blade_dead(facts: Facts, name: str) -> bool:
    """Section 4.2: who is removed is dead for the campaign."""
    return name in facts.told.marks


def zombstone_dead(facts: Facts, name: str) -> bool:
    """Section 4: a 9 kills, and an extra is gone on a 10, too."""
    return 1 in facts.thrown(name, "star_fate") or bool(
        {1, 2} & set(facts.thrown(name, "extra_fate"))
    )


def one_for_one_dead(facts: Facts, name: str) -> bool:
    """Sections 5.2 and 5.3: the killed; underlings on 1-2, others on 11-15, unless that is one of
    several injuries, where it is thrown again."""
    if facts.told.marks.get(name) == "killed" or {1, 2} & set(facts.thrown(name, "underlings")):
        return True
    shown = facts.thrown(name, "serious_injuries")
    return bool(shown) and shown[0] in (11, 12, 13, 14, 15)


@dataclass(frozen=True)
class Sums:
    """What is added up for a game. ``prices``: of a recruit, by rank, and in one gang, by its
    number, ``their_prices``; ``rises``: of a promotion."""

    money: Callable[[Facts], Points]
    experience: Callable[[Facts, str], int]
    dead: Callable[[Facts, str], bool]
    prices: dict[str, Points]
    rises: dict[str, Points] = field(default_factory=dict)
    their_prices: dict[int, dict[str, Points]] = field(default_factory=dict)


BY_HAND = {
    # Sections 1.2 and 1.4: underlings 10, lieutenants 25, chiefs 50.
    "au-un-pour-un": Sums(
        one_for_one_money,
        one_for_one_experience,
        one_for_one_dead,
        {"sous_fifre": 10, "sous_chef": 25, "chef": 50},
        # The second gang are goblins: every member at half, a half rounded up.
        their_prices={1: {"sous_fifre": 5, "sous_chef": 13, "chef": 25}},
    ),
    # Sections 1.1 and 6.3: a recruit costs their base XP.
    "blackwater-gulch": Sums(
        blackwater_money,
        blackwater_experience,
        blackwater_dead,
        {"henchman": 50, "professional": 75, "leader": 100},
    ),
    # Section 4.2, 7: novices 4, veterans 10. Of the 22 of the founding nothing was left.
    "cran": Sums(cran_money, cran_experience, cran_dead, {"novice": 4, "veteran": 10}),
    # Sections 1.1 and 4.2: 4, 2 and 1 for a figure, the difference for a promotion.
    "du-sang-sur-la-lame": Sums(
        blade_money,
        no_experience,
        blade_dead,
        {"henchman": 1, "second": 2, "leader": 4},
        {"new_second": 1, "new_leader": 2},
    ),
    # Section 4: recruiting is free.
    "zombstone": Sums(
        nothing,
        zombstone_experience,
        zombstone_dead,
        {"figurant": 0, "second_role": 0, "vedette": 0},
    ),
}


def facts_of(played: Season, match: Match, place: int, before: Any, after: Any) -> Facts:
    """What is known of one side of a game."""
    number, other = match.gangs[place], match.gangs[1 - place]
    result, winner = outcome(played.book, played.campaign.settings, match)
    side = "level" if winner is None else "winner" if winner == place else "loser"
    thrown = Throw.objects.filter(side=played.side(match, number), taken_back_at=None)
    return Facts(
        result=result,
        side=side,
        told=played.told.reports[match, number],
        rating=played.told.ratings[match, number],
        opponent=played.told.ratings[match, other],
        throws=[
            (each.about["member"], each.about.get("table") or each.about["asked"], total(each))
            for each in thrown.order_by("pk")
            if "what" not in each.about
        ],
        before=before[f"Gang {number + 1}"],
        after=after[f"Gang {number + 1}"],
    )


def total(throw: Throw) -> int:
    """What the dice came to: two of a D66 are read one behind the other."""
    roll = DiceRoll.model_validate(throw.roll)
    if roll.dice == "d66":
        return 10 * roll.faces[0] + roll.faces[1]
    return sum(roll.faces)


def everybody(gang: dict[str, Any]) -> dict[str, int]:
    """The experience of all who are or were in a gang."""
    gone = {name: member for name, (_fate, member) in gang["gone"].items()}
    return {name: one["experience"] for name, one in {**gang["members"], **gone}.items()}


def gang_of(name: str) -> int:
    """Whose member somebody is: the script's names say so."""
    return int(name[-1]) - 1


# Each game's season, and two in which a ransom is paid: where it is dear, nobody is hired.
RANSOMS = [("au-un-pour-un", "i "), ("blackwater-gulch", "b ")]
THRIFTY = {"b "}


@pytest.mark.long
@pytest.mark.django_db
@pytest.mark.parametrize(("slug", "luck"), two_soon([*((slug, "") for slug in SLUGS), *RANSOMS]))
def test_money_and_experience_of_a_season_match_sums_by_hand(slug, luck):
    sums = BY_HAND[slug]
    matches = season(luck)
    played = Season(slug, idle=matches if luck in THRIFTY else ())
    treasury: dict[int, Points] = dict.fromkeys(range(4), 0)
    for match in matches:
        before = played.state()
        played.play([match])
        after = played.state()
        # A ransom: what one pays the other has.
        paid = dict.fromkeys(match.gangs, 0)
        for (game, name), ransom in played.told.ransoms.items():
            if game == match:
                for number in match.gangs:
                    paid[number] += ransom if number == gang_of(name) else -ransom
        for place, number in enumerate(match.gangs):
            facts = facts_of(played, match, place, before, after)
            # Money: in from the game, out for fines, promotions and recruits.
            treasury[number] += sums.money(facts)
            for _who, what, shown in facts.throws:
                if what == "fine":
                    treasury[number] -= min(shown, treasury[number])
            for key, _name, _how in played.told.risen.get((match, number), ()):
                treasury[number] -= sums.rises.get(key, 0)
            if (match, number) in played.told.hired:
                rank, _name = played.told.hired[match, number]
                treasury[number] -= sums.their_prices.get(number, sums.prices)[rank]
            treasury[number] -= paid[number]
            assert facts.after["treasury"] == treasury[number], (match, number)
            # Experience: of those who live, and no more for those who do not.
            learned = everybody(facts.after)
            for name, had in everybody(facts.before).items():
                there = name in facts.before["members"]
                lost = there and sums.dead(facts, name)
                gained = sums.experience(facts, name) if there and not lost else 0
                assert learned[name] == had + gained, (match, name)
                if lost:
                    assert name in facts.after["gone"]
    assert bool(played.told.ransoms) == bool(luck)
