"""Notices to players about events in their campaign, each in the reader's language."""

from __future__ import annotations

import string
import uuid
from datetime import UTC, datetime

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from accounts.models import Notice, User
from accounts.notices import describe
from campaigns import notice_kinds
from campaigns.club.nights import schedule
from campaigns.club.people import roles
from campaigns.club.planning import plans
from campaigns.engine.claims import Account, SideAccount
from campaigns.engine.report import Report
from campaigns.games import results
from campaigns.games.corrections import strikes
from campaigns.models import Game, Participant
from campaigns.postgames import drafts
from gangs.ledger import writer
from gangs.models import Gang
from tests.world.campaigns import answered, confirmed, make_game, reported, side_of


@pytest.fixture
def game(campaign, hers, theirs, alice):
    Notice.objects.filter(kind="gang_joined").delete()
    return make_game(campaign, alice, hers, theirs)


def pop_sentences(user: User) -> list[str]:
    """Return a user's notices as sentences, oldest first, and delete them."""
    found = [describe(notice) for notice in Notice.objects.filter(user=user).order_by("pk")]
    Notice.objects.filter(user=user).delete()
    return found


def kinds(user: User) -> list[str]:
    found = list(Notice.objects.filter(user=user).order_by("pk").values_list("kind", flat=True))
    Notice.objects.filter(user=user).delete()
    return found


def test_notices_of_a_game_are_read_once_their_reader_has_acted(
    game: Game, alice: User, dora: User, client: Client
) -> None:
    reported(game, alice)
    unread = Notice.objects.filter(user=dora, read_at=None)
    assert "game_reported" in unread.values_list("kind", flat=True)
    client.force_login(dora)
    game.refresh_from_db()
    verdict = reverse("campaigns:game-verdict", args=[game.pk])
    client.post(verdict, {"seen": game.version, "confirm": "1"})
    game.refresh_from_db()
    assert game.status == Game.Status.CONFIRMED
    assert not unread.filter(kind="game_reported").exists()


@pytest.mark.parametrize("kind", notice_kinds.SENTENCES)
def test_each_kind_of_notice_has_a_sentence(kind, db):
    """The values are inserted; day, role and how a game ended become words."""
    fields = {part.split(")")[0] for part in str(notice_kinds.SENTENCES[kind]).split("%(")[1:]}
    values = dict.fromkeys(fields, "X")
    if "when" in fields:
        values["when"] = timezone.now().isoformat()
    if "role" in fields:
        values["role"] = Participant.Role.PLAYER
    if "how" in fields:
        values["how"] = Game.How.NO_SHOW
    if "day" in fields or "until" in fields:
        values["day"] = "2026-05-01"
    sentence = describe(Notice(kind=kind, values=values))
    assert sentence and "%(" not in sentence
    assert sentence[0] in string.ascii_uppercase or sentence[0] == "X"


def test_game_notifies_from_plan_to_confirmation(game, hers, theirs, alice, dora, bob):
    assert kinds(dora) == ["game_planned"] and not kinds(alice) and not kinds(bob)
    game = reported(game, alice)
    assert kinds(dora) == ["game_reported"] and not kinds(alice)
    assert Notice.objects.count() == 0
    confirmed(game, dora)
    [notice] = Notice.objects.all()
    assert (notice.user, notice.kind, notice.url) == (
        alice,
        "game_confirmed",
        game.get_absolute_url(),
    )
    assert pop_sentences(alice) == [
        f"{hers.name} (alice) – {theirs.name} (dora) is confirmed: play your post-game."
    ]


def test_form_sent_twice_notifies_once(campaign, hers, theirs, alice, dora):
    for _twice in range(2):
        plans.plan(
            campaign,
            (hers, theirs),
            plans.Plan(timezone.localdate()),
            actor=alice,
            token=uuid.UUID(int=7),
        )
    assert kinds(dora) == ["game_planned"]


