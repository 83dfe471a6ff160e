"""Forms for choosing a new password, and what every form with a password has in common."""

from __future__ import annotations

from allauth.account.forms import ChangePasswordForm, ResetPasswordKeyForm
from django.contrib.auth.hashers import make_password
from django.forms import BaseForm, BooleanField, CharField, HiddenInput
from django.utils.translation import gettext_lazy

from accounts.authentication import programs
from accounts.models import User
from common.errors import Stale

# The validators' texts are a list of four, which fills a phone before the second password.
RULES = gettext_lazy(
    "At least 8 characters, not only digits, not a common password and not your name."
)


def shorten(form: BaseForm) -> None:
    """Let a form say each thing once: no placeholders that repeat the labels, and the rules of
    passwords in one line."""
    for field in form.fields.values():
        field.widget.attrs.pop("placeholder", None)
    if new := form.fields.get("password1"):
        new.help_text = RULES


class NewPasswordForm(ChangePasswordForm):  # type: ignore[misc]
    """The old password, and a new one; and whether the user's programs end, if there are any."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        shorten(self)
        if programs.has_programs(self.user):
            self.fields[programs.TICK] = BooleanField(
                label=gettext_lazy("End my API tokens, too"), initial=True, required=False
            )
            self.fields[programs.SHOWN] = CharField(initial="1", required=False, widget=HiddenInput)


class LinkPasswordForm(ResetPasswordKeyForm):  # type: ignore[misc]
    """A new password for somebody with the link from a mail."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        shorten(self)

    def save(self) -> None:
        """Store the password. A link is bound to the password before it, so the update is the lock.
        Raises Stale if the link was used since it was read."""
        # Hashed before the update, for which others wait, since hashing is slow.
        hashed = make_password(self.cleaned_data["password1"])
        same = User.objects.filter(pk=self.user.pk, password=self.user.password)
        if not same.update(password=hashed):
            raise Stale
        self.user.password = hashed
