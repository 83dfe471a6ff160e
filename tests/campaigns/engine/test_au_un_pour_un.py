"""The post-game of Au un pour un, played without a database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from campaigns.engine import answers as engine_answers
from campaigns.engine.captives import Terms, entries_for, find_held
from campaigns.engine.income import points
from campaigns.engine.mercenaries import pool
from campaigns.engine.report import Answers, PromotionAnswer, Report
from campaigns.engine.script import play
from campaigns.engine.script_state import Playthrough
from common.errors import Refusal
from gangs.engine import actions
from gangs.engine.computed import ComputedGang
from gangs.engine.fold import apply
from gangs.engine.roster import Departed, Member, OwnedItem, OwnItem, Roster
from gangs.engine.valuation import gang_rating, member_rating
from rules.book.model import Book
from rules.book.vocabulary import Settings
from rules.engine.dice import parse_roll
from rules.engine.profiles import profile
from tests.gangs.rosters import codes, member, roster
from tests.world.campaigns import make_situation
from tests.world.gangs import shipped

CHIEF, LIEUTENANT, OTHER, UNDERLING, LAST = 1, 2, 3, 4, 5
DONE = ("promotions", "recruits")
FULL = {"chef": 50, "sous_chef": 30, "sous_fifre": 15}


@pytest.fixture
def book() -> Book:
    return shipped("au-un-pour-un")


def band(
    book: Book,
    *,
    full: tuple[int, ...] = (),
    without: tuple[int, ...] = (),
    settings: Settings | None = None,
    earned: int = 0,
    conditions: tuple[str, ...] = (),
) -> Roster:
    """Return a chief, two lieutenants and two underlings, all with a sword, in their second game.

    The members in ``full`` have every experience box ticked; the first lieutenant has
    ``conditions``.
    """
    ranks = ("chef", "sous_chef", "sous_chef", "sous_fifre", "sous_fifre")
    members = []
    for number, rank in enumerate(ranks, start=1):
        hurt = conditions if number == LIEUTENANT else ()
        experience = FULL[rank] if number in full else 0
        one = member(rank, items=["epee"], experience=experience, conditions=hurt)
        members.append(one.model_copy(update={"advances": experience // 5}))
    made = roster(book, *members, settings=settings, games=1, earned=earned)
    left = tuple(one for one in made.members if one.id not in without)
    return made.model_copy(update={"members": left})


def run_postgame(
    book: Book,
    before: Roster,
    marks: dict[int, str],
    *rolls: str,
    side: str = "loser",
    answers: Answers | None = None,
    **told: object,
) -> Playthrough:
    """Play the post-game and answer each roll that it needs with the next of ``rolls``."""
    data = {"fielded": tuple(one.id for one in before.members), "marks": marks, **told}
    report = Report.model_validate(data)
    game_report = make_situation(
        before, "victory", side, report=report, opponent_names=("Them",), game="tonight"
    )
    answers = answers or Answers(done=DONE)
    for faces in rolls:
        waiting = [
            asked
            for asked in play(book, before, 100, game_report, answers).requests.values()
            if asked.roll is None
        ]
        assert waiting, f"nothing is left to roll {faces} for"
        made = {waiting[0].key: parse_roll(waiting[0].dice, faces)}
        answers = answers.model_copy(update={"rolls": answers.rolls | made})
    return play(book, before, 100, game_report, answers)


def conditions(one: Member) -> list[tuple[str, int]]:
    return [(suffered.condition, suffered.games_left) for suffered in one.afflictions]


def swords(gang: Roster) -> int:
    return len(gang.stash)


def test_everybody_learns_a_point_when_nothing_happens(book: Book) -> None:
    through = run_postgame(book, band(book), {})
    assert through.complete
    assert [one.experience for one in through.roster.members] == [1] * 5


@pytest.mark.parametrize(("face", "lost"), [("1", True), ("2", True), ("3", False), ("6", False)])
def test_underling_out_of_action_is_lost_on_1_or_2(book: Book, face: str, lost: bool) -> None:
    through = run_postgame(book, band(book), {UNDERLING: "out"}, face, side="winner")
    assert through.complete
    assert len(through.roster.members) == 5 - lost
    assert swords(through.roster) == lost
    if not lost:
        assert through.roster.member(UNDERLING).experience == 2


def test_killed_members_are_dead_without_a_roll(book: Book) -> None:
    through = run_postgame(book, band(book), {UNDERLING: "killed", LIEUTENANT: "killed"})
    assert through.complete
    assert [one.id for one in through.roster.members] == [CHIEF, OTHER, LAST]
    assert swords(through.roster) == 1, "only the underling’s sword comes back"


def test_multiple_injuries_reroll_some_results(book: Book) -> None:
    """16 brings two injuries: 44 and 62 are rolled again, 22 and 25 count."""
    rolls = ("16", "2", "44", "22", "62", "25")
    through = run_postgame(book, band(book), {LIEUTENANT: "out"}, *rolls)
    assert through.complete
    hurt = through.roster.member(LIEUTENANT)
    assert conditions(hurt) == [("leg", 0), ("trauma", 0)]
    scores = profile(book.under(through.roster.settings), through.roster.figure(book, hurt))
    assert (scores.number("mvt"), scores.number("cd")) == (7, 7)


@pytest.mark.parametrize(
    ("rolls", "before", "after"),
    [
        (("26", "26", "41"), (), []),
        (("23", "4"), (), [("missing", 1)]),
        (("23", "1"), (), [("one_arm", 0)]),
        (("31", "5"), (), [("one_eye", 0)]),
        (("33", "2"), (), [("missing", 1)]),
        (("33", "6"), (), [("protected", 1)]),
        (("35", "2"), (), [("deep_wound", 2)]),
        (("64",), ("madness",), [("madness", 0), ("hardened", 0)]),
        (("24",), ("madness",), [("madness", 0)]),
        (("32",), ("old_wound",), [("old_wound", 0), ("old_wound", 0)]),
        (("65", "6"), (), []),
    ],
)
def test_serious_injury_gives_its_conditions(
    book: Book, rolls: tuple[str, ...], before: tuple[str, ...], after: list[tuple[str, int]]
) -> None:
    through = run_postgame(book, band(book, conditions=before), {LIEUTENANT: "out"}, *rolls)
    assert through.complete
    assert conditions(through.roster.member(LIEUTENANT)) == after


@pytest.mark.parametrize(
    ("had", "rolls", "fate", "stash"),
    [
        ((), ("13",), "dead", 0),
        (("one_eye",), ("31", "1"), "blind", 1),
        (("one_arm",), ("23", "1"), "retired", 1),
    ],
)
def test_member_is_lost_when_injured_beyond_the_limit(
    book: Book, had: tuple[str, ...], rolls: tuple[str, ...], fate: str, stash: int
) -> None:
    through = run_postgame(book, band(book, conditions=had), {LIEUTENANT: "out"}, *rolls)
    assert through.complete
    assert [departed.fate for departed in through.roster.departed] == [fate]
    assert swords(through.roster) == stash


def test_robbed_member_loses_all_items(book: Book) -> None:
    through = run_postgame(book, band(book), {CHIEF: "out"}, "36")
    assert through.complete
    assert through.roster.member(CHIEF).items == ()
    assert swords(through.roster) == 0


def test_result_66_earns_a_point(book: Book) -> None:
    assert run_postgame(book, band(book), {CHIEF: "out"}, "66").roster.member(CHIEF).experience == 2


@pytest.mark.parametrize("code", ["61", "62"])
def test_hatred_and_captivity_name_the_opponent(book: Book, code: str) -> None:
    through = run_postgame(book, band(book), {CHIEF: "out"}, code)
    (suffered,) = through.roster.member(CHIEF).afflictions
    assert suffered.against == "Them"


def test_captive_cannot_be_freed_without_the_other_gang(book: Book) -> None:
    """Ransom and exchange need both gangs; the player decides only to wait or give up."""
    before = band(book, conditions=("captured",), earned=12)
    waiting = run_postgame(book, before, {})
    for decision in ("freed", "ransom"):
        with pytest.raises(Refusal, match="not_offered"):
            engine_answers.choose(waiting, Answers(), f"ransoms:{LIEUTENANT}", decision)
        answers = Answers(done=DONE, choices={f"ransoms:{LIEUTENANT}": decision})
        assert run_postgame(book, before, {}, answers=answers).step("ransoms").status == "open"
    answers = engine_answers.choose(waiting, Answers(done=DONE), f"ransoms:{LIEUTENANT}", "stay")
    through = run_postgame(book, before, {}, answers=answers)
    assert through.complete
    assert conditions(through.roster.member(LIEUTENANT)) == [("captured", 0)]


@pytest.mark.parametrize(("ransom", "left"), [(7, 5), (0, 12)])
def test_bargain_returns_a_captive_with_their_gear(book: Book, ransom: int, left: int) -> None:
    before = band(book, conditions=("captured",), earned=12)
    # Only a gang that has played has a treasury.
    before = before.model_copy(update={"played": ("a game",)})
    terms = Terms(frees=(("giver", LIEUTENANT),), ransom=ransom, payer="giver")
    roster = before
    for number, entry in enumerate(entries_for(terms, "giver", book, before), start=100):
        roster = apply(book, roster, number, entry)
    freed = roster.member(LIEUTENANT)
    assert (conditions(freed), len(freed.items)) == ([], 1)
    assert roster.treasury == left


@pytest.mark.parametrize(
    ("decided", "there", "suffers"),
    [("freed", True, []), ("stay", True, [("condemned", 0)]), ("lost", False, [])],
)
def test_condemned_member_is_rescued_or_executed(
    book: Book, decided: str, there: bool, suffers: list[tuple[str, int]]
) -> None:
    before = band(book, conditions=("condemned",))
    answers = Answers(done=DONE, choices={f"condemned:{LIEUTENANT}": decided})
    assert find_held(book, before) == []
    assert run_postgame(book, before, {}).step("condemned").status == "open"
    through = run_postgame(book, before, {}, answers=answers)
    assert through.complete
    found = [one for one in through.roster.members if one.id == LIEUTENANT]
    assert bool(found) == there
    assert [conditions(one) for one in found] == ([suffers] if there else [])


@pytest.mark.parametrize(("choice", "left", "after"), [(0, 6, []), (1, 10, [("missing", 3)])])
def test_judge_offers_a_fine_or_prison(
    book: Book, choice: int, left: int, after: list[tuple[str, int]]
) -> None:
    before = band(book, earned=10)
    asked = run_postgame(book, before, {LIEUTENANT: "out"}, "65", "3")
    (question,) = asked.questions.values()
    rolls = {key: one.roll for key, one in asked.requests.items()}
    answers = Answers.model_validate(
        {"done": DONE, "rolls": rolls, "choices": {question.key: str(choice)}}
    )
    through = run_postgame(
        book, before, {LIEUTENANT: "out"}, "4" if choice == 0 else "3", answers=answers
    )
    assert through.complete
    assert through.roster.treasury == left
    assert conditions(through.roster.member(LIEUTENANT)) == after


def test_judge_offers_only_prison_when_the_band_cannot_pay(book: Book) -> None:
    asked = run_postgame(book, band(book), {LIEUTENANT: "out"}, "65", "3")
    (question,) = asked.questions.values()
    assert [choice.refusal is None for choice in question.choices] == [False, True]


def test_experience_depends_on_role(book: Book) -> None:
    """One point each for surviving and winning; enemies taken out count by role."""
    one_of_each = dict.fromkeys((CHIEF, LIEUTENANT, UNDERLING), 1)
    counts = {
        "enemy_chiefs": one_of_each,
        "enemy_lieutenants": one_of_each,
        "enemy_underlings": one_of_each,
    }
    through = run_postgame(book, band(book), {}, side="winner", counts=counts)
    earned = {one.id: one.experience for one in through.roster.members}
    assert earned == {CHIEF: 3, LIEUTENANT: 3, OTHER: 2, UNDERLING: 5, LAST: 2}


@pytest.mark.parametrize("rate", [1, 2])
def test_victory_points_become_band_points(book: Book, rate: int) -> None:
    tallies = {"chiefs_killed": 1, "lieutenants_out": 2, "underlings_killed": 1}
    before = band(book, settings={"vp_rate": rate})
    through = run_postgame(book, before, {}, tallies=tallies)
    assert through.roster.treasury == (15 + 16 + 8) * rate
    report = Report.model_validate({"tallies": tallies})
    game_report = make_situation(before, "victory", "winner", report=report)
    assert points(book.under(before.settings), game_report) == 39


# Careers


def ranks(gang: Roster) -> dict[int, str]:
    return {one.id: one.rank for one in gang.members}


def test_full_underling_rises_into_a_free_place(book: Book) -> None:
    through = run_postgame(book, band(book, full=(UNDERLING,), without=(OTHER,)), {})
    assert through.complete
    risen = through.roster.member(UNDERLING)
    assert (risen.rank, risen.experience, risen.experience_at_rank) == ("sous_chef", 15, 0)
    scores = profile(book.under(through.roster.settings), through.roster.figure(book, risen))
    assert [scores.number(key) for key in ("mvt", "cd", "ct", "ap")] == [6, 6, 5, 2]
    assert member_rating(book, through.roster, risen).total == 25 + 4 + 3


def test_full_underling_waits_when_no_place_is_free(book: Book) -> None:
    through = run_postgame(book, band(book, full=(UNDERLING,)), {})
    assert through.complete
    assert ranks(through.roster)[UNDERLING] == "sous_fifre"


def test_goblins_have_three_places_for_lieutenants(book: Book) -> None:
    before = band(book, full=(UNDERLING,), settings={"race": "gobelin_snotling"})
    assert ranks(run_postgame(book, before, {}).roster)[UNDERLING] == "sous_chef"


def test_goblin_in_another_band_stays_an_underling(book: Book) -> None:
    before = band(book, full=(UNDERLING,), without=(OTHER,), settings={"race": "ork"})
    members = tuple(
        one.model_copy(update={"origin": "gobelin_snotling"}) if one.id == UNDERLING else one
        for one in before.members
    )
    through = run_postgame(book, before.model_copy(update={"members": members}), {})
    assert ranks(through.roster)[UNDERLING] == "sous_fifre"


@pytest.mark.parametrize(
    ("how", "rolls", "gone"),
    [
        ("sent_away", (), CHIEF),
        ("dice", ("3",), CHIEF),
        ("dice", ("4",), LIEUTENANT),
    ],
)
def test_full_lieutenant_replaces_their_chief_or_leaves(
    book: Book, how: str, rolls: tuple[str, ...], gone: int
) -> None:
    ascent = PromotionAnswer.model_validate(
        {"promotion": "chief", "member": LIEUTENANT, "how": how}
    )
    answers = Answers(done=DONE, promotions=(ascent,))
    through = run_postgame(book, band(book, full=(LIEUTENANT,)), {}, *rolls, answers=answers)
    assert through.complete
    (departed,) = through.roster.departed
    assert (departed.member.id, departed.fate, swords(through.roster)) == (gone, "for_hire", 0)
    chief = CHIEF if gone == LIEUTENANT else LIEUTENANT
    assert ranks(through.roster)[chief] == "chef"


def test_full_chief_becomes_a_legend_and_is_succeeded(book: Book) -> None:
    """The lieutenant with the most experience becomes chief immediately."""
    before = band(book, full=(CHIEF,))
    members = tuple(
        one.model_copy(update={"experience": 2}) if one.id == OTHER else one
        for one in before.members
    )
    through = run_postgame(book, before.model_copy(update={"members": members}), {})
    assert through.complete
    (departed,) = through.roster.departed
    assert (departed.member.id, departed.fate) == (CHIEF, "legend")
    assert departed.member.items, "the legend keeps their gear"
    assert ranks(through.roster)[OTHER] == "chef"


def test_player_chooses_a_chief_among_equal_lieutenants(book: Book) -> None:
    asked = run_postgame(book, band(book), {CHIEF: "killed"})
    assert not asked.complete
    assert {one.about.id for one in asked.questions["new_chief"].choices} == {LIEUTENANT, OTHER}
    answers = Answers(done=DONE, choices={"new_chief": str(OTHER)})
    through = run_postgame(book, band(book), {CHIEF: "killed"}, answers=answers)
    assert through.complete
    assert ranks(through.roster)[OTHER] == "chef"


def test_chief_given_up_in_captivity_is_succeeded(book: Book) -> None:
    before = band(book)
    captive = member("chef", conditions=("captured",)).model_copy(update={"id": CHIEF})
    before = before.model_copy(update={"members": (captive, *before.members[1:])})
    answers = Answers(done=DONE, choices={f"ransoms:{CHIEF}": "lost", "new_chief": str(OTHER)})
    through = run_postgame(book, before, {}, answers=answers)
    assert through.complete
    assert [gone.member.id for gone in through.roster.departed] == [CHIEF]
    assert ranks(through.roster)[OTHER] == "chef"


def test_underling_leads_when_there_is_no_lieutenant(book: Book) -> None:
    before = band(book, without=(CHIEF, LIEUTENANT, OTHER, LAST))
    through = run_postgame(book, before, {})
    assert ranks(through.roster) == {UNDERLING: "chef"}
    chief = through.roster.member(UNDERLING)
    scores = profile(book.under(through.roster.settings), through.roster.figure(book, chief))
    assert [scores.number(key) for key in ("mvt", "pv", "ap")] == [6, 2, 3]


def test_fifth_box_offers_an_advance(book: Book) -> None:
    before = band(book)
    members = tuple(one.model_copy(update={"experience": 4}) for one in before.members[:1])
    before = before.model_copy(update={"members": (*members, *before.members[1:])})
    asked = run_postgame(book, before, {})
    (advance,) = asked.questions.values()
    offered = {choice.value for choice in advance.choices if choice.refusal is None}
    assert offered == {
        "bon_oeil",
        "poings_de_bronze",
        "corps_de_bronze",
        "bagarreur",
        "arpenteur",
        "courageux",
    }
    answers = Answers(done=DONE, choices={advance.key: "poings_de_bronze"})
    through = run_postgame(book, before, {}, answers=answers)
    assert through.complete
    assert through.roster.member(CHIEF).traits == ("poings_de_bronze",)


# Every row of every table, through the post-game itself

SAFE: tuple[str, ...] = ()
# For each number of the serious injuries: the further rolls typed here, then the conditions that a
# lieutenant suffers, with the number of games each lasts.
INJURIES: dict[str, tuple[tuple[str, ...], list[tuple[str, int]]]] = {
    "22": (SAFE, [("leg", 0)]),
    "24": (SAFE, [("madness", 0)]),
    "25": (SAFE, [("trauma", 0)]),
    "26": (("22",), [("leg", 0)]),
    "32": (SAFE, [("old_wound", 0)]),
    "34": (SAFE, [("hand", 0)]),
    "36": (SAFE, []),
    **{f"{tens}{units}": (SAFE, []) for tens in (4, 5) for units in range(1, 7)},
    "61": (SAFE, [("hatred", 0)]),
    "62": (SAFE, [("captured", 0)]),
    "63": (SAFE, [("hardened", 0)]),
    "64": (SAFE, [("hardened", 0)]),
    "66": (SAFE, []),
    "16": (("1", "24"), [("madness", 0)]),
    "21": (("1", "34"), [("hand", 0)]),
}
SUB_TABLES: dict[str, dict[str, tuple[tuple[str, ...], list[tuple[str, int]]]]] = {
    "23": {
        "1": (SAFE, [("one_arm", 0)]),
        **{face: (SAFE, [("missing", 1)]) for face in "23456"},
    },
    "31": {face: (SAFE, [("one_eye", 0)]) for face in "123456"},
    "33": {
        **{face: (SAFE, [("missing", 1)]) for face in "12"},
        **{face: (SAFE, []) for face in "345"},
        "6": (SAFE, [("protected", 1)]),
    },
    "35": {face: (SAFE, [("deep_wound", int(face))]) for face in "123"},
    "65": {"6": (SAFE, [])},
}
DEADLY = ["11", "12", "13", "14", "15"]
ALL_CODES = {f"{tens}{units}" for tens in range(1, 7) for units in range(1, 7)}


def test_cases_cover_every_injury_number() -> None:
    assert {*INJURIES, *SUB_TABLES, *DEADLY} == ALL_CODES


@pytest.mark.parametrize("who", [CHIEF, LIEUTENANT])
@pytest.mark.parametrize("code", sorted(INJURIES))
def test_each_serious_injury_has_its_effects(book: Book, who: int, code: str) -> None:
    """A survivor earns a point, and one more on 66."""
    further, after = INJURIES[code]
    # A captured member stays captured: freeing them takes two gangs.
    answers = Answers(done=DONE, choices={f"ransoms:{who}": "stay"})
    through = run_postgame(book, band(book), {who: "out"}, code, *further, answers=answers)
    assert through.complete
    hurt = through.roster.member(who)
    assert conditions(hurt) == after
    assert hurt.experience == (2 if code == "66" else 1)
    assert len(hurt.items) == (0 if code == "36" else 1)
    assert swords(through.roster) == 0


@pytest.mark.parametrize(
    ("code", "face"), [(code, face) for code in SUB_TABLES for face in SUB_TABLES[code]]
)
def test_each_face_of_the_further_tables_has_its_effect(book: Book, code: str, face: str) -> None:
    _further, after = SUB_TABLES[code][face]
    through = run_postgame(book, band(book), {LIEUTENANT: "out"}, code, face)
    assert through.complete
    assert conditions(through.roster.member(LIEUTENANT)) == after


@pytest.mark.parametrize("code", DEADLY)
def test_dead_member_takes_their_gear_and_earns_nothing(book: Book, code: str) -> None:
    through = run_postgame(book, band(book), {LIEUTENANT: "out"}, code, side="winner")
    assert through.complete
    (gone,) = through.roster.departed
    assert (gone.fate, gone.member.experience, swords(through.roster)) == ("dead", 0, 0)


@pytest.mark.parametrize("face", "123456")
def test_underling_is_lost_on_1_or_2_and_unhurt_otherwise(book: Book, face: str) -> None:
    through = run_postgame(book, band(book), {UNDERLING: "out"}, face)
    assert through.complete
    lost = face in "12"
    assert [gone.member.id for gone in through.roster.departed] == [UNDERLING] * lost
    assert swords(through.roster) == lost
    assert all(not one.afflictions for one in through.roster.members)


# Multiple injuries


@pytest.mark.parametrize("code", ["11", "15", "16", "21", "26", "41", "46", "51", "56", "62"])
def test_multiple_injuries_reroll_each_excluded_result(book: Book, code: str) -> None:
    through = run_postgame(book, band(book), {LIEUTENANT: "out"}, "16", "1", code, "22")
    assert through.complete
    assert conditions(through.roster.member(LIEUTENANT)) == [("leg", 0)]


@pytest.mark.parametrize("count", range(1, 7))
def test_die_gives_the_number_of_injuries(book: Book, count: int) -> None:
    """Leg injuries add up: six reduce a lieutenant's pace from 8 to 2."""
    through = run_postgame(book, band(book), {LIEUTENANT: "out"}, "21", str(count), *["22"] * count)
    assert through.complete
    hurt = through.roster.member(LIEUTENANT)
    assert conditions(hurt) == [("leg", 0)] * count
    scores = profile(book.under(through.roster.settings), through.roster.figure(book, hurt))
    assert scores.number("mvt") == 8 - count


