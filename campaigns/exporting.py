"""A whole campaign out into a file: its people by name, everything else as it stands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from accounts.models import User
from campaigns import exchange
from campaigns.claiming import Claimed
from campaigns.crew import Before
from campaigns.exchange import CampaignFile
from campaigns.models import Bargain, Campaign, CampaignUpgrade, Game, Membership, Night, Side
from gangs import journal
from gangs.models import StoredEntry
from rules.models import BookVersion


class _People:
    """Everybody the file speaks of, numbered as they come up, those who take part first."""

    def __init__(self, campaign: Campaign) -> None:
        self.roles: dict[int, str] = {seat.user_id: seat.role for seat in campaign.seats}
        self.names = {seat.user_id: str(seat.user) for seat in campaign.seats}
        self.order = list(self.names)

    def place(self, user: User | None) -> int | None:
        """Somebody's place in the list."""
        if user is None:
            return None
        if user.pk not in self.names:
            self.names[user.pk] = str(user)
            self.order.append(user.pk)
        return self.order.index(user.pk)

    def told(self) -> list[dict[str, Any]]:
        """The list."""
        return [{"name": self.names[key], "role": self.roles.get(key)} for key in self.order]


def exported(campaign: Campaign) -> str:
    """The whole campaign as a file's text: gangs with their ledgers, nights, games, dice, and every
    version of the rules that it takes. People are in it by name, and in no other way."""
    people = _People(campaign)
    keys = {str(campaign.pk)}
    gangs = [_gang_out(row, people, keys) for row in _memberships(campaign)]
    nights = [_night_out(night, people, keys) for night in _nights(campaign)]
    games = [_game_out(game, people, keys) for game in _games(campaign)]
    bargains = [_bargain_out(bargain, people) for bargain in _bargains(campaign)]
    upgrades = [_upgrade_out(upgrade, people, keys) for upgrade in _upgrades(campaign)]
    digests = {campaign.book_version_id}
    for gang in gangs:
        digests |= gang["ledger"].digests
    for upgrade in upgrades:
        digests |= {upgrade["before"], upgrade["after"]}
    texts = BookVersion.objects.filter(pk__in=digests).values_list("pk", "canonical")
    file = CampaignFile.model_validate(
        {
            "format": exchange.FORMAT,
            "format_version": 1,
            "id": str(campaign.pk),
            "name": campaign.name,
            "notes": campaign.notes,
            "settings": campaign.settings,
            "book": campaign.book_version_id,
            "versions": dict(sorted(texts)),
            "created_at": campaign.created_at,
            "archived_at": campaign.archived_at,
            "people": people.told(),
            "gangs": gangs,
            "nights": nights,
            "games": games,
            "bargains": bargains,
            "upgrades": upgrades,
        }
    )
    return exchange.written(file, keys)


def _memberships(campaign: Campaign) -> Iterable[Membership]:
    rows = campaign.memberships.select_related("gang__owner")
    return rows.order_by("joined_at", "pk")


def _nights(campaign: Campaign) -> Iterable[Night]:
    return campaign.nights.prefetch_related("attendances__by").order_by("starts_at", "token")


def _games(campaign: Campaign) -> Iterable[Game]:
    games = campaign.games.select_related("reported_by", "struck_by")
    parts = ("sides__verdict_by", "claims__actor", "throws__actor")
    return games.prefetch_related(*parts).order_by("created_at", "token")


def _bargains(campaign: Campaign) -> Iterable[Bargain]:
    return campaign.bargains.select_related("proposed_by", "decided_by").order_by("at", "pk")


def _upgrades(campaign: Campaign) -> Iterable[CampaignUpgrade]:
    return campaign.upgrades.select_related("actor").order_by("at", "pk")


def _gang_out(row: Membership, people: _People, keys: set[str]) -> dict[str, Any]:
    gang = row.gang
    file, batches = journal.as_file(gang, here=str(row.campaign_id))
    keys.update((str(gang.pk), *map(str, batches)))
    writers = StoredEntry.objects.filter(gang=gang).select_related("actor").order_by("seq")
    correctors = gang.strikes.select_related("actor").order_by("pk")
    return {
        "id": str(gang.pk),
        "owner": people.place(gang.owner),
        "joined_at": row.joined_at,
        "left_at": row.left_at,
        "archived_at": gang.archived_at,
        "kept_at": gang.kept_at,
        "ledger": file,
        "writers": [people.place(entry.actor) for entry in writers.only("actor", "seq")],
        "correctors": [people.place(act.actor) for act in correctors],
        "batches": list(map(str, batches)),
    }


