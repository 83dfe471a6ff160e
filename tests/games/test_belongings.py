"""Members who belong to members, in two of the tests' games."""

from __future__ import annotations

import uuid

import pytest

from campaigns.engine.crew import candidates
from common.errors import Refusal
from gangs.builder.forms import MemberForm, RecruitForm
from gangs.cards.render import render
from gangs.engine import actions, offers
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.differences import between
from gangs.engine.entries import Entry, dump, parse
from gangs.engine.errors import Misfit
from gangs.engine.fold import fold, no_books, refold
from gangs.engine.groups import alike
from gangs.engine.plausibility import implausible_entries
from gangs.engine.ready_made import examine_ready_made
from gangs.engine.refounding import refound
from gangs.engine.replaying import LedgerRow, Playback, refold_later
from gangs.engine.roster import FOLLOWED, Roster
from gangs.engine.validation import findings
from gangs.engine.version_change import carry_over
from gangs.text.entries import Describer
from gangs.text.formats import fate_sentence
from rules.book.model import Archetype, Book, Sample, SampleMember
from rules.book.schema import Belonging
from rules.book.vocabulary import Selector, Text
from rules.loading.check_building import check
from rules.loading.examining import notes
from rules.reference_pages.characters import characters
from rules.reference_pages.words import BookWording
from tests.world.gangs import played

VERA, OTTO, ANN = 2, 3, 4
RAVEN, OTHER = 5, 6
CIRCLE: list[Entry] = [
    kinds.Recruited(rank="caller", name="Vera"),
    kinds.Recruited(rank="medium", name="Otto"),
    kinds.Recruited(rank="sitter", name="Ann"),
]
PET = kinds.Recruited(rank="raven", name="Corax", owner=VERA)


def roster_after(book: Book, *more: Entry) -> Roster:
    founded = kinds.Founded(name="Lodge", settings=book.default_settings())
    return fold(book, enumerate([founded, *more], start=1))


def circle_after(book: Book, *more: Entry) -> ComputedGang:
    return ComputedGang.of(book, roster_after(book, *CIRCLE, *more))


def names(roster: Roster) -> list[str]:
    return [one.name for one in roster.members]


def without_belonging(book: Book, rank: str) -> Book:
    rows = (
        row.model_copy(update={"belongs_to": None}) if row.key == rank else row
        for row in book.ranks
    )
    return book.changed(ranks=tuple(rows))


def with_owners(book: Book, rank: str, belonging: Belonging) -> Book:
    rows = (
        row.model_copy(update={"belongs_to": belonging}) if row.key == rank else row
        for row in book.ranks
    )
    return book.changed(ranks=tuple(rows))


def test_recruit_asks_for_an_owner_when_several_can_have_one(circle: Book) -> None:
    gang = circle_after(circle)
    with pytest.raises(Refusal) as refused:
        actions.recruit(gang, "raven", "Corax")
    assert refused.value.code == "choose_owner"
    with pytest.raises(Refusal) as refused:
        actions.recruit(gang, "raven", "Corax", owner=ANN)
    assert refused.value.code == "not_owner"
    [recruit] = actions.recruit(gang, "raven", "Corax", owner=OTTO)
    assert parse(dump(recruit)) == recruit
    assert recruit.owner == OTTO  # type: ignore[attr-defined]
    # Only one caller can have a novice, so nobody is asked.
    [novice] = actions.recruit(gang, "novice", "")
    assert novice.owner == VERA  # type: ignore[attr-defined]
    # The owner means nothing for a rank that belongs to nobody.
    [sitter] = actions.recruit(gang, "sitter", "", owner=OTTO)
    assert sitter.owner is None  # type: ignore[attr-defined]


def test_an_owner_has_no_more_than_the_most_of_a_rank(circle: Book) -> None:
    gang = circle_after(circle)
    with pytest.raises(Refusal) as refused:
        actions.recruit(gang, "novice", "", count=2, owner=VERA)
    assert refused.value.code == "owner_full"
    taught = circle_after(circle, kinds.Recruited(rank="novice", owner=VERA))
    offer = offers.rank
    with pytest.raises(Refusal) as refused:
        offer(taught, "novice")
    assert refused.value.code == "nobody_owns"
    assert offer(taught, "raven").refusal is None


