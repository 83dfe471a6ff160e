"""Wanted posters: a page for each member, with their story and fate."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.translation import override

from gangs.engine import entries as kinds
from gangs.engine.entries import Entry
from gangs.engine.roster import Roster
from gangs.ledger import writer
from gangs.models import Gang
from gangs.pictures import storage as pictures_storage
from printing.paper.orders import Paper
from printing.press import layout as press
from printing.press.jobs import Job
from printing.queue import shown_pictures
from printing.sheets import deeds, posters
from printing.sheets.deeds import Season
from printing.sheets.posters import PostersOrder
from rules.book.look import HOUSE_LOOK, contrast
from rules.book.model import Book
from tests.printing.crowds import LONG, UNBROKEN
from tests.printing.kept_pages import same_picture
from tests.printing.portraits import photograph, pictures_of
from tests.printing.reading import (
    fonts_of,
    is_tagged,
    language_of,
    pages_of,
    printed,
    sizes_of,
    squeezed,
    text_of,
    too_small,
    troubles,
)
from tests.random_cases import one_soon
from tests.world.gangs import (
    GOLD,
    POINTS,
    SLUGS,
    make_big_gang,
    make_gang,
    played,
    rostered,
    shipped,
)

pytestmark = pytest.mark.papers


def found_gang(book: Book, *more: Entry, name: str = "Sam") -> Roster:
    """A gang of one member, number 2, after these entries."""
    made: list[Entry] = [
        kinds.Founded(name="The Posse", settings=book.default_settings()),
        kinds.Recruited(rank=book.ranks[0].key, name=name),
        *more,
    ]
    return rostered(book, made)


def job(
    book: Book, roster: Roster, language: str = "en", season: Season | None = None, **wanted: Any
) -> Job:
    with override(language):
        order = PostersOrder(language, **wanted)
        html = posters.markup(book, roster, order, season or Season(book))
    return Job(html, styles=("fonts", "posters"))


def headlines(wanted: Job) -> list[tuple[str, str]]:
    """The headline of each poster, and the text below it."""
    found = re.findall(r'class="shout".*?>(.*?)<.*?class="below".*?>(.*?)<', wanted.html, re.DOTALL)
    return [(shout, below) for shout, below in found]


# Content -------------------------------------------------------------------------------------


def test_poster_summarises_a_life(alice: Any) -> None:
    """Games, victims, wounds and gear are read from the ledger."""
    book = shipped(POINTS)
    gang = make_gang(alice)
    first, second, *_others = gang.roster.members
    won = next(result for result in book.campaign.results if result.kind == "decided")
    wound = next(row for row in book.conditions if row.key not in deeds.captivities(book))
    for number, (taken, side) in enumerate([(1, "winner"), (3, "loser")], start=1):
        game = kinds.Played(
            game=f"g{number}",
            title=f"Bank job {number}",
            result=won.key,
            side="winner" if side == "winner" else "loser",
            fielded=(first.id, second.id),
            taken_out={first.id: taken},
        )
        more: list[Entry] = [game]
        if number == 2:
            more.append(kinds.Suffered(member=first.id, condition=wound.key, games=0))
        writer.append(gang, more, expected_version=gang.version, actor=alice)
        gang.refresh_from_db()
    told = posters.job(gang, PostersOrder("en", members=(first.id,))).html
    day = deeds.day(timezone.now())
    assert [" ".join(said.split()) for said in re.findall(r"<p>(.*?)</p>", told, re.DOTALL)] == [
        f"Took 4 enemies out of action, more than anybody else in {gang.name}.",
        f"Took out 3 of them in a single game, on {day}.",
        f"Came back from it marked for life: {wound.name['en']}.",
    ]
    with override("fr"):
        french = posters.job(gang, PostersOrder("fr", members=(first.id,))).html
    assert wound.name["fr"] in french


@pytest.mark.parametrize("slug", SLUGS)
def test_reward_is_in_the_currency_of_the_game(slug: str) -> None:
    book = shipped(slug)
    html = job(book, found_gang(book)).html
    amount = re.search(r'class="amount".*?>(.*?)<', html)
    assert amount is not None
    if book.rating is None:
        assert amount[1] == "The thanks of all honest folk"
    else:
        assert re.fullmatch(rf"[\d.]+ {re.escape(book.rating.unit['en'])}", amount[1])


def test_poster_accuses_nobody_who_never_fought() -> None:
    book = shipped(POINTS)
    html = job(book, found_gang(book)).html
    name = found_gang(book).members[0].name
    assert f"Nothing is proven against {name}. Yet." in html
    assert "out of action" not in html


@pytest.mark.long
def test_poster_shows_a_portrait(gang: Gang, settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    first, second = (one.id for one in gang.roster.members[:2])
    order = PostersOrder("en", members=(first, second))
    before = posters.key(gang, order)
    assert pictures_of(press.pdf(posters.job(gang, order))) == 0
    pictures_storage.keep(gang, first, pictures_storage.decode(photograph(), "alice"))
    assert posters.key(gang, order) != before
    wanted = posters.job(gang, order)
    assert troubles(wanted) == []
    assert pictures_of(press.pdf(wanted, shown_pictures(wanted))) == 1
    assert wanted.html.count('class="scenery"') == 1


# By fate --------------------------------------------------------------------------------------


def test_poster_of_a_living_member_offers_a_reward() -> None:
    book = shipped(POINTS)
    assert headlines(job(book, found_gang(book))) == [("Wanted", "Dead or alive")]


def test_poster_of_a_dead_member_ends_the_hunt() -> None:
    book = shipped(POINTS)
    roster = found_gang(book, played(book, "g1", 2), kinds.Died(member=2))
    wanted = job(book, roster, members=(2,))
    assert headlines(wanted) == [("Wanted no more", "Dead: the hunt is over")]
    assert ">Was worth<" in wanted.html


def test_poster_shows_when_a_member_died(alice: Any) -> None:
    gang = make_gang(alice)
    first = gang.roster.members[0].id
    died: list[Entry] = [played(gang.book, "g1", first), kinds.Died(member=first)]
    writer.append(gang, died, expected_version=gang.version, actor=alice)
    gang.refresh_from_db()
    ((shout, below),) = headlines(posters.job(gang, PostersOrder("en", members=(first,))))
    assert shout == "Wanted no more"
    assert re.fullmatch(r"Died on \d+ \w+ \d{4}", below)


def test_poster_of_a_departed_member_shows_how_they_left() -> None:
    book = next(book for book in map(shipped, SLUGS) if book.campaign.departures)
    way = book.campaign.departures[0]
    gone = found_gang(book, played(book, "g1", 2), kinds.Left(member=2, departure=way.key))
    assert headlines(job(book, gone, members=(2,))) == [
        ("Vanished", f"Left the gang: {way.name['en']}.")
    ]
    sent = found_gang(book, played(book, "g1", 2), kinds.Dismissed(member=2))
    assert headlines(job(book, sent, members=(2,))) == [("Vanished", "Dismissed.")]


@pytest.mark.parametrize("captor", ["", "The Rats"])
def test_poster_of_a_captive_names_the_captor(captor: str) -> None:
    book = shipped(POINTS)
    (cell,) = deeds.captivities(book)
    caught = kinds.Suffered(member=2, condition=cell, games=0, against=captor)
    below = "Held by The Rats" if captor else "Held under lock and key"
    assert headlines(job(book, found_gang(book, caught))) == [("Caught", below)]


def test_game_without_captives_has_no_poster_of_a_captive() -> None:
    assert deeds.captivities(shipped(GOLD)) == frozenset()


# Layout ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", one_soon(["ink", "illustrated"]))
@pytest.mark.parametrize(("paper", "size"), [("a4", (595, 842)), ("letter", (612, 792))])
@pytest.mark.parametrize("name", ["Sam", LONG, UNBROKEN])
def test_every_poster_fits_one_page(name: str, paper: str, size: Any, style: str) -> None:
    book = shipped(POINTS)
    items = [kinds.Bought(item=item.key, member=2) for item in book.items[:40]]
    traits = [kinds.TraitTaken(member=2, trait=trait.key) for trait in book.traits[:12]]
    other = kinds.Recruited(rank=book.ranks[-1].key)
    roster = found_gang(book, *items, *traits, other, name=name)
    wanted = job(book, roster, "fr", paper=paper, style=style)
    assert troubles(wanted) == []
    pdf = printed(wanted)
    assert sizes_of(pdf) == [size] * 2
    assert squeezed(name) in squeezed(pages_of(pdf)[0])
    assert is_tagged(pdf) and language_of(pdf) == "fr"
    assert fonts_of(pdf) >= {"Fira-Sans", "Zilla-Slab-Bold"}
    assert pdf == press.pdf(wanted)


def test_empty_gang_gets_a_blank_poster() -> None:
    book = shipped(POINTS)
    empty = rostered(book, [kinds.Founded(name="Nobody", settings=book.default_settings())])
    pdf = press.pdf(job(book, empty))
    assert len(pages_of(pdf)) == 1
    assert text_of(pdf) == "WANTEDDEADORALIVENameRewardXPNobody·BlackwaterGulch"


@pytest.mark.parametrize("paper", one_soon(["a4", "letter"]))
@pytest.mark.parametrize("slug", SLUGS)
def test_blank_posters_can_be_filled_in_by_hand(slug: str, paper: Paper) -> None:
    """As many blank posters as requested, and no others if no member is chosen."""
    book = shipped(slug)
    wanted = job(book, found_gang(book), blanks=2, paper=paper)
    assert len(pages_of(printed(wanted))) == 2
    assert troubles(wanted) == [] and too_small(wanted) == []
    first = found_gang(book).members[0]
    both = job(book, found_gang(book), blanks=1, members=(first.id,), paper=paper)
    assert len(pages_of(printed(both))) == 2
    assert first.name in both.html


@pytest.mark.parametrize("slug", SLUGS)
def test_every_game_has_its_own_ornament(slug: str) -> None:
    others = [shipped(one).look.ornament for one in SLUGS if one != slug]
    look = shipped(slug).look
    assert look.ornament not in [HOUSE_LOOK.ornament, *others]
    assert look.ornament in job(shipped(slug), found_gang(shipped(slug))).html


@pytest.mark.parametrize("slug", SLUGS)
def test_colours_have_enough_contrast_on_the_paper(slug: str) -> None:
    look = shipped(slug).look
    assert contrast(look.accent.light, posters.PAPER) >= 4.5
    assert contrast(look.second.light, posters.PAPER) >= 4.5


@pytest.mark.parametrize("style", ["ink", "illustrated"])
def test_posters_look_like_their_kept_pictures(style: str) -> None:
    book = shipped(POINTS)
    items = [kinds.Bought(item=item.key, member=2) for item in book.items[:3]]
    roster = found_gang(book, *items, name="Cassius Thorne")
    same_picture(press.pdf(job(book, roster, style=style)), f"poster-{style}")


# Access ---------------------------------------------------------------------------------------


@pytest.fixture
def gang(client: Client, alice: Any) -> Gang:
    client.force_login(alice)
    return make_gang(alice)


def test_career_links_to_the_poster(client: Client, gang: Gang) -> None:
    member = gang.roster.members[1]
    page = client.get(f"/gangs/{gang.pk}/members/{member.id}/career/").content.decode()
    link = re.search(rf'href="(/gangs/{gang.pk}/posters.pdf[^"]*)"', page)
    assert link is not None
    response = client.get(link[1])
    assert response["Content-Type"] == "application/pdf"
    pages = pages_of(response.content)
    assert len(pages) == 1
    assert squeezed(member.name) in squeezed(pages[0])


def test_poster_link_uses_the_owners_paper_and_style(client: Client, gang: Gang) -> None:
    """The link of a career contains only the member."""
    chosen = {"kind": "posters", "paper": "letter", "style": "ink"}
    response = client.post(f"/gangs/{gang.pk}/prints/", chosen)
    assert response.status_code == 302
    alone = f"/gangs/{gang.pk}/posters.pdf?members={gang.roster.members[0].id}"
    assert sizes_of(client.get(alone).content) == [(612, 792)]
    assert sizes_of(client.get(f"{alone}&paper=a4").content) == [(595, 842)]
    everybody = sizes_of(client.get(f"/gangs/{gang.pk}/posters.pdf").content)
    assert everybody == [(612, 792)] * len(gang.roster.members)


def test_departed_members_can_be_chosen(client: Client, alice: Any, gang: Gang) -> None:
    first = gang.roster.members[0]
    died: list[Entry] = [played(gang.book, "g1", first.id), kinds.Died(member=first.id)]
    writer.append(gang, died, expected_version=gang.version, actor=alice)
    page = client.get(f"/gangs/{gang.pk}/prints/").content.decode()
    form = page[page.index('id="print-posters"') :]
    assert f'value="{first.id}"' in form
    assert f"{first.name} (Died)" in form
    response = client.get(f"/gangs/{gang.pk}/posters.pdf?members={first.id}")
    assert "WANTEDNOMORE" in text_of(response.content).upper()


def test_unchanged_posters_are_not_sent_again(client: Client, gang: Gang) -> None:
    asked = f"/gangs/{gang.pk}/posters.pdf?members={gang.roster.members[0].id}"
    first = client.get(asked)
    again = client.get(asked, headers={"If-None-Match": first["ETag"]})
    assert again.status_code == 304


@pytest.mark.parametrize("members", [1, 12])
def test_poster_queries_do_not_grow(client: Client, alice: Any, members: int) -> None:
    client.force_login(alice)
    big = make_big_gang(alice, members)
    client.get(f"/gangs/{big.pk}/sheet.pdf")
    with CaptureQueriesContext(connection) as queries:
        assert client.get(f"/gangs/{big.pk}/posters.pdf").status_code in {200, 202}
    # The session, the user, the gang, its games and its story.
    assert len(queries) == 5
