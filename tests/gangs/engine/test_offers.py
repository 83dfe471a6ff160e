"""Offers of a small rulebook: hidden and banned rows, prices, quotas, cautions."""

from typing import Any

import pytest

from common.errors import Refusal
from gangs.engine import actions, offers
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import (
    Bought,
    Entry,
    Named,
    OriginChosen,
    Recruited,
    SquadJoined,
    TraitTaken,
)
from gangs.engine.roster import Member, Roster
from gangs.engine.validation import places_left, quota_left
from gangs.text.formats import refusal_sentence
from rules.book.model import Book
from rules.engine.figure import offers_of, offers_to
from tests.gangs.rosters import member, roster
from tests.rules.large import large
from tests.rules.small import SMALL, Data, choice, figure, limit, row, small, told, with_more
from tests.work import calls
from tests.world.gangs import played, rostered

EMPTY: tuple[Member, ...] = ()


def computed(book: Book, *members: Member, **gang: Any) -> ComputedGang:
    return ComputedGang.of(book, roster(book, *members, **gang))


def keys(listed: list[offers.Offer[Any]]) -> list[str]:
    return [offer.row.key for offer in listed]


def refusals(listed: list[offers.Offer[Any]]) -> dict[str, str]:
    return {offer.row.key: offer.refusal.code for offer in listed if offer.refusal}


def cautions(listed: list[offers.Offer[Any]]) -> dict[str, str]:
    return {offer.row.key: offer.caution.code for offer in listed if offer.caution}


def prices(listed: list[offers.Offer[Any]]) -> dict[str, float]:
    return {offer.row.key: offer.price for offer in listed}


# Rows on offer


@pytest.mark.parametrize(
    ("state", "offered"),
    [
        ({}, True),
        ({"status": "hidden"}, False),
        ({"status": "banned"}, False),
        ({"when": {"people": ["hill"]}}, False),
        ({"when": {"people": ["nobody", "river"]}}, True),
    ],
    ids=str,
)
def test_hidden_banned_and_excluded_rows_are_not_offered(state: Data, offered: bool) -> None:
    book = with_more(
        ranks=row("new", price=1, **state),
        origins=told("new", **state),
        traits=told("new", **state),
        items=row("new", group="arms", **state),
    )
    one = member("fighter")
    here = computed(book, one)
    listed = [
        offers.ranks(here),
        offers.origins(here),
        offers.traits(here, here.roster.members[0]),
        offers.items(here, None),
        offers.items(here, here.roster.members[0]),
    ]
    assert ["new" in keys(offer) for offer in listed] == [offered] * 5
    if not offered:
        with pytest.raises(Refusal, match="not_offered"):
            actions.recruit(here, "new", "")
        with pytest.raises(Refusal, match="not_offered"):
            actions.buy(here, 1, "new")
        with pytest.raises(Refusal, match="not_offered"):
            actions.take_trait(here, 1, "new")
        with pytest.raises(Refusal, match="not_offered"):
            actions.recruit(here, "fighter", "", origin="new")


def test_professions_are_offered_by_rank() -> None:
    book = small(
        ranks=[
            row("chief", price=1, profession="required"),
            row("fighter", price=1, profession="required"),
            row("scout", price=1),
        ],
        professions=[told("smith"), told("cook", ranks=["chief"]), told("thief", status="hidden")],
    )
    here = computed(book, member("chief"), member("fighter"), member("scout"))
    listed = [keys(offers.professions(here, one)) for one in here.roster.members]
    assert listed == [["smith", "cook"], ["smith"], []]


def test_rank_that_cannot_be_recruited_is_not_offered() -> None:
    book = with_more(ranks=row("monster", price=1, recruited=False))
    assert "monster" not in keys(offers.ranks(computed(book)))
    with pytest.raises(Refusal, match="not_offered"):
        actions.recruit(computed(book), "monster", "")


def test_everyday_things_are_not_for_sale() -> None:
    book = with_more(items=row("fists", group="arms", innate=True))
    assert "fists" not in keys(offers.items(computed(book), None))


# Traits