def test_nobody_recruits_for_an_owner_who_is_missing(circle: Book) -> None:
    alone = ComputedGang.of(circle, roster_after(circle, kinds.Recruited(rank="sitter")))
    found = {offer.row.key: offer for offer in offers.ranks(alone)}
    for key, code in (("raven", "nobody_owns"), ("sitter", None)):
        refusal = found[key].refusal
        assert (refusal.code if refusal else None) == code


def test_pet_stands_behind_its_owner(circle: Book) -> None:
    gang = circle_after(circle, PET, kinds.Recruited(rank="raven", name="Rook", owner=OTTO))
    assert names(gang.roster) == ["Vera", "Corax", "Otto", "Rook", "Ann"]
    # Moved down, an owner takes the pet along, past the next member and theirs.
    entries = actions.reorder(gang, VERA, by=1)
    after = fold(circle, enumerate(entries, start=9), gang.roster)
    assert names(after) == ["Otto", "Rook", "Vera", "Corax", "Ann"]
    [back] = actions.reorder(ComputedGang.of(circle, after), VERA, by=-1)
    assert names(fold(circle, [(10, back)], after)) == names(gang.roster)
    assert actions.reorder(gang, RAVEN, by=1) == []


def test_card_names_owner_and_pets(circle: Book) -> None:
    gang = circle_after(circle, PET)
    first = render(gang, "en")
    cards = {card.name: card for card in first.cards}
    assert cards["Corax"].standing == "Raven · belongs to Vera"
    assert cards["Vera"].standing.endswith("with Corax")
    # Renaming the owner changes the card of the pet, although the pet is the same.
    renamed = circle_after(circle, PET, kinds.Named(member=VERA, name="Vesna"))
    again = render(renamed, "en", (gang, first))
    assert {card.name: card for card in again.cards}["Corax"].bond == "belongs to Vesna"


@pytest.mark.parametrize(
    ("entry", "fate", "stash"),
    [
        (kinds.Died(member=VERA), "dead", 0),
        (kinds.Died(member=VERA, gear="stash"), "dead", 1),
        (kinds.Dismissed(member=VERA), "dismissed", 1),
        (kinds.Left(member=VERA, departure="left", gear="kept"), "left", 0),
        (kinds.Left(member=VERA, departure="left", gear="lost"), "left", 0),
        (kinds.Left(member=VERA, departure="left", gear="stash"), "left", 1),
    ],
)
def test_pet_leaves_with_its_owner(circle: Book, entry: Entry, fate: str, stash: int) -> None:
    bell = kinds.Bought(item="bell", member=RAVEN)
    before = circle_after(circle, PET, bell, played(circle, "g1", VERA, RAVEN)).roster
    after = fold(circle, [(9, entry)], before)
    assert names(after) == ["Otto", "Ann"]
    assert [(one.member.name, one.fate) for one in after.departed] == [
        ("Vera", fate),
        ("Corax", FOLLOWED),
    ]
    assert len(after.stash) == stash
    assert "With them left: Corax." in Describer(circle, before).describe(entry)
    assert fate_sentence(FOLLOWED, circle) == "Left with their owner."
    # A new gang forgets both.
    young = circle_after(circle, PET, bell, entry).roster
    assert names(young) == ["Otto", "Ann"] and not young.departed


def test_death_of_a_pet_leaves_its_owner(circle: Book) -> None:
    gang = circle_after(circle, PET, played(circle, "g1", VERA), kinds.Died(member=RAVEN))
    assert names(gang.roster) == ["Vera", "Otto", "Ann"]
    assert [one.fate for one in gang.roster.departed] == ["dead"]


def test_pet_is_away_while_its_owner_is(circle: Book) -> None:
    absent = kinds.Suffered(member=VERA, condition="sulking", games=1)
    gang = circle_after(circle, PET, played(circle, "g1", VERA), absent)
    standing = {one.member.name: one.standing for one in candidates(circle, gang.roster, {})}
    assert standing["Vera"] == standing["Corax"] == "away"
    assert standing["Otto"] == "fit"
    bonds = {card.name: card.bond for card in render(gang, "en").cards}
    assert bonds["Corax"] == "belongs to Vera, who is away"
    with pytest.raises(Refusal) as refused:
        actions.dismiss(gang, RAVEN)
    assert refused.value.code == "absent"
    numbered = enumerate([played(circle, "g2", RAVEN)], start=9)
    [(_number, why)] = implausible_entries(circle, numbered, start=gang.roster)
    assert why.code == "absent"


