"""Each kind of limit on a small rulebook: a gang that breaks it, and a gang that keeps it."""

from typing import Any

import pytest

from gangs.cards.render import render
from gangs.engine.computed import ComputedGang
from gangs.engine.roster import Member, OwnItem, Roster
from gangs.engine.validation import Finding, findings
from gangs.engine.valuation import gang_price, gang_rating
from rules.book.model import Book
from tests.gangs.rosters import codes, member, roster
from tests.rules.small import SMALL, Data, limit, row, small, told, with_more

CHIEF, FIGHTER, SCOUT = (member(rank) for rank in ("chief", "fighter", "scout"))
GONE = member("fighter", conditions=["gone"])
TRAITS = [told("quick", price=2, tags=["body"]), told("lucky", price=4, tags=["mind"])]


def limited(kind: str, words: str = "No.", **fields: Any) -> Book:
    """The small rulebook with this one limit."""
    return small(limits=[limit(kind, words, **fields)], traits=TRAITS)


def said(book: Book, *members: Member, **gang: Any) -> list[Finding]:
    return list(findings(book, roster(book, *members, **gang)))


def speaks(book: Book, *members: Member, **gang: Any) -> bool:
    return bool(said(book, *members, **gang))


# The highest rank


@pytest.mark.parametrize(
    ("bosses", "others", "spoken"),
    [
        (["chief"], ["fighter", "scout"], []),
        (["fighter"], ["chief"], [1]),
        (["fighter"], ["fighter", "scout"], []),
        (["scout"], ["fighter"], [1]),
        (["chief", "scout"], ["fighter"], [2]),
        ([], ["chief"], []),
        (["scout"], [], []),
    ],
)
def test_bearers_of_a_trait_must_have_the_highest_rank(
    bosses: list[str], others: list[str], spoken: list[int]
) -> None:
    book = limited("highest", "{name} {rank}", of={"trait_tags": ["body"]})
    members = [member(rank, traits=["quick"], name="Boss") for rank in bosses]
    found = said(book, *members, *(member(rank) for rank in others))
    assert [one.members for one in found] == [(number,) for number in spoken]
    if found:
        highest = min([*bosses, *others], key=["chief", "fighter", "scout"].index)
        assert found[0].translated("en") == f"Boss {highest.capitalize()}"


def test_highest_rank_ignores_members_who_do_not_count() -> None:
    """A captive chief does not count as the highest."""
    book = limited("highest", of={"trait_tags": ["body"]})
    away = member("chief", conditions=["gone"])
    assert not speaks(book, member("fighter", traits=["quick"]), away)
    assert not speaks(book, member("scout", traits=["quick"], conditions=["gone"]), CHIEF)


# Items


@pytest.mark.parametrize(
    ("fields", "kits", "spoken"),
    [
        ({"per": "member", "maximum": 1}, [["axe"], ["axe", "rope"]], [(2,)]),
        ({"per": "member", "minimum": 1}, [["axe"], []], [(2,)]),
        ({"per": "member", "maximum": 1, "groups": ["arms"]}, [["axe", "rope"]], []),
        ({"per": "member", "maximum": 1, "groups": ["arms"]}, [["axe", "bow"]], [(1,)]),
        ({"per": "member", "maximum": 0, "item_tags": ["ranged"]}, [["axe"], ["bow"]], [(2,)]),
        ({"per": "member", "maximum": 2, "measure": "hands"}, [["axe"], ["sword", "sword"]], []),
        ({"per": "member", "maximum": 2, "measure": "hands"}, [["axe", "rope"]], []),
        ({"per": "member", "maximum": 2, "measure": "hands"}, [["axe", "sword"]], [(1,)]),
        ({"per": "gang", "maximum": 2}, [["axe"], ["axe"]], []),
        ({"per": "gang", "maximum": 2}, [["axe"], ["axe", "rope"]], [()]),
        ({"per": "gang", "minimum": 1, "item_tags": ["ranged"]}, [["axe"]], [()]),
        ({"per": "gang", "maximum": 3, "measure": "hands"}, [["axe"], ["bow"]], [()]),
        ({"per": "copies", "maximum": 1}, [["axe", "bow"], ["rope"]], []),
        ({"per": "copies", "maximum": 1}, [["axe", "bow"], ["axe", "bow"]], [(), ()]),
        ({"per": "copies", "maximum": 1, "item_tags": ["blade"]}, [["axe", "bow"]] * 2, [()]),
        ({"per": "copies", "minimum": 2, "groups": ["arms"]}, [["axe"], ["rope"]], [()]),
    ],
    ids=str,
)
def test_limit_counts_items(
    fields: Data, kits: list[list[str]], spoken: list[tuple[int, ...]]
) -> None:
    book = limited("items", **fields)
    found = said(book, *(member("fighter", items=kit) for kit in kits))
    assert [one.members for one in found] == spoken


