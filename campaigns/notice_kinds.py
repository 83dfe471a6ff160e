"""Kinds of notices about campaigns: their sentences, and the topics by which users choose."""

from __future__ import annotations

from datetime import date, datetime
from functools import partial
from typing import Any

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts import notices
from accounts.dates import date_format
from campaigns.models import Game, Participant
from campaigns.round_names import name_round

SENTENCES: dict[str, Promise] = {
    "game_planned": gettext_lazy("%(actor)s has planned a game: %(game)s (%(campaign)s)."),
    "game_on": gettext_lazy("%(actor)s has opened the table: %(game)s is on (%(campaign)s)."),
    "game_reported": gettext_lazy(
        "%(actor)s has reported how %(game)s went. Is that right? Confirm or dispute it."
    ),
    "game_disputed": gettext_lazy(
        "%(actor)s reports %(game)s differently. It counts for nobody yet."
    ),
    "game_decided": gettext_lazy("%(actor)s has settled the result of %(game)s."),
    "game_entered": gettext_lazy(
        "%(actor)s has entered the result of %(game)s. Who fell? Add it before your post-game."
    ),
    "game_corrected": gettext_lazy(
        "%(actor)s has corrected the result of %(game)s: play the post-game of %(gang)s again."
    ),
    "postgame_reopened": gettext_lazy(
        "%(actor)s has corrected something earlier: "
        "play the post-game of %(gang)s again (%(game)s)."
    ),
    "postgame_played": gettext_lazy(
        "%(actor)s has had the post-game of %(gang)s played with the site’s dice (%(game)s). "
        "You can correct it."
    ),
    "game_settled": gettext_lazy("%(actor)s has settled %(game)s without a battle: %(how)s."),
    "game_confirmed": gettext_lazy("%(game)s is confirmed: play your post-game."),
    "game_unfought": gettext_lazy("%(game)s is confirmed: %(how)s. There is no post-game."),
    "game_struck": gettext_lazy("%(actor)s has undone the whole game %(game)s. %(why)s"),
    "night_announced": gettext_lazy("%(campaign)s meets on %(when)s. Are you coming? %(place)s"),
    "nights_announced": gettext_lazy(
        "%(campaign)s meets %(count)s times, first on %(when)s. Which nights are you coming?"
        " %(place)s"
    ),
    "night_changed": gettext_lazy("The night of %(campaign)s has changed: %(when)s. %(place)s"),
    "night_cancelled": gettext_lazy("The night of %(campaign)s on %(when)s is cancelled."),
    "round_opened": gettext_lazy(
        "%(stage)s (%(campaign)s), %(round)s: you meet %(other)s. %(until)s"
    ),
    "round_bye": gettext_lazy("%(stage)s (%(campaign)s), %(round)s: %(gang)s has a bye."),
    "fixture_due": gettext_lazy(
        "%(game)s (%(campaign)s) is to be played by %(day)s. Is it arranged?"
    ),
    "fixture_extended": gettext_lazy("%(game)s (%(campaign)s) may now be played until %(day)s."),
    "fixture_off": gettext_lazy("%(game)s (%(campaign)s) is called off: nobody has to play it."),
    "fixture_changed": gettext_lazy(
        "%(stage)s (%(campaign)s) has changed: you now meet %(other)s."
    ),
    "fixture_outdated": gettext_lazy(
        "%(game)s (%(campaign)s) no longer follows from the results before it: wait until an"
        " organiser has taken over the right gangs."
    ),
    "challenged": gettext_lazy("%(actor)s challenges you: %(game)s (%(campaign)s). %(until)s"),
    "bargain_offered": gettext_lazy("%(actor)s makes %(gang)s an offer about a captive."),
    "bargain_agreed": gettext_lazy("%(actor)s has agreed to the offer of %(gang)s."),
    "bargain_declined": gettext_lazy("%(actor)s has declined the offer of %(gang)s."),
    "gang_corrected": gettext_lazy(
        "%(actor)s, who runs %(campaign)s, has corrected your gang %(gang)s. %(why)s"
    ),
    "gang_adjusted": gettext_lazy(
        "%(actor)s, who runs %(campaign)s, has changed the points of %(gang)s in the standings: "
        "%(points)s. %(why)s"
    ),
    "adjustment_back": gettext_lazy(
        "%(actor)s, who runs %(campaign)s, has withdrawn the bonus or penalty of %(gang)s: "
        "%(points)s. %(why)s"
    ),
    "season_started": gettext_lazy(
        "%(actor)s has started %(campaign)s, the season after %(before)s."
    ),
    "gang_wanted": gettext_lazy(
        "%(actor)s has started %(campaign)s, the season after %(before)s. Which gang do you bring?"
    ),
    "trophy_awarded": gettext_lazy(
        "%(actor)s, who runs %(campaign)s, has awarded %(name)s a trophy. %(why)s"
    ),
    "gang_given": gettext_lazy(
        "%(actor)s, who runs %(campaign)s, has handed %(gang)s over to you."
    ),
    "gang_taken": gettext_lazy(
        "%(actor)s, who runs %(campaign)s, has handed %(gang)s over to %(name)s."
    ),
    "gang_left_behind": gettext_lazy(
        "%(actor)s has left the gang %(gang)s to %(campaign)s. You can hand it over to somebody."
    ),
    "gang_joined": gettext_lazy("%(actor)s has joined %(campaign)s with %(gang)s."),
    "gang_brought": gettext_lazy("%(actor)s has let %(gang)s (%(name)s) join %(campaign)s."),
    "empty_gang_joined": gettext_lazy(
        "%(actor)s has joined %(campaign)s with %(gang)s. The gang has no members yet, so it cannot"
        " be paired."
    ),
    "join_asked": gettext_lazy(
        "%(actor)s would like to join %(campaign)s with %(gang)s. Accept or decline."
    ),
    "join_accepted": gettext_lazy("%(actor)s has let %(gang)s join %(campaign)s."),
    "join_declined": gettext_lazy(
        "%(actor)s has not let %(gang)s join %(campaign)s. Ask them if you do not know why."
    ),
    "gang_retired": gettext_lazy(
        "%(actor)s has retired %(gang)s from %(campaign)s: it is no longer paired."
    ),
    "retired_open": gettext_lazy(
        "%(actor)s has retired %(gang)s from %(campaign)s: it is no longer paired. It still has"
        " open games (%(count)s): decide what becomes of them."
    ),
    "gang_returned": gettext_lazy("%(actor)s has brought %(gang)s back: it plays in %(campaign)s."),
    "campaign_deleted": gettext_lazy("%(actor)s has deleted the campaign %(campaign)s."),
    "invited": gettext_lazy("%(actor)s invites you to the campaign %(campaign)s."),
    "role_changed": gettext_lazy("%(actor)s has changed your role in %(campaign)s: %(role)s."),
    "organises_now": gettext_lazy(
        "Nobody else runs %(campaign)s any more, so you are its organiser now."
    ),
    "removed": gettext_lazy("%(actor)s has removed you from %(campaign)s."),
}


