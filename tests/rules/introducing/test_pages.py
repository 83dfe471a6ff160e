"""The introduction to a game, and the gang that a reader takes from it."""

from __future__ import annotations

import re
import uuid
from html import unescape

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from gangs.models import Gang
from rules.editor import store
from rules.introducing.attack import describe_attack
from rules.library import load
from tests.games.conftest import FOLDER, read_folder
from tests.rules.odds.games import game
from tests.rules.small import limit, small, text
from tests.world.gangs import POINTS, SLUGS, make_version, shipped

pytestmark = pytest.mark.django_db
GAMES = ["terraces", "circle", "vigil", "drowned"]


def page_at(client: Client, address: str, language: str = "en") -> str:
    response = client.get(address, headers={"Accept-Language": language})
    assert response.status_code == 200, address
    return unescape(response.content.decode())


def address_of(slug: str) -> str:
    return reverse("rules:introduction", args=[slug])


def press(client: Client, page: str, **more: str) -> Gang:
    """Press “Make this gang mine” on a page; return the gang."""
    form = re.search(r'<form method="post" action="(/gangs/new/[^"]+)">(.*?)</form>', page, re.S)
    assert form is not None
    fields = dict(re.findall(r'name="(token|sample)" value="([^"]+)"', form[2]))
    response = client.post(form[1], {**fields, **more})
    assert response.status_code == 302, response.content.decode()
    return Gang.objects.get(pk=uuid.UUID(response["Location"].split("/")[2]))


@pytest.mark.parametrize("slug", SLUGS)
def test_page_shows_gang_attack_and_campaign_of_each_game(client: Client, slug: str) -> None:
    make_version(slug)
    page = page_at(client, address_of(slug))
    assert page.count("card-member") > 2
    assert 'id="introduced-attack"' in page
    shape = re.search(r'introduction-shape">(.*?)</dl>', page, re.S)
    assert shape is not None
    # Nobody earns experience in one of the games.
    assert shape[1].count("<dt>") in (4, 5)
    for link in set(re.findall(rf'href="(/rules/{slug}/[^"#]*)', page)):
        assert client.get(link).status_code == 200, link


@pytest.mark.parametrize("slug", GAMES)
def test_page_shows_games_without_ready_made_gangs(client: Client, slug: str) -> None:
    load(read_folder(FOLDER / slug))
    page = page_at(client, address_of(slug))
    assert "card-member" in page
    gang = press(client, page)
    assert gang.book.slug == slug
    assert len(gang.roster.members) > 1


def test_anchors_of_the_campaign_exist(client: Client) -> None:
    make_version()
    page = page_at(client, address_of(POINTS))
    links = set(re.findall(rf'href="(/rules/{POINTS}/[a-z]+/)#([^"]+)"', page))
    assert len(links) > 10
    for address, anchor in links:
        assert f'id="{anchor}"' in page_at(client, address), anchor


@pytest.mark.parametrize("slug", SLUGS)
def test_attack_is_the_same_on_the_page_of_odds(client: Client, slug: str) -> None:
    make_version(slug)
    book = shipped(slug)
    attack = describe_attack(book, book.samples[0])
    assert attack is not None
    assert 0 not in {len(attack.bars), len(attack.leads)}
    page = page_at(client, f"/rules/{slug}/odds/?{attack.query}")
    result = page[page.index("odds-bars") :]
    there = dict(re.findall(r'<th scope="row">([^<]+)</th>.*?<td>([^<]+)</td>', result, re.S))
    assert {bar.name: bar.value for bar in attack.bars}.items() <= there.items()


def test_visitor_makes_the_gang_theirs_once(client: Client) -> None:
    make_version()
    page = page_at(client, address_of(POINTS))
    gang = press(client, page)
    assert gang.name == shipped(POINTS).samples[0].name
    assert press(client, page) == gang
    assert client.get(gang.get_absolute_url()).status_code == 200


