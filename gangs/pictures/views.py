"""Portraits and badges: upload, removal and display."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import quote_etag
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts import quotas
from accounts.quotas import QuotaFull
from common.forms import CONFLICT, INVALID, OK
from gangs.access import own_gang_or_404, shared_gang_or_404, visible_gang_or_404
from gangs.models import Gang, place
from gangs.pictures import storage as pictures_storage
from gangs.pictures.forms import PictureForm
from gangs.text.formats import shown_name

# A year, since the content under a picture's name never changes.
FOR_EVER = 365 * 24 * 3600
# The status for a file that the site cannot decode at the moment, and the seconds to wait.
UNAVAILABLE, AGAIN = 503, 60


@require_http_methods(["GET", "HEAD", "POST"])
def portrait(request: HttpRequest, gang: uuid.UUID, member: int) -> HttpResponse:
    """Change or remove the portrait of a present or former member."""
    found = own_gang_or_404(request, gang)
    roster = found.roster
    subject = next((other for other in roster.everyone() if other.id == member), None)
    if subject is None:
        # Users with an open form get an explanation; for others the page does not exist.
        if request.method != "POST":
            raise Http404
        return render(request, "gangs/pictures/gone.html", {"gang": found}, status=CONFLICT)
    here = any(other.id == member for other in roster.members)
    back = place(found, member if here else None)
    return _change(request, found, member, shown_name(found.book, subject), back)


@require_http_methods(["GET", "HEAD", "POST"])
def badge(request: HttpRequest, gang: uuid.UUID) -> HttpResponse:
    """Change or remove the gang's badge."""
    found = own_gang_or_404(request, gang)
    return _change(request, found, None, found.name, found.get_absolute_url())


def _change(
    request: HttpRequest, gang: Gang, member: int | None, name: str, back: str
) -> HttpResponse:
    assert request.user.pk is not None
    account = request.user.pk
    form, status = PictureForm(account), OK
    if request.method == "POST" and "remove" in request.POST:
        pictures_storage.remove(gang, member)
        messages.success(request, _("Picture removed."))
        return redirect(back)
    if request.method == "POST":
        form, status = PictureForm(account, request.POST, request.FILES), INVALID
        if form.is_valid():
            try:
                pictures_storage.keep(gang, member, form.cleaned_data["picture"])
            except pictures_storage.Full:
                form.add_error(
                    "picture",
                    _("This gang has no room for more pictures. Remove one first."),
                )
            except QuotaFull as full:
                form.add_error("picture", quotas.describe(full))
            else:
                messages.success(request, _("Picture uploaded."))
                return redirect(back)
    context = {
        "gang": gang,
        "member": member,
        "name": name,
        "form": form,
        "back": back,
        "has_one": bool(pictures_storage.name_of(gang, member)),
    }
    if not form.may_work_later:
        return render(request, "gangs/pictures/picture.html", context, status=status)
    response = render(request, "gangs/pictures/picture.html", context, status=UNAVAILABLE)
    response["Retry-After"] = str(AGAIN)
    return response


@login_not_required
@require_safe
def picture(request: HttpRequest, gang: uuid.UUID, size: int, name: str) -> HttpResponse:
    """One of a gang's pictures, for readers who may see the gang."""
    return picture_response(request, visible_gang_or_404(request, gang), name, size)


@login_not_required
@require_safe
def show_shared(request: HttpRequest, key: str, size: int, name: str) -> HttpResponse:
    """One of a gang's pictures, for readers with the link of its sheet."""
    response = picture_response(request, shared_gang_or_404(key), name, size)
    response["X-Robots-Tag"] = "noindex"
    return response


def picture_response(
    request: HttpRequest, gang: Gang, name: str, size: int, *, even_hidden: bool = False
) -> HttpResponse:
    """The file of one of the gang's pictures; 404 if it does not exist or is corrupt. The caller
    checks the permission; ``even_hidden``: also one that administrators hide."""
    content = pictures_storage.content_of(gang, name, size)
    if content is None and even_hidden:
        content = pictures_storage.hidden_content_of(gang, name, size)
    return jpeg_response(request, content, f"{name}-{size}")


def jpeg_response(request: HttpRequest, content: bytes | None, key: str) -> HttpResponse:
    """A picture whose content never changes under its ``key``; 404 if it is None. Browsers keep
    it, and proxies do not."""
    if content is None:
        raise Http404
    response = HttpResponse(content, content_type="image/jpeg")
    response["ETag"] = quote_etag(key)
    known = get_conditional_response(request, etag=response["ETag"], response=response)
    answer = known if isinstance(known, HttpResponse) else response
    patch_cache_control(answer, private=True, max_age=FOR_EVER, immutable=True)
    return answer
