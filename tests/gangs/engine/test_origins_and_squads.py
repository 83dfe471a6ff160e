"""Features of some games: origins, squads, pairs, tracks, dice by size, no rating, no money."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from django.test import Client
from django.utils.translation import override
from pypdf import PdfReader

from accounts.models import User
from gangs.builder import offer_lines
from gangs.cards.render import render
from gangs.engine import actions
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.ledger import writer
from gangs.models import Gang
from printing.members import drawings
from printing.members.ladder import ladder_of
from printing.members.ticks import find_ticks
from printing.paper.orders import STYLES, Style
from printing.press import layout as press
from printing.press.jobs import Job
from printing.sheets import roster as papers
from printing.sheets.roster import SheetOrder
from tests.gangs.builder.test_builder import Player
from tests.printing.crowds import crowd
from tests.printing.reading import squeezed, troubles
from tests.random_cases import one_soon
from tests.world.gangs import POINTS, make_gang, make_version, rostered, shipped

PEOPLES = "au-un-pour-un"
FILM = "zombstone"
DICE = "cran"
NEW = (PEOPLES, FILM, DICE)


def start(client: Client, owner: User, slug: str, settings: dict[str, Any] | None = None) -> Player:
    """An empty gang of a game, with its player."""
    client.force_login(owner)
    gang = writer.found(
        make_version(slug),
        actions.found(shipped(slug), "The Test Gang", settings or {}),
        owner=owner,
    )
    return Player(client, gang)


def ready(client: Client, owner: User, slug: str, sample: int = 0) -> Player:
    """A ready-made gang of a game, with its player."""
    client.force_login(owner)
    return Player(client, make_gang(owner, slug, sample))


def happen(player: Player, *entries: Entry) -> None:
    player.gang.refresh_from_db()
    writer.append(
        player.gang, list(entries), expected_version=player.gang.version, actor=player.gang.owner
    )


def text(page: str) -> str:
    """The text of a page, without its tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def page(player: Player, where: str = "") -> str:
    content: str = player.client.get(player.base + where).content.decode()
    return content


def sheet_text(computed: ComputedGang, language: str, **wanted: Any) -> str:
    with override(language):
        html = papers.markup(computed, SheetOrder(language, **wanted))
    pages = PdfReader(io.BytesIO(press.pdf(Job(html)))).pages
    return squeezed("".join(one.extract_text() for one in pages))


# A game without rating and money --------------------------------------------------------------


def test_pages_show_no_prices_when_the_game_has_no_rating(client: Client, alice: User) -> None:
    player = ready(client, alice, FILM)
    member = player.roster().members[0].id
    for where in ("", f"?open={member}", f"members/{member}/items/", "stash/", "sheet/"):
        content = page(player, where)
        assert 'class="price"' not in content and "picker-price" not in content
        assert 'id="rating"' not in content and 'id="left"' not in content
        assert "<summary>Why" not in content and 'class="receipt"' not in content
        assert "Treasury" not in content and "<dt></dt>" not in content


def test_own_item_has_no_price_when_the_game_has_no_money(client: Client, alice: User) -> None:
    player = ready(client, alice, FILM)
    assert "Price" not in page(player, "own-items/?group=firearm")
    answer = player.press("own-items/?group=firearm", name="Derringer")
    assert answer.status_code == 302
    assert player.roster().own_items[0].price == 0


def test_pairs_and_tracks_have_text_for_screen_readers(client: Client, alice: User) -> None:
    content = page(ready(client, alice, FILM))
    star = content.split("<article")[1]
    assert '<span aria-hidden="true">3/2</span>' in star
    assert "healthy 3, Wounded 2" in star
    assert "3 × white cartridge, 3 × red cartridge" in star
    assert star.count("<i></i>") == 3 and star.count('<i class="is-marked"></i>') == 3


def test_die_is_shown_by_its_size(client: Client, alice: User) -> None:
    content = page(ready(client, alice, DICE))
    assert "<dd>D8</dd>" in content and "<dd>D6</dd>" in content


