"""Timelines: games and people as the entries record them, and stored stories that match them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import User
from common.errors import Refusal
from gangs.engine import entries as kinds
from gangs.engine.entries import Entry
from gangs.engine.errors import Misfit
from gangs.engine.fold import fold
from gangs.engine.timeline import GangTimeline, LedgerLine, replay
from gangs.engine.valuation import gang_rating
from gangs.ledger import timelines, writer
from gangs.models import Gang, Strike
from gangs.models import Timeline as StoredStory
from rules.book.model import Book
from tests.gangs.strategies import built
from tests.random_cases import random_cases
from tests.world.gangs import GOLD, POINTS, SLUGS, make_gang, make_version, played, shipped

DAY = datetime(2026, 5, 1, 20, tzinfo=UTC)
some = random_cases(10, 200)


def timeline(book: Book, lines: list[LedgerLine]) -> GangTimeline:
    """The timeline of the entries; asserts that its roster is what they fold to."""
    roster, told = replay(book, lines)
    assert roster == fold(book, [(line.number, line.entry) for line in lines])
    return told


def make_lines(*batches: list[Entry]) -> list[LedgerLine]:
    """Entries as lines of a ledger, one batch an hour."""
    lines: list[LedgerLine] = []
    for number, batch in enumerate(batches):
        for entry in batch:
            seq = len(lines) + 1
            lines.append(
                LedgerLine(seq, seq, entry, DAY + timedelta(hours=number), f"batch-{number}")
            )
    return lines


def people(book: Book) -> list[Entry]:
    """A gang of two: Anne (2), the leader, and a nameless member (3)."""
    return [
        kinds.Founded(name="The gang", settings={}),
        kinds.Recruited(rank=book.ranks[0].key, name="Anne"),
        kinds.Recruited(rank=book.ranks[-1].key),
    ]


@pytest.fixture
def points() -> Book:
    return shipped(POINTS)


class TestPure:
    def test_a_gang_that_has_not_played_has_no_story(self, points: Book) -> None:
        told = timeline(points, make_lines(people(points)))
        assert told == GangTimeline() and not told

    def test_timeline_has_a_point_before_the_first_game_and_after_each(self, points: Book) -> None:
        lines = make_lines(
            people(points),
            [played(points, "g1", 2, 3), kinds.Earned(amount=7, why="gift")],
            [kinds.Recruited(rank=points.ranks[-1].key, name="Bert", paid=2)],
            [played(points, "g2", 2), kinds.Learned(member=2, amount=1)],
        )
        told = timeline(points, lines)
        assert told.start is not None
        assert (told.start.place, told.start.games, told.start.size) == (3, 0, 2)
        assert [(m.game, m.place, m.games, m.size, m.treasury) for m in told.moments] == [
            ("g1", 5, 1, 2, 7),
            ("g2", 8, 2, 3, 5),
        ]
        for moment in (told.start, *told.moments):
            then = fold(points, [(one.number, one.entry) for one in lines[: moment.place]])
            assert moment.rating == gang_rating(points, then).total
        assert told.moments[0].title == "A game" and told.moments[0].at == DAY + timedelta(hours=1)

    def test_events_use_old_names_and_people_current_names(self, points: Book) -> None:
        condition = points.conditions[0].key
        told = timeline(
            points,
            make_lines(
                people(points),
                [
                    played(points, "g1", 2, 3).model_copy(update={"taken_out": {2: 3}}),
                    kinds.Suffered(member=2, condition=condition, games=1, against="The Others"),
                    kinds.Died(member=3),
                ],
                [kinds.Named(member=2, name="Anne the Grim")],
                [kinds.Recovered(member=2, condition=condition, paid=4)],
            ),
        )
        assert [(h.kind, h.member, h.name, h.game, h.games) for h in told.events] == [
            ("suffered", 2, "Anne", "g1", 1),
            ("died", 3, "", "g1", 1),
            ("recovered", 2, "Anne the Grim", "", 1),
        ]
        suffered, died, recovered = told.events
        assert (suffered.key, suffered.amount, suffered.against) == (condition, 1, "The Others")
        assert (died.rank, died.number) == (points.ranks[-1].key, 6)
        assert recovered.amount == 4
        anne, other = told.people
        assert (anne.name, anne.taken_out, anne.games, anne.fate) == ("Anne the Grim", 3, 1, "")
        assert (other.fate, other.last_game, other.gone_at) == (
            "dead",
            "g1",
            DAY + timedelta(hours=1),
        )

    def test_timeline_ignores_events_before_the_first_game(self, points: Book) -> None:
        lines = make_lines(
            [*people(points), kinds.Dismissed(member=3)],
            [played(points, "g1", 2)],
            [kinds.Dismissed(member=2)],
        )
        told = timeline(points, lines)
        assert [(h.kind, h.member) for h in told.events] == [("dismissed", 2)]
        assert [(person.id, person.fate) for person in told.people] == [(2, "dismissed")]

    def test_hired_hand_belongs_to_the_event_of_its_game(self, points: Book) -> None:
        rank = points.ranks[0].key
        hired = kinds.Hired(game="g1", gang="other-gang", member=3, name="Zoe", rank=rank, paid=5)
        lines = make_lines(people(points), [hired], [played(points, "g1", 2)])
        (told,) = timeline(points, lines).events
        assert (told.kind, told.name, told.key, told.member) == ("hired", "Zoe", "other-gang", 3)
        assert (told.rank, told.game, told.games, told.amount) == (rank, "g1", 0, 5)
        assert timeline(points, lines[:-1]) == GangTimeline()

    def test_timeline_lists_only_people_who_played(self, points: Book) -> None:
        told = timeline(points, make_lines(people(points), [played(points, "g1", 2)]))
        assert [person.id for person in told.people] == [2]

    @pytest.mark.parametrize("slug", SLUGS)
    def test_event_records_how_a_member_was_promoted(self, slug: str) -> None:
        book = shipped(slug)
        hows = []
        for row in book.campaign.promotions:
            if row.to is not None:
                rise = kinds.Promoted(
                    member=2, rank=row.to, paid=row.price, advance=row.trigger == "advance"
                )
                hows.append((row.start, rise, "advance" if rise.advance else "promotion"))
        known = {(start, rise.rank) for start, rise, _ in hows}
        for successor in book.campaign.successions:
            start = book.ranks[-1].key
            if successor.to is not None and (start, successor.to) not in known:
                rise = kinds.Promoted(member=2, rank=successor.to)
                hows.append((start, rise, "succession"))
        for start, rise, how in hows:
            entries: list[Entry] = [
                kinds.Founded(name="The gang", settings={}),
                kinds.Recruited(rank=start, name="Anne"),
            ]
            told = timeline(book, make_lines(entries, [played(book, "g1", 2), rise]))
            (risen,) = told.events
            assert (risen.kind, risen.rank, risen.key) == ("promoted", start, rise.rank)
            assert (risen.how, risen.amount) == (how, rise.paid)

    def test_inserted_entry_keeps_its_place_in_the_timeline(self, points: Book) -> None:
        lines = make_lines(people(points), [played(points, "g1", 2, 3), kinds.Died(member=3)])
        kept = lines[:4]
        kept.append(LedgerLine(5, 6, kinds.Died(member=2), DAY + timedelta(days=9), "later"))
        told = timeline(points, kept)
        assert [(h.kind, h.member, h.number) for h in told.events] == [("died", 2, 6)]

    def test_timeline_survives_a_round_trip_through_json(self, points: Book) -> None:
        told = timeline(
            points,
            make_lines(
                people(points), [played(points, "g1", 2, 3), kinds.Died(member=3, gear="stash")]
            ),
        )
        assert GangTimeline.model_validate_json(timelines.dump_stored(told)) == told


@pytest.mark.django_db
class TestKept:
    def test_building_neither_queries_nor_stores_a_story(self, alice: User) -> None:
        gang = make_gang(alice)
        with CaptureQueriesContext(connection) as queries:
            writer.append(
                gang, [kinds.Renamed(name="X")], expected_version=gang.version, actor=alice
            )
        assert not any("gangs_story" in query["sql"] for query in queries)
        assert not StoredStory.objects.exists()
        assert timelines.load_timelines([gang]) == {gang.pk: GangTimeline()}

    def test_change_without_an_event_makes_no_story_query(self, alice: User) -> None:
        gang = make_gang(alice)
        first = gang.roster.members[0].id
        writer.append(
            gang, [played(gang.book, "g1", first)], expected_version=gang.version, actor=alice
        )
        with CaptureQueriesContext(connection) as queries:
            entry = kinds.Noted(member=first, text="x")
            writer.append(gang, [entry], expected_version=gang.version, actor=alice)
        assert not any("gangs_story" in query["sql"] for query in queries)
        writer.append(
            gang, [kinds.Named(member=first, name="N")], expected_version=gang.version, actor=alice
        )
        assert timelines.load_timelines([gang])[gang.pk].people[0].name == "N"

    def test_striking_the_only_game_deletes_the_story(self, alice: User) -> None:
        gang = make_gang(alice)
        first = gang.roster.members[0].id
        writer.append(
            gang, [played(gang.book, "g1", first)], expected_version=gang.version, actor=alice
        )
        assert timelines.load_timelines([gang])[gang.pk].moments[0].game == "g1"
        last = gang.entries.live().latest("seq")
        act = writer.strike(gang, last.batch, expected_version=gang.version, actor=alice)
        assert not StoredStory.objects.exists()
        writer.revise(gang, undoes=act, expected_version=gang.version)
        assert (
            timelines.load_timelines([gang])[gang.pk]
            == timelines.replay_timeline(gang)[1]
            != GangTimeline()
        )

    def test_all_stories_load_in_one_query(self, alice: User) -> None:
        gangs = [make_gang(alice, slug) for slug in (GOLD, POINTS, GOLD)]
        for gang in gangs[1:]:
            entry = played(gang.book, "g1", gang.roster.members[0].id)
            writer.append(gang, [entry], expected_version=gang.version, actor=alice)
        with CaptureQueriesContext(connection) as queries:
            found = timelines.load_timelines(gangs)
        assert len(queries) == 1
        assert [len(found[gang.pk].moments) for gang in gangs] == [0, 1, 1]

    def test_replay_finds_and_repairs_a_wrong_story(self, alice: User, capsys: Any) -> None:
        gang = make_gang(alice)
        entry = played(gang.book, "g1", gang.roster.members[0].id)
        writer.append(gang, [entry], expected_version=gang.version, actor=alice)
        call_command("replay")
        StoredStory.objects.all().delete()
        with pytest.raises(CommandError):
            call_command("replay", mend=True)
        assert "the timeline differs" in capsys.readouterr().err
        call_command("replay")


@pytest.mark.long
@pytest.mark.django_db
@pytest.mark.parametrize("slug", SLUGS)
@some
@given(data=st.data())
def test_stored_story_always_matches_the_entries(slug: str, data: Any) -> None:
    log, batches = data.draw(built(slug))
    entries = dict(log)
    gang = writer.found(make_version(slug), [entries[1]], owner=None)
    acts: list[Strike] = []
    for number, batch in enumerate(batches[1:]):
        if data.draw(st.integers(0, 3)) == 0:
            _game_entries(gang, number, data)
        _append_fitting(gang, [entries[seq] for seq in batch])
        if data.draw(st.integers(0, 4)) == 0:
            some_batch = data.draw(st.sampled_from(_batches(gang)))
            if some_batch is not None:
                act = writer.strike(
                    gang, some_batch, expected_version=gang.version, actor=None, with_misfits=True
                )
                acts.append(act)
        elif acts and data.draw(st.booleans()):
            _restore(gang, acts.pop())
        _check(gang)


def _batches(gang: Gang) -> list[Any]:
    found = gang.entries.live().exclude(seq=1).order_by("seq").values_list("batch", flat=True)
    return list(dict.fromkeys(found)) or [None]


def _game_entries(gang: Gang, number: int, data: Any) -> None:
    """A game, and some of its possible consequences."""
    ids = [member.id for member in gang.roster.members]
    entries: list[Entry] = [played(gang.book, f"game-{number}", *ids)]
    if ids and data.draw(st.booleans()):
        entries.append(kinds.Died(member=data.draw(st.sampled_from(ids)), gear="stash"))
    writer.append(gang, entries, expected_version=gang.version, actor=None)


def _append_fitting(gang: Gang, entries: list[Entry]) -> None:
    """Append the entries that fit: their numbers come from a ledger without games and strikes."""
    try:
        writer.append(gang, entries, expected_version=gang.version, actor=None)
    except Misfit:
        gang.refresh_from_db()


def _restore(gang: Gang, act: Strike) -> None:
    try:
        writer.revise(gang, undoes=act, expected_version=gang.version)
    except (Misfit, Refusal):
        gang.refresh_from_db()


def _check(gang: Gang) -> None:
    stored = StoredStory.objects.filter(gang=gang).first()
    kept = stored.data if stored else timelines.dump_stored(GangTimeline())
    assert kept == timelines.dump_stored(timelines.replay_timeline(gang)[1])