def test_owner_of_a_pet_who_is_away_is_not_sent_away(circle: Book) -> None:
    bell = kinds.Bought(item="bell", member=RAVEN)
    absent = kinds.Suffered(member=RAVEN, condition="sulking", games=1)
    gang = circle_after(circle, PET, bell, played(circle, "g1", VERA), absent)
    with pytest.raises(Refusal) as refused:
        actions.dismiss(gang, VERA)
    # The gear of the pet would be in the stash.
    assert refused.value.code == "absent"
    [entry] = actions.dismiss(gang, OTTO)
    assert entry == kinds.Dismissed(member=OTTO)


def test_owner_out_of_the_count_takes_the_pet_along(circle: Book) -> None:
    rows = (
        row.model_copy(update={"uncounted": True}) if row.key == "sulking" else row
        for row in circle.conditions
    )
    book = circle.changed(conditions=tuple(rows))
    gang = circle_after(book, PET, kinds.Suffered(member=VERA, condition="sulking", games=1))
    assert [one.name for one in gang.counted] == ["Otto", "Ann"]


def test_raven_moves_to_another_owner_and_a_novice_does_not(circle: Book) -> None:
    novice = kinds.Recruited(rank="novice", name="Nic", owner=VERA)
    second = kinds.Recruited(rank="caller", name="Una")
    pair = [PET, novice, second]
    game = played(circle, "g1", VERA)
    gang = circle_after(circle, *pair, game)
    members = {one.name: one for one in gang.roster.members}
    entries = actions.describe(
        gang, RAVEN, name="Corax", notes="", profession=None, owner=members["Otto"].id
    )
    assert entries == [kinds.OwnerChosen(member=RAVEN, owner=OTTO)]
    after = fold(circle, enumerate(entries, start=12), gang.roster)
    assert names(after) == ["Vera", "Nic", "Otto", "Corax", "Ann", "Una"]
    assert Describer(circle, gang.roster).describe(entries[0]) == "Corax now belongs to Otto."
    with pytest.raises(Refusal) as refused:
        actions.hand_over(gang, members["Nic"], members["Una"].id)
    assert refused.value.code == "owner_stays"
    assert "owner" in MemberForm(gang, members["Corax"]).fields
    assert "owner" not in MemberForm(gang, members["Nic"]).fields
    # While the gang is being founded, nothing is final.
    young = circle_after(circle, *pair)
    assert "owner" in MemberForm(young, young.roster.member(6)).fields


def test_comparison_names_the_old_and_the_new_owner(circle: Book) -> None:
    before = circle_after(circle, PET)
    handed = circle_after(circle, PET, kinds.OwnerChosen(member=RAVEN, owner=OTTO))
    [raven] = [one for one in between(before, handed).members if one.id == RAVEN]
    assert [(one.what, one.before, one.after) for one in raven.shifts] == [
        ("owner", "Vera", "Otto")
    ]
    # An owner with another name is the same owner.
    renamed = circle_after(circle, PET, kinds.Named(member=VERA, name="Vesna"))
    assert not [one for one in between(before, renamed).members if one.id == RAVEN and one.shifts]


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        (kinds.OwnerChosen(member=RAVEN, owner=RAVEN), "no_owner"),
        (kinds.OwnerChosen(member=RAVEN, owner=77), "no_member"),
        (kinds.OwnerChosen(member=VERA, owner=OTTO), "no_owner"),
        (kinds.Recruited(rank="raven", owner=RAVEN), "no_owner"),
    ],
)
def test_ownership_in_a_circle_does_not_fit(circle: Book, entry: Entry, code: str) -> None:
    with pytest.raises(Misfit) as misfit:
        circle_after(circle, PET, entry)
    assert misfit.value.code == code


def test_pet_of_a_struck_owner_no_longer_fits(circle: Book) -> None:
    founded = kinds.Founded(name="Lodge", settings=circle.default_settings())
    numbered = [*enumerate([founded, *CIRCLE, PET], start=1)]
    left = [line for line in numbered if line[0] != VERA]
    roster, misfits = refold(circle, left)
    assert names(roster) == ["Otto", "Ann"]
    assert [(number, misfit.code) for number, misfit in misfits] == [(RAVEN, "no_member")]


