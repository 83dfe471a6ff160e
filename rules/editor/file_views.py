"""Exporting a variant to a file, and importing one."""

from __future__ import annotations

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import Request
from common.downloads import json_file
from common.errors import Refusal
from common.forms import INVALID
from rules.book.model import Variation
from rules.editor import store
from rules.editor.files import LIMITS, BadVariant, VariantFile, read_variant, write_variant
from rules.editor.forms import FileForm
from rules.editor.page import own_variant
from rules.editor.refusals import describe
from rules.editor.store import Move
from rules.editor.text import misfit_text
from rules.library import book_of
from rules.models import BookVersion, Variant

# A longer list of misfits would not help.
MOST_TOLD = 30


@require_safe
@own_variant
def export(request: Request, variant: Variant) -> HttpResponse:
    """Send the draft as a file."""
    text = write_variant(variant.name, book_of(variant.base_id), store.overlay_of(variant))
    return json_file(text, variant.name, otherwise="variant")


@require_http_methods(["GET", "HEAD", "POST"])
def import_variant(request: Request) -> HttpResponse:
    """Import a variant from a file; if some of it does not fit, show that and ask first."""
    form = FileForm(request.POST or None, request.FILES or None)
    if request.method != "POST":
        return render(request, "rules/editor/import.html", {"form": FileForm()})
    try:
        if form.is_valid():
            return _imported(request, form)
    except Refusal as refused:
        form.add_error("file", describe(refused))
    return render(request, "rules/editor/import.html", {"form": form}, status=INVALID)


def _imported(request: Request, form: FileForm) -> HttpResponse:
    content = _content(form)
    if not content:
        raise BadVariant("no_file")
    file = read_variant(content)
    version, is_known = _version(file)
    variation = Variation(key="import", name=file.name, number=1)
    move = store.fit(file.overlay, book_of(version.pk), variation)
    if move.outcome.too_large:
        raise BadVariant("too_large")
    if move.lost and not move.overlay.changes:
        raise BadVariant("nothing_fits")
    if (move.lost or not is_known) and "anyway" not in request.POST:
        return _asked(request, file, content, move, is_known)
    token = form.cleaned_data["token"]
    variant = store.start(request.user, version, file.name, token=token, overlay=move.overlay)
    messages.success(request, _("%(name)s imported.") % {"name": variant.name})
    return redirect(variant)


def _content(form: FileForm) -> bytes:
    """Read the uploaded file, or its content from the page that asked about it."""
    upload = form.cleaned_data["file"]
    if isinstance(upload, UploadedFile):
        if (upload.size or 0) > LIMITS.size:
            raise BadVariant("too_big")
        return bytes(upload.read())
    return str(form.cleaned_data["content"]).encode("utf-8", "replace")


def _version(file: VariantFile) -> tuple[BookVersion, bool]:
    """Find the version that the file was made on, and whether it exists; else the newest one."""
    rulebooks = BookVersion.objects.rulebooks().defer("canonical")
    exact = rulebooks.filter(digest=file.digest).first()
    if exact is not None:
        if exact.slug != file.book:
            raise BadVariant("other_game")
        return exact, True
    newest = BookVersion.objects.newest().filter(slug=file.book).defer("canonical").first()
    if newest is None:
        raise BadVariant("unknown_game", detail=file.book_name[:80])
    return newest, False


def _asked(
    request: Request, file: VariantFile, content: bytes, move: Move, is_known: bool
) -> HttpResponse:
    """Show the changes that fit and those that do not, and ask whether to continue."""
    fields = {"content": content.decode("utf-8-sig"), "token": request.POST.get("token")}
    context = {
        "file": file,
        "form": FileForm(initial=fields),
        "is_known": is_known,
        "kept": len(move.overlay.changes),
        "lost": [misfit_text(move.outcome.written, misfit) for misfit in move.lost[:MOST_TOLD]],
        "more": max(0, len(move.lost) - MOST_TOLD),
    }
    return render(request, "rules/editor/import_fit.html", context)
