"""Striking and restoring whole games in all gangs, by an organiser, with notices to everybody."""

from __future__ import annotations

import re
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from accounts.models import Notice, User
from campaigns.engine import answers as engine_answers
from campaigns.engine.captives import Terms
from campaigns.engine.report import Report
from campaigns.files import exporting, reading
from campaigns.files import importing as files_importing
from campaigns.games import results
from campaigns.games.captives import bargains
from campaigns.games.corrections import strikes
from campaigns.holds import find_unsettled
from campaigns.models import Bargain, Campaign, Game, Participant
from campaigns.postgames import drafts
from campaigns.season.loading import load_season
from campaigns.statistics.chronicle import chronicle
from campaigns.statistics.records import graveyard, meetings, most_feared
from campaigns.statistics.standings import season_rows, standings
from campaigns.table.crews import hiring
from common.errors import Refusal, Stale
from gangs.engine.entries import Dismissed, Earned, Left, Named, Suffered
from gangs.ledger import writer
from gangs.models import Gang, Strike
from tests.campaigns.postgames.test_correction import FIRST, commit, facts, finished, fresh, typed
from tests.random_cases import one_soon
from tests.world.campaigns import (
    confirmed,
    make_campaign,
    make_game,
    make_player,
    reported,
    side_of,
)

PEOPLE = "au-un-pour-un"


class Club:
    """Three gangs and their games; the organiser owns none of the gangs."""

    def __init__(self, organiser: User, *players: User) -> None:
        self.organiser, self.players = organiser, players
        self.campaign = make_campaign(organiser, PEOPLE)
        self.gangs = [make_player(self.campaign, player) for player in players]
        self.day = 0

    def play(
        self, *who: int, marks: dict[int, str] | None = None, faces: str = "", **told: object
    ) -> Game:
        """Play a game that the first of these gangs won and settle it in all of them.

        ``marks``: the marks of the winner's members, by their place; ``faces``: the faces of
        their first roll.
        """
        game = self.open(*who, marks=marks, **told)
        for number in who:
            side = side_of(game, self.gangs[number])
            if faces and number == who[0]:
                typed(side, self.players[number], faces)
            commit(finished(side), self.players[number])
        return Game.objects.get(pk=game.pk)

    def open(self, *who: int, marks: dict[int, str] | None = None, **told: object) -> Game:
        """Return a confirmed game whose post-games have not been played."""
        self.day += 7
        gangs = [fresh(self.gangs[number]) for number in who]
        ids = [member.id for member in gangs[0].roster.members]
        ended = {ids[place]: mark for place, mark in (marks or {}).items()}
        report = Report.model_validate({"fielded": ids, "marks": ended} | told)
        first = self.players[who[0]]
        game = make_game(self.campaign, first, *gangs, day=FIRST + timedelta(days=self.day))
        game = reported(game, first, result="victory", reports={str(gangs[0].pk): report})
        return confirmed(game, *(self.players[number] for number in who[1:]))

    def bargain(self, giver: int, taker: int, member: int, ransom: float = 0) -> Bargain:
        """Ransom the giver's captive from the taker."""
        made = bargains.offer(
            self.campaign,
            fresh(self.gangs[giver]),
            fresh(self.gangs[taker]),
            Terms(frees=(("giver", member),), ransom=ransom, payer="giver" if ransom else None),
            note="",
            actor=self.players[giver],
            token=uuid.uuid4(),
        )
        expected_version = fresh(self.gangs[giver]).version, fresh(self.gangs[taker]).version
        bargains.agree(made, actor=self.players[taker], expected_version=expected_version)
        made.refresh_from_db()
        return made

    def all(self) -> list[object]:
        """Return the facts about every gang."""
        return [facts(gang) for gang in self.gangs]

    def table(self) -> dict[str, tuple[int, object]]:
        """Return the number of games and points of each gang in the standings."""
        season = load_season(self.campaign.pk).season
        rows = standings(season.book, season_rows(season))
        return {row.gang: (row.played, row.points) for row in rows}


@pytest.fixture
def club(bob, alice, dora, charlie) -> Club:
    return Club(bob, alice, dora, charlie)


def weigh_strike(game: Game, also: dict | None = None) -> dict[uuid.UUID, strikes.Stroke]:
    game = Game.objects.select_related("campaign").get(pk=game.pk)
    return {stroke.gang.pk: stroke for stroke in strikes.weigh_game(game, also)}


def strike(game: Game, actor: User, also: dict | None = None, reason: str = "Wrong.") -> None:
    game = Game.objects.select_related("campaign").get(pk=game.pk)
    strikes.strike_game(
        game,
        actor=actor,
        reason=reason,
        expected_version=game.version,
        versions={key: stroke.gang.version for key, stroke in weigh_strike(game, also).items()},
        also=also or {},
    )


