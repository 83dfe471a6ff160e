"""One page for the results of a round or a night: one press writes all of them, and one takes them
back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.notices import describe
from campaigns.engine.claims import Account, SideAccount
from campaigns.engine.report import Report
from campaigns.fixtures import standing_game
from campaigns.games import results
from campaigns.league.entering import lines as lines_module
from campaigns.league.entering import views
from campaigns.league.loading import load_stage
from campaigns.models import Campaign, Claim, Fixture, Game, Side, Stage
from campaigns.season.loading import load_season
from gangs.models import Gang
from tests.random_cases import one_soon
from tests.world.campaigns import (
    make_game,
    make_night,
    make_player,
    make_stage,
    reported,
)

AsUser = Callable[[User], Client]


@pytest.fixture
def round_of_eight(campaign: Campaign) -> Stage:
    """Return a stage whose first round has eight fixtures; two of them have a planned game."""
    gangs = []
    for number in range(16):
        gang = make_player(campaign, User.objects.create_user(f"player{number}"))
        Gang.objects.filter(pk=gang.pk).update(name=f"Gang {number:02}")
        gangs.append(Gang.objects.select_related("owner").get(pk=gang.pk))
    stage = make_stage(campaign, *gangs)
    for fixture in Fixture.objects.order_by("number")[:2]:
        make_game(campaign, fixture.home.owner, fixture.home, fixture.away)
    return stage


def address(stage: Stage) -> str:
    return reverse("campaigns:round-entering", args=[stage.pk, 1])


def lines() -> list[Fixture]:
    return list(Fixture.objects.select_related("home", "away", "game").order_by("number"))


def hidden(page: str) -> dict[str, str]:
    """Return the hidden fields of the page's form."""
    found: dict[str, str] = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', page))
    wanted = {name: value for name, value in found.items() if name.endswith("-seen")}
    return wanted | {"token": found["token"], "day": found["day"]}


def wins(*, draw: int = -1, absent: int = -1, nobody: int = -1) -> Iterator[tuple[str, str]]:
    """Yield the choices: the home gang wins, except in some lines."""
    for number, fixture in enumerate(lines()):
        value = f"played:{fixture.home_id}:crushing"
        if number == absent:
            value = f"no-show:{fixture.home_id}"
        elif number == nobody:
            value = "no-show:"
        elif number == draw:
            value = f"conceded:{fixture.away_id}"
        yield f"fixture-{fixture.pk}-result", value


def standings(campaign: Campaign) -> object:
    loaded = load_season(campaign.pk)
    stage = load_stage(Stage.objects.get())
    return [
        [(line.gang, line.points, line.played) for line in stage.table],
        sorted((str(side.gang_id), side.side) for side in Side.objects.all()),
        len(loaded.games),
    ]


def enter(client: Client, stage: Stage, **options: int) -> str:
    """Look a page of results over and enter it; return the preview."""
    page = client.get(address(stage)).content.decode()
    data = hidden(page) | dict(wins(**options))
    preview = client.post(address(stage), {**data, "check": "1"})
    assert preview.status_code == 200
    assert not Game.objects.exclude(status="planned").exists(), "a preview writes nothing"
    shown = preview.content.decode()
    assert client.post(address(stage), {**data, "enter": "1"}).status_code == 302
    return shown


def test_round_of_eight_takes_one_press_and_one_undo(
    campaign: Campaign, round_of_eight: Stage, bob: User, as_user: AsUser
) -> None:
    client = as_user(bob)
    before = standings(campaign)
    planned = list(Game.objects.order_by("pk").values("pk", "played_on", "status", "result"))
    preview = enter(client, round_of_eight, absent=3, nobody=4, draw=5)
    assert "Gang 00: won · Gang 01: lost" in preview
    assert "Gang 06: did not come" in preview and "Enter 8 results" in preview
    games = [standing_game(fixture) for fixture in lines()]
    assert [game.status for game in games if game] == ["confirmed"] * 8
    assert [game.how for game in games if game] == [
        *["played"] * 3,
        "no-show",
        "no-show",
        "conceded",
        *["played"] * 2,
    ]
    table = {line.gang: line.points for line in load_stage(Stage.objects.get()).table}
    first = lines()[0]
    assert table[str(first.home_id)] == 3 and table[str(first.away_id)] == 0
    report = Side.objects.get(game=first.game, gang=first.home).parsed_report
    assert report.fielded and not report.marks
    page = client.get(address(round_of_eight)).content.decode()
    assert "Undo these 8 results" in page
    assert client.post(address(round_of_eight), {"undo": "1"}).status_code == 302
    assert standings(campaign) == before
    again = list(Game.objects.order_by("pk").values("pk", "played_on", "status", "result"))
    assert again == planned and not Claim.objects.exists()


