"""Permissions: strangers get 404, visitors the sign-in page."""

from __future__ import annotations

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from campaigns.models import Membership
from tests.world.campaigns import confirmed, make_game, make_player, reported, side_of

PEOPLE = ["organiser", "player", "other player", "stranger", "visitor"]
# The status that each of PEOPLE gets for GET; for POST-only addresses 405 means "let in".
TABLE = [
    ("list", (200, 200, 200, 200, 302)),
    ("choose-book", (200, 200, 200, 200, 302)),
    ("join", (200, 200, 200, 200, 200)),
    ("campaign", (200, 200, 200, 404, 302)),
    ("settings", (200, 404, 404, 404, 302)),
    ("game-new", (200, 200, 200, 404, 302)),
    ("game", (200, 200, 200, 404, 302)),
    ("game-report", (200, 200, 200, 404, 302)),
    ("confirmed-report", (200, 302, 302, 404, 302)),
    ("postgame", (200, 200, 404, 404, 302)),
    ("postgame-preview", (302, 302, 404, 404, 302)),
]
POSTS = [
    # The page asks about the open games first.
    ("archive", (409, 404, 404, 404, 302)),
    ("renew-invitation", (302, 404, 404, 404, 302)),
    ("game-verdict", (409, 422, 409, 404, 302)),
    ("game-withdraw", (409, 409, 422, 404, 302)),
    ("postgame-answer", (422, 422, 404, 404, 302)),
    ("postgame-commit", (409, 409, 404, 404, 302)),
    ("leave", (302, 302, 404, 404, 302)),
]


@pytest.fixture
def addresses(campaign, hers, theirs, alice, dora):
    planned = make_game(campaign, alice, hers, theirs)
    waiting = reported(make_game(campaign, alice, hers, theirs), alice)
    done = confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    side = side_of(done, hers)
    fresh = make_player(campaign, alice)
    arguments = {
        "list": [],
        "choose-book": [],
        "join": [campaign.invite_key],
        "campaign": [campaign.pk],
        "settings": [campaign.pk],
        "archive": [campaign.pk],
        "renew-invitation": [campaign.pk],
        "game-new": [campaign.pk],
        "leave": [campaign.pk, fresh.pk],
        "game": [waiting.pk],
        "game-report": [planned.pk],
        "game-verdict": [waiting.pk],
        "game-withdraw": [waiting.pk],
    }
    urls = {name: reverse(f"campaigns:{name}", args=args) for name, args in arguments.items()}
    urls["confirmed-report"] = reverse("campaigns:game-report", args=[done.pk])
    for name in ("postgame", "postgame-preview", "postgame-answer", "postgame-commit"):
        urls[name] = reverse(f"campaigns:{name}", args=[done.pk, side.pk])
    return urls


@pytest.fixture
def browsers(bob, alice, dora, charlie, as_user):
    return dict(zip(PEOPLE, [*map(as_user, (bob, alice, dora, charlie)), Client()], strict=True))


@pytest.mark.long
@pytest.mark.parametrize("name, statuses", TABLE)
def test_pages_are_shown_to_the_right_people(addresses, browsers, name, statuses):
    got = {who: browsers[who].get(addresses[name]) for who in PEOPLE}
    assert tuple(answer.status_code for answer in got.values()) == statuses
    if statuses[-1] == 302:
        assert "login" in got["visitor"].url


@pytest.mark.parametrize("name, statuses", POSTS)
def test_actions_are_allowed_to_the_right_people(addresses, browsers, name, statuses):
    answers = []
    for who in PEOPLE:
        data = {"dispute": "1"} if (name, who) == ("game-verdict", "player") else {}
        with transaction.atomic():
            answers.append(browsers[who].post(addresses[name], data).status_code)
            # The next person finds everything as it was.
            transaction.set_rollback(True)
    assert tuple(answers) == statuses


def test_get_request_changes_nothing(addresses, browsers):
    got = {name: browsers["player"].get(addresses[name]).status_code for name, _ in POSTS}
    # Leaving first shows its consequences; the page to archive is the organisers' own.
    assert got == dict.fromkeys(got, 405) | {"leave": 200, "archive": 404}
    assert Membership.objects.filter(left_at=None).count() == 3


def test_forms_need_a_csrf_token(addresses, alice):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(alice)
    for name, _ in POSTS:
        assert browser.post(addresses[name]).status_code == 403