# Notices of a night that the reader may still answer.
OF_NIGHTS = ("night_announced", "night_changed")
# The topics of notices, by which users choose how they get them, with their kinds.
TOPICS: dict[str, tuple[Promise, tuple[str, ...]]] = {
    "paired": (
        gettext_lazy("You are paired, or a fixture is due"),
        (
            "game_planned",
            "challenged",
            "round_opened",
            "round_bye",
            "fixture_due",
            "fixture_extended",
            "fixture_outdated",
        ),
    ),
    "live": (gettext_lazy("Your game is on: its table is open"), ("game_on",)),
    "report": (
        gettext_lazy("A report of your game: confirm it, or it is disputed or settled"),
        (
            "game_reported",
            "game_disputed",
            "game_decided",
            "game_entered",
            "game_settled",
            "game_unfought",
            "game_struck",
        ),
    ),
    "postgame": (
        gettext_lazy("A post-game to play"),
        ("game_confirmed", "game_corrected", "postgame_reopened", "postgame_played"),
    ),
    "night": (
        gettext_lazy("A night is announced, changed or cancelled"),
        ("night_announced", "nights_announced", "night_changed", "night_cancelled"),
    ),
}
# The topics that a new device shows.
PUSHED = {"paired", "live", "report", "postgame"}


def register(below_nights: notices.Below) -> None:
    """Register these kinds of notices, and their topics. ``below_nights``: makes the lines below a
    night's notices."""
    topic_of = {kind: topic for topic, (_label, kinds) in TOPICS.items() for kind in kinds}
    for topic, (label, _kinds) in TOPICS.items():
        notices.register_topic(topic, label, pushed=topic in PUSHED)
    for kind, text in SENTENCES.items():
        below = below_nights if kind in OF_NIGHTS else None
        topic = topic_of.get(kind, notices.OTHER)
        notices.register(kind, partial(fill, text), below, topic=topic)


def fill(text: Promise, values: dict[str, Any]) -> str:
    """Fill a notice's values, with dates in words, into its text."""
    values = dict(values)
    if "when" in values:
        when = timezone.localtime(datetime.fromisoformat(values["when"]))
        values["when"] = date_format(when, "j N Y, H:i")
    if "how" in values:
        values["how"] = Game.How(values["how"]).label
    if "number" in values:
        # Notices of earlier releases have only the number.
        name = name_round("", values["number"], values.get("left"))
        values["round"] = _("Third place") if values.get("losers") else name
    if "role" in values:
        values["role"] = Participant.Role(values["role"]).label
    if "day" in values:
        day = date_format(date.fromisoformat(values["day"]), "j N Y") if values["day"] else ""
        values["day"] = day
        table = values.get("table")
        until = _("To be played by %(day)s.") % {"day": day} if day else ""
        values["until"] = _("Table %(number)s.") % {"number": table} if table else until
    return (str(text) % values).strip()
