"""A member's card: every kind of characteristic, boxes to tick, origin, worth."""

import pytest

from gangs.cards.item_tables import keep_looked_up, named_kits, short_kits
from gangs.cards.render import render
from gangs.cards.sheet import member_worth
from gangs.cards.values import Card, Page
from gangs.engine.computed import ComputedGang
from gangs.engine.roster import Affliction, Departed, Member
from rules.book.model import Book
from tests.gangs.rosters import member, roster
from tests.rules.small import SMALL, add, limit, measured, row, small, text, told


def page(book: Book, *members: Member, **gang: object) -> Page:
    return render(ComputedGang.of(book, roster(book, *members, **gang)), "en")  # type: ignore[arg-type]


def card(book: Book, one: Member, **gang: object) -> Card:
    return page(book, one, **gang).cards[0]


def test_every_kind_of_characteristic_is_shown() -> None:
    drawn = card(small(), member("chief"))
    assert [(stat.key, stat.value, stat.boxes) for stat in drawn.stats] == [
        ("might", "5", ()),
        ("aim", "5", ()),
        ("quality", "3k2", ()),
        ("nerve", "3/1", ()),
        ("ammo", "2+1", (False, False, True)),
        ("grit", "D10", ()),
    ]
    assert {stat.why for stat in drawn.stats} == {""}


def test_unit_is_shown_after_its_number() -> None:
    book = small(
        characteristics=[measured("number", "move", start=4, unit='"')], ranks=[row("a", price=1)]
    )
    assert [stat.value for stat in card(book, member("a")).stats] == ['4"']


def test_number_added_to_dice_keeps_its_sign() -> None:
    fight = measured("number", "fight", minimum=-3, maximum=10, signed=True)
    book = small(
        characteristics=[fight],
        ranks=[row(key, price=1, values={"fight": at}) for key, at in FIGHTS.items()],
        traits=[told("quick", effects=[add("fight", 1)])],
        settings=[],
        budgets=[],
        origins=[],
        origin_setting=None,
    )
    assert {key: card(book, member(key)).stats[0].value for key in FIGHTS} == {
        "strong": "+2",
        "even": "+0",
        "weak": "−1",
    }
    quick = card(book, member("strong", traits=["quick"])).stats[0]
    assert (quick.value, quick.why) == ("+3", "+2, +1 Quick")


FIGHTS = {"strong": 2, "even": 0, "weak": -1}


def test_card_describes_the_rank() -> None:
    book = small(ranks=[told("chief", price=10), row("fighter", price=5)])
    says = card(book, member("chief")).rank_says
    assert says is not None and (says.name, says.text) == ("Chief", "About chief.")
    assert card(book, member("fighter")).rank_says is None


def test_price_is_shown_when_it_differs_from_the_rating() -> None:
    chief = member("chief", items=["sword"])
    by_price = page(small(), chief)
    assert (by_price.cards[0].cost, member_worth(by_price, by_price.cards[0])) == (
        None,
        "14 points",
    )
    by_worth = page(small(rating={**SMALL["rating"], "counts": "worth"}), chief)
    assert member_worth(by_worth, by_worth.cards[0]) == "14 gold · 5 points"
    unrated = page(small(rating=None), chief)
    assert member_worth(unrated, unrated.cards[0]) == "14 gold"
    nothing = page(small(rating=None, money=None, budgets=[], campaign__steps=[]), chief)
    assert member_worth(nothing, nothing.cards[0]) == ""


def test_finding_about_several_members_is_on_no_card() -> None:
    one_chief = limit("count", "Too many.", of={"ranks": ["chief"]}, maximum=1)
    named = limit("unnamed", "{name} has no name.")
    two = [member("chief", name="Anne"), member("chief", name="")]
    drawn = page(small(limits=[one_chief, named]), *two)
    assert [[line.text for line in one.findings] for one in drawn.cards] == [
        [],
        ["Chief has no name."],
    ]
    together, alone = drawn.findings
    assert (together.text, together.member) == ("Too many.", None)
    assert [(one.member, one.name) for one in together.together] == [(1, "Anne"), (2, "Chief")]
    assert (alone.member, alone.together) == (2, ())
    assert drawn.problems_together == (together,)


def test_finding_about_the_gang_is_on_no_card_when_one_member_causes_it() -> None:
    none = limit("count", "One chief too many.", of={"ranks": ["chief"]}, maximum=0)
    drawn = page(small(limits=[none]), member("chief", name="Anne"))
    assert (drawn.cards[0].findings, drawn.problems_on_cards) == ((), ())
    assert [(line.text, line.member) for line in drawn.problems_together] == [
        ("One chief too many.", 1)
    ]


