"""The cost of a change, and its answer: the page is the same as if it had been loaded again."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import User
from gangs.builder import forms
from gangs.builder.forms import RecruitForm
from gangs.cards.render import render
from gangs.engine import offers
from gangs.engine.computed import ComputedGang
from gangs.engine.fold import fold
from tests.gangs.builder.test_builder import Player
from tests.gangs.strategies import built
from tests.random_cases import one_soon, random_cases
from tests.world.gangs import SLUGS, make_gang, shipped

# Values that are new on every page, and parts that only an answer contains.
FRESH = re.compile(
    r'name="(?:csrfmiddlewaretoken|token)" value="\w+"|<p class="summary-said".*?</p>', re.DOTALL
)
# Parts that no change reaches, which answers leave out.
OWN = re.compile(r" data-own>(?!</div>).*?</(?:details|section)>\s*</div>", re.DOTALL)


def region(page: str) -> list[str]:
    """Return the part of a page that a change can reach, without the values that are always new."""
    if "<main" in page:
        page = page.partition('<div id="builder"')[2].partition(">")[2].partition("</main>")[0]
        page = page.rstrip().removesuffix("</div>")
    return OWN.sub(" data-own></div>", FRESH.sub("", page)).split()


def buttons(player: Player, data: Any) -> tuple[int | None, str, dict[str, str]]:
    """Draw a button: the member whose card must be open for it, its address, and the values it
    sends.
    """
    book, roster = player.gang.book, player.roster()
    ranks = [rank.key for rank in book.ranks]
    recruit = None, "members/", {"rank": data.draw(st.sampled_from(ranks)), "name": "Bo"}
    if not roster.members:
        return recruit
    member = data.draw(st.sampled_from(roster.members))
    card = f"members/{member.id}/"
    goods = [item.key for item in book.items]
    traits = [trait.key for trait in book.traits] or ["none"]
    scores = [row.key for row in book.characteristics]
    pressed: list[tuple[int | None, str, dict[str, str]]] = [
        recruit,
        (None, f"{card}dismissal/", {}),
        (None, f"{card}double/", {}),
        (None, "undo/", {}),
        (None, "redo/", {}),
        (member.id, card, {"name": data.draw(st.sampled_from(["Zoé", "Bo", ""])), "notes": "x"}),
        (member.id, f"{card}points/", {"change": f"{data.draw(st.sampled_from(scores))}:1"}),
        (member.id, f"{card}traits/", {"take": data.draw(st.sampled_from(traits))}),
        (member.id, f"{card}items/", {"buy": data.draw(st.sampled_from(goods))}),
        (member.id, f"{card}place/", {"to": data.draw(st.sampled_from(["up", "down"]))}),
        (
            None,
            "members/order/",
            {"member": str(member.id), "to": str(data.draw(st.integers(0, 9)))},
        ),
    ]
    takers = ["stash", "away", *(str(other.id) for other in roster.members)]
    pressed += [
        (member.id, f"items/{owned.id}/", {"to": to, "opened": str(member.id)})
        for owned in member.items[:1]
        for to in takers
    ]
    return data.draw(st.sampled_from(pressed))


@pytest.mark.long
@pytest.mark.django_db(transaction=False)
@pytest.mark.parametrize("slug", one_soon(SLUGS))
@random_cases(4, 60)
@given(data=st.data())
def test_answer_equals_the_page_after_loading_it_again(slug: str, data: Any) -> None:
    user, _new = User.objects.get_or_create(username="presser")
    client = Client()
    client.force_login(user)
    player = Player(client, make_gang(user, slug, None))
    for _ in range(data.draw(st.integers(3, 8))):
        opened, where, fields = buttons(player, data)
        shown = {"open": str(opened)} if opened else {}
        answer = player.press(where, htmx=True, **shown | fields)
        if answer.status_code != 200:
            assert answer.status_code == 422
            continue
        stayed = opened in [member.id for member in player.roster().members]
        loaded = player.base + (f"?open={opened}" if stayed else "")
        page = client.get(loaded).content.decode()
        if "buy" in fields:
            # A picker that was open stays open, which an address does not say.
            picker = client.get(player.base + where, headers={"HX-Request": "true"})
            place = f'<div id="picker-{opened}">'
            page = page.replace(place, place + picker.content.decode())
        assert region(answer.content.decode()) == region(page), (where, fields)


def test_answer_keeps_every_card_and_picker_open(client: Client, alice: User) -> None:
    client.force_login(alice)
    player = Player(client, make_gang(alice))
    first, second, third = (member.id for member in player.roster().members[:3])
    shown = [f"{first}", f"{second}:melee_one:knife", "999", "x:y:z"]
    answer = player.press(f"members/{third}/place/", htmx=True, open=shown, to="up")
    text = answer.content.decode()
    assert re.findall(r'class="card-member is-open[^"]*"\s+id="member-(\d+)"', text) == [
        str(first),
        str(third),
        str(second),
    ]
    assert re.findall(r'id="offers-(\d+)"', text) == [str(second)]
    assert 'id="q-3" name="q" value="knife"'.replace("3", str(second)) in text


@pytest.fixture
def worked_out(monkeypatch: pytest.MonkeyPatch) -> list[ComputedGang]:
    """Return the states of gangs whose rank offers were all computed."""
    states: list[ComputedGang] = []
    ranks: Callable[..., Any] = offers.ranks

    def counting(computed: ComputedGang, origin: str | None = None) -> Any:
        states.append(computed)
        return ranks(computed, origin)

    monkeypatch.setattr(offers, "ranks", counting)
    return states


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return whether each recruitment form that was made had been sent."""
    made: list[bool] = []
    initialise = RecruitForm.__init__

    def counting(form: RecruitForm, computed: ComputedGang, data: Any = None) -> None:
        made.append(data is not None)
        initialise(form, computed, data)

    monkeypatch.setattr(forms.RecruitForm, "__init__", counting)
    return made


