"""The API's writes: the acts of the pages, for tokens that may write, as often as they are sent."""

from __future__ import annotations

import json
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts.models import Notice, User
from api import once
from api.description import describe
from api.models import SentFile
from api.once import KEPT, LONGEST_KEY
from campaigns.models import Attendance, Campaign, Game, Night, Table, TableEntry
from campaigns.table.storage import open_for
from gangs.files.exporting import export_gang
from gangs.files.format import LIMITS
from gangs.models import Gang
from tests.api.test_api import Reader, reader
from tests.world.campaigns import make_game, make_night, reported
from tests.world.gangs import make_gang


@pytest.fixture(autouse=True)
def no_counts() -> None:
    cache.clear()


@pytest.fixture
def game(campaign: Campaign, alice: User, hers: Gang, theirs: Gang) -> Game:
    """A planned game of alice against dora."""
    return make_game(campaign, alice, hers, theirs)


def send(
    program: Reader, path: str, body: Any, status: int = 200, **headers: str
) -> dict[str, Any]:
    """Send a body as JSON; returns the answer as data."""
    text = body if isinstance(body, str) else json.dumps(body)
    answer = Client().post(
        f"/api/v1{path}",
        text,
        content_type="application/json",
        headers={
            **program.headers,
            **{name.replace("_", "-"): value for name, value in headers.items()},
        },
    )
    assert answer.status_code == status, answer.content
    if status >= 400:
        assert answer["Content-Type"] == "application/problem+json"
    told: dict[str, Any] = json.loads(answer.content)
    return told


def simple_report(game: Game, winner: Gang, **more: Any) -> dict[str, Any]:
    """A report in which everybody took part and nobody fell."""
    sides = [
        {"gang": str(side.gang_id), "fielded": [one.id for one in side.gang.roster.members]}
        for side in game.sides.select_related("gang")
        if side.gang is not None
    ]
    return {"winner": str(winner.pk), "sides": sides, **more}


def paths() -> list[str]:
    """The paths of all operations that write."""
    return [path for path, methods in describe()["paths"].items() if "post" in methods]


def test_only_the_named_operations_write() -> None:
    assert sorted(paths()) == [
        "/api/v1/games/{game}/confirm",
        "/api/v1/games/{game}/report",
        "/api/v1/gangs",
        "/api/v1/nights/{night}/answers",
        "/api/v1/tables/{table}/taps",
    ]
    for methods in describe()["paths"].values():
        assert methods.keys() <= {"get", "post"}


def test_writing_needs_a_token_that_may_write(
    campaign: Campaign, game: Game, alice: User, hers: Gang
) -> None:
    night, table = make_night(campaign), open_for(game, list(game.sides.all()))
    given = {"night": night.pk, "game": game.pk, "table": table.pk}
    bodies = {
        "answers": {"gang": str(hers.pk), "answer": "yes"},
        "report": simple_report(game, hers),
        "confirm": {},
        "taps": [],
        "gangs": "{}",
    }
    watching = Reader(f"watch_{campaign.watch_key}")
    for path in paths():
        address = path.removeprefix("/api/v1").format(**given)
        body = bodies[address.rpartition("/")[2]]
        assert send(reader(alice), address, body, 403, if_match="0")["code"] == "read_only"
        assert send(watching, address, body, 403, if_match="0")["code"] == "read_only"
        send(Reader(), address, body, 401, if_match="0")
    assert not Attendance.objects.exists() and not TableEntry.objects.exists()


def test_strangers_write_nothing(campaign: Campaign, game: Game, hers: Gang, theirs: Gang) -> None:
    night, table = make_night(campaign), open_for(game, list(game.sides.all()))
    stranger = reader(User.objects.create_user("a stranger"), writes=True)
    send(stranger, f"/nights/{night.pk}/answers", {"gang": str(hers.pk), "answer": "yes"}, 404)
    send(stranger, f"/games/{game.pk}/report", simple_report(game, hers), 404, if_match="0")
    send(stranger, f"/games/{game.pk}/confirm", {}, 404, if_match="0")
    send(stranger, f"/tables/{table.pk}/taps", [], 404)


