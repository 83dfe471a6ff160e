"""What a change costs, and that its answer leaves a page that is as if it had been loaded again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from html.parser import HTMLParser
from typing import Any

import pytest
from crispy_forms.utils import render_crispy_form
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import User
from gangs.builder import forms
from gangs.builder.fields import fields_html
from gangs.builder.forms import MemberForm, RecruitForm
from gangs.cards.render import render
from gangs.engine import offers
from gangs.engine.computed import ComputedGang
from gangs.engine.fold import fold
from tests.gangs.builder.test_builder import Player
from tests.gangs.strategies import built
from tests.make import SLUGS, make_gang, scene_of, shipped
from tests.random_cases import random_cases

VOID = {"input", "link", "meta", "br", "img", "hr"}
# What is new on every page, and what only an answer says.
FRESH = {"version", "token", "csrfmiddlewaretoken"}


class Part:
    """An element of a page."""

    def __init__(self, tag: str, attrs: dict[str, str | None]) -> None:
        self.tag = tag
        self.attrs = attrs
        self.children: list[Part | str] = []

    def parts(self) -> Iterator[Part]:
        """All elements in it, itself first."""
        yield self
        for child in self.children:
            if isinstance(child, Part):
                yield from child.parts()

    def with_id(self, key: str) -> Part:
        return next(part for part in self.parts() if part.attrs.get("id") == key)

    def around(self, key: str) -> tuple[Part, int]:
        """What holds the element with this id, and at which place."""
        for part in self.parts():
            for place, child in enumerate(part.children):
                if isinstance(child, Part) and child.attrs.get("id") == key:
                    return part, place
        raise LookupError(key)

    def cards(self) -> list[Part]:
        return [one for one in self.children if isinstance(one, Part) and one.tag == "article"]

    def plain(self) -> Any:
        """What a reader gets of it."""
        if self.attrs.get("name") in FRESH:
            return self.attrs["name"]
        left_out = {"hx-swap-oob", "data-version", "data-token", "data-anew", "data-focus"}
        attrs = {key: value for key, value in self.attrs.items() if key not in left_out}
        children = [
            child.plain() if isinstance(child, Part) else " ".join(child.split())
            for child in self.children
            if not (isinstance(child, Part) and child.attrs.get("class") == "summary-said")
        ]
        return self.tag, attrs, [child for child in children if child]


class Reader(HTMLParser):
    """Reads a page, or an answer, as one element."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.root = Part("root", {})
        self.open = [self.root]
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        part = Part(tag, dict(attrs))
        self.open[-1].children.append(part)
        if tag not in VOID:
            self.open.append(part)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            while self.open.pop().tag != tag:
                pass

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


class Shown:
    """A builder's page in a browser, as far as changes concern it."""

    PANELS = ("summary", "findings", "recruit", "stash")

    def __init__(self, page: str) -> None:
        root = Reader(page).root
        self.panels = {key: root.with_id(key) for key in self.PANELS}
        self.roster = root.with_id("roster")
        self.cards = {str(card.attrs["id"]): card for card in self.roster.cards()}

    def swap(self, answer: str) -> None:
        """Do with an answer what htmx does, and before it the page's script."""
        for part in list(self.sent(answer)):
            how, key = part.attrs.get("hx-swap-oob"), str(part.attrs.get("id"))
            if how == "delete" and key in self.cards:
                del self.cards[key]
            elif how == "delete":
                around, place = self.root.around(key)
                del around.children[place]
            elif how and how.startswith("afterend:#"):
                around, place = self.root.around(how.removeprefix("afterend:#"))
                around.children[place + 1 : place + 1] = part.children
            elif how and how.startswith("afterbegin:#"):
                self.root.with_id(how.removeprefix("afterbegin:#")).children[:0] = part.children
            elif how == "beforeend:#roster":
                self.cards.update((str(card.attrs["id"]), card) for card in part.cards())
            elif key == "roster":
                self.roster = part
                self.cards = {str(card.attrs["id"]): card for card in part.cards()}
            elif key in self.cards:
                self.cards[key] = part
            elif key in self.panels:
                assert how == "true"
                self.panels[key] = part
            elif key != "said":
                assert how == "true"
                around, place = self.root.around(key)
                around.children[place] = part

    def sent(self, answer: str) -> Iterator[Part]:
        """What an answer wants put somewhere, out of what it had to be wrapped in for the way, and
        with what it only names."""
        read = Reader(answer).root
        for around in read.parts():
            children: list[Part | str] = []
            for child in around.children:
                named = isinstance(child, Part) and child.attrs.get("data-kept")
                prefix, *names = named.split(" ") if named else [""]
                kept = [deepcopy(self.root.with_id(prefix + name)) for name in names]
                children += kept or [child]
            around.children = children
        for part in read.children:
            if isinstance(part, Part):
                wrapped = part.children if part.tag == "template" else [part]
                yield from (one for one in wrapped if isinstance(one, Part))

    @property
    def root(self) -> Part:
        """All that is shown."""
        root = Part("root", {})
        root.children = [*self.panels.values(), *self.cards.values()]
        return root

    def seen(self, opened: int | None) -> dict[str, str]:
        """What the page tells of an open card, as its script does."""
        if opened is None:
            return {}
        seen = self.root.with_id(f"seen-{opened}").attrs["value"]
        return {"opened": str(opened), "seen": str(seen)}

    def plain(self) -> object:
        empty = [] if self.cards else self.roster.plain()
        cards = [(key, card.plain()) for key, card in self.cards.items()]
        return {key: panel.plain() for key, panel in self.panels.items()}, cards, empty