@pytest.mark.parametrize(
    ("rolls", "fate", "stash"),
    [
        (("4", "31", "2", "22", "31", "6"), "blind", 1),
        (("4", "23", "1", "22", "23", "1"), "retired", 1),
    ],
)
def test_multiple_injuries_stop_when_the_member_is_lost(
    book: Book, rolls: tuple[str, ...], fate: str, stash: int
) -> None:
    """The fourth injury is not rolled."""
    through = run_postgame(book, band(book), {LIEUTENANT: "out"}, "16", *rolls)
    assert through.complete
    (gone,) = through.roster.departed
    assert (gone.member.id, gone.fate) == (LIEUTENANT, fate)
    assert swords(through.roster) == stash


def test_execution_ends_multiple_injuries(book: Book) -> None:
    """The first of three injuries is an execution: the others are not rolled; the gear is lost."""
    asked = run_postgame(book, band(book), {LIEUTENANT: "out"}, "16", "3", "65", "1")
    (question,) = asked.questions.values()
    rolls = {key: one.roll for key, one in asked.requests.items() if one.roll}
    answers = Answers.model_validate({"done": DONE, "rolls": rolls, "choices": {question.key: "0"}})
    through = run_postgame(book, band(book), {LIEUTENANT: "out"}, answers=answers)
    assert through.complete
    assert [gone.fate for gone in through.roster.departed] == ["dead"]
    assert swords(through.roster) == 0


