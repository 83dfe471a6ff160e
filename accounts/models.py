"""A person with an account, and what the site has to tell them."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _


class User(AbstractUser):
    """Django's user, who also remembers a language. Empty: whatever the browser asks for.

    ``abbreviations``: in rulebooks, as the book prints them or those of the reader's language.
    ``session_round``: sessions that were begun in another round are over.
    ``stands_for``: nobody's account, but the name of somebody from another site, whose deeds came
    here in a file; nobody can sign in with it.
    """

    language = models.CharField(
        _("language"),
        max_length=8,
        blank=True,
        choices=[("en", _("English")), ("fr", _("French"))],
    )
    abbreviations = models.CharField(
        _("abbreviations"),
        max_length=4,
        blank=True,
        choices=[("book", _("as in the book")), ("own", _("in your language"))],
    )
    mail_notices = models.BooleanField(_("notices by e-mail, too"), default=False)
    session_round = models.PositiveIntegerField(default=0, editable=False)
    stands_for = models.CharField(max_length=150, blank=True, editable=False)

    def __str__(self) -> str:
        return self.stands_for or self.username

    def end_sessions(self) -> None:
        """Sign the user out on every device."""
        User.objects.filter(pk=self.pk).update(session_round=models.F("session_round") + 1)
        self.refresh_from_db(fields=["session_round"])

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """What a session must know to go on: the password, as ever, and the round."""
        known: str = super()._get_session_auth_hash(secret)  # type: ignore[misc]
        if not self.session_round:
            return known
        told = f"{known}:{self.session_round}"
        return salted_hmac("accounts.sessions", told, secret, algorithm="sha256").hexdigest()


class Notice(models.Model):
    """One thing that somebody should know: data, put into words in their language when read.

    ``kind``: the sentence, as registered in ``accounts.notices``, with its ``values``; ``url``:
    where it leads.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=40)
    values = models.JSONField(default=dict)
    url = models.CharField(max_length=200, blank=True)
    at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-at", "-pk"]
        indexes = [models.Index(fields=["user", "read_at", "-at"])]

    def __str__(self) -> str:
        return f"{self.kind} for {self.user_id}"


class Quota(models.Model):
    """How many of a kind of things one account may have, where that is not what everybody may."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="quotas")
    kind = models.CharField(max_length=20)
    most = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "kind"], name="quota_once")]

    def __str__(self) -> str:
        return f"{self.most} {self.kind} for {self.user_id}"


class DailyUse(models.Model):
    """How often an account did on a day what it may do only so often a day."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    kind = models.CharField(max_length=20)
    day = models.DateField(db_index=True)
    count = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "kind", "day"], name="daily_use_once")
        ]

    def __str__(self) -> str:
        return f"{self.count} {self.kind} by {self.user_id} on {self.day}"


class FailedSignIns(models.Model):
    """How often somebody got a password wrong; ``key``: whose and where from, hashed
    (``accounts.authentication.attempts``)."""

    key = models.CharField(max_length=64, primary_key=True)
    count = models.PositiveIntegerField()
    last_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.count} until {self.last_at}"


class SitePage(models.Model):
    """A page on which whoever runs the site says what a program cannot know.

    ``texts``: plain text by language; ``version`` counts changes, so that a stale page is noticed.
    """

    class Key(models.TextChoices):
        """Which page."""

        PRIVACY = "privacy", _("Privacy")
        IMPRINT = "imprint", _("Imprint")

    key = models.CharField(max_length=10, primary_key=True, choices=Key.choices)
    texts = models.JSONField(default=dict)
    version = models.IntegerField(default=0)

    def __str__(self) -> str:
        return self.key


def invitation_key() -> str:
    """A key that nobody guesses, for a link."""
    return secrets.token_urlsafe(16)


class SiteInvitationQuerySet(models.QuerySet["SiteInvitation"]):
    """Invitations, by whether they still let anybody in."""

    def usable(self) -> SiteInvitationQuerySet:
        """Those with a place left whose time is not over."""
        return self.filter(used__lt=models.F("places"), ends_at__gt=timezone.now())


class SiteInvitation(models.Model):
    """A link by which people may sign up where not everybody may.

    ``places``: how many; ``note``: for whom, in the words of whoever made it; ``token``: the form's
    that asked for it.
    """

    key = models.CharField(max_length=32, unique=True, default=invitation_key)
    token = models.UUIDField(unique=True)
    note = models.CharField(max_length=80, blank=True)
    places = models.PositiveSmallIntegerField()
    used = models.PositiveSmallIntegerField(default=0)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    made_at = models.DateTimeField(default=timezone.now)
    ends_at = models.DateTimeField()

    objects = SiteInvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-made_at", "-pk"]

    def __str__(self) -> str:
        return self.note or f"invitation of {self.made_at:%Y-%m-%d %H:%M}"

    @property
    def is_usable(self) -> bool:
        """Whether somebody may still sign up with it."""
        return self.used < self.places and self.ends_at > timezone.now()