def test_card_does_not_repeat_the_member_s_name_in_findings() -> None:
    named = limit("unnamed", "{name}: no name yet.", severity="warning")
    drawn = page(small(limits=[named]), member("chief", name=""))
    assert [line.text for line in drawn.cards[0].findings] == ["No name yet."]
    assert [line.text for line in drawn.findings] == ["Chief: no name yet."]


@pytest.mark.parametrize(
    ("life", "marks"),
    [
        ("ammo", (False, False, True)),
        ("might", (False,) * 5),
        (None, ()),
    ],
)
def test_card_has_boxes_for_life(life: str | None, marks: tuple[bool, ...]) -> None:
    assert card(small(life=life), member("chief")).life == marks


def test_card_explains_changed_values() -> None:
    effects = [add("nerve", 1, part="first"), add("ammo", 1), add("grit", -1), add("might", 1)]
    book = small(traits=[told("quick", effects=effects)])
    stats = {stat.key: stat for stat in card(book, member("chief", traits=["quick"])).stats}
    assert {key: (stat.value, stat.why) for key, stat in stats.items() if stat.why} == {
        "might": ("6", "5, +1 Quick"),
        "nerve": ("4/1", "3/1, +1 Quick"),
        "ammo": ("3+1", "2+1, +1 Quick"),
        "grit": ("D8", "D10, -1 Quick"),
    }
    assert stats["ammo"].boxes == (False, False, False, True)


@pytest.mark.parametrize(
    ("own", "people", "of_gang", "of_member"),
    [
        (None, "nobody", "", ""),
        (None, "hill", "Hill", ""),
        ("sea", "hill", "Hill", "Sea"),
        ("hill", "hill", "Hill", ""),
        ("sea", "nobody", "", "Sea"),
    ],
)
def test_card_shows_an_origin_that_differs_from_the_gang_s(
    own: str | None, people: str, of_gang: str, of_member: str
) -> None:
    """The gang's origin is on the gang once; only members from elsewhere have one on their card."""
    drawn = page(small(), member("fighter", origin=own), settings={"people": people})
    assert (drawn.origin, drawn.cards[0].origin) == (of_gang, of_member)
    assert drawn.cards[0].standing == (f"Fighter · {of_member}" if of_member else "Fighter")


def test_items_are_shown_at_the_member_s_price() -> None:
    free = row("free", on="items", item_tags=["blade"], first=1, times="0")
    book = small(adjustments=[free])
    drawn = page(book, member("fighter", traits=["quick"], items=["sword", "axe"]), stash=["axe"])
    assert [item.price for item in drawn.cards[0].items] == [4, 0]
    assert [item.price for item in drawn.stash] == [7]


def test_card_shows_squad_and_experience() -> None:
    book = small(ranks=[row("fighter", price=1, experience=15)])
    veteran = member("fighter", squad="Aces", experience=20).model_copy(
        update={"experience_before": 14}
    )
    drawn = card(book, veteran)
    assert (drawn.squad, drawn.experience, drawn.experience_most) == ("Aces", 6, 15)
    assert drawn.earned == "6/15"
    assert card(small(), veteran).earned == "6"


def test_receipts_keep_halves() -> None:
    book = small(adjustments=[row("half", on="rank", times="1/2")], roundings=[{"mode": "exact"}])
    drawn = page(book, member("fighter"), member("fighter"), stash=["rope"])
    assert [one.rating for one in drawn.cards] == [2.5, 2.5]
    assert (drawn.rating, str(drawn.rating)) == (6, "6")
    assert [(line.name, str(line.amount)) for line in drawn.receipt] == [
        ("Somebody", "2.5"),
        ("Somebody", "2.5"),
        ("Stash", "1"),
    ]
    assert (drawn.left, drawn.budget) == (94, 100)


def test_page_has_no_rating_or_money_when_the_game_has_neither() -> None:
    book = small(rating=None, money=None, budgets=[], campaign__steps=[])
    drawn = page(book, member("chief", items=["axe"]), stash=["axe"])
    assert (drawn.rating, drawn.rating_name, drawn.rating_unit) == (0, "", "")
    assert (drawn.money_name, drawn.money_unit, drawn.left, drawn.budget) == ("", "", None, None)
    assert drawn.receipt == ()


def test_rating_counts_worth_when_the_rulebook_says_so() -> None:
    book = small(rating={**SMALL["rating"], "counts": "worth"})
    drawn = page(book, member("chief", traits=["quick"], items=["sword", "axe"]), stash=["sword"])
    assert drawn.cards[0].rating == 3 + 1 + 2
    assert drawn.rating == 8
    assert drawn.left == 100 - (10 + 2 + 4 + 7) - 4