# Squads ---------------------------------------------------------------------------------------


def test_squad_can_be_joined_and_left(client: Client, alice: User) -> None:
    player = start(client, alice, FILM)
    player.press("members/", rank="figurant", name="Wes")
    player.press("members/", rank="vedette", name="Ada")
    wes, ada = (member.id for member in player.roster().members)
    assert 'name="squad"' in page(player, f"?open={wes}")
    assert 'name="squad"' not in page(player, f"?open={ada}")
    player.press(f"members/{wes}/", name="Wes", squad="  The   Saloon ")
    assert player.roster().members[0].squad == "The Saloon"
    told = text(page(player))
    assert "Group The Saloon" in told and "Group The Saloon: 1 instead of 2 to 4" in told
    assert "Group The Saloon" in text(page(player, "sheet/"))
    player.press(f"members/{wes}/", name="Wes", squad="")
    assert player.roster().members[0].squad == ""


def test_squad_form_returns_when_the_name_is_too_long(client: Client, alice: User) -> None:
    player = start(client, alice, FILM)
    player.press("members/", rank="figurant", name="Wes")
    wes = player.roster().members[0].id
    answer = player.press(f"members/{wes}/", htmx=True, name="Wes", squad="x" * 41)
    assert answer.status_code == 422
    assert "invalid-feedback" in answer.content.decode() and "x" * 41 in answer.content.decode()


# Origins --------------------------------------------------------------------------------------


def test_card_shows_a_different_origin(client: Client, alice: User) -> None:
    player = start(client, alice, PEOPLES, {"race": "ork"})
    player.press("members/", rank="chef", name="Gorrak")
    player.press("members/", rank="sous_fifre", name="Snikk", origin="gobelin_snotling")
    gorrak, snikk = player.roster().members
    assert (gorrak.origin, snikk.origin) == (None, "gobelin_snotling")
    content = page(player)
    head, first, second = text(content.split("<article")[0]), *content.split("<article")[1:3]
    assert "Ork" in head
    assert re.search(r"<p>\s*<span>Chief</span>\s*</p>", first)
    assert re.search(r"<p>\s*<span>Underling · Goblin or snotling</span>\s*</p>", second)
    sheet = page(player, "sheet/")
    assert "Underling · Goblin or snotling" in sheet and "<dt>People</dt><dd>Ork</dd>" in sheet
    assert text(content).count("People") == 1  # The field for a recruit's origin.
    player.press(f"members/{snikk.id}/", name="Snikk", origin="")
    assert player.roster().members[1].origin is None


def test_a_gang_is_asked_for_its_origin_before_the_options(client: Client, alice: User) -> None:
    make_version(PEOPLES)
    form = client.get(f"/gangs/new/{PEOPLES}/").content.decode()
    folded = form.split("<details")[-1]
    assert form.count('name="option-race"') == 1 and 'name="option-race"' not in folded
    assert 'name="option-universe"' in folded


def test_recruit_form_shows_the_prices_of_other_origins(client: Client, alice: User) -> None:
    player = start(client, alice, PEOPLES, {"race": "ork", "halves": "exact"})
    expected = "Goblin or snotling (Chief 25, Lieutenant 12.5, Underling 5)"
    assert expected in page(player)
    client.cookies["django_language"] = "fr"
    with override("fr"):
        french = page(player)
    assert "12,5" in french and "12.5" not in text(french)


@pytest.mark.long
def test_halves_are_written_in_the_readers_language(client: Client, alice: User) -> None:
    player = start(client, alice, PEOPLES, {"race": "gobelin_snotling", "halves": "exact"})
    player.press("members/", rank="sous_chef", name="Snikk")
    member = player.roster().members[0].id
    # A goblin pays half as much again for weapons: their price is shown.
    lance = "{} <small>pts</small>"
    assert lance.format("12.5") in page(player)
    picker = page(player, f"members/{member}/items/?q=lance")
    assert "7.5 pts" in picker or "7.5 pts" in text(page(player, f"members/{member}/items/"))
    computed = ComputedGang.of(player.gang.book, player.roster())
    for language, written in (("en", "12.5"), ("fr", "12,5")):
        printed = sheet_text(computed, language)
        assert f"{written}pts" in printed