def test_every_choice_reads_without_its_heading(
    round_of_eight: Stage, bob: User, as_user: AsUser
) -> None:
    page = as_user(bob).get(address(round_of_eight)).content.decode()
    gang = lines()[0].home_id
    labels = dict(re.findall(rf'value="([a-z-]+):{gang}[^"]*"[^>]*>([^<]*)</option>', page))
    assert labels["no-show"] == "Did not come · Gang 00"
    assert labels["conceded"] == "Conceded · Gang 00"


def test_session_keeps_the_results_of_the_last_pages_only(
    round_of_eight: Stage, bob: User, as_user: AsUser
) -> None:
    client = as_user(bob)
    session = client.session
    session[views.KEPT] = {f"/{number}/": [] for number in range(9)}
    session.save()
    enter(client, round_of_eight)
    kept = [*client.session[views.KEPT]]
    assert kept[-1] == address(round_of_eight) and len(kept) == views.MOST_KEPT


def test_results_equal_those_entered_one_by_one(
    campaign: Campaign, round_of_eight: Stage, bob: User, as_user: AsUser
) -> None:
    client = as_user(bob)
    enter(client, round_of_eight)
    together = standings(campaign)
    client.post(address(round_of_eight), {"undo": "1"})
    for fixture in lines():
        game = standing_game(fixture) or make_game(campaign, bob, fixture.home, fixture.away)
        told = {
            side.pk: SideAccount(
                "winner" if side.gang_id == fixture.home_id else "loser",
                Report(fielded=tuple(member.id for member in side.gang.roster.members)),
            )
            for side in game.sides.select_related("gang")
            if side.gang is not None
        }
        account = Account(result="crushing", played_on=game.played_on, sides=told)
        results.decide(game, account=account, actor=bob, expected_version=game.version)
    assert standings(campaign) == together


def sent_unchanged(page: Any) -> dict[str, str]:
    """Return the fields of a report's page as a browser sends them."""
    forms = page.context["forms"]
    found = {"seen": str(page.context["seen"]), "sure": "1"}
    for field in (field for form in (forms.result, *forms.side_forms) for field in form):
        value = field.value()
        if value not in (None, "", False, []):
            found[field.html_name] = "on" if value is True else str(value)
    return found


def test_player_adds_who_fell_whatever_the_other_side_has_counted(
    campaign: Campaign, round_of_eight: Stage, bob: User, as_user: AsUser
) -> None:
    """The counts of the other side are hidden, so the player could not correct them."""
    enter(as_user(bob), round_of_eight)
    fixture = lines()[0]
    game = standing_game(fixture)
    assert game is not None
    assert fixture.home and fixture.away and fixture.home.owner and fixture.away.owner
    mine, theirs = game.sides.get(gang=fixture.home), game.sides.get(gang=fixture.away)
    hero, report = theirs.parsed_report.fielded[0], reverse("campaigns:game-report", args=[game.pk])
    client = as_user(fixture.away.owner)
    page = client.get(report)
    [form] = page.context["forms"].asked_sides
    count = next(name for name in form.counts if f"{name}-{hero}" in form.fields)
    data = sent_unchanged(page) | {form.add_prefix(f"{count}-{hero}"): "1"}
    assert client.post(report, data).status_code == 302
    theirs.refresh_from_db()
    counted = theirs.parsed_report
    assert counted.counts[count] == {hero: 1}
    client = as_user(fixture.home.owner)
    data = sent_unchanged(client.get(report))
    mark = next(row.key for row in campaign.rules.marks if row.key and not row.stands)
    fallen = mine.parsed_report.fielded[:2]
    for member in fallen:
        data[f"side{mine.pk}-mark-{member}"] = data[f"side{mine.pk}-mark-{member}-how"] = mark
        data[f"side{mine.pk}-credit-{member}"] = f"{theirs.gang_id}:{hero}"
    answer = client.post(report, data)
    assert answer.status_code == 302, [f.errors for f in answer.context["forms"].side_forms]
    for side in (mine, theirs):
        side.refresh_from_db()
    assert [*mine.parsed_report.credits] == [*fallen] and theirs.parsed_report == counted


def test_only_sections_without_a_question_are_hidden(
    campaign: Campaign, round_of_eight: Stage, bob: User, as_user: AsUser
) -> None:
    enter(as_user(bob), round_of_eight)
    fixture = lines()[0]
    game = standing_game(fixture)
    assert game is not None and fixture.home and fixture.home.owner
    client, report = as_user(fixture.home.owner), reverse("campaigns:game-report", args=[game.pk])
    data = sent_unchanged(client.get(report))
    # A report without anybody is a mistake, but the other side's is nobody's business here.
    own, other = (game.sides.get(gang=gang).pk for gang in (fixture.home, fixture.away))
    answer = client.post(report, {key: v for key, v in data.items() if "-in-" not in key})
    assert answer.status_code == 422
    assert [anchor for anchor, _name in answer.context["forms"].wrong()] == [f"side-{own}"]
    page = answer.content.decode()
    sections = dict(re.findall(r'<section class="panel report-side" id="side-(\d+)"(.*?)>', page))
    assert sections == {str(own): "", str(other): " hidden"}
    kept = {key: v for key, v in data.items() if not key.startswith(f"side{other}-in-")}
    assert client.post(report, kept).status_code == 302


