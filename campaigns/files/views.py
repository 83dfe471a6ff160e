"""Exporting a whole campaign to a file, and importing one."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from accounts import quotas
from accounts.http import Request
from accounts.quotas import QuotaFull
from campaigns.access import organised_or_404
from campaigns.files import exporting, reading
from campaigns.files import importing as files_importing
from campaigns.files.forms import CampaignFileForm
from campaigns.models import Campaign
from common.downloads import json_file
from common.turns import BUSY, Busy, importing
from gangs.files.format import BadFile

BAD_FILES: dict[str, Promise] = {
    "too_big": gettext_lazy("The file is too large to be a campaign."),
    "too_many": gettext_lazy("The file holds more than a campaign can."),
    "not_json": gettext_lazy("This is not a campaign file: it cannot be read as JSON."),
    "foreign": gettext_lazy("This file is not a campaign exported from a site like this one."),
    "newer": gettext_lazy("This file needs a newer version of Skirmish than this site has."),
    "damaged": gettext_lazy("The file is damaged (at %(detail)s)."),
    "impossible": gettext_lazy(
        "The file contradicts itself (at %(detail)s): nobody can have played this campaign."
    ),
    "bad_version": gettext_lazy("One of the rulebooks in the file is not valid: %(detail)s."),
    "unknown_book": gettext_lazy("A rulebook is missing in the file."),
}


@require_safe
def export(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Export the whole campaign."""
    campaign = organised_or_404(request, campaign_id)
    return json_file(exporting.export_campaign(campaign), campaign.name, otherwise="campaign")


@require_http_methods(["GET", "HEAD", "POST"])
def import_campaign(request: Request) -> HttpResponse:
    """Import a campaign."""
    form = CampaignFileForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            with importing.one(request.user.pk):
                campaign = _import(request, form)
        except BadFile as bad:
            form.add_error("file", str(BAD_FILES[bad.code]) % {"detail": bad.detail})
        except Busy:
            form.add_error("file", str(BUSY))
        except QuotaFull as full:
            form.add_error("file", quotas.describe(full))
        else:
            if campaign is not None:
                messages.success(request, _("%(name)s imported.") % {"name": campaign.name})
                return redirect(campaign)
    status = 422 if request.method == "POST" else 200
    return render(request, "campaigns/files/import.html", {"form": form}, status=status)


def _import(request: Request, form: CampaignFileForm) -> Campaign | None:
    """Import the campaign; None if the form has an error. Raises BadFile and QuotaFull."""
    upload = form.cleaned_data["file"]
    if upload.size > reading.LIMITS.size:
        raise BadFile("too_big")
    quotas.check(request.user, "imports")
    file = reading.read_file(upload.read())
    name = form.cleaned_data["own_name"].strip()
    names = [known.casefold() for known in file.names]
    own_place = names.index(name.casefold()) if name.casefold() in names else None
    if name and own_place is None:
        words = _("Nobody in the file has this name. It has: %(names)s.")
        known = ", ".join(file.names[:20])
        form.add_error("own_name", words % {"names": known})
        return None
    token = form.cleaned_data["token"]
    return files_importing.write_campaign(
        file, importer=request.user, own_place=own_place, token=token
    )
