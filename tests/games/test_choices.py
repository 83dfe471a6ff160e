"""Words for builders in the tests' own games: limits on items, traits and origins."""

from __future__ import annotations

from typing import Any

import pytest

from common.errors import Refusal
from gangs.builder.forms import MemberForm
from gangs.cards.render import render_member
from gangs.engine import actions, holdings, offers
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.engine.fold import fold
from gangs.engine.plausibility import implausible
from gangs.engine.validation import Finding, findings
from rules.book.limits import MemberLimit
from rules.book.model import Archetype, Book
from rules.book.vocabulary import Add, Selector, Set, Text
from rules.engine.figure import find_given, picks
from rules.engine.situations import score_names
from rules.loading.check_building import check
from rules.reference_pages.words import BookWording
from tests.world.gangs import played

ARMS = ("stave", "billhook")
NAME = Text.model_validate({"en": "Ringer", "fr": "Sonneur"})


def gang(book: Book, *entries: Entry) -> ComputedGang:
    """Return the gang of these entries after its founding."""
    founded = kinds.Founded(name="Ours", settings={})
    return ComputedGang.of(book, fold(book, enumerate([founded, *entries], start=1)))


def refusals(computed: ComputedGang, member: int) -> dict[str, str]:
    """Return why a member cannot have each item; "" where they can."""
    return {
        offer.row.key: offer.refusal.code if offer.refusal else ""
        for offer in offers.items(computed, computed.roster.member(member))
    }


def mistakes(book: Book, **fields: Any) -> list[str]:
    """Return the checker's sentences for the book with other rows."""
    return [str(sentence) for _path, sentence in check(book.changed(**fields))]


def test_item_is_refused_beyond_its_most_per_member(circle: Book) -> None:
    bells = [kinds.Bought(item="bell", member=2), kinds.Bought(item="bell", member=2)]
    ringer = gang(circle, kinds.Recruited(rank="sitter", name="Ida"), *bells)
    assert refusals(ringer, 2)["bell"] == "group_full"
    with pytest.raises(Refusal) as caught:
        actions.buy(ringer, 2, "bell")
    assert caught.value.values == {"maximum": 2, "group": circle.item["bell"].name}
    # The stash has no maximum, but handing the third bell over is refused, too.
    stashed = gang(circle, kinds.Recruited(rank="sitter"), *bells, kinds.Bought(item="bell"))
    with pytest.raises(Refusal, match="group_full"):
        actions.move(stashed, 5, 2)
    [doubt] = implausible(circle, stashed.roster, kinds.Moved(item=5, member=2))
    assert doubt.code == "group_full"


def test_offer_says_the_most_of_an_item_for_those_it_picks(terraces: Book) -> None:
    recruits = [kinds.Recruited(rank="picker", name="Pia"), kinds.Recruited(rank="cousin")]
    staves = [kinds.Bought(item="stave", member=member) for member in (2, 3)]
    household = gang(terraces, *recruits, *staves)
    assert refusals(household, 2)["stave"] == "group_full"
    assert refusals(household, 3)["stave"] == ""
    over = gang(terraces, *recruits, *staves, kinds.Bought(item="stave", member=2))
    [finding] = findings(terraces, over.roster)
    assert finding.code == "LADEN" and finding.members == (2,)
    assert finding.translated("en") == "Pia has 2 of 1: Stave."


def test_archetype_with_too_many_of_an_item_is_not_offered(circle: Book) -> None:
    archetypes = tuple(
        Archetype(key=key, name=NAME, source="house", rank="sitter", items=("bell",) * count)
        for key, count in (("ringer", 2), ("laden", 3))
    )
    book = circle.changed(archetypes=archetypes)
    assert [offer.row.key for offer in offers.archetypes(gang(book))] == ["ringer"]


def test_checker_names_a_maximum_of_something_that_nobody_buys(circle: Book) -> None:
    items = tuple(
        row.model_copy(update={"most_per_member": 1}) if row.innate else row for row in circle.items
    )
    assert mistakes(circle, items=items) == [
        "is only used for items that are bought: everybody already has this one (“innate”)"
    ]


def _with_trait(book: Book, rank: str, trait: str) -> Book:
    """Return the book whose members of a rank have a trait from the start."""
    ranks = tuple(
        row.model_copy(update={"traits": (*row.traits, trait)}) if row.key == rank else row
        for row in book.ranks
    )
    return book.changed(ranks=ranks)