def test_player_answers_a_night_for_their_own_gang_only(
    campaign: Campaign, alice: User, hers: Gang, theirs: Gang
) -> None:
    night, program = make_night(campaign), reader(alice, writes=True)
    path = f"/nights/{night.pk}/answers"
    about = Notice.objects.filter(user=alice, url=night.get_absolute_url(), read_at=None)
    assert about.exists()
    for _twice in range(2):
        told = send(program, path, {"gang": str(hers.pk), "answer": "maybe"})
    assert not about.exists()
    assert {row["gang"]: row["answer"] for row in told["answers"]} == {
        str(hers.pk): "maybe",
        str(theirs.pk): "",
    }
    refused = send(program, path, {"gang": str(theirs.pk), "answer": "yes"}, 422)
    assert refused["code"] == "not_your_gang"
    assert send(program, path, {"gang": str(hers.pk), "answer": "perhaps"}, 422)["detail"]
    assert send(program, path, {"gang": str(uuid.uuid4()), "answer": "yes"}, 422)["code"]
    assert send(program, path, "{", 400)["code"] == "not_json"


def test_game_is_reported_and_confirmed_by_two_programs(
    game: Game, alice: User, dora: User, hers: Gang, theirs: Gang
) -> None:
    first, second = (reader(user, writes=True) for user in (alice, dora))
    fallen = theirs.roster.members[0].id
    report = simple_report(game, hers, result="crushing", note="Quick.", sure=True)
    mark = next(iter(game.campaign.rules.mark))
    by = {"gang": str(hers.pk), "member": hers.roster.members[0].id}
    report["sides"][1]["fallen"] = {str(fallen): {"mark": mark, "by": by}}
    path = f"/games/{game.pk}"
    told = send(first, f"{path}/report", report, if_match=f'"{game.version}"')
    assert (told["status"], told["claims"][0]["behind"]) == ("reported", [str(hers.pk)])
    assert told["sides"][1]["marks"] == {str(fallen): mark}
    # Sent twice, it is one report.
    again = send(first, f"{path}/report", report, if_match=f'"{game.version}"')
    assert again["version"] == told["version"] and len(again["claims"]) == 1
    consent = {"claim": told["claims"][0]["id"]}
    done = send(second, f"{path}/confirm", consent, if_match=str(told["version"]))
    assert done["status"] == "confirmed"
    closed = send(second, f"{path}/report", report, 403, if_match=str(done["version"]))
    assert closed["code"] == "not_reportable"


def test_write_without_or_with_an_old_version_changes_nothing(
    game: Game, alice: User, dora: User, hers: Gang, theirs: Gang
) -> None:
    path, other = f"/games/{game.pk}/report", reader(dora, writes=True)
    report = simple_report(game, theirs, result="crushing", sure=True)
    assert send(other, path, report, 428)["code"] == "version_missing"
    before = game.version
    reported(game, alice)
    assert send(other, path, report, 409, if_match=str(before))["code"] == "stale"
    assert Game.objects.get(pk=game.pk).claims.count() == 1


