"""The part of campaigns in the export of a user's data: the campaigns that they organise, and their
own words and dice in others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from django.db.models import Model, Q

from accounts.data_export import File, as_json
from accounts.models import User
from campaigns.files.exporting import export_campaign
from campaigns.games import photos
from campaigns.models import (
    Adjustment,
    Attendance,
    Bargain,
    Barred,
    Campaign,
    CampaignUpgrade,
    Claim,
    Game,
    Invitation,
    JoinRequest,
    Membership,
    Participant,
    Photo,
    ResultsImport,
    Side,
    Table,
    TableEntry,
    Throw,
    Trophy,
    TrophyAward,
)
from common.downloads import plain_name


class Said(NamedTuple):
    """Rows that somebody may have made in a campaign. ``by``: the columns that name them;
    ``campaign``: the lookup from the row to its campaign; ``columns``: the values to export;
    ``in_file``: the campaign's own file has them, too."""

    what: str
    model: type[Model]
    by: tuple[str, ...]
    campaign: str
    columns: tuple[str, ...]
    in_file: bool = True


SAID = (
    Said("seats", Participant, ("user",), "campaign", ("role", "joined_at")),
    Said(
        "answers",
        Attendance,
        ("by",),
        "night__campaign",
        ("night__starts_at", "night__place", "gang__name", "answer", "at"),
    ),
    Said(
        "games_reported",
        Game,
        ("reported_by",),
        "campaign",
        ("played_on", "scenario", "result", "how", "status", "note"),
    ),
    Said("games_taken_back", Game, ("struck_by",), "campaign", ("played_on", "struck_why")),
    Said("reports", Claim, ("actor",), "game__campaign", ("game__played_on", "at", "data")),
    Said(
        "verdicts",
        Side,
        ("verdict_by",),
        "game__campaign",
        ("game__played_on", "name", "verdict", "comment"),
    ),
    Said(
        "sides_of_your_gangs",
        Side,
        ("gang__owner",),
        "game__campaign",
        (
            "game__played_on",
            "name",
            "role",
            "crew",
            "side",
            "finish",
            "report",
            "draft",
            "tale",
            "word",
        ),
    ),
    Said(
        "dice",
        Throw,
        ("actor", "taken_back_by"),
        "game__campaign",
        ("game__played_on", "at", "about", "roll", "taken_back_at"),
    ),
    Said(
        "bargains",
        Bargain,
        ("proposed_by", "decided_by"),
        "campaign",
        ("giver_name", "taker_name", "terms", "note", "status", "at", "decided_at"),
    ),
    Said(
        "told_at_tables",
        TableEntry,
        ("actor",),
        "table__game__campaign",
        ("table__game__played_on", "turn", "at", "kind", "data"),
    ),
    Said(
        "photos",
        Photo,
        ("by",),
        "game__campaign",
        ("game__played_on", "name", "caption", "at", "hidden_why"),
        in_file=False,
    ),
    Said("trophies", Trophy, ("by",), "campaign", ("name", "text", "count", "at")),
    Said(
        "trophies_awarded",
        TrophyAward,
        ("by",),
        "campaign",
        ("trophy__name", "book_trophy", "gang_name", "member_name", "reason", "at"),
    ),
    Said(
        "bonuses_and_penalties",
        Adjustment,
        ("by", "taken_back_by"),
        "campaign",
        ("name", "points", "reason", "at", "taken_back_at"),
    ),
    Said(
        "gangs_played", Membership, ("player",), "campaign", ("gang__name", "joined_at", "left_at")
    ),
    Said("old_results", ResultsImport, ("by",), "campaign", ("title", "at")),
    Said("upgrades", CampaignUpgrade, ("actor",), "campaign", ("at", "undone_at")),
    Said("asked_to_join", JoinRequest, ("by",), "campaign", ("gang__name", "at"), in_file=False),
    Said(
        "invitations",
        Invitation,
        ("by", "user", "accepted_by"),
        "campaign",
        ("whom", "at", "accepted_at"),
        in_file=False,
    ),
    Said("barred", Barred, ("user", "by"), "campaign", ("user__username", "at"), in_file=False),
)


def files_of(user: User) -> Iterator[File]:
    """Each campaign that the user organises, as a file that can be imported; one file of their rows
    in others, even those that they have left, and of rows that no such file has; and one of their
    tables without a campaign, and of their taps at other people's."""
    organised = list(Campaign.objects.organised_by(user).order_by("pk"))
    for campaign in organised:
        name = plain_name(campaign.name, "campaign")
        yield File(f"campaigns/{name}-{campaign.pk.hex[:8]}.json", export_campaign(campaign))
    yield File("campaigns/of-others.json", as_json(_said(user, organised)))
    yield File("tables.json", as_json(_tables(user)))
    for photo in user.photos.order_by("pk"):
        content = photos.content_of(photo, photos.LARGE)
        if content is not None:
            yield File(f"photos/{photo.name}.jpg", content)


def _tables(user: User) -> dict[str, object]:
    """Tables without a campaign: the user's own, and their taps at others."""
    alone = Table.objects.filter(game=None)
    own = alone.filter(owner=user).order_by("pk").prefetch_related("sides", "entries")
    told = TableEntry.objects.filter(table__in=alone, actor=user).exclude(table__owner=user)
    columns = ("turn", "at", "kind", "data")
    return {
        "tables": [
            {
                "opened": table.created_at,
                "ended": table.ended_at,
                "scenario": table.scenario,
                "sides": [side.name for side in table.sides.all()],
                "told": [
                    {name: getattr(entry, name) for name in columns}
                    for entry in table.entries.all()
                ],
            }
            for table in own
        ],
        "told_at_tables_of_others": list(told.order_by("table", "seq").values(*columns)),
    }


def _said(user: User, organised: list[Campaign]) -> list[dict[str, object]]:
    said: dict[object, dict[str, list[object]]] = defaultdict(dict)
    for part in SAID:
        theirs = Q()
        for column in part.by:
            theirs |= Q(**{column: user})
        rows = part.model._default_manager.filter(theirs)
        others = rows.order_by("pk")
        if part.in_file:
            others = others.exclude(**{f"{part.campaign}__in": organised})
        for campaign, *values in others.values_list(part.campaign, *part.columns):
            row = dict(zip(part.columns, values, strict=True))
            said[campaign].setdefault(part.what, []).append(row)
    campaigns = Campaign.objects.in_bulk(list(said))
    return [
        {"campaign": campaigns[key].name, **parts}
        for key, parts in said.items()
        if key in campaigns
    ]