@pytest.mark.parametrize(
    ("htmx", "rank", "status", "times", "sent"),
    [
        (False, "leader", 302, 0, [True]),
        (True, "leader", 200, 1, [True, False]),
        (False, "nobody", 422, 1, [True]),
        (True, "nobody", 422, 1, [True]),
    ],
)
def test_recruiting_computes_all_offers_once(
    client: Client,
    alice: User,
    worked_out: list[ComputedGang],
    made: list[bool],
    htmx: bool,
    rank: str,
    status: int,
    times: int,
    sent: list[bool],
) -> None:
    client.force_login(alice)
    player = Player(client, make_gang(alice, sample=None))
    state = player.form_state()
    worked_out.clear()
    made.clear()
    answer = player.press("members/", htmx=htmx, state=state, rank=rank, name="Ada")
    assert (answer.status_code, len(worked_out), made) == (status, times, sent)
    player.gang.refresh_from_db()
    now = [computed for computed in worked_out if computed.roster == player.gang.roster]
    assert len(now) == min(times, 1)


@pytest.mark.parametrize("slug", one_soon(SLUGS))
@random_cases(10, 200)
@given(data=st.data())
def test_values_reused_from_another_state_equal_fresh_ones(slug: str, data: Any) -> None:
    book = shipped(slug)
    log, _batches = data.draw(built(slug))
    computed, cached = None, None
    for cut in data.draw(st.lists(st.integers(1, len(log)), min_size=2, max_size=4)):
        roster = fold(book, log[:cut])
        computed = ComputedGang.of(book, roster, previous=computed)
        fresh = ComputedGang.of(book, roster)
        assert (computed.figures, computed.profiles) == (fresh.figures, fresh.profiles)
        page = render(computed, "fr", cached)
        assert page == render(fresh, "fr")
        cached = computed, page