def test_mistakes_in_a_report_name_their_places(
    game: Game, alice: User, hers: Gang, theirs: Gang
) -> None:
    path, program = f"/games/{game.pk}/report", reader(alice, writes=True)

    def places(report: dict[str, Any], code: str) -> set[str]:
        told = send(program, path, report, 422, if_match=str(game.version))
        assert told["code"] == code
        return {row["place"] for row in told.get("errors", [])}

    report = simple_report(game, hers, result="crushing")
    report["sides"][0]["fielded"].append(999)
    assert places(report, "unknown") == {"sides.0.fielded"}
    report = simple_report(game, hers, result="crushing")
    report["sides"][1]["gang"] = str(uuid.uuid4())
    assert places(report, "unknown") == {"sides.1.gang"}
    report = simple_report(game, hers, result="crushing")
    assert places(report, "doubtful") == {"sure"}
    report = simple_report(game, hers, result="no such result")
    assert places(report, "invalid") == {"result"}
    who = hers.roster.members[0].id
    report = simple_report(game, hers, result="crushing")
    report["sides"][0]["fallen"] = {str(who): {"mark": "no such mark"}}
    assert places(report, "invalid") == {f"sides.0.fallen.{who}"}
    assert send(program, path, {"sides": 3}, 422, if_match="0")["code"] == "invalid"
    extra = simple_report(game, hers, surprise=1)
    assert "surprise" in send(program, path, extra, 422, if_match="0")["detail"]
    assert not Game.objects.get(pk=game.pk).claims.exists()


def test_taps_sent_twice_count_once(game: Game, alice: User, hers: Gang) -> None:
    table: Table = open_for(game, list(game.sides.select_related("gang")))
    program, device = reader(alice, writes=True), str(uuid.uuid4())
    row = {
        "device": device,
        "n": 1,
        "after": 0,
        "at": 1_700_000_000_000,
        "turn": 1,
        "act": str(uuid.uuid4()),
        "tap": {"kind": "said", "text": "From a script."},
    }
    path = f"/tables/{table.pk}/taps"
    for _twice in range(2):
        assert send(program, path, [row])["logged"] == [1]
    assert TableEntry.objects.filter(table=table).count() == 1
    told = send(program, path, [{"kind": "nonsense"}])
    assert told["logged"] == [0] and told["refused"]["0"]
    assert send(program, path, {"no": "list"}, 422)["code"] == "no_taps"


def test_gang_file_sent_twice_with_one_key_is_one_gang(alice: User, bob: User) -> None:
    file = export_gang(make_gang(bob))
    program = reader(alice, writes=True)
    made = {send(program, "/gangs", file, 201, idempotency_key="one")["id"] for _ in range(2)}
    assert len(made) == 1
    other = send(program, "/gangs", file, 201, idempotency_key="two")
    # A gang's file may be larger than any other body.
    large = file.replace('"batch"', " " * 100_000 + '"batch"', 12)
    assert send(program, "/gangs", large, 201)["figures"] == other["figures"]
    assert send(program, "/gangs", file + " " * LIMITS.size, 422)["code"] == "too_big"
    assert other["figures"] == len(make_gang(bob).roster.members) and other["id"] not in made
    assert Gang.objects.filter(owner=alice).count() == 3
    assert send(program, "/gangs", "[]", 422)["code"]
    assert send(program, "/gangs", file.replace("blackwater", "redwater"), 422)["code"]


def test_used_key_is_refused_with_another_file(alice: User, bob: User) -> None:
    first, second = (export_gang(make_gang(bob)) for _time in range(2))
    program = reader(alice, writes=True)
    made = send(program, "/gangs", first, 201, idempotency_key="one")
    assert send(program, "/gangs", second, 422, idempotency_key="one")["code"] == "key_used"
    assert send(program, "/gangs", first, 201, idempotency_key="one") == made
    # A file that made nothing leaves the key free.
    assert send(program, "/gangs", "[]", 422, idempotency_key="two")["code"] != "key_used"
    send(program, "/gangs", second, 201, idempotency_key="two")
    assert Gang.objects.filter(owner=alice).count() == 2
    # Another account's keys are its own.
    send(reader(bob, writes=True), "/gangs", second, 201, idempotency_key="one")
    long = "x" * (LONGEST_KEY + 1)
    assert send(program, "/gangs", first, 422, idempotency_key=long)["code"] == "key_too_long"


