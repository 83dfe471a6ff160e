"""Runs of the script per request: at most two, and one when nothing changes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.models import User
from campaigns.models import Side
from campaigns.postgames import drafts
from tests.campaigns.postgames.test_pages import Evening

Count = Callable[[], int]


@pytest.fixture
def plays(monkeypatch: pytest.MonkeyPatch) -> Count:
    """Return the number of runs of the script since the last call."""
    count = 0
    play = drafts.play

    def counted(*args: object) -> object:
        nonlocal count
        count += 1
        return play(*args)  # type: ignore[arg-type]

    def since() -> int:
        nonlocal count
        count, now = 0, count
        return now

    monkeypatch.setattr(drafts, "play", counted)
    return since


@pytest.fixture
def night(alice: User, dora: User, bob: User) -> Evening:
    evening = Evening("zombstone", "win", alice, dora, bob)
    hurt = [evening.ids("vedette")[0], evening.ids("second_role")[0]]
    evening.play(dict.fromkeys(hurt, "hs"))
    return evening


def post(night: Evening, page: str, /, *, htmx: bool = False, **data: object) -> int:
    """Send a form of the current page; return the answer's status."""
    side = Side.objects.get(pk=night.side.pk)
    night.gang.refresh_from_db()
    sent = {"seen": side.draft_version, "seen_gang": night.gang.version, **data}
    headers = {"HX-Request": "true"} if htmx else {}
    return night.browser.post(night.url(page), sent, headers=headers).status_code


@pytest.mark.long
@pytest.mark.parametrize("htmx", [False, True])
def test_request_plays_the_script_at_most_twice(night: Evening, plays: Count, htmx: bool) -> None:
    done = 200 if htmx else 302
    first, second = night.keys(night.page())
    assert plays() == 1, "a page plays the script once"

    def answered(status: int, /, **data: object) -> int:
        assert post(night, "postgame-answer", htmx=htmx, **data) == status
        return plays()

    assert answered(422, act="typed", key=first, faces="joker") == 1
    assert answered(422, act="throw", key="nothing") == 1
    assert answered(409, act="throw", key=first, seen=99) == 2
    assert answered(done, act="typed", key=first, faces="10") == 2
    assert answered(done, act="correct", key=first) == 2
    assert answered(done, act="throw-all", step="fates") == 2
    assert answered(422, act="throw", key=second) == 1
    for _ in range(20):
        state = drafts.load(Side.objects.get(pk=night.side.pk)).playthrough.current
        assert plays() == 1 and state is not None
        if state.hiring is not None:
            break
        if state.waiting:
            assert answered(done, act="throw", key=state.waiting[0].key) == 2
        elif question := next((one for one in state.questions if not one.chosen), None):
            free = next(one.value for one in question.choices if one.refusal is None)
            assert answered(done, act="choose", key=question.key, option=free) == 2
        else:
            assert answered(done, act="finish", step=state.step.key) == 2
    assert answered(done, act="hire", rank="figurant", name="New") == 2
    assert answered(422, act="hire", rank="nobody", name="New") == 1
    assert answered(done, act="unhire", place=0) == 2
    assert answered(done, act="finish", step="recruits") == 2
    assert answered(done, act="reopen", step="recruits") == 2
    assert answered(done, act="finish", step="recruits") == 2
    assert night.browser.get(night.url("postgame-preview")).status_code == 200
    assert plays() == 1
    assert post(night, "postgame-commit", seen=99) == 409
    assert plays() == 1
    assert post(night, "postgame-commit") == 302
    assert plays() == 1


@pytest.mark.long
def test_correction_plays_the_script_at_most_twice(night: Evening, plays: Count) -> None:
    post(night, "postgame-answer", act="throw-all", step="fates")
    for _ in range(20):
        state = drafts.load(Side.objects.get(pk=night.side.pk)).playthrough.current
        if state is None:
            break
        if state.waiting:
            post(night, "postgame-answer", act="throw", key=state.waiting[0].key)
        elif question := next((one for one in state.questions if not one.chosen), None):
            free = next(one.value for one in question.choices if one.refusal is None)
            post(night, "postgame-answer", act="choose", key=question.key, option=free)
        else:
            post(night, "postgame-answer", act="finish", step=state.step.key)
    assert post(night, "postgame-commit") == 302
    plays()
    assert (post(night, "postgame-correct"), plays()) == (302, 0)
    assert (post(night, "postgame-correct", back=1), plays()) == (302, 0)
    assert (post(night, "postgame-correct"), plays()) == (302, 0)
    assert (post(night, "postgame-answer", act="reopen", step="recruits"), plays()) == (302, 2)
    assert (post(night, "postgame-answer", act="finish", step="recruits"), plays()) == (302, 2)
    assert night.browser.get(night.url("postgame-preview")).status_code == 200
    assert plays() == 1
    assert (post(night, "postgame-commit", reason=""), plays()) == (302, 1)
