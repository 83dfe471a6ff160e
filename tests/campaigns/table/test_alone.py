"""Tables without a campaign: with one or two gangs, of visitors, and joined by a link."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Quota, User
from campaigns.club.people import ending
from campaigns.models import Table
from campaigns.table import people, taps
from campaigns.table.pages import opening, table_page
from gangs.models import Gang
from tests.campaigns.table.test_storage import pushed
from tests.world.campaigns import make_campaign, make_game, make_player
from tests.world.gangs import GOLD, POINTS, become_guest, make_gang

pytestmark = pytest.mark.django_db
AsUser = Callable[[User], Client]


def play(gang: Gang) -> str:
    return reverse("campaigns:gang-play", args=[gang.pk])


def opened(client: Client, gang: Gang, **data: Any) -> Table:
    """The table that a browser opens by the form of the gang's page."""
    answer = client.post(play(gang), {"token": "one", **data})
    assert answer.status_code == 302, answer.context["form"].errors
    return Table.objects.get(pk=answer["Location"].split("/")[-2])


def send_note(client: Client, table: Table) -> int:
    """The status of the answer to a phone that sends a tap."""
    address = reverse("campaigns:table-taps", args=[table.pk])
    rows = [pushed(taps.Note(text="Charge!")).model_dump(mode="json")]
    return client.post(address, json.dumps(rows), content_type="application/json").status_code


def test_table_opens_for_one_gang(as_user: AsUser, alice: User) -> None:
    gang, client = make_gang(alice), as_user(alice)
    assert client.get(play(gang)).status_code == 200
    table = opened(client, gang)
    assert opened(client, gang) == table
    assert [side.gang for side in table.sides.all()] == [gang]
    page = client.get(table.get_absolute_url()).content.decode()
    assert all(member.name in page for member in gang.roster.members)
    assert table.get_absolute_url() in client.get(play(gang)).content.decode()
    assert client.post(play(gang), {"token": "two"})["Location"] != table.get_absolute_url()


def test_form_offers_own_gangs_only_when_there_are_others(as_user: AsUser, alice: User) -> None:
    client, gang = as_user(alice), make_gang(alice)
    labels = [field.label for field in client.get(play(gang)).context["form"]]
    assert labels == ["The code or link of another player’s gang", "Scenario"]
    make_gang(alice, name="Own")
    labels = [field.label for field in client.get(play(gang)).context["form"]]
    assert labels[:2] == ["Another of your gangs", "Or the code or link of another player’s gang"]


@pytest.mark.long
def test_second_gang_is_added_by_choice_link_or_code(
    as_user: AsUser, alice: User, bob: User
) -> None:
    gang, own, other = make_gang(alice), make_gang(alice, name="Own"), make_gang(bob, name="His")
    client = as_user(alice)
    address = f"https://example.org{reverse('gangs:shared', args=[other.share_key])}"
    links = (address, other.share_key, other.code_written.lower(), f"/code/{other.share_code}/")
    for token, data in enumerate(({"own": own.pk}, *({"link": link} for link in links))):
        table = opened(client, gang, token=str(token), **data)
        second = own if "own" in data else other
        assert [side.gang for side in table.sides.all()] == [gang, second]
        # The owner of the other gang may play.
        assert (send_note(as_user(bob), table) == 200) is (second == other)


@pytest.mark.parametrize("link", ["nonsense", "x" * 22, "K7QM-2XRD", "mine", "another"])
def test_wrong_link_or_code_is_explained(as_user: AsUser, alice: User, link: str) -> None:
    gang = make_gang(alice)
    links = {"mine": gang.share_key, "another": make_gang(alice, GOLD).share_key}
    answer = as_user(alice).post(play(gang), {"token": "one", "link": links.get(link, link)})
    assert answer.status_code == 422 and answer.context["form"].errors["link"]
    assert not Table.objects.exists()


@pytest.mark.long
def test_wrong_codes_are_limited_as_on_their_own_page(
    as_user: AsUser, alice: User, bob: User
) -> None:
    gang, other = make_gang(alice), make_gang(bob)
    client = as_user(alice)
    for _guess in range(30):
        client.post(play(gang), {"token": "one", "link": "0000-0000"})
    answer = client.post(play(gang), {"token": "one", "link": other.share_code})
    assert "Too many wrong codes" in answer.context["form"].errors["link"][0]
    assert client.post(reverse("gangs:enter-code"), {"code": other.share_code}).status_code == 429
    assert opened(client, gang, link=other.share_key).sides.count() == 2