def test_trait_of_a_rank_costs_nothing_and_is_seen_by_selectors(circle: Book) -> None:
    computed = gang(circle, kinds.Recruited(rank="caller", name="Ada"))
    [caller] = computed.roster.members
    assert caller.traits == () and computed.price == circle.rank["caller"].price
    assert [row.key for row in computed.profiles[2].gained] == ["voice"]
    figure = computed.figures[2]
    assert picks(circle, Selector(traits=("voice",)), figure)
    assert picks(circle, Selector(trait_tags=("rank",)), figure)
    assert not picks(circle, Selector(not_traits=("voice",)), figure)
    with pytest.raises(Refusal, match="gone"):
        actions.drop_trait(computed, 2, "voice")
    card = render_member(computed, caller, "en")
    assert [line.name for line in card.gained] == ["The voice"] and card.traits == ()


def test_power_of_a_rank_is_taken_further(circle: Book) -> None:
    book = _with_trait(circle, "caller", "mist")
    novice = gang(book, kinds.Recruited(rank="caller"))
    assert novice.profiles[2].values == {"mist": 1}
    assert find_given(book, novice.figures[2]) == ["mist"]
    learned = [kinds.TraitTaken(member=2, trait="mist") for _ in range(2)]
    master = gang(book, kinds.Recruited(rank="caller"), *learned)
    assert master.profiles[2].values == {"mist": 3}
    assert master.price == 15 + 2 * 4
    card = render_member(master, master.roster.members[0], "en")
    assert [line.name for line in card.traits] == ["Call the mist 3"]
    assert [line.name for line in card.gained] == ["The voice"]
    [why] = [one.refusal for one in offers.traits(master, master.roster.members[0]) if one.refusal]
    assert why.code == "has_it_often"


def test_trait_of_a_rank_changes_a_profile_and_goes_with_the_rank(terraces: Book) -> None:
    book = _with_trait(terraces, "elder", "surefooted")
    elder = [kinds.Recruited(rank="elder", name="Ada")]
    assert gang(book, *elder).profiles[2].number("stride") == 6
    lowered = gang(book, *elder, kinds.Promoted(member=2, rank="cousin", profile="kept"))
    assert lowered.profiles[2].number("stride") == 5
    assert lowered.profiles[2].gained == ()


def test_checker_names_traits_that_a_rank_cannot_have(circle: Book) -> None:
    def with_voice(**fields: Any) -> list[str]:
        rows = [
            row.model_copy(update=fields if row.key == "voice" else {}) for row in circle.traits
        ]
        return mistakes(circle, traits=tuple(rows))

    assert with_voice(ranks=("sitter",)) == [
        "“voice” is not for this rank: add the rank to the trait’s “ranks”"
    ]
    assert with_voice(requires=("mist",)) == ["“voice” requires “mist”: give the rank both"]
    twice = _with_trait(circle, "caller", "voice")
    assert mistakes(twice) == ["“voice” is listed more often than “most” allows"]
    unknown = _with_trait(circle, "sitter", "voise")
    assert mistakes(unknown) == ["unknown trait “voise”. Did you mean “voice”?"]


def test_offer_of_the_founding_ends_with_the_first_game(circle: Book) -> None:
    recruited = [kinds.Recruited(rank="medium", name="Eva"), kinds.Recruited(rank="sitter")]
    before = gang(circle, *recruited)
    assert actions.buy(before, 2, "ward") == [kinds.Bought(item="ward", member=2, paid=2)]
    assert actions.buy(before, 3, "ward") == [kinds.Bought(item="ward", member=3, paid=5)]
    bought = [*recruited, kinds.Bought(item="ward", member=2)]
    assert gang(circle, *bought).price == 9 + 6 + 2
    after = gang(circle, *bought, played(circle, "g1", 2))
    assert actions.buy(after, 2, "ward") == [kinds.Bought(item="ward", member=2, paid=5)]
    # The rating follows the present price.
    assert after.price == 9 + 6 + 5


def test_list_of_later_games_leaves_what_was_bought_before(terraces: Book) -> None:
    steward = [kinds.Recruited(rank="steward", name="Guy")]
    founding = gang(terraces, *steward)
    assert refusals(founding, 2)["billhook"] == ""
    armed = [*steward, kinds.Bought(item="billhook", member=2), played(terraces, "g1", 2)]
    later = gang(terraces, *armed)
    assert refusals(later, 2)["billhook"] == "not_listed"
    assert "FOREIGN" not in {finding.code for finding in findings(terraces, later.roster)}
    closed = tuple(row.model_copy(update={"phase": None}) for row in terraces.offers)
    always = findings(terraces.changed(offers=closed), later.roster)
    assert "FOREIGN" in {finding.code for finding in always}