class Replayed:
    """A later post-game that brings a medium, with a raven of theirs whom Ann learns a trait from,
    once Otto is not there; the fold renumbers both."""

    batch, is_reopened, url = uuid.uuid4(), False, ""

    def label(self) -> str:
        return "Game 1"

    def list_missing(self, book: Book, roster: Roster, playback: Playback) -> list[str]:
        return []

    def replay(self, book: Book, roster: Roster, next_number: int) -> Playback:
        entries: list[Entry] = [played(book), kinds.Learned(member=ANN, amount=1)]
        if OTTO not in {one.id for one in roster.members}:
            medium = next_number + len(entries)
            entries += [
                kinds.Recruited(rank="medium", name="Ida", by_roll=True),
                kinds.Recruited(rank="raven", name="Corax", by_roll=True, owner=medium),
                kinds.TraitTaken(member=ANN, trait="mist", teacher=medium),
            ]
        return Playback(tuple(enumerate(entries, start=next_number)))

    replay_draft = replay


def test_replayed_recruits_keep_their_owners_and_teachers(circle: Book) -> None:
    later = Replayed()
    founded: Entry = kinds.Founded(name="Lodge", settings=circle.default_settings())
    log = [
        LedgerRow(seq, seq, seq, entry, later.batch if seq > ANN else None)
        for seq, entry in enumerate(
            [founded, *CIRCLE, played(circle), kinds.Learned(member=ANN, amount=1)], start=1
        )
    ]
    struck = [row for row in log if row.seq != OTTO]
    found = refold_later(
        circle, no_books, Roster(), log, struck, len(log) + 1, {later.batch: later}
    )
    assert not any(one.again for one in found.replayed)
    members = {one.name: one for one in found.roster.members}
    assert members["Corax"].owner == members["Ida"].id
    [taught] = [row.entry for row in found.rows if isinstance(row.entry, kinds.TraitTaken)]
    assert taught.teacher == members["Ida"].id


def test_correction_to_an_unfit_owner_is_implausible(circle: Book) -> None:
    numbered = [*enumerate([*CIRCLE, PET.model_copy(update={"owner": ANN})], start=2)]
    start = roster_after(circle)
    [(number, why)] = implausible_entries(circle, numbered, start=start)
    assert (number, why.code) == (RAVEN, "not_owner")


def test_limit_finds_members_without_an_owner(circle: Book) -> None:
    old = without_belonging(circle, "raven")
    stray = roster_after(old, *CIRCLE, kinds.Recruited(rank="raven", name="Corax"))
    [found] = [one for one in findings(circle, stray) if one.code == "ASTRAY"]
    # No task of the checklist stands for it, so that the card shows it even in a new gang.
    assert found.members == (RAVEN,) and not found.missing
    assert found.translated("en") == "Corax: no Raven without somebody who may have it."
    # Its player gives it an owner, even if it usually stays with the first.
    gang = ComputedGang.of(circle, stray)
    [chosen] = actions.hand_over(gang, stray.member(RAVEN), VERA)
    assert not [
        one for one in findings(circle, fold(circle, [(9, chosen)], stray)) if one.code == "ASTRAY"
    ]
    # An owner who cannot have it is a breach, too.
    owned = roster_after(circle, *CIRCLE, PET.model_copy(update={"owner": ANN}))
    assert "ASTRAY" in {one.code for one in findings(circle, owned)}


def test_newer_rulebook_without_ownership_frees_members(circle: Book) -> None:
    roster = roster_after(circle, *CIRCLE, PET)
    carried, losses = carry_over(circle, without_belonging(circle, "raven"), roster)
    assert not losses and carried.member(RAVEN).owner is None
    gone = circle.changed(ranks=tuple(row for row in circle.ranks if row.key != "caller"))
    carried, losses = carry_over(circle, gone, roster)
    assert names(carried) == ["Otto", "Ann"] and len(losses) == 1


def test_refounding_keeps_owners_and_order(circle: Book) -> None:
    late = [PET, kinds.Recruited(rank="caller", name="Una"), kinds.OwnerChosen(member=5, owner=6)]
    novice = kinds.Recruited(rank="novice", name="Nic", owner=VERA)
    up = kinds.Reordered(member=6, position=0)
    roster = circle_after(circle, *late, novice, up).roster
    assert names(roster) == ["Una", "Corax", "Vera", "Nic", "Otto", "Ann"]
    again = refound(circle, circle, roster, "Again")
    copied = fold(circle, enumerate(again.entries, start=1))
    assert names(copied) == names(roster)
    owners = {one.name: copied.owner(one) for one in copied.members}
    assert owners["Corax"].name == "Una"  # type: ignore[union-attr]
    assert owners["Nic"].name == "Vera"  # type: ignore[union-attr]