def test_link_lets_others_play(
    as_user: AsUser, alice: User, bob: User, charlie: User, client: Client
) -> None:
    table = opened(as_user(alice), make_gang(alice))
    browser = as_user(bob)
    assert browser.get(table.get_absolute_url()).status_code == 404
    link = reverse("campaigns:table-join", args=[table.key])
    assert link in as_user(alice).get(table.get_absolute_url()).content.decode()
    for one in (browser, client):
        assert one.get(link)["Location"] == table.get_absolute_url()
        assert one.get(table.get_absolute_url()).status_code == 200
        assert send_note(one, table) == 200
    assert as_user(charlie).get(table.get_absolute_url()).status_code == 404
    assert send_note(as_user(charlie), table) == 404


def test_visitors_keep_their_tables_at_sign_in(client: Client, alice: User) -> None:
    gang = make_gang(None)
    become_guest(client, gang)
    table = opened(client, gang)
    assert send_note(client, table) == 200
    stranger = Client()
    assert stranger.get(table.get_absolute_url())["Location"].startswith("/accounts/login/")
    client.post("/accounts/login/", {"login": "alice", "password": "correct horse battery"})
    table.refresh_from_db()
    assert (table.owner, table.guest) == (alice, None)
    assert client.get(table.get_absolute_url()).status_code == 200


def test_visitors_and_accounts_have_a_limited_number_of_tables(
    client: Client, as_user: AsUser, alice: User
) -> None:
    gang = make_gang(None)
    become_guest(client, gang)
    for number in range(opening.MOST_GUEST_TABLES):
        opened(client, gang, token=str(number))
    assert client.post(play(gang), {"token": "more"}).status_code == 422
    hers = make_gang(alice)
    Quota.objects.create(user=alice, kind="tables", most=1)
    browser = as_user(alice)
    table = opened(browser, hers)
    assert browser.post(play(hers), {"token": "more"}).status_code == 422
    away = reverse("campaigns:table-throw-away", args=[table.pk])
    assert client.post(away).status_code == 404
    assert browser.post(away).status_code == 302
    assert Table.objects.filter(owner=alice).count() == 0
    opened(browser, hers, token="more")


def test_unused_tables_are_deleted(alice: User, client: Client, as_user: AsUser) -> None:
    gang = make_gang(None)
    become_guest(client, gang)
    visitors, hers = opened(client, gang), opened(as_user(alice), make_gang(alice), token="two")
    assert opening.tidy() == 0
    for days, left in ((django_settings.GUEST_DAYS + 1, [hers]), (opening.KEPT.days + 1, [])):
        Table.objects.update(changed_at=timezone.now() - timedelta(days=days))
        assert opening.tidy() == 1
        assert [*Table.objects.all()] == left
    assert visitors != hers


def test_table_is_deleted_with_its_owner_but_not_with_its_gang(
    as_user: AsUser, alice: User
) -> None:
    gang, client = make_gang(alice, POINTS), as_user(alice)
    table = opened(client, gang)
    gang.delete()
    assert client.get(table.get_absolute_url()).status_code == 200
    alice.delete()
    assert not Table.objects.exists()


@pytest.mark.long
def test_next_game_of_a_campaign_comes_first(as_user: AsUser, alice: User, bob: User) -> None:
    campaign = make_campaign(bob)
    hers, his = make_player(campaign, alice), make_player(campaign, bob)
    browser = as_user(alice)
    assert "Next game" not in browser.get(play(hers)).content.decode()
    today = timezone.localdate()
    later = make_game(campaign, alice, hers, his, day=today + timedelta(days=9))
    sooner = make_game(campaign, alice, hers, his, day=today + timedelta(days=2))
    page = browser.get(play(hers)).content.decode()
    assert page.index("Next game") < page.index("With a friend")
    assert f'action="{reverse("campaigns:game-play", args=[sooner.pk])}"' in page
    assert f'href="{reverse("campaigns:game-report", args=[sooner.pk])}"' in page
    assert later.get_absolute_url() not in page
    same_day = make_game(campaign, alice, hers, his, day=today + timedelta(days=2))
    page = browser.get(play(hers)).content.decode()
    assert same_day.get_absolute_url() in page and sooner.get_absolute_url() in page
    open_now = {"told": ending.open_games(campaign).count()}
    as_user(bob).post(reverse("campaigns:archive", args=[campaign.pk]), open_now)
    assert "Next game" not in browser.get(play(hers)).content.decode()


# The place for an opponent.