def restore(game: Game, actor: User) -> None:
    game = Game.objects.select_related("campaign").get(pk=game.pk)
    strikes.restore_game(game, actor=actor, reason="Right.", expected_version=game.version)


def misfits(stroke: strikes.Stroke) -> set[int]:
    return {entry.seq for entry, _why in stroke.weighed.misfits}


def url(game: Game, name: str = "game-strike") -> str:
    return reverse(f"campaigns:{name}", args=[game.pk])


def form(game: Game, *gangs: Gang, **typed_in: object) -> dict[str, object]:
    """Return the data that the page would send."""
    expected_version = {f"seen-{gang.pk}": fresh(gang).version for gang in gangs}
    return (
        {"seen": Game.objects.get(pk=game.pk).version, "reason": "Wrong."}
        | expected_version
        | typed_in
    )


# Effects on the campaign


@pytest.mark.long
def test_struck_game_counts_for_nobody_until_restored(club, bob):
    """Covers standings, meetings, records, graves and the chronicle."""
    club.play(0, 1)
    leader = fresh(club.gangs[0]).roster.members[1].id
    counts = {"enemy_chiefs": {leader: 1}, "taken_out": {leader: 1}}
    game = club.play(0, 2, marks={3: "killed"}, tallies={"chiefs_killed": 1}, counts=counts)

    def posted_version() -> tuple[object, ...]:
        season = load_season(club.campaign.pk).season
        lines = [
            (line.key, line.day) for line in chronicle(season, timezone.get_current_timezone())
        ]
        return club.table(), dict(meetings(season)), most_feared(season), graveyard(season), lines

    before, gangs = posted_version(), club.all()
    ids = [str(gang.pk) for gang in club.gangs]
    assert [club.table()[one] for one in ids] == [(2, 15), (1, 0), (1, 0)]
    assert ([leader.number for leader in before[2]], len(before[3])) == ([1], 1)
    strike(game, bob)
    table, met, feared, graves, lines = posted_version()
    assert [table[one] for one in ids] == [(1, 0), (1, 0), (0, 0)]
    assert (ids[0], ids[1]) in met and (ids[0], ids[2]) not in met
    assert (feared, graves) == ((), ())
    assert len(lines) < len(before[-1])
    restore(game, bob)
    assert (posted_version(), club.all()) == (before, gangs)


def test_nothing_of_a_post_game_stays_without_its_game(club, alice, bob):
    """An older correction, undone in between, has restored an entry of it."""
    game = club.play(0, 1)
    side = side_of(game, club.gangs[0])
    entry = side.gang.entries.live().filter(batch=side.batch).exclude(kind="played").last()
    gang = fresh(side.gang)
    older = writer.revise(gang, strike=[entry.seq], expected_version=gang.version)
    strike(game, bob)
    restore(game, bob)
    newer = Strike.objects.get(gang=gang, undoes__isnull=False)
    for act in (older, newer):
        gang = fresh(gang)
        writer.revise(gang, undoes=act, expected_version=gang.version, actor=alice)
    assert not gang.entries.live().filter(batch=side.batch).exists()
    assert not game.sides.done().filter(gang=gang).exists()
    # The last correction can be undone, too, and brings everything back.
    gang = fresh(gang)
    writer.revise(gang, undoes=Strike.objects.get(undoes=newer), expected_version=gang.version)
    assert {"played", entry.kind} <= {
        one.kind for one in gang.entries.live().filter(batch=side.batch)
    }
    assert game.sides.done().filter(gang=gang).exists()


@pytest.mark.long
def test_game_can_be_struck_and_restored_twice(club, bob):
    game = club.play(0, 1, marks={3: "out"}, faces="1")
    before = club.all()
    for _ in range(2):
        strike(game, bob)
        assert club.all() != before
        restore(game, bob)
        assert club.all() == before
    assert fresh(club.gangs[0]).strikes.count() == 4
    game.refresh_from_db()
    assert (game.status, game.struck_by, game.struck_why) == ("confirmed", None, "")


def test_strike_covers_all_three_gangs_of_a_game(club, bob):
    game = club.play(0, 1, 2)
    assert [fresh(gang).roster.games for gang in club.gangs] == [1, 1, 1]
    strike(game, bob)
    assert [fresh(gang).roster.games for gang in club.gangs] == [0, 0, 0]
    assert Strike.objects.filter(by_organiser=True).count() == 3
    restore(game, bob)
    assert [fresh(gang).roster.games for gang in club.gangs] == [1, 1, 1]


def test_strike_leaves_other_gangs_unchanged(club, bob):
    game = club.play(0, 1)
    version = fresh(club.gangs[2]).version
    strike(game, bob)
    assert fresh(club.gangs[2]).version == version
    assert club.gangs[2].strikes.count() == 0


