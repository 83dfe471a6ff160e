"""The post-game of Cran, played without a database."""

from __future__ import annotations

import pytest

from campaigns.engine.income import income
from campaigns.engine.report import TAKEN_OUT, Answers, GameReport, Hire
from campaigns.engine.script import play
from campaigns.engine.script_state import Playthrough
from campaigns.postgames.text import compare_states
from gangs.engine import entries as kinds
from gangs.engine.actions import found_from_sample
from gangs.engine.computed import ComputedGang
from gangs.engine.roster import Affliction, Roster
from gangs.engine.valuation import gang_rating
from rules.book.model import Book
from rules.book.vocabulary import Settings
from rules.engine.dice import row_chance
from rules.engine.profiles import profile
from tests.gangs.rosters import codes, member, roster
from tests.world.campaigns import make_situation, report_on, rolled_out
from tests.world.gangs import rostered, shipped

BOSS, ABEL, SILAS, MARSH, KIT, OSEI = range(1, 7)
RANKS = {"H": "hero", "V": "veteran", "N": "novice"}
DONE = Answers(done=("spending",))
SKILLS = ["steady_aim", "long_sight", "gun_care", "brawler", "guarded", "iron_fist", "tough_hide"]


@pytest.fixture
def book() -> Book:
    return shipped("cran")


