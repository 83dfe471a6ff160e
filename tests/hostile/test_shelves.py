"""Hostile shelves: each shape is refused in words or read, in bounded time and memory."""

from __future__ import annotations

import resource
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from outbound import client as outbound_client
from rules.models import BookVersion, ForeignGame, ForeignShelf
from tests.hostile import elsewhere
from tests.hostile.shelves import SHAPES, Hostile, drip
from tests.outbound.conftest import internet
from tests.outbound.servers import Internet, Server, serving
from tests.rules.small import small

__all__ = ["internet"]
pytestmark = pytest.mark.django_db
ADDRESS = "https://evil.example/"
# Kilobytes that one server may add to a process, and the client's seconds in these tests.
MOST_MEMORY, DEADLINE = 64_000, 1.0


@pytest.fixture
def evil(internet: Internet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Run a server for ``evil.example``."""
    monkeypatch.setattr(outbound_client, "DEADLINE", DEADLINE)
    with serving(internet, tmp_path, "evil.example") as server:
        yield server


def serve(server: Server, hostile: Hostile) -> None:
    """Let the server send what the shape is."""

    def talk(connection: socket.socket) -> None:
        path = server.read(connection).path
        reply = hostile.replies.get(path, b"HTTP/1.1 404 None\r\n\r\n")
        if reply is None:
            drip(connection, server.closing.is_set)
        else:
            connection.sendall(reply)

    server.talk = talk


@pytest.mark.parametrize("name", SHAPES)
def test_shelf_of_any_shape_is_read_or_refused(
    name: str, client: Client, alice: User, evil: Server, internet: Internet
) -> None:
    client.force_login(alice)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number in range(3):
        hostile = SHAPES[name](Random(f"{name} {number}"), small())
        serve(evil, hostile)
        before = max(before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        begun = time.process_time()
        response = client.post("/games/elsewhere/", {"address": ADDRESS})
        assert response.status_code in (302, 422)
        shelf = ForeignShelf.objects.filter(owner=alice).first()
        if response.status_code == 422:
            assert response.context["form"].errors["address"]
        elif shelf is not None:
            _fetch_all(client, shelf)
        assert time.process_time() - begun < 5
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_MEMORY
        assert hostile.is_sound or not ForeignGame.objects.exists()
        ForeignShelf.objects.all().delete()
    assert not BookVersion.objects.exists()
    assert {*internet.dialled} == {"93.184.215.14"}


def _fetch_all(client: Client, shelf: ForeignShelf) -> None:
    """Open a shelf's page, and fetch its games."""
    page = client.get(shelf.get_absolute_url())
    assert page.status_code == 200 and b"<script>alert" not in page.content
    for line in page.context["lines"]:
        address = reverse("shelves:fetch", args=[shelf.pk, line["game"].digest])
        answered = client.post(address)
        assert answered.status_code in (302, 422)
        if answered.status_code == 302:
            shown = client.get(answered["Location"])
            assert shown.status_code == 200 and b"<script>alert" not in shown.content


def test_dripping_server_is_left_at_the_deadline(client: Client, alice: User, evil: Server) -> None:
    client.force_login(alice)
    serve(evil, Hostile({"/games/index.json": None}))
    begun = time.monotonic()
    response = client.post("/games/elsewhere/", {"address": ADDRESS})
    assert response.status_code == 422
    assert "within five seconds" in response.content.decode()
    # The machine may be slow: without a deadline it would never end.
    assert time.monotonic() - begun < 30 * DEADLINE


@pytest.mark.parametrize("address", ["127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "fd00::1"])
def test_name_that_leads_into_a_private_network_is_refused(
    address: str, client: Client, alice: User, internet: Internet
) -> None:
    client.force_login(alice)
    internet.names["evil.example"] = [["93.184.215.14", address]]
    response = client.post("/games/elsewhere/", {"address": ADDRESS})
    assert response.status_code == 422 and internet.dialled == []
    assert "does not belong to a public server" in response.content.decode()


@pytest.mark.long
def test_every_host_of_the_attack_has_a_shelf_and_sends_the_same_again() -> None:
    dice = Random(1)
    hosts = {elsewhere.choose_host(dice) for _time in range(300)}
    assert {host.rpartition("-")[0].replace("-", "_") for host in hosts} == {*SHAPES}
    for host in hosts:
        sent = elsewhere.hostile_at(host)
        assert sent.replies
        elsewhere.hostile_at.cache_clear()
        assert elsewhere.hostile_at(host).replies.keys() == sent.replies.keys()
    assert elsewhere.hostile_at("elsewhere.example").replies == {}