@pytest.mark.parametrize(
    ("rolls", "after"),
    [
        (("63", "64"), [("hardened", 0)]),
        (("24", "24"), [("madness", 0)]),
        (("33", "6", "33", "6"), [("protected", 1)]),
        (("32", "32"), [("old_wound", 0), ("old_wound", 0)]),
        (("25", "25"), [("trauma", 0), ("trauma", 0)]),
        (("66", "66"), []),
    ],
)
def test_repeated_injury_adds_up_only_when_it_may(
    book: Book, rolls: tuple[str, ...], after: list[tuple[str, int]]
) -> None:
    through = run_postgame(book, band(book), {LIEUTENANT: "out"}, "16", "2", *rolls)
    assert through.complete
    hurt = through.roster.member(LIEUTENANT)
    assert conditions(hurt) == after
    assert hurt.experience == (3 if rolls == ("66", "66") else 1)


# Games missed


def play_quiet_games(book: Book, gang: Roster, games: int) -> Roster:
    """Return the gang after this number of games in which nothing happens."""
    for number in range(games):
        game_report = make_situation(gang, "victory", "loser", game=f"later-{number}")
        gang = play(book, gang, 1000 + 100 * number, game_report, Answers(done=DONE)).roster
    return gang


def test_missed_games_overlap_and_are_counted_down(book: Book) -> None:
    """A deep wound costs three games and an arm one: three in total, not four."""
    hurt = run_postgame(book, band(book), {CHIEF: "out"}, "16", "2", "35", "3", "23", "2").roster
    assert conditions(hurt.member(CHIEF)) == [("deep_wound", 3), ("missing", 1)]
    left = [conditions(play_quiet_games(book, hurt, games).member(CHIEF)) for games in (1, 2, 3)]
    assert left == [[("deep_wound", 2)], [("deep_wound", 1)], []]


