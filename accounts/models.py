"""Users with their notices, quotas and failed sign-ins; pages and invitations of the site."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.contrib.auth.models import UserManager as DjangoUserManager
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from accounts.skeletons import LONGEST, skeleton, skeletons_like
from common.locking import take_turn

# New names; those of earlier releases may contain an @, which is left to addresses.
check_letters = RegexValidator(
    r"^[\w.+-]+\Z",
    _("Use only letters, digits and the signs . + - _ in a name: no blanks, and no @."),
)


class UserManager(DjangoUserManager["User"]):
    """Queries for users, and the rule for new names."""

    use_in_migrations = False

    def check_name(self, name: str) -> None:
        """Raise ValidationError if a new account cannot have this name, since it equals another's
        or looks like it. Names of people from other sites, who cannot sign in, do not count."""
        if self.filter(username__iexact=name).exists():
            field = self.model._meta.get_field("username")
            raise ValidationError(field.error_messages["unique"], "username_taken")
        alike = self.filter(skeleton__in=skeletons_like(name)).exclude(skeleton="")
        if alike.exists():
            raise ValidationError(
                _("This name looks like another player’s. Choose one that differs more."), "alike"
            )

    def reserve_name(self, name: str) -> None:
        """As ``check_name``, and nobody else can take the name, or one that looks like it, until
        the transaction ends."""
        take_turn("user names")
        self.check_name(name)

    def create_superuser(self, username: str, *args: Any, **more: Any) -> User:
        """Make an administrator. Raises ValidationError if the name is not allowed."""
        with transaction.atomic():
            check_letters(username)
            self.reserve_name(username)
            return super().create_superuser(username, *args, **more)


class User(AbstractUser):
    """Django's user with a ``language``; if it is "", the browser decides.

    ``abbreviations``: in rulebooks, the book's or the reader's language's. ``rulebook_languages``:
    those in which they read rulebooks, the best first ("fr en"); "": that of pages. ``mail_off``:
    the topics of notices (``accounts.notices``) that an account with ``mail_notices`` does not want
    by e-mail; a topic of a later release is mailed. ``session_round``: sessions from an earlier
    round are invalid. ``stands_for``: the name of a person on another site
    whose actions came here in a file; nobody can sign in with such an account. ``blocked_why``: the
    reason why administrators block the account, which its owner reads instead of signing in.
    ``skeleton``: equal for names that look alike (``accounts.skeletons``); "" for an account that
    stands for somebody. Accounts of earlier releases may have the same one.
    """

    language = models.CharField(
        _("language"),
        max_length=8,
        blank=True,
    )
    abbreviations = models.CharField(
        _("abbreviations"),
        max_length=4,
        blank=True,
        choices=[("book", _("as in the book")), ("own", _("in your language"))],
    )
    rulebook_languages = models.CharField(_("languages of rulebooks"), max_length=40, blank=True)
    mail_notices = models.BooleanField(_("notices by e-mail, too"), default=False)
    mail_off = models.JSONField(default=list, blank=True, editable=False)
    session_round = models.PositiveIntegerField(default=0, editable=False)
    stands_for = models.CharField(max_length=150, blank=True, editable=False)
    blocked_why = models.CharField(max_length=300, blank=True, editable=False)
    skeleton = models.CharField(max_length=LONGEST, blank=True, editable=False, db_index=True)

    objects = UserManager()  # type: ignore[misc]

    class Meta(AbstractUser.Meta):
        # The order of the administrators' list.
        indexes = [models.Index(fields=["-date_joined", "-id"], name="account_joined")]

    def __str__(self) -> str:
        return self.stands_for or self.username

    def save(self, *args: Any, update_fields: Iterable[str] | None = None, **more: Any) -> None:
        """Store the user, with the skeleton of the name."""
        if update_fields is None or "username" in update_fields:
            self.skeleton = "" if self.stands_for else skeleton(self.username)
            update_fields = update_fields and {*update_fields, "skeleton"}
        super().save(*args, update_fields=update_fields, **more)

    def wants_mail_about(self, topic: str) -> bool:
        """Whether the user wants notices of this topic by e-mail, too."""
        return self.mail_notices and topic not in self.mail_off

    def end_sessions(self) -> None:
        """Sign the user out on every device."""
        User.objects.filter(pk=self.pk).update(session_round=models.F("session_round") + 1)
        self.refresh_from_db(fields=["session_round"])

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """The hash that a valid session contains: of the password, and of the round."""
        known: str = super()._get_session_auth_hash(secret)  # type: ignore[misc]
        if not self.session_round:
            return known
        text = f"{known}:{self.session_round}"
        return salted_hmac("accounts.sessions", text, secret, algorithm="sha256").hexdigest()


class Notice(models.Model):
    """A notice to a user: data that become a sentence in their language when it is shown.

    ``kind``: the sentence registered in ``accounts.notices``, with its ``values``; ``url``: the
    page to open.
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


class Reminder(models.Model):
    """A duty that a user has neglected, so that they are reminded of it once.

    ``kind``: of the notice; ``about``: the duty, such as a night on its day; ``noted_at``: when it
    was first found open; ``sent_at``: when its notice was made.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    kind = models.CharField(max_length=40)
    about = models.CharField(max_length=60)
    noted_at = models.DateTimeField(default=timezone.now)
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["kind", "noted_at"], name="reminder_unsent", condition=Q(sent_at=None)
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["user", "kind", "about"], name="reminder_once")
        ]

    def __str__(self) -> str:
        return f"{self.kind} for {self.user_id}"


class Quota(models.Model):
    """An account's own limit for a kind of things, if it differs from the usual one."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="quotas")
    kind = models.CharField(max_length=20)
    most = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "kind"], name="quota_once")]

    def __str__(self) -> str:
        return f"{self.most} {self.kind} for {self.user_id}"


class DailyUse(models.Model):
    """The number of times that an account did something on a day, for daily limits."""

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
    """A count of wrong passwords; ``key``: a hash of name and origin
    (``accounts.authentication.attempts``)."""

    key = models.CharField(max_length=64, primary_key=True)
    count = models.PositiveIntegerField()
    last_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.count} until {self.last_at}"


class SitePage(models.Model):
    """A page with texts by the site's administrators.

    ``texts``: plain text by language; ``version`` counts changes, so that a stale page is noticed.
    """

    class Key(models.TextChoices):
        """The pages."""

        PRIVACY = "privacy", _("Privacy")
        IMPRINT = "imprint", _("Imprint")

    key = models.CharField(max_length=10, primary_key=True, choices=Key.choices)
    texts = models.JSONField(default=dict)
    version = models.IntegerField(default=0)

    def __str__(self) -> str:
        return self.key


def invitation_key() -> str:
    """Make an unguessable key for a link."""
    return secrets.token_urlsafe(16)


class SiteInvitationQuerySet(models.QuerySet["SiteInvitation"]):
    """Queries for invitations."""

    def usable(self) -> SiteInvitationQuerySet:
        """Invitations that have a place left and have not expired."""
        return self.filter(used__lt=models.F("places"), ends_at__gt=timezone.now())


class SiteInvitation(models.Model):
    """A link by which people may sign up on a site that is not open to everybody.

    ``places``: the number of people; ``note``: for administrators, the intended people; ``token``:
    of the form that made it.
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
        """Whether people may still sign up with it."""
        return self.used < self.places and self.ends_at > timezone.now()