def test_finding_writes_halves_in_the_readers_language() -> None:
    book = shipped(PEOPLES)
    settings = book.default_settings() | {
        "race": "gobelin_snotling", "halves": "exact", "budget": 60,
    }  # fmt: skip
    made: list[Entry] = [kinds.Founded(name="Half", settings=settings)]
    made += [kinds.Recruited(rank="sous_chef", name=f"Snikk {n}") for n in range(5)]
    computed = ComputedGang.of(book, rostered(book, made))
    for language, written in (("en", "2.5 "), ("fr", "2,5 ")):
        found = [line.text for line in render(computed, language).findings]
        assert any(written in line for line in found), found


# Conditions, experience, departed members --------------------------------------------------------


@pytest.mark.long
def test_conditions_show_their_duration_and_target(client: Client, alice: User) -> None:
    player = ready(client, alice, PEOPLES)
    member = player.roster().members[0].id
    book = player.gang.book
    grudge = next((row.key for row in book.conditions if row.against), book.conditions[0].key)
    happen(
        player,
        kinds.Suffered(member=member, condition=grudge, against="The Wolves"),
        kinds.Suffered(member=member, condition=book.conditions[1].key, games=2),
    )
    for where in ("", f"?open={member}", "sheet/"):
        told = text(page(player, where))
        assert "against The Wolves" in told and "2 more games" in told
    printed = sheet_text(ComputedGang.of(book, player.roster()), "en")
    assert "againstTheWolves" in printed and "2moregames" in printed


@pytest.mark.long
def test_experience_shows_the_number_of_boxes_of_the_rank(client: Client, alice: User) -> None:
    player = ready(client, alice, PEOPLES)
    member = player.roster().members[-1].id
    happen(player, kinds.Learned(member=member, amount=7))
    assert "Experience 7/15" in text(page(player))
    assert "Experience 7/15" in text(page(player, f"?open={member}"))
    computed = ComputedGang.of(player.gang.book, player.roster())
    assert "Experience7/15" in sheet_text(computed, "en")
    way = ladder_of(computed, computed.roster.members[-1], "en")
    assert way is not None
    assert [(rung.at, rung.rises) for rung in way.rungs] == [(5, False), (10, False), (15, True)]
    full, thin, thick = drawings.experience(way, 180, "7/15").drawing.split('d="')[1:]
    square = "h1.8v1.8h-1.8z"
    assert [part.count(square) for part in (full, thin, thick)] == [7, 12, 2]
    assert thick.count("h2l-1-2z") == 1


@pytest.mark.long
def test_departed_members_show_their_fate_and_hiring_price(client: Client, alice: User) -> None:
    player = ready(client, alice, PEOPLES)
    book = player.gang.book
    departure = next(row for row in book.campaign.departures if row.for_hire)
    members = player.roster().members
    price = next(card for card in render(ComputedGang.of(book, player.roster()), "en").cards)
    happen(
        player,
        kinds.Played(
            game="one", title="One", result=book.campaign.results[0].key, side="winner", fielded=()
        ),
        kinds.Left(member=members[0].id, departure=departure.key),
        kinds.Died(member=members[1].id),
        kinds.Dismissed(member=members[2].id),
    )
    expected = f"{departure.name['en']} · for hire at {price.rating} pts"
    for where in ("", "sheet/"):
        told = text(page(player, where))
        assert expected in told and "✝ dead" in told and "dismissed" in told
    assert squeezed(expected) in sheet_text(ComputedGang.of(book, player.roster()), "en")


# Offers ----------------------------------------------------------------------------------------


def test_advances_are_not_for_sale(client: Client, alice: User) -> None:
    player = ready(client, alice, PEOPLES)
    assert "Add a trait" not in page(player, f"?open={player.roster().members[0].id}")


