"""Mistakes in the evening of a rulebook, each with its place and sentence."""

from typing import Any

import pytest

from rules.loading.examining import notes
from tests.rules.small import SMALL, Data, measured, mistakes, row, small, text, told


def evening(**tables: Any) -> Data:
    """Return the tables of every case: a phase in which figures act, life, boxes."""
    return {
        "characteristics": [*SMALL["characteristics"], measured("number", "wounds", start=3)],
        "life": "wounds",
        "ticks": [row("luck")],
        "phases": [row("moves", acts=True)],
        **tables,
    }


def alarm(given: str, **fields: Any) -> Data:
    """Return an alarm."""
    return evening(alarms=[row("due", given=given, **fields)])


def track(**fields: Any) -> Data:
    """Return a track."""
    return evening(tracks=[row("purse", **fields)])


def state(**fields: Any) -> Data:
    """Return a state."""
    return evening(states=[row("dazed", **fields)])


def rescue(**brought: str) -> Data:
    """Return a scenario that brings in members."""
    scenario = told("rescue", victory=text("They leave."), brings=[brought])
    return evening(states=[row("jammed", of="item")], scenarios=[scenario])


NO = {"en": "No", "fr": "Non"}
NAME = "unknown name “{}”".format
NEAREST = ". Did you mean “gang.standing” or “gang.start”?"
CASES: list[tuple[Data, str, str]] = [
    (alarm("gang.sitting > 1"), "alarms.0.given", NAME("gang.sitting") + NEAREST),
    (alarm("by.life < 1"), "alarms.0.given", NAME("by.life")),
    (alarm("by.in_state('shy')", asks="member"), "alarms.0.given",
     "unknown key “shy” in “by.in_state(…)”"),
    (alarm("gang.left('luck') > 1"), "alarms.0.given", "“luck” is not counted per side"),
    (alarm("gang.members('by.nose > 1')"), "alarms.0.given", NAME("by.nose")),
    (alarm("gang.members('enemy.standing')"), "alarms.0.given", NAME("enemy.standing")),
    (alarm("gang.standing +"), "alarms.0.given",
     "“gang.standing +” is not a valid expression"),
    (alarm("gang.lost", phase="dusk"), "alarms.0.phase", "unknown phase “dusk”"),
    (alarm("gang.lost", scenarios=["raid"]), "alarms.0.scenarios",
     "unknown scenario “raid”"),
    (alarm("gang.lost", roll="nerve"), "alarms.0.roll", "unknown roll “nerve”"),
    (track(start="by.life"), "tracks.0.start", NAME("by.life")),
    (track(start="gang.left('purse')"), "tracks.0.start", "“gang.left” cannot be asked here"),
    (track(per="member", start="gang.standing"), "tracks.0.start", NAME("gang.standing")),
    (track(per="member", maximum="by.acted"), "tracks.0.maximum", NAME("by.acted")),
    (track(start=-1), "tracks.0.start", "must not be below the minimum"),
    (track(start=9, maximum=5), "tracks.0.start", "must not be above the maximum"),
    (track(whose={"ranks": ["chief"]}), "tracks.0.whose",
     "is only used when counted per member"),
    (track(when_out="lost"), "tracks.0.when_out",
     "is only used when counted per member"),
    (evening(tracks=[row("luck")]), "tracks.0.key",
     "“luck” is already counted: choose another key"),
    (evening(tracks=[row("wounds", per="member")]), "tracks.0.key",
     "“wounds” is already counted: choose another key"),
    (evening(activation={"track": "purse"}), "activation.track",
     "unknown tracker “purse”"),
    (evening(activation={"times": "gang.standing"}), "activation.times", NAME("gang.standing")),
    (state(given="by.left('luck') < 1 and by.hunger"), "states.0.given", NAME("by.hunger")),
    (state(given="by.in_state('dazed')"), "states.0.given", "“by.in_state” cannot be asked here"),
    (state(given="by.life < 1", of="item"), "states.0.given", "is only used for states of figures"),
    (state(usable="by.hunger"), "states.0.usable", NAME("by.hunger")),
    (state(usable="by.life > 1", of="side"), "states.0.usable",
     "is only used for states of figures"),
    (state(mark="gone"), "states.0.mark", "unknown mark “gone”"),
    (evening(cautions=[row("again", text=NO, given="by.swings")]), "cautions.0.given",
     NAME("by.swings")),
    (evening(cautions=[row("again", text=NO, given="by.acted", actions=["fly"])]),
     "cautions.0.actions", "unknown action “fly”"),
    (rescue(condition="lame"), "scenarios.0.brings.0.condition",
     "“lame” does not keep members away: choose a condition with “absent”"),
    (rescue(condition="fled"), "scenarios.0.brings.0.condition",
     "unknown condition “fled”"),
    (rescue(condition="gone", state="jammed"), "scenarios.0.brings.0.state",
     "must be a state of a figure"),
    (rescue(condition="gone", state="tied"), "scenarios.0.brings.0.state",
     "unknown state “tied”"),
    (evening(phases=[row("moves")]), "phases",
     "figures must act in at least one phase: set “acts” there"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "place", "words"), CASES, ids=[case[2][:50] for case in CASES])
