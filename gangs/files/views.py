"""Exporting a gang to a file, and importing one."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts import quotas
from accounts.http import actor
from accounts.models import User
from accounts.quotas import QuotaFull
from common.downloads import json_file
from common.forms import require_safe_or_post
from common.turns import BUSY, Busy, importing
from common.wording.translating import translate
from gangs.access import own_gang
from gangs.files.exporting import export_gang
from gangs.files.format import LIMITS, BadFile
from gangs.files.forms import ImportForm
from gangs.files.importing import import_file
from gangs.files.list_views import show_list
from gangs.files.lists import is_list, read_list
from gangs.models import Gang
from gangs.text.formats import localize
from rules.catalogues.bounds import BIGGEST_LIST
from rules.catalogues.refusals import BadCatalogue
from rules.catalogues.refusals import describe as describe_catalogue
from rules.catalogues.rosters import Roster
from rules.library import newest_books
from rules.loading.apart import Busy as ReaderBusy

BAD_FILES: dict[str, Promise] = {
    "too_big": gettext_lazy("The file is too large to be a gang."),
    "too_many": gettext_lazy("The file holds more than a gang can."),
    "not_json": gettext_lazy("This is not a gang file: it cannot be read as JSON."),
    "foreign": gettext_lazy("This file is not a gang exported from a site like this one."),
    "newer": gettext_lazy("This file needs a newer version of Skirmish than this site has."),
    "damaged": gettext_lazy("The file is damaged (at %(detail)s)."),
    "impossible": gettext_lazy(
        "The file contradicts itself (at %(detail)s): nobody can have this gang."
    ),
    "unknown_book": gettext_lazy(
        "The gang belongs to a version of its rulebook (%(detail)s) that this site does not have."
    ),
}


@own_gang(require_safe)
def export(request: HttpRequest, gang: Gang) -> HttpResponse:
    """Export the gang."""
    return json_file(export_gang(gang), gang.name, otherwise="gang")


@require_safe_or_post
def import_gang(request: HttpRequest) -> HttpResponse:
    """Import a gang."""
    form = ImportForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            with importing.one(request.user.pk):
                found = _import(request, form)
                if isinstance(found, Roster):
                    return show_list(request, found, _owner(request))
        except BadFile as bad:
            form.add_error("file", describe_bad(bad))
        except BadCatalogue as bad_list:
            form.add_error("file", translate(describe_catalogue(bad_list)))
        except (Busy, ReaderBusy):
            form.add_error("file", str(BUSY))
        except QuotaFull as full:
            form.add_error("file", quotas.describe(full))
        else:
            messages.success(request, _("%(name)s imported.") % {"name": found.name})
            return redirect(found)
    status = 422 if request.method == "POST" else 200
    return render(request, "gangs/files/import.html", {"form": form}, status=status)


def _import(request: HttpRequest, form: ImportForm) -> Gang | Roster:
    """Import the gang of a file; a list is only read. Raises BadFile, BadCatalogue, QuotaFull and
    ReaderBusy."""
    upload, owner = form.cleaned_data["file"], _owner(request)
    if upload.size > max(LIMITS.size, BIGGEST_LIST):
        raise BadFile("too_big")
    content = upload.read()
    if is_list(content):
        quotas.check(owner, "imports")
        return read_list(upload.name, content)
    return import_file(content, owner)


def _owner(request: HttpRequest) -> User:
    owner = actor(request)
    assert owner is not None
    return owner


def describe_bad(bad: BadFile) -> str:
    """The reason why a file is refused, in the reader's language. The name of an unknown rulebook
    is that of the game, if this site has it."""
    names = {book.slug: localize(book.name) for _version, book in newest_books()}
    detail = names.get(bad.detail, bad.detail) if bad.code == "unknown_book" else bad.detail
    return str(BAD_FILES[bad.code]) % {"detail": detail}