def test_permanent_injury_is_not_counted_down(book: Book) -> None:
    hurt = run_postgame(book, band(book), {CHIEF: "out"}, "16", "3", "22", "32", "24").roster
    assert conditions(play_quiet_games(book, hurt, 3).member(CHIEF)) == conditions(
        hurt.member(CHIEF)
    )


def test_potion_protects_only_for_the_next_game(book: Book) -> None:
    hurt = run_postgame(book, band(book), {CHIEF: "out"}, "33", "6").roster
    assert conditions(play_quiet_games(book, hurt, 1).member(CHIEF)) == []


def test_new_wound_is_not_counted_down_by_the_game_that_caused_it(book: Book) -> None:
    """The same game does count for the old wound."""
    hurt = run_postgame(book, band(book), {CHIEF: "out"}, "35", "2").roster
    hurt = hurt.model_copy(update={"played": ("the last",)})
    again = run_postgame(book, hurt, {CHIEF: "out"}, "23", "5").roster
    assert conditions(again.member(CHIEF)) == [("deep_wound", 1), ("missing", 1)]


@pytest.mark.parametrize(
    ("condition", "counted"),
    [("deep_wound", False), ("missing", True), ("captured", True), ("condemned", True)],
)
def test_deep_wound_excludes_a_member_from_limits_and_rating(
    book: Book, condition: str, counted: bool
) -> None:
    """Other absent members count in both."""
    whole, hurt = band(book), band(book, conditions=(condition,))
    worth = 25 + 4
    assert gang_rating(book, whole).total - gang_rating(book, hurt).total == worth * (not counted)
    third = member("sous_chef", items=["epee"]).model_copy(update={"id": 9})
    crowded = hurt.model_copy(update={"members": (*hurt.members, third)})
    assert ("E_SOUS_CHEF_MAX error" in codes(book, crowded)) == counted


