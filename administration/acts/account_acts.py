"""Acts of administrators on accounts."""

from __future__ import annotations

from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.utils import is_mfa_enabled
from django.urls import reverse
from django.utils.translation import gettext_lazy

from accounts import deletion, notices, quotas
from accounts.authentication import two_factor
from accounts.models import User
from administration.access import may_act_on
from administration.acts.kinds import ActKind, Acts, QuotaForm, Values
from administration.models import Act
from api import tokens


def _block(account: User, by: User, data: Values, reason: str) -> Values:
    User.objects.filter(pk=account.pk).update(is_active=False, blocked_why=reason)
    account.end_sessions()
    return {}


def _unblock(account: User, by: User, data: Values, reason: str) -> Values:
    User.objects.filter(pk=account.pk).update(is_active=True, blocked_why="")
    return {}


def _end_sessions(account: User, by: User, data: Values, reason: str) -> Values:
    account.end_sessions()
    tokens.end_all(account)
    return {}


def _reset_link(account: User, by: User, data: Values, reason: str) -> Values:
    """Return as ``_path`` the address on this site of a form that sets a new password once."""
    # The path is the only secret, and nothing stores it.
    arguments = [user_pk_to_url_str(account), default_token_generator.make_token(account)]
    return {"_path": reverse("account_reset_password_from_key", args=arguments)}


def _end_two_factor(account: User, by: User, data: Values, reason: str) -> Values:
    two_factor.take_away(account)
    return {}


def _delete(account: User, by: User, data: Values, reason: str) -> Values:
    deletion.delete(account)
    return {}


def _appoint(account: User, by: User, data: Values, reason: str) -> Values:
    # Administrators get reports by mail too, until they change that.
    others = account.mail_off if account.mail_notices else notices.topics_for(account)
    off = [topic for topic in others if topic != notices.SITE]
    User.objects.filter(pk=account.pk).update(is_staff=True, mail_notices=True, mail_off=off)
    return {}


def _dismiss(account: User, by: User, data: Values, reason: str) -> Values:
    User.objects.filter(pk=account.pk).update(is_staff=False)
    return {}


def _grant(account: User, by: User, data: Values, reason: str) -> Values:
    for key, limit in data.items():
        quotas.grant(account, key, limit)
    granted = (f"{key} {limit}" for key, limit in data.items() if limit is not None)
    return {"granted": ", ".join(granted) or "–"}


def _may_appoint(account: User, by: User) -> bool:
    return by.is_superuser and account != by and not account.stands_for


ACCOUNT_ACTS: Acts[User] = Acts(
    Act.Subject.ACCOUNT,
    str,
    (
        ActKind(
            "reset-link",
            gettext_lazy("Let them choose a new password"),
            gettext_lazy("%(by)s made a link for a new password of %(subject)s."),
            _reset_link,
            lambda account, by: may_act_on(by, account) and account.is_active,
            warnings=(
                gettext_lazy(
                    "You get a link to a form for a new password. It works once, for three days "
                    "at most. Give it only to the person who owns the account: be sure of that."
                ),
            ),
            icon="key",
            repeats=True,
        ),
        ActKind(
            "end-two-factor",
            gettext_lazy("End two-factor authentication"),
            gettext_lazy("%(by)s ended two-factor authentication for %(subject)s."),
            _end_two_factor,
            lambda account, by: may_act_on(by, account) and is_mfa_enabled(account),
            warnings=(
                gettext_lazy(
                    "They then sign in with only their password. Only do this for someone who "
                    "has lost their phone and codes, and who you are sure owns the account."
                ),
            ),
            icon="key",
        ),
        ActKind(
            "quotas",
            gettext_lazy("Change their limits"),
            gettext_lazy("%(by)s changed the limits of %(subject)s: %(granted)s."),
            _grant,
            lambda account, by: not account.stands_for,
            form=QuotaForm,
            icon="sliders",
        ),
        ActKind(
            "end-sessions",
            gettext_lazy("Sign them out everywhere"),
            gettext_lazy("%(by)s signed %(subject)s out everywhere."),
            _end_sessions,
            lambda account, by: may_act_on(by, account) and account.is_active,
            warnings=(
                gettext_lazy("Their API tokens end, too."),
                gettext_lazy("Anyone who knows the password can sign in again immediately."),
            ),
            icon="sign-out",
        ),
        ActKind(
            "block",
            gettext_lazy("Block the account"),
            gettext_lazy("%(by)s blocked the account %(subject)s."),
            _block,
            lambda account, by: may_act_on(by, account) and account.is_active,
            warnings=(
                gettext_lazy("They are signed out everywhere, and cannot sign in again."),
                gettext_lazy("If they try, they read the reason that you give, and whom to ask."),
                gettext_lazy(
                    "Their gangs and campaigns stay as they are. Sheets that they share go on being"
                    " shared: stop that gang by gang."
                ),
            ),
            icon="lock",
            is_dangerous=True,
        ),
        ActKind(
            "unblock",
            gettext_lazy("Unblock the account"),
            gettext_lazy("%(by)s unblocked the account %(subject)s."),
            _unblock,
            lambda account, by: may_act_on(by, account) and not account.is_active,
            icon="check",
            undoes=True,
        ),
        ActKind(
            "appoint",
            gettext_lazy("Make them an administrator"),
            gettext_lazy("%(by)s made %(subject)s an administrator."),
            _appoint,
            lambda account, by: (
                _may_appoint(account, by) and not account.is_staff and account.is_active
            ),
            warnings=(
                gettext_lazy(
                    "They can then do everything you see here, except appoint others or act on "
                    "administrators."
                ),
            ),
            icon="shield",
        ),
        ActKind(
            "dismiss",
            gettext_lazy("Remove from the administrators"),
            gettext_lazy("%(by)s removed %(subject)s from the administrators."),
            _dismiss,
            lambda account, by: _may_appoint(account, by) and account.is_staff,
            icon="person",
        ),
        ActKind(
            "delete",
            gettext_lazy("Delete the account"),
            gettext_lazy("%(by)s deleted the account %(subject)s."),
            _delete,
            lambda account, by: may_act_on(by, account),
            warnings=(gettext_lazy("This cannot be undone."),),
            icon="trash",
            is_dangerous=True,
            ends=True,
            foretold=deletion.consequences,
        ),
    ),
)