def test_card_shows_conditions_with_their_remaining_games() -> None:
    book = small(conditions=[told("lame", effects=[add("might", -1)])])
    hurt = member("fighter").model_copy(
        update={"afflictions": (Affliction(condition="lame", games_left=2, against="The Reds"),)}
    )
    drawn = card(book, hurt)
    (ailment,) = drawn.afflictions
    assert (ailment.name, ailment.games, ailment.against) == ("Lame", 2, "The Reds")
    assert (drawn.stats[0].value, drawn.stats[0].why) == ("2", "3, -1 Lame")


@pytest.mark.parametrize(
    ("fate", "how", "hire"),
    [("retired", "Retired", None), ("free", "Free", 10), ("dead", "", None)],
)
def test_page_lists_departed_members(fate: str, how: str, hire: int | None) -> None:
    """A member whom others may hire afterwards has a price: their worth."""
    book = small(campaign__departures=[told("retired"), told("free", for_hire=True)])
    gang = roster(book, member("chief"), games=1)
    gone = gang.members[0].model_copy(update={"id": 9, "name": "Old Tom"})
    gang = gang.model_copy(update={"departed": (Departed(member=gone, fate=fate),)})
    (drawn,) = render(ComputedGang.of(book, gang), "en").departed
    assert (drawn.name, drawn.rank, drawn.how, drawn.hire) == ("Old Tom", "Chief", how, hire)


@pytest.mark.parametrize(
    ("people", "shown"), [("nobody", ["Damage"]), ("hill", ["Damage", "Range"])]
)
def test_column_is_shown_only_under_its_options(people: str, shown: list[str]) -> None:
    columns = [
        {"key": "damage", "name": text("Damage")},
        {"key": "range", "name": text("Range"), "when": {"people": ["hill"]}},
    ]
    book = small(
        groups=[row("gun", columns=columns)],
        items=[row("colt", group="gun", columns={"damage": "1", "range": '12"'})],
        adjustments=[],
        limits=[],
        samples=[],
    )
    settings = book.default_settings() | {"people": people}
    (item,) = card(book, member("chief", items=["colt"]), settings=settings).items
    assert [name for name, _value in item.cells] == shown
    assert [[*one.columns] for one in keep_looked_up(book, [item])] == [
        [one.lower() for one in shown]
    ]


def test_each_way_to_use_an_item_is_a_row_of_its_table() -> None:
    columns = [
        {"key": "damage", "name": text("Damage"), "short": text("D")},
        {"key": "range", "name": text("Range")},
        {"key": "special", "name": text("Special")},
    ]
    modes = [
        {"key": "thrown", "name": text("thrown"), "columns": {"range": '6"'}},
        {"key": "same", "name": text("held again")},
        {"key": "split", "name": text("split"), "group": "shots", "columns": {"spread": "3"}},
    ]
    knife = {"damage": "2", "range": "–", "special": "Cuts ropes and other things"}
    book = small(
        groups=[
            row("arms", columns=columns),
            row("shots", columns=[columns[0], {"key": "spread", "name": text("Spread")}]),
        ],
        items=[
            row("knife", group="arms", hands=1, columns=knife, modes=modes, text=text("Old.")),
            row("rope", group="arms", columns={"range": '1"'}),
        ],
        adjustments=[],
        limits=[],
        samples=[],
    )
    items = card(book, member("chief", items=["knife", "knife", "rope"])).items
    # On a screen, the card says them in words.
    assert items[0].text == 'Old. Thrown (Range 6"). Split (Spread 3).'
    held, rope = named_kits(keep_looked_up(book, items, short_in="en"))
    assert held.columns == ("Hands", "D", "Range", "Special")
    assert [(item.name, *values, item.text) for item, values in held.rows] == [
        ("2 × Knife", "1", "2", "–", "Cuts ropes and other things", "Old."),
        ("– Thrown", "1", "2", '6"', "–", ""),
        ("– Split", "1", "2", "–", "–", "Spread 3"),
    ]
    assert [item.name for item, _values in rope.rows] == ["Rope"]
    (joined,) = short_kits(book, items, "en")
    assert [item.name for item, _values in joined.rows] == [
        "2 × Knife", "– Thrown", "– Split", "Rope",
    ]  # fmt: skip


def test_horse_counts_for_the_gang_and_not_for_its_rider() -> None:
    groups = [row("arms"), row("goods"), row("horses", apart=True)]
    items = [*SMALL["items"], row("horse", group="horses", price=20)]
    drawn = page(small(groups=groups, items=items), member("fighter", items=["sword", "horse"]))
    rider = drawn.cards[0]
    assert (rider.rating, [line.amount for line in rider.receipt]) == (9, [5, 4])
    assert (drawn.rating, [line.amount for line in drawn.receipt]) == (29, [9, 20])
    assert member_worth(drawn, rider) == "9 points"
