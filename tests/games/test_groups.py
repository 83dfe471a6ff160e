"""Groups that are recruited, equipped and taught together, in the tests' own game."""

from __future__ import annotations

import uuid
from functools import partial

import pytest
from django.test import Client

from accounts.models import User
from campaigns.engine.report import Answers, Credit, Report
from campaigns.engine.script import play
from common.errors import Refusal
from gangs.cards.groups import gather_cards
from gangs.cards.render import render
from gangs.engine import actions
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.engine.fold import fold
from gangs.engine.groups import alike, discard_together, do_together, join_squad
from gangs.engine.roster import Roster
from gangs.ledger import writer
from gangs.models import Gang
from printing.members.ticks import find_group_ticks
from printing.sheets import cards as printed_cards
from printing.sheets import roster as sheet
from rules.book.model import Book
from rules.book.schema import Trait
from rules.book.vocabulary import Selector
from rules.engine.dice import DiceRoll
from rules.library import load
from tests.world.campaigns import make_situation

ELDER, FIRST, SECOND, THIRD = 2, 3, 4, 5
NIMBLE = Trait.model_validate(
    {
        "key": "nimble",
        "name": {"en": "Nimble", "fr": "Agile"},
        "text": {"en": "Climbs walls.", "fr": "Passe les murs."},
        "price": 3,
        "source": "wall",
    }
)


@pytest.fixture
def book(terraces: Book) -> Book:
    """Return the game with one trait."""
    return terraces.changed(traits=(NIMBLE,))


def go_on(book: Book, roster: Roster, entries: list[Entry]) -> Roster:
    """Fold more entries. The numbers begin where an earlier batch cannot reach."""
    first = 10 + max((owned.id for one in roster.everyone() for owned in one.items), default=90)
    return fold(book, enumerate(entries, start=first), roster)


@pytest.fixture
def household(book: Book) -> Roster:
    """Return an elder and a row of three pickers."""
    founded: list[Entry] = [
        kinds.Founded(name="Aubert", settings={}),
        kinds.Recruited(rank="elder", name="Odile"),
    ]
    roster = fold(book, enumerate(founded, start=1))
    recruits = actions.recruit(ComputedGang.of(book, roster), "picker", "Low row", 3)
    joined = join_squad(ComputedGang.of(book, roster), recruits, "Low row", FIRST)
    return fold(book, enumerate(joined, start=FIRST), roster)


def buy(book: Book, roster: Roster, member: int, item: str) -> Roster:
    decide = partial(actions.buy, item=item)
    return go_on(book, roster, do_together(ComputedGang.of(book, roster), member, decide))


def groups(book: Book, roster: Roster) -> list[list[int]]:
    return [[one.id for one in members] for members in alike(book, roster)]


def test_recruits_of_a_batch_are_one_group(book: Book, household: Roster) -> None:
    assert [(one.name, one.squad) for one in household.members] == [
        ("Odile", ""),
        ("Low row 1", "Low row"),
        ("Low row 2", "Low row"),
        ("Low row 3", "Low row"),
    ]
    assert groups(book, household) == [[ELDER], [FIRST, SECOND, THIRD]]


def test_a_group_without_a_name_gets_the_next_number(book: Book, household: Roster) -> None:
    computed = ComputedGang.of(book, household)
    entries = join_squad(computed, actions.recruit(computed, "picker", "", 2), "", 20)
    assert [entry.squad for entry in entries if isinstance(entry, kinds.SquadJoined)] == ["1", "1"]


def test_a_group_is_recruited_with_the_kit_of_its_rank(book: Book, household: Roster) -> None:
    kit = next(row for row in book.offers if row.included)
    picked = kit.model_copy(update={"key": "baskets", "of": Selector(ranks=("picker",))})
    book = book.changed(offers=(*book.offers, picked))
    computed = ComputedGang.of(book, household)
    recruits = actions.recruit(computed, "picker", "", 2, next_id=20)
    entries = join_squad(computed, recruits, "", 20)
    after = fold(book, enumerate(entries, start=20), household)
    assert [(len(one.items), one.squad) for one in after.members[-2:]] == [(1, "1"), (1, "1")]


def test_a_rank_without_groups_joins_none(book: Book, household: Roster) -> None:
    computed = ComputedGang.of(book, household)
    recruits = actions.recruit(computed, "cousin", "Paul", 2)
    assert join_squad(computed, recruits, "Paul", 20) == recruits