TRAITS = [
    told("quick", price=2),
    told("agile", price=1, requires=["quick"]),
    told("noble", ranks=["chief"]),
    told("scarred", sold=False),
    told("rich", sold_when={"people": ["hill"]}),
    told("mighty", gained_at={"characteristic": "might", "value": 6}),
    told("free", counted=False),
]


def gang_with_traits(**gang: Any) -> ComputedGang:
    book = small(
        traits=TRAITS,
        ranks=[row("chief", price=1), row("fighter", price=1, maximum_traits=1)],
        campaign__advancement={"experience": 10, "trait_tags": []},
    )
    return computed(
        book, member("chief"), member("fighter", traits=["quick"]), member("fighter"), **gang
    )


def test_traits_with_a_price_are_offered() -> None:
    here = gang_with_traits()
    chief, learned, simple = here.roster.members
    assert keys(offers.traits(here, chief)) == ["quick", "agile", "noble", "free"]
    assert keys(offers.traits(here, simple)) == ["quick", "agile", "free"]
    assert refusals(offers.traits(here, chief)) == {"agile": "requires"}
    assert refusals(offers.traits(here, learned)) == {"quick": "has_it", "agile": "traits_full"}


def test_setting_decides_whether_a_trait_is_sold() -> None:
    here = gang_with_traits(settings={"people": "hill"})
    assert "rich" in keys(offers.traits(here, here.roster.members[0]))


def test_advances_offer_traits_that_are_not_for_sale() -> None:
    here = gang_with_traits()
    chief = here.roster.members[0]
    assert keys(offers.advances(here, chief)) == [one["key"] for one in TRAITS]
    assert set(prices(offers.advances(here, chief)).values()) == {0}
    book = small(
        traits=[told("quick", tags=["skill"]), told("lucky")],
        campaign__advancement={"experience": 10, "trait_tags": ["skill"]},
    )
    here = computed(book, member("chief"))
    assert keys(offers.advances(here, here.roster.members[0])) == ["quick"]
    plain = computed(small(), member("chief"))
    assert offers.advances(plain, plain.roster.members[0]) == []


# Prices


def test_prices_depend_on_the_origin() -> None:
    half = row("half", on="rank", times="1/2", of={"origins": ["hill"]})
    book = small(adjustments=[half])
    plain = {"chief": 10, "fighter": 5, "scout": 3}
    halved = {"chief": 5, "fighter": 3, "scout": 2}
    assert prices(offers.ranks(computed(book))) == plain
    assert prices(offers.ranks(computed(book), "hill")) == halved
    assert prices(offers.ranks(computed(book, settings={"people": "hill"}))) == halved
    assert prices(offers.ranks(computed(book, settings={"people": "hill"}), "river")) == plain


def test_price_counts_the_free_first_item() -> None:
    """Only the dearest blade is free: after buying a dearer blade, the other has its full price."""
    free = row("free", on="items", item_tags=["blade"], first=1, times="0")
    here = computed(
        small(adjustments=[free]), member("fighter"), member("fighter", items=["sword"])
    )
    none, armed = here.roster.members
    wanted = {"sword": 0, "axe": 0, "bow": 6, "rope": 1}
    assert prices(offers.items(here, none)) == wanted
    assert prices(offers.items(here, armed)) == {"sword": 4, "axe": 4, "bow": 6, "rope": 1}
    assert prices(offers.items(here, None)) == {"sword": 4, "axe": 7, "bow": 6, "rope": 1}
    assert actions.buy(here, 1, "axe") == [Bought(item="axe", member=1, paid=0)]


def test_halves_of_a_coin_are_paid() -> None:
    book = small(adjustments=[row("half", on="items", times="1/2")], roundings=[{"mode": "exact"}])
    here = computed(book, member("fighter"), games=1, earned=4)
    assert actions.buy(here, 1, "axe") == [Bought(item="axe", member=1, paid=3.5)]
    assert actions.buy(here, None, "axe") == [Bought(item="axe", member=None, paid=3.5)]
    poorer = computed(book, member("fighter"), games=1, earned=3)
    with pytest.raises(Refusal, match="too_dear") as caught:
        actions.buy(poorer, 1, "axe")
    assert caught.value.values["missing"] == 0.5


