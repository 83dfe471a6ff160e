"""Traits that members learn from other members, in two of the tests' games."""

from __future__ import annotations

from campaigns.engine.answers import choose
from campaigns.engine.report import Answers, Hire, Report
from campaigns.engine.script_state import Playthrough
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry, dump, parse
from gangs.engine.errors import Misfit
from gangs.engine.fold import apply, fold
from gangs.engine.offers import advances
from gangs.engine.plausibility import implausible
from gangs.engine.roster import Roster
from gangs.history.entry_form import EntryForm, EntryMoment
from gangs.text.entries import Describer
from rules.book.model import Book
from rules.loading.check_building import check
from rules.reference_pages.campaign import campaign
from rules.reference_pages.tables import outcome_in_words
from rules.reference_pages.words import BookWording
from tests.world.campaigns import make_situation, rolled_out
from tests.world.gangs import SLUGS, shipped

VERA, OTTO, NIC = 2, 3, 4


def circle_of(circle: Book, *more: Entry) -> Roster:
    entries = [
        kinds.Founded(name="Lodge", settings=circle.default_settings()),
        kinds.Recruited(rank="caller", name="Vera"),
        kinds.Recruited(rank="medium", name="Otto"),
        kinds.Recruited(rank="novice", name="Nic", owner=VERA),
        *more,
    ]
    return fold(circle, enumerate(entries, start=1))


KNOWN = [
    kinds.TraitTaken(member=VERA, trait="mist"),
    kinds.TraitTaken(member=OTTO, trait="mist"),
    kinds.TraitTaken(member=OTTO, trait="knocking"),
]


def played(
    book: Book, roster: Roster, answers: Answers, *rolls: str, **told: object
) -> Playthrough:
    """Play the post-game of a game won in which everybody took part."""
    everyone = tuple(one.id for one in roster.members)
    report = Report.model_validate({"fielded": everyone, **told})
    game_report = make_situation(roster, "won", "winner", report=report)
    return rolled_out(book, roster, game_report, answers, *rolls)


def test_novice_chooses_a_trait_and_its_teacher(circle: Book) -> None:
    computed = ComputedGang.of(circle, circle_of(circle, *KNOWN))
    offered = advances(computed, computed.roster.member(NIC))
    found = {(one.row.key, one.teacher.id) for one in offered if one.teacher and not one.refusal}
    callings = {row.key for row in circle.traits if "calling" in row.tags}
    known = {VERA: {"mist"}, OTTO: {"mist", "knocking"}}
    assert found == {(key, who) for who, keys in known.items() for key in keys & callings}
    assert all(one.teacher for one in offered)


def test_post_game_records_the_teacher(circle: Book) -> None:
    roster = circle_of(circle, *KNOWN, kinds.Learned(member=NIC, amount=1))
    through = played(circle, roster, Answers(done=("hiring",)))
    questions = [one for one in through.questions.values() if one.kind == "advance"]
    [question] = [one for one in questions if one.member and one.member.id == NIC][:1]
    assert f"mist:{OTTO}" in [choice.value for choice in question.available]
    answers = choose(through, Answers(done=("hiring",)), question.key, f"mist:{OTTO}")
    through = played(circle, roster, answers)
    [taken] = [
        one for one in through.entries if isinstance(one, kinds.TraitTaken) and one.member == NIC
    ]
    assert (taken.trait, taken.teacher, taken.advance) == ("mist", OTTO, True)
    assert parse(dump(taken)) == taken
    said = Describer(circle, roster).describe(taken)
    assert said == "Nic learned Call the mist from Otto."


def test_teacher_who_is_away_teaches_nobody(circle: Book) -> None:
    away = kinds.Suffered(member=OTTO, condition="sulking", games=1)
    computed = ComputedGang.of(circle, circle_of(circle, *KNOWN, away))
    offered = advances(computed, computed.roster.member(NIC))
    assert {one.teacher.id for one in offered if one.teacher} == {VERA}


def test_trait_of_a_teacher_who_never_had_it_is_implausible(circle: Book) -> None:
    roster = circle_of(circle, *KNOWN)
    learned = kinds.TraitTaken(member=NIC, trait="knocking", teacher=VERA)
    assert "not_taught" in [why.code for why in implausible(circle, roster, learned)]
    of_otto = learned.model_copy(update={"teacher": OTTO})
    assert "not_taught" not in [why.code for why in implausible(circle, roster, of_otto)]


def test_trait_of_a_teacher_who_was_struck_does_not_fit(circle: Book) -> None:
    roster = circle_of(circle)
    try:
        apply(circle, roster, 9, kinds.TraitTaken(member=NIC, trait="knocking", teacher=77))
    except Misfit as misfit:
        assert misfit.code == "no_member"
    else:
        raise AssertionError("nobody with this number taught it")


