"""Pages that no journey visits."""

from __future__ import annotations

import pytest

from accounts.models import User
from rules.library import shipped_folders
from tests.browser.building import take_sample
from tests.browser.person import PASSWORD, Person

pytestmark = pytest.mark.browser

# A page of each kind: lists, forms, and the rules of a game.
MAIN = ["/rules/", "/accounts/login/", "/gangs/new/"]
MAIN_SIGNED_IN = ["/campaigns/new/", "/accounts/email/"]
OTHERS = ["/accounts/password/reset/", "/about/privacy/", "/about/imprint/"]
OTHERS_SIGNED_IN = [
    "/gangs/import/",
    "/accounts/password/change/",
    "/accounts/farewell/",
    "/about/privacy/edit/",
]
RULES = [f"/rules/{folder.name}/" for folder in shipped_folders()]


def name_of(path: str) -> str:
    """Return the name for a picture of the page."""
    return path.strip("/").replace("/", "-")


def look_at_all(visitor: Person, paths: list[str]) -> None:
    """Open these pages and look at each."""
    for path in paths:
        visitor.open(path)
        visitor.look(name_of(path))


def test_main_pages_fit_the_screen(visitor: Person) -> None:
    look_at_all(visitor, MAIN + RULES[:1])
    User.objects.create_user("alice", password=PASSWORD)
    visitor.sign_in("alice")
    look_at_all(visitor, MAIN_SIGNED_IN)


@pytest.mark.long
def test_other_pages_fit_the_screen(visitor: Person) -> None:
    look_at_all(visitor, OTHERS + RULES[1:])
    User.objects.create_user("alice", password=PASSWORD, is_staff=True)
    visitor.sign_in("alice")
    look_at_all(visitor, OTHERS_SIGNED_IN)


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