def test_stash_prices_ignore_individual_discounts() -> None:
    """It costs what the gang's lowest newcomer would pay, without discounts for a first item."""
    dear = row("dear", on="items", of={"not_ranks": ["chief"]}, times="2")
    gift = row("gift", on="items", item_tags=["blade"], first=1, less="1")
    here = computed(small(adjustments=[dear, gift]), member("chief"))
    assert prices(offers.items(here, None)) == {"sword": 8, "axe": 14, "bow": 12, "rope": 2}


def test_a_phase_changes_prices() -> None:
    book = small(adjustments=[row("gift", on="rank", times="0", phase="founding")])
    assert prices(offers.ranks(computed(book)))["chief"] == 0
    assert prices(offers.ranks(computed(book, games=1, earned=50)))["chief"] == 10


# Cautions and refusals


@pytest.mark.parametrize(
    ("fields", "kit", "beyond"),
    [
        ({"per": "member", "maximum": 1}, [], []),
        ({"per": "member", "maximum": 1}, ["rope"], ["sword", "axe", "bow", "rope"]),
        ({"per": "member", "maximum": 2, "measure": "hands"}, ["sword"], ["axe", "bow"]),
        ({"per": "member", "maximum": 1, "groups": ["arms"]}, ["axe"], ["sword", "axe", "bow"]),
        ({"per": "copies", "maximum": 1}, ["axe", "rope"], ["axe", "rope"]),
        ({"per": "gang", "maximum": 1, "item_tags": ["ranged"]}, ["bow"], ["bow"]),
        ({"per": "member", "maximum": 0, "of": {"ranks": ["chief"]}}, [], []),
        (
            {"per": "member", "maximum": 0, "of": {"ranks": ["fighter"]}, "groups": ["goods"]},
            [],
            ["rope"],
        ),
        ({"per": "member", "minimum": 1}, ["axe"], []),
    ],
    ids=str,
)
def test_item_beyond_a_limit_has_a_caution(fields: Data, kit: list[str], beyond: list[str]) -> None:
    here = computed(small(limits=[limit("items", **fields)]), member("fighter", items=kit))
    listed = offers.items(here, here.roster.members[0])
    assert sorted(cautions(listed)) == sorted(beyond)
    code = "beyond_limit" if fields.get("maximum") else "not_allowed"
    assert set(cautions(listed).values()) <= {code}
    assert not refusals(listed)


def test_the_stash_and_others_count_towards_a_limit_on_the_gang() -> None:
    book = small(limits=[limit("items", per="copies", maximum=1)])
    here = computed(book, member("fighter", items=["axe"]), member("scout"), stash=["bow"])
    assert sorted(cautions(offers.items(here, here.roster.members[1]))) == ["axe", "bow"]
    assert sorted(cautions(offers.items(here, None))) == ["axe", "bow"]


def test_a_budget_may_be_overdrawn_and_a_treasury_may_not() -> None:
    book = small(budgets=[{"amount": 12}])
    here = computed(book, member("chief"))
    assert cautions(offers.items(here, None)) == dict.fromkeys(
        ("sword", "axe", "bow"), "over_budget"
    )
    here = computed(book, member("chief"), games=1, earned=6)
    assert refusals(offers.items(here, None)) == {"axe": "too_dear"}


def test_caution_shows_the_whole_sum_that_is_missing() -> None:
    here = computed(small(), *[member("chief")] * 11)
    assert here.left is not None and here.left < 0
    for offer in offers.items(here, None):
        assert offer.caution is not None
        assert offer.caution.values["missing"] == offer.price - here.left
        assert refusal_sentence(offer.caution) == f"{offer.price - here.left} gold short"


