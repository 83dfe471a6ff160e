"""The components of all pages, and the guide: on each size of screen, in both themes."""

from __future__ import annotations

import pytest

from accounts.models import User
from tests.browser.conftest import Invite
from tests.browser.person import PASSWORD, Person

pytestmark = [pytest.mark.browser, pytest.mark.long]


def test_components_fit_the_screen_and_can_be_read(visitor: Person) -> None:
    User.objects.create_superuser("root", password=PASSWORD)
    visitor.sign_in("root")
    visitor.open("/components/")
    visitor.look("components")


@pytest.mark.parametrize("locale", ["en-GB", "fr-FR"])
def test_guide_fits_the_screen_and_can_be_read(invite: Invite, locale: str) -> None:
    reader = invite(locale=locale)
    reader.open("/help/")
    reader.look(f"help-{locale}")
    for chapter in ("build", "correct", "organise"):
        reader.open(f"/help/{chapter}/")
        reader.look(f"help-{chapter}-{locale}")
