"""Advances, promotions and successions, on small rulebooks made for them."""

from __future__ import annotations

from typing import Any

import pytest

from campaigns.engine import answers as engine_answers
from campaigns.engine.report import Answers, PromotionAnswer
from campaigns.engine.script import play
from campaigns.engine.script_state import Playthrough
from common.errors import Refusal
from gangs.engine.fold import fold
from gangs.engine.roster import Roster
from rules.book.model import Book
from rules.engine.profiles import profile
from tests.gangs.rosters import member, roster
from tests.rules.small import Data, add, row, small, told
from tests.world.campaigns import make_situation, rolled_out

CHIEF, FIGHTER, OTHER, SCOUT = 1, 2, 3, 4
FULL = {"chief": 9, "fighter": 6, "scout": 3}
TRAITS = [
    told("hard", tags=["advance"], sold=False, effects=[add("might", 1)]),
    told("harder", tags=["advance"], sold=False, requires=["hard"]),
    told("scouting", tags=["advance"], sold=False, ranks=["scout"]),
    told("bought", price=1),
    told("mark", tags=["mark"], sold=False),
]


def make_book(*steps: str, **campaign: Any) -> Book:
    """Return the small rulebook with these steps and a limit of experience per rank."""
    ranks = [
        row("chief", price=10, leads=True, values={"might": 5, "grit": "d10"}, experience=9),
        row("fighter", price=5, experience=6),
        row("scout", price=3, values={"might": 2, "aim": 3}, experience=3),
    ]
    return small(
        ranks=ranks,
        traits=TRAITS,
        campaign__steps=[told(step, kind=step) for step in steps],
        campaign__departures=[told("home", for_hire=True)],
        **{f"campaign__{name}": value for name, value in campaign.items()},
    )


def promotion(key: str, start: str, **fields: Any) -> Data:
    return row(key, start=start, **fields)


def gang(
    book: Book,
    experience: dict[int, int] | None = None,
    *,
    ranks: tuple[str, ...] = ("chief", "fighter", "fighter", "scout"),
    earned: int = 0,
) -> Roster:
    members = [
        member(rank, name=f"Number {number}", experience=(experience or {}).get(number, 0))
        for number, rank in enumerate(ranks, start=1)
    ]
    return roster(book, *members, games=1, earned=earned)


def run_postgame(book: Book, before: Roster, *rolls: str, **answers: Any) -> Playthrough:
    game_report = make_situation(before, "won", "loser")
    through = rolled_out(book, before, game_report, Answers.model_validate(answers), *rolls)
    numbered = ((one.number, one.entry) for one in through.played)
    assert fold(book, numbered, before) == through.roster
    return through


def ascent(key: str, who: int, how: str = "") -> dict[str, Any]:
    return {"promotion": key, "member": who, "how": how}


def ranks(through: Playthrough) -> dict[int, str]:
    return {one.id: one.rank for one in through.roster.members}


def refusals(through: Playthrough, step: str = "promotions") -> list[str]:
    return [unmet.refusal.code for unmet in through.step(step).refused]


# Promotions: triggers


@pytest.mark.parametrize(
    ("fields", "experience", "possible"),
    [
        ({"trigger": "choice"}, 0, True),
        ({"trigger": "experience", "experience": 4}, 3, False),
        ({"trigger": "experience", "experience": 4}, 4, True),
        ({"trigger": "full"}, 5, False),
        ({"trigger": "full"}, 6, True),
    ],
)
def test_promotion_is_possible_when_its_trigger_is_met(
    fields: Data, experience: int, possible: bool
) -> None:
    book = make_book("promotions", promotions=[promotion("up", "fighter", to="chief", **fields)])
    before = gang(book, {FIGHTER: experience}, ranks=("scout", "fighter"))
    through = run_postgame(book, before, promotions=[ascent("up", FIGHTER)], done=["promotions"])
    assert through.complete == possible
    assert ranks(through)[FIGHTER] == ("chief" if possible else "fighter")
    assert refusals(through) == ([] if possible else ["gone"])
    assert run_postgame(book, before).complete != possible, (
        "the player is asked about each member who can rise"
    )


def test_experience_of_a_former_rank_does_not_count_after_a_restart() -> None:
    up = promotion("up", "scout", to="fighter", trigger="full", restarts=True)
    top = promotion("top", "fighter", to="chief", trigger="experience", experience=3)
    book = make_book("promotions", promotions=[up, top])
    before = gang(book, {SCOUT: 3}, ranks=("fighter", "fighter", "fighter", "scout"))
    risen = run_postgame(book, before, promotions=[ascent("up", SCOUT)], done=["promotions"]).roster
    assert risen.member(SCOUT).experience_at_rank == 0
    again = run_postgame(book, risen, promotions=[ascent("top", SCOUT)])
    assert refusals(again) == ["gone"]