def gang(
    book: Book,
    shape: str = "VNNNNN",
    *,
    experience: dict[int, int] | None = None,
    boss: int | None = BOSS,
    earned: int = 0,
    settings: Settings | None = None,
) -> Roster:
    """Return a gang in its second game by the letters of its ranks, with a revolver each.

    The advances that their experience has earned are already taken.
    """
    members = []
    for number, letter in enumerate(shape, start=1):
        had = (experience or {}).get(number, 0)
        traits = ["boss"] if number == boss else []
        one = member(RANKS[letter], items=["revolver"], traits=traits, experience=had)
        members.append(one.model_copy(update={"advances": had // 4}))
    return roster(book, *members, games=1, earned=earned, settings=settings)


def game(before: Roster, side: str = "loser", *, above: int = 0, **told: object) -> GameReport:
    """Return a game against a gang whose infamy is higher by ``above``."""
    result = "draw" if side == "level" else "victory"
    report = report_on(before, **told)
    return make_situation(before, result, side, report=report, rating=20, opponents=(20 + above,))


def run_postgame(
    book: Book,
    before: Roster,
    marks: dict[int, str] | None = None,
    *rolls: str,
    side: str = "loser",
    above: int = 0,
    answers: Answers = DONE,
    **told: object,
) -> Playthrough:
    game_report = game(before, side, above=above, marks=marks or {}, **told)
    return rolled_out(book, before, game_report, answers, *rolls)


def suffers(gang: Roster, one: int) -> list[tuple[str, int]]:
    return [(got.condition, got.games_left) for got in gang.member(one).afflictions]


def experience(gang: Roster) -> list[int]:
    return [one.experience for one in gang.members]


def ranks(gang: Roster) -> str:
    return "".join(one.rank[0].upper() for one in gang.members)


def test_post_game_has_six_steps_in_order(book: Book) -> None:
    steps = [state.step.key for state in run_postgame(book, gang(book)).steps]
    assert steps == ["income", "injuries", "experience", "advances", "new_boss", "spending"]


def test_one_off_game_has_no_post_game(book: Book) -> None:
    before = gang(book, settings={"play": "one_off"})
    through = run_postgame(book, before, {ABEL: "casualty"}, side="winner", above=9)
    assert through.complete and through.steps == ()
    assert through.roster.treasury == 0


# Income and underdogs


@pytest.mark.parametrize(("side", "dollars"), [("winner", 8), ("level", 6), ("loser", 4)])
@pytest.mark.parametrize("loot", [0, 3])
def test_income_depends_on_result_and_loot(book: Book, side: str, dollars: int, loot: int) -> None:
    through = run_postgame(book, gang(book), side=side, tallies={"loot": loot})
    assert through.roster.treasury == dollars + loot


@pytest.mark.parametrize(
    ("above", "dollars", "lesson"),
    [
        (-6, 0, 0),
        (0, 0, 0),
        (1, 0, 0),
        (2, 1, 0),
        (3, 1, 0),
        (4, 2, 1),
        (9, 4, 1),
        (10, 5, 1),
        (30, 5, 1),
    ],
)
def test_underdogs_earn_dollars_and_a_lesson(
    book: Book, above: int, dollars: int, lesson: int
) -> None:
    """A dollar for every two points of infamy, up to five; from four points the boss learns."""
    through = run_postgame(book, gang(book), above=above)
    assert through.roster.treasury == 4 + dollars
    assert experience(through.roster) == [1 + lesson, 1, 1, 1, 1, 1]
    earned = income(book.under(through.roster.settings), game(gang(book), above=above))
    assert [one.amount for one in earned if one.why == "underdog"] == ([dollars] if dollars else [])


def test_founding_money_left_over_is_kept_once(book: Book) -> None:
    """$22 less six revolvers are added after the first game only."""
    founding = gang(book).model_copy(update={"played": (), "first_size": 0})
    first = run_postgame(book, founding)
    assert first.roster.treasury == 22 - 6 * 2 + 4
    assert run_postgame(book, first.roster).roster.treasury == 22 - 6 * 2 + 4 + 4


def test_ready_made_gang_has_no_founding_money_left(book: Book) -> None:
    founding = rostered(book, found_from_sample(book, book.samples[0]))
    assert play(book, founding, 100, game(founding), DONE).roster.treasury == 4


# Injuries


@pytest.mark.parametrize(
    ("rolls", "after"),
    [
        *((("2", face), [("maimed_shooting", 0)]) for face in ("1", "3", "5", "7", "9")),
        *((("2", face), [("maimed_combat", 0)]) for face in ("2", "4", "6", "8", "10")),
        *(((face,), [("laid_up", 1)]) for face in "34"),
        *(((face,), []) for face in ("5", "6", "7", "8", "9", "10")),
    ],
)
def test_casualty_roll_gives_its_injury(
    book: Book, rolls: tuple[str, ...], after: list[tuple[str, int]]
) -> None:
    before = gang(book)
    through = run_postgame(book, before, {ABEL: "casualty"}, *rolls)
    assert through.complete
    assert suffers(through.roster, ABEL) == after
    assert through.roster.member(ABEL).experience == 1 + (rolls == ("10",))
    abel = through.roster.member(ABEL)
    scores = profile(book.under(before.settings), through.roster.figure(book, abel))
    maimed = after[0][0] if after else ""
    lost = (maimed == "maimed_shooting", maimed == "maimed_combat")
    whole = profile(book.under(before.settings), before.figure(book, before.member(ABEL)))
    for key, less in zip(("shooting", "combat"), lost, strict=True):
        assert scores.number(key) == whole.number(key) - less


def test_dead_member_loses_their_items(book: Book) -> None:
    through = run_postgame(book, gang(book), {ABEL: "casualty"}, "1")
    assert through.complete
    assert [gone.member.id for gone in through.roster.departed] == [ABEL]
    assert through.roster.stash == ()


@pytest.mark.parametrize(
    ("who", "dice", "chance"), [(BOSS, "1d10", 40), (ABEL, "1d8", 50), (SILAS, "1d6", 67)]
)
def test_member_down_at_the_end_tests_their_grit(
    book: Book, who: int, dice: str, chance: int
) -> None:
    before = gang(book, "HVNNNN")
    for number in range(1, int(dice.removeprefix("1d")) + 1):
        face, fine = str(number), number >= 5
        through = run_postgame(book, before, {who: "down"}, face)
        (first, *then) = through.requests.values()
        assert (first.dice, through.complete, len(then)) == (dice, fine, 0 if fine else 1)
        if not fine:
            assert first.table and first.row
            assert round(row_chance(first.table, first.row) * 100) == chance
            assert then[0].dice == "1d10"
            through = run_postgame(book, before, {who: "down"}, face, "4")
            assert suffers(through.roster, who) == [("laid_up", 1)]


def test_fled_member_is_unhurt(book: Book) -> None:
    through = run_postgame(book, gang(book), {ABEL: "fled"})
    assert through.complete and not through.requests
    assert through.roster.member(ABEL).experience == 1


# Experience


def test_experience_is_given_for_playing_kills_and_the_winning_boss(book: Book) -> None:
    """One point for taking part, one for each of up to two enemies, one for the winning boss."""
    counts = {TAKEN_OUT: {BOSS: 1, ABEL: 2, SILAS: 5}}
    told = {"counts": counts, "fielded": (BOSS, ABEL, SILAS, MARSH)}
    won = run_postgame(book, gang(book), side="winner", above=4, **told)
    assert experience(won.roster) == [4, 3, 3, 1, 0, 0]
    assert experience(run_postgame(book, gang(book), **told).roster) == [2, 3, 3, 1, 0, 0]


# Advances


def catch_up_advances(
    book: Book, before: Roster, who: int, *skills: str, lessons: int
) -> Playthrough:
    """Play the post-game of a member with ``lessons`` untaken advances and these skills."""
    members = tuple(
        one.model_copy(update={"experience": lessons * 4, "advances": 0}) if one.id == who else one
        for one in before.members
    )
    before = before.model_copy(update={"members": members})
    answers = DONE
    for skill in skills:
        asked = run_postgame(book, before, answers=answers)
        (key,) = [key for key, one in asked.questions.items() if one.chosen is None]
        answers = answers.model_copy(update={"choices": answers.choices | {key: skill}})
    return run_postgame(book, before, answers=answers)


def test_first_advance_is_a_skill_and_the_second_a_rank(book: Book) -> None:
    through = catch_up_advances(book, gang(book), ABEL, lessons=1)
    (advance,) = through.questions.values()
    free = [choice.value for choice in advance.choices if choice.refusal is None]
    assert set(SKILLS) < set(free), "neither boss nor arcanist is offered"
    assert all("skill" in book.trait[key].tags for key in free)
    through = catch_up_advances(book, gang(book), ABEL, "brawler", lessons=2)
    assert through.complete
    assert (ranks(through.roster), through.roster.member(ABEL).advances) == ("VVNNNN", 2)
    assert through.roster.member(ABEL).experience == 8 + 1


def test_third_advance_is_a_skill_and_the_fourth_makes_a_hero(book: Book) -> None:
    through = catch_up_advances(book, gang(book), ABEL, "brawler", "guarded", lessons=4)
    assert through.complete
    assert ranks(through.roster) == "VHNNNN"
    grit = profile(book.under({}), through.roster.figure(book, through.roster.member(ABEL)))
    assert str(grit.scores["grit"].value) == "D10"


def test_gang_has_a_single_hero(book: Book) -> None:
    """A veteran takes a skill instead when the gang already has a hero."""
    before = gang(book, "HVNNNN", boss=1)
    through = catch_up_advances(book, before, ABEL, "brawler", "guarded", lessons=2)
    assert through.complete
    assert ranks(through.roster) == "HVNNNN"
    assert through.roster.member(ABEL).traits == ("brawler", "guarded")


def test_boss_becomes_a_hero_beside_another_hero(book: Book) -> None:
    before = gang(book, "HVNNNN", boss=2)
    through = catch_up_advances(book, before, ABEL, "brawler", lessons=2)
    assert through.complete
    assert ranks(through.roster) == "HHNNNN"


def test_a_hero_takes_a_skill_instead_of_a_rank(book: Book) -> None:
    through = catch_up_advances(book, gang(book, "HNNNNN"), BOSS, "brawler", "guarded", lessons=2)
    assert through.complete
    assert through.roster.member(BOSS).traits == ("boss", "brawler", "guarded")


def test_only_the_first_of_two_veterans_becomes_a_hero(book: Book) -> None:
    """The second veteran takes a skill."""
    before = gang(book, "NVVNNN", boss=1)
    members = tuple(
        one.model_copy(update={"experience": 8, "advances": 1}) if one.rank == "veteran" else one
        for one in before.members
    )
    through = run_postgame(book, before.model_copy(update={"members": members}))
    assert ranks(through.roster) == "NHVNNN"
    (advance,) = through.questions.values()
    assert advance.member.id == SILAS


# The boss


def test_highest_rank_succeeds_a_dead_boss(book: Book) -> None:
    before = gang(book, "VNVNNN", experience={ABEL: 2})
    through = run_postgame(book, before, {BOSS: "casualty"}, "1")
    assert through.complete
    assert through.roster.member(SILAS).traits == ("boss",)
    assert through.roster.treasury == 4, "succession costs nothing"


def test_most_experience_succeeds_a_dead_boss_when_ranks_are_equal(book: Book) -> None:
    through = run_postgame(book, gang(book, experience={KIT: 2}), {BOSS: "casualty"}, "1")
    assert through.complete
    assert through.roster.member(KIT).traits == ("boss",)


def test_player_chooses_a_new_boss_among_equals(book: Book) -> None:
    before = gang(book)
    asked = run_postgame(book, before, {BOSS: "casualty"}, "1")
    (question,) = asked.questions.values()
    assert [choice.about.id for choice in question.choices] == [ABEL, SILAS, MARSH, KIT, OSEI]
    answers = DONE.model_copy(update={"choices": {"new_boss": str(MARSH)}})
    through = run_postgame(book, before, {BOSS: "casualty"}, "1", answers=answers)
    assert through.complete
    assert [one.id for one in through.roster.members if "boss" in one.traits] == [MARSH]


# Spending and infamy


def hire_recruits(book: Book, treasury: int, *hires: str) -> Playthrough:
    before = gang(book, earned=treasury - 4)
    answers = Answers(done=DONE.done, recruits=tuple(Hire(rank=rank) for rank in hires))
    return run_postgame(book, before, answers=answers)


@pytest.mark.parametrize(("rank", "price"), [("novice", 4), ("veteran", 10)])
def test_recruit_is_paid_and_comes_unarmed(book: Book, rank: str, price: int) -> None:
    through = hire_recruits(book, 12, rank)
    assert through.complete
    assert through.roster.treasury == 12 - price
    assert through.roster.members[-1].items == (), "a recruit has no items"
    refused = hire_recruits(book, price - 1, rank).step("spending").refused
    assert [unmet.refusal.code for unmet in refused] == ["too_dear"]


def test_hero_cannot_be_recruited(book: Book) -> None:
    refused = hire_recruits(book, 100, "hero").step("spending").refused
    assert [unmet.refusal.code for unmet in refused] == ["never_recruited"]


def test_recruits_stop_at_ten_members(book: Book) -> None:
    """An eleventh member is refused and costs nothing (CR-E01)."""
    for asked, joined in ((4, 4), (5, 4)):
        through = hire_recruits(book, 20, *["novice"] * asked)
        assert (len(through.roster.members), through.roster.treasury) == (
            6 + joined,
            20 - 4 * joined,
        )
        refused = through.step("spending").refused
        assert [unmet.refusal.code for unmet in refused] == ["beyond_limit"] * (asked - joined)
        assert "CR-E01 error" not in codes(book, through.roster)


def test_infamy_counts_ranks_and_skills(book: Book) -> None:
    """A member who is laid up counts, and a recruit adds their rank."""
    before = gang(book)
    assert gang_rating(book, before).total == 2 + 5
    laid_up = run_postgame(book, before, {ABEL: "casualty"}, "3").roster
    assert gang_rating(book, laid_up).total == 2 + 5
    risen = catch_up_advances(book, before, ABEL, "brawler", lessons=2).roster
    assert gang_rating(book, risen).total == 2 + 2 + 1 + 4
    assert gang_rating(book, hire_recruits(book, 12, "veteran").roster).total == 2 + 5 + 2


def test_preview_shows_the_budget_left_before_the_first_game() -> None:
    book = shipped("cran")
    assert book.money is not None
    roster = rostered(book, [kinds.Founded(name="New", settings=book.default_settings())])
    left = ComputedGang.of(book, roster).left
    told = compare_states(book, roster, roster)
    assert left and left > 0
    assert [row[1:] for row in told if row[0] == book.money.name["en"]] == [(left, left)]


def test_preview_shows_the_experience_of_each_member(book: Book) -> None:
    before = rostered(book, found_from_sample(book, book.samples[0]))
    one, *others = before.members
    wiser = one.model_copy(update={"experience": one.experience + 3})
    after = before.model_copy(update={"members": (wiser, *others)})
    told = compare_states(book, before, after)
    assert (f"{one.name} · Experience", one.experience, one.experience + 3) in told
    assert sum("Experience" in row[0] for row in told) == 1


def test_preview_shows_changed_characteristics(book: Book) -> None:
    before = rostered(book, found_from_sample(book, book.samples[0]))
    one, *others = before.members
    worse = next(row for row in book.conditions if row.effects)
    hurt = one.model_copy(update={"afflictions": (Affliction(condition=worse.key),)})
    after = before.model_copy(update={"members": (hurt, *others)})
    [effect] = worse.effects
    name = book.characteristic[effect.characteristic].name["en"]
    [told] = [row for row in compare_states(book, before, after) if name in row[0]]
    assert told[0] == f"{one.name} · {name}"
    old, new = (
        ComputedGang.of(book, roster).profiles[one.id].scores[effect.characteristic].value
        for roster in (before, after)
    )
    assert told[1:] == (str(old), str(new)) and old != new
    assert not [row for row in compare_states(book, before, before) if "·" in row[0]]
