"""The administrators' pages: the state of the site, and the search."""

from __future__ import annotations

import re
import shutil
from collections import namedtuple
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy

from accounts import mailing
from accounts.models import User
from administration import panels
from administration.models import PageReport, Run
from administration.pages import views
from campaigns.models import Campaign
from common import background, site_state
from common.models import Job
from common.site_state import Fact, Level
from gangs.models import Gang
from gangs.pictures import storage as pictures_storage
from gangs.pictures.storage import Decoded
from printing import line
from rules.library import load, remove
from tests.world.campaigns import make_campaign, make_player
from tests.world.gangs import GOLD, POINTS, make_gang, make_version, shipped

pytestmark = pytest.mark.django_db

Usage = namedtuple("Usage", "total used free")


def overview(client: Client) -> str:
    answer = client.get("/administration/")
    assert answer.status_code == 200
    return answer.content.decode()


def urgent(client: Client) -> str:
    """Return the urgent entries of the first page."""
    return overview(client).partition('id="urgent"')[2].partition("</section>")[0]


@pytest.mark.long
def test_first_page_counts_people_gangs_and_campaigns(
    as_root: Client, alice: User, bob: User
) -> None:
    make_player(make_campaign(bob), alice)
    make_gang(None)
    User.objects.create_user("~1", stands_for="Zoe", is_active=False)
    page = overview(as_root)
    assert "3; in 30 days 1 signed in and 3 are new; 0 blocked" in page
    assert "2, of which 1 are visitors’; 2 changed in 30 days" in page
    assert "1, of which 1 are not archived" in page


@pytest.mark.long
def test_missing_runs_are_urgent(as_root: Client) -> None:
    said = urgent(as_root)
    assert "Backup: never" in said and "Replay: never" in said and "Tidying up: never" in said
    assert "manage.py backup FILE" in said
    assert "Notified by mail: nobody" in said


def test_runs_are_listed_and_urgent_when_old_or_failed(as_root: Client) -> None:
    now = timezone.now()
    for kind, days in (("backup", 8), ("replay", 1), ("tidy", 1)):
        ended = now - timedelta(days=days)
        Run.objects.create(kind=kind, started_at=ended, ended_at=ended, values={"gangs": 7})
    Run.objects.create(kind="tidy", started_at=now, error="expired sessions: OSError")
    said = urgent(as_root)
    assert "Backup: " in said and "gangs checked: 7" in said
    assert "Replay" not in said
    assert "expired sessions: OSError" in said
    Run.objects.create(kind="tidy", started_at=now, ended_at=now + timedelta(seconds=1))
    assert "Tidying up" not in urgent(as_root)


def test_open_report_is_urgent(as_root: Client) -> None:
    waits = PageReport.objects.create(page="/s/x/", title="It", why="other", words="See there.")
    assert "Reports waiting: 1" in urgent(as_root)
    PageReport.objects.filter(pk=waits.pk).update(handled_at=timezone.now())
    assert "Reports waiting" not in urgent(as_root)


def test_periodic_jobs_have_names_in_the_readers_language(as_root: Client) -> None:
    kinds = [kind for kind, work in background._works.items() if work.period is not None]
    assert set(kinds) <= set(panels.JOBS)
    for kind in kinds:
        Job(kind=kind, periodic=True, finished_at=timezone.now()).save()
    as_root.cookies["django_language"] = "fr"
    page = as_root.get("/administration/", HTTP_ACCEPT_LANGUAGE="fr").content.decode()
    assert "Automatique" in page
    assert not [kind for kind in kinds if f"Automatique\N{NO-BREAK SPACE}: {kind}" in page]