def test_member_rises_at_most_once_in_a_post_game() -> None:
    rows = [promotion("up", "scout", to="fighter"), promotion("top", "fighter", to="chief")]
    book = make_book("promotions", promotions=rows)
    both = [ascent("up", SCOUT), ascent("top", SCOUT)]
    through = run_postgame(book, gang(book), promotions=both)
    assert ranks(through)[SCOUT] == "fighter"
    assert refusals(through) == ["gone"]


def test_promotion_offers_only_members_with_the_right_trait() -> None:
    up = promotion("up", "fighter", to="chief", of={"trait_tags": ["mark"]})
    book = make_book("promotions", promotions=[up])
    before = gang(book)
    marked = before.member(OTHER).model_copy(update={"traits": ("mark",)})
    members = tuple(marked if one.id == OTHER else one for one in before.members)
    through = run_postgame(book, before.model_copy(update={"members": members}))
    (rise,) = through.step("promotions").promotions
    assert [one.id for one in rise.candidates] == [OTHER]


# Promotions: prices, profiles, departures


def test_promotion_is_paid_from_the_treasury() -> None:
    book = make_book("promotions", promotions=[promotion("up", "scout", to="fighter", price=3)])
    paid = run_postgame(
        book, gang(book, earned=4), promotions=[ascent("up", SCOUT)], done=["promotions"]
    )
    assert paid.complete and paid.roster.treasury == 1
    poor = run_postgame(book, gang(book, earned=2), promotions=[ascent("up", SCOUT)])
    assert refusals(poor) == ["too_dear"] and poor.roster.treasury == 2
    assert run_postgame(book, gang(book, earned=2)).complete, (
        "a promotion that is too dear asks no question"
    )


@pytest.mark.parametrize(("how", "might", "aim"), [("new", 5, 5), ("kept", 2, 3), ("best", 5, 3)])
def test_promotion_chooses_the_profile_after_the_rise(how: str, might: int, aim: int) -> None:
    """A scout has might 2 and aim 3 (a low one is good), a chief might 5 and aim 5."""
    book = make_book("promotions", promotions=[promotion("up", "scout", to="chief", profile=how)])
    through = run_postgame(book, gang(book), promotions=[ascent("up", SCOUT)], done=["promotions"])
    risen = through.roster.figure(book, through.roster.member(SCOUT))
    scores = profile(book.under(through.roster.settings), risen)
    assert (scores.number("might"), scores.number("aim")) == (might, aim)


def test_member_leaves_when_the_promotion_has_no_rank() -> None:
    legend = promotion("legend", "chief", trigger="full", departure="home", required=True)
    book = make_book("promotions", promotions=[legend])
    through = run_postgame(book, gang(book, {CHIEF: 9}))
    assert through.complete
    assert [(gone.member.id, gone.fate) for gone in through.roster.departed] == [(CHIEF, "home")]


# Promotions: places


def test_promotion_is_refused_when_its_places_are_full() -> None:
    book = make_book("promotions", promotions=[promotion("up", "fighter", to="chief", below=2)])
    both = [ascent("up", FIGHTER), ascent("up", OTHER)]
    through = run_postgame(book, gang(book), promotions=both)
    assert refusals(through) == ["promotion_full"]
    assert ranks(through)[FIGHTER] == "chief"


RIVALS = {"to": "chief", "below": 1, "displaces": True, "departure": "home", "dice": "2d6"}


def test_promotion_to_a_taken_place_needs_a_way_to_settle_it() -> None:
    book = make_book("promotions", promotions=[promotion("up", "fighter", **RIVALS)])
    through = run_postgame(book, gang(book))
    (rise,) = through.step("promotions").promotions
    assert [one.id for one in rise.rivals] == [CHIEF]
    through = run_postgame(book, gang(book), promotions=[ascent("up", FIGHTER)])
    assert refusals(through) == ["place_taken"]