def test_struck_game_refuses_further_changes(club, bob, alice):
    """No result, confirmation, post-game or correction."""
    game = club.open(0, 1)
    strike(game, bob)
    game = Game.objects.get(pk=game.pk)
    side = side_of(game, club.gangs[0])
    with pytest.raises(Refusal, match="nothing_to_confirm"):
        results.confirm(game, actor=alice, expected_version=game.version)
    with pytest.raises(Refusal, match="game_struck"):
        reported(game, alice, result="draw")
    with pytest.raises(Refusal, match="not_confirmed"):
        drafts.answer(
            drafts.load(side),
            lambda _through, answers: answers,
            expected_version=side.draft_version,
        )
    with pytest.raises(Refusal, match="not_confirmed"):
        commit(finished(side), alice)
    assert find_unsettled(fresh(club.gangs[0])) is None
    club.play(0, 2)
    assert fresh(club.gangs[0]).roster.games == 1


def test_strike_notifies_all_players_but_the_organiser(club, bob, alice, dora, charlie):
    game = club.play(0, 1)
    Notice.objects.all().delete()
    strike(game, bob, reason="Wrong day.")
    told = Notice.objects.filter(kind="game_struck")
    assert set(told.values_list("user__username", flat=True)) == {"alice", "dora"}
    assert {notice.values["why"] for notice in told} == {"Wrong day."}


def test_organiser_strikes_in_their_own_gang_as_its_owner(bob, alice):
    club = Club(bob, alice, bob)
    game = club.play(0, 1)
    strike(game, bob)
    assert [gang.strikes.get().by_organiser for gang in club.gangs] == [True, False]


@pytest.mark.parametrize("status", ["planned", "reported", "disputed"])
def test_only_a_confirmed_game_can_be_struck(club, bob, status):
    game = club.open(0, 1)
    Game.objects.filter(pk=game.pk).update(status=status)
    with pytest.raises(Refusal, match="gone"):
        strike(game, bob)
    with pytest.raises(Refusal, match="gone"):
        restore(game, bob)


# Later entries


def play_and_recruit(club: Club, *names: str) -> tuple[Game, list[int]]:
    """Play a game after which the first gang recruits ``names``; return their ids too."""
    game = club.open(0, 1, tallies={"chiefs_killed": 4})
    side = finished(side_of(game, club.gangs[0]))
    drafts.answer(
        drafts.load(side),
        partial(engine_answers.reopen, step="recruits"),
        expected_version=side.draft_version,
    )
    for name in names:
        change = partial(engine_answers.hire, rank="sous_fifre", name=name)
        drafts.answer(drafts.load(side), change, expected_version=side.draft_version)
    commit(finished(side), club.players[0])
    commit(finished(side_of(game, club.gangs[1])), club.players[1])
    known = {member.name: member.id for member in fresh(club.gangs[0]).roster.members}
    return game, [known[name] for name in names]


@pytest.mark.long
def test_misfits_have_to_go_and_doubtful_entries_may_stay(club, bob, alice):
    """A recruit's later name cannot stay; later payments are only in doubt. Their lessons in the
    later post-game are simply not learned any more."""
    game, [ada] = play_and_recruit(club, "Ada")
    gang = fresh(club.gangs[0])
    writer.append(gang, [Named(member=ada, name="Ida")], expected_version=gang.version, actor=alice)
    later, [eve] = play_and_recruit(club, "Eve")
    before = club.all()
    stroke = weigh_strike(game)[gang.pk]
    renamed = misfits(stroke)
    kinds = gang.entries.filter(seq__in=renamed).values_list("kind", flat=True)
    assert sorted(kinds) == ["named"], "the only later entry about Ada outside of post-games"
    with pytest.raises(Refusal, match="strokes_left_over"):
        strike(game, bob)
    assert club.all() == before
    # With these ticked everything fits; Eve stays although her price is no longer covered.
    also = {gang.pk: renamed}
    assert misfits(weigh_strike(game, also)[gang.pk]) == set()
    strike(game, bob, also)
    left = fresh(gang).roster
    assert {ada, eve} & {member.id for member in left.members} == {eve}
    assert left.games == 1
    restore(game, bob)
    assert club.all() == before
    assert Game.objects.get(pk=later.pk).status == "confirmed"


