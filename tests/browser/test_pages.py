"""Pages that no journey visits."""

from __future__ import annotations

import pytest

from accounts.models import User
from rules.library import shipped_folders
from tests.browser.building import take_sample
from tests.browser.person import PASSWORD, Person

pytestmark = pytest.mark.browser

OPEN_TO_ALL = [
    *("/rules/", "/accounts/login/", "/accounts/password/reset/", "/gangs/new/"),
    *("/about/privacy/", "/about/imprint/"),
]
SIGNED_IN = [
    *("/gangs/import/", "/campaigns/new/", "/accounts/email/", "/accounts/password/change/"),
    *("/accounts/farewell/", "/about/privacy/edit/"),
]


def name_of(path: str) -> str:
    """Return the name for a picture of the page."""
    return path.strip("/").replace("/", "-")


def test_every_page_fits_the_screen(visitor: Person) -> None:
    for path in OPEN_TO_ALL + [f"/rules/{folder.name}/" for folder in shipped_folders()]:
        visitor.open(path)
        visitor.look(name_of(path))
    User.objects.create_user("alice", password=PASSWORD, is_staff=True)
    visitor.sign_in("alice")
    for path in SIGNED_IN:
        visitor.open(path)
        visitor.look(name_of(path))


@pytest.mark.long
@pytest.mark.parametrize("book", [folder.name for folder in shipped_folders()])
def test_ready_made_crew_of_every_game_fits_the_screen(visitor: Person, book: str) -> None:
    visitor.open(f"/gangs/new/{book}/")
    visitor.look(f"found-{book}")
    take_sample(visitor, book)
    visitor.look(f"builder-{book}")
    visitor.page.locator("article.card-member a", has_text="Edit").first.click()
    visitor.page.locator("article.is-open").wait_for()
    visitor.look(f"open-{book}")
    visitor.follow("Sheet")
    visitor.look(f"sheet-{book}")