@pytest.mark.parametrize(
    ("how", "rolls", "leaves"),
    [
        ("sent_away", (), CHIEF),
        ("dice", ("1 1",), CHIEF),
        ("dice", ("3 4",), CHIEF),
        ("dice", ("4 4",), FIGHTER),
        ("dice", ("6 6",), FIGHTER),
    ],
)
def test_rival_for_a_place_is_sent_away_or_dice_decide(
    how: str, rolls: tuple[str, ...], leaves: int
) -> None:
    """A low total of the dice removes the holder of the place, a high one the challenger."""
    book = make_book("promotions", promotions=[promotion("up", "fighter", **RIVALS)])
    answers = {"promotions": [ascent("up", FIGHTER, how)], "done": ["promotions"]}
    assert run_postgame(book, gang(book), **answers).complete == (how == "sent_away")
    through = run_postgame(book, gang(book), *rolls, **answers)
    assert through.complete
    assert [gone.member.id for gone in through.roster.departed] == [leaves]
    assert ranks(through)[CHIEF if leaves == FIGHTER else FIGHTER] == "chief"


# Required promotions


def test_required_promotion_happens_when_there_is_room() -> None:
    must = promotion("up", "scout", to="fighter", trigger="full", required=True, below=3)
    book = make_book("promotions", promotions=[must])
    through = run_postgame(book, gang(book, {SCOUT: 3}))
    assert through.complete
    assert ranks(through)[SCOUT] == "fighter"
    crowded = gang(book, {SCOUT: 3}, ranks=("fighter", "fighter", "fighter", "scout"))
    assert ranks(run_postgame(book, crowded))[SCOUT] == "scout"


def test_player_chooses_between_two_required_promotions() -> None:
    must = promotion("up", "scout", to="chief", trigger="full", required=True, below=1)
    book = make_book("promotions", promotions=[must])
    before = gang(book, {1: 3, 2: 3}, ranks=("scout", "scout"))
    assert not run_postgame(book, before, done=["promotions"]).complete, "one of them must rise"
    through = run_postgame(book, before, promotions=[ascent("up", 2)], done=["promotions"])
    assert through.complete
    assert ranks(through) == {1: "scout", 2: "chief"}


# Advances


def advancing(**fields: Any) -> Book:
    step = {"experience": 2, "trait_tags": ["advance"], **fields}
    promotions = step.pop("promotions", [])
    return make_book("advances", advancement=step, promotions=promotions)


def offered(through: Playthrough) -> dict[int, set[str]]:
    return {
        advance.member.id: {one.value for one in advance.choices if one.refusal is None}
        for advance in through.questions.values()
        if advance.chosen is None
    }


def test_advance_offers_traits_by_tag_requirement_and_rank() -> None:
    book = advancing()
    before = gang(book, {FIGHTER: 2, SCOUT: 3, OTHER: 1})
    through = run_postgame(book, before)
    assert offered(through) == {FIGHTER: {"hard"}, SCOUT: {"hard", "scouting"}}
    key = next(key for key, one in through.questions.items() if one.member.id == SCOUT)
    answers = engine_answers.choose(through, Answers(), key, "scouting")
    assert set(offered(run_postgame(book, before, **answers.model_dump()))) == {FIGHTER}
    for refused, code in (("harder", "requires"), ("bought", "not_offered"), ("no", "not_offered")):
        with pytest.raises(Refusal, match=code):
            engine_answers.choose(through, Answers(), key, refused)
    assert engine_answers.choose(through, answers, key, "").choices == {}
    with pytest.raises(Refusal, match="gone"):
        engine_answers.choose(through, Answers(), "another", "hard")


def test_several_advances_are_taken_one_after_the_other() -> None:
    book = advancing()
    before = gang(book, {FIGHTER: 6})
    answers: dict[str, str] = {}
    for trait in ("hard", "harder"):
        through = run_postgame(book, before, choices=answers)
        (key,) = [key for key, one in through.questions.items() if one.chosen is None]
        answers[key] = trait
    through = run_postgame(book, before, choices=answers)
    assert through.complete, "no trait is left to take"
    fighter = through.roster.member(FIGHTER)
    assert (fighter.traits, fighter.advances) == (("hard", "harder"), 2)
    assert [one.id for one in through.steps[0].kept] == [FIGHTER], (
        "the step reports the unused advance"
    )
    assert run_postgame(book, through.roster).entries[1:] == (), "no trait is taken twice"


def test_advances_are_limited_to_the_ranks_of_the_step() -> None:
    book = advancing(of={"ranks": ["scout"]})
    assert set(offered(run_postgame(book, gang(book, {FIGHTER: 4, SCOUT: 2})))) == {SCOUT}


