"""Lists of army builders become gangs, and notes say what does not come over."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gangs.engine import entries as kinds
from gangs.engine import from_roster
from gangs.engine.fold import fold
from gangs.engine.from_roster import Translation, found_from_roster, is_too_long
from rules.book.model import Book
from rules.book.schema import SquadSize
from rules.catalogues.entry_map import EntryMap
from rules.catalogues.rosters import RosterForce, Selection
from tests.gangs.engine.lists import IDS, make_list, pick
from tests.world.gangs import GOLD, shipped

BOOK = shipped(GOLD)


def found(*selections: Selection, ids: EntryMap = IDS) -> Translation:
    """Translate a list, and check that its entries are the gang."""
    made = found_from_roster(BOOK, ids, make_list(*selections))
    assert fold(BOOK, enumerate(made.entries, start=1)) == made.gang.roster
    return made


def notes_of(made: Translation) -> list[tuple[str, str]]:
    """Return the end of each note's place, and its sentence or the code of the refusal."""
    return [(one.place[-1], getattr(one.why, "code", str(one.why))) for one in made.notes]


def things(made: Translation, member: int = 0) -> list[str]:
    """Return the traits and items of a member."""
    one = made.gang.roster.members[member]
    return [*one.traits, *(owned.key for owned in one.items)]


def test_model_becomes_a_member_with_what_they_have() -> None:
    made = found(
        pick(
            "boss", pick("blade", kind="upgrade"), pick("luck", kind="upgrade"), called="Ada",
            notes="Always late.",
        )
    )  # fmt: skip
    (member,) = made.gang.roster.members
    assert (member.name, member.rank, member.notes) == ("Ada", "leader", "Always late.")
    assert things(made) == ["lucky", "sword"]
    assert made.gang.roster.name == "The Reds"
    assert not made.notes


def test_id_finds_the_row_of_the_nearest_links() -> None:
    made = found(pick("boss", pick("outer::link::blade", kind="upgrade")))
    assert things(made) == ["sabre"]
    made = found(pick("boss", pick("outer::blade", kind="upgrade")))
    assert things(made) == ["sword"]


def test_name_finds_the_row_of_an_unknown_id() -> None:
    made = found(
        pick("x", pick("y", kind="upgrade", name="spear"), name="Henchman"),
        pick("z", pick("w", kind="upgrade", name="Épée"), name="homme  DE main"),
        ids=EntryMap(),
    )
    assert [one.rank for one in made.gang.roster.members] == ["henchman", "henchman"]
    assert (things(made), things(made, 1)) == (["spear"], ["sword"])
    assert not made.notes


def test_several_models_are_several_members_who_share_their_things() -> None:
    made = found(
        pick("crew", pick("blade", kind="upgrade", number=5), number=3, called="Bo", cost=60)
    )
    names = [one.name for one in made.gang.roster.members]
    assert names == ["Bo 1", "Bo 2", "Bo 3"]
    assert [things(made, member).count("sword") for member in range(3)] == [2, 2, 1]
    assert {*made.costs.values()} == {Decimal(20)}


def test_items_without_a_member_go_to_the_stash() -> None:
    made = found(pick("pike", kind="upgrade", number=2), pick("luck", kind="upgrade"))
    assert [owned.key for owned in made.gang.roster.stash] == ["spear", "spear"]
    assert notes_of(made) == [("Luck", from_roster.NOBODY)]


def test_unit_of_models_of_its_rank_is_its_models() -> None:
    made = found(
        pick(
            "team",
            pick("rookie", pick("blade", kind="upgrade", number=2), number=2, cost=20),
            pick("rookie", number=1, cost=10),
            pick("pike", kind="upgrade", cost=3),
            kind="unit", called="Owls", cost=1,
        )
    )  # fmt: skip
    assert [one.rank for one in made.gang.roster.members] == ["henchman"] * 3
    assert [things(made, member) for member in range(3)] == [["sword", "spear"], ["sword"], []]
    assert [*made.costs.values()] == [14, 10, 10]


def test_only_model_of_a_unit_is_the_unit_itself() -> None:
    made = found(pick("boss", pick("boss", pick("blade", kind="upgrade")), kind="unit", called="A"))
    assert len(made.gang.roster.members) == 1
    assert made.gang.roster.members[0].name == "A"
    assert things(made) == ["sword"]


def test_models_of_other_ranks_are_members_of_their_own() -> None:
    made = found(pick("boss", pick("crew", number=2), pick("blade", kind="upgrade"), kind="unit"))
    assert [one.rank for one in made.gang.roster.members] == ["leader", "henchman", "henchman"]
    assert things(made) == ["sword"]