@pytest.mark.long
def test_doubtful_entries_stay_or_are_struck_as_chosen(club, bob):
    """Two recruits of the second game were paid with the income of the first."""
    first = club.play(0, 1, tallies={"chiefs_killed": 2})
    game = club.open(0, 1)
    side = finished(side_of(game, club.gangs[0]))
    drafts.answer(
        drafts.load(side),
        partial(engine_answers.reopen, step="recruits"),
        expected_version=side.draft_version,
    )
    for name in ("Ada", "Eve"):
        change = partial(engine_answers.hire, rank="sous_fifre", name=name)
        drafts.answer(drafts.load(side), change, expected_version=side.draft_version)
    commit(finished(side), club.players[0])
    commit(finished(side_of(game, club.gangs[1])), club.players[1])
    before, key = club.all(), club.gangs[0].pk
    stroke = weigh_strike(first)[key]
    doubtful = [entry.seq for entry, _doubt in stroke.weighed.implausible]
    assert (misfits(stroke), len(doubtful)) == (set(), 2)
    strike(first, bob)
    kept = fresh(club.gangs[0]).roster
    assert (kept.treasury, {"Ada", "Eve"} <= {one.name for one in kept.members}) == (-20, True)
    restore(first, bob)
    assert club.all() == before
    strike(first, bob, {key: doubtful})
    gone = fresh(club.gangs[0]).roster
    assert (gone.treasury, {"Ada", "Eve"} & {one.name for one in gone.members}) == (0, set())
    restore(first, bob)
    assert club.all() == before


def test_founding_and_joining_are_never_struck_along(club, bob):
    """Entries of an uninvolved gang are not struck either."""
    game = club.play(0, 1)
    key, other = club.gangs[0].pk, club.gangs[2].pk
    fixed = [entry.seq for entry in club.gangs[0].entries.filter(kind__in=["founded", "joined"])]
    theirs = [entry.seq for entry in club.gangs[2].entries.live()]
    assert fixed and theirs
    stroke = weigh_strike(game, {key: fixed, other: theirs})
    assert stroke.keys() == {club.gangs[0].pk, club.gangs[1].pk}
    assert stroke[key].seqs.isdisjoint(fixed)
    strike(game, bob, {key: fixed, other: theirs})
    assert len(fresh(club.gangs[0]).roster.campaigns) == 1
    assert club.gangs[2].strikes.count() == 0


@pytest.mark.long
def test_strike_refunds_hired_hands_and_restore_charges_them_again(club, bob, alice):
    home = fresh(club.gangs[1])
    club.play(0, 1, tallies={"chiefs_killed": 6})
    lieutenant = home.roster.members[1].id
    home = fresh(home)
    left = Left(member=lieutenant, departure="for_hire")
    writer.append(home, [left], expected_version=home.version, actor=club.players[1])
    gang = fresh(club.gangs[0])
    day = FIRST + timedelta(days=70)
    game = make_game(club.campaign, alice, gang, fresh(club.gangs[2]), day=day)
    [hand] = hiring.pool(club.campaign)
    side = side_of(game, gang)
    hiring.hire(side, hand.key, expected_version=gang.version, actor=alice, token="once")
    paid = 90 - fresh(gang).roster.treasury
    assert paid == hand.price > 0
    game = confirmed(reported(game, alice, result="victory"), club.players[2])
    for number in (0, 2):
        commit(finished(side_of(game, club.gangs[number])), club.players[number])
    before = club.all()
    strike(game, bob)
    assert fresh(gang).roster.treasury == 90
    assert fresh(gang).roster.hired == ()
    restore(game, bob)
    assert club.all() == before
    assert fresh(gang).roster.treasury == 90 - paid


# Later bargains


def play_and_capture(club: Club, **told: object) -> tuple[Game, int]:
    """Let the second gang capture the first gang's chief in a game; return game and chief's id."""
    game = club.play(0, 1, marks={0: "out"}, faces="6 2", **told)
    return game, fresh(club.gangs[0]).roster.members[0].id


@pytest.mark.long
def test_bargain_is_struck_and_restored_with_the_capture(club, bob):
    club.play(0, 2, tallies={"chiefs_killed": 1})
    game, chief = play_and_capture(club)
    held = club.all()
    club.bargain(0, 1, chief, ransom=4.5)
    before = club.all()
    assert before != held
    strike(game, bob)
    assert [fresh(gang).roster.treasury for gang in club.gangs] == [15, 0, 0]
    assert fresh(club.gangs[0]).roster.member(chief).afflictions == ()
    assert bargains.prisoners(club.campaign) == []
    [line] = bargains.standing(club.campaign)
    assert not line.stands
    restore(game, bob)
    assert club.all() == before
    [line] = bargains.standing(club.campaign)
    assert line.stands