def test_job_that_no_process_carries_out_is_urgent(as_root: Client) -> None:
    now = timezone.now()
    job = Job.objects.create(kind="tidy", periodic=True, next_at=now - timedelta(hours=2))
    assert "Automatic: tidy: not yet done" in urgent(as_root)
    job.started_at, job.next_at = now, now + timedelta(minutes=2)
    job.save()
    assert "Automatic" not in urgent(as_root) and "running since" in overview(as_root)
    job.finished_at, job.body = timezone.now(), {"backlog": 7}
    job.save()
    assert "running since" not in overview(as_root) and "still waiting: 7" in overview(as_root)


def test_failing_job_is_urgent(as_root: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now()
    failing = Job(kind="tidy", periodic=True, failed_at=now, error="OSError: no disk")
    failing.save()
    assert "Automatic: tidy: OSError: no disk" in urgent(as_root)
    failing.finished_at, failing.failed_at = now, None
    failing.save()
    assert "Automatic" not in urgent(as_root) and "Automatic" in overview(as_root)


def test_late_print_is_urgent(as_root: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    for minutes, late in ((1, False), (25, True)):
        monkeypatch.setattr(line, "oldest_waiting", lambda: timedelta(minutes=minutes))  # noqa: B023
        assert ("Oldest print: 25 minutes" in urgent(as_root)) == late
    assert f"{minutes} minutes" in overview(as_root)


def test_undeliverable_mail_is_shown(as_root: Client) -> None:
    assert "Oldest mail" not in urgent(as_root) and "none waiting" in overview(as_root)
    late = timezone.now() - timedelta(hours=3)
    mail = mailing.compose("s", "text", "a@example.org")
    mail.created_at, mail.error = late, "refused <by> them"
    mail.save()
    told = urgent(as_root)
    assert "Oldest mail: 3" in told and "refused &lt;by&gt; them" in told
    assert "a@example.org" not in overview(as_root)
    Job.objects.update(next_at=None)
    told = urgent(as_root)
    assert "Oldest mail" not in told and "Mails given up: 1" in told


@pytest.mark.parametrize(
    "mode,words", [("open", "open to everybody"), ("invitation", "by invitation")]
)
def test_sign_up_mode_is_shown(as_root: Client, settings: Any, mode: str, words: str) -> None:
    settings.SIGNUP = mode
    assert f"{words} · 0 invitations are open" in overview(as_root)


def test_unannounced_proxy_is_shown(as_root: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "TRUSTED_PROXIES" not in urgent(as_root)
    monkeypatch.setattr(panels, "unannounced_proxy", timezone.now)
    assert "TRUSTED_PROXIES" in urgent(as_root)


@pytest.mark.parametrize(
    "free,level", [(1 << 40, "good"), (1 << 30, "warning"), (1 << 20, "error")]
)
def test_nearly_full_disk_is_shown(monkeypatch: pytest.MonkeyPatch, free: int, level: str) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(1 << 41, 1, free))
    [disk] = [fact for fact in panels.room() if fact.name == "Free on the disk"]
    assert disk.level == level and bool(disk.advice) == (level != "good")


def test_sizes_are_measured_from_the_files(alice: User) -> None:
    before = {fact.name: fact.value for fact in panels.room()}
    assert before["Pictures"] == "0\xa0bytes (0 files)"
    pictures_storage.keep(make_gang(alice), None, Decoded((b"small", b"large")))
    after = {fact.name: fact.value for fact in panels.room()}
    assert after["Pictures"] == "74\xa0bytes (2 files)"
    assert panels.database_size() > 100_000


def test_rulebooks_are_listed_and_urgent_when_missing(as_root: Client) -> None:
    assert "manage.py books load" in urgent(as_root)
    version = make_version()
    page = overview(as_root)
    assert version.digest[:8] in page
    # The other shipped rulebooks are not loaded.
    missing = urgent(as_root).partition("Not loaded as shipped:")[2]
    assert missing and version.slug not in missing.partition("</strong>")[0]


def test_rulebooks_that_the_site_replaced_or_removed_are_not_missing(
    as_root: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for slug in (GOLD, POINTS):
        make_version(slug)
    own, removed = shipped(GOLD), shipped(POINTS)
    monkeypatch.setattr(
        panels, "site_digests", lambda: ((GOLD, own.digest), (POINTS, removed.digest))
    )
    load(own.changed(edition="ours"))
    remove(POINTS)
    assert "Not loaded as shipped" not in overview(as_root)


def test_failing_panel_hides_no_other(as_root: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> list[Fact]:
        raise RuntimeError("no such thing")

    fine = Fact("The weather", "fair", Level.GOOD)
    monkeypatch.setattr(site_state, "_panels", list(site_state._panels))
    site_state.register(gettext_lazy("Rulebooks"), broken)
    site_state.register(gettext_lazy("Rulebooks"), lambda: [fine])
    page = overview(as_root)
    assert "Unreadable: RuntimeError" in page and "The weather" in page


def test_page_says_all_is_well_without_urgent_entries(
    as_root: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site_state, "_panels", [])
    assert "All is well." in overview(as_root)


# Finding


def test_accounts_are_found_by_name_and_address(alice: User, bob: User) -> None:
    blocked = User.objects.create_user("carl", is_active=False)
    stands = User.objects.create_user("~2", stands_for="Zoe", is_active=False)
    chief = User.objects.create_superuser("chief")
    assert set(views.find_accounts("")) == {alice, bob, blocked, chief}
    assert list(views.find_accounts("ALI")) == [alice]
    assert list(views.find_accounts("bob@example")) == [bob]
    assert list(views.find_accounts("", "blocked")) == [blocked]
    assert list(views.find_accounts("", "administrators")) == [chief]
    assert list(views.find_accounts("zo", "strangers")) == [stands]


def test_gangs_are_found_by_name_owner_key_and_address(alice: User, bob: User) -> None:
    hers = make_gang(alice, name="Wolves", sample=None)
    his = make_gang(bob, name="Crows", sample=None)
    guests = make_gang(None, name="Strays", sample=None)
    assert set(views.find_gangs("")) == {hers, his, guests}
    assert list(views.find_gangs("wolv")) == [hers]
    assert list(views.find_gangs("bob")) == [his]
    assert list(views.find_gangs("", "guests")) == [guests]
    for text in (str(hers.pk), f"https://site.example{hers.get_absolute_url()}sheet/"):
        assert list(views.find_gangs(text)) == [hers]
    shared = reverse("gangs:shared", args=[his.share_key])
    for text in (his.share_key, f"https://site.example{shared}sheet.pdf"):
        assert list(views.find_gangs(str(text))) == [his]


def test_campaigns_are_found_by_name_organiser_key_and_address(alice: User, bob: User) -> None:
    campaign, other = make_campaign(bob), make_campaign(alice)
    Campaign.objects.filter(pk=other.pk).update(name="Summer")
    make_player(campaign, alice)
    assert list(views.find_campaigns("long wint")) == [campaign]
    # A player of a campaign is not found as its organiser.
    assert list(views.find_campaigns("alice")) == [other]
    for name, key in (("watch", campaign.watch_key), ("join", campaign.invite_key)):
        path = reverse(f"campaigns:{name}", args=[key])
        assert list(views.find_campaigns(f"http://site.example{path}")) == [campaign]
    assert list(views.find_campaigns(campaign.get_absolute_url())) == [campaign]


@pytest.mark.parametrize("query", ["\x00", "\ud800", "%", "_" * 30, "'\"", "🐺", "x" * 5000])
@pytest.mark.parametrize("page", ["accounts", "gangs", "campaigns", "acts"])
def test_every_search_is_answered(as_root: Client, page: str, query: str) -> None:
    asked = query.encode("utf-8", "surrogatepass")
    address = reverse(f"administration:{page}")
    assert as_root.get(address, {"q": asked, "page": "no"}).status_code == 200


def test_pages_of_a_long_list_keep_the_search(as_root: Client) -> None:
    User.objects.bulk_create(User(username=f"player{number}") for number in range(60))
    first = as_root.get("/administration/accounts/", {"q": "player"}).content.decode()
    assert first.count("/administration/accounts/") > 50
    [older] = re.findall(r'href="(\?[^"]*page=2[^"]*)"', first)
    second = as_root.get("/administration/accounts/" + older.replace("&amp;", "&"))
    assert len(second.context["page"].object_list) == 10


# Details


def test_account_page_shows_its_gangs_and_campaigns(
    as_root: Client, alice: User, bob: User
) -> None:
    campaign = make_campaign(bob)
    gang = make_player(campaign, alice)
    page = as_root.get(reverse("administration:account", args=[alice.pk])).content.decode()
    assert "1 of at most 200" in page
    assert reverse("administration:gang", args=[gang.pk]) in page
    assert reverse("administration:campaign", args=[campaign.pk]) in page
    assert f"/administration/accounts/{alice.pk}/block/" in page
    assert f"/administration/accounts/{alice.pk}/unblock/" not in page


def test_gang_page_shows_its_sheet_and_pictures(
    as_root: Client, alice: User, client: Client
) -> None:
    gang = make_gang(alice)
    pictures_storage.keep(gang, None, Decoded((b"a small badge", b"a large badge")))
    gang = Gang.objects.get(pk=gang.pk)
    page = as_root.get(reverse("administration:gang", args=[gang.pk])).content.decode()
    assert gang.roster.members[0].name in page
    sources = re.findall(r'<img class="portrait" src="([^"]+)"', page)
    assert [as_root.get(source).content for source in sources] == [b"a large badge"]
    client.force_login(alice)
    # Its owner cannot open the page either.
    assert client.get(sources[0]).status_code == 404


def test_campaign_page_links_to_watch_the_campaign(as_root: Client, bob: User, alice: User) -> None:
    campaign = make_campaign(bob)
    gang = make_player(campaign, alice)
    address = reverse("administration:campaign", args=[campaign.pk])
    page = as_root.get(address).content.decode()
    assert gang.name in page and "bob" in page
    assert as_root.get(campaign.get_absolute_url()).status_code == 404
    watching = reverse("campaigns:watch", args=[campaign.watch_key])
    assert watching in page
    as_root.get(watching)
    assert as_root.get(campaign.get_absolute_url()).status_code == 200


def test_only_administrators_see_a_link_to_the_pages(
    as_root: Client, client: Client, alice: User
) -> None:
    client.force_login(alice)
    assert "/administration/" not in client.get("/gangs/").content.decode()
    assert "/administration/" in as_root.get("/gangs/").content.decode()


def test_dismissed_administrator_loses_access(as_helper: Client, helper: User) -> None:
    assert as_helper.get("/administration/").status_code == 200
    User.objects.filter(pk=helper.pk).update(is_staff=False)
    assert as_helper.get("/administration/").status_code == 404


@pytest.mark.parametrize("path", ["", "accounts/", "gangs/", "campaigns/", "reports/", "acts/"])
def test_every_page_exists_in_french(as_root: Client, path: str) -> None:
    english = as_root.get(f"/administration/{path}").content.decode()
    french = as_root.get(f"/administration/{path}", headers={"accept-language": "fr"})
    heading = re.compile(r"<h1>(.*?)</h1>", re.S)
    told = [heading.findall(page)[0] for page in (english, french.content.decode())]
    assert told[0] != told[1] or path == "campaigns/"


def test_query_count_does_not_grow_with_a_list(
    as_root: Client, django_assert_max_num_queries: Any, bob: User
) -> None:
    for number in range(12):
        make_gang(bob, name=f"Gang {number}", sample=None)
        make_campaign(bob)
    for page, most in (("gangs", 6), ("campaigns", 7), ("accounts", 6)):
        with django_assert_max_num_queries(most):
            as_root.get(reverse(f"administration:{page}"))