def test_members_of_a_unit_join_one_group_when_their_rank_has_groups() -> None:
    row = BOOK.rank["henchman"].model_copy(update={"squad": SquadSize(minimum=1, maximum=9)})
    ranks = tuple(row if rank.key == "henchman" else rank for rank in BOOK.ranks)
    book = Book.model_validate({**BOOK.model_dump(), "ranks": [one.model_dump() for one in ranks]})
    units = (
        pick("team", pick("rookie", number=2), pick("rookie"), kind="unit", called="Owls"),
        pick("team", pick("rookie", number=2), kind="unit", called="Owls"),
        pick("rookie"),
    )
    made = found_from_roster(book, IDS, make_list(*units))
    squads = [one.squad for one in made.gang.roster.members]
    assert squads == ["Owls", "Owls", "Owls", "Owls 2", "Owls 2", "Rookie"]


def test_unknown_things_and_records_are_noted_with_their_place() -> None:
    made = found(
        pick(
            "boss",
            pick("hat", kind="upgrade", number=2),
            pick("x", kind="upgrade", group="xp", number=7),
            pick("y", kind="upgrade", category="wounds"),
        )
    )
    assert [(one.place, one.count) for one in made.notes] == [
        (("Warband", "Boss", "Hat"), 2),
        (("Warband", "Boss", "X"), 7),
        (("Warband", "Boss", "Y"), 1),
    ]
    assert [str(one.why) for one in made.notes] == [
        from_roster.UNKNOWN,
        from_roster.RECORDS["experience"],
        from_roster.RECORDS["injury"],
    ]


def test_refused_purchases_are_noted() -> None:
    made = found(pick("boss", pick("luck", kind="upgrade", number=3)))
    assert things(made) == ["lucky"]
    assert [(one.place[-1], one.count) for one in made.notes] == [("Luck", 2)]
    assert notes_of(made)[0][1] == "has_it"


def test_refused_recruits_are_noted_with_everything_inside() -> None:
    ids = EntryMap("system", "gold", {**IDS.rows, "guard": ("ranks", "nonplayer")})
    made = found(pick("guard", pick("blade", kind="upgrade")), ids=ids)
    assert not made.gang.roster.members
    assert notes_of(made) == [("Guard", "not_offered"), ("Blade", from_roster.WITHOUT)]


def test_more_members_than_a_gang_has_are_noted() -> None:
    made = found(pick("crew", number=10_000))
    assert len(made.gang.roster.members) == 60
    (note,) = made.notes
    assert (note.count, getattr(note.why, "code", "")) == (9_940, "gang_full")


def test_decisions_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(from_roster, "MOST_DECISIONS", 5)
    made = found(pick("pike", kind="upgrade", number=10_000), pick("boss"), pick("boss"))
    assert len(made.gang.roster.stash) == 5
    assert notes_of(made) == [("Pike", from_roster.TOO_MUCH)]
    assert not made.gang.roster.members


def test_things_of_one_member_are_bounded() -> None:
    made = found(pick("pike", kind="upgrade", number=10_000))
    assert len(made.gang.roster.stash) == from_roster.MOST_THINGS
    assert [one.count for one in made.notes] == [10_000 - from_roster.MOST_THINGS]


def test_costs_are_compared() -> None:
    made = found_from_roster(BOOK, IDS, make_list(pick("boss", cost=70), total=71))
    assert (made.total, made.costs) == (Decimal(71), {2: Decimal(70)})
    assert made.costs_the_same == (made.price == 71)
    price = made.price
    assert found_from_roster(BOOK, IDS, make_list(pick("boss"), total=price)).costs_the_same


def test_other_cost_is_not_compared_when_the_money_is_unknown() -> None:
    costs = (("points", Decimal(5)), ("gold", Decimal(6)))
    roster = make_list(pick("boss"), costs=costs)
    assert found_from_roster(BOOK, EntryMap(), roster).total is None
    assert found_from_roster(BOOK, IDS, roster).total == 6


def test_texts_that_are_too_long_are_cut_with_a_note() -> None:
    roster = make_list(pick("boss", called="n" * 90), name="g" * 100, notes="t" * 5_000)
    made = found_from_roster(BOOK, IDS, roster)
    assert [len(made.gang.roster.name), len(made.gang.roster.members[0].name)] == [80, 80]
    assert len(made.gang.roster.notes) == 4_000
    assert [str(one.why) for one in made.notes] == [from_roster.SHORTENED] * 3


def test_catalogue_chooses_the_option_of_its_name() -> None:
    setting = next(row for row in BOOK.settings if row.kind == "choice")
    words = setting.choices[1].name["en"]
    force = RosterForce("f", "Warband", "", "c", f"Blades - {words}")
    made = found_from_roster(BOOK, IDS, make_list(forces=(force,)))
    assert made.gang.roster.settings[setting.key] == setting.choices[1].key


def test_lists_with_too_many_selections_are_recognised() -> None:
    assert not is_too_long(make_list(*[pick("blade")] * 500))
    assert is_too_long(make_list(pick("boss", *[pick("blade")] * 500)))


def test_gang_of_a_list_begins_with_its_founding() -> None:
    made = found_from_roster(BOOK, IDS, make_list(), "Another name")
    assert isinstance(made.entries[0], kinds.Founded)
    assert made.entries[0].name == "Another name"
