"""The security headers of every kind of answer."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts.models import User
from tests.world.gangs import make_gang

POLICIES = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


@pytest.fixture
def addresses(alice: User) -> dict[str, int]:
    gang = make_gang(owner=alice)
    return {
        f"/gangs/{gang.pk}/": 200,
        f"/gangs/{gang.pk}/sheet.pdf": 200,
        f"/gangs/{gang.pk}/export/": 200,
        "/rules/": 200,
        "/": 302,
        "/health/": 200,
        "/offline.js": 200,
        "/favicon.ico": 302,
        "/static/skirmish.css": 200,
        "/static/missing.css": 404,
        "/nowhere/": 404,
        "/accounts/logout/": 200,
        "/language/": 405,
    }


def test_every_kind_of_answer_has_security_headers(
    client: Client, alice: User, addresses: dict[str, int]
) -> None:
    client.force_login(alice)
    for address, status in addresses.items():
        answer = client.get(address)
        assert answer.status_code == status, address
        if answer.streaming:
            b"".join(answer)
        for name, value in POLICIES.items():
            assert answer[name] == value, (address, name)
        allowed = dict(part.split("=") for part in answer["Permissions-Policy"].split(", "))
        assert len(allowed) > 20
        # A press of a button copies, and the screen stays on at the table: pages may ask for
        # nothing else.
        used = {name for name, whom in allowed.items() if whom != "()"}
        assert used == {"clipboard-write", "screen-wake-lock"}


def test_answers_of_the_middleware_have_security_headers(client: Client, alice: User) -> None:
    client.raise_request_exception = False
    strange = client.get("/rules/", headers={"Host": "elsewhere.example"})
    forged = Client(enforce_csrf_checks=True).post("/theme/", {"theme": "dark"})
    for answer, status in ((strange, 400), (forged, 403)):
        assert answer.status_code == status
        assert {name: answer[name] for name in POLICIES} == POLICIES
        assert "camera=()" in answer["Permissions-Policy"]
