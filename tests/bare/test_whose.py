"""Questions that depend on the member: how they may end a game, and what the report asks."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.bare.conftest import DATA, evening
from tests.rules.small import mistakes, row, told

RIDERS = {"ranks": ["player"]}
CAMPAIGN = {
    **DATA["campaign"],
    "marks": [told("fell"), told("thrown", of=RIDERS)],
    "tallies": [
        told("songs", per="member", whose={"not_ranks": ["horse"]}),
        told("oats", per="member", whose={"ranks": ["horse"]}),
        told("hats", per="member"),
    ],
}
HORSES = {
    **DATA,
    "ranks": [row("player", price=0), row("horse", price=0)],
    "campaign": CAMPAIGN,
}


@pytest.mark.django_db
def test_report_asks_each_member_only_their_own_questions(client: Client) -> None:
    bare = evening(client, HORSES, "player", "horse")
    address = f"{bare.game.get_absolute_url()}report/"
    side = client.get(address).context["forms"].side_forms[0]
    player, horse = (member.id for member in side.members)
    asked = {name for name in side.fields if name.endswith((f"-{player}", f"-{horse}"))}
    both = {
        f"{name}-{one}"
        for name in ("in", "mark", "credit", "taken_out", "hats")
        for one in (player, horse)
    }
    assert asked == {*both, f"songs-{player}", f"oats-{horse}"}
    ends = {
        one: [key for key, _name in side.fields[f"mark-{one}"].choices] for one in (player, horse)
    }
    assert ends == {player: ["", "fell", "thrown"], horse: ["", "fell"]}


@pytest.mark.django_db
def test_report_ignores_values_that_it_did_not_ask_for(client: Client) -> None:
    bare = evening(client, HORSES, "player", "horse")
    address = f"{bare.game.get_absolute_url()}report/"
    forms = client.get(address).context["forms"]
    sent = {
        "seen": str(bare.game.version),
        "played_on": "2026-05-01",
        "result": "won",
        "winner": str(forms.side_forms[0].side.pk),
    }
    for side in forms.side_forms:
        for member in side.members:
            sent[f"{side.prefix}-in-{member.id}"] = "on"
        player, horse = (member.id for member in side.members)
        sent |= {f"{side.prefix}-songs-{player}": "3", f"{side.prefix}-oats-{horse}": "2"}
    # A value that the form did not ask for does not count.
    sent[f"{forms.side_forms[0].prefix}-songs-{horse}"] = "9"
    answer = client.post(address, sent)
    assert answer.status_code == 302
    for side in bare.game.sides.all():
        player, horse = (member.id for member in side.gang.roster.members)
        assert side.sound_report.counts == {
            "taken_out": {},
            "songs": {player: 3},
            "oats": {horse: 2},
            "hats": {},
        }


def test_tally_of_a_gang_must_not_select_members() -> None:
    tally = told("hats", per="gang", whose={"ranks": ["chief"]})
    assert mistakes(campaign__tallies=[tally]) == {
        "campaign.tallies.0.whose": ["is only used when counted per member"]
    }