def place(table: Table) -> str:
    return reverse("campaigns:table-place", args=[table.pk])


def join(client: Client, table: Table) -> str:
    """The page of a table that a browser joins by its link."""
    client.get(reverse("campaigns:table-join", args=[table.key]))
    return client.get(table.get_absolute_url()).content.decode()


def test_opponent_takes_the_free_place_with_their_own_gang(
    as_user: AsUser, alice: User, bob: User
) -> None:
    hers, his, other = make_gang(alice), make_gang(bob, name="His"), make_gang(bob, GOLD)
    client, browser = as_user(alice), as_user(bob)
    table = opened(client, hers)
    assert "A place for your opponent" in client.get(table.get_absolute_url()).content.decode()
    page = join(browser, table)
    assert f'value="{his.pk}"' in page and str(other.pk) not in page
    since = reverse("campaigns:table-since", args=[table.pk, 0])
    assert client.get(since).status_code == 204
    for _time in range(2):
        assert browser.post(place(table), {"gang": his.pk}).status_code == 302
    assert [side.gang for side in table.sides.all()] == [hers, his]
    # The first phone fetches its page again, and both show everybody.
    told = client.get(since).json()
    assert told["state"]["format"] == table_page.FORMAT
    assert {key.split(".")[0] for key in told["state"]["figures"]} == {"1", "2"}
    assert f"{his.name} joins the game." in told["html"]["story"]
    for one in (client, browser):
        page = one.get(table.get_absolute_url()).content.decode()
        assert 'id="side-1"' in page and 'id="side-2"' in page and "Take the place" not in page
    second = f"2.{his.roster.members[0].id}"
    row = pushed(taps.Out(figure=second)).model_dump(mode="json")
    address = reverse("campaigns:table-taps", args=[table.pk])
    assert client.post(address, json.dumps([row]), content_type="application/json").json()["logged"]
    assert people.start_of(Table.objects.get(pk=table.pk)).sides.keys() == {1, 2}


def test_first_tap_closes_the_place(as_user: AsUser, alice: User, bob: User) -> None:
    """A friend who comes later plays the same gang on a second phone."""
    table, his = opened(as_user(alice), make_gang(alice)), make_gang(bob)
    browser = as_user(bob)
    assert "Take the place" in join(browser, table)
    assert send_note(as_user(alice), table) == 200
    answer = browser.post(place(table), {"gang": his.pk}, follow=True).content.decode()
    assert "The game has begun, or the place is taken" in answer
    assert table.sides.count() == 1 and "A second phone" in answer
    assert send_note(browser, table) == 200


def test_place_is_taken_once_and_only_by_own_gangs_of_the_game(
    as_user: AsUser, alice: User, bob: User, charlie: User
) -> None:
    table = opened(as_user(alice), make_gang(alice))
    his, third, gold = make_gang(bob), make_gang(charlie), make_gang(bob, GOLD)
    browser = as_user(bob)
    assert browser.post(place(table), {"gang": his.pk}).status_code == 404
    join(browser, table)
    for wrong in (third.pk, gold.pk, "", "nonsense"):
        page = browser.post(place(table), {"gang": wrong}, follow=True).content.decode()
        assert "Choose one of your gangs of this game." in page
    assert table.sides.count() == 1
    browser.post(place(table), {"gang": his.pk})
    join(as_user(charlie), table)
    as_user(charlie).post(place(table), {"gang": third.pk})
    assert [side.gang for side in table.sides.all()][1:] == [his]


def test_code_leads_to_the_table_while_the_game_goes_on(
    as_user: AsUser, alice: User, client: Client
) -> None:
    table = opened(as_user(alice), make_gang(alice))
    page = as_user(alice).get(table.get_absolute_url()).content.decode()
    assert table.code_written in page
    link = reverse("campaigns:table-join", args=[table.key])
    code = {"code": table.code_written.lower()}
    assert client.post(reverse("gangs:enter-code"), code)["Location"] == link
    assert client.get(reverse("gangs:by-code", args=[table.code]))["Location"] == link
    picture = client.get(reverse("campaigns:table-join-code", args=[table.key]))
    assert picture["Content-Type"] == "image/svg+xml" and b"<svg" in picture.content
    # An opponent is a gang, and no table.
    other = as_user(alice).post(play(make_gang(alice)), {"token": "two", "link": code["code"]})
    assert other.status_code == 422
    Table.objects.update(ended_at=timezone.now())
    assert client.post(reverse("gangs:enter-code"), code).status_code == 422
