"""The chronicle in words, in the reader's language: with links for pages, plain for the feed.

The feed is Atom; the ids of its entries never change.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.feedgenerator import Atom1Feed
from django.utils.functional import Promise
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _
from django.utils.xmlutils import SimplerXMLGenerator

from accounts.language import language
from campaigns.models import Campaign
from campaigns.statistics.chronicle import (
    Battle,
    Death,
    Fall,
    Happening,
    Injury,
    Line,
    Milestone,
    Money,
    Newcomers,
    Rise,
    Slayer,
    Undoing,
    chronicle,
    falls,
    list_lines,
    newest,
)
from campaigns.statistics.season_facts import Season, SeasonGame
from campaigns.text import list_names
from gangs.text.formats import localize, say_amount
from rules.book.model import Book
from rules.book.vocabulary import Text

# The number of lines in a feed.
MOST_ENTRIES = 50


def chronicle_lines(season: Season) -> tuple[Line, ...]:
    """Return the chronicle, with days in the site's time zone."""
    zone = timezone.get_default_timezone()
    return season.cached(season, "chronicle", lambda: chronicle(season, zone))


def told_lines(season: Season) -> tuple[Line, ...]:
    """Return the chronicle and the advances that only channels tell."""
    zone = timezone.get_default_timezone()
    return season.cached(season, "told", lambda: list_lines(season, zone))


def plain(book: Book, line: Line) -> str:
    """Return a line as a plain sentence."""
    return _sentence(line, _words(book, line.event))


def link_line(book: Book, campaign: object, line: Line) -> SafeString:
    """Return a line of the chronicle as a sentence with links to careers and games."""
    words = {name: conditional_escape(word) for name, word in _words(book, line.event).items()}
    careers = {"who": (line.gang, line.member)}
    if isinstance(line.event, Death | Injury) and line.event.hand is not None:
        careers["hand"] = line.event.hand.gang, line.event.hand.member
    for name, (gang, member) in careers.items():
        if gang and member and name in words:
            url = reverse("campaigns:career", args=[campaign, gang, member])
            words[name] = format_html('<a href="{}">{}</a>', url, words[name])
    sentence = mark_safe(_sentence(line, words))  # noqa: S308 (every word is escaped above)
    if isinstance(line.event, Battle | Undoing):
        url = reverse("campaigns:game", args=[line.game])
        return format_html('<a href="{}">{}</a>', url, sentence)
    return sentence


def brief(book: Book, line: Line) -> str:
    """Return a promotion or another advance as a sentence under its gang's name. Raises TypeError
    for other lines."""
    match line.event:
        case Milestone(kind="promoted", who=who, what=rank):
            values = {"who": localize(who), "rank": localize(rank), "paid": ""}
            return _("%(who)s was promoted to %(rank)s%(paid)s.") % values
        case Milestone(kind="advance", who=who, what=trait):
            values = {"who": localize(who), "trait": localize(trait), "paid": ""}
            return _("%(who)s gained %(trait)s%(paid)s.") % values
        case Rise(who=who, what=risen, amount=amount):
            signed = f"{amount:+}".replace("-", "−")
            values = {"who": localize(who), "characteristic": localize(risen), "signed": signed}
            return _("%(who)s: %(characteristic)s %(signed)s for good.") % values
    raise TypeError(line.kind)


def _words(book: Book, event: Happening) -> dict[str, str]:
    """Return the words of an event's sentences by name, without those that it lacks."""
    values = {word.name: (getattr(event, word.name), word.default) for word in fields(event)}
    words = {name: _word(book, value) for name, (value, lack) in values.items() if value != lack}
    if isinstance(event, Death | Injury) and event.hand is not None:
        words["hand_gang"] = event.hand.gang_name
    return words


def _word(book: Book, value: object) -> str:
    match value:
        case tuple():
            return list_names([localize(part) for part in value])
        case str() | Text():
            return localize(value)
        case Money(amount=amount, currency=currency):
            return say_amount(book, amount, currency)
        case Slayer(name=name):
            return localize(name)
    return str(value)


@dataclass(frozen=True)
class TurnLine:
    """A turn of a game and sentences about the members who went out in it."""

    turn: int
    sentences: tuple[str, ...]


def turn_lines(season: Season, game: SeasonGame, newcomers: Newcomers) -> list[TurnLine]:
    """Return the turns of a game in which members went out; empty if nobody recorded turns."""
    turns: dict[int, list[str]] = {}
    for fall in falls(season, game, newcomers):
        turns.setdefault(fall.turn, []).append(_fallen(fall))
    return [TurnLine(turn, tuple(sentences)) for turn, sentences in turns.items()]


