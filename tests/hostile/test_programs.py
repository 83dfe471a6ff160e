"""Requests of programs, fitting and nearly fitting, answered by the API itself."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from django.core.cache import cache
from django.test import Client

from tests.hostile import club, programs


@pytest.mark.django_db
@pytest.mark.parametrize(("seed", "times"), [(1, 1), pytest.param(2, 8, marks=pytest.mark.long)])
def test_every_operation_answers_each_mistake_of_each_reader(seed: int, times: int) -> None:
    here, dice = club.make(club.slug_of(seed)), Random(seed)
    client = Client(raise_request_exception=False)
    statuses: dict[str, Counter[int]] = {person: Counter() for person in programs.READERS}
    for sent in programs.every(here, dice, times):
        cache.clear()
        path, headers, body = sent.encoded()
        kinds = [value for name, value in headers if name == "Content-Type"]
        answer = client.generic(
            sent.method,
            path,
            body,
            content_type=kinds[0] if kinds else "",
            headers={name: value for name, value in headers if name != "Content-Type"},
        )
        status = answer.status_code
        assert status < 500, str(sent)
        assert sent.person not in programs.OUTSIDERS or here.mark not in answer.content.decode()
        assert status < 400 or answer["Content-Type"].endswith("problem+json"), str(sent)
        statuses[sent.person][status] += 1
    # Nobody without a valid key gets past the door, and everybody with one does.
    for person in ("nobody", "inventor"):
        assert statuses[person].keys() <= {204, 401, 404, 405}
        assert statuses[person][401] > 50
    for person in ("owner", "organiser", "other", "staff", "reader", "watcher", "stranger"):
        assert statuses[person][200] > 5 and not statuses[person][401]
    assert statuses["owner"][201] and statuses["reader"][403] and not statuses["reader"][201]
