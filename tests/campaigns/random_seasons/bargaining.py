"""Captives: capture, bargains, release; and striking bargains."""

from __future__ import annotations

import uuid

from campaigns.engine import captives
from campaigns.engine.captives import PARTIES, Party, Terms
from campaigns.games.captives import bargains
from campaigns.games.captives.bargains import Prisoner
from campaigns.games.corrections import strikes
from campaigns.models import Bargain
from campaigns.postgames.drafts import gang_of
from common.errors import Refusal
from gangs.engine.entries import Suffered
from gangs.ledger import writer
from gangs.models import Gang
from tests.campaigns.random_seasons.correcting import all_along
from tests.campaigns.random_seasons.season import Season


def may_capture(season: Season) -> bool:
    """Whether the game has captives and some member can have been captured."""
    captive_steps = captives.captive_steps(season.book.under(season.campaign.settings))
    return bool(captive_steps) and bool(season.sides(done=True))


def capture(season: Season) -> None:
    """Capture a member in a settled game, since the dice rarely do."""
    captive_steps = captives.captive_steps(season.book.under(season.campaign.settings))
    side = season.one_of(season.sides(done=True), "side")
    if not captive_steps or side is None:
        return
    gang = gang_of(side)
    held = {one.member.id for one in captives.find_held(gang.book, gang.roster)}
    free = [member.id for member in gang.roster.members if member.id not in held]
    member = season.one_of(free, "member")
    if member is None:
        return
    others = side.game.sides.exclude(pk=side.pk)
    against = " / ".join(others.values_list("name", flat=True))
    captors = tuple(map(str, others.exclude(gang=None).values_list("gang", flat=True)))
    condition = season.one_of(captive_steps, "condition")
    taken = Suffered(member=member, condition=condition, against=against[:80], captors=captors)
    writer.append(gang, [taken], expected_version=gang.version, actor=gang.owner, batch=side.batch)
    offer(season)


def offer(season: Season) -> None:
    """Offer another gang to free captives: for a sum, for other captives, or for nothing."""
    found = season.prisoners()
    first = season.one_of([who for who in found if who.captors], "prisoner")
    if first is None:
        return
    pair = [first.gang, season.one_of(first.captors, "captor")]
    giver, taker = pair if season.perhaps("the gang offers") else pair[::-1]
    gangs: dict[Party, Gang] = {"giver": giver, "taker": taker}
    whose: dict[uuid.UUID, Party] = {gang.pk: party for party, gang in gangs.items()}
    others = [who for who in bargains.between(found, giver, taker) if named(who) != named(first)]
    along = [who for who in others if season.perhaps("this one, too")]
    freed = [first, *along]
    price = captives.total_ransom([who.captive for who in freed if who.gang == first.gang])
    sums = [0, 1, 5] if price is None else [0, price, price, price + 1]
    ransom = season.one_of(sums, "ransom")
    payer = whose[first.gang.pk] if season.one_of([True, True, False], "they pay") else "giver"
    before = season.all_facts()
    try:
        bargains.offer(
            season.campaign,
            giver,
            taker,
            Terms(
                frees=tuple((whose[who.gang.pk], who.captive.member.id) for who in freed),
                ransom=ransom,
                payer=payer if ransom else None,
            ),
            note="",
            actor=giver.owner or season.organiser,
            token=uuid.uuid4(),
        )
    except Refusal as refusal:
        assert refusal.code in ("too_dear", "nobody_ransomed", "ransom_worth")
    assert season.all_facts() == before


def named(who: Prisoner) -> tuple[uuid.UUID, int]:
    """Return a key that identifies a prisoner."""
    return who.gang.pk, who.captive.member.id


def answer(season: Season) -> None:
    """Agree to, decline or withdraw an offer; one gang receives what the other pays."""
    bargain = season.one_of(season.bargains("open"), "bargain")
    how = season.one_of(["agree", "agree", "decline", "withdraw"], "how")
    if bargain is None:
        return
    before = season.all_facts()
    if how != "agree":
        act = bargains.decline if how == "decline" else bargains.withdraw
        act(bargain, actor=season.organiser)
        assert season.all_facts() == before
        return
    gangs: dict[Party, Gang] = {"giver": bargain.giver, "taker": bargain.taker}
    expected_version = (gangs["giver"].version, gangs["taker"].version)
    purses = {party: gang.roster.treasury for party, gang in gangs.items()}
    try:
        bargains.agree(bargain, actor=season.organiser, expected_version=expected_version)
    except Refusal:
        assert season.all_facts() == before
        assert Bargain.objects.get(pk=bargain.pk).status == "open"
        return
    terms = Terms.model_validate(bargain.terms)
    for party in PARTIES:
        now = Gang.objects.get(pk=gangs[party].pk)
        paid = terms.ransom if terms.payer == party else -terms.ransom
        assert now.roster.treasury == purses[party] - paid
        assert not {one.member.id for one in captives.find_held(now.book, now.roster)} & set(
            terms.freed(party)
        )
    others = [gang.pk for gang in season.gangs() if gang not in gangs.values()]
    assert [one for one, key in zip(before, season.keys, strict=True) if key in others] == [
        one for one, key in zip(season.all_facts(), season.keys, strict=True) if key in others
    ]


def take_back(season: Season) -> None:
    """Let the organiser strike a bargain in both gangs, with all misfits."""
    bargain = season.one_of(season.bargains("agreed"), "bargain")
    if bargain is None:
        return
    gangs = [gang for gang in (bargain.giver, bargain.taker) if gang is not None]
    before = sum(Gang.objects.get(pk=gang.pk).roster.treasury for gang in gangs)
    also = all_along(lambda chosen: strikes.weigh_bargain(bargain, chosen))
    strokes = strikes.weigh_bargain(bargain, also)
    strikes.strike_bargain(
        bargain,
        actor=season.organiser,
        reason="They thought better of it.",
        versions={stroke.gang.pk: stroke.gang.version for stroke in strokes},
        also=also,
    )
    for gang in gangs:
        assert not gang.entries.live().filter(batch=bargain.batch).exists()
    if not also:
        assert sum(Gang.objects.get(pk=gang.pk).roster.treasury for gang in gangs) == before


def release(season: Season) -> None:
    """Let the organiser release a captive whose captors were deleted."""
    who = season.one_of(season.prisoners(), "prisoner")
    if who is None:
        return
    before = season.all_facts()
    member = who.captive.member.id
    try:
        bargains.release(
            season.campaign,
            who.gang,
            member,
            actor=season.organiser,
            expected_version=who.gang.version,
        )
    except Refusal as refusal:
        assert bool(who.captors) == (refusal.code == "captors_there")
        assert season.all_facts() == before
    else:
        freed = Gang.objects.get(pk=who.gang.pk).entries.get(seq=who.gang.last_seq)
        season.freed.add(freed.batch)
