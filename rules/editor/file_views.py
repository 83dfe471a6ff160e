"""Exporting a document to a file, and importing one: a variant as JSON, or a game as a zip."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.http import Request
from common.downloads import json_file
from common.errors import Refusal
from common.forms import INVALID, OK, require_safe_or_post
from rules.book.model import Variation
from rules.editor import slugs, store
from rules.editor.data import name_of, start_from
from rules.editor.documents import Document, check, describe_state
from rules.editor.files import LIMITS, BadVariant, VariantFile, read_variant
from rules.editor.languages import text_of
from rules.editor.moving import Move, fit
from rules.editor.page import open_document
from rules.editor.page_forms import FileForm
from rules.editor.refusals import describe
from rules.editor.text import misfit_text
from rules.library import book_of
from rules.models import BookVersion, Variant
from rules.packages.forms import PackageForm, mistake_text
from rules.packages.views import send_package

# A longer list of misfits or mistakes would not help.
MOST_MISFITS, MOST_MISTAKES = 30, 200


@require_safe
@open_document
def export(request: Request, document: Document) -> HttpResponse:
    """Send the document as a file; a game only if it has no mistakes."""
    if isinstance(document, Variant):
        return json_file(describe_state(document), document.name, otherwise="variant")
    book = check(document).book
    if book is None:
        raise Http404
    return send_package(book)


@require_safe_or_post
def import_file(request: Request) -> HttpResponse:
    """Import a variant or a game; if some changes of a variant do not fit, show them and ask."""
    form = FileForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    package = None
    try:
        if form.is_valid() and _is_zip(form):
            package = PackageForm(request.POST, request.FILES)
            if package.is_valid():
                return _import_game(request, form, package)
            for error in package.errors.get("file", ()):
                form.add_error("file", error)
        elif form.is_valid():
            return _import_variant(request, form)
    except Refusal as refused:
        form.add_error("file", describe(refused))
    mistakes = package.mistakes if package is not None else []
    context: dict[str, Any] = {
        "form": form,
        "mistakes": [mistake_text(one) for one in mistakes[:MOST_MISTAKES]],
        "more": max(0, len(mistakes) - MOST_MISTAKES),
    }
    status = INVALID if form.is_bound else OK
    return render(request, "rules/editor/import.html", context, status=status)


def _is_zip(form: FileForm) -> bool:
    upload = form.cleaned_data["file"]
    return isinstance(upload, UploadedFile) and str(upload.name).lower().endswith(".zip")


def _import_game(request: Request, form: FileForm, package: PackageForm) -> HttpResponse:
    assert package.book is not None
    data = {**start_from(package.book), "slug": slugs.find_free(package.book.slug)}
    game = store.start_game(request.user, data, token=form.cleaned_data["token"])
    messages.success(request, _("%(name)s imported.") % {"name": text_of(name_of(data))})
    return redirect(game)


def _import_variant(request: Request, form: FileForm) -> HttpResponse:
    content = _content(form)
    if not content:
        raise BadVariant("no_file")
    file = read_variant(content)
    version, is_known = _version(file)
    variation = Variation(key="import", name=file.name, number=1)
    move = fit(file.overlay, book_of(version.pk), variation)
    if move.checked.too_large:
        raise BadVariant("too_large")
    if move.lost and not move.overlay.changes:
        raise BadVariant("nothing_fits")
    if (move.lost or not is_known) and "anyway" not in request.POST:
        return _asked(request, file, content, move, is_known)
    token = form.cleaned_data["token"]
    variant = store.start_variant(
        request.user, version, file.name, token=token, overlay=move.overlay
    )
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
        "lost": [misfit_text(move.checked.written, misfit) for misfit in move.lost[:MOST_MISFITS]],
        "more": max(0, len(move.lost) - MOST_MISFITS),
    }
    return render(request, "rules/editor/import_fit.html", context)
