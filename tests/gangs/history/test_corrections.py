"""Correcting a gang's past by its pages: first a preview, then a form that carries it out."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from campaigns.models import Campaign
from common.errors import Refusal
from gangs import hooks
from gangs.engine import actions
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import KINDS, Entry
from gangs.engine.fold import apply
from gangs.engine.roster import Roster
from gangs.history.entry_form import ADDED, EntryForm, EntryMoment
from gangs.ledger import storage, writer
from gangs.models import Gang
from rules.engine.dice import DiceRoll
from tests.test_queries import measure_answer
from tests.world.campaigns import make_campaign, make_player
from tests.world.gangs import SLUGS, make_gang, played, shipped


@pytest.fixture
def gang(alice: User) -> Gang:
    """Bill with a knife, and a game played: entries 1 to 5."""
    gang = make_gang(alice, sample=None)
    append(gang, kinds.Recruited(rank="henchman", name="Bill", paid=50))
    append(gang, kinds.Bought(item="knife", member=2, paid=1))
    append(gang, played(gang.book, "g1", 2), kinds.Earned(amount=7, why="gift"))
    return gang


@pytest.fixture
def browser(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


def append(gang: Gang, *entries: Entry) -> None:
    writer.append(gang, entries, expected_version=gang.version, actor=gang.owner)


def history(gang: Gang) -> str:
    return reverse("gangs:history", args=[gang.pk])


def correct(gang: Gang, *seqs: int) -> str:
    return f"{reverse('gangs:correct', args=[gang.pk])}?{urlencode([('strike', s) for s in seqs])}"


def edit_of(gang: Gang, seq: int) -> str:
    return reverse("gangs:edit-entry", args=[gang.pk, seq])


def text(answer: Any) -> str:
    return unescape(answer.content.decode())


def read_form(page: str) -> tuple[str, dict[str, Any]]:
    """Return the address of the page's main form, and its fields as they are drawn."""
    form = re.search(r'<form class="panel"[^>]*?(?: action="([^"]*)")?>(.*?)</form>', page, re.S)
    assert form
    fields: dict[str, Any] = {}
    for field in re.findall(r"<input[^>]*>", form[2]):
        name = re.search(r'name="([^"]*)"', field)
        value = re.search(r'value="([^"]*)"', field)
        chosen = 'type="radio"' not in field and 'type="checkbox"' not in field
        if name and (chosen or "checked" in field):
            fields.setdefault(name[1], []).append(value[1] if value else "")
    for select in re.findall(r'<select[^>]*name="([^"]*)"[^>]*>(.*?)</select>', form[2], re.S):
        chosen_one = re.search(r'<option value="([^"]*)" selected', select[1])
        fields[select[0]] = [chosen_one[1] if chosen_one else ""]
    return form[1] or "", fields


def send(browser: Client, page: Any, at: str = "", **changed: Any) -> Any:
    """Send the form of a page as it is drawn, except for the ``changed`` fields."""
    action, fields = read_form(text(page))
    return browser.post(action or at, {**fields, **changed})


