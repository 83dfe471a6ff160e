"""Once means once: a thing that may be used once is used once, by whomever and however many at the
same moment.

Each case sets a thing up that several people, or windows, then use. All of them read it before
anybody uses it.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from allauth.account.forms import default_token_generator
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.authentication import invitations
from accounts.models import Notice, SiteInvitation, User
from api.once import import_once
from api.problems import Problem
from campaigns.club.next_season.storage import NextSeason, start_next
from campaigns.club.nights import schedule
from campaigns.club.people import admission, joining
from campaigns.club.planning import plans
from campaigns.engine.league.options import StageOptions
from campaigns.league import reminding, rounds, stages
from campaigns.models import (
    Adjustment,
    Bargain,
    Campaign,
    Fixture,
    Game,
    Invitation,
    JoinRequest,
    Membership,
    Night,
    Participant,
    Round,
    Stage,
    Table,
    Trophy,
)
from campaigns.season.standings import storage as standings
from campaigns.season.trophies import storage as trophies
from campaigns.table import storage as tables
from gangs.engine import entries as kinds
from gangs.engine import holdings
from gangs.engine.computed import ComputedGang
from gangs.files.exporting import export_gang
from gangs.ledger import writer
from gangs.models import Gang
from rules.library import load
from rules.loading.reader import read_folder
from tests.campaigns.racing import PEOPLE, Evening, Press, Read, carrying_out, race
from tests.campaigns.test_races import report_press
from tests.games.conftest import FOLDER
from tests.world.campaigns import make_game, make_player, make_stage
from tests.world.gangs import become_guest, make_gang

pytestmark = pytest.mark.django_db(transaction=True)

ORGANISER = Participant.Role.ORGANISER
PASSWORD, SECRET = "correct horse battery", "JBSWY3DPEHPK3PXP"
REFUSED = frozenset({409, 422})


def is_redirect(answer: Read) -> bool:
    """Whether a button did what it says."""
    return answer[0] == 302


def check_nothing(winner: int) -> None:
    """Check nothing more."""


@dataclass(frozen=True)
class Case:
    """Presses that use the same thing, and the number of times that it ``counts`` afterwards.

    ``wins``: whether an answer says that its press counted; None if all presses are the same form,
    whose sender needs to know nothing; ``refusals``: the statuses of the others, whose page says
    ``words``; ``then``: checks what the winner, by place, may do later.
    """

    presses: Sequence[Press]
    counts: Callable[[], int]
    wins: Callable[[Read], bool] | None = is_redirect
    refusals: frozenset[int] = REFUSED
    words: str = ""
    then: Callable[[int], None] = field(default=check_nothing)


def newcomers(number: int, **more: Any) -> list[User]:
    """Return people who take no part yet."""
    names = [f"newcomer{place}" for place in range(number)]
    return [User.objects.create_user(name, password=PASSWORD, **more) for name in names]


def joining_with(evening: Evening, user: User, key: str, gang: Gang | None = None) -> Press:
    """Return the press by which a user joins by a link, with a new gang if they give none."""
    gang = gang or make_gang(user, PEOPLE)
    data = {"gang": str(gang.pk), f"seen-{gang.pk}": gang.version}
    return partial(evening.browser(user).post, reverse("campaigns:join", args=[key]), data)


def invited(evening: Evening) -> Invitation:
    """Return an invitation to a campaign that nobody else may join."""
    Campaign.objects.update(joining=Campaign.Joining.CLOSED)
    admission.invite(evening.campaign, "somebody", actor=evening.bob)
    return Invitation.objects.get()


def with_a_past(user: User) -> Gang:
    """Return a gang that came as a file and has played, for which an organiser must vouch."""
    gang = make_gang(user, PEOPLE)
    game = kinds.Played(game="g", title="t", result="victory", side="winner", fielded=())
    writer.append(gang, [game], expected_version=gang.version, actor=user)
    Gang.objects.filter(pk=gang.pk).update(imported_at=timezone.now())
    return Gang.objects.get(pk=gang.pk)


def two_organisers(evening: Evening) -> tuple[User, User]:
    """Let charlie run the campaign, too."""
    evening.campaign.participants.create(user=evening.charlie, role=ORGANISER)
    return evening.bob, evening.charlie


# Invitations


def invitation(evening: Evening) -> Case:
    """Somebody forwarded their invitation: the first account joins, and may come back."""
    key, people = invited(evening).key, newcomers(4)

    def come_back(winner: int) -> None:
        assert Invitation.objects.get().accepted_by == people[winner]
        for place, user in enumerate(people):
            status = joining_with(evening, user, key)().status_code
            assert status == (302 if place == winner else 422)

    return Case(
        [joining_with(evening, user, key) for user in people],
        lambda: Membership.objects.filter(gang__owner__in=people).count(),
        words="Somebody else has already used this invitation",
        then=come_back,
    )


def invitation_to_ask(evening: Evening) -> Case:
    """An organiser has to agree: the invitation stays that of the account that asks, also after the
    organiser has declined."""
    key, people = invited(evening).key, newcomers(3)

    def come_back(winner: int) -> None:
        Invitation.objects.update(accepted_at=timezone.now() - 2 * admission.KEPT)
        assert admission.tidy() == 0
        admission.decline(JoinRequest.objects.get(), actor=evening.bob)
        assert admission.tidy() == 0
        for place, user in enumerate(people):
            status = joining_with(evening, user, key)().status_code
            assert status == (302 if place == winner else 422)

    return Case(
        [joining_with(evening, user, key, with_a_past(user)) for user in people],
        JoinRequest.objects.count,
        words="Somebody else has already used this invitation",
        then=come_back,
    )


def withdrawn_invitation(evening: Evening) -> Case:
    """An invitation is either used or withdrawn."""
    mine, (user,) = invited(evening), newcomers(1)
    withdraw = evening.post(evening.bob, "withdraw-invitation", evening.campaign.pk, mine.pk)
    return Case(
        [joining_with(evening, user, mine.key), withdraw],
        lambda: (
            Membership.objects.filter(gang__owner=user).count() + (not Invitation.objects.exists())
        ),
        wins=lambda answer: answer[0] == 302 and "has just used" not in answer[1],
        refusals=frozenset({302, 422}),
        words="used this invitation",
    )


def signing_up(number: int, **link: str) -> Case:
    """Return visitors who sign up by the same link."""

    def sign_up(name: str) -> Press:
        data = {"username": name, "password1": PASSWORD, "password2": PASSWORD}
        return partial(Client().post, "/accounts/signup/", data | link)

    return Case(
        [sign_up(f"visitor{place}") for place in range(number)],
        User.objects.filter(username__startswith="visitor").count,
        refusals=frozenset({200}),
        words="has been used",
    )


def invitation_to_sign_up(evening: Evening) -> Case:
    """A personal invitation lets one account sign up, which then joins by it, and nobody else."""
    key, (other,) = invited(evening).key, newcomers(1)
    case = signing_up(4, next=reverse("campaigns:join", args=[key]))

    def join(winner: int) -> None:
        user = User.objects.get(username=f"visitor{winner}")
        assert joining_with(evening, other, key)().status_code == 422
        assert joining_with(evening, user, key)().status_code == 302

    return Case(case.presses, case.counts, refusals=case.refusals, words=case.words, then=join)


def invitation_to_the_site(evening: Evening) -> Case:
    token = str(uuid.uuid4())
    mine = invitations.invite(note="", places=1, days=1, token=token, actor=evening.bob)
    return signing_up(4, invitation=mine.key)


def request_to_join(evening: Evening) -> Case:
    """A request is accepted, declined or taken back."""
    bob, charlie = two_organisers(evening)
    gang = make_gang(evening.alice, PEOPLE)
    asked = JoinRequest.objects.create(campaign=evening.campaign, gang=gang, by=evening.alice)
    decide = ("decide-request", evening.campaign.pk, asked.pk)

    def counts() -> int:
        answers = Notice.objects.filter(kind__in=["join_accepted", "join_declined"])
        accepted = answers.filter(kind="join_accepted").count()
        assert Membership.objects.filter(gang=gang).count() == accepted
        return answers.count() or 1

    return Case(
        [
            evening.post(bob, *decide),
            evening.post(charlie, *decide, decline=""),
            evening.post(evening.alice, "withdraw-request", asked.pk),
        ],
        counts,
        wins=lambda answer: answer[0] == 302 and "already answered" not in answer[1],
        refusals=frozenset({302, 409}),
    )


# Accounts


def with_second_factor(evening: Evening, code: Callable[[User], str]) -> Case:
    """Return sign-ins with the same code."""
    (user,) = newcomers(1)
    TOTP.activate(user, SECRET)
    right = code(user)
    browsers = [Client() for _ in range(4)]
    for browser in browsers:
        browser.post("/accounts/login/", {"login": user.username, "password": PASSWORD})
    path = "/accounts/two-factor/authenticate/"
    return Case(
        [partial(browser.post, path, {"code": right}) for browser in browsers],
        lambda: sum("_auth_user_id" in browser.session for browser in browsers),
        words="invalid-feedback",
    )


def code_of_an_app(evening: Evening) -> Case:
    now = int(time.time()) // 30
    return with_second_factor(evening, lambda user: format_hotp_value(hotp_value(SECRET, now)))


def recovery_code(evening: Evening) -> Case:
    return with_second_factor(
        evening, lambda user: RecoveryCodes.activate(user).get_unused_codes()[0]
    )


def link_for_a_password(evening: Evening) -> Case:
    (user,) = newcomers(1)
    link = {"uidb36": user_pk_to_url_str(user), "key": default_token_generator.make_token(user)}
    address = reverse("account_reset_password_from_key", kwargs=link)

    def choose(password: str) -> Press:
        browser = Client()
        path = browser.get(address, follow=True).request["PATH_INFO"]
        return partial(browser.post, path, {"password1": password, "password2": password})

    passwords = [f"a wholly different phrase {place}" for place in range(3)]

    def check(winner: int) -> None:
        user.refresh_from_db()
        assert user.check_password(passwords[winner])

    return Case(
        [choose(password) for password in passwords],
        lambda: sum(User.objects.get(pk=user.pk).check_password(one) for one in passwords),
        refusals=frozenset({200}),
        then=check,
    )


def address_of_two_accounts(evening: Evening) -> Case:
    rows = [
        EmailAddress.objects.create(user=user, email="both@example.org") for user in newcomers(2)
    ]
    paths = [
        reverse("account_confirm_email", args=[EmailConfirmationHMAC(row).key]) for row in rows
    ]
    return Case(
        [partial(Client().post, path) for path in paths],
        EmailAddress.objects.filter(email="both@example.org", verified=True).count,
        wins=lambda answer: "You have confirmed" in answer[1],
        refusals=frozenset({302, 404}),
    )


def gangs_of_a_visitor(evening: Evening) -> Case:
    """Two accounts sign in where a visitor has built a gang: one gets it."""
    gang = make_gang(evening.alice, PEOPLE)
    Gang.objects.filter(pk=gang.pk).update(owner=None)
    browsers = [Client(), Client()]
    for browser in browsers:
        become_guest(browser, gang)
    return Case(
        [
            partial(
                browser.post, "/accounts/login/", {"login": user.username, "password": PASSWORD}
            )
            for browser, user in zip(browsers, newcomers(2), strict=True)
        ],
        Gang.objects.filter(pk=gang.pk, owner__username__startswith="newcomer").count,
        wins=lambda answer: "is saved to your account" in answer[1],
        refusals=frozenset({302}),
    )


# Clubs


def offer_about_a_captive(evening: Evening) -> Case:
    bargain = evening.offer()
    answers = [
        (evening.dora, "agree"),
        (evening.bob, "agree"),
        (evening.dora, "decline"),
        (evening.alice, "withdraw"),
    ]
    return Case(
        [evening.answering(bargain, user, act) for user, act in answers],
        Bargain.objects.exclude(status=Bargain.Status.OPEN).count,
        words="Somebody was faster",
    )


def gang_handed_over(evening: Evening) -> Case:
    bob, charlie = two_organisers(evening)
    give = ("hand-over", evening.campaign.pk, evening.hers.pk)
    return Case(
        [
            evening.post(bob, *give, to=evening.dora.pk, seen=evening.alice.pk),
            evening.post(charlie, *give, to=bob.pk, seen=evening.alice.pk),
        ],
        Notice.objects.filter(kind="gang_taken", user=evening.alice).count,
    )


def challenge(evening: Evening) -> Case:
    """Two gangs challenge a third one, which has one challenge to play at a time."""
    third = make_player(evening.campaign, evening.charlie)
    gangs = [evening.gang(gang) for gang in (evening.hers, evening.theirs, third)]
    details: stages.Details = {"name": "Ladder", "options": StageOptions(reach=2)}
    stage = stages.start(evening.campaign, "ladder", gangs, details, token=uuid.uuid4())
    top = str(evening.hers.pk)
    return Case(
        [
            evening.post(user, "challenge", stage.pk, gang=str(gang.pk), other=top)
            for user, gang in zip((evening.dora, evening.charlie), gangs[1:], strict=True)
        ],
        Fixture.objects.count,
    )


def fixture(evening: Evening) -> Case:
    """Both players plan the game of a fixture."""
    gangs = [evening.gang(evening.hers), evening.gang(evening.theirs)]
    make_stage(evening.campaign, *gangs)

    def plan(actor: User) -> Press:
        row = Fixture.objects.get()
        planned = plans.Plan(timezone.localdate())
        act = partial(plans.plan, evening.campaign, gangs, planned, fixture=row)
        return carrying_out(partial(act, actor=actor, token=uuid.uuid4()))

    return Case([plan(evening.alice), plan(evening.dora)], Game.objects.count)


def notice_of_a_round(evening: Evening) -> Case:
    """Two processes and an organiser find that a round has begun."""
    stage = make_stage(evening.campaign, evening.gang(evening.hers), evening.gang(evening.theirs))
    Notice.objects.all().delete()
    Round.objects.update(announced_at=None)
    one, today = Round.objects.select_related("stage__campaign").get(), timezone.localdate()
    move = partial(rounds.change_days, one, today, None, expected_version=stage.version)
    return Case(
        [carrying_out(act) for act in (reminding.send_due, move, reminding.send_due)],
        Notice.objects.filter(kind="round_opened", user=evening.alice).count,
        wins=None,
    )


def next_season(evening: Evening) -> Case:
    """Two organisers carry the same gang into different new seasons."""
    two_organisers(evening)
    gang = evening.gang(evening.hers)

    def start(actor: User) -> Press:
        campaign = Campaign.objects.get()
        details: joining.Details = {"name": "Next", "notes": "", "settings": campaign.settings}
        chosen = NextSeason(details, seats=[], carried={gang.pk: gang.version})
        return carrying_out(partial(start_next, campaign, chosen, token=uuid.uuid4(), actor=actor))

    return Case(
        [start(evening.bob), start(evening.charlie)],
        Campaign.objects.filter(previous=evening.campaign).count,
    )


def place_with_one_holder(evening: Evening) -> Case:
    version = load(read_folder(FOLDER / "terraces"))[0]
    campaign = joining.start(
        name="Slope",
        version=version,
        settings={},
        notes="",
        organiser=evening.bob,
        token=uuid.uuid4(),
    )

    def found(user: User) -> Gang:
        people = [kinds.Recruited(rank="elder"), kinds.Recruited(rank="picker", name="Luc")]
        gang = writer.found(version, [kinds.Founded(name="A", settings={}), *people], owner=user)
        joining.join(campaign, gang, actor=user, expected_version=gang.version)
        return Gang.objects.get(pk=gang.pk)

    def take(gang: Gang) -> Press:
        gains = holdings.take(ComputedGang.of(gang.book, gang.roster), "south")
        return carrying_out(
            partial(writer.append, gang, gains, expected_version=gang.version, actor=gang.owner)
        )

    gangs = [found(user) for user in (evening.alice, evening.dora)]
    return Case(
        [take(gang) for gang in gangs],
        lambda: sum(bool(evening.gang(gang).roster.holdings) for gang in gangs),
        words="holding_held",
    )


def seat_at_a_table(evening: Evening) -> Case:
    gang, *others = [make_gang(user, PEOPLE) for user in (evening.bob, *newcomers(3))]
    table = tables.open_alone([gang], owner=evening.bob, guest=None, token="once")
    return Case(
        [
            carrying_out(
                partial(
                    tables.seat_opponent,
                    table,
                    other,
                    actor=other.owner,
                    device=uuid.uuid4(),
                    note="Here",
                )
            )
            for other in others
        ],
        lambda: Table.objects.get().sides.exclude(gang=gang).count(),
    )


def report(evening: Evening) -> Case:
    game = make_game(evening.campaign, evening.alice, evening.hers, evening.theirs)
    return Case(
        [
            report_press(evening, evening.alice, game, evening.hers),
            report_press(evening, evening.dora, game, evening.theirs),
        ],
        lambda: game.claims.count(),
        words="in the meantime",
    )


def post_game(evening: Evening) -> Case:
    game = evening.confirmed()
    return Case(
        [evening.committing(game, evening.hers) for _ in range(3)],
        evening.hers.entries.filter(kind="played").count,
    )


def removal(evening: Evening) -> Case:
    people = two_organisers(evening)
    seat = evening.campaign.participants.get(user=evening.dora)
    return Case(
        [evening.post(user, "remove", evening.campaign.pk, seat.pk) for user in people],
        Notice.objects.filter(kind="removed", user=evening.dora).count,
    )


def last_organiser(evening: Evening) -> Case:
    people = two_organisers(evening)
    return Case(
        [evening.post(user, "depart", evening.campaign.pk) for user in people],
        evening.campaign.participants.filter(role=ORGANISER).count,
    )


# Forms


def sent_often(act: Callable[[], object], counts: Callable[[], int]) -> Case:
    """Return the same form, sent from four windows."""
    return Case([carrying_out(act) for _ in range(4)], counts, wins=None)


def form_of_a_campaign(evening: Evening) -> Case:
    values = {"name": "Again", "notes": "", "settings": evening.campaign.settings}
    act = partial(joining.start, version=evening.campaign.book_version, organiser=evening.bob)
    return sent_often(
        partial(act, token=uuid.uuid4(), **values), Campaign.objects.filter(name="Again").count
    )


def form_of_a_night(evening: Evening) -> Case:
    at = timezone.now() + timedelta(days=2)
    act = partial(schedule.arrange, evening.campaign, starts_at=at, place="", note="")
    return sent_often(partial(act, token=uuid.uuid4()), Night.objects.count)


def form_of_a_game(evening: Evening) -> Case:
    gangs, planned = [evening.hers, evening.theirs], plans.Plan(timezone.localdate())
    act = partial(plans.plan, evening.campaign, gangs, planned, actor=evening.bob)
    return sent_often(partial(act, token=uuid.uuid4()), Game.objects.count)


def form_of_a_stage(evening: Evening) -> Case:
    gangs = [evening.hers, evening.theirs]
    details: stages.Details = {"name": "Autumn", "options": StageOptions()}
    act = partial(stages.start, evening.campaign, "swiss", gangs, details, token=uuid.uuid4())
    return sent_often(act, Stage.objects.count)


def form_of_a_trophy(evening: Evening) -> Case:
    act = partial(trophies.create, evening.campaign, name="Cup", text="", count="")
    return sent_often(partial(act, token=uuid.uuid4(), actor=evening.bob), Trophy.objects.count)


def form_of_a_bonus(evening: Evening) -> Case:
    act = partial(standings.adjust, evening.campaign, evening.hers, points=3, reason="Paint")
    return sent_often(partial(act, token=uuid.uuid4(), actor=evening.bob), Adjustment.objects.count)


def form_of_a_site_invitation(evening: Evening) -> Case:
    act = partial(invitations.invite, note="", places=1, days=1, token=str(uuid.uuid4()))
    return sent_often(partial(act, actor=evening.bob), SiteInvitation.objects.count)


def key_of_a_file(evening: Evening) -> Case:
    """Two programs of one account send different files with the same key."""

    def send(gang: Gang) -> Press:
        file = export_gang(gang).encode()

        def press() -> Read:
            try:
                import_once(file, evening.alice, "the same key")
            except Problem as problem:
                return problem.status, problem.code
            return 302, ""

        return press

    before = Gang.objects.count()
    presses = [send(gang) for gang in (evening.hers, evening.theirs)]
    return Case(presses, lambda: Gang.objects.count() - before, words="key_used")


CASES = (
    invitation,
    invitation_to_ask,
    withdrawn_invitation,
    invitation_to_sign_up,
    invitation_to_the_site,
    request_to_join,
    code_of_an_app,
    recovery_code,
    link_for_a_password,
    address_of_two_accounts,
    gangs_of_a_visitor,
    offer_about_a_captive,
    gang_handed_over,
    challenge,
    fixture,
    notice_of_a_round,
    next_season,
    place_with_one_holder,
    seat_at_a_table,
    report,
    post_game,
    removal,
    last_organiser,
    form_of_a_campaign,
    form_of_a_night,
    form_of_a_game,
    form_of_a_stage,
    form_of_a_trophy,
    form_of_a_bonus,
    form_of_a_site_invitation,
    key_of_a_file,
)


@pytest.fixture
def evening(settings: Any) -> Iterator[Evening]:
    """Return two gangs of a campaign on a site that only invited people sign up to."""
    settings.SIGNUP = "invitation"
    made = Evening()
    yield made
    made.check()


@pytest.mark.parametrize("make", CASES, ids=lambda make: make.__name__)
def test_thing_that_is_used_at_the_same_moment_counts_once(
    evening: Evening, make: Callable[[Evening], Case]
) -> None:
    """One press counts, and its user may come back where that is promised. The others are refused
    in words, never by an error of the server."""
    case = make(evening)
    answers = race(*case.presses, in_step=True)
    assert case.counts() == 1
    if case.wins is None:
        assert {status for status, _page in answers} == {302}
        return
    won = [place for place, answer in enumerate(answers) if case.wins(answer)]
    assert len(won) == 1, [status for status, _page in answers]
    for place, (status, page) in enumerate(answers):
        if place not in won:
            assert status in case.refusals and case.words in page
    case.then(won[0])
