"""Channels outside the site, the messages sent to them, and their hosts; users' devices."""

from __future__ import annotations

from datetime import timedelta

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from campaigns.models import Campaign
from campaigns.models.campaign import somebody
from outbound.client import LONGEST_ADDRESS, Reason
from outbound.push.models import PushDevice as PushDevice
from outbound.recipients import Host as Host
from outbound.recipients import Recipient


class Kind(models.TextChoices):
    """The kinds of messages that an organiser chooses."""

    NIGHTS = "nights", _("Game nights, with who is coming")
    PAIRINGS = "pairings", _("Planned games, with reasons and scenario")
    RESULTS = "results", _("Results")
    DEATHS = "deaths", _("Deaths")
    ADVANCES = "advances", _("Advances and promotions")
    POSTGAMES = "postgames", _("Post-games still to play, the day after")


# Messages that an organiser causes on the channel's page.
HELLO, TEST = "hello", "test"


def all_kinds() -> list[str]:
    """Return the kinds that a new channel gets."""
    return list(Kind.values)


class Hook(Recipient):
    """A channel of a campaign: an address to which the site sends messages.

    ``secret_url``: the address, which lets anybody post there, so no page, log or file shows it;
    ``host``, ``ending``: the parts of it that pages show. ``signing_secret``: signs messages to
    servers other than Discord. ``kinds``: the chosen kinds of messages; ``thread``: the Discord
    thread to post in; ``is_forum``: the channel consists of threads, and the site opened this one.
    ``seen``: the state of the campaign at the last look; ``known``: events of before the channel,
    which are not reported. ``off_at``, ``off_why``: since when and why nothing is sent, also after
    five days of failure. ``version`` counts changes of its settings.
    """

    GIVEN_UP_AFTER = timedelta(days=5)

    class Service(models.TextChoices):
        """The receiver, which decides about the form of messages."""

        DISCORD = "discord", "Discord"
        SIGNED = "signed", _("Signed webhook")

    class Off(models.TextChoices):
        """Why a channel is switched off."""

        BY_HAND = "by_hand", _("An organiser switched it off.")
        DELETED = "deleted", _("The webhook was deleted there, or its address is not right.")
        THREAD = "thread", _("The thread was deleted there.")
        ENDED = "ended", _("The server wants no more messages.")
        FAILING = "failing", _("No message arrived for five days.")

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="hooks")
    by = somebody()
    service = models.CharField(max_length=10, choices=Service.choices)
    secret_url = models.TextField(max_length=LONGEST_ADDRESS)
    host = models.CharField(max_length=253)
    ending = models.CharField(max_length=4)
    signing_secret = models.CharField(max_length=80, blank=True)
    kinds = models.JSONField(default=all_kinds)
    language = models.CharField(max_length=10)
    thread = models.CharField(max_length=30, blank=True)
    is_forum = models.BooleanField(default=False)
    token = models.UUIDField(unique=True)
    version = models.IntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    seen = models.CharField(max_length=64, blank=True)
    known = models.JSONField(default=list)
    off_at = models.DateTimeField(null=True, blank=True)
    off_why = models.CharField(max_length=10, choices=Off.choices, blank=True)

    class Meta:
        ordering = ["created_at", "pk"]

    def __str__(self) -> str:
        return f"{self.host} …{self.ending}"

    @property
    def server(self) -> str:
        """The name of its host."""
        return self.host

    @property
    def is_discord(self) -> bool:
        """Whether messages have Discord's form."""
        return self.service == self.Service.DISCORD


class Delivery(models.Model):
    """A message in a channel: the state in which it should be, and how sending that went.

    ``key``: its subject, such as ``night:`` with the night's key; ``title``: for the list of
    messages. ``wanted``: the sum of the content it should have; ``content``: that content, emptied
    once it is sent; {} for a message to delete. ``message``: its id at the receiver;
    ``is_deleted``: it was deleted, here or there. ``is_waiting``: it is still to be sent. ``tries``
    counts since it last changed; ``status``, ``reason`` and ``answer`` are those of the last try.
    """

    hook = models.ForeignKey(Hook, models.CASCADE, related_name="deliveries")
    kind = models.CharField(max_length=10)
    key = models.CharField(max_length=150)
    title = models.CharField(max_length=200)
    wanted = models.CharField(max_length=64, blank=True)
    content = models.JSONField(default=dict)
    message = models.CharField(max_length=30, blank=True)
    is_deleted = models.BooleanField(default=False)
    is_waiting = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now)
    tries = models.PositiveIntegerField(default=0)
    tried_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=20, choices=Reason.choices, blank=True)
    answer = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["-changed_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["hook", "key"], name="delivery_subject_once"),
        ]

    def __str__(self) -> str:
        return self.title
