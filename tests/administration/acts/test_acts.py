"""Acts of administrators: with a reason, logged by name, done once, never against superiors."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import mailing, quotas
from accounts.models import Notice, Quota, User
from accounts.notices import describe as notice_in_words
from administration.acts.views import describe
from administration.models import Act
from api import tokens
from campaigns.models import Campaign
from common.models import Job
from common.storages import store
from gangs.models import Gang
from gangs.pictures import storage as pictures_storage
from gangs.pictures.storage import Decoded
from tests.world.campaigns import make_campaign, make_player
from tests.world.gangs import make_gang

pytestmark = pytest.mark.django_db

WHY = "Somebody complained"


def send(client: Client, subject: Any, kind: str, **fields: Any) -> Any:
    """Send an act on an account, a gang or a campaign."""
    return client.post(address(subject, kind), {"reason": WHY, "token": uuid.uuid4(), **fields})


def address(subject: Any, kind: str) -> str:
    sort = subject._meta.model_name.replace("user", "account")
    return reverse(f"administration:{sort}-act", args=[subject.pk, kind])


def acts() -> list[tuple[str, str, str, str]]:
    """Return the logged acts, oldest first: (kind, actor, subject, reason)."""
    rows = Act.objects.order_by("at", "pk")
    return list(rows.values_list("kind", "by_name", "subject_name", "reason"))


def test_blocked_account_is_signed_out_immediately(as_helper: Client, alice: User) -> None:
    hers = Client()
    hers.login(username="alice", password="correct horse battery")
    assert hers.get("/gangs/").status_code == 200
    assert send(as_helper, alice, "block").status_code == 302
    assert hers.get("/gangs/").status_code == 302
    assert not Client().login(username="alice", password="correct horse battery")
    assert acts() == [("block", "helper", "alice", WHY)]
    assert send(as_helper, alice, "unblock").status_code == 302
    # The old session is over, but the password is valid again.
    assert hers.get("/gangs/").status_code == 302
    assert Client().login(username="alice", password="correct horse battery")


def test_stuck_mail_is_retried_or_deleted(as_helper: Client) -> None:
    for name in ("one", "two"):
        mail = mailing.compose("Hello", "A secret link", f"{name}@example.org")
        mail.tries, mail.error = 3, "refused"
        mail.next_at = timezone.now() + timedelta(hours=1)
        mail.save()
    one, two = Job.objects.order_by("pk")
    listed = as_helper.get(reverse("administration:jobs"), {"q": "ONE@"}).content.decode()
    assert "one@example.org" in listed and "refused" in listed and "two@" not in listed
    page = as_helper.get(reverse("administration:job", args=[one.pk])).content.decode()
    assert "one@example.org" in page and "A secret link" not in page
    assert send(as_helper, one, "retry").status_code == 302
    one.refresh_from_db()
    assert one.next_at and one.next_at <= timezone.now()
    assert send(as_helper, two, "delete").status_code == 302
    assert list(Job.objects.all()) == [one]
    # The log keeps no address.
    assert acts() == [
        ("retry", "helper", f"mail {one.pk}", WHY),
        ("delete", "helper", f"mail {two.pk}", WHY),
    ]
    Job.objects.update(next_at=None)
    assert (
        "one@" in as_helper.get(reverse("administration:jobs"), {"which": "lost"}).content.decode()
    )
    # A mail that was given up has no text any more.
    assert (
        "retry" not in as_helper.get(reverse("administration:job", args=[one.pk])).content.decode()
    )


def test_periodic_job_cannot_be_deleted(as_helper: Client) -> None:
    tidy = Job.objects.create(kind="tidy", periodic=True)
    assert as_helper.get(reverse("administration:job", args=[tidy.pk])).status_code == 404
    send(as_helper, tidy, "delete")
    assert Job.objects.filter(pk=tidy.pk).exists() and acts() == []


def test_old_sessions_stay_valid(client: Client, alice: User) -> None:
    client.force_login(alice)
    assert ":" not in alice.get_session_auth_hash()
    assert client.get("/gangs/").status_code == 200


def test_two_factor_authentication_can_be_removed_from_an_account(
    as_helper: Client, alice: User, charlie: User
) -> None:
    page = f"/administration/accounts/{alice.pk}/"
    assert "End two-factor authentication" not in as_helper.get(page).content.decode()
    for user in (alice, charlie):
        Authenticator.objects.create(user=user, type=Authenticator.Type.TOTP, data={"secret": "x"})
    assert "End two-factor authentication" in as_helper.get(page).content.decode()
    assert send(as_helper, alice, "end-two-factor").status_code == 302
    assert [found.user for found in Authenticator.objects.all()] == [charlie]
    assert acts() == [("end-two-factor", "helper", "alice", WHY)]


def test_signing_out_everywhere_ends_tokens_and_blocks_nobody(
    as_helper: Client, alice: User
) -> None:
    hers = Client()
    hers.force_login(alice)
    tokens.make(alice, "script")
    send(as_helper, alice, "end-sessions")
    assert tokens.count_of(alice) == 0
    assert hers.get("/gangs/").status_code == 302
    assert Client().login(username="alice", password="correct horse battery")


def test_act_needs_a_reason(as_helper: Client, alice: User) -> None:
    answer = send(as_helper, alice, "block", reason="  ")
    assert answer.status_code == 422
    alice.refresh_from_db()
    assert alice.is_active and not acts()


def test_reset_link_for_a_password_works_once(as_helper: Client, alice: User) -> None:
    page = send(as_helper, alice, "reset-link").content.decode()
    link = page.split('id="reset-link">')[1].split("<")[0]
    assert link.startswith("http://testserver/accounts/password/reset/key/")
    path = urlsplit(link).path
    visitor = Client()
    form = visitor.get(path, follow=True)
    new = {"password1": "another long phrase", "password2": "another long phrase"}
    assert visitor.post(form.request["PATH_INFO"], new).status_code == 302
    assert Client().login(username="alice", password="another long phrase")
    again = Client().get(path, follow=True)
    assert "password1" not in again.content.decode()
    # The link itself is not logged.
    [act] = Act.objects.all()
    assert path.rsplit("-", 1)[-1].strip("/") not in str(act.values)


def test_reset_link_is_shown_again_on_a_second_press(as_helper: Client, alice: User) -> None:
    token = uuid.uuid4()
    for _press in range(2):
        assert (
            "/password/reset/key/"
            in send(as_helper, alice, "reset-link", token=token).content.decode()
        )
    assert len(acts()) == 1


def test_log_keeps_the_act_when_the_account_is_deleted(
    as_root: Client, alice: User, bob: User, root: User
) -> None:
    gang = make_gang(alice)
    stays = make_player(make_campaign(bob), alice)
    page = as_root.get(address(alice, "delete")).content.decode()
    assert gang.name in page
    token = uuid.uuid4()
    assert send(as_root, alice, "delete", token=token)["Location"] == "/administration/acts/"
    assert not User.objects.filter(username="alice").exists()
    assert not Gang.objects.filter(pk__in=[gang.pk, stays.pk], owner__isnull=False).exists()
    # The second press of the button finds the act done.
    again = send(as_root, alice, "delete", token=token)
    assert again["Location"] == "/administration/acts/"
    assert send(as_root, alice, "delete").status_code == 404
    assert acts() == [("delete", "root", "alice", WHY)]
    page = as_root.get("/administration/acts/").content.decode()
    assert "root deleted the account alice." in page and WHY in page
    root.delete()
    [act] = Act.objects.all()
    assert (act.by, describe(act)) == (None, "root deleted the account alice.")


@pytest.mark.parametrize("kind", ["block", "delete", "reset-link", "end-sessions", "dismiss"])
def test_administrator_cannot_act_on_superiors_or_equals(
    as_helper: Client, root: User, helper: User, kind: str
) -> None:
    other = User.objects.create_user("other", is_staff=True)
    for account in (root, other, helper):
        assert as_helper.get(address(account, kind)).status_code == 302
        assert send(as_helper, account, kind).status_code == 409
    assert User.objects.filter(is_active=True, is_staff=True).count() == 3
    assert not acts()


def test_root_cannot_lock_themselves_out(as_root: Client, root: User) -> None:
    for kind in ("block", "delete", "dismiss"):
        assert send(as_root, root, kind).status_code == 409
    root.refresh_from_db()
    assert root.is_active and root.is_staff


def test_only_root_appoints_administrators(as_root: Client, as_helper: Client, alice: User) -> None:
    assert send(as_helper, alice, "appoint").status_code == 409
    assert send(as_root, alice, "appoint").status_code == 302
    alice.refresh_from_db()
    assert (alice.is_staff, alice.is_superuser, alice.mail_notices) == (True, False, True)
    assert send(as_root, alice, "dismiss").status_code == 302
    alice.refresh_from_db()
    assert not alice.is_staff


def test_placeholder_account_stays_closed(as_root: Client, db: None) -> None:
    nobody = User.objects.create_user("~1", stands_for="Zoe", is_active=False)
    for kind in ("unblock", "reset-link", "appoint", "quotas"):
        assert send(as_root, nobody, kind).status_code == 409
    nobody.refresh_from_db()
    assert not nobody.is_active


def test_larger_quota_is_granted_and_revoked(as_helper: Client, alice: User) -> None:
    assert send(as_helper, alice, "quotas", gangs="500", variants="0").status_code == 302
    assert (quotas.most(alice, "gangs"), quotas.most(alice, "variants")) == (500, 0)
    page = as_helper.get(address(alice, "quotas")).content.decode()
    assert 'value="500"' in page
    assert send(as_helper, alice, "quotas").status_code == 302
    assert not Quota.objects.exists()
    wrong = send(as_helper, alice, "quotas", gangs="-1", pictures="many")
    assert wrong.status_code == 422 and 'value="many"' in wrong.content.decode()
    sentences = [describe(act) for act in Act.objects.order_by("pk")]
    assert sentences == [
        "helper changed the limits of alice: variants 0, gangs 500.",
        "helper changed the limits of alice: –.",
    ]


def test_hidden_gang_notifies_its_owner(client: Client, as_helper: Client, alice: User) -> None:
    gang = make_gang(alice)
    sheet = reverse("gangs:shared", args=[gang.share_key])
    assert client.get(sheet).status_code == 200
    assert send(as_helper, gang, "hide").status_code == 302
    assert client.get(sheet).status_code == 404
    [notice] = Notice.objects.filter(user=alice)
    assert f"has hidden {gang.name}" in notice_in_words(notice)
    assert WHY in notice_in_words(notice) and "helper" not in notice_in_words(notice)
    again = send(as_helper, gang, "hide")
    assert again.status_code == 409
    assert "no longer possible" in again.content.decode()


def pictured(owner: User) -> tuple[Gang, str]:
    gang = make_gang(owner)
    member = gang.roster.members[0].id
    for place, letter in ((None, b"b"), (member, b"m")):
        pictures_storage.keep(gang, place, Decoded((b"small" + letter, b"large" + letter)))
    return Gang.objects.get(pk=gang.pk), str(member)


def test_single_picture_is_removed(as_helper: Client, alice: User) -> None:
    gang, member = pictured(alice)
    version, files = gang.version, len(list(store("pictures").written()))
    assert send(as_helper, gang, "take-down").status_code == 422
    assert send(as_helper, gang, "take-down", pictures=["999"]).status_code == 422
    assert send(as_helper, gang, "take-down", pictures=[member]).status_code == 302
    gang.refresh_from_db()
    assert set(gang.pictures) == {"badge"} and gang.version == version
    [notice] = Notice.objects.filter(user=alice)
    assert notice.kind == "pictures_taken_down"
    assert files == 4


@pytest.mark.django_db(transaction=True)
def test_all_pictures_are_removed_with_their_files(as_helper: Client, alice: User) -> None:
    gang, _member = pictured(alice)
    assert send(as_helper, gang, "take-all-down").status_code == 302
    gang.refresh_from_db()
    assert gang.pictures == {}
    assert list(store("pictures").written()) == []
    [act] = Act.objects.all()
    assert describe(act) == f"helper removed all 2 pictures of the gang {gang.name}."


def test_only_a_visitors_gang_can_be_deleted(as_helper: Client, alice: User) -> None:
    guests, hers = make_gang(None), make_gang(alice)
    assert send(as_helper, hers, "delete-guest").status_code == 409
    assert send(as_helper, guests, "delete-guest").status_code == 302
    assert list(Gang.objects.all()) == [hers]


def test_spectator_link_can_be_stopped(client: Client, as_helper: Client, bob: User) -> None:
    campaign = make_campaign(bob)
    watching = reverse("campaigns:watch", args=[campaign.watch_key])
    invitation = reverse("campaigns:join", args=[campaign.invite_key])
    client.get(watching)
    assert client.get(campaign.get_absolute_url()).status_code == 200
    assert send(as_helper, campaign, "stop-watching").status_code == 302
    assert client.get(campaign.get_absolute_url()).status_code == 302
    assert client.get(watching).status_code == 404
    assert client.get(invitation).status_code == 200
    assert send(as_helper, campaign, "stop-invitation").status_code == 302
    assert client.get(invitation).status_code == 404
    kinds = Notice.objects.filter(user=bob).values_list("kind", flat=True)
    assert set(kinds) == {"watching_stopped", "invitation_stopped"}


def test_same_form_is_carried_out_once(as_helper: Client, bob: User) -> None:
    campaign, token = make_campaign(bob), uuid.uuid4()
    for _press in range(2):
        assert send(as_helper, campaign, "stop-watching", token=token).status_code == 302
        key = Campaign.objects.values_list("watch_key", flat=True).get()
    assert Notice.objects.count() == len(acts()) == 1
    assert key == Campaign.objects.get().watch_key


@pytest.mark.django_db(transaction=True)
def test_same_form_at_the_same_time_is_carried_out_once(helper: User, bob: User) -> None:
    campaign, token = make_campaign(bob), uuid.uuid4()
    clients = [Client() for _press in range(4)]
    for client in clients:
        client.force_login(helper)

    def press(client: Client) -> int:
        try:
            return int(send(client, campaign, "stop-watching", token=token).status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(press, clients)) == [302] * 4
    assert Notice.objects.count() == len(acts()) == 1


def test_unknown_act_is_not_found(as_root: Client, alice: User) -> None:
    assert send(as_root, alice, "promote").status_code == 404
    assert as_root.get(address(alice, "promote")).status_code == 404


def test_each_kind_of_act_has_a_sentence_in_both_languages(as_root: Client, alice: User) -> None:
    from django.utils import translation

    from administration.acts.views import SENTENCES

    values = {"by": "root", "subject": "alice", "granted": "gangs 3", "count": 2, "version": "1"}
    values |= {"before": "Rude", "after": "Plain", "licence": "CC0 1.0"}
    for language in ("en", "fr"):
        with translation.override(language):
            told = [str(sentence) % values for sentence in SENTENCES.values()]
            assert len(set(told)) == len(told)
            assert all("root" in sentence and "alice" in sentence for sentence in told)


def test_acts_of_earlier_releases_keep_their_sentence(as_root: Client, root: User) -> None:
    Act.objects.create(
        kind="stop-sharing",
        by=root,
        by_name="root",
        subject="gang",
        key=uuid.uuid4(),
        subject_name="Rude",
    )
    page = as_root.get("/administration/acts/").content.decode()
    assert "root stopped the sharing of the gang Rude." in page


def test_the_log_finds_names_and_reasons(as_root: Client, alice: User, bob: User) -> None:
    send(as_root, alice, "block", reason="Spam in names")
    send(as_root, bob, "block", reason="Asked for it")
    for query, found in (("spam", "alice"), ("BOB", "bob"), ("root", "alice")):
        page = as_root.get("/administration/acts/", {"q": query}).content.decode()
        assert f"blocked the account {found}." in page
    assert "alice" not in as_root.get("/administration/acts/", {"q": "asked"}).content.decode()


def test_password_can_be_reset_without_an_address(as_helper: Client, alice: User) -> None:
    """The account has no e-mail address."""
    EmailAddress.objects.all().delete()
    User.objects.filter(pk=alice.pk).update(email="")
    assert "/password/reset/key/" in send(as_helper, alice, "reset-link").content.decode()