def test_kit_of_later_recruits_is_theirs_only_after_the_first_game(terraces: Book) -> None:
    offers = tuple(
        row.model_copy(update={"phase": "playing"}) if row.included else row
        for row in terraces.offers
    )
    book = terraces.changed(offers=offers)
    assert len(actions.recruit(gang(book), "elder", "Ada", next_id=2)) == 1
    later = gang(book, played(book, "g1"))
    assert len(actions.recruit(later, "elder", "Ada", next_id=3)) == 2


def test_checker_names_a_search_before_the_first_game(terraces: Book) -> None:
    offers = tuple(
        row.model_copy(update={"phase": "founding"}) if row.availability else row
        for row in terraces.offers
    )
    assert {*mistakes(terraces, offers=offers)} == {
        "members search only after games: leave out “availability”"
    }


def test_item_is_refused_beside_one_that_excludes_it(terraces: Book) -> None:
    recruits = [kinds.Recruited(rank="cousin", name="Cyr"), kinds.Recruited(rank="cousin")]
    armed = gang(terraces, *recruits, kinds.Bought(item="billhook", member=2))
    assert refusals(armed, 2)["stave"] == "excluded" and refusals(armed, 3)["stave"] == ""
    with pytest.raises(Refusal) as caught:
        actions.buy(armed, 2, "stave")
    assert caught.value.values == {"other": terraces.item["billhook"].name}
    # Only one of the two rows says it.
    holder = gang(terraces, *recruits, kinds.Bought(item="stave", member=2))
    assert refusals(holder, 2)["billhook"] == "excluded"
    both = gang(terraces, *recruits, *(kinds.Bought(item=key, member=2) for key in ARMS))
    assert [one.translated("en") for one in findings(terraces, both.roster)] == [
        "Cyr cannot have this: Stave.",
        "Cyr cannot have this: Billhook.",
    ]


def test_trait_is_refused_beside_one_that_excludes_it(circle: Book) -> None:
    deaf = [kinds.Recruited(rank="sitter"), kinds.TraitTaken(member=2, trait="deaf")]
    member = gang(circle, *deaf)
    with pytest.raises(Refusal, match="excluded"):
        actions.take_trait(member, 2, "knocking")
    [doubt] = implausible(circle, member.roster, kinds.TraitTaken(member=2, trait="knocking"))
    assert doubt.code == "excluded"
    # Also beside a trait of the rank.
    born = gang(_with_trait(circle, "sitter", "deaf"), kinds.Recruited(rank="sitter"))
    with pytest.raises(Refusal, match="excluded"):
        actions.take_trait(born, 2, "knocking")


def test_checker_names_senseless_exclusions(circle: Book) -> None:
    def with_deaf(**fields: Any) -> list[str]:
        rows = [row.model_copy(update=fields if row.key == "deaf" else {}) for row in circle.traits]
        return mistakes(circle, traits=tuple(rows))

    assert with_deaf(excludes=("deaf",)) == ["must not name its own row"]
    assert with_deaf(excludes=("mist",), requires=("mist",)) == [
        "“mist” is in “requires”, too: leave out one of the two"
    ]
    both = _with_trait(_with_trait(circle, "sitter", "deaf"), "sitter", "knocking")
    assert set(mistakes(both)) == {
        "“deaf” and “knocking” exclude each other",
        "“knocking” and “deaf” exclude each other",
    }


def test_offer_counts_while_somebody_of_a_rank_is_in_the_gang(terraces: Book) -> None:
    apprentice = kinds.Recruited(rank="apprentice", name="Noé")
    alone = gang(terraces, apprentice)
    assert actions.buy(alone, 2, "billhook") == [kinds.Bought(item="billhook", member=2, paid=4)]
    taught = gang(terraces, apprentice, kinds.Recruited(rank="pruner"))
    assert actions.buy(taught, 2, "billhook") == [kinds.Bought(item="billhook", member=2, paid=1)]
    left = gang(terraces, apprentice, kinds.Recruited(rank="pruner"), kinds.Dismissed(member=3))
    assert offers.item_price(left, left.roster.member(2), terraces.item["billhook"]) == 4