def _fallen(fall: Fall) -> str:
    values = {"who": localize(fall.name), "gang": fall.gang_name}
    if fall.by is None:
        return _("%(who)s (%(gang)s) goes out.") % values
    by = {"hand": localize(fall.by.name), "hand_gang": fall.by.gang_name}
    return _("%(hand)s (%(hand_gang)s) takes out %(who)s (%(gang)s).") % {**values, **by}


def _sentence(line: Line, words: Mapping[str, str]) -> str:
    """Return the first sentence of the line's kind for which there are all words, or its last."""
    *detailed, last = SENTENCES[line.kind]
    for sentence in detailed:
        with suppress(KeyError):
            return str(sentence) % words
    return str(last) % defaultdict(str, words)


class ToldFeed(Atom1Feed):
    """Atom feed with a ``content`` element in each entry, as RFC 4287 requires."""

    def add_item_elements(self, handler: SimplerXMLGenerator, item: dict[str, Any]) -> None:
        """Write an entry's elements, with ``content`` in place of a summary."""
        super().add_item_elements(handler, item | {"description": None})
        handler.addQuickElement("content", item["content"], {"type": "text"})


def atom(campaign: Campaign, season: Season, site: str) -> str:
    """Return the newest lines of the chronicle as Atom, in the reader's language.

    ``site`` is the site's address.
    """
    here = reverse("campaigns:feed", args=[campaign.watch_key])
    lines = newest(chronicle_lines(season), MOST_ENTRIES)
    feed = ToldFeed(
        title=campaign.name,
        link=site + campaign.get_absolute_url(),
        description=_("What happens in the campaign %(name)s") % {"name": campaign.name},
        feed_url=f"{site}{here}?lang={language()}",
        feed_guid=campaign.pk.urn,
        language=language(),
        author_name=campaign.name,
    )
    for line in lines:
        sentence = plain(season.book, line)
        feed.add_item(
            title=sentence,
            link=site + address(campaign, line),
            description="",
            content=sentence,
            author_name=campaign.name,
            unique_id=uuid.uuid5(campaign.pk, line.key).urn,
            pubdate=line.at,
            updateddate=line.at,
        )
    return feed.writeString("utf-8")


def address(campaign: Campaign, line: Line) -> str:
    """Return the address of the page with more about a line."""
    if line.game:
        return reverse("campaigns:game", args=[line.game])
    return f"{reverse('campaigns:chronicle', args=[campaign.pk])}?day={line.day}"


