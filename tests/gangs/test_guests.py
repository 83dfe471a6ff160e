"""Visitors build before they sign up, and keep what they built."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from accounts.models import User
from common.errors import Refusal
from gangs.access import SESSION_GANGS
from gangs.engine.entries import Noted
from gangs.ledger import writer
from gangs.models import Gang, Guest
from gangs.pages import deleting
from gangs.pages.founding import MOST_GUEST_GANGS
from gangs.pictures import storage as pictures_storage
from tests.campaigns.racing import Press, race
from tests.world.campaigns import make_campaign, make_player
from tests.world.gangs import POINTS, make_gang, make_version, shipped

WEEK = timedelta(days=7)

pytestmark = pytest.mark.django_db


def found(client: Client, name: str = "Wanderers") -> Gang:
    make_version()
    answer = client.post(f"/gangs/new/{POINTS}/", {"name": name, "token": name})
    assert answer.status_code == 302, answer.content
    return Gang.objects.latest("created_at")


def test_a_visitor_builds_and_only_their_browser_sees_it(client: Client) -> None:
    gang = found(client)
    assert gang.owner is None
    assert client.get(gang.get_absolute_url()).status_code == 200
    assert (
        "this gang lives in this browser only"
        in client.get(gang.get_absolute_url()).content.decode()
    )
    assert Client().get(gang.get_absolute_url()).status_code == 404
    assert "Wanderers" in client.get("/").content.decode()


def test_it_is_claimed_at_sign_up(client: Client) -> None:
    gang = found(client)
    answer = client.post(
        "/accounts/signup/",
        {
            "username": "newcomer",
            "password1": "a long enough phrase",
            "password2": "a long enough phrase",
        },
        follow=True,
    )
    assert answer.status_code == 200
    gang.refresh_from_db()
    assert gang.owner == User.objects.get(username="newcomer")
    assert "Wanderers" in client.get("/gangs/").content.decode()


def test_it_is_claimed_at_sign_in(client: Client, alice: User) -> None:
    gang = found(client)
    client.post("/accounts/login/", {"login": "alice", "password": "correct horse battery"})
    gang.refresh_from_db()
    assert gang.owner == alice
    assert client.get(gang.get_absolute_url()).status_code == 200


def signed_up(client: Client) -> HttpResponse:
    phrase = "a long enough phrase"
    return client.post(
        "/accounts/signup/", {"username": "newcomer", "password1": phrase, "password2": phrase}
    )


def test_signing_up_leads_back_to_the_gang_that_was_being_built(client: Client) -> None:
    first, second = found(client), found(client, "Strays")
    # The one that was changed last, whichever was founded first.
    Gang.objects.filter(pk=first.pk).update(changed_at=timezone.now() + timedelta(minutes=1))
    answer = signed_up(client)
    assert answer["Location"] == first.get_absolute_url()
    text = client.get(answer["Location"]).content.decode()
    assert "Your 2 gangs are saved to your account. Carry on with Wanderers." in text
    second.refresh_from_db()
    assert second.owner == User.objects.get(username="newcomer")


def test_signing_in_leads_back_to_it_too(client: Client, alice: User) -> None:
    gang = found(client)
    sent = {"login": "alice", "password": "correct horse battery"}
    answer = client.post("/accounts/login/", sent)
    assert answer["Location"] == gang.get_absolute_url()
    text = client.get(answer["Location"]).content.decode()
    assert "Wanderers is saved to your account. Carry on where you were." in text
    # Once: the next time there is nothing to go back to.
    client.post("/accounts/logout/")
    assert client.post("/accounts/login/", sent)["Location"] == "/tonight/"
    # Nor for whoever was on their way somewhere.
    client.post("/accounts/logout/")
    found(client, "Strays")
    assert client.post("/accounts/login/?next=/notices/", sent)["Location"] == "/notices/"


def test_somebody_elses_gang_is_never_claimed(client: Client, alice: User, bob: User) -> None:
    gang = found(client)
    gang.owner = bob
    gang.save()
    client.post("/accounts/login/", {"login": "alice", "password": "correct horse battery"})
    gang.refresh_from_db()
    assert gang.owner == bob


def test_a_visitor_has_room_for_a_few_gangs(client: Client) -> None:
    for number in range(MOST_GUEST_GANGS):
        found(client, f"Gang {number}")
    answer = client.post(f"/gangs/new/{POINTS}/", {"name": "One more", "token": "t"})
    assert answer["Location"] == "/accounts/signup/"
    assert Gang.objects.count() == MOST_GUEST_GANGS


def test_founding_twice_with_one_form_founds_once(client: Client) -> None:
    gang = found(client)
    answer = client.post(f"/gangs/new/{POINTS}/", {"name": "Wanderers", "token": "Wanderers"})
    assert answer["Location"] == gang.get_absolute_url()
    assert Gang.objects.count() == 1


def test_a_gang_needs_a_name_and_keeps_what_was_chosen(client: Client) -> None:
    make_version()
    answer = client.post(f"/gangs/new/{POINTS}/", {"name": " ", "option-fame_level": "350"})
    text = answer.content.decode()
    assert answer.status_code == 422 and 'value="350"' in text
    assert client.get("/gangs/new/no-such-game/").status_code == 404


def test_a_ready_made_gang_is_a_start(client: Client) -> None:
    make_version()
    page = client.get(f"/gangs/new/{POINTS}/").content.decode()
    sample = Gang.objects.count()
    key = page.split('name="sample" value="')[1].split('"')[0]
    client.post(f"/gangs/new/{POINTS}/", {"sample": key, "token": "s"})
    assert Gang.objects.count() == sample + 1
    assert Gang.objects.latest("created_at").size >= 5


def sign_in(client: Client, name: str = "alice") -> None:
    client.post("/accounts/login/", {"login": name, "password": "correct horse battery"})


# Several at once


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_gangs_founded_at_once_are_all_there_and_no_more_than_a_visitor_may_have() -> None:
    """24 forms of one page, all sent at the same moment."""
    make_version()
    address = f"/gangs/new/{POINTS}/"
    page = Client()
    page.get(address)

    def founding(number: int) -> Press:
        browser = Client()
        browser.cookies.update(page.cookies)
        return lambda: browser.post(address, {"name": f"Gang {number}", "token": f"{number}"})

    answers = race(*(founding(number) for number in range(24)))
    assert {status for status, _ in answers} == {302}
    assert Gang.objects.count() == MOST_GUEST_GANGS and Guest.objects.count() == 1
    there = page.get("/").content.decode()
    for gang in Gang.objects.all():
        assert gang.name in there
        assert page.get(gang.get_absolute_url()).status_code == 200


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("signed_in", [False, True], ids=["visitor", "user"])
def test_the_same_form_sent_many_times_at_once_founds_once(signed_in: bool) -> None:
    make_version()
    address = f"/gangs/new/{POINTS}/"
    page = Client()
    if signed_in:
        page.force_login(User.objects.create_user("alice"))
    page.get(address)

    def founding() -> Press:
        browser = Client()
        browser.cookies.update(page.cookies)
        return lambda: browser.post(address, {"name": "Only one", "token": "once"})

    answers = race(*(founding() for _ in range(8)))
    assert {status for status, _ in answers} == {302}
    assert Gang.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_signing_in_twice_at_once_hands_everything_over_once() -> None:
    alice = User.objects.create_user("alice", password="correct horse battery")
    page = Client()
    for number in range(3):
        found(page, f"Gang {number}")

    def signing_in() -> Press:
        browser = Client()
        browser.cookies.update(page.cookies)
        return lambda: browser.post(
            "/accounts/login/", {"login": "alice", "password": "correct horse battery"}
        )

    answers = race(signing_in(), signing_in())
    assert [status for status, _ in answers] == [302, 302]
    # Who was second is not told that anything was handed over.
    assert sorted("are saved" in text for _, text in answers) == [False, True]
    assert Gang.objects.filter(owner=alice, guest=None).count() == 3


def test_a_founding_that_comes_after_the_sign_in_is_handed_over_next_time(
    client: Client, alice: User
) -> None:
    first = found(client, "First")
    late = Client()
    late.cookies.update(client.cookies)
    sign_in(client)
    second = found(late, "Second")
    client.post("/accounts/logout/")
    assert second.get_absolute_url() in client.get("/").content.decode()
    sign_in(client)
    assert set(Gang.objects.filter(owner=alice)) == {first, second}


# Whose they are


def test_nobody_makes_up_whose_guest_they_are(client: Client) -> None:
    gang = found(client)
    assert gang.guest is not None
    for forged in (gang.guest.key, f":{gang.guest.key}", client.cookies["guest"].value[:-1]):
        stranger = Client()
        stranger.cookies["guest"] = forged
        assert stranger.get(gang.get_absolute_url()).status_code == 404
        assert "Wanderers" not in stranger.get("/").content.decode()


def test_what_a_session_of_before_lists_is_still_the_visitors(client: Client, alice: User) -> None:
    """A site that is updated while visitors build."""
    old = make_gang(None, name="From before", sample=None)
    stranger = Client()
    session = client.session
    session[SESSION_GANGS] = [str(old.pk)]
    session.save()
    client.cookies["sessionid"] = session.session_key
    assert "From before" in client.get("/").content.decode()
    assert client.get(old.get_absolute_url()).status_code == 200
    assert stranger.get(old.get_absolute_url()).status_code == 404
    # The next founding makes a guest of them, and what they have counts.
    new = found(client)
    old.refresh_from_db()
    assert old.guest == new.guest is not None
    assert SESSION_GANGS not in client.session
    sign_in(client)
    assert set(Gang.objects.filter(owner=alice, guest=None)) == {old, new}


def test_what_a_session_of_before_lists_is_handed_over(client: Client, alice: User) -> None:
    old, kept = make_gang(None), make_gang(None)
    Gang.objects.filter(pk=kept.pk).update(kept_at=timezone.now())
    session = client.session
    session[SESSION_GANGS] = [str(old.pk), str(kept.pk)]
    session.save()
    client.cookies["sessionid"] = session.session_key
    sign_in(client)
    assert set(Gang.objects.filter(owner=alice)) == {old}
    assert SESSION_GANGS not in client.session


# Floods


def test_no_more_gangs_come_from_one_address_than_a_club_founds(
    client: Client, settings: Any
) -> None:
    """Whoever throws their cookies away is still somewhere. An account is the way out."""
    settings.ACCOUNT_RATE_LIMITS = {"found": "3/h/ip"}
    for number in range(3):
        found(Client(), f"Gang {number}")
    form = {"name": "One too many", "token": "t"}
    answer = client.post(f"/gangs/new/{POINTS}/", form)
    text = answer.content.decode()
    assert answer.status_code == 429 and int(answer["Retry-After"]) > 0
    assert "One too many" in text and 'href="/accounts/signup/"' in text
    assert Gang.objects.count() == 3 and Guest.objects.count() == 3
    elsewhere = client.post(f"/gangs/new/{POINTS}/", form, REMOTE_ADDR="192.0.2.7")
    assert elsewhere.status_code == 302


def test_a_form_that_came_before_is_found_again_however_many_came(
    client: Client, settings: Any
) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"found": "1/h/ip"}
    gang = found(client)
    answer = client.post(f"/gangs/new/{POINTS}/", {"name": "Wanderers", "token": "Wanderers"})
    assert answer["Location"] == gang.get_absolute_url()


def test_the_site_holds_only_so_many_gangs_of_visitors(
    client: Client, alice: User, settings: Any
) -> None:
    settings.MOST_GUEST_GANGS_OF_SITE = 2
    first = found(client, "First")
    found(Client(), "Second")
    answer = client.post(f"/gangs/new/{POINTS}/", {"name": "Third", "token": "t"})
    assert answer.status_code == 503 and int(answer["Retry-After"]) > 0
    assert 'href="/accounts/signup/"' in answer.content.decode()
    assert Gang.objects.count() == 2
    # Users are not concerned, and what one of them takes over makes room.
    sign_in(client)
    assert client.post(f"/gangs/new/{POINTS}/", {"name": "Hers", "token": "h"}).status_code == 302
    assert found(Client(), "Third").owner is None
    first.refresh_from_db()
    assert first.owner == alice


def test_without_room_for_visitors_a_gang_takes_an_account(client: Client, settings: Any) -> None:
    make_version()
    settings.MOST_GUEST_GANGS_OF_SITE = 0
    answer = client.post(f"/gangs/new/{POINTS}/", {"name": "Nobody’s", "token": "t"})
    assert answer.status_code == 503 and not Gang.objects.exists()


def test_a_visitors_gang_takes_only_so_many_changes(
    client: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    gang = found(client)
    monkeypatch.setattr(writer, "MOST_GUEST_ENTRIES", gang.last_seq + 1)
    address = f"{gang.get_absolute_url()}about/"

    def rename(name: str, version: int) -> tuple[int, str]:
        answer = client.post(address, {"name": name, "version": version, "token": name})
        return answer.status_code, answer.content.decode()

    assert rename("Renamed", 1)[0] == 302
    status, text = rename("Renamed again", 2)
    assert status == 422 and "sign up" in text
    assert Gang.objects.get().name == "Renamed"
    sign_in(client)
    assert rename("Renamed again", 2)[0] == 302


def test_a_visitors_gang_takes_only_so_much_text_and_so_many_corrections(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    gang = found(client)
    assert gang.guest is not None
    monkeypatch.setattr(writer, "MOST_GUEST_TEXT", 3_000)
    writer.append(gang, [Noted(text="x" * 3_000)], expected_version=1, actor=None)
    with pytest.raises(Refusal, match="guest_history_full"):
        writer.append(gang, [Noted(text="")], expected_version=2, actor=None)
    monkeypatch.undo()
    monkeypatch.setattr(writer, "MOST_GUEST_ENTRIES", gang.last_seq + 1)
    batch = gang.entries.get(seq=gang.last_seq).batch
    act = writer.strike(gang, batch, expected_version=gang.version, actor=None)
    with pytest.raises(Refusal, match="guest_history_full"):
        writer.revise(gang, undoes=act, expected_version=gang.version, actor=None)


# What becomes of them


def test_what_nobody_changed_for_a_week_goes(
    client: Client, alice: User, django_capture_on_commit_callbacks: Any
) -> None:
    old, fresh, owned = found(client, "Old"), found(Client(), "Fresh"), make_gang(alice)
    empty = Guest.objects.create(key="empty")
    pictures_storage.keep(old, None, pictures_storage.Decoded((b"small", b"large")))
    name = pictures_storage.name_of(old, None)
    assert pictures_storage.content_of(old, name, pictures_storage.LARGE) == b"large"
    long_ago = timezone.now() - WEEK
    Gang.objects.filter(pk__in=[old.pk, owned.pk]).update(changed_at=long_ago)
    with django_capture_on_commit_callbacks(execute=True):
        assert deleting.tidy_guests() == 1
    assert set(Gang.objects.all()) == {fresh, owned}
    assert pictures_storage.content_of(old, name, pictures_storage.LARGE) is None
    # Whoever is seen no more goes, too, but nobody who has a gang or was here just now.
    assert Guest.objects.filter(pk__in=[empty.pk, old.guest_id, fresh.guest_id]).count() == 3
    Guest.objects.update(seen_at=long_ago)
    assert deleting.tidy_guests() == 0
    assert [guest.pk for guest in Guest.objects.all()] == [fresh.guest_id]


def test_many_go_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deleting, "BATCH", 2)
    for _ in range(5):
        make_gang(None, sample=None)
    Gang.objects.update(changed_at=timezone.now() - WEEK)
    assert deleting.tidy_guests() == 5 and not Gang.objects.exists()


class TestNamesOfReadyMadeGangs:
    """Whoever takes the same one twice is asked what to call it."""

    URL = f"/gangs/new/{POINTS}/"

    def take(self, client: Client, sample: Any, **values: str) -> HttpResponse:
        return client.post(
            self.URL, {"sample": sample.key, "token": values.pop("token", ""), **values}
        )

    def test_a_name_that_is_taken_is_asked_for(self, client: Client, alice: User) -> None:
        sample = make_version(POINTS) and shipped(POINTS).samples[0]
        client.force_login(alice)
        assert "is taken" not in client.get(self.URL).content.decode()
        assert self.take(client, sample).status_code == 302
        assert Gang.objects.get().name == sample.name
        assert f"“{sample.name}” is taken" in client.get(self.URL).content.decode()
        answer = self.take(client, sample)
        assert answer.status_code == 422 and "This field is required" in answer.content.decode()
        answer = self.take(client, sample, gang_name=sample.name.upper())
        assert answer.status_code == 422 and "This name is taken, too." in answer.content.decode()
        assert self.take(client, sample, gang_name="The Others").status_code == 302
        assert {gang.name for gang in Gang.objects.all()} == {sample.name, "The Others"}

    def test_the_same_form_twice_is_one_gang(self, client: Client, alice: User) -> None:
        sample = make_version(POINTS) and shipped(POINTS).samples[0]
        client.force_login(alice)
        places = {self.take(client, sample, token="t")["Location"] for _ in range(2)}
        assert places == {Gang.objects.get().get_absolute_url()}

    def test_of_the_campaign_too_that_one_is_invited_to(
        self, client: Client, alice: User, bob: User
    ) -> None:
        campaign = make_campaign(bob, POINTS)
        make_player(campaign, bob)
        sample = shipped(POINTS).samples[0]
        client.get(f"/campaigns/join/{campaign.invite_key}/")
        assert f"“{sample.name}” is taken" in client.get(self.URL).content.decode()
        assert self.take(client, sample).status_code == 422
