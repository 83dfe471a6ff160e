"""The post-game of Au un pour un, played without a database."""

from __future__ import annotations

import pytest

from campaigns.bargaining import Terms, held, settled
from campaigns.income import points
from campaigns.postgame import play
from campaigns.situation import Answers, Ascent, Report
from campaigns.steps import Playthrough
from gangs.fold import apply
from gangs.roster import Member, Roster
from gangs.worth import member_rating
from rules.book import Book
from rules.dice import typed
from rules.profiles import profile
from rules.vocabulary import Settings
from tests.campaigns.making import make_situation
from tests.gangs.rosters import member, roster
from tests.make import shipped

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
    """A chief, two lieutenants and two underlings, all with a sword, in their second game; some
    with every experience box ticked, the first lieutenant with ``conditions``."""
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


def played(
    book: Book,
    before: Roster,
    marks: dict[int, str],
    *rolls: str,
    side: str = "loser",
    answers: Answers | None = None,
    **told: object,
) -> Playthrough:
    """The post-game, each roll that is asked for answered by the next of ``rolls``."""
    data = {"fielded": tuple(one.id for one in before.members), "marks": marks, **told}
    report = Report.model_validate(data)
    situation = make_situation(
        before, "victory", side, report=report, opponent_names=("Them",), game="tonight"
    )
    answers = answers or Answers(done=DONE)
    for faces in rolls:
        waiting = [
            asked
            for asked in play(book, before, 100, situation, answers).asked.values()
            if asked.roll is None
        ]
        assert waiting, f"nothing is left to roll {faces} for"
        made = {waiting[0].key: typed(waiting[0].dice, faces)}
        answers = answers.model_copy(update={"rolls": answers.rolls | made})
    return play(book, before, 100, situation, answers)


def conditions(one: Member) -> list[tuple[str, int]]:
    return [(suffered.condition, suffered.games_left) for suffered in one.afflictions]


def swords(gang: Roster) -> int:
    return len(gang.stash)


def test_nothing_happened(book: Book) -> None:
    through = played(book, band(book), {})
    assert through.complete
    assert [one.experience for one in through.roster.members] == [1] * 5


@pytest.mark.parametrize(("face", "lost"), [("1", True), ("2", True), ("3", False), ("6", False)])
def test_underlings_out_of_action(book: Book, face: str, lost: bool) -> None:
    through = played(book, band(book), {UNDERLING: "out"}, face, side="winner")
    assert through.complete
    assert len(through.roster.members) == 5 - lost
    assert swords(through.roster) == lost
    if not lost:
        assert through.roster.member(UNDERLING).experience == 2


def test_the_killed_are_dead_without_a_roll(book: Book) -> None:
    through = played(book, band(book), {UNDERLING: "killed", LIEUTENANT: "killed"})
    assert through.complete
    assert [one.id for one in through.roster.members] == [CHIEF, OTHER, LAST]
    assert swords(through.roster) == 1, "the underling’s; the lieutenant’s is lost"


def test_multiple_injuries(book: Book) -> None:
    """16, then two of them: 44 is rolled again, 22, 62 is rolled again, 25."""
    rolls = ("16", "2", "44", "22", "62", "25")
    through = played(book, band(book), {LIEUTENANT: "out"}, *rolls)
    assert through.complete
    hurt = through.roster.member(LIEUTENANT)
    assert conditions(hurt) == [("leg", 0), ("trauma", 0)]
    scores = profile(book, through.roster.settings, through.roster.figure(book, hurt))
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
def test_serious_injuries(
    book: Book, rolls: tuple[str, ...], before: tuple[str, ...], after: list[tuple[str, int]]
) -> None:
    through = played(book, band(book, conditions=before), {LIEUTENANT: "out"}, *rolls)
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
def test_lost_for_the_band(
    book: Book, had: tuple[str, ...], rolls: tuple[str, ...], fate: str, stash: int
) -> None:
    through = played(book, band(book, conditions=had), {LIEUTENANT: "out"}, *rolls)
    assert through.complete
    assert [departed.fate for departed in through.roster.departed] == [fate]
    assert swords(through.roster) == stash


def test_robbed(book: Book) -> None:
    through = played(book, band(book), {CHIEF: "out"}, "36")
    assert through.complete
    assert through.roster.member(CHIEF).items == ()
    assert swords(through.roster) == 0


def test_against_all_odds(book: Book) -> None:
    assert played(book, band(book), {CHIEF: "out"}, "66").roster.member(CHIEF).experience == 2


@pytest.mark.parametrize("code", ["61", "62"])
def test_it_is_remembered_who_did_it(book: Book, code: str) -> None:
    through = played(book, band(book), {CHIEF: "out"}, code)
    (suffered,) = through.roster.member(CHIEF).afflictions
    assert suffered.against == "Them"


