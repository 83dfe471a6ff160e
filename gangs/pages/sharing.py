"""Sharing a sheet by link, QR code and short code, and finding it by a code typed in."""

from __future__ import annotations

import io
from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from accounts.http import site_url
from accounts.language import rules_language
from common.forms import INVALID, OK, CrispyForm, NameField, number, require_safe_or_post
from gangs.access import TooManyGuesses, find_by_code, own_gang, shared_gang_or_404
from gangs.cards.as_text import gang_text, member_text
from gangs.cards.cache import page_of
from gangs.models import NOT_SHARED, Gang, share_key
from gangs.short_codes import short_code
from gangs.text.passages import write_both

# Seconds after which another try may succeed.
RETRY_AFTER = 3600
NO_SUCH_CODE = gettext_lazy("Nothing is shared under this code. Check it with its player.")
TOO_MANY_GUESSES = gettext_lazy(
    "Too many wrong codes from your connection. Try again in an hour, or ask for the link."
)


class CodeForm(CrispyForm):
    """A form for the short code of a shared sheet."""

    code = NameField(
        label=gettext_lazy("Code"),
        max_length=40,
        help_text=gettext_lazy("Eight letters and digits, such as K7QM-2XRD."),
    )

    def __init__(self, *args: object, **options: object) -> None:
        super().__init__(*args, **options)  # type: ignore[arg-type]
        as_typed = {"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}
        self.fields["code"].widget.attrs.update(as_typed)


@own_gang(require_POST)
def sharing(request: HttpRequest, gang: Gang) -> HttpResponse:
    """Share the sheet under a new link and a new code, or stop sharing it.

    While administrators hide the gang, a link does not work, and none can be made.
    """
    page = gang if request.POST.get("origin") == "gang" else reverse("gangs:sheet", args=[gang.pk])
    back = f"{resolve_url(page)}#sharing"
    if gang.hidden_why and "stop" not in request.POST:
        messages.error(request, _("An administrator hides this gang: it cannot be shared now."))
        return redirect(back)
    shared = {"share_key": share_key(), "share_code": short_code()}
    new = NOT_SHARED if "stop" in request.POST else shared
    for name, value in new.items():
        setattr(gang, name, value)
    gang.save(update_fields=list(new))
    if gang.share_key:
        messages.success(
            request, _("The sheet has a new link and a new code; the old ones no longer work.")
        )
    else:
        messages.success(request, _("The sheet is no longer shared."))
    return redirect(back)


@own_gang(require_safe)
def gang_as_text(request: HttpRequest, gang: Gang) -> HttpResponse:
    """Show one's own gang, or ``?member=`` of it, as texts to copy."""
    return _text_page(request, gang, gang.get_absolute_url())


@login_not_required
@require_safe
def shared_as_text(request: HttpRequest, key: str) -> HttpResponse:
    """Show a shared gang, or ``?member=`` of it, as texts to copy."""
    found = shared_gang_or_404(key)
    response = _text_page(request, found, reverse("gangs:shared", args=[key]))
    response["X-Robots-Tag"] = "noindex"
    return response


def _text_page(request: HttpRequest, gang: Gang, back: str) -> HttpResponse:
    address = ""
    if gang.share_key:
        address = site_url(request) + reverse("gangs:shared", args=[gang.share_key])
    page = page_of(gang)
    passages = gang_text(page, gang.book.title.translated(rules_language()), address)
    if "member" in request.GET:
        member = number(request.GET["member"])
        card = next((card for card in page.cards if card.id == member), None)
        if card is None:
            raise Http404
        passages = member_text(card, page, address)
    context = {"subject": gang, "title": gang.name, "back": back, **write_both(passages)}
    return render(request, "as_text.html", context)


@login_not_required
@require_safe
def shared_code(request: HttpRequest, key: str) -> HttpResponse:
    """The link of a shared sheet as a QR code, for anybody who has the link."""
    gang = shared_gang_or_404(key)
    return draw_code(f"{site_url(request)}{reverse('gangs:shared', args=[gang.share_key])}")


def draw_code(link: str) -> HttpResponse:
    """A link as a QR code."""
    import segno

    drawn = io.BytesIO()
    segno.make(link, error="m", micro=False).save(drawn, kind="svg", scale=8, light="#fff")
    response = HttpResponse(drawn.getvalue(), content_type="image/svg+xml")
    response["X-Robots-Tag"] = "noindex"
    return response


@login_not_required
@require_safe_or_post
def enter_code(request: HttpRequest) -> HttpResponse:
    """Ask for a short code and lead to its gang."""
    form = CodeForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        return _lead_on(request, form, INVALID)
    return _page(request, form, INVALID if form.is_bound else OK)


@login_not_required
@require_safe
def by_code(request: HttpRequest, code: str) -> HttpResponse:
    """Lead to the sheet shared under the code in the address."""
    form = CodeForm({"code": code})
    if form.is_valid():
        return _lead_on(request, form, HTTPStatus.NOT_FOUND)
    return _page(request, form, HTTPStatus.NOT_FOUND)


def _lead_on(request: HttpRequest, form: CodeForm, unknown: int) -> HttpResponse:
    """Redirect to the gang, or to whatever else has the code; ``unknown``: the status if nothing
    is found."""
    try:
        found = find_by_code(request, form.cleaned_data["code"])
    except TooManyGuesses:
        form.add_error("code", str(TOO_MANY_GUESSES))
        response = _page(request, form, HTTPStatus.TOO_MANY_REQUESTS)
        response["Retry-After"] = str(RETRY_AFTER)
        return response
    if found is None:
        form.add_error("code", str(NO_SUCH_CODE))
        return _page(request, form, unknown)
    return redirect(found) if isinstance(found, str) else redirect("gangs:shared", found.share_key)


def _page(request: HttpRequest, form: CodeForm, status: int) -> HttpResponse:
    return render(request, "gangs/pages/code.html", {"form": form}, status=status)