def test_advance_gives_a_rank_when_possible_and_a_trait_otherwise() -> None:
    up = promotion("up", "scout", to="fighter", trigger="advance", below=3)
    book = advancing(cycle=["rank", "trait"], promotions=[up])
    through = run_postgame(book, gang(book, {SCOUT: 2, FIGHTER: 2}))
    assert ranks(through)[SCOUT] == "fighter"
    assert through.roster.member(SCOUT).advances == 1
    assert set(offered(through)) == {FIGHTER}, "no rank is above a fighter"
    crowded = gang(book, {SCOUT: 2}, ranks=("fighter", "fighter", "fighter", "scout"))
    assert set(offered(run_postgame(book, crowded))) == {SCOUT}


# Successions


def heirs(book: Book, before: Roster, **answers: Any) -> tuple[list[int], Playthrough]:
    through = run_postgame(book, before, **answers)
    listed = [heir.about.id for one in through.questions.values() for heir in one.choices]
    return listed, through


@pytest.mark.parametrize(
    ("by", "experience", "tied"),
    [
        (["rank"], {}, [1, 2]),
        (["rank", "experience"], {2: 1, 3: 5}, []),
        (["experience"], {3: 5}, []),
        (["experience", "rank"], {1: 1, 3: 1}, []),
        (["experience"], {1: 1, 3: 1}, [1, 3]),
        ([], {1: 1}, [1, 2, 3]),
    ],
)
def test_succession_ranks_the_candidates(
    by: list[str], experience: dict[int, int], tied: list[int]
) -> None:
    succession = row("next", post={"ranks": ["chief"]}, by=by, to="chief")
    book = make_book("succession", successions=[succession])
    before = gang(book, experience, ranks=("fighter", "fighter", "scout"))
    listed, through = heirs(book, before)
    assert listed == tied
    if tied:
        assert not through.complete
        through = run_postgame(book, before, choices={"next": str(tied[-1])})
        assert ranks(through)[tied[-1]] == "chief"
        nobody = run_postgame(book, before, choices={"next": "99"})
        assert not nobody.complete, "only a candidate is an answer"
    assert through.complete
    assert list(ranks(through).values()).count("chief") == 1


def test_succession_is_skipped_when_the_post_is_held_or_has_no_candidate() -> None:
    succession = row("next", post={"ranks": ["chief"]}, among={"ranks": ["fighter"]}, to="chief")
    book = make_book("succession", successions=[succession])
    assert run_postgame(book, gang(book)).entries[1:] == ()
    alone = run_postgame(book, gang(book, ranks=("scout",)))
    assert alone.complete and ranks(alone) == {1: "scout"}


def test_one_succession_makes_room_for_the_next() -> None:
    rows = [
        row("chief", post={"ranks": ["chief"]}, among={"ranks": ["fighter"]}, to="chief"),
        row("second", post={"ranks": ["fighter"]}, among={"ranks": ["scout"]}, to="fighter"),
    ]
    book = make_book("succession", successions=rows)
    through = run_postgame(book, gang(book, ranks=("fighter", "scout")))
    assert through.complete
    assert ranks(through) == {1: "chief", 2: "fighter"}


def test_succession_can_give_a_trait_as_the_post() -> None:
    succession = row("next", post={"trait_tags": ["mark"]}, by=["rank"], trait="mark")
    book = make_book("succession", successions=[succession])
    through = run_postgame(book, gang(book))
    assert through.complete
    assert through.roster.member(CHIEF).traits == ("mark",)
    assert run_postgame(book, through.roster).entries[1:] == ()


def test_succession_refuses_a_member_outside_the_candidates() -> None:
    succession = row("next", post={"ranks": ["chief"]}, to="chief")
    book = make_book("succession", successions=[succession])
    before = gang(book, ranks=("fighter", "scout"))
    game_report = make_situation(before, "won", "loser")
    through = play(book, before, 100, game_report, Answers())
    with pytest.raises(Refusal, match="not_offered"):
        engine_answers.choose(through, Answers(), "next", "99")
    with pytest.raises(Refusal, match="gone"):
        engine_answers.choose(through, Answers(), "other", "1")
    answers = engine_answers.choose(through, Answers(), "next", "2")
    assert play(book, before, 100, game_report, answers).complete


def test_promotion_can_be_undone() -> None:
    book = make_book("promotions", promotions=[promotion("up", "fighter", to="chief")])
    before = gang(book)
    game_report = make_situation(before, "won", "loser")
    answers = Answers()
    for who in (FIGHTER, OTHER):
        through = play(book, before, 100, game_report, answers)
        answers = engine_answers.promote(through, answers, "up", who)
    through = play(book, before, 100, game_report, answers)
    answers = engine_answers.take_back(through, answers, "promotions", 0)
    assert answers.promotions == (PromotionAnswer(promotion="up", member=OTHER),)