def test_refusal_quotes_the_rulebook_when_an_item_is_never_allowed() -> None:
    words = {"en": "{name}: no blade, not {count}.", "fr": "{name} : aucune lame."}
    axes = limit("items", item_tags=["blade"], per="member", maximum=0)
    chiefs = limit("count", "No chief here.", of={"ranks": ["chief"]}, maximum=0)
    book = small(limits=[{**axes, "text": words}, chiefs])
    here = computed(book, member("fighter", name="Anne"))
    said = {
        offer.row.key: refusal_sentence(offer.caution)
        for offer in (*offers.items(here, here.roster.members[0]), *offers.ranks(here))
        if offer.caution
    }
    assert said == {
        "sword": "Anne: no blade, not 1.",
        "axe": "Anne: no blade, not 1.",
        "chief": "No chief here.",
    }


def test_rank_reached_only_by_promotion_is_refused() -> None:
    quotas = {"quotas": [{"ranks": ["chief"], "most": 0}, {"ranks": ["scout"], "most": 1}]}
    book = small(campaign__recruiting=quotas)
    rich = {"games": 1, "earned": 500}
    assert refusals(offers.ranks(computed(book, member("fighter"), **rich))) == {
        "chief": "never_recruited"
    }
    assert not refusals(offers.ranks(computed(book, member("fighter"))))


def test_game_without_money_refuses_nothing() -> None:
    """A game without budget and income sells everything to everybody."""
    book = small(money=None, budgets=[], rating=None, campaign__steps=[])
    for games in (0, 1):
        here = computed(book, member("chief"), games=games)
        listed = [*offers.items(here, None), *offers.ranks(here)]
        assert not refusals(listed) and not cautions(listed)
        assert actions.recruit(here, "chief", "Anne")[0] == Recruited(
            rank="chief", name="Anne", paid=10 if games == 0 else 0
        )


# Quotas


QUOTAS = {"quotas": [{"ranks": ["chief"], "most": 1}, {"ranks": ["chief", "fighter"], "most": 3}]}


def grow_gang(book: Book, *entries: Entry) -> Roster:
    return rostered(book, [*actions.found(book, "Gang", {}), *entries])


def recruits(rank: str, count: int) -> list[Entry]:
    return [Recruited(rank=rank) for _ in range(count)]


@pytest.mark.parametrize(
    ("joined", "left"),
    [
        ([], {"chief": 1, "fighter": 3, "scout": None}),
        (["fighter"], {"chief": 1, "fighter": 2, "scout": None}),
        (["chief"], {"chief": 0, "fighter": 2, "scout": None}),
        (["fighter"] * 3, {"chief": 0, "fighter": 0, "scout": None}),
        (["fighter"] * 5, {"chief": 0, "fighter": 0, "scout": None}),
        (["scout"] * 5, {"chief": 1, "fighter": 3, "scout": None}),
    ],
    ids=str,
)
def test_quota_left_counts_recruits_by_rank(joined: list[str], left: dict[str, int | None]) -> None:
    book = small(campaign__recruiting=QUOTAS)
    gang = grow_gang(book, played(book), *(Recruited(rank=rank) for rank in joined))
    assert {rank: quota_left(book, gang, rank) for rank in left} == left
    gone = [rank for rank, number in left.items() if number == 0]
    rich = ComputedGang.of(book, gang.model_copy(update={"earned": 500}))
    assert refusals(offers.ranks(rich)) == dict.fromkeys(gone, "quota_used_up")


def test_quotas_begin_again_after_each_game() -> None:
    book = small(campaign__recruiting=QUOTAS)
    gang = grow_gang(book, *recruits("chief", 4))
    assert quota_left(book, gang, "chief") is None, "no quota while founding"
    gang = grow_gang(book, played(book), *recruits("chief", 1), played(book, "g2"))
    assert quota_left(book, gang, "chief") == 1, "a new game, a new quota"
    assert quota_left(small(), gang, "chief") is None, "a game without quotas"


def test_several_recruits_together_stay_within_the_quota() -> None:
    book = small(campaign__recruiting=QUOTAS)
    here = ComputedGang.of(book, grow_gang(book, played(book)).model_copy(update={"earned": 500}))
    assert len(actions.recruit(here, "fighter", "", 3)) == 3
    with pytest.raises(Refusal, match="recruits_left") as caught:
        actions.recruit(here, "fighter", "", 4)
    assert caught.value.values == {"count": 3}


