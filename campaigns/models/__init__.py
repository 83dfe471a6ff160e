"""Campaigns as stored: who takes part, the gangs in them, the nights on which they meet, and the
games: planned, played at a table, claimed, agreed on, with what each side said and did, and every
throw."""

from campaigns.models.campaign import (
    Campaign,
    CampaignQuerySet,
    CampaignUpgrade,
    Membership,
    Participant,
    SeatManager,
    has_seat,
    has_seat_of_campaign,
    invite_key,
    somebody,
)
from campaigns.models.games import (
    PENDING,
    Attendance,
    Bargain,
    Claim,
    Game,
    GameQuerySet,
    Night,
    Side,
    SideQuerySet,
    Throw,
    sides_by_game,
)
from campaigns.models.seeds import LONGEST_WORD, Seeded
from campaigns.models.tables import (
    Table,
    TableEntry,
    TableSide,
    TableThrow,
)

__all__ = [
    "Attendance",
    "Bargain",
    "Campaign",
    "CampaignQuerySet",
    "CampaignUpgrade",
    "Claim",
    "Game",
    "GameQuerySet",
    "Membership",
    "LONGEST_WORD",
    "Night",
    "PENDING",
    "Participant",
    "SeatManager",
    "Seeded",
    "Side",
    "SideQuerySet",
    "Table",
    "TableEntry",
    "TableSide",
    "TableThrow",
    "Throw",
    "has_seat",
    "has_seat_of_campaign",
    "invite_key",
    "sides_by_game",
    "somebody",
]