def test_limit_asks_for_somebody_of_another_rank(circle: Book) -> None:
    hound, caller = kinds.Recruited(rank="hound"), kinds.Recruited(rank="caller")

    def codes(*entries: Entry) -> set[str]:
        return {one.code for one in findings(circle, gang(circle, *entries).roster)}

    assert "STRAY" in codes(hound)
    assert "STRAY" not in codes(hound, caller)
    # Money is final once the gang plays: then nobody recruits the hound first.
    later = gang(circle, kinds.Recruited(rank="sitter"), played(circle, "g1", 2))
    with pytest.raises(Refusal, match="not_allowed"):
        actions.recruit(later, "hound", "")
    led = gang(circle, caller, played(circle, "g1", 2))
    assert actions.recruit(led, "hound", "")
    selector = Selector(ranks=("hound",), not_gang_ranks=("caller", "medium"))
    assert BookWording(circle, "en").whom(selector) == "Hound · not Caller, Medium in the gang"


def test_members_are_of_their_gangs_origin(circle: Book) -> None:
    empty = gang(circle)
    with pytest.raises(Refusal, match="origin_of_gang"):
        actions.recruit(empty, "sitter", "", origin="hill")
    # The rank of dogs says otherwise.
    assert actions.recruit(empty, "hound", "", origin="hill")
    members = gang(circle, kinds.Recruited(rank="sitter"), kinds.Recruited(rank="hound"))
    sitter, hound = members.roster.members
    assert "origin" not in MemberForm(members, sitter).fields
    assert "origin" in MemberForm(members, hound).fields
    with pytest.raises(Refusal, match="origin_of_gang"):
        actions.describe(members, 2, name="", notes="", profession=None, origin="hill")


def test_foreign_origin_of_an_older_rulebook_is_found_and_can_be_given_up(circle: Book) -> None:
    limit = MemberLimit.model_validate(
        {
            "kind": "unfit",
            "code": "STRANGER",
            "severity": "error",
            "text": {"en": "{name}: {what}", "fr": "{name}: {what}"},
            "source": "house",
        }
    )
    book = circle.changed(limits=(*circle.limits, limit))
    stranger = gang(book, kinds.Recruited(rank="sitter", name="Ida", origin="hill"))
    assert [one.translated("en") for one in findings(book, stranger.roster)] == ["Ida: Hill lodge"]
    form = MemberForm(stranger, stranger.roster.members[0])
    assert [key for key, _name in form.fields["origin"].choices] == ["", "hill"]


def test_checker_names_origins_that_nobody_can_have(circle: Book, terraces: Book) -> None:
    hint = "has no effect: add “origins” to the rulebook"
    assert mistakes(terraces, member_origins="own") == [hint]
    row = Archetype(key="ringer", name=NAME, source="house", rank="sitter", origin="hill")
    assert mistakes(circle, archetypes=(row,)) == [
        "members of this rank have their gang’s origin: leave it out"
    ]


def test_traits_of_a_kind_are_limited_for_each_member(circle: Book) -> None:
    learned = [kinds.TraitTaken(member=2, trait="mist") for _ in range(3)]
    learned.append(kinds.TraitTaken(member=2, trait="knocking"))
    caller = kinds.Recruited(rank="caller", name="Ada")
    limits = tuple(
        row.model_copy(update={"maximum": 4}) if row.code == "CALLINGS" else row
        for row in circle.limits
    )
    circle = circle.changed(limits=limits)
    full = gang(circle, caller, *learned)
    assert not [one for one in findings(circle, full.roster) if one.code == "CALLINGS"]
    # Until the first game it is a warning, and everything can be given back.
    [entry] = actions.take_trait(full, 2, "knocking")
    [offer] = [one for one in offers.traits(full, full.roster.members[0]) if one.caution]
    assert offer.row.key == "knocking" and str(offer.caution) == "beyond_limit"
    over = gang(circle, caller, *learned, entry)
    [found] = [one for one in findings(circle, over.roster) if one.code == "CALLINGS"]
    assert found.own == 2 and found.translated("en") == "Ada knows 5 callings of 4."
    playing = gang(circle, caller, *learned, played(circle, "g1", 2))
    with pytest.raises(Refusal, match="beyond_limit"):
        actions.take_trait(playing, 2, "knocking")