@pytest.mark.parametrize("per", ["gang", "copies"])
def test_limit_counts_the_stash(per: str) -> None:
    book = limited("items", "{count} {maximum}", per=per, maximum=1)
    (found,) = said(book, member("fighter", items=["axe"]), stash=["axe"])
    assert found.translated("en") == "2 1"
    assert not speaks(book, member("fighter", items=["axe"]))
    (alone,) = said(book, stash=["axe", "axe"])
    assert alone.translated("en") == "2 1"


@pytest.mark.parametrize("per", ["gang", "copies"])
def test_limit_on_some_members_ignores_the_stash(per: str) -> None:
    book = limited("items", per=per, maximum=1, of={"ranks": ["fighter"]})
    assert not speaks(book, member("fighter", items=["axe"]), stash=["axe"])
    assert not speaks(book, member("fighter", items=["axe"]), member("scout", items=["axe"]))
    assert speaks(book, member("fighter", items=["axe", "axe"]))


def test_limit_counts_items_of_its_members() -> None:
    book = limited("items", per="member", maximum=0, of={"conditions": ["lame"]})
    lame = member("fighter", items=["axe"], conditions=["lame"])
    found = said(book, member("fighter", items=["axe"]), lame)
    assert [one.members for one in found] == [(2,)]


def test_limit_ignores_items_of_members_who_do_not_count() -> None:
    for per in ("member", "gang", "copies"):
        book = limited("items", per=per, maximum=0)
        assert not speaks(book, member("fighter", items=["axe"], conditions=["gone"]))


def test_limit_on_items_fills_in_its_text() -> None:
    axe = member("fighter", name="Anne", items=["axe", "axe"])
    book = limited("items", "{name} {count} {minimum} {maximum}", per="member", maximum=1)
    assert said(book, axe)[0].translated("en") == "Anne 2 0 1"
    book = limited("items", "{item} {count}", per="copies", maximum=1)
    assert said(book, axe)[0].translated("fr") == "Axe 2"


def test_limit_counts_own_items_by_group() -> None:
    book = limited("items", per="member", maximum=0, groups=["arms"])
    own = OwnItem(key="own-9", name="Blunderbuss", group="arms", price=3)
    gang = roster(book, member("fighter", items=["own-9"]))
    assert codes(book, gang.model_copy(update={"own_items": (own,)})) == ["items error"]


# Squads


SQUADS = {"ranks": [*SMALL["ranks"], row("pack", price=2, squad={"minimum": 2, "maximum": 3})]}


@pytest.mark.parametrize(
    ("squads", "words"),
    [
        (["A", "A"], []),
        (["A", "A", "A"], []),
        (["A"], ["A 1 2 3"]),
        (["A", "A", "A", "A"], ["A 4 2 3"]),
        (["A", "A", "B"], ["B 1 2 3"]),
        (["A", "B"], ["A 1 2 3", "B 1 2 3"]),
        ([], []),
    ],
)
def test_squad_size_is_limited(squads: list[str], words: list[str]) -> None:
    book = small(limits=[limit("squad", "{squad} {count} {minimum} {maximum}")], **SQUADS)
    found = said(book, CHIEF, *(member("pack", squad=name) for name in squads))
    assert [one.translated("en") for one in found] == words


