"""The API: five kinds of readers, tokens, errors, pages, limits, and its description."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext

from accounts.models import User
from api import tokens
from api.description import describe, write
from api.models import Token
from campaigns.models import Campaign, Fixture, Game, Round, Stage
from gangs.models import Gang
from rules.models import BookDraft, BookVersion
from tests.world.campaigns import confirmed, make_game, make_night, reported
from tests.world.gangs import make_gang, make_version

Ask = Callable[..., Any]


class Reader:
    """A program with a token, or without one."""

    def __init__(self, secret: str = "") -> None:
        self.headers = {"authorization": f"Bearer {secret}"} if secret else {}

    def ask(self, path: str, status: int = 200, **query: Any) -> Any:
        """The answer to a question, as data. ``status``: the expected one."""
        answer = Client().get(f"/api/v1{path}", query, headers=self.headers)
        assert answer.status_code == status, answer.content
        kind = "application/json; charset=utf-8" if status == 200 else "application/problem+json"
        assert answer["Content-Type"] == kind
        data = json.loads(answer.content)
        if status != 200:
            assert data["status"] == status and data["detail"]
        return data


def reader(user: User, *, writes: bool = False) -> Reader:
    return Reader(tokens.make(user, "script", writes=writes)[1])


@pytest.fixture(autouse=True)
def no_counts() -> None:
    cache.clear()


@pytest.fixture
def played(campaign: Campaign, alice: User, dora: User, hers: Gang, theirs: Gang) -> Game:
    """A confirmed game of a campaign that has a night."""
    game = confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    Game.objects.filter(pk=game.pk).update(night=make_night(campaign, place="The back room"))
    return Game.objects.get(pk=game.pk)


def test_owner_reads_their_gang_member_by_member(alice: User) -> None:
    gang, program = make_gang(alice), reader(alice)
    [line] = program.ask("/gangs")["results"]
    assert line["id"] == str(gang.pk) and line["figures"] == len(gang.roster.members)
    sheet = program.ask(f"/gangs/{gang.pk}")
    assert [row["id"] for row in sheet["members"]] == [one.id for one in gang.roster.members]
    assert sheet["rulebook"] == gang.book_version_id
    assert program.ask(f"/shared/{gang.share_key}") == sheet
    assert program.ask(f"/gangs/{gang.pk}", at="2999-01-01")["members"] == sheet["members"]
    program.ask(f"/gangs/{gang.pk}", 404, at="2000-01-01")


def test_campaign_is_read_with_standings_games_nights_and_chronicle(
    campaign: Campaign, played: Game, alice: User, hers: Gang, theirs: Gang
) -> None:
    program, root = reader(alice), f"/campaigns/{campaign.pk}"
    assert [row["id"] for row in program.ask("/campaigns")["results"]] == [str(campaign.pk)]
    page = program.ask(root)
    assert {row["id"] for row in page["gangs"]} == {str(hers.pk), str(theirs.pk)}
    first, second = program.ask(f"{root}/standings")
    assert (first["gang"], first["won"], second["lost"]) == (str(hers.pk), 1, 1)
    [game] = program.ask(f"{root}/games")["results"]
    assert (game["status"], game["how"]) == ("confirmed", "played")
    assert program.ask(f"{root}/stages") == []
    assert game["sides"][0]["kind"] == "winner"
    [night] = program.ask(f"{root}/nights")["results"]
    assert night["place"] == "The back room"
    assert [row["id"] for row in program.ask(f"/nights/{night['id']}")["games"]] == [game["id"]]
    whole = program.ask(f"/games/{game['id']}")
    assert whole["sides"][0]["fielded"] == [one.id for one in hers.roster.members]
    told = program.ask(f"{root}/chronicle")
    assert told["next"] is None
    assert any(line["game"] == game["id"] and hers.name in line["text"] for line in told["results"])
    oldest = told["results"][-1]["key"]
    assert program.ask(f"{root}/chronicle", before=oldest)["results"] == []
    program.ask(f"{root}/chronicle", 404, before="nothing")


def test_stages_have_rounds_with_fixtures_and_byes(
    campaign: Campaign, alice: User, hers: Gang, theirs: Gang
) -> None:
    stage = Stage.objects.create(campaign=campaign, number=1, name="Cup", format="swiss")
    first = Round.objects.create(stage=stage, number=1)
    names = {"home_name": hers.name, "away_name": theirs.name}
    Fixture.objects.create(round=first, number=1, home=hers, away=theirs, **names)
    Fixture.objects.create(round=first, number=2, home=hers, home_name=hers.name)
    [told] = reader(alice).ask(f"/campaigns/{campaign.pk}/stages")
    [game, bye] = told["rounds"][0]["fixtures"]
    assert told["format"] == "swiss" and game["away"] == str(theirs.pk) and game["game"] is None
    assert (bye["home"], bye["away"], bye["away_name"]) == (str(hers.pk), None, "")


def addresses(campaign: Campaign, game: Game, gang: Gang) -> dict[str, str]:
    """An address for every operation of the description that reads."""
    given = {
        "campaign": campaign.pk,
        "game": game.pk,
        "night": game.night_id,
        "gang": gang.pk,
        "key": gang.share_key,
        "digest": gang.book_version_id,
    }
    return {
        path: path.removeprefix("/api/v1").format(**given)
        for path, methods in describe()["paths"].items()
        if "get" in methods
    }


# The statuses for: owner, organiser, another player, a stranger, a program with the watch key.
MEMBERS = (200, 200, 200, 404, 200)
EVERYBODY = (200, 200, 200, 200, 200)
STATUSES = {
    "/api/v1/me": (200, 200, 200, 200, 404),
    "/api/v1/rulebooks": EVERYBODY,
    "/api/v1/shelf": EVERYBODY,
    "/api/v1/rulebooks/{digest}": EVERYBODY,
    "/api/v1/rulebooks/{digest}/odds": EVERYBODY,
    "/api/v1/gangs": EVERYBODY,
    "/api/v1/gangs/{gang}": (200, 200, 200, 404, 404),
    "/api/v1/shared/{key}": EVERYBODY,
    "/api/v1/campaigns": EVERYBODY,
    "/api/v1/campaigns/{campaign}": MEMBERS,
    "/api/v1/campaigns/{campaign}/standings": MEMBERS,
    "/api/v1/campaigns/{campaign}/games": MEMBERS,
    "/api/v1/campaigns/{campaign}/nights": MEMBERS,
    "/api/v1/campaigns/{campaign}/stages": MEMBERS,
    "/api/v1/campaigns/{campaign}/chronicle": MEMBERS,
    "/api/v1/games/{game}": MEMBERS,
    "/api/v1/nights/{night}": MEMBERS,
}


def test_every_operation_answers_five_people_as_pages_do(
    campaign: Campaign, played: Game, alice: User, dora: User, bob: User, hers: Gang
) -> None:
    stranger = User.objects.create_user("a stranger")
    people = [reader(user) for user in (alice, bob, dora, stranger)]
    people.append(Reader(f"watch_{campaign.watch_key}"))
    found = addresses(campaign, played, hers)
    assert found.keys() == STATUSES.keys()
    for path, address in found.items():
        for number, (person, status) in enumerate(zip(people, STATUSES[path], strict=True)):
            answer = Client().get(f"/api/v1{address}", headers=person.headers)
            assert answer.status_code == status, (path, number)
    assert people[4].ask("/gangs")["results"] == []
    assert people[3].ask("/campaigns")["results"] == []


def test_every_operation_needs_a_token_even_from_a_signed_in_browser(
    campaign: Campaign, played: Game, alice: User, hers: Gang, client: Client
) -> None:
    client.force_login(alice)
    for address in addresses(campaign, played, hers).values():
        for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": "Basic x"}):
            answer = client.get(f"/api/v1{address}", headers=headers)
            assert answer.status_code == 401 and answer["WWW-Authenticate"] == "Bearer"
            assert answer["Content-Type"] == "application/problem+json"
            assert "Set-Cookie" not in answer


@pytest.mark.django_db
def test_odds_are_those_of_the_page_for_the_same_query(alice: User) -> None:
    program, root = reader(alice), f"/rulebooks/{make_version().pk}"
    told = program.ask(f"{root}/odds")
    assert told["outcomes"] and all(0 <= row["chance"] <= 1 for row in told["outcomes"])
    exact = [Fraction(row["fraction"]) for row in told["outcomes"]]
    assert [float(chance) for chance in exact] == [row["chance"] for row in told["outcomes"]]
    again = program.ask(f"{root}/odds?{told['query']}")
    assert again == told
    wrong = program.ask(f"{root}/odds", 422, **{"roll-key": "nothing"})
    assert wrong["errors"][0]["place"] == "roll-key"


def test_hidden_version_of_a_rulebook_is_read_by_nobody_else(alice: User, bob: User) -> None:
    version = make_version()
    draft = BookDraft.objects.create(owner=alice, slug="mine", data="{}")
    BookVersion.objects.filter(pk=version.pk).update(draft=draft, number=1)
    address, stranger = f"/rulebooks/{version.pk}", reader(bob)
    stranger.ask(address)
    BookDraft.objects.update(hidden_why="rude")
    for path in (address, f"{address}/odds"):
        stranger.ask(path, 404)
        reader(alice).ask(path)


def test_errors_of_the_site_are_problems_too(alice: User) -> None:
    program = reader(alice)
    program.ask("/nothing/like/this", 404)
    answer = Client().delete("/api/v1/me", headers=program.headers)
    assert answer.status_code == 405 and answer["Content-Type"] == "application/problem+json"
    assert answer["Allow"] == "GET, HEAD, OPTIONS"


def test_blocked_or_deleted_token_lets_nobody_in(alice: User) -> None:
    program = reader(alice)
    assert program.ask("/me") == {"name": "alice", "language": "en"}
    User.objects.filter(pk=alice.pk).update(is_active=False)
    program.ask("/me", 401)
    User.objects.filter(pk=alice.pk).update(is_active=True)
    Token.objects.all().delete()
    program.ask("/me", 401)


def test_words_are_in_the_language_of_the_account(alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(language="fr")
    program = reader(alice)
    assert program.ask("/me")["language"] == "fr"
    assert "jeton" in program.ask(f"/gangs/{uuid.uuid4()}", 404)["detail"]


def test_errors_before_the_operation_are_in_the_language_of_the_account(
    alice: User, settings: Any
) -> None:
    """Also without an account, in the language that the program accepts."""
    User.objects.filter(pk=alice.pk).update(language="fr")
    program = reader(alice)
    nowhere = program.ask("/nowhere", 404)
    settings.API_REQUESTS_A_MINUTE = 1
    too_many = program.ask("/me", 429)
    with translation.override("fr"):
        assert nowhere["detail"] == gettext("There is nothing at this address.")
        assert too_many["detail"] == gettext("Too many requests. Wait a moment.")
    stranger = Client(headers={"accept-language": "de"})
    refused = stranger.get("/api/v1/me").json()["detail"]
    with translation.override("de"):
        words = "Send a valid token in the header Authorization, as “Bearer TOKEN”."
        assert refused == gettext(words) != words


def test_lists_come_in_pages(alice: User) -> None:
    made = {str(make_gang(alice, name=f"Gang {number}").pk) for number in range(3)}
    program = reader(alice)
    first = program.ask("/gangs", page_size=2)
    [cursor] = parse_qs(urlsplit(first["next"]).query)["cursor"]
    second = program.ask("/gangs", page_size=2, cursor=cursor)
    assert {row["id"] for row in first["results"] + second["results"]} == made
    assert len(first["results"]) == 2 and second["next"] is None
    assert len(program.ask("/gangs", page_size=100_000)["results"]) == 3


def test_pages_of_equal_rows_show_each_row_once_in_both_directions(alice: User) -> None:
    made = [make_gang(alice) for _time in range(7)]
    Gang.objects.all().update(changed_at=made[0].created_at)
    program = reader(alice)

    def follow(page: dict[str, Any], way: str) -> Iterator[list[str]]:
        while True:
            yield [row["id"] for row in page["results"]]
            if page[way] is None:
                return
            last = page
            query = {name: value for name, [value] in parse_qs(urlsplit(page[way]).query).items()}
            page = program.ask("/gangs", **query)
            assert page["results"] != last["results"]

    first = program.ask("/gangs", page_size=3)
    forwards = list(follow(first, "next"))
    assert [len(page) for page in forwards] == [3, 3, 1]
    assert sorted(sum(forwards, [])) == sorted(str(gang.pk) for gang in made)
    assert first["previous"] is None
    query = parse_qs(urlsplit(first["next"]).query)
    second = program.ask("/gangs", page_size=3, cursor=query["cursor"][0])
    assert list(follow(second, "previous")) == [forwards[1], forwards[0]]


@pytest.mark.parametrize("query", [{"page_size": 0}, {"page_size": -1}, {"cursor": "@@@"}])
def test_parameters_that_no_list_has_are_refused(alice: User, query: dict[str, Any]) -> None:
    [name] = query
    assert name in reader(alice).ask("/gangs", 422, **query)["detail"]


def test_unchanged_answer_is_not_sent_again(alice: User) -> None:
    gang, program = make_gang(alice), reader(alice)
    address = f"/api/v1/gangs/{gang.pk}"
    known = Client().get(address, headers=program.headers)["ETag"]
    again = Client().get(address, headers={**program.headers, "if-none-match": known})
    assert again.status_code == 304 and again.content == b""
    assert again["Vary"] == "Authorization, Accept-Language, origin"


def test_too_many_requests_have_to_wait(
    alice: User, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    program, other = reader(alice), reader(alice)
    settings.API_REQUESTS_A_MINUTE = 3
    monkeypatch.setattr(tokens.time, "time", lambda: 6_000_042.0)
    for _time in range(3):
        program.ask("/me")
    answer = Client().get("/api/v1/me", headers=program.headers)
    assert answer.status_code == 429 and answer["Retry-After"] == "18"
    assert answer["Content-Type"] == "application/problem+json"
    other.ask("/me")
    monkeypatch.setattr(tokens.time, "time", lambda: 6_000_060.0)
    program.ask("/me")


def test_description_is_the_file_s() -> None:
    stored = (settings.BASE_DIR / "docs" / "openapi.json").read_text(encoding="utf-8")
    assert write() == stored, "run manage.py openapi, and note the change in CHANGELOG.md"
    assert describe()["openapi"].startswith("3.1")
    assert Client().get(reverse("api-docs:openapi")).json() == describe()


def test_secret_is_shown_once_and_only_its_sum_is_stored(client: Client, alice: User) -> None:
    client.force_login(alice)
    address = reverse("api-pages:tokens")
    page = client.post(address, {"name": "Club website"})
    [token] = Token.objects.all()
    secret = page.context["secret"]
    assert secret in page.content.decode() and page["Cache-Control"] == "no-store"
    assert secret not in json.dumps([str(value) for value in vars(token).values()])
    assert Reader(secret).ask("/me")["name"] == "alice"
    later = client.get(address).content.decode()
    assert secret not in later and f"…{secret[-4:]}" in later and "last used" in later
    assert client.post(reverse("api-pages:delete-token", args=[token.pk])).status_code == 302
    Reader(secret).ask("/me", 401)


def test_tokens_have_a_quota_and_belong_to_one_account(
    client: Client, alice: User, bob: User, settings: Any
) -> None:
    settings.QUOTAS = settings.QUOTAS | {"tokens": 1}
    token, _secret = tokens.make(alice, "first")
    client.force_login(alice)
    page = client.post(reverse("api-pages:tokens"), {"name": "second"})
    assert page.status_code == 422 and 'value="second"' in page.content.decode()
    assert Token.objects.count() == 1
    client.force_login(bob)
    assert client.post(reverse("api-pages:delete-token", args=[token.pk])).status_code == 404
    assert Token.objects.count() == 1