@pytest.mark.long
def test_strike_includes_a_bargain_with_another_gang(club, bob):
    """A recruit of the struck game was later held by a third gang, which returns the ransom."""
    game, [ada] = play_and_recruit(club, "Ada")
    gang = fresh(club.gangs[0])
    batch = side_of(game, gang).batch
    club.play(0, 2)
    gang = fresh(gang)
    taken = Suffered(member=ada, condition="captured", captors=(str(club.gangs[2].pk),))
    batch = side_of(Game.objects.order_by("-played_on")[0], gang).batch
    writer.append(gang, [taken], expected_version=gang.version, actor=None, batch=batch)
    club.bargain(0, 2, ada, ransom=7)
    before = club.all()
    stroke = weigh_strike(game)
    assert stroke.keys() == {one.pk for one in club.gangs}
    strike(game, bob, {gang.pk: misfits(stroke[gang.pk])})
    assert fresh(club.gangs[2]).roster.treasury == 0
    assert ada not in {member.id for member in fresh(gang).roster.members}
    restore(game, bob)
    assert club.all() == before


@pytest.mark.long
def test_bargain_cannot_be_struck_along_in_one_gang(club, bob):
    club.play(0, 2, tallies={"chiefs_killed": 1})
    game, chief = play_and_capture(club)
    made = club.bargain(0, 1, chief, ransom=3)
    later = club.play(0, 2)
    gang = club.gangs[0]
    bound = list(gang.entries.filter(batch=made.batch).values_list("seq", flat=True))
    strike(later, bob, {gang.pk: bound})
    assert [fresh(one).roster.treasury for one in club.gangs[:2]] == [12, 3]
    assert Game.objects.get(pk=game.pk).status == "confirmed"


@pytest.mark.long
def test_bargain_can_be_struck_once(club, bob):
    club.play(0, 2, tallies={"chiefs_killed": 1})
    _game, chief = play_and_capture(club)
    before = club.all()
    made = club.bargain(0, 1, chief, ransom=3)

    def back(versions: dict[uuid.UUID, int]) -> None:
        shown = Bargain.objects.select_related("campaign").get(pk=made.pk)
        strikes.strike_bargain(shown, actor=bob, reason="No.", versions=versions, also={})

    expected_version = {gang.pk: fresh(gang).version for gang in club.gangs[:2]}
    with pytest.raises(Stale):
        back(expected_version | {club.gangs[0].pk: 1})
    back(expected_version)
    assert club.all() == before
    assert {who.captive.member.id for who in bargains.prisoners(club.campaign)} == {chief}
    with pytest.raises(Refusal, match="nothing_to_strike"):
        back({gang.pk: fresh(gang).version for gang in club.gangs[:2]})
    # The chief is captive again and can be ransomed again.
    club.bargain(0, 1, chief, ransom=2)
    assert bargains.prisoners(club.campaign) == []


@pytest.mark.long
def test_ransom_spent_since_is_in_doubt_when_the_bargain_is_struck(club, bob):
    """The captor has spent the ransom, so the treasury would be short."""
    club.play(0, 2, tallies={"chiefs_killed": 1})
    _game, chief = play_and_capture(club)
    made = club.bargain(0, 1, chief, ransom=15)
    game = club.open(1, 2)
    side = finished(side_of(game, club.gangs[1]))
    drafts.answer(
        drafts.load(side),
        partial(engine_answers.reopen, step="recruits"),
        expected_version=side.draft_version,
    )
    change = partial(engine_answers.hire, rank="sous_fifre", name="Ida")
    drafts.answer(drafts.load(side), change, expected_version=side.draft_version)
    commit(finished(side), club.players[1])
    commit(finished(side_of(game, club.gangs[2])), club.players[2])
    strokes = {stroke.gang.pk: stroke for stroke in strikes.weigh_bargain(made)}
    [(entry, doubt)] = strokes[club.gangs[1].pk].weighed.implausible
    assert (entry.kind, doubt.code, doubt.values["missing"]) == ("recruited", "unpaid", 10)
    versions = {key: stroke.gang.version for key, stroke in strokes.items()}
    strikes.strike_bargain(made, actor=bob, reason="No.", versions=versions, also={})
    assert fresh(club.gangs[1]).roster.treasury == -10
    assert fresh(club.gangs[0]).roster.treasury == 15


# Restoring


@pytest.mark.long
def test_restore_is_refused_when_a_later_entry_contradicts_it(club, bob, alice, as_user):
    """The member who died in the struck game was dismissed since and can no longer die."""
    game = club.play(0, 1, marks={3: "killed"})
    strike(game, bob)
    gang = fresh(club.gangs[0])
    who = gang.roster.members[3].id
    writer.append(gang, [Dismissed(member=who)], expected_version=gang.version, actor=alice)
    before = club.all()
    shown = Game.objects.get(pk=game.pk)
    answer = as_user(bob).post(url(game, "game-restore"), {"seen": shown.version, "reason": "?"})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "no longer fit" in page or "It no longer fits" in page
    assert 'value="?"' in page
    assert club.all() == before
    shown.refresh_from_db()
    assert shown.status == "struck"
    # It works once the dismissal is undone.
    gang = fresh(gang)
    batch = gang.entries.filter(kind="dismissed", struck=None).get().batch
    writer.strike(gang, batch, expected_version=gang.version, actor=alice)
    restore(game, bob)
    assert Game.objects.get(pk=game.pk).status == "confirmed"