def test_double_of_a_pet_belongs_to_the_same_owner(circle: Book) -> None:
    gang = circle_after(circle, PET.model_copy(update={"owner": OTTO}))
    double = actions.duplicate(gang, RAVEN, next_id=9)
    assert double[0].owner == OTTO  # type: ignore[attr-defined]
    # The owner of a novice can have no other: nobody is left.
    taught = circle_after(circle, kinds.Recruited(rank="novice", name="Nic", owner=VERA))
    with pytest.raises(Refusal):
        actions.duplicate(taught, 5, next_id=9)


def test_novice_starts_with_the_nerve_of_the_owner_at_that_moment(circle: Book) -> None:
    bold = kinds.Rose(member=VERA, characteristic="nerve", amount=1)
    novice = kinds.Recruited(rank="novice", owner=VERA)
    gang = circle_after(circle, bold, novice)
    assert gang.profiles[6].natural("nerve") == gang.profiles[VERA].natural("nerve") == 5
    # Later gains of the owner are their own.
    later = circle_after(circle, bold, novice, bold)
    assert later.profiles[6].natural("nerve") == 5
    assert later.profiles[VERA].natural("nerve") == 6


def test_copy_keeps_the_numbers_that_a_novice_took_from_the_owner(circle: Book) -> None:
    bold = kinds.Rose(member=VERA, characteristic="nerve", amount=1)
    una = kinds.Recruited(rank="caller", name="Una")
    # The owner gained something later; another novice was handed to somebody who joined later.
    log = [kinds.Recruited(rank="novice", owner=VERA), bold, una]
    gang = circle_after(circle, *log, kinds.Recruited(rank="novice", owner=VERA), bold)
    handed = circle_after(circle, *log, kinds.OwnerChosen(member=5, owner=7))
    for roster in (gang.roster, handed.roster):
        again = refound(circle, circle, roster, "Again")
        copied = fold(circle, enumerate(again.entries, start=1))
        before = [one.rolled for one in roster.members if one.rank == "novice"]
        assert before and [one.rolled for one in copied.members if one.rank == "novice"] == before
    assert {one.rolled["nerve"] for one in gang.roster.members if one.rolled} == {4, 5}


@pytest.mark.parametrize(("nerve", "copied"), [(100_000, 100_000), (100_007, 100_000)])
def test_copy_keeps_numbers_as_large_as_a_rulebook_has(
    circle: Book, nerve: int, copied: int
) -> None:
    """Effects of traits may even make them larger."""
    gang = circle_after(circle, kinds.Recruited(rank="novice", owner=VERA))
    members = (
        one.changed(rolled={"nerve": nerve}) if one.rank == "novice" else one
        for one in gang.roster.members
    )
    again = refound(circle, circle, gang.roster.changed(members=tuple(members)), "Again")
    roster = fold(circle, enumerate(again.entries, start=1))
    assert [one.rolled for one in roster.members if one.rank == "novice"] == [{"nerve": copied}]


def test_promotion_to_a_free_rank_frees_a_member(circle: Book) -> None:
    novice = kinds.Recruited(rank="novice", name="Nic", owner=VERA)
    gang = circle_after(circle, novice, kinds.Promoted(member=5, rank="sitter"))
    assert names(gang.roster) == ["Vera", "Nic", "Otto", "Ann"]
    assert gang.roster.member(5).owner is None
    assert names(fold(circle, [(9, kinds.Died(member=VERA))], gang.roster))[0] == "Nic"


def test_owner_in_a_group_has_a_card_of_their_own(terraces: Book) -> None:
    people: list[Entry] = [
        kinds.Recruited(rank="elder", name="Odile"),
        *(kinds.Recruited(rank="picker", name=f"Row {number}") for number in (1, 2, 3)),
        *(kinds.SquadJoined(member=number, squad="Row") for number in (3, 4, 5)),
    ]
    mule = kinds.Recruited(rank="mule", name="Momo", owner=4)
    roster = roster_after(terraces, *people, mule)
    shown = [[one.name for one in mates] for mates in alike(terraces, roster)]
    assert shown == [["Odile"], ["Row 1", "Row 3"], ["Row 2"], ["Momo"]]