def post_game(side: Side) -> str:
    return reverse("campaigns:postgame", args=[side.game_id, side.pk])


def test_players_are_asked_who_fell_and_add_it_before_their_post_game(
    campaign: Campaign, round_of_eight: Stage, bob: User, as_user: AsUser
) -> None:
    enter(as_user(bob), round_of_eight)
    fixture = lines()[0]
    player, game = fixture.home.owner, standing_game(fixture)
    assert game is not None and player is not None
    [notice] = [row for row in player.notices.all() if row.kind == "game_entered"]
    assert "Who fell?" in describe(notice)
    client, report = as_user(player), reverse("campaigns:game-report", args=[game.pk])
    assert report in client.get(game.get_absolute_url()).content.decode()
    side = game.sides.get(gang=fixture.home)
    page = client.get(report)
    assert "Who fell?" in page.content.decode() and "why" not in page.context["forms"].result.fields
    assert [form.side for form in page.context["forms"].asked_sides] == [side]
    assert report in client.get(postgame := post_game(side)).content.decode()
    member = side.parsed_report.fielded[0]
    mark = next(row.key for row in campaign.rules.marks if row.key)
    data = {
        "winner": str(side.pk),
        "result": "crushing",
        "played_on": game.played_on.isoformat(),
        "seen": str(game.version),
        "sure": "1",
    }
    for other in game.sides.all():
        for one in other.parsed_report.fielded:
            data[f"side{other.pk}-in-{one}"] = "on"
    data |= {f"side{side.pk}-mark-{member}": mark, f"side{side.pk}-mark-{member}-how": mark}
    answer = client.post(report, data)
    assert answer.status_code == 302, re.findall(
        r"(?s)invalid-feedback.*?</|report-wrong.*?</ul>", answer.content.decode()
    )
    side.refresh_from_db()
    assert side.parsed_report.marks == {member: mark}
    assert report not in client.get(postgame).content.decode()
    decision = client.get(game.get_absolute_url()).context["decision"]
    assert (decision.who, decision.whose) == (str(bob), ""), "the player decided nothing"
    game.refresh_from_db()
    assert (game.status, game.result) == ("confirmed", "crushing")
    # A stranger to the game, and the player of a written post-game, change nothing.
    other = lines()[2].home.owner
    assert other is not None and as_user(other).get(report).status_code == 302


def test_a_player_s_report_in_between_is_not_overwritten(
    campaign: Campaign, round_of_eight: Stage, bob: User, as_user: AsUser
) -> None:
    client = as_user(bob)
    page = client.get(address(round_of_eight)).content.decode()
    data = hidden(page) | dict(wins()) | {"enter": "1"}
    fixture = lines()[0]
    assert fixture.game is not None and fixture.home.owner is not None
    reported(fixture.game, fixture.home.owner)
    answer = client.post(address(round_of_eight), data)
    # Its line is not open any more; a line that becomes so in the same moment is refused.
    assert answer.status_code == 302
    fixture = lines()[0]
    assert fixture.game is not None and fixture.game.status == "reported"
    assert Game.objects.filter(status="confirmed").count() == 7


def test_refused_line_says_why_and_nothing_is_written(
    campaign: Campaign, round_of_eight: Stage, bob: User, as_user: AsUser
) -> None:
    client = as_user(bob)
    page = client.get(address(round_of_eight)).content.decode()
    fixture = lines()[0]
    data = hidden(page) | dict(wins()) | {"enter": "1", f"fixture-{fixture.pk}-seen": "99"}
    answer = client.post(address(round_of_eight), data)
    text = answer.content.decode()
    assert answer.status_code == 422
    assert "Somebody has reported this game in the meantime." in text
    assert text.count(" selected") >= 8, "the form keeps what was chosen"
    assert not Game.objects.filter(status="confirmed").exists()
    assert client.post(address(round_of_eight), {**data, "day": "2999-01-01"}).status_code == 422


def test_form_sent_twice_enters_once(
    campaign: Campaign, round_of_eight: Stage, bob: User, as_user: AsUser
) -> None:
    client = as_user(bob)
    page = client.get(address(round_of_eight)).content.decode()
    data = hidden(page) | dict(wins()) | {"enter": "1"}
    for _ in range(2):
        client.post(address(round_of_eight), data)
    assert Game.objects.count() == 8 and Claim.objects.count() == 8


