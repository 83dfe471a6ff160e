"""Sharing a gang: from its own page and from its sheet, by link, by hand and by a code to scan."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from gangs.models import Gang
from tests.make import make_gang


@pytest.mark.parametrize("page", ["gangs:builder", "gangs:sheet"])
def test_the_link_stands_on_the_gang_s_pages(client: Client, alice: User, page: str) -> None:
    gang = make_gang(alice)
    client.force_login(alice)
    text = client.get(reverse(page, args=[gang.pk])).content.decode()
    link = f"http://testserver{reverse('gangs:shared', args=[gang.share_key])}"
    assert f'<p class="address" id="share-link">{link}</p>' in text
    # Copied and handed on by buttons that only scripts show; the code is fetched when wanted.
    assert 'data-copy="share-link" hidden' in text
    assert f'data-share="share-link" data-title="{gang.name}" hidden' in text
    code = re.search(r'<img src="(/s/[^"]+code\.svg)"[^>]* loading="lazy"', text)
    assert code is not None
    answer = client.get(code[1])
    assert answer["Content-Type"] == "image/svg+xml"
    assert b"<svg" in answer.content and b"<script" not in answer.content
    assert answer["X-Robots-Tag"] == "noindex"


@pytest.mark.parametrize(("origin", "page"), [("gang", "gangs:builder"), ("sheet", "gangs:sheet")])
def test_one_stays_where_one_shares(client: Client, alice: User, origin: str, page: str) -> None:
    gang = make_gang(alice)
    client.force_login(alice)
    where, old = reverse("gangs:sharing", args=[gang.pk]), gang.share_key
    answer = client.post(where, {"origin": origin, "stop": ""})
    assert answer["Location"] == f"{reverse(page, args=[gang.pk])}#sharing"
    assert Gang.objects.get(pk=gang.pk).share_key is None
    text = client.get(reverse(page, args=[gang.pk])).content.decode()
    assert "Only you can see this gang." in text and "share-link" not in text
    assert Client().get(reverse("gangs:shared-code", args=[old])).status_code == 404
    client.post(where, {"origin": origin})
    assert Gang.objects.get(pk=gang.pk).share_key not in (None, old)


def test_who_reads_a_shared_sheet_shares_nothing(client: Client, alice: User) -> None:
    gang = make_gang(alice)
    text = client.get(reverse("gangs:shared", args=[gang.share_key])).content.decode()
    assert 'id="sharing"' not in text
