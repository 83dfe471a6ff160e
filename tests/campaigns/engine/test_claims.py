"""The state of a game after each statement about it, case by case, without a database.

Ann (1), Ben (2) and Cleo (3) each own the side of the same number; Olga (9) organises.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import partial

import pytest

from campaigns.engine.claims import (
    NEW,
    Account,
    ClaimData,
    ClaimRow,
    Contest,
    Seat,
    Settlement,
    SideAccount,
    Speaker,
    agree,
    decide,
    object_to,
    report,
)
from campaigns.engine.report import Credit, Report
from common.errors import Refusal, Stale

ANN, BEN, CLEO, OLGA = 1, 2, 3, 9
SEEN = 4


def account(winner: int = 1, sides: int = 2, **reports: Report) -> Account:
    """Return an account in which ``winner`` won, with reports by side as ``s1=...``."""
    return Account(
        result="crushing",
        played_on=date(2026, 5, 1),
        sides={
            side: SideAccount(
                "winner" if side == winner else "loser",
                reports.get(f"s{side}", Report(fielded=(1, 2))),
            )
            for side in range(1, sides + 1)
        },
    )


def claim(pk: int, actor: int | None, winner: int, *behind: int, sides: int = 2) -> ClaimRow:
    return ClaimRow(pk, actor, ClaimData(account=account(winner, sides), behind=behind))


FIRST, SECOND = claim(11, ANN, 1, 1), claim(12, BEN, 2, 2)
PLANNED = Contest(
    version=SEEN,
    status="planned",
    claim=None,
    reported_by=None,
    account=None,
    seats=(Seat(1, ANN), Seat(2, BEN)),
    claims=(),
)
# Ann claims the win.
REPORTED = replace(
    PLANNED,
    status="reported",
    claim=11,
    reported_by=ANN,
    account=account(1),
    seats=(Seat(1, ANN, verdict="confirmed", by=ANN), Seat(2, BEN)),
    claims=(FIRST,),
)
# Ben claims the win, too.
DISPUTED = replace(
    REPORTED,
    status="disputed",
    seats=(REPORTED.seats[0], Seat(2, BEN, verdict="disputed", by=BEN)),
    claims=(FIRST, SECOND),
)
CONFIRMED = replace(
    REPORTED,
    status="confirmed",
    seats=(REPORTED.seats[0], Seat(2, BEN, verdict="confirmed", by=BEN)),
    claims=(claim(11, ANN, 1, 1, 2),),
)
STRUCK = replace(CONFIRMED, status="struck")
THREE = replace(
    REPORTED,
    account=account(1, 3),
    seats=(*REPORTED.seats, Seat(3, CLEO)),
    claims=(claim(11, ANN, 1, 1, sides=3),),
)
# Ann has withdrawn her own claim, so nobody supports it.
ALONE = replace(
    REPORTED,
    status="disputed",
    seats=(Seat(1, ANN, verdict="disputed", by=ANN, comment="No."), Seat(2, BEN)),
    claims=(claim(11, ANN, 1),),
)


Spoken = Callable[[Contest], Settlement | None]


def speaker(actor: int, seen: int = SEEN) -> Speaker:
    return Speaker(actor, actor == OLGA, seen)


def says(actor: int, winner: int, seen: int = SEEN, sides: int = 2) -> Spoken:
    return partial(report, by=speaker(actor, seen), account=account(winner, sides))


def agrees(actor: int, number: int | None = None, seen: int = SEEN) -> Spoken:
    return partial(agree, by=speaker(actor, seen), claim=number)


def objects(actor: int, seen: int = SEEN) -> Spoken:
    return partial(object_to, by=speaker(actor, seen), comment="No.")


def decides(
    number: int | None = None, why: str = "", actor: int = OLGA, seen: int = SEEN
) -> Spoken:
    return partial(decide, by=speaker(actor, seen), claim=number, why=why)


def rules(winner: int, why: str = "", **reports: Report) -> Spoken:
    return partial(decide, by=speaker(OLGA), account=account(winner, **reports), why=why)


# Each case: the game and the statement; then the expected status, the claim in force, its author
# and the notice that the players get.
OUTCOMES = {
    "a first report": (PLANNED, says(ANN, 1), "reported", NEW, ANN, "reported"),
    "an organiser's": (PLANNED, says(OLGA, 1), "reported", NEW, OLGA, "reported"),
    "settled unreported": (PLANNED, rules(1), "confirmed", NEW, OLGA, "decided"),
    "another report": (REPORTED, says(BEN, 2), "disputed", 11, ANN, "disputed"),
    "the same in one's own name": (REPORTED, says(BEN, 1), "disputed", 11, ANN, "disputed"),
    "a new report of one's own": (REPORTED, says(ANN, 2), "reported", NEW, ANN, "reported"),
    "the report agreed to": (REPORTED, agrees(BEN), "confirmed", 11, ANN, "confirmed"),
    "and named": (REPORTED, agrees(BEN, 11, seen=0), "confirmed", 11, ANN, "confirmed"),
    "one of three agrees": (THREE, agrees(BEN), "reported", 11, ANN, ""),
    "all agree on the other's": (DISPUTED, agrees(ANN, 12), "confirmed", 12, BEN, "confirmed"),
    "the other gives in": (DISPUTED, agrees(BEN, 11), "confirmed", 11, ANN, "confirmed"),
    "an organiser agrees for all": (REPORTED, agrees(OLGA), "confirmed", NEW, ANN, "confirmed"),
    "words of objection": (REPORTED, objects(BEN), "disputed", 11, ANN, "disputed"),
    "words against oneself": (REPORTED, objects(ANN), "disputed", 11, ANN, "disputed"),
    "a word taken back, agreed to": (ALONE, agrees(BEN), "disputed", 11, ANN, ""),
    "a decision for one": (DISPUTED, decides(12), "confirmed", NEW, BEN, "decided"),
    "for what it goes by": (DISPUTED, decides(), "confirmed", NEW, ANN, "decided"),
    "an organiser's own word": (DISPUTED, rules(2), "confirmed", NEW, ANN, "decided"),
    "a correction": (CONFIRMED, rules(2, "Typo."), "confirmed", NEW, ANN, "decided"),
}


@pytest.mark.parametrize("case", OUTCOMES)
def test_statement_sets_status_claim_and_notice(case: str) -> None:
    game, spoken, *expected = OUTCOMES[case]
    then = spoken(game)
    assert then is not None
    assert [then.status, then.claim, then.reported_by, then.news] == expected


# Each case ends with the verdicts of the sides, with the remaining words of objection.
VERDICTS = {
    "a first report": (PLANNED, says(ANN, 1), ["confirmed", ""]),
    "a correction is nobody else's word": (CONFIRMED, rules(2, "Typo."), ["", ""]),
    "two reports": (REPORTED, says(BEN, 2), ["confirmed", "disputed"]),
    "words": (REPORTED, objects(BEN), ["confirmed", "disputed No."]),
    "words, then another report": (ALONE, says(BEN, 2), ["", "confirmed"]),
    "a decision leaves the loser's claim": (DISPUTED, decides(12), ["disputed", "confirmed"]),
    "agreed": (DISPUTED, agrees(BEN, 11), ["confirmed", "confirmed"]),
    "one of three": (THREE, agrees(CLEO), ["confirmed", "", "confirmed"]),
    "a gang that is gone": (
        replace(REPORTED, seats=(REPORTED.seats[0], Seat(2, plays=False))),
        says(ANN, 2),
        ["confirmed", "confirmed"],
    ),
}


@pytest.mark.parametrize("case", VERDICTS)
def test_statement_sets_the_verdict_of_each_side(case: str) -> None:
    game, spoken, expected = VERDICTS[case]
    then = spoken(game)
    assert then is not None
    assert [f"{seat.verdict} {seat.comment}".strip() for seat in then.seats] == expected


# Each case ends with the claims whose supporters change, and their new supporters.
BEHIND = {
    "nobody moves": (PLANNED, says(ANN, 1), {}),
    "one comes over": (DISPUTED, agrees(BEN, 11), {11: (1, 2), 12: ()}),
    "one leaves in words": (REPORTED, objects(ANN), {11: ()}),
    "one says something new": (REPORTED, says(ANN, 2), {11: ()}),
    "a decision moves nobody": (DISPUTED, decides(12), {}),
}


@pytest.mark.parametrize("case", BEHIND)
def test_statement_changes_the_supporters_of_claims(case: str) -> None:
    game, spoken, expected = BEHIND[case]
    then = spoken(game)
    assert then is not None
    assert {pk: said.behind for pk, said in then.changed.items()} == expected


def test_new_claim_is_stored_with_its_supporters() -> None:
    then = says(ANN, 1)(PLANNED)
    assert then is not None
    assert then.new_claim == ClaimData(account=account(1), behind=(1,))
    assert then.account == account(1)


def test_decision_stores_the_claim_taken_and_the_reason() -> None:
    then = decides(12, "He was there.")(DISPUTED)
    assert then is not None
    assert then.new_claim == ClaimData(
        account=account(2), behind=(2,), decided=True, taken=12, why="He was there."
    )
    own = rules(2)(DISPUTED)
    assert own is not None
    assert own.new_claim == ClaimData(account=account(2), decided=True)


def test_agreement_copies_nothing_when_the_claim_in_force_stays() -> None:
    then = agrees(BEN)(REPORTED)
    assert then is not None
    assert (then.account, then.new_claim) == (None, None)


# Each case ends with the sides whose post-games were played on other facts.
REOPENED = {
    "the other way round": (rules(2, "Typo."), (1, 2)),
    "the same again": (rules(1, "To be sure."), ()),
    "one side's report": (rules(1, "Typo.", s2=Report(fielded=(1,))), (2,)),
    "who put them out is a story": (
        rules(
            1,
            "Typo.",
            s1=Report(fielded=(1, 2), credits={1: Credit(gang="g", member=1)}, turns={1: 4}),
        ),
        (),
    ),
    "so is the order of names": (rules(1, "Typo.", s1=Report(fielded=(2, 1))), ()),
}


@pytest.mark.parametrize("case", REOPENED)
def test_correction_reopens_the_post_games_it_affects(case: str) -> None:
    spoken, expected = REOPENED[case]
    then = spoken(CONFIRMED)
    assert then is not None
    assert then.reopened == expected
    first = partial(spoken, why="")(DISPUTED)
    assert first is not None
    assert first.reopened == (), "no post-game is played before the game is confirmed"


SAID_BEFORE = {
    "a report": (REPORTED, says(ANN, 1, seen=0)),
    "an agreement": (REPORTED, agrees(ANN, 11, seen=0)),
    "an organiser's word": (
        replace(
            CONFIRMED, claims=(ClaimRow(13, OLGA, ClaimData(account=account(1), decided=True)),)
        ),
        rules(1),
    ),
}


@pytest.mark.parametrize("case", SAID_BEFORE)
def test_repeated_statement_changes_nothing(case: str) -> None:
    game, spoken = SAID_BEFORE[case]
    assert spoken(game) is None


REFUSED = {
    "a stranger reports": (PLANNED, says(CLEO, 1), "not_your_game"),
    "a stranger agrees": (REPORTED, agrees(CLEO), "not_your_game"),
    "a stranger objects": (REPORTED, objects(CLEO), "not_your_game"),
    "an organiser objects": (REPORTED, objects(OLGA), "not_your_game"),
    "a player decides": (DISPUTED, decides(actor=ANN), "not_organiser"),
    "too late to report": (CONFIRMED, says(BEN, 2), "confirmed_already"),
    "too late to agree": (CONFIRMED, agrees(BEN), "nothing_to_confirm"),
    "too late to object": (CONFIRMED, objects(BEN), "nothing_to_confirm"),
    "too early to agree": (PLANNED, agrees(BEN), "nothing_to_confirm"),
    "too early to adopt": (PLANNED, decides(), "nothing_to_confirm"),
    "no reason": (CONFIRMED, rules(2), "reason_missing"),
    "undone": (STRUCK, says(BEN, 2), "game_struck"),
    "taken back, decided": (STRUCK, rules(2, "Typo."), "game_struck"),
    "taken back, agreed": (STRUCK, agrees(ANN), "nothing_to_confirm"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_forbidden_statement_is_refused(case: str) -> None:
    game, spoken, code = REFUSED[case]
    with pytest.raises(Refusal) as refused:
        spoken(game)
    assert refused.value.code == code


STALE: dict[str, tuple[Contest, Spoken]] = {
    "a report": (REPORTED, says(BEN, 2, seen=SEEN - 1)),
    "an agreement": (REPORTED, agrees(BEN, seen=SEEN - 1)),
    "an objection": (REPORTED, objects(BEN, seen=SEEN - 1)),
    "a decision": (DISPUTED, decides(seen=SEEN - 1)),
    "a claim that is gone": (REPORTED, agrees(BEN, 77)),
    "a decision for one that is gone": (DISPUTED, decides(77)),
}


@pytest.mark.parametrize("case", STALE)
def test_statement_from_a_stale_page_is_refused(case: str) -> None:
    with pytest.raises(Stale):
        game, spoken = STALE[case]
        spoken(game)