def test_captives_come_back_with_their_gear(book: Book) -> None:
    before = band(book, conditions=("captured",), earned=12)
    answers = Answers.model_validate({"done": DONE, "captives": {LIEUTENANT: "freed"}})
    through = played(book, before, {}, answers=answers)
    assert through.complete
    freed = through.roster.member(LIEUTENANT)
    assert (conditions(freed), len(freed.items)) == ([], 1)
    assert through.roster.treasury == 12


@pytest.mark.parametrize(("ransom", "left"), [(7, 5), (0, 12)])
def test_a_bargain_brings_a_captive_back_with_his_gear(book: Book, ransom: int, left: int) -> None:
    before = band(book, conditions=("captured",), earned=12)
    # A treasury is one of a gang that has played.
    before = before.model_copy(update={"played": ("a game",)})
    terms = Terms(frees=(("giver", LIEUTENANT),), ransom=ransom, payer="giver")
    roster = before
    for number, entry in enumerate(settled(terms, "giver", book, before), start=100):
        roster = apply(book, roster, number, entry)
    freed = roster.member(LIEUTENANT)
    assert (conditions(freed), len(freed.items)) == ([], 1)
    assert roster.treasury == left


@pytest.mark.parametrize(
    ("decided", "there", "suffers"),
    [("freed", True, []), ("stay", True, [("condemned", 0)]), ("lost", False, [])],
)
def test_the_condemned_are_rescued_or_executed(
    book: Book, decided: str, there: bool, suffers: list[tuple[str, int]]
) -> None:
    before = band(book, conditions=("condemned",))
    answers = Answers.model_validate({"done": DONE, "captives": {LIEUTENANT: decided}})
    assert held(book, before) == []
    assert played(book, before, {}).step("condemned").status == "open"
    through = played(book, before, {}, answers=answers)
    assert through.complete
    found = [one for one in through.roster.members if one.id == LIEUTENANT]
    assert bool(found) == there
    assert [conditions(one) for one in found] == ([suffers] if there else [])


@pytest.mark.parametrize(("choice", "left", "after"), [(0, 6, []), (1, 10, [("missing", 3)])])
def test_a_fine_or_prison(book: Book, choice: int, left: int, after: list[tuple[str, int]]) -> None:
    before = band(book, earned=10)
    asked = played(book, before, {LIEUTENANT: "out"}, "65", "3")
    (question,) = asked.questions.values()
    rolls = {key: one.roll for key, one in asked.asked.items()}
    answers = Answers.model_validate(
        {"done": DONE, "rolls": rolls, "choices": {question.key: choice}}
    )
    through = played(
        book, before, {LIEUTENANT: "out"}, "4" if choice == 0 else "3", answers=answers
    )
    assert through.complete
    assert through.roster.treasury == left
    assert conditions(through.roster.member(LIEUTENANT)) == after


def test_who_cannot_pay_goes_to_prison(book: Book) -> None:
    asked = played(book, band(book), {LIEUTENANT: "out"}, "65", "3")
    (question,) = asked.questions.values()
    assert [refusal is None for refusal in question.refusals] == [False, True]


def test_experience_by_role(book: Book) -> None:
    """One each for surviving and winning; chiefs and lieutenants taken out count by role."""
    one_of_each = dict.fromkeys((CHIEF, LIEUTENANT, UNDERLING), 1)
    counts = {
        "enemy_chiefs": one_of_each,
        "enemy_lieutenants": one_of_each,
        "enemy_underlings": one_of_each,
    }
    through = played(book, band(book), {}, side="winner", counts=counts)
    earned = {one.id: one.experience for one in through.roster.members}
    assert earned == {CHIEF: 3, LIEUTENANT: 3, OTHER: 2, UNDERLING: 5, LAST: 2}


@pytest.mark.parametrize("rate", [1, 2])
def test_victory_points_become_band_points(book: Book, rate: int) -> None:
    tallies = {"chiefs_killed": 1, "lieutenants_out": 2, "underlings_killed": 1}
    before = band(book, settings={"vp_rate": rate})
    through = played(book, before, {}, tallies=tallies)
    assert through.roster.treasury == (15 + 16 + 8) * rate
    report = Report.model_validate({"tallies": tallies})
    situation = make_situation(before, "victory", "winner", report=report)
    assert points(book, before.settings, situation) == 39


# Careers


def ranks(gang: Roster) -> dict[int, str]:
    return {one.id: one.rank for one in gang.members}