def test_traits_are_grouped_by_family_and_show_requirements() -> None:
    book = shipped(DICE)
    traits = tuple(
        trait.model_copy(update={"requires": ("boss",)}) if trait.key == "steady_aim" else trait
        for trait in book.traits
    )
    book = book.changed(traits=traits)
    made: list[Entry] = [
        kinds.Founded(name="One", settings=book.default_settings() | {"play": "one_off"}),
        kinds.Recruited(rank="hero", name="Ada"),
    ]
    computed = ComputedGang.of(book, rostered(book, made))
    families = offer_lines.trait_offers(computed, computed.roster.members[0])
    assert [family.name for family in families][:2] == ["", "Shooting"]
    shooting = {offer.line.key: offer.refusal for offer in families[1].offers}
    assert shooting["steady_aim"] == "Needs Boss first."
    assert families[1].refusal == ""


def test_reason_shared_by_a_family_of_traits_is_shown_once(client: Client, alice: User) -> None:
    player = start(client, alice, DICE, {"play": "one_off", "one_off_budget": 500})
    player.press("members/", rank="novice", name="Bo")
    member = player.roster().members[0].id
    player.press(f"members/{member}/traits/", take="steady_aim")
    card = page(player, f"?open={member}")
    assert card.count("Novice: 1 at most") == card.count('class="picker-reason mb-1"') > 1


def test_reason_shared_by_a_group_of_items_is_shown_once(client: Client, alice: User) -> None:
    player = ready(client, alice, FILM)
    picker = page(player, f"members/{player.roster().members[0].id}/items/")
    assert picker.count("Firearms: 1 at most") == 1
    cannot = re.findall(r'<fieldset class="cannot" disabled>.*?</fieldset>', picker, re.DOTALL)
    (firearms,) = (group for group in cannot if "Firearms: 1 at most" in group)
    assert "disabled" in firearms and firearms.count('name="buy"') > 0


def test_item_beyond_a_limit_shows_a_caution(client: Client, alice: User) -> None:
    player = start(client, alice, DICE)
    player.press("members/", rank="novice", name="Bo", count="3")
    bo, *others = (member.id for member in player.roster().members)
    for member in others:
        player.press(f"members/{member}/items/", buy="carbine")
    picker = page(player, f"members/{bo}/items/?q=carbine")
    assert "Maximum reached (2)." in picker and "disabled" not in picker


@pytest.mark.long
def test_finding_about_several_members_is_shown_once(client: Client, alice: User) -> None:
    player = start(client, alice, POINTS)
    player.press("members/", rank="henchman", name="Bo", count="3")
    player.press("members/", rank="henchman", count="2")
    for member in player.roster().members:
        player.press(f"members/{member.id}/items/", buy="springfield")
    in_cards = page(player)
    findings = in_cards.split('id="findings"')[1].split("</section>")[0]
    # Each card shows the finding without the member's name, and the panel links to it.
    assert "TN +" not in findings
    assert "On their cards: Bo 1 , Bo 2 , Bo 3 , Henchman , Henchman" in text(findings)
    roster = text(in_cards.split('id="roster"')[1].split("</article>")[0])
    assert "Springfield" in roster and roster.count("TN +") == 1 and "Bo 1:" not in roster
    # In rows the cards are collapsed, and the panel shows the finding once for all members.
    player.client.cookies["roster"] = "rows"
    findings = page(player).split('id="findings"')[1].split("</section>")[0]
    assert text(findings).count("TN +") == 1
    assert "Also: Bo 2 , Bo 3 , Henchman × 2" in text(findings)
    shown = re.search(r'id="count"[^>]*>\s*<a[^>]*>\s*(\d+)\s*<', page(player))
    assert shown and int(shown[1]) == len(re.findall('<li[^>]* class="finding', findings))


# Own items -------------------------------------------------------------------------------------


