"""Stored campaigns: people, gangs, nights, games with claims and throws, stages, standings,
tables."""

from campaigns.models.campaign import Campaign as Campaign
from campaigns.models.campaign import CampaignQuerySet as CampaignQuerySet
from campaigns.models.campaign import CampaignUpgrade as CampaignUpgrade
from campaigns.models.campaign import Membership as Membership
from campaigns.models.campaign import Participant as Participant
from campaigns.models.campaign import has_seat as has_seat
from campaigns.models.campaign import has_seat_of_campaign as has_seat_of_campaign
from campaigns.models.campaign import invite_key as invite_key
from campaigns.models.games import LIVE_FOR as LIVE_FOR
from campaigns.models.games import PENDING as PENDING
from campaigns.models.games import Attendance as Attendance
from campaigns.models.games import Bargain as Bargain
from campaigns.models.games import Claim as Claim
from campaigns.models.games import Game as Game
from campaigns.models.games import GameQuerySet as GameQuerySet
from campaigns.models.games import Night as Night
from campaigns.models.games import Side as Side
from campaigns.models.games import SideQuerySet as SideQuerySet
from campaigns.models.games import Throw as Throw
from campaigns.models.games import sides_by_game as sides_by_game
from campaigns.models.league import Entrant as Entrant
from campaigns.models.league import Fixture as Fixture
from campaigns.models.league import FixtureQuerySet as FixtureQuerySet
from campaigns.models.league import Round as Round
from campaigns.models.league import Stage as Stage
from campaigns.models.seeds import LONGEST_WORD as LONGEST_WORD
from campaigns.models.seeds import Seeded as Seeded
from campaigns.models.standings import MOST_ADJUSTMENTS as MOST_ADJUSTMENTS
from campaigns.models.standings import Adjustment as Adjustment
from campaigns.models.tables import Table as Table
from campaigns.models.tables import TableEntry as TableEntry
from campaigns.models.tables import TableSide as TableSide
from campaigns.models.tables import TableThrow as TableThrow