def test_taken_name_is_asked_for(client: Client, alice: User) -> None:
    load(read_folder(FOLDER / "circle"))
    client.force_login(alice)
    first = press(client, page_at(client, address_of("circle")))
    page = page_at(client, address_of("circle"))
    token = re.findall(r'name="token" value="([^"]+)"', page)[0]
    fields = {"token": token, "sample": "first-gang"}
    refused = client.post("/gangs/new/circle/", fields)
    assert refused.status_code == 422
    assert f"“{first.name}” is taken" in refused.content.decode()
    second = press(client, page, gang_name="Another")
    assert (second.name, len(second.roster.members)) == ("Another", len(first.roster.members))


def test_page_names_a_unit_once_when_the_worth_has_its_name(client: Client) -> None:
    make_version("cran")
    assert "Infamy 7" in (page := page_at(client, address_of("cran")))
    assert "Infamy 7 infamy" not in page


def test_page_is_in_the_readers_language(client: Client) -> None:
    make_version("zombstone")
    pages = {code: page_at(client, address_of("zombstone"), code) for code in ("en", "fr", "de")}
    assert "10 figures" in pages["en"]
    assert "10 Figuren" in pages["de"]
    assert "10 figurines" in pages["fr"]
    assert ">Win</a>" in pages["en"]
    assert ">Victoire</a>" in pages["fr"]


def test_page_of_a_version_founds_a_gang_of_that_version(client: Client, alice: User) -> None:
    variant = store.start_variant(alice, make_version(), "House rules", token=uuid.uuid4())
    state = store.publish(variant, expected_version=variant.draft_version)
    page = page_at(client, reverse("rules:version-introduction", args=[state.pk]))
    assert "A variant by players: House rules" in page
    assert 'name="robots" content="noindex"' in page
    assert press(client, page).book_version_id == state.pk


def test_page_of_an_earlier_version_offers_no_gang(client: Client) -> None:
    first = load(small()).version
    load(small(edition="2nd"))
    page = page_at(client, reverse("rules:version-introduction", args=[first.pk]))
    assert "An earlier version of these rules" in page
    assert 'name="sample"' not in page


def test_page_without_any_gang_says_so(client: Client) -> None:
    load(small(limits=[limit("count", "{count}", code="many", minimum=30)]))
    page = page_at(client, address_of("small"))
    assert "none could be put together" in page
    assert 'name="sample"' not in page


def test_page_costs_few_queries(client: Client) -> None:
    make_version()
    page_at(client, address_of(POINTS))
    with CaptureQueriesContext(connection) as queries:
        page_at(client, address_of(POINTS))
    assert len(queries) <= 2


def test_rules_lead_to_the_introduction(client: Client) -> None:
    version = make_version()
    assert f'href="{address_of(POINTS)}"' in page_at(client, reverse("rules:book", args=[POINTS]))
    of_version = reverse("rules:version", args=[version.pk])
    assert f'href="{of_version}introduction/"' in page_at(client, of_version)


def test_attack_is_left_out_when_it_takes_too_much_work(monkeypatch: pytest.MonkeyPatch) -> None:
    book = shipped(POINTS)
    monkeypatch.setattr("rules.introducing.attack.ATTACK_WORK", 10)
    assert describe_attack(book, book.samples[0]) is None


def test_attack_of_one_member_alone_is_on_somebody_like_them() -> None:
    ada = {"name": "Ada", "rank": "chief", "items": ["bow"]}
    sample = {"key": "one", "name": "One", "text": text("–"), "members": [ada]}
    book = game(samples=[sample])
    attack = describe_attack(book, book.samples[0])
    assert attack is None or (attack.attacker, attack.target) == ("Ada", "Ada")


def test_campaign_is_offered_to_those_who_can_start_it(client: Client, alice: User) -> None:
    variant = store.start_variant(alice, make_version(), "House rules", token=uuid.uuid4())
    state = store.publish(variant, expected_version=variant.draft_version)
    address = reverse("rules:version-introduction", args=[state.pk])
    start = f"{reverse('campaigns:new', args=[POINTS])}?version={state.pk}"
    assert start not in page_at(client, address)
    client.force_login(alice)
    assert start in page_at(client, address)
    assert client.get(start).status_code == 200