@pytest.mark.long
def test_restore_finds_strikes_by_occasion_only(club, bob):
    """The time and reason of a strike do not identify it."""
    game = club.play(0, 1)
    before = club.all()
    strike(game, bob)
    occasion = Game.objects.get(pk=game.pk).occasion
    acts = list(Strike.objects.filter(occasion=occasion))
    assert {act.gang for act in acts} == set(club.gangs[:2])
    for hours, act in enumerate(acts):
        Strike.objects.filter(pk=act.pk).update(
            at=act.at - timedelta(hours=hours), reason=f"Reason {hours}", actor=None
        )
    restore(game, bob)
    assert club.all() == before
    assert Game.objects.get(pk=game.pk).occasion is None


@pytest.mark.long
def test_each_strike_and_restore_has_its_own_occasion(club, bob):
    game = club.play(0, 1)
    before = club.all()
    for _ in range(2):
        strike(game, bob)
        restore(game, bob)
        assert club.all() == before
    occasions = Strike.objects.filter(undoes=None).values_list("occasion", flat=True)
    assert len(occasions) == 4 and len(set(occasions)) == 2


@pytest.mark.long
def test_restore_keeps_an_earlier_correction_with_the_same_reason(club, bob):
    """One post-game had been struck before; restoring the game does not restore it."""
    game = club.play(0, 1)
    gang = fresh(club.gangs[1])
    batch = side_of(game, gang).batch
    seqs = gang.entries.live().filter(batch=batch).values_list("seq", flat=True)
    writer.revise(
        gang,
        strike=list(seqs),
        expected_version=gang.version,
        actor=bob,
        reason="Wrong.",
        by_organiser=True,
    )
    before = club.all()
    assert fresh(gang).roster.games == 0
    strike(game, bob, reason="Wrong.")
    restore(game, bob)
    assert club.all() == before


@pytest.mark.long
def test_game_can_be_restored_when_the_striking_account_is_deleted(club, bob, alice):
    game = club.play(0, 1)
    before = club.all()
    strike(game, bob)
    club.campaign.participants.update_or_create(
        user=alice, defaults={"role": Participant.Role.ORGANISER}
    )
    bob.delete()
    restore(game, alice)
    assert club.all() == before


def test_game_can_be_restored_when_a_gang_is_deleted(club, bob):
    game = club.play(0, 1)
    strike(game, bob)
    fresh(club.gangs[1]).delete()
    restore(game, bob)
    assert fresh(club.gangs[0]).roster.games == 1
    assert Game.objects.get(pk=game.pk).status == "confirmed"


@pytest.mark.long
def test_struck_game_can_be_restored_after_an_import(club, bob):
    """The campaign's file includes the bargain, and every gang gets the game back."""
    club.play(0, 2, tallies={"chiefs_killed": 1})
    game, chief = play_and_capture(club)
    club.bargain(0, 1, chief, ransom=4)
    whole = [fresh(gang).roster for gang in club.gangs]
    strike(game, bob)
    file = reading.read_file(exporting.export_campaign(Campaign.objects.get(pk=club.campaign.pk)))
    place = file.names.index("bob")
    there = files_importing.write_campaign(file, importer=bob, own_place=place, token=uuid.uuid4())
    [struck] = there.games.filter(status="struck")
    gangs = [row.gang for row in there.memberships.order_by("joined_at")]
    assert [gang.roster.games for gang in gangs] == [1, 0, 1]
    restore(struck, bob)
    back = [fresh(gang).roster for gang in gangs]
    assert [(one.games, one.treasury) for one in back] == [(2, 11), (1, 4), (1, 0)]
    # Everything is equal except the campaign, which is a new one.
    assert [one.members for one in back] == [one.members for one in whole]


# Pages