def test_traits_of_a_kind_are_limited_in_the_whole_gang(terraces: Book) -> None:
    cousins = [kinds.Recruited(rank="cousin") for _ in range(2)]
    taught = [kinds.TraitTaken(member=who, trait="surefooted") for who in (2, 2, 3, 3)]

    def school(book: Book, *entries: Entry) -> list[Finding]:
        found = findings(book, gang(book, *entries).roster)
        return [one for one in found if one.code == "SCHOOL"]

    assert not school(terraces, *cousins, *taught[:3])
    [found] = school(terraces, *cousins, *taught)
    assert found.members == () and found.of_gang and not found.missing
    limits = tuple(
        row.model_copy(update={"minimum": 5, "maximum": None}) if row.code == "SCHOOL" else row
        for row in terraces.limits
    )
    [lacking] = school(terraces.changed(limits=limits), *cousins, *taught)
    assert lacking.missing


def test_checker_names_a_limit_on_traits_without_bounds(circle: Book) -> None:
    limits = tuple(
        row.model_copy(update={"maximum": None, "per": "gang"}) if row.code == "CALLINGS" else row
        for row in circle.limits
    )
    found = mistakes(circle, limits=limits)
    assert found[0].startswith("unknown placeholder {name}")
    assert found[-1] == "give a minimum or a maximum"


def test_holdings_beyond_a_limit_are_refused_once_the_gang_plays(circle: Book) -> None:
    cellars = [kinds.HoldingGained(holding="cellar", paid=4) for _ in range(2)]
    one = gang(circle, cellars[0])
    assert holdings.take(one, "cellar")
    founding = gang(circle, *cellars)
    [offer] = holdings.offers(founding)
    assert offer.refusal is None and str(offer.caution) == "beyond_limit"
    third = gang(circle, *cellars, kinds.HoldingGained(holding="cellar", paid=4))
    [found] = [row for row in findings(circle, third.roster) if row.code == "CELLARS"]
    assert found.of_gang and not found.missing
    assert found.translated("en") == "Two cellars at most, not 3: give one up."
    playing = gang(circle, *cellars, played(circle, "g1"))
    with pytest.raises(Refusal, match="beyond_limit"):
        holdings.take(playing, "cellar")


def test_limit_on_holdings_counts_those_it_names_in_its_phase(terraces: Book) -> None:
    held = [kinds.HoldingGained(holding=key) for key in ("south", "steep", "press")]

    def slopes(*entries: Entry) -> list[str]:
        found = findings(terraces, gang(terraces, *entries).roster)
        return [row.translated("en") for row in found if row.code == "ONE-SLOPE"]

    assert slopes(held[0], held[2]) == []
    assert slopes(*held) == ["2 terraces: a new household has 1."]
    assert slopes(*held, played(terraces, "g1")) == []


def test_checker_names_a_limit_on_holdings_without_holdings(circle: Book) -> None:
    bare = circle.changed(holdings=(), limits=circle.limits)
    assert "has no effect: add “holdings” to the rulebook" in mistakes(bare)


def test_characteristic_in_words_is_shown_in_the_readers_language(terraces: Book) -> None:
    computed = gang(terraces, kinds.Recruited(rank="pruner"), kinds.Recruited(rank="picker"))
    pruner, picker = computed.roster.members
    shown = {
        language: {one.key: one.value for one in render_member(computed, pruner, language).stats}
        for language in ("en", "fr")
    }
    assert shown["en"]["perch"] == "trellis" and shown["fr"]["perch"] == "treille"
    # Without a value or a start, members do not have it.
    assert "perch" not in computed.profiles[picker.id].scores
    names = score_names("by.perch", computed.profiles[pruner.id].scores["perch"].value)
    assert names == {"by.perch": 2}


def test_effect_sets_a_word_and_cannot_add_to_it(circle: Book) -> None:
    def with_effect(effect: Add | Set) -> Book:
        rows = [
            row.model_copy(update={"effects": (effect,)}) if row.key == "bell" else row
            for row in circle.items
        ]
        return circle.changed(items=tuple(rows))

    slow = with_effect(Set(kind="set", characteristic="gait", value="walks"))
    assert mistakes(slow) == []
    belled = gang(slow, kinds.Recruited(rank="hound"), kinds.Bought(item="bell", member=2))
    [stat] = [
        one
        for one in render_member(belled, belled.roster.members[0], "en").stats
        if one.key == "gait"
    ]
    assert (stat.value, stat.why) == ("walks", "runs, Bell")
    assert mistakes(with_effect(Set(kind="set", characteristic="gait", value="flies"))) == [
        "unknown word “flies” (known: walks, runs)"
    ]
    assert mistakes(with_effect(Add(kind="add", characteristic="gait", amount=1))) == [
        "“gait” is in words: only an effect of the kind “set” changes it"
    ]