def test_cap_and_quota_apply_together() -> None:
    book = small(
        settings=[*SMALL["settings"], choice("cap", "session", "none")],
        campaign__recruiting={"cap": "cap", **QUOTAS},
    )
    gang = grow_gang(book, *recruits("scout", 2), played(book), *recruits("scout", 2))
    here = ComputedGang.of(book, gang.model_copy(update={"earned": 500}))
    assert set(refusals(offers.ranks(here)).values()) == {"recruits_used_up"}


def test_places_left_follow_the_strictest_limit() -> None:
    cap = [*SMALL["settings"], choice("cap", "total", "none")]
    most = limit("count", maximum=3)
    soft = limit("count", maximum=2, severity="warning")
    chiefs = limit("count", maximum=0, of={"ranks": ["chief"]})
    book = small(settings=cap, campaign__recruiting={"cap": "cap"}, limits=[soft, chiefs, most])
    members = [member("fighter"), member("fighter")]
    for count, left in ((1, 1), (2, 1)):
        here = computed(book, *members[:count], games=1)
        assert places_left(here) == left, "as many recruits as members, and three members in all"
    free = small(settings=cap, campaign__recruiting={"cap": "cap"}, limits=[most])
    here = computed(free, *members, games=1, settings={"cap": "none"})
    assert places_left(here) == 1
    assert places_left(computed(small(), *members, games=1)) is None


def test_full_gang_is_announced_before_hiring() -> None:
    book = small(limits=[limit("count", maximum=2)])
    full = computed(book, member("chief"), member("fighter"))
    assert cautions(offers.ranks(full)) == dict.fromkeys(
        ("chief", "fighter", "scout"), "beyond_limit"
    )
    assert not cautions(offers.ranks(computed(book, member("chief"))))


# Deciding


def test_describe_writes_only_changes() -> None:
    here = computed(small(), member("fighter", name="Anne", origin="hill", squad="A"))
    same = {"name": "Anne", "notes": "", "profession": None, "origin": "hill", "squad": "A"}
    assert actions.describe(here, 1, **same) == []
    other = same | {"name": "Bea", "origin": None, "squad": "B"}
    assert actions.describe(here, 1, **other) == [
        OriginChosen(member=1, origin=None),
        SquadJoined(member=1, squad="B"),
        Named(member=1, name="Bea"),
    ]
    with pytest.raises(Refusal, match="not_offered"):
        actions.describe(here, 1, **(same | {"origin": "moon"}))


def test_member_keeps_an_origin_that_is_no_longer_offered() -> None:
    book = with_more(origins=told("lost", status="hidden"))
    here = computed(book, member("fighter", name="Anne", origin="lost"))
    kept = actions.describe(here, 1, name="Bea", notes="", profession=None, origin="lost")
    assert kept == [Named(member=1, name="Bea")]


def test_duplicate_has_the_same_origin_and_price() -> None:
    half = row("half", on="rank", times="1/2", of={"origins": ["hill"]})
    free = row("free", on="items", item_tags=["blade"], first=1, times="0")
    here = computed(
        small(adjustments=[half, free]),
        member("fighter", name="Anne", origin="hill", traits=["quick"], items=["sword", "axe"]),
    )
    assert actions.duplicate(here, 1, 9) == [
        Recruited(rank="fighter", name="Anne 2", paid=3, origin="hill"),
        TraitTaken(member=9, trait="quick", paid=2),
        Bought(item="sword", member=9, paid=0),
        Bought(item="axe", member=9, paid=4),
    ]


def test_duplicate_lacks_things_that_are_not_sold() -> None:
    book = with_more(
        traits=told("scarred", sold=False), items=row("relic", group="arms", status="hidden")
    )
    here = computed(book, member("fighter", traits=["scarred", "quick"], items=["relic", "axe"]))
    made = actions.duplicate(here, 1, 9)
    assert [one.kind for one in made] == ["recruited", "trait_taken", "bought"]