# Fines


@pytest.mark.parametrize("face", "2345")
@pytest.mark.parametrize("fine", range(1, 7))
def test_fine_takes_the_number_on_the_die(book: Book, face: str, fine: int) -> None:
    """The judge imposes a fine on four faces; the fine may empty the treasury."""
    before = band(book, earned=6)
    through = face_the_judge(book, before, face, 0, str(fine))
    assert through.complete
    assert through.roster.treasury == 6 - fine
    assert conditions(through.roster.member(LIEUTENANT)) == []


@pytest.mark.parametrize("games", range(1, 4))
def test_prison_costs_games_instead_of_money(book: Book, games: int) -> None:
    through = face_the_judge(book, band(book, earned=6), "2", 1, str(games))
    assert through.complete
    assert through.roster.treasury == 6
    assert conditions(through.roster.member(LIEUTENANT)) == [("missing", games)]


def test_fine_beyond_the_treasury_becomes_prison(book: Book) -> None:
    """The die showed 5, the treasury is 4: nothing is paid, and the member misses games."""
    before = band(book, earned=4)
    asked = face_the_judge(book, before, "4", 0, "5")
    assert not asked.complete
    assert [unmet.refusal.code for unmet in asked.step("injuries").refused] == ["too_dear"]
    (question,) = asked.questions.values()
    rolls = {key: one.roll for key, one in asked.requests.items() if one.roll}
    answers = Answers.model_validate({"done": DONE, "rolls": rolls, "choices": {question.key: "1"}})
    through = run_postgame(book, before, {LIEUTENANT: "out"}, "2", answers=answers)
    assert through.complete
    assert through.roster.treasury == 4
    assert conditions(through.roster.member(LIEUTENANT)) == [("missing", 2)]


def test_fine_is_paid_with_the_game_income(book: Book) -> None:
    through = face_the_judge(book, band(book), "3", 0, "6", tallies={"underlings_killed": 1})
    assert through.complete
    assert through.roster.treasury == 8 - 6


def face_the_judge(
    book: Book, before: Roster, face: str, choice: int, *rolls: str, **told: Any
) -> Playthrough:
    """Bring the lieutenant before the judge, with the player's ``choice``."""
    marks = {LIEUTENANT: "out"}
    asked = run_postgame(book, before, marks, "65", face, **told)
    (question,) = asked.questions.values()
    made = {key: one.roll for key, one in asked.requests.items()}
    answers = Answers.model_validate(
        {"done": DONE, "rolls": made, "choices": {question.key: str(choice)}}
    )
    return run_postgame(book, before, marks, *rolls, answers=answers, **told)


# Experience and victory points


@pytest.mark.parametrize(
    ("who", "tally", "each"),
    [
        (CHIEF, "enemy_chiefs", 1),
        (CHIEF, "enemy_lieutenants", 0),
        (CHIEF, "enemy_underlings", 0),
        (LIEUTENANT, "enemy_chiefs", 1),
        (LIEUTENANT, "enemy_lieutenants", 0),
        (LIEUTENANT, "enemy_underlings", 0),
        (UNDERLING, "enemy_chiefs", 2),
        (UNDERLING, "enemy_lieutenants", 1),
        (UNDERLING, "enemy_underlings", 0),
    ],
)
@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("side", ["winner", "loser"])
def test_each_role_learns_from_its_kinds_of_enemy(
    book: Book, who: int, tally: str, each: int, count: int, side: str
) -> None:
    through = run_postgame(book, band(book), {}, side=side, counts={tally: {who: count}})
    alone = 2 if side == "winner" else 1
    expected = dict.fromkeys(range(1, 6), alone) | {who: alone + each * count}
    assert {one.id: one.experience for one in through.roster.members} == expected


