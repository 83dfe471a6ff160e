"""A person with an account, and what the site has to tell them."""

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.translation import gettext_lazy as _


class User(AbstractUser):
    """Django's user, who also remembers a language. Empty: whatever the browser asks for.

    ``stands_for``: nobody's account, but the name of somebody from another site, whose deeds came
    here in a file; nobody can sign in with it.
    """

    language = models.CharField(
        _("language"),
        max_length=8,
        blank=True,
        choices=[("en", _("English")), ("fr", _("French"))],
    )
    mail_notices = models.BooleanField(_("notices by e-mail, too"), default=False)
    stands_for = models.CharField(max_length=150, blank=True, editable=False)

    def __str__(self) -> str:
        return self.stands_for or self.username


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
