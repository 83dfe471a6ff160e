"""Nearly fitting requests of programs, answered by the API itself."""

from __future__ import annotations

from random import Random

import pytest
from django.core.cache import cache
from django.test import Client

from tests.hostile import club, programs


@pytest.mark.django_db
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long)])
def test_every_operation_refuses_what_does_not_fit(seed: int) -> None:
    here, dice = club.make(club.slug_of(seed)), Random(seed)
    client, reached = Client(raise_request_exception=False), set()
    for _time in range(80):
        cache.clear()
        person = dice.choice((*club.MEMBERS, "staff", "stranger"))
        sent = programs.request(here, person, dice)
        path, headers, body = sent.encoded()
        kinds = [value for name, value in headers if name == "Content-Type"]
        answer = client.generic(
            sent.method,
            path,
            body,
            content_type=kinds[0] if kinds else "application/json",
            headers={name: value for name, value in headers if name != "Content-Type"},
        )
        assert answer.status_code < 500, str(sent)
        assert person != "stranger" or here.mark not in answer.content.decode(), str(sent)
        if answer.status_code < 300:
            reached.add(sent.method)
        else:
            assert answer.status_code == 304 or answer["Content-Type"].endswith("problem+json")
    assert reached == {"GET", "POST"}
