"""The table offers nothing impossible: no target, action or state that a figure cannot have."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client

from accounts.models import User
from campaigns.club.people import joining
from campaigns.table import people
from campaigns.table.attempts.actions import find_options, find_rollers, find_targets
from campaigns.table.attempts.forms import AttemptForm, NobodyHere, read_form
from campaigns.table.attempts.roll import play_faces
from campaigns.table.people import Names
from gangs.models import Gang
from tests.campaigns.table.test_storage import opened
from tests.rules.small import row, text, told
from tests.world.attempts import Bout, figure, table
from tests.world.campaigns import make_campaign
from tests.world.gangs import POINTS, make_gang, shipped
from tests.world.tables import game, start


@pytest.fixture
def western() -> Bout:
    """A gunslinger and a doctor with a mule against two enemies."""
    gunslinger = figure("leader", "navy_revolver", profession="gunslinger")
    doctor = figure("professional", "mule", profession="doctor")
    enemies = [figure("leader", "knife"), figure("henchman", "knife")]
    return Bout(table(shipped(POINTS), [gunslinger, doctor], enemies))


def actions(bout: Bout, who: str) -> set[str]:
    return {deed.action.key for deed in find_options(bout.start, bout.now, who).deeds}


def targets(bout: Bout, roll: str, by: str) -> list[str]:
    return [*find_targets(bout.start, bout.now, bout.start.book.roll[roll], by)]


def test_aiming_gives_up_the_movement(western: Bout) -> None:
    assert {"move", "aim"} <= actions(western, "1.1")
    western.tap("did", figure="1.1", action="aim")
    assert not {"move", "break_off"} & actions(western, "1.1")
    western.tap("did", figure="1.2", action="move")
    assert "move" in actions(western, "1.2")


def test_figure_that_moved_does_not_aim(western: Bout) -> None:
    western.tap("did", figure="1.1", action="move")
    assert "aim" not in actions(western, "1.1")


def test_roll_of_the_opponent_is_not_a_part_of_an_action(western: Bout) -> None:
    [left] = [
        deed
        for deed in find_options(western.start, western.now, "1.1").deeds
        if deed.action.key == "break_off"
    ]
    assert left.throws == ()
    others = find_options(western.start, western.now, "2.1").others
    assert "hold" in {throw.roll.key for throw in others}


def test_targets_are_enemies_in_play_before_friends(western: Bout) -> None:
    """A stray shot hits friend or foe; a shot is aimed at an enemy."""
    assert targets(western, "stray_hit", "1.1") == ["2.1", "2.2", "1.2"]
    assert targets(western, "shot", "1.1") == ["2.1", "2.2"]
    western.tap("out", figure="2.1")
    assert targets(western, "stray_hit", "1.1") == ["2.2", "1.2"]
    assert targets(western, "shot", "1.1") == ["2.2"]
    # Somebody has to be named, if only to see that nobody is left.
    western.tap("out", figure="2.2")
    western.tap("out", figure="1.2")
    assert len(targets(western, "stray_hit", "1.1")) == 3


def test_friends_who_are_out_are_revived(western: Bout) -> None:
    western.tap("out", figure="1.1")
    western.tap("out", figure="2.2")
    assert targets(western, "revive", "1.2") == ["1.1"]


def test_side_offers_only_figures_that_fit_the_roll(western: Bout) -> None:
    revive, morale = (western.start.book.roll[key] for key in ("revive", "morale"))
    assert find_rollers(western.start, western.now, morale, 1) == ("1.1", "1.2")
    western.tap("out", figure="1.2")
    assert find_rollers(western.start, western.now, morale, 1) == ("1.1",)
    assert find_rollers(western.start, western.now, revive, 1) == ("1.1",)


# A small game, word by word.

DIE = {"sum": "score", "sides": 6}


def roll(key: str, **fields: Any) -> dict[str, Any]:
    """Return a roll of one die with one number."""
    numbers = [{"of": "score", "name": text("Score")}]
    return row(key, **{"steps": [DIE], "numbers": numbers, **fields})


def played(*sizes: int, **tables: Any) -> Bout:
    """Return a table of a small game with these rolls and actions."""
    return Bout(start(game(**tables), *sizes))


def offered(bout: Bout, who: str) -> tuple[set[str], set[str]]:
    """Return the actions of a figure, and the rolls that belong to none."""
    found = find_options(bout.start, bout.now, who)
    return {deed.action.key for deed in found.deeds}, {one.roll.key for one in found.others}


def form_of(bout: Bout, key: str, **chosen: str) -> AttemptForm:
    """Return the form of a roll of figure 1.1."""
    data = QueryDict(mutable=True)
    data.update({"by": "1.1", **chosen})
    sides = {number: str(number) for number in bout.now.sides}
    names = Names(bout.start.book, {}, {one: one for one in bout.now.figures}, sides)
    return read_form(data, bout.start, bout.now, names, key)


def form_targets(bout: Bout, key: str, **chosen: str) -> list[str]:
    """Return the targets that the form of a roll offers figure 1.1."""
    field: Any = form_of(bout, key, **chosen).whom.fields["at"]
    return [one for _group, some in field.choices for one, _name in some]


SIDES = [
    roll("shot", at="member", sides="enemies"),
    roll("help", at="member", sides="friends"),
    roll("talk", at="member", friendly=True),
]
DEEDS = [row("shoot", rolls=["shot"]), row("nurse", rolls=["help"]), row("walk")]


def test_roll_offers_only_targets_of_its_sides() -> None:
    bout = played(2, 2, rolls=SIDES)
    assert form_targets(bout, "shot") == targets(bout, "shot", "1.1") == ["2.1", "2.2"]
    assert form_targets(bout, "help") == targets(bout, "help", "1.1") == ["1.2"]
    assert form_targets(bout, "talk") == ["1.2", "2.1", "2.2"]
    # An address names one of the others.
    assert form_targets(bout, "shot", at="1.2") == ["2.1", "2.2"]


@pytest.mark.parametrize(
    ("slug", "roll"),
    [
        ("au-un-pour-un", "strike"),
        (POINTS, "fight"),
        ("cran", "combat"),
        ("du-sang-sur-la-lame", "duel"),
        ("zombstone", "melee"),
    ],
)
def test_nobody_fights_their_own_side(slug: str, roll: str) -> None:
    assert shipped(slug).roll[roll].sides == "enemies"


def test_figures_that_are_out_stay_targets_of_their_sides_if_nobody_is_left() -> None:
    bout = played(2, 1, rolls=SIDES)
    bout.tap("out", figure="2.1")
    assert targets(bout, "shot", "1.1") == ["2.1"]


def test_roll_without_a_target_of_its_sides_is_not_offered() -> None:
    bout = played(1, 1, rolls=SIDES, actions=DEEDS)
    assert offered(bout, "1.1") == ({"shoot", "walk"}, {"talk"})
    assert targets(bout, "help", "1.1") == []
    with pytest.raises(NobodyHere):
        form_targets(bout, "help")


def test_action_without_anybody_to_act_on_is_not_offered() -> None:
    bout = played(2, 1, rolls=SIDES, actions=DEEDS)
    assert offered(bout, "1.1")[0] == {"shoot", "nurse", "walk"}
    bout.tap("out", figure="1.2")
    assert offered(bout, "1.1")[0] == {"shoot", "walk"}
    bout.tap("out", figure="2.1")
    assert offered(bout, "1.1") == ({"walk"}, set())


def test_action_with_a_condition_about_its_target_needs_one_that_meets_it() -> None:
    rolls = [roll("help", at="member", sides="friends", usable="at.life < 3")]
    bout = played(2, 1, rolls=rolls, actions=[row("nurse", rolls=["help"])])
    assert offered(bout, "1.1")[0] == set()
    bout.tap("counted", figure="2.1", track="wounds", by=-1)
    assert offered(bout, "1.1")[0] == set()
    bout.tap("counted", figure="1.2", track="wounds", by=-1)
    assert offered(bout, "1.1")[0] == {"nurse"}


def test_roll_against_a_side_needs_another_side() -> None:
    rolls, actions = [roll("dare", at="side")], [row("boast", rolls=["dare"])]
    assert offered(played(1, 1, rolls=rolls, actions=actions), "1.1")[0] == {"boast"}
    assert offered(played(1, rolls=rolls, actions=actions), "1.1")[0] == set()


def test_stopped_figure_has_only_what_names_its_state() -> None:
    bout = played(
        2,
        1,
        rolls=[
            roll("shot", at="member"),
            roll("rally", usable="by.in_state('fleeing')"),
            roll("nerve"),
        ],
        actions=[
            row("walk"),
            row("shoot", rolls=["shot"]),
            row("leave", usable="by.in_state('fleeing', 'down')"),
            row("rest", usable="not by.in_state('fleeing')"),
        ],
        states=[row("fleeing", stops=True), row("tied", stops=True), row("down")],
        alarms=[row("hurt", given="by.life <= 1", asks="member", roll="nerve")],
    )
    assert offered(bout, "1.1") == ({"walk", "shoot", "rest"}, {"nerve"})
    bout.tap("counted", figure="1.1", track="wounds", by=-2)
    bout.tap("began", figure="1.1", state="fleeing")
    assert offered(bout, "1.1") == ({"leave"}, {"rally"})
    found = find_options(bout.start, bout.now, "1.1")
    assert ([due.alarm for due in found.due], found.stopped) == (["hurt"], ("fleeing",))
    bout.tap("began", figure="1.1", state="tied")
    assert offered(bout, "1.1") == (set(), set())
    assert offered(bout, "1.2")[0] == {"walk", "shoot", "rest"}


def test_due_roll_of_a_side_belongs_to_the_figures_that_may_make_it() -> None:
    """The leader makes it if able, otherwise the next rank."""
    able = "gang.members(\"by.leads() and not by.in_state('fleeing')\")"
    bout = played(
        3,
        1,
        rolls=[roll("nerve", usable="by.leads() if leader_able else not by.leads()")],
        circumstances=[row("leader_able", known=True, tapped=able)],
        alarms=[row("lost", given="gang.start > 1", roll="nerve")],
    )

    def asked() -> list[str]:
        keys = (key for key in bout.now.figures if key.startswith("1."))
        return [key for key in keys if find_options(bout.start, bout.now, key).due]

    assert asked() == ["1.1"]
    nerve = bout.start.book.roll["nerve"]
    assert find_rollers(bout.start, bout.now, nerve, 1) == ("1.1",)
    bout.tap("began", figure="1.1", state="fleeing")
    assert asked() == ["1.2", "1.3"]
    bout.tap("ended", figure="1.1", state="fleeing")
    bout.tap("out", figure="1.1")
    assert asked() == ["1.2", "1.3"]


def test_who_rolls_may_follow_from_taps() -> None:
    """A condition may read circumstances that the table knows."""
    rows = [row("rested", known=True, tapped="by.did('rest') > 0")]
    bout = played(
        3, 1, rolls=[roll("nerve", usable="rested")], actions=[row("rest")], circumstances=rows
    )
    nerve = bout.start.book.roll["nerve"]
    bout.tap("did", figure="1.2", action="rest")
    assert find_rollers(bout.start, bout.now, nerve, 1) == ("1.2",)


def test_roll_is_not_offered_if_taps_rule_out_every_target() -> None:
    rows = [row("tired", known=True, tapped="at.acted")]
    wake = roll(
        "wake", at="member", sides="friends", usable="not at.in_state('tied') and not tired"
    )
    bout = played(
        3, 1, rolls=[wake], actions=[row("rest")], circumstances=rows, states=[row("tied")]
    )
    assert "wake" in offered(bout, "1.1")[1]
    bout.tap("did", figure="1.2", action="rest")
    assert "wake" in offered(bout, "1.1")[1]
    bout.tap("did", figure="1.3", action="rest")
    assert "wake" not in offered(bout, "1.1")[1]


def test_roll_with_a_reach_is_offered_and_asks_for_the_distance() -> None:
    """The usual distance is too far for a blade, and only the condition reads it."""
    far = row("distance", kind="number", maximum=99, start=6)
    strike = roll("strike", at="member", sides="enemies", usable="distance <= 1")
    bout = played(1, 1, rolls=[strike], circumstances=[far])
    assert offered(bout, "1.1")[1] == {"strike"}
    form = form_of(bout, "strike")
    assert [*form.situation.fields] == ["distance"] and not form.usable
    assert form_of(bout, "strike", **{"is-distance": "1"}).usable


@pytest.mark.parametrize(
    ("usable", "distance", "height"),
    [
        ("distance > 6 and distance <= 12", 10, 0),
        ("8 <= distance < 20", 10, 0),
        ("not (distance < 8 or distance > 20)", 10, 0),
        ("distance <= 1 and height >= 3", 1, 3),
        ("distance - height == 1", 4, 3),
        ("distance == 2 * height", 4, 2),
        ("distance % 2", 5, 0),
        ("distance <= 1 if height > 2 else 0", 1, 3),
        ("max(distance, 3) < min(height, 5)", 2, 4),
        ("abs(distance - 20) < 3 and floor(height / 2) == 1", 18, 2),
    ],
)
def test_roll_that_some_numbers_make_possible_is_offered(
    usable: str, distance: int, height: int
) -> None:
    rows = [
        row("distance", kind="number", maximum=99, start=6),
        row("height", kind="number", maximum=9),
    ]
    # A rulebook uses all its circumstances.
    rolls = [roll("strike", usable=usable), roll("leap", usable="height > 9")]
    bout = played(1, 1, rolls=rolls, circumstances=rows)
    assert not form_of(bout, "strike").usable
    entered = {"is-distance": str(distance), "is-height": str(height)}
    assert form_of(bout, "strike", **entered).usable
    assert offered(bout, "1.1")[1] == {"strike"}


@pytest.mark.parametrize(
    "usable",
    [
        "distance <= 1 and by.in_state('tied')",
        "(distance <= 1 or distance > 8) and by.in_state('tied')",
        "distance <= 1 + distance - 101",
        "distance > 99 or distance < 0",
        "distance + 1 == 0",
    ],
)
def test_roll_that_no_distance_makes_possible_is_not_offered(usable: str) -> None:
    far = row("distance", kind="number", maximum=99, start=6)
    strike = roll("strike", usable=usable)
    bout = played(1, 1, rolls=[strike], circumstances=[far], states=[row("tied")])
    assert offered(bout, "1.1")[1] == set()


STATES = re.compile(r'data-figure="([^"]+)"|data-begin="([^"]+)"')


def test_page_offers_only_states_that_a_figure_can_be_in(
    client: Client, alice: User, bob: User
) -> None:
    """A figure without a horse is never mounted, and only one scenario has captives."""
    campaign = make_campaign(bob, POINTS)
    gangs = [make_gang(user, POINTS, place) for place, user in enumerate((alice, bob))]
    for gang in gangs:
        joining.join(campaign, gang, actor=gang.owner, expected_version=gang.version)
    there = opened(campaign, bob, *Gang.objects.all())
    client.force_login(bob)
    page = client.get(there.get_absolute_url()).content.decode()
    offered: dict[str, set[str]] = {}
    key = ""
    for figure_key, state in STATES.findall(page):
        key = figure_key or key
        offered.setdefault(key, set()).add(state)
    riders = {
        one.key for one in people.start_of(there).figures if "by.carries_group:horse" in one.names
    }
    assert riders and {key for key, states in offered.items() if "mounted" in states} == riders
    assert all("burning" in states and "captive" not in states for states in offered.values())


def test_figures_out_of_action_are_targets_only_where_the_roll_says_so() -> None:
    rolls = [
        roll("shot", at="member", sides="enemies"),
        roll("finish", at="member", sides="enemies", fallen="also"),
        roll("search", at="member", sides="enemies", fallen="only"),
    ]
    bout = played(1, 3, rolls=rolls)
    assert offered(bout, "1.1")[1] == {"shot", "finish"}
    bout.tap("out", figure="2.1")
    bout.tap("out", figure="2.2", unhurt=True)
    assert offered(bout, "1.1")[1] == {"shot", "finish", "search"}
    assert form_targets(bout, "shot") == ["2.3"]
    assert form_targets(bout, "finish") == ["2.3", "2.1"]
    assert form_targets(bout, "search") == ["2.1"]


def test_roll_that_brings_back_is_not_made_at_a_figure_that_left_unhurt(western: Bout) -> None:
    western.tap("out", figure="1.1", unhurt=True)
    assert "revive" not in actions(western, "1.2")
    western.tap("out", figure="1.1")
    assert "revive" in actions(western, "1.2")


def test_roll_of_a_scenario_is_offered_only_in_it() -> None:
    raid = [told("raid", victory=text("All."))]
    rolls = [roll("gold", scenarios=["raid"]), roll("count", by="side", scenarios=["raid"])]
    book = game(rolls=rolls, scenarios=raid, actions=[row("dig", rolls=["gold"])])
    for scenario, own, of_side in (("raid", 1, {"count"}), ("", 0, set())):
        bout = Bout(start(book, 1, 1, scenario=scenario))
        [dig] = find_options(bout.start, bout.now, "1.1").deeds
        assert len(dig.throws) == own
        assert {one.roll.key for one in find_options(bout.start, bout.now, 1).others} == of_side


@pytest.mark.parametrize("alternatives", [False, True])
def test_alternative_rolls_of_an_action_are_each_paid(alternatives: bool) -> None:
    shoot = row("shoot", rolls=["shot", "burst"], alternatives=alternatives)
    bout = played(1, 1, rolls=[roll("shot"), roll("burst")], actions=[shoot])
    bout.came(
        bout.attempt("shot", "1.1", action="shoot"),
        play_faces(bout.attempt("shot", "1.1").question(bout.start, bout.now), ((3,),)),
    )
    [deed] = find_options(bout.start, bout.now, "1.1").deeds
    assert deed.repeated is not alternatives


def test_roll_elsewhere_follows_at_somebody_else() -> None:
    outcomes = [
        {
            "key": "stray",
            "name": text("Stray"),
            "effects": [
                {"kind": "then", "roll": "hit", "whom": "by", "elsewhere": True},
            ],
        }
    ]
    shot = roll("shot", at="member", outcomes=outcomes)
    bout = played(1, 3, rolls=[shot, roll("hit", at="member")])
    bout.said(bout.attempt("shot", "1.1", "2.2"), "stray", score=1)
    [follow_up] = bout.now.follow_ups
    assert (follow_up.at, follow_up.but) == (None, "2.2")
    assert form_targets(bout, "hit") == ["2.1", "2.3"]
    # Another roll of this kind may be at anyone.
    bout.tap("dealt", roll="hit", who="1.1")
    assert form_targets(bout, "hit") == ["2.1", "2.2", "2.3"]


def test_roll_at_something_carried_is_made_only_at_those_who_carry_it() -> None:
    gunner, rider = figure("henchman", "winchester"), figure("henchman", "mule")
    walker = figure("henchman", "knife")
    bout = Bout(table(shipped(POINTS), [gunner], [walker, rider]))
    assert form_targets(bout, "horse_hit") == ["2.2"]
    assert "horse_hit" in offered(bout, "1.1")[1]
    bout.tap("out", figure="2.2")
    assert "horse_hit" not in offered(bout, "1.1")[1]
