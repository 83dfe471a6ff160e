"""The parts of the attack work: a fault that they cannot find would not be missed."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
from django.test import Client

from tests.hostile import (
    addresses,
    aftermath,
    attacks,
    club,
    files,
    forms,
    measuring,
    memory,
    nasty,
    requests,
)
from tests.hostile.judge import Judge, summary
from tests.hostile.requests import Answer, Request, Upload

PAGE = b"""
<a href="/gangs/?open=1">x</a>
<form method="post" action="/gangs/new/" id="one" enctype="multipart/form-data">
  <input type="hidden" name="csrfmiddlewaretoken" value="t"><input name="name" required>
  <input type="number" name="age" min="3" max="3"><input type="checkbox" name="tick" checked>
  <select name="rank"><option value="">-<option value="boss" selected>Boss</select>
  <input type="radio" name="side" value="a"><input type="radio" name="side" value="b" checked>
  <textarea name="notes">Old &amp; wise</textarea><input type="file" name="file" accept=".json">
  <button name="act" value="go">Go</button><input name="off" disabled>
</form>
<form hx-post="/elsewhere/"><input name="q" value="1"></form>
<button form="one" name="act" value="stop">Stop</button>
"""


def test_forms_reads_every_field_that_a_browser_sends() -> None:
    first, second = forms.forms_of("/page/", PAGE)
    assert (first.method, first.action, first.multipart) == ("POST", "/gangs/new/", True)
    assert (second.method, second.action) == ("POST", "/elsewhere/")
    kinds = {each.name: each.kind for each in first.fields}
    assert set(kinds) == {
        "csrfmiddlewaretoken",
        "name",
        "age",
        "tick",
        "rank",
        "side",
        "notes",
        "file",
        "act",
    }
    values = {each.name: each.value for each in first.fields}
    assert values["notes"] == "Old & wise"
    assert [each.value for each in first.fields if each.name == "act"] == ["go", "stop"]
    assert forms.links_of(PAGE) == ["/gangs/?open=1"]


def test_forms_fills_a_form_with_valid_values() -> None:
    form = forms.forms_of("/page/", PAGE)[0]
    for seed in range(20):
        sent = dict(forms.filled(form, Random(seed)))
        assert sent["csrfmiddlewaretoken"] == "t"
        assert sent["name"] and sent["age"] == "3"
        assert (
            sent["rank"] in ("", "boss") and sent["side"] in "ab" and sent["act"] in ("go", "stop")
        )
        assert "file" not in sent and "off" not in sent


def test_spoiling_a_form_leaves_its_tokens_unless_it_says_otherwise() -> None:
    form = forms.forms_of("/page/", PAGE)[0]
    seen = set()
    for seed in range(400):
        dice = Random(seed)
        sent = forms.filled(form, dice)
        bad, words, whole = nasty.spoiled(form, sent, dice, lambda name, turn=seed: turn)
        assert words
        assert not whole or dict(bad)["csrfmiddlewaretoken"] == "t"
        seen.update(value for name, value in bad if name == "name")
    # Every kind of text has its turn.
    for kind in nasty.KINDS:
        assert seen & set(kind), kind


@pytest.mark.long
def test_files_are_spoiled_in_the_same_way_for_the_same_seed() -> None:
    sound = json.dumps({"entries": [{"id": 1, "name": "x"}], "n": [1, 2]}).encode()
    for make in (files.document, lambda content, dice, ids: files.picture(dice)):
        made = [[make(sound, Random(seed), ["id"]) for seed in range(40)] for _ in range(2)]
        assert made[0] == made[1]
        assert len({content for content, _words in made[0]}) > 10


@pytest.mark.long
def test_bomb_is_small_to_send_and_large_to_read() -> None:
    sound = json.dumps({"entries": [{"id": 1}]}).encode()
    bombs = [files.bomb(sound, Random(seed))[0] for seed in range(30)]
    assert max(map(len, bombs)) < 3_000_000
    assert any(bomb.count(b"{}") == files.RECORDS for bomb in bombs)


@pytest.mark.long
def test_every_address_of_the_site_is_found_and_can_be_written() -> None:
    known = addresses.routes()
    assert {"gangs:builder", "campaigns:postgame-answer", "account_login"} <= set(known)
    for name in known:
        found = {addresses.name_of(addresses.invented(name, Random(seed))) for seed in range(30)}
        # Where two addresses look alike, Django uses the first.
        assert found - {""}, name


def test_kept_request_is_replayed_with_the_ids_of_another_world() -> None:
    request = Request(
        "POST",
        "/gangs/old-id/",
        "owner",
        fields=(("name", "\ud800\x00é"), ("token", "t")),
        uploads=(Upload("file", "a.png", "image/png", b"\x89\xff old-id"),),
        headers=(("HX-Request", "true"),),
        page="/gangs/old-id/",
        kept=("token",),
    )
    text = requests.written([request], {"gang": "old-id"})
    [again] = requests.read(text, {"gang": "new-id"})
    assert again.path == "/gangs/new-id/"
    assert again.fields == request.fields and again.uploads[0].content[:2] == b"\x89\xff"
    assert requests.again(again, [("token", "fresh"), ("name", "x")]).fields == (
        ("name", "\ud800\x00é"),
        ("token", "fresh"),
    )
    _path, headers, body = request.encoded()
    assert b"\xed\xa0\x80\x00" in body and b"\x89\xff" in body
    assert "multipart/form-data" in dict(headers)["Content-Type"]


MARK = "planted"
PAGE_TYPE = {"content-type": "text/html; charset=utf-8"}
WRONG = {
    "an error": ("owner", Answer(500, PAGE_TYPE)),
    "503 without a word of when": ("owner", Answer(503, PAGE_TYPE)),
    "a failure behind a page": ("owner", Answer(200, PAGE_TYPE, failure="Traceback")),
    "endless": ("owner", Answer(200, PAGE_TYPE, computed=25)),
    "markup": ("owner", Answer(200, PAGE_TYPE, body=nasty.MARKUP.encode())),
    "a template": ("owner", Answer(200, PAGE_TYPE, body=nasty.TEMPLATE_DONE.encode())),
    "a header": ("owner", Answer(200, {nasty.HEADER.lower(): "1"})),
    "seen by a stranger": ("stranger", Answer(200, PAGE_TYPE, body=MARK.encode())),
}
RIGHT = {
    "a page": ("owner", Answer(200, PAGE_TYPE, body=MARK.encode())),
    "refused": ("owner", Answer(422, PAGE_TYPE)),
    "come again": ("owner", Answer(503, {"retry-after": "2"})),
    "not for strangers": ("stranger", Answer(404, PAGE_TYPE)),
    "by a slow machine": ("owner", Answer(200, PAGE_TYPE, computed=5, seconds=50)),
}


@pytest.mark.parametrize("case", WRONG)
def test_judge_finds_a_forbidden_answer(case: str, tmp_path: Path) -> None:
    person, answer = WRONG[case]
    assert Judge(tmp_path).wrong(Request("GET", "/", person), answer, MARK) is not None


@pytest.mark.parametrize("case", RIGHT)
def test_judge_accepts_a_permitted_answer(case: str, tmp_path: Path) -> None:
    person, answer = RIGHT[case]
    assert Judge(tmp_path).wrong(Request("GET", "/", person), answer, MARK) is None


def test_judge_limits_time_only_in_a_run_by_hand(tmp_path: Path) -> None:
    judge, page = Judge(tmp_path, by_clock=True), Request("GET", "/")
    assert judge.wrong(page, Answer(200, PAGE_TYPE, computed=2.5), MARK) is not None
    assert judge.is_slow(Answer(200, PAGE_TYPE, seconds=10_000))
    assert not judge.is_slow(Answer(200, PAGE_TYPE, seconds=10_000, delayed=9_999))
    assert not Judge(tmp_path).is_slow(Answer(200, PAGE_TYPE, seconds=10_000))


def _after_an_attack(folder: Path, pages: int, checked: int, looks_back: int) -> Judge:
    """Return a judge who counted this attack: pages opened, forms examined, and pages opened
    later.
    """
    judge = Judge(folder)
    for _ in range(pages):
        judge.count(Request("GET", "/", own=True), Answer(200, PAGE_TYPE))
    for _ in range(checked):
        judge.count(Request("POST", "/", own=True), Answer(422, PAGE_TYPE))
    judge.shown.add(MARK)
    judge.shelves["taken"] += 1
    judge.end_attack()
    for _ in range(looks_back):
        judge.count(Request("GET", "/", own=True), Answer(200, PAGE_TYPE))
    aftermath.check_teeth(judge)
    return judge


def test_attack_is_toothless_when_too_few_requests_reach_a_forms_own_checks(tmp_path: Path) -> None:
    assert _after_an_attack(tmp_path, pages=800, checked=300, looks_back=0).failures
    # Neither requests after the attack nor an attack cut short say anything about its teeth.
    assert not _after_an_attack(tmp_path, pages=600, checked=420, looks_back=900).failures
    assert not _after_an_attack(tmp_path, pages=80, checked=3, looks_back=0).failures


def test_attackers_send_more_forms_than_the_required_share() -> None:
    assert attacks.SHARE > aftermath.LEAST_SHARE * 1.2


def test_judge_keeps_similar_failures_as_one(tmp_path: Path) -> None:
    judge = Judge(tmp_path)
    for number in range(5):
        judge.fail("500", f"KeyError: '{number}' [views.py:{number}]", [Request("GET", "/")], {})
    [failure] = judge.failures.values()
    assert failure.count == 5 and len(failure.files) == 3
    [request] = requests.read(failure.files[0].read_text(), {})
    assert request.path == "/" and "GET /" in str(failure)


def test_summary_shortens_a_traceback_to_a_line() -> None:
    failure = (
        'Traceback (most recent call last):\n  File "/x/site-packages/django/a.py", line 1, in b\n'
        '  File "/x/gangs/models.py", line 7, in save\nValueError: no such gang\n'
    )
    assert summary(failure).startswith("ValueError: no such gang [")
    assert summary(failure + "name\n  bad\n").startswith("ValueError: no such gang [")
    assert summary("django.http.Http404\n").startswith("django.http.Http404 [")
    assert "models.py:7 save" in summary(failure) and "django" not in summary(failure)


def test_worker_reports_its_computing_time_and_its_failure() -> None:
    told: dict[str, str] = {}

    def application(environ, start_response):
        sum(range(300_000))
        try:
            raise ValueError("hidden")
        except ValueError:
            measuring._remember()
        start_response("200 OK", [("X", "1")])
        return [b""]

    measured = measuring._measured(application)
    measured({}, lambda status, headers, *rest: told.update(headers))
    assert 0 < float(told[measuring.COMPUTED]) < 10 and float(told[measuring.DELAYED]) >= 0
    assert "ValueError: hidden" in base64.b64decode(told[measuring.FAILED]).decode()


def test_watch_suspects_the_request_that_made_a_worker_grow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes = {1: (100.0, 100.0)}
    monkeypatch.setattr(memory, "memory_of", lambda pid: sizes[pid])
    monkeypatch.setattr(memory, "forget_peak", lambda pid: None)
    monkeypatch.setattr(memory, "PAUSE", 60)
    culprit = (Request("POST", "/gangs/import/"), {})
    judge = SimpleNamespace(recent=memory.deque(), flying={1: culprit})
    watch = memory.Watch(lambda: list(sizes), 0, judge.recent, judge.flying)
    sizes[1] = (120.0, 300.0)
    # A new worker is compared with those that were there.
    sizes[2] = (20.0, 130.0)
    watch.stop()
    assert watch.most == 200 and watch.suspects == [culprit]
    assert watch.before == {1: 100, 2: 100}


@pytest.mark.django_db
def test_club_opens_every_page_that_an_attack_starts_from(client: Client) -> None:
    made = club.make("blackwater-gulch")
    client.force_login(made.people["organiser"])
    statuses = {path: client.get(path).status_code for path in made.starts["organiser"]}
    assert {path for path, status in statuses.items() if status not in (200, 302)} == set()
    pages = "\n".join(made.starts["organiser"])
    for part in ("/stages/", "/fixtures/", "/standings/", "/trophies/", "/people/", "/seasons/"):
        assert part in pages, part
