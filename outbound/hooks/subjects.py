"""Things that messages are about, before their texts are composed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import AnonymousUser

from accounts.http import public_url
from accounts.models import User
from campaigns.models import Campaign
from campaigns.season.loading import LoadedSeason
from gangs.text.passages import Link, Passage, TextLine
from outbound.models import Hook

# Events older than this are no news.
WINDOW = timedelta(days=14)


@dataclass(frozen=True)
class Message:
    """The content of a message. ``title``: for the list of messages; ``path``: the page with more;
    ``picture``: the key of the game whose picture belongs to it, "" for none."""

    title: str
    text: Sequence[Passage]
    path: str
    picture: str = ""

    @property
    def url(self) -> str:
        """The address of the page with more."""
        return f"{public_url()}{self.path}"

    @property
    def passages(self) -> list[Passage]:
        """The text with the address at its end."""
        return [*self.text, Link(self.url)]


@dataclass(frozen=True)
class Subject:
    """Something that has one message. ``key`` identifies it for good; ``is_past``: it is an event,
    of which a channel learns only if it is new; ``compose``: makes the message, in the active
    language."""

    kind: str
    key: str
    compose: Callable[[], Message]
    is_past: bool = True


@dataclass(frozen=True)
class Sight:
    """A campaign as its channels see it: like a spectator who opened the watch link.

    ``sent``: when each message of the channel was first stored, by key; ``now``: the time of the
    look.
    """

    hook: Hook
    loaded: LoadedSeason
    sent: Mapping[str, datetime]
    now: datetime

    @property
    def campaign(self) -> Campaign:
        """The campaign."""
        return self.loaded.campaign

    @property
    def reader(self) -> User:
        """A reader who takes no part."""
        return AnonymousUser()  # type: ignore[return-value]

    def is_recent(self, at: datetime) -> bool:
        """Whether an event is still news."""
        return at > self.now - WINDOW


def list_names(label: str, names: Sequence[str]) -> list[TextLine]:
    """Return a line with a label and names; none without names."""
    return [TextLine(", ".join(names), strong=f"{label} {len(names)}")] if names else []