def test_correction_asks_for_a_teacher_only_where_members_teach(
    circle: Book, terraces: Book
) -> None:
    books = [circle, terraces, *map(shipped, SLUGS)]
    for book in books:
        form = EntryForm(EntryMoment(book, Roster(), 5), "trait_taken", None)
        assert ("teacher" in form.fields) == (book in (circle, terraces)), book.slug
    # An entry that has one keeps it.
    taken = kinds.TraitTaken(member=NIC, trait="mist", teacher=OTTO)
    form = EntryForm(EntryMoment(shipped(SLUGS[0]), Roster(), 5), "trait_taken", taken)
    assert "teacher" in form.fields


def test_rolled_advance_teaches_what_elders_know(terraces: Book) -> None:
    entries = [
        kinds.Founded(name="Steps", settings=terraces.default_settings()),
        kinds.Recruited(rank="elder", name="Odile"),
        kinds.Recruited(rank="godchild", name="Guy"),
        kinds.TraitTaken(member=2, trait="counting"),
        kinds.Learned(member=3, amount=2),
    ]
    roster = fold(terraces, enumerate(entries, start=1))
    nothing = {f"cellars:{one}": "nothing" for one in (2, 3)}
    answers = Answers(done=("hiring",), choices=nothing)
    through = played(terraces, roster, answers, "1", "4")
    questions = [one for one in through.questions.values() if one.kind == "advance"]
    assert [[choice.value for choice in one.choices] for one in questions] == [["counting:2"]]
    answers = choose(through, answers, questions[0].key, "counting:2")
    through = played(terraces, roster, answers, "1", "4")
    assert through.roster.member(3).traits == ("counting",)
    # Nobody knows anything: the roll brings nothing.
    empty = fold(terraces, enumerate([*entries[:3], entries[4]], start=1))
    through = played(terraces, empty, Answers(done=("hiring",), choices=nothing), "1", "4")
    assert not [one for one in through.questions.values() if one.kind == "advance"]


def test_dead_owner_takes_a_frightened_pet_along(circle: Book) -> None:
    raven = kinds.Recruited(rank="raven", name="Corax", owner=OTTO)
    roster = circle_of(circle, raven)
    marks = {OTTO: "out", 5: "out"}
    through = played(circle, roster, Answers(done=("hiring",)), "1", marks=marks)
    assert [one.name for one in through.roster.members] == ["Vera", "Nic"]
    # A pet that is no longer there rolls nothing and learns nothing.
    asked = [roll.member.id for roll in through.requests.values() if roll.member]
    assert OTTO in asked and not any(
        getattr(entry, "member", None) == 5 for entry in through.entries
    )


def test_post_game_recruits_for_an_owner(circle: Book) -> None:
    roster = circle_of(circle)
    hired = Hire(rank="raven", name="Corax", owner=OTTO)
    rich = roster.changed(earned=50)
    through = played(circle, rich, Answers(done=("hiring",), recruits=(hired,)))
    refused = [one.refusal.code for state in through.steps for one in state.refused]
    assert not refused
    owners = {one.name: through.roster.owner(one) for one in through.roster.members}
    assert owners["Corax"].name == "Otto"  # type: ignore[union-attr]
    missing = hired.model_copy(update={"owner": None})
    through = played(circle, rich, Answers(done=("hiring",), recruits=(missing,)))
    refused = [one.refusal.code for state in through.steps for one in state.refused]
    assert refused == ["choose_owner"]


def test_rules_name_the_teachers(circle: Book, terraces: Book) -> None:
    words = BookWording(circle, "en")
    pieces = [row for part in campaign(words) for row in part.pieces]
    said = {
        fact.label: [value.text for value in fact.values]
        for piece in pieces
        for fact in piece.facts
        if piece.name == "Novices"
    }
    assert said["Learned from somebody who has them"] == ["Caller, Medium"]
    [outcome] = terraces.table["teachings"].rows[1].outcomes
    sentence = outcome_in_words(BookWording(terraces, "en"), outcome).text
    assert "from somebody who has it: Elder, Steward, Apprentice, Pruner" in sentence


def test_checker_refuses_teachers_of_a_rolled_advance(terraces: Book) -> None:
    rows = [
        row.model_copy(update={"teachers": circle_row.of})
        for row, circle_row in zip(
            terraces.campaign.advancements, terraces.campaign.advancements, strict=True
        )
    ]
    season = terraces.campaign.model_copy(update={"advancements": tuple(rows)})
    found = [path for path, _words in check(terraces.changed(campaign=season))]
    rolled = [place for place, row in enumerate(rows) if row.table is not None]
    assert found == [("campaign", "advancements", place, "teachers") for place in rolled]
