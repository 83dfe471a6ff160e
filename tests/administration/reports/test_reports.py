"""Reporting a page: every reader can do it once, and administrators are notified."""

from __future__ import annotations

import re
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.models import Notice, User
from accounts.notices import describe
from administration.models import Act, PageReport
from administration.reports import views as reports_views
from campaigns.models import Campaign, Night, Table
from gangs.models import Gang
from rules.editor import store
from rules.models import BookDraft, BookVersion
from tests.world.addresses import make_world
from tests.world.campaigns import make_campaign, make_player
from tests.world.gangs import become_guest, make_gang, make_version

pytestmark = pytest.mark.django_db


def sheet(gang: Gang) -> str:
    return reverse("gangs:shared", args=[gang.share_key])


def form_of(client: Client, page: str) -> str:
    """Return the address of the form that a page links to; "" if there is none."""
    content = client.get(page).content.decode()
    found = re.findall(r'href="(/report/[^"]*)"', content)
    return found[0] if found else ""


def send(client: Client, page: str, **fields: Any) -> Any:
    given = {"why": "offensive", "words": "The third name.", "token": uuid.uuid4(), **fields}
    return client.post(reverse("report-page", args=[page.lstrip("/")]), given)


def test_visitor_reports_a_shared_sheet(
    client: Client, alice: User, root: User, helper: User
) -> None:
    gang = make_gang(alice)
    form = form_of(client, sheet(gang))
    assert gang.name in client.get(form).content.decode()
    answer = send(client, sheet(gang))
    assert answer["Location"] == sheet(gang)
    assert "An administrator will look at it." in client.get(sheet(gang)).content.decode()
    [report] = PageReport.objects.all()
    assert (report.page, report.gang, report.reporter) == (sheet(gang), gang, None)
    assert {notice.user for notice in Notice.objects.all()} == {root, helper}
    told = describe(Notice.objects.all()[0])
    assert gang.name in told and "offensive" in told
    # Only administrators are notified, and no session was stored for the visitor.
    assert not Notice.objects.filter(user=alice).exists()
    assert "sessionid" not in client.cookies


def test_nobody_is_offered_to_report_what_they_can_change(
    client: Client, alice: User, bob: User
) -> None:
    campaign = make_campaign(bob)
    gang = make_player(campaign, alice)
    page = campaign.get_absolute_url()
    for reader, offered in ((bob, ""), (alice, f"/report{page}")):
        client.force_login(reader)
        assert form_of(client, page) == offered
    client.force_login(alice)
    assert form_of(client, sheet(gang)) == ""


@pytest.mark.django_db(transaction=True)
def test_mail_links_to_the_report(client: Client, alice: User, root: User) -> None:
    EmailAddress.objects.create(user=root, email=root.email, verified=True, primary=True)
    User.objects.filter(pk=root.pk).update(mail_notices=True)
    send(client, sheet(make_gang(alice)))
    [message] = mail.outbox
    [report] = PageReport.objects.all()
    assert message.to == ["root@example.org"]
    assert f"/administration/reports/{report.pk}/" in message.body


def test_report_needs_a_text(client: Client, alice: User) -> None:
    page = sheet(make_gang(alice))
    for wrong in ({"words": ""}, {"why": "spite"}, {"why": ""}, {"words": "x" * 1001}):
        answer = send(client, page, **wrong)
        assert answer.status_code == 422
    assert "x" * 1001 in answer.content.decode()
    assert not PageReport.objects.exists()


def test_double_click_sends_a_single_report(client: Client, alice: User, root: User) -> None:
    page, token = sheet(make_gang(alice)), uuid.uuid4()
    for _click in range(2):
        assert send(client, page, token=token).status_code == 302
    assert PageReport.objects.count() == Notice.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_clicks_at_the_same_time_send_a_single_report(alice: User, root: User) -> None:
    page, token = sheet(make_gang(alice)), uuid.uuid4()

    def click(_number: int) -> int:
        try:
            return int(send(Client(), page, token=token).status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(click, range(4))) == [302] * 4
    assert PageReport.objects.count() == Notice.objects.count() == 1


def test_reports_of_a_reader_are_limited(client: Client, alice: User) -> None:
    page = sheet(make_gang(alice))
    answers = [send(client, page).status_code for _report in range(12)]
    assert answers == [302] * 10 + [429] * 2
    assert PageReport.objects.count() == 10
    answer = send(client, page, words="And this")
    assert "try again later" in answer.content.decode() and "And this" in answer.content.decode()


def test_number_of_open_reports_is_limited(
    client: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reports_views, "MOST_OPEN", 1)
    page = sheet(make_gang(alice))
    assert send(client, page).status_code == 302
    assert send(client, page).status_code == 429


