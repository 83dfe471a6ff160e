"""Answers to the hooks of the gangs' app, for gangs that play in campaigns."""

from __future__ import annotations

import uuid
from contextlib import suppress

from django.http import HttpRequest
from django.urls import Resolver404, resolve, reverse

from accounts.models import User
from campaigns import holders, notices
from campaigns.access import readable
from campaigns.club.home import duties
from campaigns.club.people import admission, deletion, joining
from campaigns.club.upgrades import whole_campaign
from campaigns.games.corrections import strikes
from campaigns.holds import find_unsettled
from campaigns.models import Campaign, Game, Membership, Participant, Side, has_seat, sides_by_game
from campaigns.postgames import replaying
from campaigns.season.loading import load_season
from campaigns.season.trophies.text import lines_of
from campaigns.table.pages import opening
from campaigns.text import game_title, side_names
from common.errors import Refusal
from gangs.access import INVITATION
from gangs.hooks import Oversight, Playing
from gangs.models import Gang


class CampaignOversight(Oversight):
    """``gangs.hooks.Oversight``, answered from the campaigns' participants and games."""

    why_locked = staticmethod(find_unsettled)
    lock_holders = staticmethod(holders.lock_of)
    lock_postgames = staticmethod(replaying.lock_postgames)
    later_postgames = staticmethod(replaying.load_postgames)
    postgames_replayed = staticmethod(replaying.apply_replayed)
    check_holders = staticmethod(holders.check)
    why_bound = staticmethod(strikes.why_bound)
    why_rules_fixed = staticmethod(whole_campaign.campaign_decides)
    must_stay = staticmethod(deletion.needs)
    leave = staticmethod(deletion.part)
    corrected = staticmethod(notices.gang_corrected)
    adopt = staticmethod(opening.adopt_tables)
    overview = staticmethod(duties.overview)
    page_of_code = staticmethod(opening.page_of_code)

    def may_read(self, user: User, gang: Gang) -> bool:
        """Whether the user takes part in a campaign that the gang is or was in, or runs one that it
        asks to join."""
        # Two queries, since one with both conditions would read every campaign of the site.
        if Campaign.objects.filter(has_seat(user), memberships__gang=gang).exists():
            return True
        organised = has_seat(user, Participant.Role.ORGANISER)
        return Campaign.objects.filter(organised, join_requests__gang=gang).exists()

    def may_see(self, request: HttpRequest, gang: Gang) -> bool:
        """Whether the gang is or was in a campaign that the reader may see, for example by its
        watch link, or asks to join one that they run."""
        if readable(request).filter(memberships__gang=gang).exists():
            return True
        user = request.user
        return user.is_authenticated and self.may_read(user, gang)

    def uses_rules(self, request: HttpRequest, digest: str) -> bool:
        """Whether the reader may see a campaign that plays by this version. One query."""
        return readable(request).filter(book_version=digest).exists()

    def may_correct(self, user: User, gang: Gang) -> bool:
        """Whether the user runs a campaign that is not over and that the gang has not left."""
        playing = Campaign.objects.organised_by(user).open()
        return playing.filter(memberships__gang=gang, memberships__left_at=None).exists()

    def trophies(self, gang: Gang) -> tuple[str, ...]:
        """The trophies of the gang and its members, in every campaign that it is or was in."""
        rows = Membership.objects.filter(gang=gang).order_by("-joined_at")
        seasons = [load_season(key) for key in rows.values_list("campaign", flat=True)]
        return tuple(
            f"{line} · {loaded.campaign.name}"
            for loaded in seasons
            for line in lines_of(loaded, str(gang.pk))
        )

    def plays_in(self, gang: Gang) -> tuple[Playing, ...]:
        """The open campaigns in which the gang plays now. Two queries for each."""
        return tuple(
            Playing(campaign.name, campaign.get_absolute_url(), _open_games(campaign, gang))
            for campaign in _played_campaigns(gang)
        )

    def retire(self, gang: Gang, actor: User) -> None:
        """Retire the gang in its open campaigns, and notify the organisers."""
        for campaign in _played_campaigns(gang):
            # If it has just been archived, there is nobody to tell.
            with suppress(Refusal):
                joining.retire(campaign, gang, actor=actor)

    def page_of_postgame(self, batch: uuid.UUID) -> str:
        """The address of the post-game that wrote this batch. One query."""
        side = Side.objects.filter(batch=batch).values_list("game", "pk").first()
        return "" if side is None else reverse("campaigns:postgame", args=side)

    def neighbours(self, gang: Gang) -> tuple[tuple[str, str], ...]:
        """The other gangs of the campaigns that the gang plays in. One query."""
        playing = Membership.objects.filter(left_at=None)
        campaigns = playing.filter(gang=gang).values("campaign")
        others = playing.filter(campaign__in=campaigns).exclude(gang=gang).order_by("joined_at")
        rows = others.values_list("gang", "gang__name")
        return tuple((str(key), name) for key, name in rows)

    def names_near(self, request: HttpRequest) -> tuple[str, ...]:
        """The names of the gangs in the campaign to which the reader is invited; () if they are
        not. Three queries at most."""
        try:
            found = resolve(INVITATION.read(request))
        except Resolver404:
            return ()
        match found.view_name:
            case "campaigns:join":
                entrance = admission.find_entrance(found.kwargs["key"])
                campaign = entrance.campaign.pk if entrance is not None else None
            case "campaigns:join-again":
                campaign = found.kwargs["campaign_id"]
            case _:
                return ()
        invited = Membership.objects.filter(campaign=campaign, left_at=None)
        return tuple(invited.values_list("gang__name", flat=True))


def _played_campaigns(gang: Gang) -> list[Campaign]:
    """The open campaigns in which the gang plays now, in the order in which they are locked."""
    playing = Membership.objects.playing().filter(gang=gang)
    return list(Campaign.objects.open().filter(pk__in=playing.values("campaign")).order_by("pk"))


def _open_games(campaign: Campaign, gang: Gang) -> tuple[tuple[str, str], ...]:
    """The gang's open games in a campaign, each with its title and address."""
    sides = joining.open_sides(gang).filter(game__campaign=campaign)
    games = Game.objects.filter(pk__in=sides.values("game")).order_by("played_on", "created_at")
    of_games = Side.objects.with_standing().filter(game__in=games).select_related("gang__owner")
    by_game = sides_by_game(of_games.order_by("pk"))
    return tuple(
        (game_title(campaign.book, side_names(by_game[game.pk]).values()), game.get_absolute_url())
        for game in games
    )