def _night_out(night: Night, people: _People, keys: set[str]) -> dict[str, Any]:
    keys.add(str(night.pk))
    return {
        "id": str(night.pk),
        "starts_at": night.starts_at,
        "place": night.place,
        "note": night.note,
        "version": night.version,
        "cancelled_at": night.cancelled_at,
        "attendances": [
            {
                "gang": str(said.gang_id),
                "answer": said.answer,
                "by": people.place(said.by),
                "at": said.at,
            }
            for said in sorted(night.attendances.all(), key=lambda said: said.pk)
        ],
    }


def _game_out(game: Game, people: _People, keys: set[str]) -> dict[str, Any]:
    keys.add(str(game.pk))
    sides = sorted(game.sides.all(), key=lambda side: side.pk)
    keys.update(str(side.batch) for side in sides if side.batch)
    places = {side.pk: place for place, side in enumerate(sides)}
    claims = sorted(game.claims.all(), key=lambda claim: claim.pk)
    told = {claim.pk: place for place, claim in enumerate(claims)}
    return {
        "id": str(game.pk),
        "night": game.night_id and str(game.night_id),
        "played_on": game.played_on.isoformat(),
        "scenario": game.scenario,
        "scenario_roll": game.scenario_roll,
        "result": game.result,
        "status": game.status,
        "note": game.note,
        "reported_by": people.place(game.reported_by),
        "claim": None if game.claim_id is None else told.get(game.claim_id),
        "struck_by": people.place(game.struck_by),
        "struck_why": game.struck_why,
        "version": game.version,
        "created_at": game.created_at,
        "sides": [_side_out(side, people) for side in sides],
        "claims": [
            {
                "by": people.place(claim.actor),
                "at": claim.at,
                "said": _renumbered(Claimed.model_validate(claim.data), places, told),
            }
            for claim in claims
        ],
        "throws": [
            {
                "side": None if throw.side_id is None else places.get(throw.side_id),
                "key": throw.key,
                "about": throw.about,
                "roll": throw.roll,
                "by": people.place(throw.actor),
                "at": throw.at,
                "taken_back_at": throw.taken_back_at,
            }
            for throw in sorted(game.throws.all(), key=lambda throw: throw.pk)
        ],
    }


def _side_out(side: Side, people: _People) -> dict[str, Any]:
    return {
        "gang": side.gang_id and str(side.gang_id),
        "name": side.name,
        "role": side.role,
        "crew": side.crew,
        "before": Before.model_validate(side.before),
        "side": side.side,
        "report": side.told,
        "rating": side.rating,
        "verdict": side.verdict,
        "verdict_by": people.place(side.verdict_by),
        "comment": side.comment,
        "draft": side.answers,
        "draft_version": side.draft_version,
        "batch": side.batch and str(side.batch),
        "correcting": side.correcting,
        "kept_draft": side.kept_draft,
        "tale": side.tale,
    }


def _renumbered(said: Claimed, sides: dict[int, int], claims: dict[int, int]) -> Claimed:
    """A claim that knows sides and claims by other numbers."""
    account = said.account
    told = {sides[side]: what for side, what in account.sides.items() if side in sides}
    return said.model_copy(
        update={
            "account": account.model_copy(update={"sides": told}),
            "behind": tuple(sides[side] for side in said.behind if side in sides),
            "taken": None if said.taken is None else claims.get(said.taken),
        }
    )


def _bargain_out(bargain: Bargain, people: _People) -> dict[str, Any]:
    return {
        "giver": bargain.giver_id and str(bargain.giver_id),
        "taker": bargain.taker_id and str(bargain.taker_id),
        "giver_name": bargain.giver_name,
        "taker_name": bargain.taker_name,
        "terms": bargain.terms,
        "note": bargain.note,
        "status": bargain.status,
        "proposed_by": people.place(bargain.proposed_by),
        "decided_by": people.place(bargain.decided_by),
        "batch": bargain.batch and str(bargain.batch),
        "at": bargain.at,
        "decided_at": bargain.decided_at,
    }


def _upgrade_out(upgrade: CampaignUpgrade, people: _People, keys: set[str]) -> dict[str, Any]:
    keys.add(str(upgrade.batch))
    return {
        "before": upgrade.before_id,
        "after": upgrade.after_id,
        "settings_before": upgrade.settings_before,
        "batch": str(upgrade.batch),
        "by": people.place(upgrade.actor),
        "at": upgrade.at,
        "undone_at": upgrade.undone_at,
    }
