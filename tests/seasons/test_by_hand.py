"""A season added up by hand: money and experience from reports, dice and payments.

Nothing here uses the rulebooks or the engine. The numbers are copied from the games' documents,
and from the proposals for their gaps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from campaigns.models import Throw
from rules.engine.costing import Points
from rules.engine.dice import DiceRoll
from tests.random_cases import one_soon
from tests.seasons.playing import Season
from tests.seasons.retelling import Named
from tests.seasons.script import Match, outcome, season
from tests.world.gangs import SLUGS


@dataclass(frozen=True)
class Facts:
    """One side of a game: its result and report, and the throws afterwards.

    Throws are (name, purpose, sum of the dice); ``before`` and ``after`` are the gang in words.
    """

    result: str
    side: str
    told: Named
    rating: Points
    opponent: Points
    throws: list[tuple[str, str, int]]
    before: dict[str, Any]
    after: dict[str, Any]

    def thrown(self, name: str, table: str) -> list[int]:
        """Return the sums of a member's throws on a table."""
        return [total for who, what, total in self.throws if (who, what) == (name, table)]

    def count(self, tally: str, name: str) -> int:
        """Return a member's count of a tally."""
        return self.told.counts.get(tally, {}).get(name, 0)


# Income of a game.


def nothing(facts: Facts) -> Points:
    """Return 0: the game has no money."""
    return 0


def blackwater_money(facts: Facts) -> Points:
    """Section 6.3: winner 10, loser 5, 5 for each nugget; a draw between the two, 7."""
    reward = {"winner": 10, "loser": 5, "level": 7}[facts.side]
    return reward + 5 * facts.told.tallies.get("nuggets", 0)


def cran_money(facts: Facts) -> Points:
    """Section 4.2, 1 and 2: win 8, draw 6, loss 4, a dollar for each loot token.

    The underdog gets half of the difference in infamy, rounded down, 5 at most.
    """
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
    """Section 5.6: victory points, less the fines of judged members."""
    return sum(VICTORY_POINTS[tally] * count for tally, count in facts.told.tallies.items())


# A member's experience from a game, if they live.


def no_experience(facts: Facts, name: str) -> int:
    """Return 0: the game has no experience."""
    return 0


def blackwater_experience(facts: Facts, name: str) -> int:
    """Section 6.3: 1 for taking part, 1 for each enemy put out, 1 for winning; 11 on the injury
    table 1, 12 a D3. 6.1: 1 for every member whose opponent has a tenth more fame."""
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


# Deaths, by reports and throws.


def blackwater_dead(facts: Facts, name: str) -> bool:
    """Section 6.1: on a 2."""
    return 2 in facts.thrown(name, "injury")


def cran_dead(facts: Facts, name: str) -> bool:
    """Section 4.2, 3: on a 1."""
    return 1 in facts.thrown(name, "injury")


def blade_dead(facts: Facts, name: str) -> bool:
    """Section 4.2: removed members are dead for the campaign."""
    return name in facts.told.marks


def zombstone_dead(facts: Facts, name: str) -> bool:
    """Section 4: a 9 kills, and a 10 kills an extra, too."""
    return 1 in facts.thrown(name, "star_fate") or bool(
        {1, 2} & set(facts.thrown(name, "extra_fate"))
    )


def one_for_one_dead(facts: Facts, name: str) -> bool:
    """Sections 5.2 and 5.3: the killed; underlings on 1-2, others on 11-15.

    Among several injuries 11-15 is thrown again.
    """
    if facts.told.marks.get(name) == "killed" or {1, 2} & set(facts.thrown(name, "underlings")):
        return True
    shown = facts.thrown(name, "serious_injuries")
    return bool(shown) and shown[0] in (11, 12, 13, 14, 15)


@dataclass(frozen=True)
class Sums:
    """The sums of a game.

    ``prices``: a recruit's price by rank, ``their_prices`` in the gang with that number;
    ``rises``: the price of a promotion.
    """

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
        # The second gang are goblins: every member at half price, halves rounded up.
        their_prices={1: {"sous_fifre": 5, "sous_chef": 13, "chef": 25}},
    ),
    # Sections 1.1 and 6.3: a recruit costs their base XP.
    "blackwater-gulch": Sums(
        blackwater_money,
        blackwater_experience,
        blackwater_dead,
        {"henchman": 50, "professional": 75, "leader": 100},
    ),
    # Section 4.2, 7: novices 4, veterans 10. None of the 22 of the founding was left.
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
    """Return the facts of one side of a game."""
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
    """Return the total of the dice; the two of a D66 are read as digits."""
    roll = DiceRoll.model_validate(throw.roll)
    if roll.dice == "d66":
        return 10 * roll.faces[0] + roll.faces[1]
    return sum(roll.faces)


def everybody(gang: dict[str, Any]) -> dict[str, int]:
    """Return the experience of all present and former members of a gang."""
    gone = {name: member for name, (_fate, member) in gang["gone"].items()}
    return {name: one["experience"] for name, one in {**gang["members"], **gone}.items()}


def gang_of(name: str) -> int:
    """Return the number of a member's gang, from their name in the script."""
    return int(name[-1]) - 1


# Each game's season, and two with a ransom; no member is hired where it is dear.
RANSOMS = [("au-un-pour-un", "i "), ("blackwater-gulch", "b ")]
THRIFTY = {"b "}


@pytest.mark.long
@pytest.mark.django_db
@pytest.mark.parametrize(("slug", "luck"), one_soon([*((slug, "") for slug in SLUGS), *RANSOMS]))
def test_money_and_experience_of_a_season_match_sums_by_hand(slug, luck):
    sums = BY_HAND[slug]
    matches = season(luck)
    played = Season(slug, idle=matches if luck in THRIFTY else ())
    treasury: dict[int, Points] = dict.fromkeys(range(4), 0)
    for match in matches:
        before = played.state()
        played.play([match])
        after = played.state()
        # A ransom: one gang pays, the other receives.
        paid = dict.fromkeys(match.gangs, 0)
        for (game, name), ransom in played.told.ransoms.items():
            if game == match:
                for number in match.gangs:
                    paid[number] += ransom if number == gang_of(name) else -ransom
        for place, number in enumerate(match.gangs):
            facts = facts_of(played, match, place, before, after)
            # Money: income of the game, less fines, promotions and recruits.
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
            # Experience: only living members gain any.
            learned = everybody(facts.after)
            for name, had in everybody(facts.before).items():
                there = name in facts.before["members"]
                lost = there and sums.dead(facts, name)
                gained = sums.experience(facts, name) if there and not lost else 0
                assert learned[name] == had + gained, (match, name)
                if lost:
                    assert name in facts.after["gone"]
    assert bool(played.told.ransoms) == bool(luck)