def test_key_is_free_when_the_first_try_was_killed_and_the_next_failed(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(*_args: object, **_values: object) -> None:
        raise SystemExit

    file, program = export_gang(make_gang(bob)), reader(alice, writes=True)
    with monkeypatch.context() as killed, pytest.raises(SystemExit):
        killed.setattr(once, "import_file", end)
        once.import_once(b"[]", alice, "one")
    assert send(program, "/gangs", file, 422, idempotency_key="one")["code"] == "key_used"
    assert send(program, "/gangs", "[]", 422, idempotency_key="one")["code"] != "key_used"
    made = {send(program, "/gangs", file, 201, idempotency_key="one")["id"] for _ in range(2)}
    assert len(made) == 1


def test_key_of_a_deleted_gang_makes_no_second_one(alice: User, bob: User) -> None:
    file, program = export_gang(make_gang(bob)), reader(alice, writes=True)
    made = send(program, "/gangs", file, 201, idempotency_key="one")
    Gang.objects.filter(pk=made["id"]).delete()
    assert send(program, "/gangs", file, 409, idempotency_key="one")["code"] == "gang_gone"


def test_key_counts_for_a_week(alice: User, bob: User) -> None:
    file, program = export_gang(make_gang(bob)), reader(alice, writes=True)
    made = send(program, "/gangs", file, 201, idempotency_key="one")
    # The key of a file from before keys were stored.
    SentFile.objects.all().delete()
    assert send(program, "/gangs", file, 201, idempotency_key="one") == made
    SentFile.objects.update(sent_at=timezone.now() - KEPT - timedelta(minutes=1))
    assert once.tidy() == 1 and not SentFile.objects.exists()


def test_body_of_another_type_is_refused(game: Game, alice: User, hers: Gang) -> None:
    given = {"night": uuid.uuid4(), "game": game.pk, "table": uuid.uuid4()}
    headers = reader(alice, writes=True).headers
    for path in paths():
        for kind in ("multipart/form-data; boundary=x", "text/plain", ""):
            address = path.format(**given)
            answer = Client().post(address, b"--x--", content_type=kind, headers=headers)
            assert answer.status_code == 415 and answer.json()["code"] == "content_type"


def test_report_takes_only_the_counts_that_it_has(game: Game, alice: User, hers: Gang) -> None:
    for kind in ("in", "mark", "credit", "tally", "nonsense"):
        report = simple_report(game, hers)
        report["sides"][0]["counts"] = {kind: {"1": 1}}
        answer = send(
            reader(alice, writes=True), f"/games/{game.pk}/report", report, 422, if_match="0"
        )
        assert f"sides.0.counts.{kind}" in {row["place"] for row in answer["errors"]}


def test_planned_game_has_no_winner_or_loser(game: Game, alice: User, hers: Gang) -> None:
    program = reader(alice, writes=True)
    assert [side["kind"] for side in program.ask(f"/games/{game.pk}")["sides"]] == ["", ""]
    send(program, f"/games/{game.pk}/report", simple_report(game, hers, sure=True), if_match="0")
    [line] = program.ask(f"/campaigns/{game.campaign_id}/games")["results"]
    assert {side["kind"] for side in line["sides"]} == {"winner", "loser"}


def test_night_that_is_over_takes_answers_of_organisers_only(
    campaign: Campaign, alice: User, bob: User, hers: Gang
) -> None:
    night = make_night(campaign)
    Night.objects.filter(pk=night.pk).update(starts_at=timezone.now() - timedelta(days=2))
    path, body = f"/nights/{night.pk}/answers", {"gang": str(hers.pk), "answer": "yes"}
    assert send(reader(alice, writes=True), path, body, 422)["code"] == "night_over"
    send(reader(bob, writes=True), path, body)
    assert Attendance.objects.get().answer == "yes"


def test_gang_beyond_the_quota_is_refused(alice: User, bob: User, settings: Any) -> None:
    settings.QUOTAS = settings.QUOTAS | {"gangs": 0}
    file = export_gang(make_gang(bob))
    assert send(reader(alice, writes=True), "/gangs", file, 422)["code"] == "quota"