def test_readers_of_a_campaign_can_report_its_pages(
    client: Client, alice: User, bob: User, charlie: User
) -> None:
    campaign = make_campaign(bob)
    gang = make_player(campaign, alice)
    page = campaign.get_absolute_url()
    stranger = Client()
    stranger.force_login(charlie)
    assert send(stranger, page).status_code == 404
    assert send(client, page).status_code == 404
    client.get(reverse("campaigns:watch", args=[campaign.watch_key]))
    career = reverse("campaigns:career", args=[campaign.pk, gang.pk, gang.roster.members[0].id])
    for seen in (page, career, reverse("campaigns:chronicle", args=[campaign.pk])):
        assert form_of(client, seen) == f"/report{seen}"
        assert send(client, seen).status_code == 302
    assert {report.campaign for report in PageReport.objects.all()} == {campaign}
    invitation = reverse("campaigns:join", args=[campaign.invite_key])
    assert send(stranger, invitation).status_code == 302


def test_other_players_can_report_a_visible_gang(alice: User, bob: User, charlie: User) -> None:
    campaign = make_campaign(bob)
    gang = make_player(campaign, alice)
    page = reverse("gangs:then", args=[gang.pk])
    organiser, stranger = Client(), Client()
    organiser.force_login(bob)
    stranger.force_login(charlie)
    assert send(organiser, page).status_code == 302
    assert send(stranger, page).status_code == 404
    assert PageReport.objects.get().gang == gang


@pytest.mark.long
def test_published_variant_can_be_reported_but_no_rulebook(
    client: Client, alice: User, as_root: Client
) -> None:
    variant = store.start_variant(alice, make_version(), "Rude rules", token=uuid.uuid4())
    state = BookVersion.objects.get(number=None)
    plain = reverse("rules:version", args=[state.pk])
    assert form_of(client, plain) == ""
    assert send(client, plain).status_code == 404
    published = store.publish(variant, expected_version=variant.draft_version)
    page = reverse("rules:version", args=[published.pk])
    assert form_of(client, page) == f"/report{page}"
    assert send(client, page).status_code == 302
    [report] = PageReport.objects.all()
    assert (report.title, report.book_version) == ("Rude rules", published)
    told = as_root.get(reverse("administration:report", args=[report.pk])).content.decode()
    assert reverse("administration:account", args=[alice.pk]) in told


def test_game_by_a_player_can_be_reported_by_everybody_but_its_author(
    client: Client, alice: User, as_root: Client
) -> None:
    version, draft = make_version(), BookDraft.objects.create(owner=alice, slug="harbour")
    page = reverse("rules:version", args=[version.pk])
    listed = reverse("rules:book", args=[version.slug])
    assert form_of(client, page) == form_of(client, listed) == ""
    BookVersion.objects.filter(pk=version.pk).update(number=1, draft=draft, offered=True)
    for seen in (page, listed, f"{page}odds/", f"{page}search/"):
        assert form_of(client, seen) == f"/report{seen}"
    assert send(client, listed).status_code == 302
    told = report_page(as_root, listed)
    assert reverse("administration:draft-act", args=[draft.pk, "hide"]) in told
    client.force_login(alice)
    assert form_of(client, page) == form_of(client, listed) == ""


def test_report_of_each_kind_of_page_leads_to_it_and_to_its_acts(as_root: Client) -> None:
    world = make_world(("amy", "ben", "cleo", "dave"))
    visitor, campaign = Client(), world.campaign
    visitor.get(
        reverse("campaigns:watch", args=[campaign.watch_key]),
        headers={"Sec-Fetch-Mode": "navigate"},
    )
    of_campaign = reverse("administration:campaign-act", args=[campaign.pk, "hide"])
    of_gang = reverse("administration:gang-act", args=[world.gang.pk, "hide"])
    of_game = reverse("administration:game", args=[world.game.pk])
    of_night = reverse("administration:night", args=[world.night.pk])
    Night.objects.filter(pk=world.night.pk).update(note="Bring nothing")
    for name, acts in {
        "gangs:shared-text": (of_gang,),
        "campaigns:watch": (of_campaign,),
        "campaigns:watch-stage": (of_campaign,),
        "campaigns:stage": (of_campaign,),
        "campaigns:fixture": (of_campaign,),
        "campaigns:standings": (of_campaign,),
        "campaigns:player": (of_campaign,),
        "campaigns:career": (of_gang, of_campaign),
        "campaigns:game-throws": (of_game, of_campaign),
        "campaigns:table": (of_game, of_campaign),
        "campaigns:table-story": (of_game, of_campaign),
        "campaigns:night-text": (of_night, of_campaign),
    }.items():
        page = world.address_of(name)
        assert send(visitor, page).status_code == 302, name
        told = report_page(as_root, page)
        assert can_read(as_root, told, page), name
        assert all(act in told for act in acts), name
        cache.clear()


