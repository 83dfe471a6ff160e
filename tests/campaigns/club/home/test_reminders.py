"""Reminders of nights, games and post-games that players have left open."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from accounts import mailing, notices
from accounts.models import Notice, Reminder, User
from campaigns.club.home import reminders
from campaigns.club.nights import schedule
from campaigns.club.people import joining
from campaigns.models import Game, Membership, Night, Side
from common import background
from common.models import Job
from gangs.ledger import writer
from gangs.models import Gang, Strike
from tests.campaigns.postgames.test_drafts import committed
from tests.world.campaigns import (
    confirmed,
    make_campaign,
    make_game,
    make_night,
    reported,
    side_of,
)

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
NIGHT, GAME, POSTGAME = reminders.NIGHT, reminders.GAME, reminders.POSTGAME


def mailed(user: User, *off: str) -> User:
    """Let the user get notices by e-mail, except those of some topics."""
    User.objects.filter(pk=user.pk).update(mail_notices=True, mail_off=list(off))
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


def reminded(kind: str) -> list[str]:
    return sorted(str(notice.user) for notice in Notice.objects.filter(kind=kind))


def forget_announcements() -> None:
    """Let the announcements of all nights be older than a day."""
    Notice.objects.update(at=timezone.now() - timedelta(days=2))


@pytest.fixture
def night(campaign, hers, theirs) -> Night:
    """A night tomorrow, announced some days ago."""
    night = make_night(campaign, timezone.now() + timedelta(hours=30))
    forget_announcements()
    return night


@pytest.fixture
def pushed(monkeypatch) -> list[Notice]:
    """The notices that are sent to devices."""
    found: list[Notice] = []
    monkeypatch.setattr(notices, "_deliveries", [found.extend])
    return found


class TestNights:
    def test_player_without_an_answer_is_reminded_once(self, night, hers, alice):
        schedule.answer(night, hers, "maybe", actor=alice)
        assert reminders.send_due() == 1
        assert reminders.send_due() == 0
        assert reminded(NIGHT) == ["dora"]

    def test_machine_that_looks_at_the_same_time_reminds_nobody_twice(
        self, night, hers, theirs, monkeypatch
    ):
        remind = reminders._remind

        def remind_beside_another(*duty) -> None:
            monkeypatch.setattr(reminders, "_remind", remind)
            reminders.send_due()
            remind(*duty)

        monkeypatch.setattr(reminders, "_remind", remind_beside_another)
        reminders.send_due()
        assert reminded(NIGHT) == ["alice", "dora"]

    def test_night_is_left_out_until_two_days_before(self, campaign, theirs):
        night = make_night(campaign, timezone.now() + timedelta(hours=49))
        forget_announcements()
        assert reminders.send_due() == 0
        assert reminders.send_due(timezone.now() + timedelta(hours=2)) == 1
        assert reminders.send_due(night.starts_at + timedelta(minutes=1)) == 0

    def test_player_who_has_just_been_asked_is_not_reminded(self, campaign, theirs):
        make_night(campaign, timezone.now() + timedelta(hours=30))
        assert reminders.send_due() == 0
        assert reminders.send_due(timezone.now() + timedelta(hours=25)) == 2
        assert reminded(NIGHT) == ["dora"]

    def test_night_that_moves_to_another_day_is_asked_again(self, night, hers, theirs):
        assert reminders.send_due() == 2
        Night.objects.update(starts_at=night.starts_at + timedelta(days=7))
        assert reminders.send_due(timezone.now() + timedelta(days=7)) == 2

    @pytest.mark.parametrize(
        ("before", "after", "asked"),
        [
            (timedelta(minutes=30), timedelta(hours=20), 2),
            (timedelta(hours=22, minutes=30), timedelta(hours=24, minutes=30), 4),
        ],
        ids=["same day", "past midnight"],
    )
    def test_night_is_asked_again_by_the_day_of_local_clocks(
        self, campaign, hers, theirs, before, after, asked
    ):
        midnight = timezone.make_aware(datetime(2031, 7, 10))
        night = make_night(campaign, midnight + before)
        now = midnight - timedelta(hours=24)
        assert reminders.send_due(now) == 2
        Night.objects.filter(pk=night.pk).update(starts_at=midnight + after)
        reminders.send_due(now + timedelta(hours=1))
        assert reminded(NIGHT) == sorted(["alice", "dora"] * (asked // 2))

    def test_device_shows_the_unread_reminder_again_on_the_eve(self, night, theirs, dora, pushed):
        assert reminders.send_due() == 2
        assert pushed == []
        assert reminders.send_due(night.starts_at - timedelta(hours=23)) == 2
        assert reminders.send_due(night.starts_at - timedelta(hours=22)) == 0
        assert {notice.kind for notice in pushed} == {NIGHT}
        assert (
            Notice.objects.filter(user=dora, read_at=None, kind__startswith="night_").count() == 2
        )

    def test_eve_has_a_notice_of_its_own_if_the_reminder_was_read(self, night, theirs, pushed):
        reminders.send_due()
        Notice.objects.update(read_at=timezone.now())
        reminders.send_due(night.starts_at - timedelta(hours=23))
        assert {notice.kind for notice in pushed} == {"night_tomorrow"}

    def test_called_off_night_reminds_nobody(self, night):
        Night.objects.update(cancelled_at=timezone.now())
        assert reminders.send_due() == 0

    @pytest.mark.parametrize("gone", ["archived", "retired", "left", "blocked"])
    def test_nobody_is_reminded_who_no_longer_plays(
        self, night, campaign, hers, theirs, alice, dora, bob, gone
    ):
        schedule.answer(night, hers, "yes", actor=alice)
        match gone:
            case "archived":
                joining.archive(campaign)
            case "retired":
                joining.retire(campaign, theirs, actor=dora)
            case "left":
                joining.part(campaign, theirs, behind=False, actor=dora)
            case "blocked":
                User.objects.filter(pk=dora.pk).update(is_active=False)
        assert reminders.send_due() == 0

    def test_reminder_offers_the_answers(self, night, theirs, dora, as_user):
        reminders.send_due()
        page = as_user(dora).get(reverse("notices")).content.decode()
        assert "and you have not answered. Are you coming?" in page
        assert reverse("campaigns:night-answer", args=[night.pk]) in page


class TestGames:
    def test_both_players_are_reminded_after_three_days(self, campaign, alice, hers, theirs):
        game = make_game(campaign, alice, hers, theirs, day=NOON.date())
        assert reminders.send_due(NOON + timedelta(days=2)) == 0
        assert reminders.send_due(NOON + timedelta(days=3)) == 2
        assert reminders.send_due(NOON + timedelta(days=4)) == 0
        assert reminded(GAME) == ["alice", "dora"]
        urls = set(Notice.objects.filter(kind=GAME).values_list("url", flat=True))
        assert urls == {reverse("campaigns:game-report", args=[game.pk])}

    def test_reported_game_reminds_nobody(self, campaign, alice, hers, theirs):
        reported(make_game(campaign, alice, hers, theirs, day=NOON.date()), alice)
        assert reminders.send_due(NOON + timedelta(days=3)) == 0

    def test_game_of_long_ago_reminds_nobody(self, campaign, alice, hers, theirs):
        make_game(campaign, alice, hers, theirs, day=NOON.date())
        assert reminders.send_due(NOON + timedelta(days=30)) == 0

    def test_nobody_is_reminded_at_night(self, campaign, alice, hers, theirs):
        make_game(campaign, alice, hers, theirs, day=NOON.date())
        assert reminders.send_due(NOON + timedelta(days=3, hours=12)) == 0
        assert reminders.send_due(NOON + timedelta(days=4)) == 2


class TestPostgames:
    @pytest.fixture
    def game(self, campaign, alice, dora, hers, theirs):
        game = make_game(campaign, alice, hers, theirs)
        return confirmed(reported(game, alice), dora)

    def test_player_is_reminded_a_week_after_the_game_was_confirmed(self, game, hers, alice, dora):
        assert reminders.send_due(NOON) == 0
        committed(side_of(game, hers), alice)
        assert reminders.send_due(NOON + timedelta(days=6)) == 0
        assert reminders.send_due(NOON + timedelta(days=7)) == 1
        assert reminders.send_due(NOON + timedelta(days=8)) == 0
        assert reminded(POSTGAME) == ["dora"]

    def test_only_the_earliest_of_a_gang_is_reminded_of(
        self, game, campaign, alice, dora, hers, theirs
    ):
        confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
        reminders.send_due(NOON)
        assert reminders.send_due(NOON + timedelta(days=7)) == 2
        committed(side_of(game, hers), alice)
        assert reminders.send_due(NOON + timedelta(days=9)) == 0
        assert reminders.send_due(NOON + timedelta(days=16)) == 1
        assert reminded(POSTGAME) == ["alice", "alice", "dora"]

    def test_postgame_that_is_opened_again_waits_its_week_again(self, game, hers, alice, dora):
        reminders.send_due(NOON)
        committed(side_of(game, hers), alice)
        reminders.send_due(NOON + timedelta(days=1))
        assert not Reminder.objects.filter(user=alice).exists()


class TestMail:
    @pytest.fixture(autouse=True)
    def _a_mail_server(self, settings):
        settings.MAIL_SERVER = True

    def test_reminder_is_mailed_by_choice_to_a_confirmed_address(self, night, alice, dora):
        mailed(alice)
        mailed(dora, NIGHT)
        assert reminders.send_due() == 2
        background.carry_out(mailing.LANE)
        (sent,) = mail.outbox
        assert sent.to == [alice.email] and "you have not answered" in sent.subject
        assert night.get_absolute_url() in sent.body and reverse("notices") in sent.body

    def test_mail_is_dropped_when_the_duty_is_done_before_it_is_sent(
        self, night, hers, alice, dora
    ):
        mailed(alice)
        reminders.send_due()
        assert mailing.stored_mails().count() == 1
        schedule.answer(night, hers, "no", actor=alice)
        background.carry_out(mailing.LANE)
        assert mail.outbox == [] and not mailing.stored_mails().exists()

    def test_mail_about_a_game_is_dropped_when_it_is_reported(
        self, campaign, alice, dora, hers, theirs
    ):
        mailed(dora)
        day = timezone.localdate() - timedelta(days=4)
        game = make_game(campaign, alice, hers, theirs, day=day)
        mailing.stored_mails().delete()
        assert reminders.send_due(timezone.localtime().replace(hour=12)) == 2
        (waiting,) = mailing.stored_mails()
        reported(game, alice)
        background.carry_out(mailing.LANE)
        assert not mailing.stored_mails().filter(pk=waiting.pk).exists()
        (sent,) = mail.outbox
        assert "has reported" in sent.subject


def test_old_reminders_are_deleted_except_those_of_open_postgames(alice):
    long_ago = timezone.now() - timedelta(days=61)
    for kind in reminders.KINDS:
        Reminder.objects.create(user=alice, kind=kind, about="a", noted_at=long_ago)
        Reminder.objects.create(user=alice, kind=kind, about="b")
    assert reminders.tidy() == 3
    assert Reminder.objects.filter(about="a").get().kind == POSTGAME


def test_finding_open_duties_makes_few_queries(
    campaign, hers, theirs, alice, dora, django_assert_max_num_queries
):
    for days in (3, 4, 5):
        make_game(campaign, alice, hers, theirs, day=(NOON - timedelta(days=days)).date())
    people = [alice.pk, dora.pk]
    with django_assert_max_num_queries(6):
        assert sum(len(kind.find(NOON, people)) for kind in reminders.KINDS.values()) == 6


class TestTurns:
    """Looking at the accounts of the site in turn, each of them a piece and a look."""

    @pytest.fixture(autouse=True)
    def _small_looks(self, monkeypatch):
        monkeypatch.setattr(reminders, "PIECE", 1)
        monkeypatch.setattr(reminders, "MOST_LOOKED_AT", 1)

    @pytest.fixture
    def looks(self, monkeypatch) -> list[int]:
        """The keys of the accounts that were looked at, in this order."""
        found: list[int] = []
        find = reminders._postgames

        def noting(now, people):
            found.extend(people)
            return find(now, people)

        kind = replace(reminders.KINDS[POSTGAME], find=noting)
        monkeypatch.setitem(reminders.KINDS, POSTGAME, kind)
        return found

    def look(self, now: datetime = NOON) -> Job:
        """Run the job as a process of the site does."""
        job, _new = Job.objects.get_or_create(kind="reminders", periodic=True)
        Job.objects.filter(pk=job.pk).update(next_at=timezone.now())
        work = background._Work(
            background.PERIODIC, lambda _job: reminders.send_due(now), timedelta(hours=1)
        )
        taken = background._take(job.pk, work)
        assert taken is not None and background._try(taken, work)
        return Job.objects.get(pk=job.pk)

    def test_look_goes_on_behind_the_accounts_of_the_last_one(self, looks, alice, bob, dora):
        keys = sorted(User.objects.values_list("pk", flat=True))
        backlogs = [background.backlog_of(self.look()) for _account in keys]
        assert looks == keys
        assert backlogs == [*range(len(keys) - 1, 0, -1), 0]
        self.look()
        assert looks == [*keys, keys[0]]

    def test_look_by_night_keeps_its_place_and_its_backlog(self, looks, alice, bob, dora):
        backlog = background.backlog_of(self.look())
        by_night = self.look(NOON + timedelta(hours=12))
        assert background.backlog_of(by_night) == backlog > 0
        self.look(NOON + timedelta(days=1))
        assert looks == sorted(looks) and len(set(looks)) == 2

    def test_restart_in_between_reminds_nobody_twice(
        self, campaign, hers, theirs, alice, dora, monkeypatch
    ):
        confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
        monkeypatch.setattr(reminders, "MOST_LOOKED_AT", 100)
        self.look()
        remind, later = reminders._remind, NOON + timedelta(days=7)
        monkeypatch.setattr(reminders, "_remind", lambda *_duty: 1 / 0)
        assert self.look(later).failed_at
        monkeypatch.setattr(reminders, "_remind", remind)
        for _look in range(3):
            self.look(later)
        assert reminded(POSTGAME) == ["alice", "dora"]

    def test_look_sends_some_reminders_and_leaves_the_others_to_the_next(
        self, campaign, hers, theirs, alice, dora, monkeypatch
    ):
        make_game(campaign, alice, hers, theirs, day=(NOON - timedelta(days=3)).date())
        monkeypatch.setattr(reminders, "MOST_SENT", 1)
        monkeypatch.setattr(reminders, "MOST_LOOKED_AT", 100)
        assert [background.backlog_of(self.look()) for _look in range(3)] == [1, 0, 0]
        assert reminded(GAME) == ["alice", "dora"]


def test_earliest_postgame_of_a_gang_is_found_in_whichever_campaign(
    campaign, hers, theirs, alice, dora, bob
):
    first = confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    others = [make_campaign(bob) for _number in range(3)]
    # The gang plays in another campaign, too, whose key may come before or after the first.
    for other in others:
        for gang in (hers, theirs):
            Membership.objects.create(campaign=other, gang=gang, player=gang.owner)
        make_game(other, alice, hers, theirs, day=first.played_on + timedelta(days=1))
        Game.objects.filter(campaign=other).update(status="confirmed", result=first.result)
    found = reminders.KINDS[POSTGAME].find(NOON, [alice.pk, dora.pk])
    assert {duty.about for duty in found} == {str(side.pk) for side in first.sides.all()}


def test_open_postgames_are_those_that_are_undone_or_corrected(campaign, hers, theirs, alice, dora):
    def check(expected: set[Side]) -> None:
        found = Side.objects.open([hers.pk, theirs.pk])
        right = Side.objects.filter(game__status=Game.Status.CONFIRMED)
        right = right.filter(Q(pk__in=Side.objects.undone()) | Q(correcting=True))
        assert set(found) == set(right) == expected

    planned = make_game(campaign, alice, hers, theirs)
    check(set())
    game = confirmed(reported(planned, alice), dora)
    mine, yours = side_of(game, hers), side_of(game, theirs)
    check({mine, yours})
    committed(mine, alice)
    check({yours})
    mine.refresh_from_db()
    gang = Gang.objects.get(pk=hers.pk)
    assert mine.batch is not None
    writer.strike(gang, mine.batch, expected_version=gang.version, actor=alice)
    check({mine, yours})
    strike = Strike.objects.get(gang=gang)
    gang.refresh_from_db()
    writer.revise(gang, undoes=strike, expected_version=gang.version, actor=alice)
    check({yours})
    Side.objects.filter(pk=mine.pk).update(correcting=True)
    check({mine, yours})