def test_absent_member_learns_nothing(book: Book) -> None:
    before = band(book)
    through = run_postgame(book, before, {}, side="winner", fielded=(CHIEF, UNDERLING))
    earned = {one.id: one.experience for one in through.roster.members}
    assert earned == {CHIEF: 2, LIEUTENANT: 0, OTHER: 0, UNDERLING: 2, LAST: 0}


@pytest.mark.parametrize("code", ["62", "65"])
def test_captured_or_condemned_member_counts_as_survivor(book: Book, code: str) -> None:
    rolls = ("62",) if code == "62" else ("65", "6")
    through = run_postgame(book, band(book), {CHIEF: "out"}, *rolls, side="winner")
    assert through.roster.member(CHIEF).experience == 2


@pytest.mark.parametrize(
    ("tally", "each"),
    [
        ("chiefs_out", 10),
        ("chiefs_killed", 15),
        ("lieutenants_out", 8),
        ("lieutenants_killed", 10),
        ("underlings_out", 5),
        ("underlings_killed", 8),
    ],
)
@pytest.mark.parametrize("rate", [0, 1, 3])
def test_each_enemy_is_worth_its_points(book: Book, tally: str, each: int, rate: int) -> None:
    """The agreed rate changes band points but not victory points."""
    before = band(book, settings={"vp_rate": rate})
    for side in ("winner", "loser"):
        through = run_postgame(book, before, {}, side=side, tallies={tally: 2})
        assert through.roster.treasury == 2 * each * rate
        report = Report.model_validate({"tallies": {tally: 2}})
        game_report = make_situation(before, "victory", side, report=report)
        assert points(book.under(before.settings), game_report) == 2 * each


# Advances


def band_with_experience(
    book: Book, who: int, had: int, traits: Sequence[str] = (), **told: object
) -> Roster:
    """Return the band with ``had`` boxes ticked and these advances taken by one member."""
    before = band(book, **told)  # type: ignore[arg-type]
    members = tuple(
        one.model_copy(update={"experience": had, "traits": tuple(traits), "advances": len(traits)})
        if one.id == who
        else one
        for one in before.members
    )
    return before.model_copy(update={"members": members})