def test_table_without_a_campaign_is_reported_by_its_guests_with_acts_on_its_gangs(
    client: Client, alice: User, as_root: Client
) -> None:
    gang = make_gang(alice)
    opener = Client()
    opener.force_login(alice)
    opener.post(reverse("campaigns:gang-play", args=[gang.pk]), {"token": "one"})
    table = Table.objects.get()
    page = table.get_absolute_url()
    assert send(client, page).status_code == 404
    client.get(reverse("campaigns:table-join", args=[table.key]))
    assert form_of(opener, page) == ""
    assert form_of(client, page) == f"/report{page}"
    assert gang.name in client.get(f"/report{page}").content.decode()
    assert send(client, page).status_code == 302
    told = report_page(as_root, page)
    assert can_read(as_root, told, page)
    assert reverse("administration:gang-act", args=[gang.pk, "hide"]) in told


def test_visitor_is_not_offered_to_report_their_own_gang(client: Client) -> None:
    gang = make_gang(None)
    become_guest(client, gang)
    Gang.objects.filter(pk=gang.pk).update(share_key="their-own-key")
    page = reverse("gangs:shared", args=["their-own-key"])
    assert form_of(client, page) == ""
    assert form_of(Client(), page) == f"/report{page}"


def can_read(reader: Client, told: str, page: str) -> bool:
    """Whether the page about a report leads its reader to the reported page."""
    for link in re.findall(r'href="(/campaigns/(?:watch|tables/join)/[^"]*)"', told):
        reader.get(link)
    return f'href="{page}"' in told and reader.get(page, follow=True).status_code == 200


def report_page(reader: Client, page: str) -> str:
    """Return the administrators' page about the report of a page."""
    report = PageReport.objects.get(page=page)
    address = reverse("administration:report", args=[report.pk])
    return str(reader.get(address).content.decode())


@pytest.mark.parametrize(
    "page",
    ["gangs/", "administration/", "no/such/page", "s/unknown/", "accounts/login/", "x" * 400],
)
def test_other_pages_cannot_be_reported(client: Client, page: str) -> None:
    assert send(client, page).status_code == 404
    assert client.get(f"/report/{page}").status_code == 404


def test_pages_without_an_author_link_to_no_form(client: Client, alice: User) -> None:
    make_version()
    assert form_of(client, "/") == form_of(client, "/rules/") == ""
    client.force_login(alice)
    assert form_of(client, make_gang(alice).get_absolute_url()) == ""


def test_report_is_settled_with_a_note_and_reopened(
    as_helper: Client, client: Client, alice: User
) -> None:
    gang = make_gang(alice)
    send(client, sheet(gang))
    report = PageReport.objects.get()
    address = reverse("administration:report", args=[report.pk])
    page = as_helper.get(address).content.decode()
    assert "The third name." in page
    assert reverse("administration:gang", args=[gang.pk]) in page
    form = {"reason": "Asked them to rename", "token": uuid.uuid4()}
    assert as_helper.post(f"{address}handle/", form).status_code == 302
    assert "Asked them to rename" in as_helper.get(address).content.decode()
    listed = reverse("administration:reports")
    assert gang.name not in as_helper.get(listed).content.decode()
    assert gang.name in as_helper.get(listed, {"settled": ""}).content.decode()
    [act] = Act.objects.all()
    assert (act.kind, act.reason, act.subject_name) == ("handle", "Asked them to rename", gang.name)
    again = {"reason": "They did not", "token": uuid.uuid4()}
    assert as_helper.post(f"{address}reopen/", again).status_code == 302
    assert gang.name in as_helper.get(listed).content.decode()


def test_report_outlives_the_reported_page(
    as_helper: Client, client: Client, alice: User, bob: User
) -> None:
    gang, campaign = make_gang(alice), make_campaign(bob)
    client.force_login(alice)
    send(client, sheet(gang))
    send(Client(), reverse("campaigns:join", args=[campaign.invite_key]))
    Gang.objects.all().delete()
    Campaign.objects.all().delete()
    User.objects.filter(username="alice").delete()
    for report in PageReport.objects.all():
        assert (report.gang, report.campaign, report.reporter) == (None, None, None)
        address = reverse("administration:report", args=[report.pk])
        assert report.title in as_helper.get(address).content.decode()
