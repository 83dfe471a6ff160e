"""Undoing a middle game leaves the season that was played without it."""

from __future__ import annotations

import uuid
from collections import defaultdict
from dataclasses import dataclass, field

import pytest

from campaigns.games.corrections import strikes
from campaigns.games.corrections.strikes import Stroke
from gangs.models import StoredEntry
from rules.book.model import Book
from tests.seasons.playing import Season, replays
from tests.seasons.script import season
from tests.seasons.watching import watched
from tests.world.gangs import SLUGS

# The undone game, by its place in the season. Later entries that depend on it are listed and
# decided on; no other throw or choice depends on it: no rank with another table, no heir, and no
# member who would have taken the same advance after another game.
MIDDLE = {
    "au-un-pour-un": 3,
    "blackwater-gulch": 4,
    "cran": 2,
    "du-sang-sur-la-lame": 5,
    "zombstone": 3,
}
# Games that pay underdogs by the difference in ratings. A gang's rating on the day of a game is
# a fact of that game and does not change, so the season without the other game uses it, too.
BY_RATING = {"cran"}
# Games with a recruit after the undone game. The recruit is undone with it, but the reports of
# later games keep the recruit's deeds, so their counts differ from a season without the recruit.
HIRING = {"blackwater-gulch", "du-sang-sur-la-lame"}
# Recruits hired with the money of the undone game, which the gang can no longer pay.
UNPAID = {"blackwater-gulch": {"Newcomer of night 4 in gang 1", "Newcomer of night 5 in gang 4"}}
# Whether advances depend on it that the rest of the season has not earned.
UNEARNED = {"au-un-pour-un", "cran", "zombstone"}


@dataclass
class Decided:
    """Decisions about the entries that depend on a game: the entries undone with it, by gang."""

    also: dict[uuid.UUID, set[int]] = field(default_factory=lambda: defaultdict(set))
    strokes: list[Stroke] = field(default_factory=list)

    def implausible(self, code: str) -> int:
        """Return the number of entries kept despite such a doubt."""
        return sum(
            doubt.code == code for stroke in self.strokes for _, doubt in stroke.weighed.implausible
        )

    def struck(self, kind: str) -> list[StoredEntry]:
        """Return the entries of one kind that are undone with the game."""
        return [
            entry
            for gang, seqs in self.also.items()
            for entry in StoredEntry.objects.filter(gang=gang, seq__in=seqs, kind=kind)
        ]


def decide(played: Season, match) -> Decided:
    """Decide on the listed entries until none is left.

    Entries that no longer fit are undone, and so are unpaid recruits, but a ransom that two gangs
    agreed on stays. A doubtful advance stays if the season earns it in the end; otherwise the
    member's last advances are undone.
    """
    choice = Decided()
    for _ in range(20):
        choice.strokes = strikes.weigh_game(played.game(match), choice.also)
        found = {
            stroke.gang.pk: {entry.seq for entry, _why in stroke.weighed.misfits}
            | _find_lost_entries(played.book, stroke)
            for stroke in choice.strokes
        }
        if not any(found.values()):
            return choice
        for gang, seqs in found.items():
            choice.also[gang] |= seqs
    raise AssertionError("there is always something left over")


def _find_lost_entries(book: Book, stroke: Stroke) -> set[int]:
    going: set[int] = set()
    in_doubt: dict[int, list[int]] = defaultdict(list)
    for entry, doubt in stroke.weighed.implausible:
        if doubt.code == "unearned" and entry.data.get("advance"):
            in_doubt[entry.data["member"]].append(entry.seq)
        elif doubt.code in ("unearned", "unpaid") and entry.kind != "recovered":
            going.add(entry.seq)
    for member in stroke.weighed.roster.everyone():
        if member.id in in_doubt:
            earned = member.experience_at_rank // book.campaign.advancement.experience
            too_many = max(0, member.advances - earned)
            going |= set(sorted(in_doubt[member.id], reverse=True)[:too_many])
    return going


@pytest.mark.long
@pytest.mark.django_db
@pytest.mark.parametrize("slug", SLUGS)
def test_undoing_a_game_leaves_the_season_played_without_it(slug):
    middle = season()[MIDDLE[slug]]
    played = Season(slug, idle=() if slug in HIRING else [middle])
    played.play(season())
    choice = decide(played, middle)
    unpaid = {entry.data["name"] for entry in choice.struck("recruited")}
    assert unpaid == UNPAID.get(slug, set())
    assert bool(choice.struck("trait_taken") or choice.implausible("unearned")) == (
        slug in UNEARNED
    )
    game = played.game(middle)
    strikes.strike_game(
        game,
        actor=played.organiser,
        reason="It never took place.",
        expected_version=game.version,
        versions={stroke.gang.pk: stroke.gang.version for stroke in choice.strokes},
        also=choice.also,
    )
    if slug in UNEARNED:
        played.settle_again(middle)
    without = Season(
        slug, like=played.told, without=middle, lacking=unpaid, rated_alike=slug in BY_RATING
    )
    without.play(season())
    assert played.state() == without.state()
    assert bool(choice.implausible("missing")) == (slug in HIRING)
    expected_version, alike = (
        watched(each.campaign, counts=slug not in HIRING) for each in (played, without)
    )
    assert expected_version == alike
    for folded, stored in replays(played):
        assert folded == stored


@pytest.mark.long
@pytest.mark.django_db
def test_retelling_a_season_gives_the_same_season():
    """Without this, the comparison above would prove nothing."""
    played = Season(SLUGS[0])
    played.play(season())
    again = Season(SLUGS[0], like=played.told)
    again.play(season())
    assert again.state() == played.state()
    assert watched(again.campaign) == watched(played.campaign)
    assert again.told == played.told