class TestPages:
    @pytest.mark.parametrize("act", ["game-strike", "game-restore"])
    def test_only_organisers_can_strike_or_restore(self, club, bob, act, as_user):
        """Players of the game, other players, strangers and spectators cannot."""
        game = club.play(0, 1)
        if act == "game-restore":
            strike(game, bob)
        before, data = club.all(), form(game, *club.gangs[:2])
        for who in ("alice", "charlie", "stranger", "spectator"):
            other, _created = User.objects.get_or_create(username=who)
            if who == "spectator":
                club.campaign.participants.create(user=other, role=Participant.Role.SPECTATOR)
            browser = as_user(other)
            assert browser.get(url(game, act)).status_code == 404, who
            assert browser.post(url(game, act), data).status_code == 404, who
        assert club.all() == before

    def test_appointed_organiser_can_strike_a_game(self, club, alice, as_user):
        club.campaign.participants.filter(user=alice).update(role=Participant.Role.ORGANISER)
        game = club.play(0, 1)
        answer = as_user(alice).post(url(game), form(game, *club.gangs[:2]))
        assert answer.status_code == 302
        assert Game.objects.get(pk=game.pk).status == "struck"

    @pytest.mark.parametrize("reason", one_soon(["", "   ", "x" * 301]))
    def test_strike_needs_a_reason_of_valid_length(self, club, bob, reason, as_user):
        game = club.play(0, 1)
        before = club.all()
        answer = as_user(bob).post(url(game), form(game, *club.gangs[:2], reason=reason))
        assert answer.status_code == 422
        page = answer.content.decode()
        assert 'aria-invalid="true"' in page
        assert ("x" * 301 in page) == (len(reason) > 300)
        assert club.all() == before

    @pytest.mark.parametrize("what", one_soon(["game", "gang", "gang missing", "nonsense"]))
    def test_strike_from_a_stale_page_is_refused(self, club, bob, what, as_user):
        """Nothing is written; the page shows the current state, and sending that works."""
        game = club.play(0, 1)
        gang = fresh(club.gangs[0])
        data = form(game, *club.gangs[:2])
        if what == "game":
            data["seen"] = int(str(data["seen"])) - 1
        elif what == "gang":
            gift = Earned(amount=3, why="gift")
            writer.append(gang, [gift], expected_version=gang.version, actor=None)
        elif what == "gang missing":
            del data[f"seen-{gang.pk}"]
        else:
            data[f"seen-{gang.pk}"] = "yesterday"
        before = club.all()
        browser = as_user(bob)
        answer = browser.post(url(game), data)
        assert answer.status_code == 409
        page = answer.content.decode()
        assert "check it again" in page and 'value="Wrong."' in page
        assert f'name="seen-{gang.pk}" value="{fresh(gang).version}"' in page
        assert club.all() == before
        assert browser.post(url(game), form(game, *club.gangs[:2])).status_code == 302
        assert Game.objects.get(pk=game.pk).status == "struck"

    def test_double_click_strikes_and_restores_once(self, club, bob, as_user):
        """The second press leads to the game, which shows that it is struck."""
        game = club.play(0, 1)
        browser, data = as_user(bob), form(game, *club.gangs[:2])
        for _ in range(2):
            answer = browser.post(url(game), data)
            assert (answer.status_code, answer["Location"]) == (302, game.get_absolute_url())
        assert [gang.strikes.count() for gang in club.gangs[:2]] == [1, 1]
        assert "Wrong." in browser.get(game.get_absolute_url()).content.decode()
        data = {"seen": Game.objects.get(pk=game.pk).version}
        for _ in range(2):
            assert browser.post(url(game, "game-restore"), data).status_code == 302
        assert [gang.strikes.count() for gang in club.gangs[:2]] == [2, 2]
        assert Game.objects.get(pk=game.pk).status == "confirmed"

    def test_restore_from_a_stale_page_is_refused(self, club, bob, as_user):
        game = club.play(0, 1)
        strike(game, bob)
        version = Game.objects.get(pk=game.pk).version
        answer = as_user(bob).post(
            url(game, "game-restore"), {"seen": version - 1, "reason": "It was right."}
        )
        assert answer.status_code == 409
        assert 'value="It was right."' in answer.content.decode()
        assert Game.objects.get(pk=game.pk).status == "struck"

    @pytest.mark.long
    def test_misfits_are_ticked_on_the_page(self, club, bob, alice, as_user):
        game, [ada] = play_and_recruit(club, "Ada")
        gang = fresh(club.gangs[0])
        writer.append(
            gang, [Named(member=ada, name="Ida")], expected_version=gang.version, actor=alice
        )
        before = club.all()
        [renamed] = misfits(weigh_strike(game)[gang.pk])
        browser = as_user(bob)
        page = browser.get(url(game)).content.decode()
        name = f"strike-{gang.pk}"
        assert f'name="{name}" value="{renamed}"' in page and "cannot stay" in page
        answer = browser.post(url(game), form(game, *club.gangs[:2]))
        assert answer.status_code == 422
        assert "tick what to undo" in answer.content.decode()
        assert club.all() == before
        data = form(game, *club.gangs[:2], **{name: str(renamed)})
        looked = browser.post(url(game), data | {"weigh": "1", "reason": ""})
        assert looked.status_code == 200
        page = looked.content.decode()
        assert re.search(rf'id="{name}-{renamed}"\s+checked', page) and "cannot stay" not in page
        assert club.all() == before
        assert browser.post(url(game), data).status_code == 302
        assert ada not in {member.id for member in fresh(gang).roster.members}

    def test_page_redirects_to_a_game_that_cannot_be_struck(self, club, bob, as_user):
        game = club.open(0, 1)
        Game.objects.filter(pk=game.pk).update(status="disputed")
        browser = as_user(bob)
        for name in ("game-strike", "game-restore"):
            answer = browser.get(url(game, name))
            assert (answer.status_code, answer["Location"]) == (302, game.get_absolute_url())

    @pytest.mark.long
    def test_only_an_agreed_bargain_can_be_struck_and_only_once(self, club, bob, as_user):
        """An open offer has nothing to strike, and a struck bargain has nothing left."""
        club.play(0, 2, tallies={"chiefs_killed": 1})
        _game, chief = play_and_capture(club)
        offer = bargains.offer(
            club.campaign,
            fresh(club.gangs[0]),
            fresh(club.gangs[1]),
            Terms(frees=(("giver", chief),)),
            note="",
            actor=club.players[0],
            token=uuid.uuid4(),
        )
        browser = as_user(bob)
        address = reverse("campaigns:bargain-back", args=[club.campaign.pk, offer.pk])
        assert browser.get(address).status_code == 404
        expected_version = fresh(club.gangs[0]).version, fresh(club.gangs[1]).version
        bargains.agree(offer, actor=club.players[1], expected_version=expected_version)
        data = form(_game, *club.gangs[:2])
        assert browser.post(address, data).status_code == 302
        again = browser.post(address, form(_game, *club.gangs[:2]))
        assert again.status_code == 422
        assert [gang.strikes.count() for gang in club.gangs[:2]] == [1, 0]