def test_dispute_notifies_reporter_and_organisers(game, alice, dora, bob):
    game = reported(game, alice)
    kinds(dora)
    results.dispute(game, comment="It was a draw", actor=dora, expected_version=game.version)
    assert kinds(alice) == ["game_disputed"] and kinds(bob) == ["game_disputed"]
    assert not kinds(dora)
    game = Game.objects.get()
    results.decide(game, actor=bob, expected_version=game.version)
    assert kinds(alice) == kinds(dora) == ["game_decided"]
    assert not kinds(bob)


def test_different_report_notifies_like_a_dispute(game, alice, dora, bob):
    game = reported(game, alice)
    kinds(dora)
    results.report(
        game,
        Account(
            result=game.result,
            played_on=game.played_on,
            note="Not like that",
            sides={side.pk: SideAccount("level", Report(fielded=())) for side in game.sides.all()},
        ),
        actor=dora,
        expected_version=game.version,
    )
    assert kinds(alice) == ["game_disputed"] and kinds(bob) == ["game_disputed"]


def test_night_is_announced_to_everybody(campaign, hers, bob, alice, charlie):
    roles.follow(campaign, charlie)
    assert kinds(bob) == ["gang_joined"]
    campaign = type(campaign).objects.get()
    night = None
    when = datetime(2031, 1, 17, 18, 30, tzinfo=UTC)
    for _twice in range(2):
        night = schedule.arrange(
            campaign, starts_at=when, place="At Bob’s", note="", token=uuid.UUID(int=3), actor=bob
        )
    assert night is not None
    sentence = "The long winter meets on 17 Jan. 2031, 19:30. Are you coming? At Bob’s"
    assert pop_sentences(alice) == pop_sentences(charlie) == [sentence]
    assert not kinds(bob)
    schedule.change(
        night, starts_at=when, place="At Bob’s", note="Bring dice", expected_version=0, actor=bob
    )
    assert not kinds(alice), "a changed note sends no notice"
    schedule.change(night, starts_at=when, place="Outside", note="", expected_version=1, actor=bob)
    schedule.cancel(night, expected_version=2, actor=bob)
    schedule.revive(night, expected_version=3, actor=bob)
    assert kinds(alice) == ["night_changed", "night_cancelled", "night_announced"]


def test_notice_of_a_correction_names_organiser_and_reason(campaign, hers, bob, alice):
    entries = [entry.seq for entry in hers.entries.live().filter(kind="recruited")][-1:]
    hers = Gang.objects.get(pk=hers.pk)
    writer.revise(
        hers,
        strike=entries,
        expected_version=hers.version,
        actor=bob,
        reason="One too many.",
        by_organiser=True,
        with_misfits=True,
    )
    [notice] = Notice.objects.filter(user=alice)
    assert notice.url.endswith("/history/")
    [sentence] = pop_sentences(alice)
    assert sentence == (
        f"bob, who runs The long winter, has corrected your gang {hers.name}. One too many."
    )


def test_struck_game_notifies_each_player_once(game, hers, theirs, alice, dora, bob):
    game = confirmed(reported(game, alice), dora)
    side = answered(side_of(game, hers))
    drafts.commit(side, seen_draft=side.draft_version, seen_gang=side.gang.version, actor=alice)
    Notice.objects.all().delete()
    game = Game.objects.get()
    versions = {gang.pk: gang.version for gang in Gang.objects.filter(pk__in=(hers.pk, theirs.pk))}
    strikes.strike_game(
        game,
        actor=bob,
        reason="Wrong gangs.",
        expected_version=game.version,
        versions=versions,
        also={},
    )
    assert kinds(alice) == kinds(dora) == ["game_struck"]


@pytest.mark.django_db(transaction=True)
def test_mail_is_in_the_readers_language(campaign, hers, theirs, alice, dora):
    dora.language, dora.mail_notices = "fr", True
    dora.save()
    EmailAddress.objects.create(user=dora, email=dora.email, verified=True, primary=True)
    with translation.override("en"):
        game = make_game(campaign, alice, hers, theirs)
    [message] = mail.outbox
    assert message.to == [dora.email]
    assert game.get_absolute_url() in message.body
    with translation.override("fr"):
        assert describe(Notice.objects.get(user=dora)) in message.subject + message.body