class TestStriking:
    def test_correction_strikes_a_single_entry(self, browser: Client, gang: Gang) -> None:
        page = browser.get(correct(gang, 5))
        assert "The gang earned 7" in text(page)
        assert Gang.objects.get().version == gang.version
        answer = send(browser, page, reason="It was counted twice.")
        assert answer.status_code == 302
        gang.refresh_from_db()
        assert gang.roster.treasury == 0 and gang.roster.games == 1
        told = text(browser.get(history(gang)))
        assert "“It was counted twice.”" in told and "1 correction" in told

    def test_entries_that_no_longer_fit_must_be_struck_too(
        self, browser: Client, gang: Gang
    ) -> None:
        page = browser.get(correct(gang, 2))
        assert "These would no longer fit" in text(page) and "cannot stay" in text(page)
        answer = send(browser, page, **{"entry-3": "keep"})
        assert answer.status_code == 422 and "what to do with it" in text(answer)
        assert Gang.objects.get().roster.members
        answer = send(browser, page, **{"entry-3": "strike"})
        assert answer.status_code == 302 and not Gang.objects.get().roster.members

    @pytest.mark.parametrize(("fate", "left"), [("keep", -5), ("strike", 0)])
    def test_doubtful_entry_may_stay(
        self, browser: Client, gang: Gang, fate: str, left: int
    ) -> None:
        append(gang, kinds.Bought(item="knife", member=None, paid=5))
        page = browser.get(correct(gang, 5))
        assert "5 more than the treasury held then" in text(page)
        assert "chip-warning" not in text(page)
        answer = send(browser, page, **{"entry-6": fate})
        assert answer.status_code == 302
        assert Gang.objects.get().roster.treasury == left

    def test_history_button_asks_only_when_an_entry_is_doubtful(
        self, browser: Client, gang: Gang
    ) -> None:
        append(gang, kinds.Bought(item="knife", member=None, paid=5))
        game = gang.entries.get(seq=5).batch
        strike = reverse("gangs:strike", args=[gang.pk, game])
        page = browser.post(strike, {"version": gang.version})
        # Before a game nothing is paid out of a treasury, so nothing is in doubt any more.
        assert page.status_code == 302
        gang.refresh_from_db()
        browser.post(
            reverse("gangs:restore", args=[gang.pk, gang.strikes.get().pk]),
            {"version": gang.version},
        )
        assert Gang.objects.get().roster.games == 1
        page = browser.get(strike, follow=True)
        assert "What would change" in text(page)

    def test_game_is_not_struck_without_its_post_game(self, browser: Client, gang: Gang) -> None:
        answer = browser.get(correct(gang, 4))
        assert answer.status_code == 422 and "undo the whole post-game" in text(answer)

    @pytest.mark.parametrize("seq", [1, 99])
    def test_founding_cannot_be_struck(self, browser: Client, gang: Gang, seq: int) -> None:
        answer = browser.get(correct(gang, seq))
        assert answer.status_code in (302, 422)
        assert not gang.strikes.exists()

    def test_stale_page_is_refused(self, browser: Client, gang: Gang) -> None:
        page = browser.get(correct(gang, 5))
        append(gang, kinds.Renamed(name="Newer"))
        answer = send(browser, page)
        assert answer.status_code == 409 and "changed elsewhere" in text(answer)
        assert not gang.strikes.exists()

    def test_correction_is_undone_and_redone(self, browser: Client, gang: Gang) -> None:
        send(browser, browser.get(correct(gang, 5)))
        for amount in (7, 0):
            act = gang.strikes.order_by("pk").last()
            assert act is not None
            back = reverse("gangs:restore", args=[gang.pk, act.pk])
            assert act.pk and "Undo the correction" in text(browser.get(history(gang)))
            browser.post(back, {"version": Gang.objects.get().version})
            assert Gang.objects.get().roster.treasury == amount
        answer = browser.get(back)
        assert answer.status_code == 422 and "already undone" in text(answer)


