"""Past sheets and PDFs as of any game or day, and the changes between two moments."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader

from accounts.models import User
from gangs.cards.cache import computed_gang
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.differences import between
from gangs.engine.entries import Entry
from gangs.ledger import writer
from gangs.ledger.storage import dump_stored, roster_at
from gangs.models import Gang
from gangs.snapshots.moments import gap, place_on, stops, view_at
from printing.sheets import roster as papers
from tests.gangs.strategies import built
from tests.random_cases import one_soon, random_cases
from tests.world.gangs import POINTS, SLUGS, make_gang, make_version, played, shipped

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_shelf(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path


def add(gang: Gang, *entries: Entry) -> None:
    writer.append(gang, entries, expected_version=gang.version, actor=gang.owner)


def make_past(owner: User, games: int = 2) -> Gang:
    """A gang that loses a member in each game, recruits another after it, and is renamed at
    last."""
    gang = make_gang(owner, POINTS)
    rank = gang.book.ranks[-1].key
    for number in range(1, games + 1):
        ids = [member.id for member in gang.roster.members]
        game = played(gang.book, f"g{number}", *ids)
        add(gang, game, kinds.Died(member=ids[-1]), kinds.Learned(member=ids[0], amount=2))
        add(gang, kinds.Recruited(rank=rank, name=f"Newcomer {number}"))
    add(gang, kinds.Renamed(name="Another Name"))
    return gang


def address(gang: Gang, rest: str = "then/") -> str:
    return f"/gangs/{gang.pk}/{rest}"


def names_of(gang: Gang) -> list[tuple[str, int]]:
    return [(stop.kind, stop.game) for stop in stops(gang)]


def test_every_game_has_a_moment_before_and_after_it(alice: User) -> None:
    gang = make_past(alice)
    assert names_of(gang) == [
        ("founded", 0),
        ("after", 1),
        ("before", 2),
        ("after", 2),
        ("today", 0),
    ]
    founding, _, before, after, today = stops(gang)
    assert roster_at(gang, founding.place).games == 0
    assert roster_at(gang, before.place).games == 1
    assert roster_at(gang, after.place).games == 2
    assert dump_stored(roster_at(gang, today.place)) == gang.snapshot
    assert len(roster_at(gang, after.place).members) == len(gang.roster.members) - 1


def test_gang_before_its_first_game_is_a_separate_moment(alice: User) -> None:
    gang = make_gang(alice, POINTS)
    add(gang, kinds.Renamed(name="X"))
    assert names_of(gang) == [("founded", 0), ("today", 0)]
    add(gang, played(gang.book, "g1", gang.roster.members[0].id))
    assert names_of(gang) == [("founded", 0), ("before", 1), ("after", 1)]


def test_day_includes_its_last_entry(alice: User) -> None:
    gang = make_past(alice)
    start = datetime(2026, 5, 1, 20, tzinfo=UTC)
    for entry in gang.entries.all():
        gang.entries.filter(pk=entry.pk).update(at=start + timedelta(days=entry.seq))
    third = timezone.localtime(start + timedelta(days=3)).date()
    assert place_on(gang, third) == 3
    assert place_on(gang, third - timedelta(days=3)) is None
    assert place_on(gang, timezone.localdate()) == gang.last_seq
    assert place_on(gang, date.max) == gang.last_seq


def test_struck_game_has_no_moment_but_its_links_still_work(alice: User) -> None:
    gang = make_past(alice)
    after = stops(gang)[-2]
    game = gang.entries.live().filter(kind="played").last()
    assert game is not None
    writer.strike(gang, game.batch, expected_version=gang.version, actor=alice)
    assert [kind for kind, _ in names_of(gang)].count("after") == 1
    here = gap(gang, after.place, stops(gang))
    assert here is not None and roster_at(gang, after.place).games == 1


@pytest.mark.parametrize("slug", one_soon(SLUGS))
@random_cases(5, 50)
@given(data=st.data())
def test_last_moment_is_the_current_gang(slug: str, data: Any) -> None:
    log, batches = data.draw(built(slug))
    entries = dict(log)
    gang = writer.found(make_version(slug), [entries[1]], owner=None)
    for batch in batches[1:]:
        add(gang, *(entries[seq] for seq in batch))
    add(gang, played(gang.book, "g1", *(member.id for member in gang.roster.members)))
    *_, last = stops(gang)
    then = view_at(gang, last.place)
    assert (then.snapshot, then.name, then.book_version_id) == (
        gang.snapshot,
        gang.name,
        gang.book_version_id,
    )
    before = stops(gang)[-2]
    changed = between(computed_gang(view_at(gang, before.place)), computed_gang(gang))
    assert {shift.what: (shift.before, shift.after) for shift in changed.shifts}["games"] == (0, 1)
    assert not between(computed_gang(gang), computed_gang(gang))


class TestBetween:
    def scenes(self, gang: Gang, *entries: Entry) -> tuple[ComputedGang, ComputedGang]:
        before = computed_gang(gang)
        add(gang, *entries)
        return before, computed_gang(gang)

    def test_comparison_lists_new_and_departed_members(self, alice: User) -> None:
        gang = make_past(alice, 1)
        ids = [member.id for member in gang.roster.members]
        rank = gang.book.ranks[-1].key
        changed = between(
            *self.scenes(
                gang,
                kinds.Died(member=ids[0]),
                kinds.Dismissed(member=ids[1]),
                kinds.Recruited(rank=rank, name="Zoe"),
                kinds.Recruited(rank=rank, name="Yan"),
                kinds.Dismissed(member=gang.last_seq + 4),
            )
        )
        went = {one.id: one.fate for one in changed.members if one.now is None}
        assert went == {ids[0]: "dead", ids[1]: "dismissed", gang.last_seq - 1: "dismissed"}
        came = [one.name for one in changed.members if one.was is None]
        assert came == ["Zoe", "Yan"]
        assert ids[2] not in {one.id for one in changed.members}

    def test_comparison_lists_gains_and_losses_of_a_member(self, alice: User) -> None:
        gang = make_past(alice, 1)
        book, member = gang.book, gang.roster.members[1]
        condition = book.conditions[0]
        trait = next(row for row in book.traits if row.key not in member.traits)
        dropped = member.items[:1]
        (changed,) = between(
            *self.scenes(
                gang,
                kinds.Suffered(member=member.id, condition=condition.key, games=1),
                kinds.TraitTaken(member=member.id, trait=trait.key),
                kinds.Learned(member=member.id, amount=3),
                kinds.Named(member=member.id, name="The New Name"),
                *(kinds.Discarded(item=owned.id) for owned in dropped),
            )
        ).members
        differences = {one.sort: (one.more, one.less) for one in changed.differences}
        assert differences["traits"] == ((trait.name,), ())
        assert differences["conditions"] == ((condition.name,), ())
        assert differences["items"] == ((), tuple(book.item[one.key].name for one in dropped))
        shifts = {shift.what: (shift.before, shift.after) for shift in changed.shifts}
        assert shifts["experience"] == (member.experience, member.experience + 3)
        assert shifts["name"] == (member.name or None, "The New Name")

    def test_comparison_page_shows_the_differences(self, client: Client, alice: User) -> None:
        gang = make_past(alice)
        client.force_login(alice)
        first, *_, last = stops(gang)
        query = f"between/?from={first.place}&to={last.place}"
        page = client.get(address(gang, query)).content.decode()
        assert "Joined the gang." in page and "Died." in page and "Newcomer 2" in page
        assert "Another Name" in page
        turned = f"between/?from={last.place}&to={first.place}"
        other = client.get(address(gang, turned)).content.decode()
        assert page.count("Joined the gang.") == other.count("Joined the gang.") == 2

    def test_comparison_defaults_to_the_last_game(self, client: Client, alice: User) -> None:
        gang = make_past(alice, 3)
        client.force_login(alice)
        page = client.get(address(gang, "between/")).content.decode()
        before = {(stop.kind, stop.game): stop for stop in stops(gang)}["before", 3]
        assert f'<option value="{before.place}" selected>' in page
        assert f'<option value="{gang.last_seq}" selected>' in page
        assert "Newcomer 3" in page and "Newcomer 1" not in page

    def test_comparison_accepts_any_moment_and_rejects_nonsense(
        self, client: Client, alice: User
    ) -> None:
        gang = make_past(alice)
        client.force_login(alice)
        unnamed = stops(gang)[1].place - 1
        answer = client.get(address(gang, f"between/?from={unnamed}&to={gang.last_seq}"))
        assert answer.status_code == 200
        for wrong in ("from=0&to=2", "from=x", f"from=1&to={gang.last_seq + 1}", "to=99999999999"):
            answer = client.get(address(gang, f"between/?{wrong}"))
            assert answer.status_code == 422
            assert b"is-invalid" in answer.content


class TestPages:
    def test_past_sheet_links_to_its_neighbours(self, client: Client, alice: User) -> None:
        gang = make_past(alice)
        client.force_login(alice)
        _, after, before, *_ = stops(gang)
        page = client.get(address(gang, f"then/{after.place}/")).content.decode()
        assert "After game 1, A game" in page
        assert f"/then/{before.place}/" in page and "Newcomer 1" not in page
        assert f'href="/gangs/{gang.pk}/then/{after.place}/sheet.pdf"' in page
        assert "Another Name" not in page.split("<main")[1]
        page = client.get(address(gang, f"then/{before.place}/")).content.decode()
        assert "Newcomer 1" in page

    def test_missing_moment_is_not_found(self, client: Client, alice: User) -> None:
        gang = make_past(alice)
        client.force_login(alice)
        for place in (0, gang.last_seq + 1, 10**12):
            for rest in ("", "sheet.pdf"):
                assert client.get(address(gang, f"then/{place}/{rest}")).status_code == 404

    def test_day_opens_a_sheet_or_explains_why_not(self, client: Client, alice: User) -> None:
        gang = make_past(alice)
        client.force_login(alice)
        answer = client.get(address(gang, f"then/?on={timezone.localdate()}"))
        assert answer["Location"] == address(gang, f"then/{gang.last_seq}/")
        answer = client.get(address(gang, "then/?on=2001-01-01"))
        assert answer.status_code == 422 and b"did not exist yet" in answer.content
        assert b'value="2001-01-01"' in answer.content
        assert client.get(address(gang, "then/?on=yesterday")).status_code == 422

    def test_share_link_shows_only_the_current_gang(self, client: Client, alice: User) -> None:
        gang = make_past(alice)
        page = client.get(f"/s/{gang.share_key}/").content.decode()
        assert "/then/" not in page
        assert client.get(address(gang)).status_code == 404

    def test_visitor_opens_past_sheets_of_their_own_gang(self, client: Client) -> None:
        make_version(POINTS)
        sample = shipped(POINTS).samples[0].key
        answer = client.post(f"/gangs/new/{POINTS}/", {"sample": sample}, follow=True)
        gang = Gang.objects.get()
        assert answer.status_code == 200
        assert client.get(address(gang)).status_code == 200
        assert client.get(address(gang, "then/1/")).status_code == 200

    @pytest.mark.parametrize(
        "rest", one_soon(["then/", "then/{place}/", "between/?from=1&to={place}"])
    )
    def test_moment_queries_do_not_grow_with_games(
        self, client: Client, alice: User, rest: str
    ) -> None:
        client.force_login(alice)
        counts = []
        for games in (1, 3):
            gang = make_past(alice, games)
            where = address(gang, rest.format(place=gang.last_seq - 1))
            client.get(where)
            with CaptureQueriesContext(connection) as queries:
                assert client.get(where).status_code == 200
            counts.append(len(queries))
        assert counts[0] == counts[1] <= 11


class TestPrinted:
    def text(self, content: bytes) -> str:
        pages = PdfReader(io.BytesIO(content)).pages
        return " ".join(" ".join(page.extract_text() for page in pages).split())

    @pytest.mark.long
    def test_past_pdf_shows_the_gang_of_that_moment(self, client: Client, alice: User) -> None:
        gang = make_past(alice)
        client.force_login(alice)
        _, after, before, *_ = stops(gang)
        first = self.text(client.get(address(gang, f"then/{after.place}/sheet.pdf")).content)
        assert "As it was: After game 1, A game" in first
        assert "Newcomer 1" not in first and "Another Name" not in first
        second = self.text(client.get(address(gang, f"then/{before.place}/sheet.pdf")).content)
        assert "Before game 2" in second and "Newcomer 1" in second
        today = self.text(client.get(address(gang, "sheet.pdf")).content)
        assert "As it was" not in today

    def test_past_sheet_is_printed_once(
        self, client: Client, alice: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        gang = make_past(alice)
        client.force_login(alice)
        place = stops(gang)[1].place
        first = client.get(address(gang, f"then/{place}/sheet.pdf"))

        def no_printing(*args: object, **kwargs: object) -> bytes:
            raise AssertionError("printed again")

        monkeypatch.setattr(papers, "job", no_printing)
        assert client.get(address(gang, f"then/{place}/sheet.pdf")).content == first.content
        known = {"if-none-match": first["ETag"]}
        again = client.get(address(gang, f"then/{place}/sheet.pdf"), headers=known)
        assert again.status_code == 304
        with pytest.raises(AssertionError, match="printed again"):
            client.get(address(gang, f"then/{place + 1}/sheet.pdf"))