def test_a_group_is_equipped_and_taught_in_one_batch(book: Book, household: Roster) -> None:
    roster = buy(book, household, SECOND, "stave")
    learn = partial(actions.take_trait, trait="nimble")
    taught = do_together(ComputedGang.of(book, roster), FIRST, learn)
    roster = go_on(book, roster, taught)
    for member in roster.members[1:]:
        assert [owned.key for owned in member.items] == ["stave"]
        assert member.traits == ("nimble",)
    assert groups(book, roster) == [[ELDER], [FIRST, SECOND, THIRD]]
    # An elder 20, and three pickers at 5 + 2 + 3.
    assert ComputedGang.of(book, roster).left == 100 - 20 - 30


def test_a_group_gives_its_items_back_together(book: Book, household: Roster) -> None:
    roster = buy(book, household, SECOND, "stave")
    item = roster.member(THIRD).items[0].id
    given = discard_together(ComputedGang.of(book, roster), item, actions.discard)
    roster = go_on(book, roster, given)
    assert [len(member.items) for member in roster.members] == [0, 0, 0, 0]


def test_a_double_of_a_member_joins_the_group(book: Book, household: Roster) -> None:
    roster = buy(book, household, FIRST, "stave")
    entries = actions.duplicate(ComputedGang.of(book, roster), SECOND, 70)
    roster = fold(book, enumerate(entries, start=70), roster)
    assert [roster.member(70).name, roster.member(70).squad] == ["Low row 4", "Low row"]
    assert groups(book, roster) == [[ELDER], [FIRST, SECOND, THIRD, 70]]


def test_a_group_that_cannot_pay_for_all_buys_nothing(book: Book, household: Roster) -> None:
    # The game leaves 65 in the treasury.
    game = make_situation(household, "won", "winner")
    roster = play(book, household, 30, game, Answers(done=("hiring",))).roster
    poor = roster.changed(earned=roster.spent + 5)
    with pytest.raises(Refusal) as caught:
        buy(book, poor, FIRST, "stave")
    assert (caught.value.code, caught.value.values["missing"]) == ("too_dear", 1)
    rich = buy(book, roster.changed(earned=roster.spent + 6), FIRST, "stave")
    assert rich.treasury == 0


def test_a_game_stays_with_each_member(book: Book, household: Roster) -> None:
    report = Report(
        fielded=(ELDER, FIRST, SECOND, THIRD),
        marks={SECOND: "out"},
        counts={"taken_out": {THIRD: 2}},
        credits={SECOND: Credit(gang="other", member=7)},
    )
    game = make_situation(household, "won", "winner", report=report)
    [waiting] = play(book, household, 30, game, Answers()).step("bruises").waiting
    rolls = {waiting.key: DiceRoll(dice="1d6", faces=(1,), thrown_by="table")}
    roster = play(book, household, 30, game, Answers(rolls=rolls, done=("hiring",))).roster
    assert [one.member.id for one in roster.departed] == [SECOND]
    assert [roster.member(key).taken_out for key in (FIRST, THIRD)] == [0, 2]
    assert groups(book, roster) == [[ELDER], [FIRST, THIRD]]


def test_a_promotion_splits_a_group(book: Book, household: Roster) -> None:
    roster = fold(book, [(80, kinds.Promoted(member=FIRST, rank="cousin"))], household)
    assert groups(book, roster) == [[ELDER], [FIRST], [SECOND, THIRD]]


def test_a_member_with_other_experience_has_their_own_card(book: Book, household: Roster) -> None:
    roster = fold(book, [(80, kinds.Learned(member=THIRD, amount=1))], household)
    assert groups(book, roster) == [[ELDER], [FIRST, SECOND], [THIRD]]


def test_one_card_shows_a_group_with_boxes_for_each(book: Book, household: Roster) -> None:
    computed = ComputedGang.of(book, household)
    page = render(computed, "en")
    elder, row = gather_cards(computed, page)
    assert (elder.names, elder.card.shown_name) == ((), "Odile")
    assert (row.card.shown_name, row.card.rating) == ("3 × Picker", 15)
    assert [(tick.label, tick.boxes) for tick in find_group_ticks(computed, row, "en")] == [
        ("Low row 1", 1),
        ("Low row 2", 1),
        ("Low row 3", 1),
    ]
    assert page.card(SECOND).mates == row.names  # type: ignore[union-attr]


def test_prints_show_a_group_once(book: Book, household: Roster) -> None:
    computed = ComputedGang.of(book, household)
    for markup in (
        sheet.markup(computed, sheet.SheetOrder(language="en")),
        sheet.markup(computed, sheet.SheetOrder(language="en", style="accessible")),
        printed_cards.markup(computed, printed_cards.CardsOrder(language="en")),
    ):
        assert markup.count("3 × Picker") == 1
        assert all(f"Low row {number}" in markup for number in (1, 2, 3))


