"""The user's own account: language, notices, sessions, download of all data, deletion."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from allauth.core.ratelimit import consume
from allauth.mfa.utils import is_mfa_enabled
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout, update_session_auth_hash
from django.contrib.auth.decorators import login_not_required
from django.core.paginator import Paginator
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views import i18n
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import data_export, deletion
from accounts.authentication import programs
from accounts.authentication.devices import signed_out_elsewhere
from accounts.http import Request
from accounts.mailing import confirmed_addresses
from accounts.models import Notice, User
from accounts.notices import below, describe_all, mark_read, panels, topics_for
from common.downloads import plain_name
from common.forms import INVALID, CrispyForm, set_choices

ON_A_PAGE = 30


class MailForm(CrispyForm):
    """The topics of notices to get by e-mail, too."""

    mail_notices = forms.MultipleChoiceField(
        label=gettext_lazy("Send me these by e-mail, too"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )

    def __init__(self, user: User, data: QueryDict | None = None) -> None:
        self.topics = topics_for(user)
        wanted = [topic for topic in self.topics if user.wants_mail_about(topic)]
        super().__init__(data, initial={"mail_notices": wanted})
        set_choices(self, "mail_notices", self.topics.items())

    def save(self, user: User) -> None:
        """Store the choice."""
        wanted = self.cleaned_data["mail_notices"]
        off = [topic for topic in self.topics if topic not in wanted]
        User.objects.filter(pk=user.pk).update(mail_notices=bool(wanted), mail_off=off)


class DeleteAccountForm(forms.Form):
    """The password, required to delete an account."""

    password = forms.CharField(
        label=gettext_lazy("Your password"),
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        strip=False,
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_password(self) -> str:
        """Require the account's password; after some wrong ones the user must wait."""
        password: str = self.cleaned_data["password"]
        if not get_adapter().reauthenticate(self.user, password):
            raise forms.ValidationError(gettext_lazy("That is not your password."))
        return password


@login_not_required
@require_POST
def set_language(request: HttpRequest) -> HttpResponseBase:
    """Switch the language, store it with the account, and return to the same page."""
    code = request.POST.get("language", "")
    if request.user.is_authenticated and code in dict(settings.LANGUAGES):
        request.user.language = code
        request.user.save(update_fields=["language"])
    return i18n.set_language(request)


@require_safe
def account(request: Request) -> HttpResponse:
    """The page of the user's own account, with links to all that they can see and change."""
    context = {
        "address": EmailAddress.objects.get_primary(request.user),
        "two_factor": is_mfa_enabled(request.user),
        "has_programs": programs.has_programs(request.user),
    }
    return render(request, "accounts/account.html", context)


@require_POST
def end_other_sessions(request: Request) -> HttpResponse:
    """Sign out on all other devices."""
    request.user.end_sessions()
    update_session_auth_hash(request, request.user)
    signed_out_elsewhere.send(User, request=request, user=request.user)
    messages.success(request, _("You are signed out everywhere else."))
    return redirect("account")


@require_safe
def notices(request: Request) -> HttpResponse:
    """List the user's notices, the newest first, with the choice to get them by e-mail."""
    return _notices(request, MailForm(request.user))


def _notices(request: Request, form: MailForm, *, status: int | None = None) -> HttpResponse:
    mine = Notice.objects.filter(user=request.user)
    page = Paginator(mine, ON_A_PAGE).get_page(request.GET.get("page"))
    shown = list(page)
    buttons = below(request, shown)
    context = {
        "page": page,
        "lines": [
            (notice, sentence, buttons.get(notice.pk))
            for notice, sentence in zip(shown, describe_all(shown), strict=True)
        ],
        "form": form,
        "panels": panels(request),
        "address": confirmed_addresses([request.user]).get(request.user.pk),
    }
    return render(request, "accounts/notices.html", context, status=status)


@require_POST
def open_notice(request: Request, notice: int) -> HttpResponse:
    """Mark a notice as read, and go to its page."""
    found = get_object_or_404(Notice, user=request.user, pk=notice)
    mark_read(request.user, found)
    return redirect(found.url or "notices")


@require_POST
def read_all(request: Request) -> HttpResponse:
    """Mark all notices as read."""
    mark_read(request.user)
    return redirect("notices")


@require_POST
def mail(request: Request) -> HttpResponse:
    """Store which notices the user gets by e-mail, too."""
    form = MailForm(request.user, request.POST)
    if not form.is_valid():
        return _notices(request, form, status=INVALID)
    form.save(request.user)
    messages.success(request, _("Saved."))
    return redirect("notices")


@require_http_methods(["GET", "HEAD", "POST"])
def delete_account(request: Request) -> HttpResponseBase:
    """Delete the user's account, after a page that explains the effects and asks for the
    password."""
    form = DeleteAccountForm(request.user, request.POST if request.method == "POST" else None)
    if form.is_valid():
        deletion.delete(request.user)
        logout(request)
        messages.success(request, _("Your account is deleted. Thank you for playing!"))
        return redirect("gangs:front")
    return _farewell(request, form)


def _farewell(
    request: Request, form: DeleteAccountForm, *, status: int | None = None, refused: str = ""
) -> HttpResponse:
    consequences = deletion.consequences(request.user)
    context = {"form": form, "consequences": consequences, "refused": refused}
    return TemplateResponse(request, "accounts/farewell.html", context, status=status)


@require_POST
def download_data(request: Request) -> HttpResponseBase:
    """Download all the user's data as a ZIP, a few times an hour at most, since it is slow."""
    if not consume(request, action="own_data"):
        refused = _("You have just downloaded it several times. Try again in an hour.")
        form = DeleteAccountForm(request.user)
        status = HTTPStatus.TOO_MANY_REQUESTS
        return _farewell(request, form, status=status, refused=refused)
    name = f"{plain_name(settings.SITE_NAME, 'site')}-{plain_name(request.user.username, 'data')}"
    return FileResponse(
        data_export.archive(request.user),
        as_attachment=True,
        filename=f"{name}.zip",
        content_type="application/zip",
    )


def too_many(request: HttpRequest) -> HttpResponse:
    """The response of django-allauth when one of its limits is reached."""
    response = render(request, "429.html", status=429)
    response["Retry-After"] = "60"
    return response