# Sentences by kind of event, most detailed first; the last one needs no optional word. Their words
# are the event's fields.
SENTENCES: Mapping[str, Sequence[Promise]] = {
    "won": (
        _("%(side)s won in “%(scenario)s”: %(result)s."),
        _("%(side)s won: %(result)s."),
        _("%(side)s won in “%(scenario)s”."),
        _("%(side)s won."),
        _("%(winners)s beat %(others)s in “%(scenario)s”: %(result)s."),
        _("%(winners)s beat %(others)s: %(result)s."),
        _("%(winners)s beat %(others)s in “%(scenario)s”."),
        _("%(winners)s beat %(others)s."),
        _("%(winners)s won: %(result)s."),
        _("%(winners)s won."),
    ),
    "lost": (
        _("%(side)s lost in “%(scenario)s”: %(result)s."),
        _("%(side)s lost: %(result)s."),
        _("%(side)s lost in “%(scenario)s”."),
        _("%(side)s lost."),
    ),
    "level": (
        _("%(side)s played “%(scenario)s”: %(result)s."),
        _("%(side)s played: %(result)s."),
        _("%(side)s played “%(scenario)s”, without victory or defeat."),
        _("%(side)s played without victory or defeat."),
        _("%(others)s met in “%(scenario)s”: %(result)s."),
        _("%(others)s met: %(result)s."),
        _("%(others)s drew in “%(scenario)s”."),
        _("%(others)s drew."),
    ),
    "shared": (
        _("%(winners)s shared the win over %(others)s in “%(scenario)s”."),
        _("%(winners)s shared the win over %(others)s."),
    ),
    "walk-over": (
        _("%(winners)s won by walk-over against %(others)s."),
        _("%(winners)s won by walk-over."),
        _("%(others)s did not play their game."),
    ),
    "no-show": (
        _("%(others)s did not come: %(winners)s won without a fight."),
        _("%(winners)s won without a fight."),
        _("%(others)s did not come to their game."),
    ),
    "conceded": (
        _("%(others)s conceded to %(winners)s."),
        _("%(winners)s won without a fight."),
        _("%(others)s conceded."),
    ),
    "void": (
        _("The game of %(side)s is void."),
        _("The game between %(others)s is void."),
    ),
    "abandoned": (
        _("The game of %(side)s was abandoned."),
        _("The game between %(others)s was abandoned."),
    ),
    "taken_back": (
        _("%(by)s undid the game %(title)s: “%(why)s”"),
        _("%(by)s undid the game %(title)s."),
        _("The game %(title)s was undone."),
    ),
    "died": (
        _("%(who)s (%(gang)s) was killed by %(hand)s (%(hand_gang)s) in turn %(turn)s."),
        _("%(who)s (%(gang)s) was killed by %(hand)s (%(hand_gang)s)."),
        _("%(who)s (%(gang)s) fell in turn %(turn)s against %(others)s, and died."),
        _("%(who)s (%(gang)s) died in the game against %(others)s."),
        _("%(who)s (%(gang)s) fell in turn %(turn)s, and died."),
        _("%(who)s (%(gang)s) died."),
    ),
    "honoured": (_("%(who)s (%(gang)s) leaves the field for good, and full of glory: %(what)s."),),
    "left": (_("%(who)s left %(gang)s: %(what)s."),),
    "dismissed": (_("%(gang)s dismissed %(who)s."),),
    "promoted": (_("%(who)s (%(gang)s) was promoted to %(what)s."),),
    "succeeded": (_("%(who)s (%(gang)s) took over: %(what)s."),),
    "hurt": (
        _(
            "%(who)s (%(gang)s) will long remember %(hand)s (%(hand_gang)s) and turn "
            "%(turn)s: %(what)s."
        ),
        _("%(who)s (%(gang)s) will long remember %(hand)s (%(hand_gang)s): %(what)s."),
        _("%(who)s (%(gang)s) will long remember the day: %(what)s."),
    ),
    "captured": (
        _("%(who)s (%(gang)s) fell into the hands of %(captor)s."),
        _("%(who)s (%(gang)s) fell into the hands of %(others)s."),
        _("%(who)s (%(gang)s) was captured."),
    ),
    "freed": (
        _("%(gang)s bought %(who)s free for %(amount)s."),
        _("%(who)s came back to %(gang)s."),
    ),
    "seized": (
        _("%(gang)s captured %(place)s from %(loser)s."),
        _("%(gang)s captured %(place)s."),
    ),
    "joined": (
        _("%(gang)s (%(owner)s) joined the campaign."),
        _("%(gang)s joined the campaign."),
    ),
    "withdrew": (_("%(gang)s left the campaign."),),
    "retired": (_("%(gang)s stopped playing."),),
    "bargain": (
        _(
            "%(giver)s and %(taker)s came to terms: %(freed)s was set free, and %(payer)s "
            "paid %(ransom)s."
        ),
        _("%(giver)s and %(taker)s came to terms: %(freed)s was set free."),
    ),
    "bonus": (
        _("%(by)s gave %(gang)s a bonus of %(points)s in the standings: “%(why)s”"),
        _("%(gang)s got a bonus of %(points)s in the standings: “%(why)s”"),
    ),
    "penalty": (
        _("%(by)s gave %(gang)s a penalty of %(points)s in the standings: “%(why)s”"),
        _("%(gang)s got a penalty of %(points)s in the standings: “%(why)s”"),
    ),
    "adjustment_back": (
        _("%(by)s withdrew a bonus or penalty of %(gang)s: “%(why)s”"),
        _("A bonus or penalty of %(gang)s was withdrawn: “%(why)s”"),
    ),
    "awarded": (
        _("%(who)s (%(gang)s) won a trophy, %(what)s: “%(why)s”"),
        _("%(who)s (%(gang)s) won a trophy: %(what)s."),
        _("%(gang)s won a trophy, %(what)s: “%(why)s”"),
        _("%(gang)s won a trophy: %(what)s."),
    ),
    "corrected": (
        _("%(by)s corrected the history of %(gang)s: “%(why)s”"),
        _("%(by)s corrected the history of %(gang)s."),
        _("The history of %(gang)s was corrected."),
    ),
}