def test_recruiting_form_offers_those_who_can_own(circle: Book) -> None:
    form = RecruitForm(circle_after(circle))
    assert [label for _value, label in form.fields["owner"].choices] == ["–", "Vera", "Otto"]  # type: ignore[attr-defined]
    alone = ComputedGang.of(circle, roster_after(circle, kinds.Recruited(rank="sitter")))
    assert "owner" not in RecruitForm(alone).fields


def test_ready_made_gang_has_owners(circle: Book) -> None:
    people = (
        SampleMember(rank="caller", name="Vera"),
        SampleMember(rank="raven", name="Corax", owner="Vera"),
    )
    made = Sample(key="two", name="Two", text=Text({"en": "Two."}), members=people)
    book = circle.changed(samples=(made,))
    assert not [path for path, _words in check(book) if path[0] == "samples"]
    roster = fold(book, enumerate(actions.found_from_sample(book, made), start=1))
    assert [(one.name, one.owner) for one in roster.members] == [("Vera", None), ("Corax", 2)]


def test_complete_recruit_belongs_to_the_first_who_can_have_them(circle: Book) -> None:
    raven = Archetype(
        key="corax", name=Text({"en": "Corax"}), source="house", rank="raven", items=("bell",)
    )
    book = circle.changed(archetypes=(raven,))
    assert not [words for path, words in examine_ready_made(book) if path[0] == "archetypes"]
    gang = circle_after(book)
    [first, second] = [
        one
        for one in actions.recruit_alike(gang, "corax", 2, next_id=5)
        if isinstance(one, kinds.Recruited)
    ]
    assert first.owner == second.owner == VERA
    alone = ComputedGang.of(book, roster_after(book, kinds.Recruited(rank="sitter")))
    assert not offers.archetypes(alone)


@pytest.mark.parametrize(
    ("owners", "places"),
    [
        (("", ""), [("samples", 0, "members", 1)]),
        (("", "Nobody"), [("samples", 0, "members", 1, "owner")]),
        (("Corax", "Vera"), [("samples", 0, "members", place, "owner") for place in (0, 1)]),
    ],
)
def test_checker_refuses_wrong_owners_of_a_ready_made_gang(
    circle: Book, owners: tuple[str, str], places: list[tuple[object, ...]]
) -> None:
    people = (
        SampleMember(rank="caller", name="Vera", owner=owners[0]),
        SampleMember(rank="raven", name="Corax", owner=owners[1]),
    )
    made = Sample(key="two", name="Two", text=Text({"en": "Two."}), members=people)
    found = [path for path, _words in check(circle.changed(samples=(made,)))]
    assert [path for path in found if path[0] == "samples"] == places


def test_checker_notes_that_no_limit_finds_strays(circle: Book) -> None:
    place = [row.key for row in circle.ranks].index("novice")
    without = circle.changed(limits=tuple(one for one in circle.limits if one.kind != "owner"))
    for book, noted in ((circle, False), (without, True)):
        assert (("ranks", place, "belongs_to") in [path for path, _words in notes(book)]) is noted


def test_checker_refuses_ranks_that_nobody_could_own(circle: Book) -> None:
    place = [row.key for row in circle.ranks].index("raven")
    for owners in (Selector(ranks=("novice",)), Selector(ranks=("raven",))):
        book = with_owners(circle, "raven", Belonging(owners=owners))
        assert ("ranks", place, "belongs_to", "owners") in [path for path, _words in check(book)]
    lacking = with_owners(circle, "raven", Belonging(copies=("will",)))
    assert ("ranks", place, "belongs_to", "copies") in [path for path, _words in check(lacking)]


def test_rules_name_the_owners(circle: Book) -> None:
    words = BookWording(circle, "en")
    pieces = {row.anchor: row for part in characters(words) for row in part.pieces}
    said = {
        fact.label: [value.text for value in fact.values] for fact in pieces["rank-novice"].facts
    }
    assert said["Belongs to"] == ["Caller"]
    assert said["Of one owner at most"] == ["1"]
    assert said["Starts with their owner’s"] == ["Nerve"]
