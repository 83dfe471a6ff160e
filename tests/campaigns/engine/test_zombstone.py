"""The post-game of Zombstone, played without a database."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from campaigns.engine import rolls
from campaigns.engine.income import income, points
from campaigns.engine.report import Answers, Hire, PromotionAnswer
from campaigns.engine.script import play
from campaigns.engine.script_state import Playthrough
from campaigns.forms import HireForm
from campaigns.statistics.standings import columns, standings
from gangs.engine import entries as kinds
from gangs.engine import offers
from gangs.engine.actions import found_from_sample
from gangs.engine.computed import ComputedGang
from gangs.engine.roster import Member, Roster
from gangs.engine.validation import findings
from gangs.text.entries import Describer
from rules.book.model import Book
from rules.engine.dice import DiceRoll
from rules.engine.profiles import profile
from tests.gangs.rosters import member, roster
from tests.world.campaigns import make_situation, report_on, rolled_out
from tests.world.gangs import rostered, shipped
from tests.world.pasts import a_row

HERO, DOC, BRUTE, LUKE, ANN = 1, 2, 3, 4, 5
DONE = ("casting", "recruits")
ROLES = {HERO: "heros", DOC: "toubib", BRUTE: "brute"}


@pytest.fixture
def book() -> Book:
    return shipped("zombstone")


def band(book: Book, *, glory: dict[int, int] | None = None, supporting: int = 2) -> Roster:
    """Return a star, two or more supporting roles and two extras, armed, in their second game.

    The advances that their ``glory`` has earned are already taken.
    """
    ranks = ["vedette", "second_role", "second_role", "figurant", "figurant"]
    ranks += ["second_role"] * (supporting - 2)
    members = []
    for number, rank in enumerate(ranks, start=1):
        earned = (glory or {}).get(number, 0)
        role = ROLES.get(number, "toubib" if rank == "second_role" else None)
        one = member(rank, profession=role, items=["colt", "hache"], experience=earned)
        members.append(one.model_copy(update={"advances": earned // 5}))
    return roster(book, *members, games=1)


def run_postgame(
    book: Book,
    before: Roster,
    marks: dict[int, str] | None = None,
    *rolls: str,
    side: str = "loser",
    answers: Answers | None = None,
    **told: object,
) -> Playthrough:
    result = "draw" if side == "level" else "win"
    report = report_on(before, marks=marks or {}, **told)
    game_report = make_situation(before, result, side, report=report)
    return rolled_out(book, before, game_report, answers or Answers(done=DONE), *rolls)


def potential(book: Book, gang: Roster, one: int) -> str:
    scores = profile(book.under(gang.settings), gang.figure(book, gang.member(one))).scores
    return str(scores["pot"].value)


def suffers(one: Member) -> list[str]:
    return [suffered.condition for suffered in one.afflictions]


def glory(gang: Roster) -> dict[int, int]:
    return {one.id: one.experience for one in gang.members}


# One poker die


def test_post_game_has_five_steps_in_order(book: Book) -> None:
    steps = [state.step.key for state in run_postgame(book, band(book)).steps]
    assert steps == ["fates", "glory", "advances", "casting", "recruits"]


@pytest.mark.parametrize("who", [HERO, DOC])
@pytest.mark.parametrize(
    ("face", "outcome"),
    [
        ("9", "dead"),
        ("10", "scar"),
        ("J", "misses"),
        ("V", "misses"),
        ("q", "disarmed"),
        ("D", "disarmed"),
        ("K", "back"),
        ("R", "back"),
        ("A", "glory"),
    ],
)
def test_poker_die_decides_the_fate_of_stars_and_supporting_roles(
    book: Book, who: int, face: str, outcome: str
) -> None:
    before = band(book)
    through = run_postgame(book, before, {who: "hs"}, face)
    assert through.complete
    if outcome == "dead":
        assert [(gone.member.id, gone.fate) for gone in through.roster.departed] == [(who, "dead")]
        return
    back = through.roster.member(who)
    assert suffers(back) == {"scar": ["scar"], "misses": ["recovering"]}.get(outcome, [])
    assert len(back.items) == (0 if outcome == "disarmed" else 2)
    assert back.experience == (2 if outcome == "glory" else 1)
    healthy, wounded = potential(book, before, who).split("/")
    scarred = int(wounded) - (outcome == "scar")
    assert potential(book, through.roster, who) == f"{healthy}/{scarred}"


def test_scars_never_reduce_potential_below_zero(book: Book) -> None:
    before = band(book)
    for _ in range(3):
        before = run_postgame(book, before, {DOC: "hs"}, "10").roster
    assert suffers(before.member(DOC)) == ["scar"] * 3
    assert potential(book, before, DOC) == "2/0"


def test_recovering_member_returns_after_a_game(book: Book) -> None:
    laid_up = run_postgame(book, band(book), {HERO: "hs"}, "V").roster
    assert suffers(laid_up.member(HERO)) == ["recovering"]
    assert suffers(run_postgame(book, laid_up).roster.member(HERO)) == []


@pytest.mark.parametrize(
    ("face", "back"),
    [("9", False), ("10", False), ("V", True), ("D", True), ("R", True), ("A", True)],
)
def test_poker_die_decides_the_fate_of_extras(book: Book, face: str, back: bool) -> None:
    through = run_postgame(book, band(book), {LUKE: "hs"}, face)
    assert through.complete
    assert [gone.fate for gone in through.roster.departed] == ([] if back else ["gone"])
    if back:
        assert through.roster.member(LUKE).experience == 1
    assert through.roster.stash == (), "an extra who leaves takes their items along"


def test_fled_member_returns_without_a_roll(book: Book) -> None:
    through = run_postgame(book, band(book), {HERO: "fled", LUKE: "fled"}, side="winner")
    assert through.complete and not through.requests
    assert glory(through.roster) == {HERO: 1, DOC: 2, BRUTE: 2, LUKE: 0, ANN: 1}


def test_history_uses_the_words_of_the_rulebook(book: Book) -> None:
    """A die shows its faces, a profession is a role, a squad a group."""
    describer = Describer(book, band(book))
    table = next(row for row in book.tables if row.faces)
    shown = DiceRoll(dice="1d6", faces=(3,), thrown_by="table")
    rolled = describer.describe(kinds.Rolled(member=DOC, table=table.key, roll=shown))
    assert f"{table.name['en']}: {table.faces[2]['en']} (" in rolled
    assert describer.describe(kinds.ProfessionChosen(member=DOC, profession="brute")).endswith(
        f": {book.profession_name['en']} {book.profession['brute'].name['en']}."
    )
    assert describer.describe(kinds.SquadJoined(member=LUKE, squad="Saloon")).endswith(
        f": {book.squad_name['en']} Saloon."
    )


def test_die_can_be_typed_as_a_face_or_a_number(book: Book) -> None:
    asked = run_postgame(book, band(book), {DOC: "hs"})
    (one,) = asked.requests.values()
    for typed in ("V", "v", "J", " j "):
        answers = Answers(rolls=rolls.take_over(asked.requests, {}, one.key, typed))
        assert answers.rolls[one.key].faces == (3,)


# Glory


def test_glory_is_given_for_survival_wins_and_kills(book: Book) -> None:
    """1 for surviving; except for extras, 1 for winning and 1 or 2 for each enemy put out."""
    counts = {
        "stars_out": {HERO: 1, LUKE: 1},
        "supporting_out": {HERO: 1, DOC: 2, LUKE: 1},
        "extras_out": {BRUTE: 3, LUKE: 3},
    }
    through = run_postgame(book, band(book), side="winner", counts=counts)
    assert glory(through.roster) == {HERO: 2 + 3, DOC: 2 + 2, BRUTE: 2, LUKE: 1, ANN: 1}


def test_dead_and_absent_members_earn_no_glory(book: Book) -> None:
    before = band(book)
    through = run_postgame(book, before, {DOC: "hs"}, "9", side="level", fielded=(HERO, DOC))
    assert glory(through.roster) == {HERO: 1, BRUTE: 0, LUKE: 0, ANN: 0}


# Advances


def band_with_advances(book: Book, who: int, *traits: str) -> Roster:
    """Return the band after ``who`` has taken an advance for every fifth point of glory."""
    gang = band(book, glory={who: 4})
    gang = gang.model_copy(
        update={
            "members": tuple(
                one.model_copy(update={"experience": 5 * len(traits), "advances": 0})
                if one.id == who
                else one
                for one in gang.members
            )
        }
    )
    answers = Answers(done=DONE)
    for trait in traits:
        asked = run_postgame(book, gang, answers=answers)
        (key,) = [key for key, one in asked.questions.items() if one.chosen is None]
        answers = answers.model_copy(update={"choices": answers.choices | {key: trait}})
    through = run_postgame(book, gang, answers=answers)
    assert through.complete
    assert through.roster.member(who).traits == traits
    return through.roster


@pytest.mark.parametrize(
    ("who", "traits", "pot", "hand", "barrel"),
    [
        (HERO, ("talent",), "4/2", "2", "WWWRRR"),
        (DOC, ("talent",), "3/1", "1", "WWWRR"),
        (DOC, ("dur_a_cuire",), "2/2", "1", "WWWRR"),
        (HERO, ("dur_a_cuire", "inspire"), "3/3", "3", "WWWRRR"),
        (DOC, ("inspire", "carcasse"), "2/1", "2", "WWWWRR"),
    ],
)
def test_advances_change_the_profile(
    book: Book, who: int, traits: tuple[str, ...], pot: str, hand: str, barrel: str
) -> None:
    gang = band_with_advances(book, who, *traits)
    scores = profile(book.under(gang.settings), gang.figure(book, gang.member(who))).scores
    assert [str(scores[key].value) for key in ("pot", "hand", "barrel")] == [pot, hand, barrel]


def test_each_advance_is_offered_once_and_the_mug_only_to_stars(book: Book) -> None:
    before = band(book, glory={HERO: 4, DOC: 4, LUKE: 4})
    members = tuple(
        one.model_copy(update={"traits": ("talent",)}) if one.id == HERO else one
        for one in before.members
    )
    asked = run_postgame(book, before.model_copy(update={"members": members}))
    offered = {
        advance.member.id: {one.value for one in advance.choices if one.refusal is None}
        for advance in asked.questions.values()
    }
    both = {"dur_a_cuire", "inspire", "carcasse", "nerfs_solides"}
    assert offered == {HERO: both | {"gueule_patibulaire"}, DOC: both | {"talent"}}


# Careers


def test_noticed_extra_becomes_a_supporting_role(book: Book) -> None:
    answers = Answers(done=DONE, promotions=(PromotionAnswer(promotion="noticed", member=LUKE),))
    through = run_postgame(book, band(book, glory={LUKE: 4}), answers=answers)
    assert through.complete
    luke = through.roster.member(LUKE)
    assert (luke.rank, luke.experience, luke.experience_at_rank) == ("second_role", 5, 0)
    assert potential(book, through.roster, LUKE) == "2/1"
    said = [finding.code for finding in findings(book, through.roster)]
    assert said == ["E_ROLE"], "a new supporting role still has to choose a role"


def test_extra_is_not_noticed_with_four_points(book: Book) -> None:
    answers = Answers(promotions=(PromotionAnswer(promotion="noticed", member=LUKE),))
    state = run_postgame(book, band(book, glory={LUKE: 3}), answers=answers).step("casting")
    assert [unmet.refusal.code for unmet in state.refused] == ["gone"]


def test_extra_is_not_noticed_when_there_are_five_supporting_roles(book: Book) -> None:
    before = band(book, glory={LUKE: 4}, supporting=5)
    through = run_postgame(book, before)
    (noticed, _) = through.step("casting").promotions
    assert noticed.refusal is not None and noticed.refusal.code == "promotion_full"
    assert through.complete


def test_top_billing_keeps_the_better_values_of_two_profiles(book: Book) -> None:
    """Talent gave 3/1, a star has 3/2; with equal cartridges the barrel keeps more white ones."""
    before = band(book, glory={DOC: 19})
    members = tuple(
        one.model_copy(update={"traits": ("talent", "inspire", "carcasse")})
        if one.id == DOC
        else one
        for one in before.members
    )
    before = before.model_copy(update={"members": members})
    answers = Answers(done=DONE, promotions=(PromotionAnswer(promotion="top_billing", member=DOC),))
    asked = run_postgame(book, before, answers=answers)
    (key,) = asked.questions
    answers = answers.model_copy(update={"choices": {key: "nerfs_solides"}})
    through = run_postgame(book, before, answers=answers)
    assert through.complete
    star = through.roster.member(DOC)
    assert (star.rank, star.experience_at_rank, star.advances) == ("vedette", 20, 4)
    scores = profile(book.under(through.roster.settings), through.roster.figure(book, star)).scores
    values = [str(scores[key].value) for key in ("pot", "hand", "barrel")]
    assert values == ["3/2", "2", "WWWWRR"]


@pytest.mark.parametrize(("chosen", "places"), [("among", 2), ("apart", 3)])
def test_setting_decides_the_number_of_stars(book: Book, chosen: str, places: int) -> None:
    before = band(book, glory={DOC: 20, BRUTE: 20})
    before = before.model_copy(update={"settings": before.settings | {"jeune_premier": chosen}})
    through = run_postgame(book, before, answers=Answers())
    (rise,) = [
        rise for rise in through.step("casting").promotions if rise.promotion.to == "vedette"
    ]
    assert rise.promotion.below == places
    assert {one.id for one in rise.candidates} == {DOC, BRUTE}
    ascents = [PromotionAnswer(promotion=rise.promotion.key, member=one) for one in (DOC, BRUTE)]
    state = run_postgame(book, before, answers=Answers(promotions=tuple(ascents))).step("casting")
    assert len(state.refused) == 3 - places


# New faces


def test_recruits_are_one_star_one_supporting_role_and_any_extras(book: Book) -> None:
    hires = [Hire(rank=rank) for rank in ("vedette", "second_role", *["figurant"] * 4)]
    through = run_postgame(book, band(book), answers=Answers(done=DONE, recruits=tuple(hires)))
    assert through.complete
    assert len(through.roster.members) == 11
    assert through.roster.treasury == 0
    for rank in ("vedette", "second_role"):
        twice = Answers(done=DONE, recruits=(Hire(rank=rank), Hire(rank=rank)))
        refused = run_postgame(book, band(book), answers=twice).step("recruits").refused
        assert [unmet.refusal.code for unmet in refused] == ["quota_used_up"]


def test_star_chooses_a_role_when_hired(book: Book) -> None:
    role = next(row.key for row in book.professions if not row.ranks or "vedette" in row.ranks)
    hires = (Hire(rank="vedette", name="Grace", profession=role), Hire(rank="figurant", name="Al"))
    through = run_postgame(book, band(book), answers=Answers(done=DONE, recruits=hires))
    assert through.complete
    joined = [(one.name, one.profession) for one in through.roster.members[-2:]]
    assert joined == [("Grace", role), ("Al", None)]
    for wrong in (
        Hire(rank="vedette", profession="dentist"),
        Hire(rank="figurant", profession=role),
    ):
        answers = Answers(done=DONE, recruits=(wrong,))
        refused = run_postgame(book, band(book), answers=answers).step("recruits").refused
        assert [unmet.refusal.code for unmet in refused] == ["not_for_rank"]


def test_form_asks_for_a_role_only_when_the_game_has_roles(book: Book) -> None:
    here = ComputedGang.of(book, run_postgame(book, band(book), answers=Answers()).roster)
    form = HireForm(here, None, offers.ranks(here))
    assert [*form.fields][:2] == ["rank", "profession"]
    assert form.fields["profession"].label == "Role"
    data = QueryDict("rank=figurant&name=Al&profession=" + book.professions[0].key)
    form = HireForm(here, data, offers.ranks(here))
    assert form.is_valid() and form.cleaned_data["profession"] == ""
    cran = shipped("cran")
    plain = ComputedGang.of(cran, rostered(cran, found_from_sample(cran, cran.samples[0])))
    assert "profession" not in HireForm(plain, None, offers.ranks(plain)).fields


def test_zombies_cannot_be_hired(book: Book) -> None:
    state = play(
        book,
        band(book),
        100,
        make_situation(band(book), "draw", "level"),
        Answers(done=("casting",), recruits=(Hire(rank="zombie"),)),
    ).step("recruits")
    assert [unmet.refusal.code for unmet in state.refused] == ["not_offered"]
    assert state.hiring is not None
    assert "zombie" not in {offer.row.key for offer in state.hiring.offers}


# Box-office


@pytest.mark.parametrize(
    ("result", "side", "stars", "expected"),
    [
        ("win", "winner", 0, 3),
        ("win", "winner", 2, 5),
        ("win", "loser", 1, 1),
        ("draw", "level", 1, 2),
    ],
)
def test_box_office_counts_result_and_fallen_stars(
    book: Book, result: str, side: str, stars: int, expected: int
) -> None:
    before = band(book)
    # Fallen stars count even without a known attacker.
    tallies = {"stars_fallen": stars} if stars else {}
    report = report_on(before, counts={"supporting_out": {HERO: 4}}, tallies=tallies)
    game_report = make_situation(before, result, side, report=report)
    assert points(book.under(before.settings), game_report) == expected
    assert income(book.under(before.settings), game_report) == []


def test_standings_sort_by_box_office_then_wins(book: Book) -> None:
    before = band(book)

    def game(result: str, side: str, stars: int = 0):
        report = report_on(before, tallies={"stars_fallen": stars} if stars else {})
        return make_situation(before, result, side, report=report)

    played = {
        "Draws": [game("draw", "level") for _ in range(3)],
        "Once": [game("win", "winner"), game("win", "loser")],
        "Last": [game("win", "loser", stars=2)],
        "Also": [game("win", "winner")],
    }
    lines = [a_row(book, before.settings, name, name, 0, *games) for name, games in played.items()]
    rows = standings(book, lines)
    assert [(row.place, row.name, row.points) for row in rows] == [
        (1, "Also", 3),
        (1, "Once", 3),
        (3, "Draws", 3),
        (4, "Last", 2),
    ]
    assert columns(book) == ("points", "wins", "taken_out")