def test_cards_of_some_members_of_a_group_show_only_these(book: Book, household: Roster) -> None:
    computed = ComputedGang.of(book, household)
    order = printed_cards.CardsOrder(language="en", members=(FIRST, THIRD))
    markup = printed_cards.markup(computed, order)
    assert "2 × Picker" in markup and "Low row 2" not in markup and "Odile" not in markup


class TestBuilder:
    """The builder's pages, for a gang of the tests' own game."""

    @pytest.fixture
    def gang(self, terraces: Book, alice: User) -> Gang:
        version, _created = load(terraces)
        return writer.found(version, actions.found(terraces, "Aubert", {}), owner=alice)

    def post(self, client: Client, gang: Gang, path: str, **data: str | int) -> Gang:
        """Post to a page of the gang, and return the gang after it."""
        gang.refresh_from_db()
        known = {"version": gang.version, "token": uuid.uuid4().hex}
        response = client.post(f"{gang.get_absolute_url()}{path}", {**data, **known}, follow=True)
        assert response.status_code == 200
        return Gang.objects.get(pk=gang.pk)

    @pytest.mark.django_db
    def test_a_player_recruits_and_equips_a_group_with_two_presses(
        self, gang: Gang, alice: User, client: Client
    ) -> None:
        client.force_login(alice)
        gang = self.post(client, gang, "members/", rank="picker", name="Row", count=3)
        first, *_others = gang.roster.members
        gang = self.post(client, gang, f"members/{first.id}/items/", buy="stave")
        assert [(one.squad, len(one.items)) for one in gang.roster.members] == [("Row", 1)] * 3
        opened = client.get(f"{gang.get_absolute_url()}?open={first.id}").content.decode()
        assert "One group: Row 1, Row 2, Row 3." in opened
        shown = client.get(f"{gang.get_absolute_url()}sheet/").content.decode()
        assert shown.count("3 × Picker") == 1 and "Row 1, Row 2, Row 3" in shown
        # One press is one batch, which is undone at a time.
        gang = self.post(client, gang, "undo/")
        assert [len(one.items) for one in gang.roster.members] == [0, 0, 0]
        gang = self.post(client, gang, "undo/")
        assert gang.roster.members == ()

    @pytest.mark.django_db
    def test_a_player_gives_an_item_of_all_back_with_one_press(
        self, gang: Gang, alice: User, client: Client
    ) -> None:
        client.force_login(alice)
        gang = self.post(client, gang, "members/", rank="picker", name="Row", count=2)
        first, second = gang.roster.members
        gang = self.post(client, gang, f"members/{first.id}/items/", buy="stave")
        item = gang.roster.member(second.id).items[0].id
        gang = self.post(client, gang, f"items/{item}/", to="away", opened=second.id)
        assert [len(one.items) for one in gang.roster.members] == [0, 0]


def test_group_gives_back_the_part_of_the_same_tool(terraces: Book) -> None:
    """The tool that a handle is fitted to tells it from another handle."""
    founding: list[Entry] = [
        kinds.Founded(name="Aubert", settings={}),
        kinds.Recruited(rank="elder", name="Odile"),
        *(kinds.Recruited(rank="picker", name=f"Row {number}") for number in (1, 2)),
        *(kinds.SquadJoined(member=one, squad="Row") for one in (FIRST, SECOND)),
        *(kinds.Bought(item=item, member=FIRST) for item in ("billhook", "stave")),
        *(kinds.Bought(item=item, member=SECOND) for item in ("stave", "billhook")),
        *(kinds.Bought(item="handle", member=FIRST, on=tool) for tool in (7, 8)),
        *(kinds.Bought(item="handle", member=SECOND, on=tool) for tool in (9, 10)),
    ]
    roster = fold(terraces, enumerate(founding, start=1))
    assert groups(terraces, roster) == [[ELDER], [FIRST, SECOND]]
    given = discard_together(ComputedGang.of(terraces, roster), 11, actions.discard)
    assert given == [kinds.Discarded(item=11), kinds.Discarded(item=14)]
    assert groups(terraces, go_on(terraces, roster, given)) == [[ELDER], [FIRST, SECOND]]
    # The tool with a handle goes, and not the one without.
    bare = go_on(terraces, roster, given)
    tool = discard_together(ComputedGang.of(terraces, bare), 8, actions.discard)
    assert [entry.item for entry in tool if isinstance(entry, kinds.Discarded)][-1] in (9, 13)