def test_undo_leaves_a_game_alone_on_which_something_rests(
    campaign: Campaign, round_of_eight: Stage, bob: User, as_user: AsUser
) -> None:
    client = as_user(bob)
    enter(client, round_of_eight)
    game = standing_game(lines()[0])
    assert game is not None
    sides = list(game.sides.select_related("gang"))
    account = results.account_of(game, sides).model_copy(update={"note": "A storm."})
    results.decide(game, account=account, actor=bob, expected_version=game.version, why="Storm")
    page = client.post(address(round_of_eight), {"undo": "1"}, follow=True).content.decode()
    assert (
        "7 results undone." in page and "Not undone, since something has followed: Gang 00" in page
    )
    assert Game.objects.filter(status="confirmed").count() == 1


def test_night_with_three_sides_takes_places(
    campaign: Campaign, gangs: list[Gang], bob: User, as_user: AsUser
) -> None:
    night = make_night(campaign, timezone.now() - timedelta(hours=3))
    games = [make_game(campaign, bob, *gangs[:3]), make_game(campaign, bob, *gangs[3:])]
    Game.objects.filter(pk__in=[game.pk for game in games]).update(night=night)
    client, where = as_user(bob), reverse("campaigns:night-entering", args=[night.pk])
    page = client.get(where).content.decode()
    data = hidden(page)
    for place, gang in enumerate(gangs[:3], start=1):
        data[f"game-{games[0].pk}-place-{gang.pk}"] = str(place)
    answer = client.post(where, {**data, "enter": "1"})
    assert answer.status_code == 302
    places = games[0].sides.order_by("pk").values_list("side", "finish")
    assert list(places) == [("winner", 1), ("loser", 2), ("loser", 3)]
    assert Game.objects.get(pk=games[1].pk).status == "planned"


def test_large_night_begins_with_the_games_that_wait(
    campaign: Campaign,
    gangs: list[Gang],
    bob: User,
    as_user: AsUser,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lines_module, "MOST_LINES", 2)
    night = make_night(campaign, timezone.now() - timedelta(hours=3))
    games = [make_game(campaign, bob, gangs[0], gang) for gang in gangs[1:4]]
    Game.objects.update(night=night)
    Game.objects.exclude(pk=games[2].pk).update(status="confirmed", result="crushing")
    page = as_user(bob).get(reverse("campaigns:night-entering", args=[night.pk])).content.decode()
    assert f"game-{games[2].pk}-result" in page and page.count('class="entering"') == 2


def test_full_round_shows_the_games_without_a_result(
    campaign: Campaign,
    round_of_eight: Stage,
    bob: User,
    as_user: AsUser,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A ladder has all its challenges in one round: the newest come last."""
    monkeypatch.setattr(lines_module, "MOST_LINES", 3)
    Game.objects.update(status="confirmed", result="crushing")
    struck, planned = lines()[5:7]
    for fixture in (struck, planned):
        make_game(campaign, bob, fixture.home, fixture.away)
    Game.objects.filter(fixture=struck).update(status="struck", result="crushing")
    Fixture.objects.filter(number=4).delete()
    Fixture.objects.filter(number=5).update(called_off_at=timezone.now())
    page = as_user(bob).get(address(round_of_eight)).content.decode()
    shown = [line for line in lines() if f"fixture-{line.pk}-result" in page]
    assert [line.number for line in shown] == [3, 6, 7]


def test_page_costs_few_queries_for_any_number_of_games(
    campaign: Campaign, round_of_eight: Stage, bob: User, as_user: AsUser
) -> None:
    client = as_user(bob)

    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address(round_of_eight)).status_code == 200
        return len(queries)

    count()
    eight = count()
    Fixture.objects.filter(number__gt=2).delete()
    assert count() == eight


TEXTS = (
    "",
    "played:",
    "played:x:y",
    "level:",
    "level:nothing",
    "no-show:x",
    "conceded:",
    "\0",
    "é" * 999,
)


@pytest.mark.parametrize("value", one_soon(TEXTS))
def test_odd_values_are_refused_in_words(
    campaign: Campaign, round_of_eight: Stage, bob: User, as_user: AsUser, value: str
) -> None:
    client = as_user(bob)
    for name in [f"fixture-{fixture.pk}-result" for fixture in lines()[:2]] + ["day", "token"]:
        data = hidden(client.get(address(round_of_eight)).content.decode())
        answer = client.post(address(round_of_eight), {**data, name: value, "enter": "1"})
        assert answer.status_code == 422
    assert not Game.objects.filter(status="confirmed").exists()