# Races


def run_together(*acts) -> list[str]:
    """Run ``acts`` at the same time, each on its own connection; return the sorted outcomes."""
    start = threading.Barrier(len(acts))

    def run(act) -> str:
        try:
            start.wait(120)
            act()
        except (Stale, Refusal):
            return "refused"
        finally:
            connection.close()
        return "done"

    with ThreadPoolExecutor(len(acts)) as pool:
        return sorted(pool.map(run, acts))


def prepare_commit(club: Club, game: Game, number: int):
    """Answer a side's post-game to the end; return a function that commits it."""
    side = finished(side_of(game, club.gangs[number]))
    expected_version = side_of(game, club.gangs[number])

    def commit_it() -> None:
        drafts.commit(
            expected_version,
            seen_draft=side.draft_version,
            seen_gang=expected_version.gang.version,
            actor=club.players[number],
        )

    return commit_it


def test_commit_is_refused_when_the_game_was_struck_after_the_page_opened(club, bob):
    """The game was confirmed when the page was opened."""
    game = club.open(0, 1)
    commit_it = prepare_commit(club, game, 0)
    before = club.all()
    strike(game, bob)
    with pytest.raises(Refusal, match="not_confirmed"):
        commit_it()
    assert club.all() == before
    assert not drafts.is_done(side_of(game, club.gangs[0]))


@pytest.mark.django_db(transaction=True)
def test_commit_during_a_strike_never_stays_in_a_struck_game(bob, alice):
    """The commit either came first and is struck, or came too late and is refused."""
    dora = User.objects.create_user("dora", password="correct horse battery")
    club = Club(bob, alice, dora)
    game = club.open(0, 1)
    commit_it = prepare_commit(club, game, 0)
    version = Game.objects.get(pk=game.pk).version
    versions = {key: stroke.gang.version for key, stroke in weigh_strike(game).items()}

    def strike_it() -> None:
        shown = Game.objects.select_related("campaign").get(pk=game.pk)
        strikes.strike_game(
            shown, actor=bob, reason="Wrong.", expected_version=version, versions=versions, also={}
        )

    assert run_together(commit_it, strike_it) == ["done", "refused"]
    struck = Game.objects.get(pk=game.pk).status == "struck"
    assert drafts.is_done(side_of(game, club.gangs[0])) != struck
    assert fresh(club.gangs[0]).roster.games == (0 if struck else 1)


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_only_one_of_two_organisers_strikes_or_restores(bob, alice):
    dora = User.objects.create_user("dora", password="correct horse battery")
    club = Club(bob, alice, dora)
    game = club.play(0, 1)
    before = club.all()
    assert run_together(lambda: strike(game, bob), lambda: strike(game, alice)) == [
        "done",
        "refused",
    ]
    assert [gang.strikes.count() for gang in club.gangs] == [1, 1]
    assert [fresh(gang).roster.games for gang in club.gangs] == [0, 0]
    assert run_together(lambda: restore(game, bob), lambda: restore(game, bob)) == [
        "done",
        "refused",
    ]
    assert club.all() == before