def test_a_mistake_of_the_evening_is_named_with_its_place(
    data: Data, place: str, words: str
) -> None:
    assert mistakes(**data) == {place: [words]}


def test_changing_a_missing_track_is_a_mistake() -> None:
    outcome = {"key": "hit", "name": {"en": "Hit", "fr": "Hit"}}
    effects = [{"kind": "changes", "track": "mana", "amount": -1}]
    roll = row("spell", steps=[{"let": "n", "be": 1}], outcomes=[{**outcome, "effects": effects}])
    place = "rolls.0.outcomes.0.effects.0.track"
    assert mistakes(**evening(rolls=[roll])) == {place: ["unknown tracker “mana”"]}


def test_asking_each_member_for_a_roll_of_a_side_is_a_mistake() -> None:
    roll = row("horn", by="side", steps=[{"let": "n", "be": 1}], numbers=[
        {"of": "n", "name": {"en": "N", "fr": "N"}}
    ])  # fmt: skip
    data = evening(rolls=[roll], alarms=[row("due", given="1", asks="member", roll="horn")])
    words = "a side rolls “horn”, but this reminder goes to each member"
    assert mistakes(**data) == {"alarms.0.roll": [words]}


def test_asking_one_side_for_a_roll_of_a_member_is_a_mistake() -> None:
    roll = row("nerve", steps=[{"let": "n", "be": 1}], numbers=[{"of": "n", "name": NO}])
    data = evening(rolls=[roll], alarms=[row("due", given="1", asks="table", roll="nerve")])
    words = "a member rolls “nerve”, but this reminder goes to one side for all"
    assert mistakes(**data) == {"alarms.0.roll": [words]}


def test_a_reason_with_an_unknown_number_is_a_mistake() -> None:
    text = {"en": "{need}+, {n} left", "fr": "{need}+, reste {n}"}
    outcome = {"key": "no", "name": NO, "free": True, "text": text}
    roll = row("shot", steps=[{"let": "n", "be": 1}], outcomes=[outcome])
    words = "unknown name “need”"
    place = "rolls.0.outcomes.0.text"
    assert set(mistakes(**evening(rolls=[roll]))[place]) == {words}


def test_an_unused_state_is_noted() -> None:
    idle = row("idle")
    said = dict(notes(small(**evening(states=[idle]))))
    assert (
        said["states", 0]
        == "“idle” has no effect: no roll starts this state, and no expression uses it"
    )
    for used in ({"stops": True}, {"given": "by.life < 1"}):
        found = dict(notes(small(**evening(states=[{**idle, **used}]))))
        assert ("states", 0) not in found