class TestEditing:
    def test_edit_replaces_an_entry(self, browser: Client, gang: Gang) -> None:
        page = browser.get(edit_of(gang, 2))
        assert "Bill was recruited" in text(page)
        page = send(browser, page, edit_of(gang, 2), name="William", rank="leader", paid="100")
        assert "William was recruited as Leader" in text(page)
        assert Gang.objects.get().roster.member(2).name == "Bill"
        answer = send(browser, page, edit_of(gang, 2), reason="His real name")
        assert answer.status_code == 302
        gang.refresh_from_db()
        member = gang.roster.member(2)
        assert (member.name, member.rank, len(member.items)) == ("William", "leader", 1)
        told = text(browser.get(history(gang)))
        assert "Corrected by alice" in told and "“His real name”" in told
        # It has the time and game of the entry that it replaces.
        new, old = gang.entries.live().get(number=2), gang.entries.get(seq=2)
        assert (new.at, new.batch, new.place) == (old.at, old.batch, old.place)

    def test_second_click_does_not_correct_twice(self, browser: Client, gang: Gang) -> None:
        page = browser.get(edit_of(gang, 5))
        page = send(browser, page, edit_of(gang, 5), amount="9")
        action, fields = read_form(text(page))
        assert [browser.post(action, fields).status_code for _ in range(2)] == [302, 302]
        add = reverse("gangs:add-entry", args=[gang.pk])
        page = send(browser, browser.get(f"{add}?kind=earned"), add, amount="1", why="gift")
        action, fields = read_form(text(page))
        assert [browser.post(action, fields).status_code for _ in range(2)] == [302, 302]
        assert gang.strikes.count() == 2 and Gang.objects.get().roster.treasury == 10

    def test_invalid_value_is_explained_beside_its_field(self, browser: Client, gang: Gang) -> None:
        page = browser.get(edit_of(gang, 5))
        for typed in ("", "-1", "0.3", "many"):
            answer = send(browser, page, edit_of(gang, 5), amount=typed)
            assert answer.status_code == 422 and "is-invalid" in text(answer)
            assert not typed or f'value="{typed}"' in text(answer)
        answer = send(browser, page, edit_of(gang, 5))
        assert answer.status_code == 422 and "Nothing has changed." in text(answer)
        assert not gang.strikes.exists()

    def test_edit_offers_only_members_and_items_of_that_moment(
        self, browser: Client, gang: Gang
    ) -> None:
        append(gang, kinds.Recruited(rank="henchman", name="Latecomer"))
        assert "Latecomer" not in text(browser.get(edit_of(gang, 3)))
        add = reverse("gangs:add-entry", args=[gang.pk])
        assert "Latecomer" in text(browser.get(f"{add}?kind=learned"))

    def test_values_can_be_changed_before_confirming(self, browser: Client, gang: Gang) -> None:
        page = browser.get(edit_of(gang, 5))
        page = send(browser, page, edit_of(gang, 5), amount="9")
        answer = send(browser, page, back="1")
        assert answer.status_code == 200 and 'value="9' in text(answer)
        assert not gang.strikes.exists()

    def test_correction_continues_after_another_entry_is_corrected(
        self, browser: Client, gang: Gang
    ) -> None:
        append(gang, kinds.Recruited(rank="henchman", name="Ann"))
        append(gang, kinds.Named(member=2, name="Bob"))
        page = browser.get(correct(gang, 2))
        first = re.search(r'href="([^"]*entries/7/[^"]*)"', text(page))
        assert first
        form = send(browser, browser.get(first[1]), first[1], member="6")
        answer = send(browser, form, edit_of(gang, 7))
        assert answer.status_code == 302 and answer["Location"] == correct(gang, 2)
        page = browser.get(answer["Location"])
        assert "entries/3/" in text(page) and "entries/8/" not in text(page)

    @pytest.mark.parametrize("next", ["https://elsewhere.example/", "//elsewhere.example/", "/x"])
    def test_correction_never_redirects_to_another_site(
        self, browser: Client, gang: Gang, next: str
    ) -> None:
        page = browser.get(f"{edit_of(gang, 5)}?{urlencode({'next': next})}")
        page = send(browser, page, edit_of(gang, 5), amount="9", next=next)
        answer = send(browser, page, next=next)
        assert answer.status_code == 302 and answer["Location"].startswith(
            f"{history(gang)}?entry="
        )

    def test_page_explains_why_an_entry_cannot_be_changed(
        self, browser: Client, gang: Gang
    ) -> None:
        for seq in (1, 4):
            page = text(browser.get(edit_of(gang, seq)))
            assert "This cannot be changed here" in page and '<form class="panel"' not in page
        assert browser.get(edit_of(gang, 99)).status_code == 404

    def test_edit_accepts_new_dice(self, browser: Client, gang: Gang) -> None:
        roll = DiceRoll(dice="2d6", faces=(1, 2), thrown_by="app")
        append(gang, kinds.Learned(member=2, amount=1, roll=roll))
        page = browser.get(edit_of(gang, 6))
        assert 'value="1 2"' in text(page)
        answer = send(browser, page, edit_of(gang, 6), roll="7 1")
        assert answer.status_code == 422 and "type 2 numbers from 1 to 6" in text(answer)
        page = send(browser, page, edit_of(gang, 6), roll="3 4", amount="2")
        send(browser, page, edit_of(gang, 6))
        entry = storage.read_entry(Gang.objects.get().entries.live().get(number=6))
        assert isinstance(entry, kinds.Learned) and entry.roll is not None
        assert (entry.roll.faces, entry.roll.thrown_by, entry.amount) == ((3, 4), "table", 2)

    def test_locked_gang_refuses_edits(
        self, browser: Client, gang: Gang, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(
            hooks.oversight, "why_locked", lambda gang: Refusal("postgame_waits"), raising=True
        )
        page = browser.get(edit_of(gang, 5))
        answer = send(browser, page, edit_of(gang, 5), amount="9")
        assert answer.status_code == 422 and "finish it and its post-game first" in text(answer)
        # The lock does not stop strikes.
        assert send(browser, browser.get(correct(gang, 5))).status_code == 302


class TestAdding:
    @pytest.mark.long
    def test_every_kind_has_a_form_to_add_it(self, browser: Client, gang: Gang) -> None:
        add = reverse("gangs:add-entry", args=[gang.pk])
        assert all(f"?kind={kind}" in text(browser.get(add)) for kind in ADDED)
        for kind in ADDED:
            assert browser.get(f"{add}?kind={kind}").status_code == 200
            assert browser.post(add, {"kind": kind}).status_code == 422

    def test_added_entry_can_be_undone(self, browser: Client, gang: Gang) -> None:
        add = reverse("gangs:add-entry", args=[gang.pk])
        page = send(browser, browser.get(f"{add}?kind=learned"), add, member="2", amount="3")
        assert "Bill: Experience +3." in text(page)
        send(browser, page, reason="Forgotten")
        assert Gang.objects.get().roster.member(2).experience == 3
        page = browser.get(reverse("gangs:restore", args=[gang.pk, gang.strikes.get().pk]))
        send(browser, page)
        assert Gang.objects.get().roster.member(2).experience == 0

    def test_entry_that_does_not_fit_is_refused_with_a_reason(
        self, browser: Client, gang: Gang
    ) -> None:
        add = reverse("gangs:add-entry", args=[gang.pk])
        page = browser.get(f"{add}?kind=recovered")
        condition = gang.book.conditions[0].key
        answer = send(browser, page, add, member="2", condition=condition, paid="0")
        assert answer.status_code == 422 and "no longer suffers from it" in text(answer)


@pytest.mark.parametrize("slug", SLUGS)
def test_every_editable_entry_has_a_form_that_reproduces_it(slug: str) -> None:
    """Sending the form as it is drawn gives the same entry."""
    book = shipped(slug)
    rank, item = book.ranks[0].key, book.items[0].key
    condition = [row.key for row in book.conditions[:1]]
    entries: list[Entry] = [
        kinds.Founded(name="Gang", settings={}),
        kinds.Recruited(rank=rank, name="Bill", paid=1.5),
        kinds.Bought(item=item, member=2, paid=3),
        kinds.Noted(member=2, text="Two\nlines"),
        kinds.Moved(item=3, member=None),
        *(kinds.Suffered(member=2, condition=key, games=2) for key in condition),
        kinds.Earned(amount=2, why="gift"),
        kinds.Learned(member=2, amount=4, roll=DiceRoll(dice="1d6", faces=(4,), thrown_by="app")),
        *(kinds.TraitTaken(member=2, trait=row.key, advance=True) for row in book.traits[:1]),
        kinds.Promoted(member=2, rank=rank, keeps_price=True, profile="best"),
        kinds.SquadJoined(member=2, squad="A"),
        kinds.Died(member=2, gear="stash"),
    ]
    roster = Roster()
    for number, entry in enumerate(entries, start=1):
        if entry.editable:
            moment = EntryMoment(book, roster, number)
            data = QueryDict(mutable=True)
            for field in EntryForm(moment, entry.kind, entry):
                # A box that is not ticked is not sent.
                if field.value() is not False:
                    data[field.name] = str(field.value())
            again = EntryForm(moment, entry.kind, entry, data)
            assert not again.is_valid()
            assert list(again.errors.values()) == [["Nothing has changed."]]
        roster = apply(book, roster, number, entry)


def test_every_kind_is_editable_or_fixed() -> None:
    fixed = {"founded", "joined", "played", "upgraded", "settings", "hired"}
    assert {kind for kind, model in KINDS.items() if not model.editable} == fixed
    assert set(ADDED) <= set(KINDS) - fixed


class TestOrganiser:
    @pytest.fixture
    def campaign(self, bob: User) -> Campaign:
        return make_campaign(bob)

    @pytest.fixture
    def hers(self, campaign: Campaign, alice: User) -> Gang:
        hers = make_player(campaign, alice)
        append(hers, kinds.Earned(amount=7, why="gift"))
        return hers

    @pytest.fixture
    def organiser(self, bob: User) -> Client:
        browser = Client()
        browser.force_login(bob)
        return browser

    def test_organiser_gives_a_reason_that_the_owner_sees(
        self, organiser: Client, browser: Client, hers: Gang
    ) -> None:
        seq = hers.last_seq
        page = organiser.get(history(hers))
        assert "This gang is somebody else’s" in text(page)
        page = organiser.get(correct(hers, seq))
        answer = send(organiser, page)
        assert answer.status_code == 422 and "is-invalid" in text(answer)
        assert Gang.objects.get(pk=hers.pk).roster.earned == 7
        answer = send(organiser, page, reason="Nobody gave that.")
        assert answer.status_code == 302
        told = text(browser.get(history(hers)))
        assert "Undone by bob as an organiser" in told and "“Nobody gave that.”" in told
        act = hers.strikes.get()
        assert act.by_organiser and act.actor is not None and act.actor.username == "bob"
        # She may undo it.
        browser.post(
            reverse("gangs:restore", args=[hers.pk, act.pk]),
            {"version": Gang.objects.get(pk=hers.pk).version},
        )
        assert Gang.objects.get(pk=hers.pk).roster.earned == 7

    def test_strike_button_asks_an_organiser_for_a_reason(
        self, organiser: Client, hers: Gang
    ) -> None:
        batch = hers.entries.get(seq=hers.last_seq).batch
        strike = reverse("gangs:strike", args=[hers.pk, batch])
        page = organiser.post(strike, {"version": hers.version})
        assert page.status_code == 200 and "Why?" in text(page)
        assert not hers.strikes.exists()

    def test_edits_by_an_organiser_are_marked(
        self, organiser: Client, browser: Client, hers: Gang
    ) -> None:
        at = edit_of(hers, hers.last_seq)
        page = send(organiser, organiser.get(at), at, amount="2")
        assert send(organiser, page, at).status_code == 422
        send(organiser, page, at, reason="It was 2")
        assert Gang.objects.get(pk=hers.pk).roster.earned == 2
        assert "Corrected by bob as an organiser" in text(browser.get(history(hers)))

    def test_organiser_overrules_a_maximum_with_a_reason(
        self, organiser: Client, hers: Gang
    ) -> None:
        """An organiser with a reason adds a member although the maximum is reached."""
        append(hers, played(hers.book, "g1"))
        leads = next(rank.key for rank in hers.book.ranks if rank.leads)
        here = ComputedGang.of(hers.book, hers.roster)
        with pytest.raises(Refusal, match="beyond_limit"):
            actions.recruit(here, leads, "Second")
        add = reverse("gangs:add-entry", args=[hers.pk])
        said = {"rank": leads, "name": "Second", "paid": "0"}
        page = send(organiser, organiser.get(f"{add}?kind=recruited"), add, **said)
        assert send(organiser, page, add).status_code == 422
        assert send(organiser, page, add, reason="Both of them, for this season").status_code == 302
        members = Gang.objects.get(pk=hers.pk).roster.members
        assert [member.name for member in members if member.rank == leads][1:] == ["Second"]

    def test_organiser_has_access_only_while_the_gang_is_in_the_campaign(
        self, organiser: Client, hers: Gang, campaign: Campaign
    ) -> None:
        assert organiser.get(history(hers)).status_code == 200
        campaign.memberships.update(left_at=timezone.now())
        assert organiser.get(history(hers)).status_code == 404
        campaign.memberships.update(left_at=None)
        Campaign.objects.update(archived_at=timezone.now())
        assert organiser.get(history(hers)).status_code == 404


@pytest.mark.parametrize("corrections", [1, 8])
def test_history_queries_do_not_grow_with_corrections(
    browser: Client, gang: Gang, corrections: int
) -> None:
    for number in range(corrections):
        append(gang, kinds.Renamed(name=f"Name {number}"))
        act = writer.revise(
            gang, strike=[gang.last_seq], expected_version=gang.version, actor=gang.owner
        )
        if number % 2:
            writer.revise(gang, undoes=act, expected_version=gang.version, actor=gang.owner)
    queries, _ = measure_answer(browser, "GET", history(gang))
    assert queries == 6


def build_long(gang: Gang) -> None:
    """Fifty names, each in its own batch; fifteen of them are struck."""
    for number in range(50):
        append(gang, kinds.Renamed(name=f"Name {number};"))
    for seq in range(6, 21):
        writer.revise(gang, strike=[seq], expected_version=gang.version, actor=gang.owner)


@pytest.mark.long
def test_history_is_shown_in_pages(browser: Client, gang: Gang) -> None:
    build_long(gang)
    pages = [text(browser.get(history(gang), {"page": number})) for number in (1, 2, 3)]
    assert "Name 49;" in pages[0] and "Name 0;" not in pages[0].partition('id="history"')[2]
    assert "Name 0;" in pages[2] and "Page 3 of 3" in pages[2]
    shown = [re.findall(r'id="entry-(\d+)"', page) for page in pages]
    assert sorted(map(int, sum(shown, []))) == [1, 2, 3, 4, *range(6, 56)]


@pytest.mark.long
def test_corrections_are_shown_on_separate_pages(browser: Client, gang: Gang) -> None:
    build_long(gang)
    first = text(browser.get(history(gang)))
    second = text(browser.get(history(gang), {"corrections": 2}))
    assert "15 corrections" in first and first.count('id="correction-') == 10
    assert second.count('id="correction-') == 5
    assert 'id="corrections" open' in second and 'id="corrections" open' not in first


def test_an_undone_entry_is_shown_on_its_page_where_it_can_be_restored(
    browser: Client, gang: Gang
) -> None:
    build_long(gang)
    batch = gang.entries.get(seq=22).batch
    strike = reverse("gangs:strike", args=[gang.pk, batch])
    answer = browser.post(strike, {"version": gang.version})
    assert answer["Location"] == f"{history(gang)}?entry=22#entry-22"
    page = text(browser.get(answer["Location"]))
    assert 'class="is-struck" id="entry-22"' in page and "Page 2 of 3" in page
