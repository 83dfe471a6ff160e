"""Titles and buttons of allauth's pages follow this site's style."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from gangs.templatetags.skirmish import sentence_case

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("account_email", "Email addresses"),
        ("account_change_password", "Change password"),
        ("account_logout", "Sign out"),
    ],
)
def test_titles_are_sentences(client: Client, alice: User, page: str, title: str) -> None:
    client.force_login(alice)
    text = client.get(reverse(page)).content.decode()
    assert re.findall(r"<h1[^>]*>\s*(.*?)\s*</h1>", text, re.DOTALL) == [title]
    assert f"<title>{title} · " in text


def test_names_keep_their_capitals() -> None:
    said = {
        "Two-Factor Authentication": "Two-factor authentication",
        "Use TOTP Here": "Use TOTP here",
    }
    assert {title: sentence_case(title) for title in said} == said