def test_squad_has_members_of_one_rank() -> None:
    ranks = [*SQUADS["ranks"], row("herd", price=1, squad={"minimum": 2, "maximum": 2})]
    book = small(limits=[limit("squad")], ranks=ranks)
    assert len(said(book, member("pack", squad="A"), member("herd", squad="A"))) == 2
    assert not said(book, member("fighter", squad="A"))


def test_squad_ignores_members_who_do_not_count() -> None:
    book = small(limits=[limit("squad")], **SQUADS)
    away = member("pack", squad="A", conditions=["gone"])
    assert speaks(book, member("pack", squad="A"), away)
    assert not speaks(book, away)


# Unfit and unavailable rows


@pytest.mark.parametrize(
    ("one", "what"),
    [
        (member("chief", traits=["noble"]), []),
        (member("fighter", traits=["noble"]), ["Noble"]),
        (member("fighter", traits=["quick", "agile"]), []),
        (member("fighter", traits=["agile"]), ["Agile"]),
        (member("fighter", traits=["agile", "quick"]), []),
        (member("fighter", profession="cook"), []),
        (member("chief", profession="cook"), ["Cook"]),
        (member("scout", traits=["agile", "noble"], profession="cook"), ["Agile", "Noble", "Cook"]),
    ],
)
def test_unfit_rows_are_named(one: Member, what: list[str]) -> None:
    book = small(
        limits=[limit("unfit", "{what}")],
        traits=[*TRAITS, told("noble", ranks=["chief"]), told("agile", requires=["quick"])],
        professions=[told("smith"), told("cook", ranks=["fighter"])],
    )
    assert [found.translated("en") for found in said(book, one)] == what


HILL_ONLY = {"when": {"people": ["hill"]}}
BANNED = {"status": "banned"}
HIDDEN = {"status": "hidden"}


@pytest.mark.parametrize("state", [{}, HIDDEN, BANNED, HILL_ONLY], ids=str)
@pytest.mark.parametrize(
    ("table", "one"),
    [
        ("ranks", member("new")),
        ("origins", member("fighter", origin="new")),
        ("traits", member("fighter", traits=["new"])),
        ("professions", member("fighter", profession="new")),
        ("items", member("fighter", items=["new"])),
    ],
)
def test_banned_and_excluded_rows_are_named(table: str, one: Member, state: Data) -> None:
    """A hidden row is no longer offered, but members who have it keep it."""
    fields = {"ranks": {"price": 1}, "items": {"group": "arms"}}.get(table)
    new = row("new", **fields, **state) if fields else told("new", **state)
    book = small(limits=[limit("unavailable", "{what}")], **{table: [*SMALL[table], new]})
    found = [finding.translated("en") for finding in said(book, one)]
    assert found == (["New"] if state in (BANNED, HILL_ONLY) else [])


def test_row_may_be_excluded_by_a_setting_only() -> None:
    book = with_more(limits=limit("unavailable"), items=row("new", group="arms", **HILL_ONLY))
    one = member("fighter", items=["new"])
    assert speaks(book, one, settings={"people": "river"})
    assert not speaks(book, one, settings={"people": "hill"})


# Before and after the first game


@pytest.mark.parametrize(
    ("phase", "founding", "playing"),
    [(None, True, True), ("founding", True, False), ("playing", False, True)],
)
def test_limit_applies_in_its_phase(phase: str | None, founding: bool, playing: bool) -> None:
    book = limited("count", minimum=3, phase=phase)
    assert speaks(book, CHIEF) == founding
    assert speaks(book, CHIEF, games=1) == playing


def test_severity_changes_with_the_first_game() -> None:
    book = limited("count", minimum=3, later="note")
    assert [one.severity for one in said(book, CHIEF)] == ["error"]
    assert [one.severity for one in said(book, CHIEF, games=2)] == ["note"]


def test_limit_depends_on_a_setting() -> None:
    book = limited("count", minimum=3, when={"people": ["hill"]})
    assert not speaks(book, CHIEF)
    assert speaks(book, CHIEF, settings={"people": "hill"})


# Members who are not counted