def buttons(player: Player, data: Any) -> tuple[int | None, str, dict[str, str]]:
    """Something to press: whose card must be open for it, where it leads, and what it sends."""
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
        (member.id, card, {"name": data.draw(st.sampled_from(["Zoé", "Bo", ""])), "notes": "x"}),
        (member.id, f"{card}points/", {"change": f"{data.draw(st.sampled_from(scores))}:1"}),
        (member.id, f"{card}traits/", {"take": data.draw(st.sampled_from(traits))}),
        (member.id, f"{card}items/", {"buy": data.draw(st.sampled_from(goods)), "q": ""}),
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


@pytest.mark.django_db(transaction=False)
@pytest.mark.parametrize("slug", SLUGS)
@random_cases(4, 60)
@given(data=st.data())
def test_an_answer_leaves_the_page_that_loading_it_anew_would_show(slug: str, data: Any) -> None:
    user, _new = User.objects.get_or_create(username="presser")
    client = Client()
    client.force_login(user)
    player = Player(client, make_gang(user, slug, None))
    for _ in range(data.draw(st.integers(3, 8))):
        opened, where, fields = buttons(player, data)
        at = f"{player.base}?open={opened}" if opened else player.base
        shown = Shown(client.get(at).content.decode())
        if "buy" in fields:
            picker = client.get(player.base + where, headers={"HX-Request": "true"})
            held = shown.root.with_id(f"picker-{opened}")
            held.children = Reader(picker.content.decode()).root.children
        answer = player.press(where, htmx=True, **shown.seen(opened) | fields)
        if answer.status_code != 200:
            assert answer.status_code == 422
            continue
        shown.swap(answer.content.decode())
        if "buy" in fields:
            picker = client.get(player.base + where, headers={"HX-Request": "true"})
            there = Reader(picker.content.decode()).root.plain()
            assert shown.root.with_id(f"picker-{opened}").plain()[2] == there[2], (where, fields)
        # A picker that was open stays so, which an address does not say.
        for part in [part for card in shown.cards.values() for part in card.parts()]:
            if str(part.attrs.get("id", "")).startswith("picker-"):
                part.children = []
        assert shown.plain() == Shown(client.get(at).content.decode()).plain(), (where, fields)


@pytest.fixture
def worked_out(monkeypatch: pytest.MonkeyPatch) -> list[ComputedGang]:
    """The states of gangs whose offers of ranks were all worked out."""
    states: list[ComputedGang] = []
    ranks: Callable[..., Any] = offers.ranks

    def counting(computed: ComputedGang, origin: str | None = None) -> Any:
        states.append(computed)
        return ranks(computed, origin)

    monkeypatch.setattr(offers, "ranks", counting)
    return states


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """The forms for recruiting that were made: whether each had been sent."""
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
        # What was on offer before is known from the page that was shown.
        (True, "leader", 200, 1, [True, False]),
        (False, "nobody", 422, 1, [True]),
        (True, "nobody", 422, 1, [True]),
    ],
)
def test_recruiting_works_all_offers_out_once(
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


@pytest.mark.parametrize("slug", SLUGS)
def test_fields_are_those_that_crispy_lays_out(alice: User, slug: str) -> None:
    gangs = [make_gang(alice, slug, sample) for sample in (None, 0)]
    for gang in [*gangs, *gangs]:
        computed = scene_of(gang)
        recruit = RecruitForm(computed)
        assert fields_html(recruit) == render_crispy_form(RecruitForm(computed))
        for member in computed.roster.members:
            expected = render_crispy_form(MemberForm(computed, member))
            assert fields_html(MemberForm(computed, member)) == expected


@pytest.mark.parametrize("slug", SLUGS)
@random_cases(10, 200)
@given(data=st.data())
def test_what_is_taken_over_from_another_state_is_as_if_worked_out_anew(
    slug: str, data: Any
) -> None:
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