def test_limit_on_other_members_gives_no_caution() -> None:
    """Members outside the limit, and the stash, get no caution."""
    rows = [limit("items", per="gang", of={"ranks": ["chief"]}, maximum=1)]
    here = computed(
        small(limits=rows), member("chief", items=["axe"]), member("fighter", items=["axe"])
    )
    chief, fighter = here.roster.members
    assert set(cautions(offers.items(here, chief)).values()) == {"beyond_limit"}
    assert not cautions(offers.items(here, fighter))
    assert not cautions(offers.items(here, None))


@pytest.mark.parametrize(
    ("maximum", "chiefs", "said"),
    [(1, 0, {}), (1, 1, {"chief": "beyond_limit"}), (0, 0, {"chief": "not_allowed"})],
)
def test_rank_at_its_maximum_has_a_caution(maximum: int, chiefs: int, said: dict[str, str]) -> None:
    """Only an error about ranks gives a caution: no warning, no limit on more than ranks."""
    only = {"ranks": ["chief"]}
    here = [member("chief")] * chiefs
    strict = small(limits=[limit("count", of=only, maximum=maximum)])
    assert cautions(offers.ranks(computed(strict, *here))) == said
    mild = limit("count", of=only, maximum=maximum, severity="warning")
    assert not cautions(offers.ranks(computed(small(limits=[mild]), *here)))
    narrow = limit("count", of={**only, "item_tags": ["blade"]}, maximum=maximum)
    assert not cautions(offers.ranks(computed(small(limits=[narrow]), *here)))


# After the founding, when payments are final


CHIEF = limit("count", of={"ranks": ["chief"]}, minimum=1, maximum=1, code="chief")
BLADES = limit("items", "{count} blades.", item_tags=["blade"], per="gang", maximum=1)


def test_recruit_beyond_a_maximum_is_refused_after_the_founding() -> None:
    book = small(limits=[CHIEF])
    founding = {o.row.key: o for o in offers.ranks(computed(book, member("chief")))}
    assert founding["chief"].caution is not None and founding["chief"].refusal is None
    here = computed(book, member("chief"), games=1, earned=100)
    later = {o.row.key: o for o in offers.ranks(here)}
    assert later["chief"].refusal is not None and later["chief"].refusal.code == "beyond_limit"
    assert (later["fighter"].refusal, later["fighter"].caution) == (None, None)
    with pytest.raises(Refusal, match="beyond_limit"):
        actions.recruit(here, "chief", "Second")


def test_maximum_that_becomes_a_warning_refuses_nobody() -> None:
    book = small(limits=[{**CHIEF, "later": "warning"}])
    here = computed(book, member("chief"), games=1, earned=100)
    assert refusals(offers.ranks(here)) == {}


def test_several_recruits_together_stay_within_the_maximum() -> None:
    book = small(limits=[limit("count", maximum=3)])
    here = computed(book, member("fighter"), games=1, earned=100)
    assert len(actions.recruit(here, "scout", "Nina", 2)) == 2
    with pytest.raises(Refusal, match="beyond_limit"):
        actions.recruit(here, "scout", "Nina", 3)


def test_maximum_by_size_counts_the_new_recruits() -> None:
    steps = [{"size": 2, "maximum": 1}, {"size": 9, "maximum": 2}]
    book = small(limits=[limit("count", of={"ranks": ["scout"]}, maximum_by_size=steps)])
    for others, refused in ((0, True), (1, False)):
        gang = [member("scout"), *[member("fighter")] * others]
        here = computed(book, *gang, games=1, earned=100)
        assert ("scout" in refusals(offers.ranks(here))) == refused


def test_an_item_beyond_a_maximum_is_refused_once_the_gang_plays() -> None:
    book = small(limits=[BLADES])
    armed = member("fighter", items=["sword"])
    here = computed(book, armed)
    founding = {o.row.key: o for o in offers.items(here, here.roster.members[0])}
    assert founding["axe"].refusal is None and founding["axe"].caution is not None
    here = computed(book, armed, games=1, earned=100)
    found = refusals(offers.items(here, here.roster.members[0]))
    assert found == {"sword": "beyond_limit", "axe": "beyond_limit"}
    soft = small(limits=[{**BLADES, "severity": "warning"}])
    here = computed(soft, armed, games=1, earned=100)
    assert refusals(offers.items(here, here.roster.members[0])) == {}