def test_own_item_counts_as_its_chosen_type(client: Client, alice: User) -> None:
    player = ready(client, alice, DICE)
    member = player.roster().members[1].id
    form = page(player, "own-items/?group=ranged&like=carbine")
    assert "Counts as" in form and re.search(r'value="capped"[^>]*checked', form)
    answer = player.press(
        "own-items/?group=ranged", options={"name": "Ray gun", "price": "0", "tags": ["special"]}
    )
    assert answer.status_code == 302 and answer["Location"] == player.base
    own = player.roster().own_items[0]
    assert own.tags == ("special",)
    player.press(f"members/{member}/items/", buy=own.key)
    assert "basic weapons only, no special ones" in page(player)
    assert player.roster() == writer.replay_roster(Gang.objects.get())


def test_form_for_own_items_returns_when_more_are_wanted(client: Client, alice: User) -> None:
    player = ready(client, alice, DICE)
    where = "own-items/?group=ranged"
    answer = player.press(where, options={"name": "Ray gun", "price": "3", "more": ""})
    assert answer.status_code == 302 and answer["Location"].endswith(where)
    assert "Ray gun" in client.get(answer["Location"]).content.decode()


def test_an_unknown_tag_is_refused(client: Client, alice: User) -> None:
    player = ready(client, alice, DICE)
    values = {"name": "Ray gun", "price": "3", "tags": ["nonsense"]}
    assert player.press("own-items/?group=ranged", options=values).status_code == 422
    assert player.roster().own_items == ()


# On paper --------------------------------------------------------------------------------------


@pytest.mark.papers
@pytest.mark.parametrize("language", one_soon(["en", "fr"]))
@pytest.mark.parametrize("slug", NEW)
def test_sheet_prints_everything_on_the_page(slug: str, language: str) -> None:
    book = shipped(slug)
    computed = ComputedGang.of(
        book, rostered(book, actions.found_from_sample(book, book.samples[0]))
    )
    drawn = render(computed, language)
    printed = sheet_text(computed, language)
    expected: list[str] = [drawn.name, drawn.origin]
    expected += [
        row.text.translated(language)
        for row in book.origins
        if row.name.translated(language) == drawn.origin
    ]
    for card in drawn.cards:
        expected += [card.name, card.standing, card.squad]
        expected += [stat.short for stat in card.stats]
        expected += [stat.value for stat in card.stats if not stat.boxes]
    assert [wanted for wanted in expected if squeezed(wanted) not in printed] == []
    with override(language):
        html = papers.markup(computed, SheetOrder(language))
    boxes = sum(len(card.life) for card in drawn.cards)
    marked = sum(sum(card.life) for card in drawn.cards)
    row = book.characteristic[book.life] if book.life else None
    if row is not None and row.kind == "track" and row.drawn == "barrel":
        # Two halves of a circle each, and one around every barrel.
        assert html.count("a1.60 1.60") == 2 * boxes
        assert html.count("a0.96 0.96") == 2 * marked
    else:
        # Other boxes to tick are smaller squares.
        others = sum(
            one.boxes for card in drawn.cards for one in find_ticks(computed, card.id, language)
        )
        assert html.count("h40v40h-40z") == boxes + others
        assert html.count("h22v22h-22z") == marked
    assert ('class="worth"' in html) == (book.rating is not None)


@pytest.mark.papers
@pytest.mark.parametrize("slug", one_soon(NEW))
def test_accessible_sheet_prints_tracks_in_words(slug: str) -> None:
    book = shipped(slug)
    computed = ComputedGang.of(
        book, rostered(book, actions.found_from_sample(book, book.samples[0]))
    )
    printed = sheet_text(computed, "en", style="accessible")
    for card in render(computed, "en").cards:
        assert all(squeezed(stat.parts) in printed for stat in card.stats)


@pytest.mark.papers
@pytest.mark.parametrize("style", one_soon(STYLES))
@pytest.mark.parametrize("slug", NEW)
def test_crowded_sheet_is_not_clipped(slug: str, style: Style) -> None:
    with override("fr"):
        html = papers.markup(crowd(shipped(slug), 4), SheetOrder("fr", style=style))
    assert troubles(Job(html)) == []
