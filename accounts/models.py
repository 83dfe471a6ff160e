"""A person with an account."""

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.translation import gettext_lazy as _


class User(AbstractUser):
    """Django's user, who also remembers a language. Empty: whatever the browser asks for."""

    language = models.CharField(
        _("language"),
        max_length=8,
        blank=True,
        choices=[("en", _("English")), ("fr", _("French"))],
    )