def test_absent_member_is_not_counted() -> None:
    """A captive is no part of size, limits, price and rating, but still in the gang."""
    book = small()
    gang = roster(book, CHIEF, GONE, FIGHTER, stash=["axe"])
    assert [one.id for one in gang.counted(book)] == [1, 3]
    assert gang_price(book, gang) == 10 + 5 + 7
    assert gang_rating(book, gang).total == 10 + 5 + 7
    assert len(gang_rating(book, gang).lines) == 3
    computed = ComputedGang.of(book, gang)
    assert [one.id for one in computed.counted] == [1, 3]
    assert computed.price == gang_price(book, gang, {1: computed.figures[1]}) == 10 + 5 + 7
    page = render(computed, "en")
    assert len(page.cards) == 3, "absent members are still drawn"


def test_member_with_another_condition_is_counted() -> None:
    book = small()
    gang = roster(book, CHIEF, member("fighter", conditions=["lame"]))
    assert len(gang.counted(book)) == 2
    assert gang_price(book, gang) == 15


@pytest.mark.parametrize(
    ("kind", "fields", "within", "beyond"),
    [
        ("count", {"minimum": 2}, [CHIEF, FIGHTER], [CHIEF, GONE]),
        ("count", {"maximum": 1}, [CHIEF, GONE], [CHIEF, FIGHTER]),
        (
            "count",
            {
                "of": {"ranks": ["fighter"]},
                "maximum_by_size": [{"size": 2, "maximum": 1}],
                "maximum": 5,
            },
            [CHIEF, FIGHTER],
            [FIGHTER, FIGHTER],
        ),
        (
            "share",
            {"of": {"ranks": ["chief"]}, "part": 1, "whole": 2},
            [CHIEF, FIGHTER, GONE],
            [CHIEF, FIGHTER, FIGHTER],
        ),
        (
            "unnamed",
            {},
            [member("fighter", name="", conditions=["gone"])],
            [member("scout", name="")],
        ),
    ],
    ids=str,
)
def test_limits_count_only_present_members(
    kind: str, fields: Data, within: list[Member], beyond: list[Member]
) -> None:
    book = limited(kind, **fields)
    assert not speaks(book, *within)
    assert speaks(book, *beyond)


# The purse


def purse(kind: str, **fields: Any) -> Book:
    return small(limits=[limit(kind, "{amount}")], **fields)


@pytest.mark.parametrize(
    ("kind", "amount", "words"),
    [("overspent", 9, ["1"]), ("overspent", 10, []), ("unspent", 12, ["2"]), ("unspent", 10, [])],
)
def test_budget_limits_a_new_gang(kind: str, amount: int, words: list[str]) -> None:
    book = purse(kind, budgets=[{"amount": amount}])
    assert [one.translated("en") for one in said(book, CHIEF)] == words


@pytest.mark.parametrize(("spent", "words"), [(3, []), (4, ["1"]), (3.5, ["0.5"])])
def test_treasury_below_zero_is_overspent(spent: float, words: list[str]) -> None:
    book = purse("debt")
    found = said(book, CHIEF, games=1, earned=3, spent=spent)
    assert [one.translated("en") for one in found] == words


def test_purse_limits_are_silent_without_a_budget() -> None:
    for kind in ("overspent", "unspent"):
        book = purse(kind, budgets=[])
        assert not speaks(book, CHIEF)
        assert ComputedGang.of(book, roster(book, CHIEF)).left is None


def test_finding_shows_halves() -> None:
    book = purse(
        "unspent",
        budgets=[{"amount": 12}],
        adjustments=[row("half", on="rank", times="1/2")],
        roundings=[{"mode": "exact"}],
    )
    assert [one.translated("en") for one in said(book, FIGHTER)] == ["9.5"]
    assert [one.translated("en") for one in said(book, FIGHTER, FIGHTER)] == ["7"]


def test_findings_are_ordered_by_severity() -> None:
    limits = [
        limit("count", minimum=9, code="note", severity="note"),
        limit("count", minimum=9, code="error"),
        limit("count", minimum=9, code="warning", severity="warning"),
    ]
    book = small(limits=limits)
    assert codes(book, Roster(settings=book.default_settings())) == [
        "error error",
        "warning warning",
        "note note",
    ]
