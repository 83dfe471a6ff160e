"""Administration on a phone: problems of the site, a report, a picture removed, a rulebook."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.urls import reverse

from accounts.models import User
from administration.models import Act, PageReport
from campaigns.models import Campaign
from gangs.models import Gang
from gangs.pictures import decoder
from gangs.pictures import storage as pictures_storage
from gangs.pictures.storage import Decoded
from rules.models import BookVersion
from rules.packages.archive import pack
from tests.browser.conftest import Invite
from tests.browser.person import PASSWORD, Person
from tests.gangs.pictures.test_pictures import photograph
from tests.world.campaigns import make_campaign, make_player

pytestmark = [pytest.mark.browser, pytest.mark.long]


@pytest.fixture
def gang(transactional_db: None, settings: object, tmp_path: object) -> Gang:
    settings.DATA_DIR = tmp_path  # type: ignore[attr-defined]
    alice = User.objects.create_user("alice", "alice@example.org", PASSWORD)
    bob = User.objects.create_user("bob", password=PASSWORD)
    User.objects.create_superuser("root", password=PASSWORD)
    gang = make_player(make_campaign(bob), alice)
    pictures_storage.keep(gang, None, Decoded(decoder.decode_picture(photograph())))
    return Gang.objects.get(pk=gang.pk)


def report(visitor: Person, gang: Gang) -> None:
    """A visitor reports a shared sheet."""
    visitor.open(reverse("gangs:shared", args=[gang.share_key]))
    visitor.follow("Report this page")
    visitor.look("report-page")
    visitor.page.get_by_label("It is offensive or hateful").check()
    visitor.page.get_by_label("In your own words").fill("The badge.")
    visitor.press("Report it")
    visitor.page.get_by_text("An administrator will look at it.").wait_for()


def test_a_report_is_settled_on_a_phone(visitor: Person, invite: Invite, gang: Gang) -> None:
    report(visitor, gang)
    root = invite()
    root.sign_in("root")
    root.open("/administration/")
    root.look("administration")
    root.open("/administration/reports/")
    root.look("administration-reports")
    root.follow(gang.name)
    root.look("administration-report")
    root.open(reverse("administration:gang", args=[gang.pk]))
    root.look("administration-gang")
    root.follow("Remove pictures")
    root.page.get_by_label("The gang’s badge").check()
    root.page.get_by_label("Why?").fill("Not here")
    root.look("administration-take-down")
    root.press("Remove pictures")
    root.page.get_by_text("Done and recorded").wait_for()
    assert Gang.objects.get(pk=gang.pk).pictures == {}
    root.open(reverse("administration:report", args=[PageReport.objects.get().pk]))
    root.follow("Mark as settled")
    root.page.get_by_label("What did you do about it?").fill("Took it down")
    root.press("Mark as settled")
    root.page.get_by_text("Done and recorded").wait_for()
    root.open("/administration/acts/")
    root.look("administration-acts")
    assert Act.objects.count() == 2


def test_other_admin_pages_fit_the_screen_and_keep_the_content_policy(
    visitor: Person, gang: Gang
) -> None:
    visitor.sign_in("root")
    alice = User.objects.get(username="alice")
    campaign = Campaign.objects.get()
    for path in (
        "/administration/accounts/",
        f"/administration/accounts/{alice.pk}/",
        f"/administration/accounts/{alice.pk}/delete/",
        f"/administration/accounts/{alice.pk}/quotas/",
        "/administration/gangs/",
        "/administration/campaigns/",
        f"/administration/campaigns/{campaign.pk}/",
    ):
        visitor.open(path)
        visitor.look(path.strip("/").replace("/", "-"))
    # In Django's own look: the policy must allow everything that its pages fetch.
    for path in ("", "gangs/gang/", f"gangs/gang/{gang.pk}/change/", "gangs/storedentry/"):
        visitor.open(f"/administration/data/{path}")
        visitor.page.get_by_text("Back to the administration of the site").wait_for()


def test_link_for_a_new_password_is_copied(visitor: Person, invite: Invite, gang: Gang) -> None:
    visitor.sign_in("root")
    alice = User.objects.get(username="alice")
    visitor.open(f"/administration/accounts/{alice.pk}/reset-link/")
    visitor.page.get_by_label("Why?").fill("She asked at the club")
    visitor.press("Let them choose a new password")
    link = visitor.page.locator("#reset-link").inner_text()
    visitor.look("administration-link")
    owner = invite()
    owner.page.goto(link)
    for field in owner.page.locator("input[type=password]").all():
        field.fill("another long phrase")
    owner.page.get_by_role("button", name="Change Password").click()
    owner.page.wait_for_url("**/done/")
    alice.refresh_from_db()
    assert alice.check_password("another long phrase")


def test_rulebook_is_uploaded_and_published_on_a_phone(
    visitor: Person, invite: Invite, gang: Gang, tmp_path: Path
) -> None:
    book = gang.book.changed(
        edition="Ours", items=gang.book.items[:1] + gang.book.items[2:], samples=(), archetypes=()
    )
    (tmp_path / "bad.zip").write_bytes(pack(book.changed(ranks=book.ranks[1:])))
    (tmp_path / "ours.zip").write_bytes(pack(book))
    root = invite()
    root.sign_in("root")
    root.open("/administration/rulebooks/")
    root.look("administration-rulebooks")
    root.follow("Upload a rulebook")
    root.page.get_by_label("Rulebook (.zip)").set_input_files(tmp_path / "bad.zip")
    with root.expecting_trouble():
        root.press("Check it")
        root.page.get_by_text("The rulebook has mistakes").wait_for()
    root.look("administration-upload")
    root.page.get_by_label("Rulebook (.zip)").set_input_files(tmp_path / "ours.zip")
    root.press("Check it")
    root.page.get_by_text("Differences from the newest version here").wait_for()
    root.look("administration-review")
    root.page.get_by_label("Why?").fill("House rules of the club")
    root.press("Publish")
    root.page.get_by_text("is published").wait_for()
    assert BookVersion.objects.newest_digest(book.slug) == book.digest
    root.look("administration-rulebook")
    root.follow("Make another version the newest")
    root.look("administration-make-newest")
    root.page.get_by_label(gang.book_version_id[:8]).check()
    root.page.get_by_label("Why?").fill("The old one was better")
    root.press("Make another version the newest")
    root.page.get_by_text("Done and recorded").wait_for()
    assert BookVersion.objects.newest_digest(book.slug) == gang.book_version_id
