"""The story of a campaign, read from its games, and its tree in words."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from campaigns.engine.story import Branch, Story, StoryGame, draw, follow, has_story
from campaigns.models import Campaign, Game, Side
from gangs.text.formats import localize
from rules.book.model import Book
from rules.book.reference import Lead


@dataclass(frozen=True)
class StoryLine:
    """A scenario of the tree. ``how``: the result that leads to it, "" for any; ``state``: "next",
    "played", "open" or "closed", with its ``words``."""

    name: str
    how: str
    state: str
    words: str
    lines: tuple[StoryLine, ...]


def story_of(campaign: Campaign) -> Story | None:
    """Return the story of a campaign so far; None if its scenarios lead to nothing. Two queries."""
    rules = campaign.rules
    if not has_story(rules):
        return None
    confirmed = Game.objects.filter(campaign=campaign, status=Game.Status.CONFIRMED)
    games = confirmed.exclude(scenario="").order_by("played_on", "created_at")
    told = []
    for game in games.prefetch_related("sides"):
        won = [side for side in game.sides.all() if side.side == Side.Kind.WINNER]
        told.append(StoryGame(game.scenario, game.result, tuple(side.role for side in won)))
    return follow(rules, told)


def story_lines(campaign: Campaign, story: Story | None) -> list[StoryLine]:
    """Return the tree of a campaign's scenarios in words."""
    if story is None:
        return []
    return [_line(campaign.book, story, branch) for branch in draw(campaign.rules)]


def _line(book: Book, story: Story, branch: Branch) -> StoryLine:
    key = branch.scenario.key
    states = {
        "next": pgettext("a scenario", "next"),
        "played": pgettext("a scenario", "played"),
        "open": pgettext("a scenario", "open"),
        "closed": pgettext("a scenario", "closed"),
    }
    if key in story.next:
        state = "next"
    elif key in story.played:
        state = "played"
    else:
        state = "open" if key in story.open else "closed"
    return StoryLine(
        name=localize(branch.scenario.name),
        how="" if branch.lead is None else _describe(book, branch.lead),
        state=state,
        words=states[state],
        lines=tuple(_line(book, story, inner) for inner in branch.branches),
    )


def _describe(book: Book, lead: Lead) -> str:
    """Return the condition of a row in words."""
    roles = {role.key: role.name for row in book.scenarios for role in row.roles}
    results = book.campaign.result
    parts = [" / ".join(localize(results[key].name) for key in lead.results if key in results)]
    if lead.ended == "won":
        parts.append(_("after a victory"))
    elif lead.ended == "lost":
        parts.append(_("after no victory"))
    if lead.winner in roles:
        parts.append(_("%(role)s won") % {"role": localize(roles[lead.winner])})
    return " · ".join(filter(None, parts))
