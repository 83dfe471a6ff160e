"""Compression of pages, unless someone could guess a secret in them from their length."""

from __future__ import annotations

import gzip

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from tests.world.gangs import make_gang, make_version

TAKES = {"Accept-Encoding": "gzip, br"}


def test_page_is_compressed_for_clients_that_accept_it(client: Client, alice: User) -> None:
    gang = make_gang(alice)
    client.force_login(alice)
    plain = client.get(gang.get_absolute_url())
    packed = client.get(gang.get_absolute_url(), headers=TAKES)
    assert not plain.has_header("Content-Encoding")
    assert packed["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed["Vary"] and "Accept-Encoding" in plain["Vary"]
    assert len(packed.content) * 3 < len(plain.content)
    assert gang.name in gzip.decompress(packed.content).decode()


@pytest.mark.django_db
def test_page_is_not_compressed_when_its_address_may_contain_a_guess(client: Client) -> None:
    make_version("cran")
    assert client.get("/", headers=TAKES)["Content-Encoding"] == "gzip"
    answer = client.get("/?s/a-guess", headers=TAKES)
    # Every page repeats its address, which can contain any guess.
    assert "s/a-guess" in answer.content.decode()
    assert not answer.has_header("Content-Encoding")


@pytest.mark.django_db
def test_compressed_length_of_a_page_varies(client: Client) -> None:
    make_version("cran")
    lengths = {len(client.get("/rules/", headers=TAKES).content) for _again in range(12)}
    assert len(lengths) > 1


def test_answers_that_are_not_pages_are_sent_uncompressed(client: Client, alice: User) -> None:
    gang = make_gang(alice)
    for address in (
        f"{reverse('gangs:shared', args=[gang.share_key])}preview.png",
        reverse("rules:look", args=[gang.book_version_id, "light"]),
        "/health/",
    ):
        assert not client.get(address, headers=TAKES).has_header("Content-Encoding"), address