def test_a_full_underling_rises_into_a_free_place(book: Book) -> None:
    through = played(book, band(book, full=(UNDERLING,), without=(OTHER,)), {})
    assert through.complete
    risen = through.roster.member(UNDERLING)
    assert (risen.rank, risen.experience, risen.experience_at_rank) == ("sous_chef", 15, 0)
    scores = profile(book, through.roster.settings, through.roster.figure(book, risen))
    assert [scores.number(key) for key in ("mvt", "cd", "ct", "ap")] == [6, 6, 5, 2]
    assert member_rating(book, through.roster, risen).total == 25 + 4 + 3


def test_or_waits(book: Book) -> None:
    through = played(book, band(book, full=(UNDERLING,)), {})
    assert through.complete
    assert ranks(through.roster)[UNDERLING] == "sous_fifre"


def test_goblins_have_three_places(book: Book) -> None:
    before = band(book, full=(UNDERLING,), settings={"race": "gobelin_snotling"})
    assert ranks(played(book, before, {}).roster)[UNDERLING] == "sous_chef"


def test_an_enrolled_goblin_stays_an_underling(book: Book) -> None:
    before = band(book, full=(UNDERLING,), without=(OTHER,), settings={"race": "ork"})
    members = tuple(
        one.model_copy(update={"origin": "gobelin_snotling"}) if one.id == UNDERLING else one
        for one in before.members
    )
    through = played(book, before.model_copy(update={"members": members}), {})
    assert ranks(through.roster)[UNDERLING] == "sous_fifre"


@pytest.mark.parametrize(
    ("how", "rolls", "gone"),
    [
        ("sent_away", (), CHIEF),
        ("dice", ("3",), CHIEF),
        ("dice", ("4",), LIEUTENANT),
    ],
)
def test_a_full_lieutenant_and_his_chief(
    book: Book, how: str, rolls: tuple[str, ...], gone: int
) -> None:
    ascent = Ascent.model_validate({"promotion": "chief", "member": LIEUTENANT, "how": how})
    answers = Answers(done=DONE, promotions=(ascent,))
    through = played(book, band(book, full=(LIEUTENANT,)), {}, *rolls, answers=answers)
    assert through.complete
    (departed,) = through.roster.departed
    assert (departed.member.id, departed.fate, swords(through.roster)) == (gone, "for_hire", 0)
    chief = CHIEF if gone == LIEUTENANT else LIEUTENANT
    assert ranks(through.roster)[chief] == "chef"


def test_a_full_chief_becomes_a_legend(book: Book) -> None:
    """And is replaced, at once, by the lieutenant with most experience."""
    before = band(book, full=(CHIEF,))
    members = tuple(
        one.model_copy(update={"experience": 2}) if one.id == OTHER else one
        for one in before.members
    )
    through = played(book, before.model_copy(update={"members": members}), {})
    assert through.complete
    (departed,) = through.roster.departed
    assert (departed.member.id, departed.fate) == (CHIEF, "legend")
    assert departed.member.items, "he takes his gear along"
    assert ranks(through.roster)[OTHER] == "chef"


def test_of_equal_lieutenants_the_player_chooses(book: Book) -> None:
    asked = played(book, band(book), {CHIEF: "killed"})
    assert not asked.complete
    assert {one.id for one in asked.vacancies["new_chief"].candidates} == {LIEUTENANT, OTHER}
    answers = Answers(done=DONE, successors={"new_chief": OTHER})
    through = played(book, band(book), {CHIEF: "killed"}, answers=answers)
    assert through.complete
    assert ranks(through.roster)[OTHER] == "chef"


def test_without_lieutenants_an_underling_leads(book: Book) -> None:
    before = band(book, without=(CHIEF, LIEUTENANT, OTHER, LAST))
    through = played(book, before, {})
    assert ranks(through.roster) == {UNDERLING: "chef"}
    chief = through.roster.member(UNDERLING)
    scores = profile(book, through.roster.settings, through.roster.figure(book, chief))
    assert [scores.number(key) for key in ("mvt", "pv", "ap")] == [6, 2, 3]


def test_an_advance_for_every_fifth_box(book: Book) -> None:
    before = band(book)
    members = tuple(one.model_copy(update={"experience": 4}) for one in before.members[:1])
    before = before.model_copy(update={"members": (*members, *before.members[1:])})
    asked = played(book, before, {})
    (advance,) = asked.advances.values()
    offered = {offer.row.key for offer in advance.offers if offer.refusal is None}
    assert offered == {
        "bon_oeil",
        "poings_de_bronze",
        "corps_de_bronze",
        "bagarreur",
        "arpenteur",
        "courageux",
    }
    answers = Answers(done=DONE, advances={advance.key: "poings_de_bronze"})
    through = played(book, before, {}, answers=answers)
    assert through.complete
    assert through.roster.member(CHIEF).traits == ("poings_de_bronze",)
