"""The page of components: for administrators and developers; other people do not learn of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from accounts.models import User
from tests.test_house import ROOT

pytestmark = pytest.mark.django_db
ADDRESS = "/components/"


def test_components_are_shown_to_administrators_only(client: Client, alice: User) -> None:
    assert client.get(ADDRESS).status_code == 404
    client.force_login(alice)
    assert client.get(ADDRESS).status_code == 404
    client.force_login(User.objects.create_superuser("root"))
    assert client.get(ADDRESS).status_code == 200


def test_components_are_shown_to_everybody_when_debug_is_on(
    client: Client, settings: object
) -> None:
    settings.DEBUG = True  # type: ignore[attr-defined]
    page = client.get(ADDRESS).content.decode()
    assert '<meta name="robots" content="noindex">' in page


def test_components_include_every_class_in_the_document(client: Client) -> None:
    """Each class in docs/components.md is on the page, and has a style."""
    client.force_login(User.objects.create_superuser("root"))
    page = client.get(ADDRESS).content.decode()
    shown = {name for names in re.findall(r'class="([^"]+)"', page) for name in names.split()}
    document = (ROOT / "docs" / "components.md").read_text("utf-8")
    named = {
        name
        for code in re.findall(r"`([^`]+)`", document)
        if "/" not in code
        for name in re.findall(r"(?<![\w{])\.([a-z-]+)", code)
    }
    assert len(named) > 20
    assert sorted(named - shown - {"css"}) == []
    styles = "".join(each.read_text("utf-8") for each in Path(ROOT / "static").rglob("*.css"))
    assert [name for name in sorted(named - {"css"}) if f".{name}" not in styles] == []