@pytest.mark.parametrize("had", range(15))
def test_only_every_fifth_box_gives_an_advance(book: Book, had: int) -> None:
    taken = [row.key for row in book.traits][: had // 5]
    asked = run_postgame(book, band_with_experience(book, UNDERLING, had, taken), {})
    waiting = [one.member.id for one in asked.questions.values()]
    assert waiting == [UNDERLING] * ((had + 1) % 5 == 0)


@pytest.mark.parametrize(("who", "most"), [(UNDERLING, 15), (LIEUTENANT, 30), (CHIEF, 50)])
def test_experience_stops_at_the_last_box_of_the_sheet(book: Book, who: int, most: int) -> None:
    taken = [row.key for row in book.traits][: most // 5]
    before = band_with_experience(book, who, most - 1, taken[:-1])
    through = run_postgame(book, before, {}, side="winner", counts={"enemy_chiefs": {who: 3}})
    lessons = [one for one in through.entries if one.kind == "learned" and one.member == who]
    assert [one.amount for one in lessons] == [1], "only the last box is ticked"
    assert through.roster.member(who).experience == most


KEYS = [
    "bon_oeil",
    "poings_de_bronze",
    "corps_de_bronze",
    "bagarreur",
    "arpenteur",
    "courageux",
    "oeil_de_lynx",
    "poings_de_fer",
    "corps_de_fer",
    "pugiliste",
    "coureur_des_bois",
    "intrepide",
    "oeil_d_aigle",
    "poings_d_acier",
    "corps_d_acier",
    "maitre_de_combat",
    "voltigeur",
    "nerfs_d_acier",
    "sante_amelioree",
    "volonte_de_vivre",
    "points_faibles",
    "points_vitaux",
    "attrape_lame",
]
NEEDS = {
    **{number: {number - 6} for number in range(7, 19)},
    19: {15},
    20: {19},
    21: {13, 16},
    22: {21},
    23: {15, 18},
}


def offered_advances(book: Book, taken: set[int]) -> set[int]:
    """Return the numbers of the advances that a chief with ``taken`` may take."""
    traits = [KEYS[number - 1] for number in sorted(taken)]
    had = 5 * len(traits) + 4
    (advance,) = run_postgame(
        book, band_with_experience(book, CHIEF, had, traits), {}
    ).questions.values()
    return {KEYS.index(one.value) + 1 for one in advance.choices if one.refusal is None}


def advance_and_requirements(number: int) -> set[int]:
    """Return the number of an advance and of all its requirements."""
    return {number}.union(*(advance_and_requirements(needed) for needed in NEEDS.get(number, ())))


@pytest.mark.parametrize("number", range(1, 24))
def test_each_advance_opens_the_advances_that_need_it(book: Book, number: int) -> None:
    taken = advance_and_requirements(number)
    free = {one for one in range(1, 24) if NEEDS.get(one, set()) <= taken} - taken
    assert offered_advances(book, taken) == free
    if number in NEEDS:
        assert number not in offered_advances(book, taken - {number} - NEEDS[number])


def test_advance_with_two_requirements_needs_both(book: Book) -> None:
    assert 21 not in offered_advances(book, advance_and_requirements(13))
    assert 21 not in offered_advances(book, advance_and_requirements(16))
    assert 21 in offered_advances(book, advance_and_requirements(13) | advance_and_requirements(16))
    assert 23 not in offered_advances(book, advance_and_requirements(18))
    assert 23 in offered_advances(book, advance_and_requirements(18) | advance_and_requirements(15))


def test_capped_advance_can_be_taken_and_opens_its_branch(book: Book) -> None:
    """A human chief already has the best shooting, 2+, and the best command, 11."""
    before = band_with_experience(book, CHIEF, 4, settings={"race": "humain"})
    (advance,) = run_postgame(book, before, {}).questions.values()
    for taken, key, value in (("bon_oeil", "ct", 2), ("courageux", "cd", 11)):
        answers = Answers(done=DONE, choices={advance.key: taken})
        through = run_postgame(book, before, {}, answers=answers)
        assert through.complete
        chief = through.roster.member(CHIEF)
        scores = profile(book.under(through.roster.settings), through.roster.figure(book, chief))
        assert (chief.traits, scores.number(key)) == ((taken,), value)


# More careers


def test_waiting_underling_takes_a_place_freed_later(book: Book) -> None:
    waiting = run_postgame(book, band(book, full=(UNDERLING,)), {}).roster
    assert ranks(waiting)[UNDERLING] == "sous_fifre"
    through = run_postgame(book, waiting.model_copy(update={"played": ("a",)}), {OTHER: "killed"})
    assert through.complete
    assert ranks(through.roster)[UNDERLING] == "sous_chef"
    assert through.roster.member(UNDERLING).experience == 15, "their sheet was full"


def test_full_lieutenant_follows_a_full_chief(book: Book) -> None:
    """Nobody is sent away, and the waiting underling takes the lieutenant's place."""
    before = band(book, full=(CHIEF, LIEUTENANT, UNDERLING))
    ascents = [
        {"promotion": "chief", "member": LIEUTENANT},
        {"promotion": "lieutenant", "member": UNDERLING},
    ]
    half = Answers.model_validate({"done": DONE, "promotions": ascents[:1]})
    assert not run_postgame(book, before, {}, answers=half).complete, "the underling must rise now"
    answers = Answers.model_validate({"done": DONE, "promotions": ascents})
    through = run_postgame(book, before, {}, answers=answers)
    assert through.complete
    assert [(gone.member.id, gone.fate) for gone in through.roster.departed] == [(CHIEF, "legend")]
    assert ranks(through.roster) == {
        LIEUTENANT: "chef",
        OTHER: "sous_chef",
        UNDERLING: "sous_chef",
        LAST: "sous_fifre",
    }


def test_full_lieutenant_may_stay_a_lieutenant(book: Book) -> None:
    through = run_postgame(book, band(book, full=(LIEUTENANT,)), {})
    assert through.complete
    assert ranks(through.roster)[LIEUTENANT] == "sous_chef"
    assert through.roster.member(LIEUTENANT).experience == 30


def test_promoted_lieutenant_starts_a_new_sheet(book: Book) -> None:
    """They keep their profile and advances, get three actions, and cost as much as a chief."""
    ascent = PromotionAnswer(promotion="chief", member=LIEUTENANT, how="sent_away")
    before = band(book, full=(LIEUTENANT,))
    through = run_postgame(book, before, {}, answers=Answers(done=DONE, promotions=(ascent,)))
    risen = through.roster.member(LIEUTENANT)
    assert (risen.experience, risen.experience_at_rank, risen.advances) == (30, 0, 0)
    scores = profile(book.under(through.roster.settings), through.roster.figure(book, risen))
    assert [scores.number(key) for key in ("mvt", "cd", "ct", "pv", "ap")] == [8, 8, 4, 3, 3]
    assert member_rating(book, through.roster, risen).total == 50 + 4 + 6
    # The first grey box of the new sheet is its fifth.
    on = through.roster
    for number in range(4):
        on = play_quiet_games(book, on.model_copy(update={"played": (f"x{number}",)}), 1)
    assert on.member(LIEUTENANT).experience_at_rank == 4
    assert [one.member.id for one in run_postgame(book, on, {}).questions.values()].count(
        LIEUTENANT
    ) == 1


@pytest.mark.parametrize(("rolls", "cost"), [(("3",), 50 + 4), (("6",), 25 + 4 + 6)])
def test_departed_rival_can_be_hired(book: Book, rolls: tuple[str, ...], cost: int) -> None:
    """The price: role, gear, and a point for every five boxes ever ticked."""
    ascent = PromotionAnswer(promotion="chief", member=LIEUTENANT, how="dice")
    answers = Answers(done=DONE, promotions=(ascent,))
    through = run_postgame(book, band(book, full=(LIEUTENANT,)), {}, *rolls, answers=answers)
    (hire,) = pool(book, [("home", through.roster)])
    assert (hire.member.id, hire.price) == (CHIEF if rolls == ("3",) else LIEUTENANT, cost)


def test_legend_is_for_hire_at_the_price_of_the_fact_sheet(book: Book) -> None:
    """The example of the fact sheet: 50, gear of 12 points, 23 boxes in a lifetime."""
    legend = member("chef", items=["epee", "epee", "epee"], experience=23)
    gone = Departed(member=legend, fate="legend")
    home = band(book).model_copy(update={"departed": (gone,)})
    (hire,) = pool(book, [("home", home)])
    assert hire.price == 50 + 12 + 4


@pytest.mark.parametrize(
    ("experience", "heir"),
    [
        ({LIEUTENANT: 3, OTHER: 7, UNDERLING: 14}, OTHER),
        ({LIEUTENANT: 8, OTHER: 7, UNDERLING: 14}, LIEUTENANT),
    ],
)
def test_lieutenant_with_the_most_experience_succeeds_the_chief(
    book: Book, experience: dict[int, int], heir: int
) -> None:
    """An underling with more experience does not."""
    before = band(book)
    members = tuple(
        one.model_copy(
            update={"experience": (had := experience.get(one.id, 0)), "advances": had // 5}
        )
        for one in before.members
    )
    before = before.model_copy(update={"members": members})
    through = run_postgame(book, before, {CHIEF: "out"}, "12")
    state = through.step("succession")
    assert state.questions == ()
    found = Answers(done=DONE, choices=dict.fromkeys(through.questions, "courageux"))
    through = run_postgame(book, before, {CHIEF: "out"}, "12", answers=found)
    assert through.complete
    assert [one.id for one in through.roster.members if one.rank == "chef"] == [heir]


# Recruits


@pytest.mark.parametrize(
    ("race", "rank", "price"),
    [
        ("none", "sous_fifre", 10),
        ("none", "sous_chef", 25),
        ("ork", "sous_fifre", 10),
        ("gobelin_snotling", "sous_fifre", 5),
        ("gobelin_snotling", "sous_chef", 13),
    ],
)
def test_recruits_cost_the_prices_of_a_new_band(
    book: Book, race: str, rank: str, price: int
) -> None:
    before = band(book, earned=30, settings={"race": race}, without=(OTHER,))
    answers = Answers.model_validate({"done": DONE, "recruits": [{"rank": rank, "name": "Ada"}]})
    through = run_postgame(book, before, {}, answers=answers)
    assert through.complete
    assert through.roster.treasury == 30 - price
    ada = through.roster.members[-1]
    assert (ada.name, ada.rank, ada.experience, ada.items) == ("Ada", rank, 0, ())


@pytest.mark.parametrize(("points", "asks"), [(4, False), (5, True), (9, True)])
def test_band_that_can_afford_only_a_goblin_may_enrol_it(
    book: Book, points: int, asks: bool
) -> None:
    before = band(book, earned=points, settings={"race": "humain"})
    through = run_postgame(
        book, before, {}, answers=Answers(done=tuple(step for step in DONE if step != "recruits"))
    )
    hiring = through.step("recruits").hiring
    assert hiring is not None and all(offer.refusal for offer in hiring.offers)
    assert [(offer.row.key, offer.price) for offer in hiring.of_others] == [
        ("sous_fifre", 5)
    ] * asks
    assert through.complete != asks
    goblin = {"rank": "sous_fifre", "name": "Snik", "origin": "gobelin_snotling"}
    answers = Answers.model_validate({"done": DONE, "recruits": [goblin] * asks})
    enrolled = run_postgame(book, before, {}, answers=answers)
    assert enrolled.complete and enrolled.roster.treasury == points - 5 * asks
    assert [one.name for one in enrolled.roster.members[5:]] == ["Snik"] * asks


@pytest.mark.parametrize(("points", "hired"), [(29, 2), (30, 3), (9, 0)])
def test_recruits_are_limited_by_the_treasury(book: Book, points: int, hired: int) -> None:
    before = band(book, earned=points)
    wanted = [{"rank": "sous_fifre", "name": ""}] * 3
    answers = Answers.model_validate({"done": DONE, "recruits": wanted})
    through = run_postgame(book, before, {}, answers=answers)
    assert through.complete == (hired == 3)
    refused = [unmet.refusal.code for unmet in through.step("recruits").refused]
    assert refused == ["too_dear"] * (3 - hired)
    assert len(through.roster.members) == 5 + hired
    assert through.roster.treasury == points - 10 * hired


def test_a_third_lieutenant_is_refused(book: Book) -> None:
    """A refused recruit costs nothing."""
    before = band(book, earned=60)
    answers = Answers.model_validate({"done": DONE, "recruits": [{"rank": "sous_chef"}]})
    through = run_postgame(book, before, {}, answers=answers)
    [unmet] = through.step("recruits").refused
    assert (unmet.refusal.code, unmet.refusal.values) == ("beyond_limit", {"maximum": 2})
    assert len(through.roster.members) == len(before.members)
    plain = run_postgame(book, before, {}, answers=Answers.model_validate({"done": DONE}))
    assert through.roster.treasury == plain.roster.treasury


# Gear


EVERYTHING = ["arc_court", "epee", "cuir", "bouclier", "corde_grappin", "potion_soin"]


def test_robbed_member_loses_items_of_every_sort(book: Book) -> None:
    """Weapons, armour, shield, equipment and custom items."""
    own = OwnItem(key="own-50", name="Trumpet", group="equipment", price=1)
    before = band(book)
    items = tuple(
        OwnedItem(id=200 + number, key=key) for number, key in enumerate([*EVERYTHING, own.key])
    )
    members = tuple(
        one.model_copy(update={"items": items}) if one.id == OTHER else one
        for one in before.members
    )
    before = before.model_copy(update={"members": members, "own_items": (own,)})
    through = run_postgame(book, before, {OTHER: "out"}, "36")
    assert through.complete
    assert through.roster.member(OTHER).items == ()
    assert swords(through.roster) == 0
    lost = [one.item for one in through.entries if one.kind == "item_lost"]
    assert lost == [200 + number for number in range(7)]


@pytest.mark.parametrize(
    ("condition", "decided", "gone"),
    [("captured", "lost", 1), ("condemned", "lost", 1), ("condemned", "freed", 0)],
)
def test_executed_or_abandoned_member_is_lost_with_their_gear(
    book: Book, condition: str, decided: str, gone: int
) -> None:
    before = band(book, conditions=(condition,))
    step = "ransoms" if condition == "captured" else "condemned"
    answers = Answers(done=DONE, choices={f"{step}:{LIEUTENANT}": decided})
    through = run_postgame(book, before, {}, answers=answers)
    assert through.complete
    assert [one.fate for one in through.roster.departed] == ["dead"] * gone
    assert swords(through.roster) == 0
    if not gone:
        assert len(through.roster.member(LIEUTENANT).items) == 1


def test_returned_gear_can_be_handed_on_or_discarded(book: Book) -> None:
    """Handing it on is free; discarding it gives no refund."""
    after = run_postgame(book, band(book), {UNDERLING: "killed"}).roster
    [sword] = after.stash
    [moved] = actions.move(ComputedGang.of(book, after), sword.id, LAST)
    handed = apply(book, after, 500, moved)
    assert [item.key for item in handed.member(LAST).items] == ["epee", "epee"]
    assert (handed.stash, handed.treasury) == ((), after.treasury)
    [thrown] = actions.discard(ComputedGang.of(book, handed), sword.id)
    assert apply(book, handed, 501, thrown).treasury == after.treasury


@pytest.mark.parametrize("condition", ["captured", "condemned", "deep_wound"])
def test_absent_member_keeps_their_gear(book: Book, condition: str) -> None:
    """The gear cannot be moved or discarded, and the member cannot be dismissed."""
    computed = ComputedGang.of(book, band(book, conditions=(condition,), earned=20))
    [sword] = computed.roster.member(LIEUTENANT).items
    for act in (
        lambda: actions.move(computed, sword.id, CHIEF),
        lambda: actions.move(computed, sword.id, None),
        lambda: actions.discard(computed, sword.id),
        lambda: actions.dismiss(computed, LIEUTENANT),
    ):
        with pytest.raises(Refusal, match="absent"):
            act()


@pytest.mark.parametrize(
    ("race", "who", "item", "price"),
    [
        ("none", CHIEF, "epee", 4),
        ("none", CHIEF, "arc_court", 3),
        ("gobelin_snotling", CHIEF, "epee", 6),
        ("gobelin_snotling", LAST, "arc_court", 5),
        ("gobelin_snotling", LAST, "cuir", 4),
        ("gobelin_snotling", LAST, "bouclier", 4),
        ("ork", LAST, "epee", 4),
    ],
)
@pytest.mark.parametrize("short", [0, 1])
def test_gear_between_games_is_paid_from_the_treasury(
    book: Book, race: str, who: int, item: str, price: int, short: int
) -> None:
    """The prices are those of a new band."""
    after = play_quiet_games(book, band(book, settings={"race": race}, earned=price - short), 1)
    computed = ComputedGang.of(book, after)
    if short:
        with pytest.raises(Refusal, match="too_dear"):
            actions.buy(computed, who, item)
        return
    [bought] = actions.buy(computed, who, item)
    carried = apply(book, after, 500, bought)
    assert carried.treasury == 0
    assert [one.key for one in carried.member(who).items] == ["epee", item]