def test_caution_quotes_the_limit_when_a_weapon_is_too_hard_to_handle() -> None:
    groups = [row("arms", level_against="might"), row("goods")]
    items = [row("cannon", group="arms", level=5), row("bow", group="arms", level=3)]
    level = limit("level", "{item}: {level} against {value}, +{excess}.", severity="warning")
    book = small(groups=groups, items=items, limits=[level])
    here = computed(book, member("fighter"))
    found = {offer.row.key: offer for offer in offers.items(here, here.roster.members[0])}
    caution = found["cannon"].caution
    assert caution is not None and str(caution.values["why"]["en"]) == "Cannon: 5 against 3, +2."
    assert found["bow"].caution is None


@pytest.mark.parametrize("severity", ["warning", "note", "error", None])
def test_row_excluded_by_options_is_offered_when_the_rulebook_only_warns(
    severity: str | None,
) -> None:
    when = {"people": ["hill"]}
    words = limit("unavailable", "{name}: no {what} here.", severity=severity or "error")
    book = with_more(
        items=[row("pike", group="arms", when=when), row("gone", group="arms", status="hidden")],
        limits=[words] if severity else [],
    )
    here = computed(book, member("fighter", name="Anne"))
    found = {offer.row.key: offer for offer in offers.items(here, here.roster.members[0])}
    assert "gone" not in found and found["sword"].caution is None
    warns = severity in ("warning", "note")
    assert ("pike" in found) == warns
    if warns:
        caution = found["pike"].caution
        assert caution is not None and caution.values["why"]["en"] == "Anne: no Pike here."
        assert actions.buy(here, here.roster.members[0].id, "pike")


# Large rulebooks


def test_offers_of_an_item_are_those_to_the_member_that_name_it() -> None:
    named = row("by-name", items=["sword"], price=1)
    kind = row("by-kind", groups=["goods"], price=2, phase="playing")
    tag = row("by-tag", item_tags=["blade"], only=True, of={"ranks": ["fighter"]})
    others = row("others", items=["sword", "rope"], price=3, of={"not_ranks": ["fighter"]})
    rules = with_more(offers=[tag, others, named, kind]).usual
    for rank in ("chief", "fighter"):
        for playing in (False, True):
            shelf = offers_to(rules, figure(rank), playing=playing)
            for item in rules.items:
                found = offers_of(rules, figure(rank), item, playing=playing)
                assert found == [one for one in shelf if one.offers(item)]


def test_stash_takes_what_only_a_later_rank_may_buy() -> None:
    closed = [
        row(rank, items=[item], only=True, of={"ranks": [rank]})
        for rank, item in (("chief", "sword"), ("fighter", "sword"), ("scout", "bow"))
    ]
    found = offers.items(computed(small(offers=closed)), None)
    assert refusals(found) == {"axe": "not_listed", "rope": "not_listed"}
    assert keys(found)[:2] == ["sword", "bow"]


def test_offer_of_one_item_is_the_one_in_the_list() -> None:
    gang = computed(with_more(offers=[row("o", items=["rope"], price=3)]), member("fighter"))
    owner = gang.roster.members[0]
    for offer in offers.items(gang, owner):
        assert offers.item(gang, owner, offer.row.key) == offer
    with pytest.raises(Refusal, match="not_offered"):
        offers.item(gang, owner, "cannon")


def test_pickers_of_a_large_rulebook_take_no_quadratic_work() -> None:
    book = Book.model_validate(large())
    gang = computed(book, *(member(rank.key) for rank in book.usual.ranks[:12]))
    owner = gang.roster.members[1]
    # 300 offers and 600 items are 180,000 pairs, and a member has four questions about each.
    assert calls(lambda: offers.items(gang, owner)) < 300_000
    assert calls(lambda: offers.items(gang, None)) < 300_000
    assert calls(lambda: actions.buy(gang, owner.id, "item-13")) < 5_000
    assert calls(lambda: offers.traits(gang, owner)) < 150_000
    assert calls(lambda: offers.ranks(gang)) < 100_000
